"""A rule: one derivative formula, and the residuals that its parameter names ask for."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from gradtape.core.tensor import Tensor

SHAPE, DTYPE = "_shape", "_dtype"


class Rule:
    """A formula, read once: which residuals and which static parameters its parameter names ask for.

    Positional parameters, after the leading cotangent or tangent if the kind has one, are residuals: an argument's
    name, `out`, `<argument>_shape` or `<argument>_dtype`; of a variadic argument `xs` they are `xs`, `out`, `xs_shapes`
    and `index`, the position asked for. Keyword-only parameters are static parameters of the primitive.
    """

    __slots__ = ("formula", "name", "params", "reads")

    def __init__(self, formula: FunctionType, owner: str, argument: str, allowed: Sequence[str], leading: int) -> None:
        code = formula.__code__
        positional = code.co_argcount
        self.reads = code.co_varnames[leading:positional]
        self.params = code.co_varnames[positional : positional + code.co_kwonlyargcount]
        if unknown := [name for name in self.reads if name not in allowed]:
            raise TypeError(f"{owner}: the rule for {argument!r} reads {unknown}; it may read {list(allowed)}")
        self.formula = formula
        self.name = f"{owner}_rule_{argument}"

    def named(self) -> FunctionType:
        """The formula, under a name that tracebacks show. Renaming all when they are declared would slow the import."""
        formula, name = self.formula, self.name
        if formula.__name__ == "<lambda>":
            formula.__name__ = formula.__qualname__ = name
            formula.__code__ = formula.__code__.replace(co_name=name, co_qualname=name)
        return formula


def allowed_reads(names: Sequence[str], variadic: bool) -> tuple[str, ...]:
    """Every residual that a formula of a primitive with these arguments may name."""
    if variadic:
        return (names[0], "out", "index", f"{names[0]}_shapes")
    return (*names, "out", *(n + SHAPE for n in names), *(n + DTYPE for n in names))


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a Tensor's value, an array, or a Python scalar."""
    value = value._value if type(value) is Tensor else value
    return getattr(value, "shape", ())


def dtype_of(value: Any) -> Any:
    """The dtype of a Tensor's value or an array."""
    return value._value.dtype if type(value) is Tensor else value.dtype


def find(read: str, names: Sequence[str], variadic: bool, args: tuple[Any, ...], out: Any) -> Any:
    """Look up one residual of an application by its name."""
    if read == "out":
        return out
    if variadic:
        return args if read in names else tuple([shape_of(a) for a in args])
    if read in names:
        return args[names.index(read)]
    if read.endswith(SHAPE):
        return shape_of(args[names.index(read.removesuffix(SHAPE))])
    return dtype_of(args[names.index(read.removesuffix(DTYPE))])
