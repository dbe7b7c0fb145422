"""Attach Python's operators to `Tensor` and the variables: the only place that does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, mixed_dtypes, to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.core.cell import Cell
from gradtape.ops import elementwise as ew
from gradtape.ops import selection as sel

BOOL = np.dtype(bool)
Operator = Callable[[Any, Any], Any]


def is_symbolic(value: Any) -> bool:
    """Whether this is one of Keras' placeholders, which take over in mixed expressions."""
    return type(value).__name__ == "KerasTensor"


def coerced(value: Any, like: Tensor) -> Tensor:
    """Return the other operand as a Tensor of the dtype of `like`; a Tensor or variable keeps its own."""
    found = existing(value)
    if isinstance(found, Tensor):
        return found
    return to_tensor(found, like.dtype)


def _lenient(value: Any, like: Tensor, op: str) -> Any:
    """Like `coerced`, with the error of the op where a Python value on the right has no place in the dtype."""
    try:
        return coerced(value, like)
    except TypeError:
        found = to_tensor(value)
        raise mixed_dtypes(op, like._value.dtype, found._value.dtype) from None


def binary(primitive: Primitive, op: str) -> tuple[Operator, Operator]:
    """The operator and its reflection for a primitive of two arrays of one dtype."""

    def forward(x: Any, y: Any) -> Any:
        dtype = x._value.dtype
        if type(y) is Tensor:
            if y._value.dtype is not dtype and y._value.dtype != dtype:
                raise mixed_dtypes(op, dtype, y._value.dtype)
        elif not (type(y) is float or type(y) is int) or dtype.kind != "f":
            if is_symbolic(y):
                return NotImplemented
            y = _lenient(y, x, op)
            if y._value.dtype != dtype:
                raise mixed_dtypes(op, dtype, y._value.dtype)
        if dtype is BOOL:
            raise not_for(op, dtype)
        return primitive(x, y)

    def reflected(x: Any, y: Any) -> Any:
        dtype = x._value.dtype
        if not (type(y) is float or type(y) is int) or dtype.kind != "f":
            if is_symbolic(y):
                return NotImplemented
            y = coerced(y, x)
            if y._value.dtype != dtype:
                raise mixed_dtypes(op, y._value.dtype, dtype)
        if dtype is BOOL:
            raise not_for(op, dtype)
        return primitive(y, x)

    return forward, reflected


def not_for(op: str, dtype: np.dtype[Any]) -> Exception:
    """The error for a dtype that an op does not take."""
    return invalid(
        f"Value for attr 'T' of {dtypes.from_numpy(dtype).name} is not in the list of allowed values of {op} [Op:{op}]"
    )


def attach() -> None:
    """Give `Tensor` its arithmetic."""
    for name, primitive, op in (
        ("add", ew.add, "AddV2"),
        ("sub", ew.subtract, "Sub"),
        ("mul", ew.multiply, "Mul"),
        ("truediv", ew.divide, "RealDiv"),
        ("floordiv", ew.floor_divide, "FloorDiv"),
        ("mod", ew.floor_mod, "FloorMod"),
        ("pow", ew.power, "Pow"),
    ):
        forward, reflected = binary(primitive, op)
        setattr(Tensor, f"__{name}__", forward)
        setattr(Tensor, f"__r{name}__", reflected)
    for name, primitive, op in (
        ("lt", sel.less, "Less"),
        ("le", sel.less_equal, "LessEqual"),
        ("gt", sel.greater, "Greater"),
        ("ge", sel.greater_equal, "GreaterEqual"),
        ("eq", sel.equal, "Equal"),
        ("ne", sel.not_equal, "NotEqual"),
    ):
        setattr(Tensor, f"__{name}__", binary(primitive, op)[0])


attach()
