"""The kinds: decorators that turn a kernel and its formulas into a primitive, and derive its forward rule.

| kind | formulas are | the engine derives |
|---|---|---|
| `ufunc`, `elementwise` | a partial per argument | vjp, jvp, summing back over broadcast axes |
| `linear` (jointly) | a transpose per argument | jvp: the op on the tangents |
| `bilinear` (separately) | a transpose per argument | jvp: the sum of the op with one argument replaced |
| `symmetric` | the vjp | jvp: the same formula |
| `primitive` (general) | a vjp per argument, a jvp if it is worth it | jvp: the transpose of the vjp, if not given |

The derived forward rules are in `core.jvps`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from gradtape.core import jvps
from gradtape.core.primitive import Binary, Primitive, Unary
from gradtape.core.tensor import Tensor

Formula = Callable[..., Any] | float | None
Kernel = Any  # a function; its code object is read


KINDS: dict[int, type[Primitive]] = {1: Unary, 2: Binary}


def arguments(kernel: Kernel) -> tuple[tuple[str, ...], bool]:
    """The names of the array arguments of a kernel `(xp, x, ..., *, static)`, and whether the only one is variadic."""
    code = kernel.__code__
    if code.co_flags & inspect.CO_VARARGS:
        return (code.co_varnames[code.co_argcount + code.co_kwonlyargcount],), True
    return code.co_varnames[1 : code.co_argcount], False


def _declare(kernel: Kernel, rules: Mapping[str, Formula], **options: Any) -> Primitive:
    names, variadic = arguments(kernel)
    bound = partial(kernel, np)
    bound.__doc__ = kernel.__doc__
    plain = not variadic and not kernel.__code__.co_kwonlyargcount
    kind = KINDS.get(len(names), Primitive) if plain else Primitive
    return kind(bound, rules, name=kernel.__name__, names=names, variadic=variadic, **options)


def ufunc(function: Callable[..., Any], *, name: str | None = None, **partials: Formula) -> Primitive:
    """A primitive on a raw NumPy function of one or two arrays, without static parameters and without a wrapper.

    The order of the formulas is the order of the arguments.
    """
    return KINDS[len(partials)](
        function,
        partials,
        jvp=jvps.elementwise,
        name=name or function.__name__,
        names=tuple(partials),
        partials=True,
        broadcasts=len(partials) > 1,
        made=Tensor,
    )


def elementwise(**partials: Formula) -> Callable[[Kernel], Primitive]:
    """Elementwise with broadcasting; a formula is the partial derivative with respect to its argument."""
    return lambda kernel: _declare(kernel, partials, jvp=jvps.elementwise, partials=True, broadcasts=len(partials) > 1)


def linear(*, broadcasts: bool = False, **transposes: Formula) -> Callable[[Kernel], Primitive]:
    """Jointly linear in the arguments that have a formula; a formula maps the cotangent to that argument's."""
    return lambda kernel: _declare(kernel, transposes, jvp=jvps.linear, broadcasts=broadcasts)


def bilinear(*, broadcasts: bool = False, **transposes: Formula) -> Callable[[Kernel], Primitive]:
    """Linear in each argument that has a formula; with `broadcasts`, the engine sums over broadcast axes."""
    return lambda kernel: _declare(kernel, transposes, jvp=jvps.bilinear, broadcasts=broadcasts)


def symmetric(**vjps: Formula) -> Callable[[Kernel], Primitive]:
    """One argument, and a Jacobian equal to its transpose: the vjp formula is the jvp too."""
    return lambda kernel: _declare(kernel, vjps, jvp=jvps.symmetric)


def primitive(
    *, jvp: Callable[..., Any] | None = None, broadcasts: bool = False, **vjps: Formula
) -> Callable[[Kernel], Primitive]:
    """The general kind: a vjp per argument. `jvp(tangents, args, out, **static)` replaces the derived forward rule."""
    rule = None if jvp is None else jvps.given(jvp)
    return lambda kernel: _declare(kernel, vjps, jvp=rule, broadcasts=broadcasts)


def discrete(kernel: Kernel) -> Primitive:
    """A primitive that no gradient flows through: comparisons, integer results, indices."""
    names, _ = arguments(kernel)
    return _declare(kernel, dict.fromkeys(names), jvp=jvps.nothing)


def data_shaped(kernel: Kernel) -> Primitive:
    """A discrete primitive with a result whose shape depends on values."""
    names, _ = arguments(kernel)
    return _declare(kernel, dict.fromkeys(names), jvp=jvps.nothing, data_shaped=True)
