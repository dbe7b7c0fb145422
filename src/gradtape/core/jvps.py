"""The forward rules that the kinds derive.

Each is called as `jvp(primitive, tangents, args, params, out, product)`: `tangents` has one entry per argument, `None`
where it is missing, and at least one that is not; `product` multiplies a tangent with a partial. The result may be
smaller than `out` where a tangent was broadcast; `core.forward` widens it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from gradtape.core.rules import Rule, find
from gradtape.core.tensor import Tensor

if TYPE_CHECKING:
    from gradtape.core.primitive import Primitive

Jvp = Callable[..., Any]


def _values(primitive: Primitive, rule: Rule, index: int, args: tuple[Any, ...], out: Any) -> list[Any]:
    return [index if r == "index" else find(r, primitive.names, primitive.variadic, args, out) for r in rule.reads]


def _rule(primitive: Primitive, index: int) -> Rule | float | None:
    return primitive.rules[primitive.names[0 if primitive.variadic else index]]


def elementwise(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
) -> Any:
    """The sum of partial times tangent."""
    terms = []
    for index, tangent in enumerate(tangents):
        rule = _rule(primitive, index)
        if tangent is None or rule is None:
            continue
        if isinstance(rule, Rule):
            partial = rule.formula(
                *_values(primitive, rule, index, args, out), **{name: params[name] for name in rule.params}
            )
            terms.append(product(tangent, partial))
        else:
            terms.append(tangent if rule == 1 else tangent * rule)
    return reduce(add, terms) if terms else None


def linear(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
) -> Any:
    """The op on the tangents: a missing one is zero, an argument without a formula keeps its value."""
    moved = [
        argument if _rule(primitive, i) is None else _zeros(argument) if tangent is None else tangent
        for i, (argument, tangent) in enumerate(zip(args, tangents, strict=True))
    ]
    return primitive(*moved, **params)


def _zeros(argument: Any) -> Any:
    value = argument._value if type(argument) is Tensor else argument
    return Tensor(
        value * 0 if not hasattr(value, "dtype") else value.dtype.type(0) if value.shape == () else _full(value)
    )


def _full(value: Any) -> Any:
    zeros = value.copy()
    zeros.fill(0)
    return zeros


def bilinear(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
) -> Any:
    """The sum of the op with one argument replaced by its tangent."""
    terms = [
        primitive(*args[:i], tangent, *args[i + 1 :], **params)
        for i, tangent in enumerate(tangents)
        if tangent is not None and _rule(primitive, i) is not None
    ]
    return reduce(add, terms) if terms else None


def symmetric(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
) -> Any:
    """The vjp formula, applied to the tangent."""
    rule = _rule(primitive, 0)
    assert isinstance(rule, Rule)
    return rule.formula(tangents[0], *_values(primitive, rule, 0, args, out), **{n: params[n] for n in rule.params})


def given(jvp: Callable[..., Any]) -> Jvp:
    """A forward rule of the primitive's own: `jvp(tangents, args, out, **params)`."""

    def forward(
        primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
    ) -> Any:
        return jvp(tangents, args, out, **params)

    return forward


def nothing(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any, product: Any
) -> None:
    """No tangent flows."""
    return
