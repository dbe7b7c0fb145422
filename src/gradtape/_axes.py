"""Arguments that are whole numbers, such as axes and shapes, and operands that must agree in dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.errors import InvalidArgumentError, invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import existing, mixed_dtypes, to_integers, to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor

Shape = tuple[int, ...]


def whole_array(value: Any, name: str) -> Any:
    """Whole numbers as an int64 array of any rank.

    Raises:
        TypeError: for numbers that are not whole.
        ValueError: for None or an unknown dimension.
        InvalidArgumentError: for strings.
    """
    if isinstance(value, list | tuple):
        try:
            array = np.array(value)
        except (ValueError, TypeError):
            pass  # ragged, or not numbers: to_tensor has the right error
        else:
            if array.dtype.kind == "i":
                return array.astype(np.int64, copy=False)
    array = settled(to_tensor(value, None, name))
    kind = array.dtype.kind
    if kind == "O":
        raise invalid(f"{name}: string is not in the list of allowed values: int32, int64")
    if kind not in "iub" and array.size:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32: {name} must be whole numbers")
    return np.asarray(array, dtype=np.int64)


def whole(value: Any, name: str) -> int:
    """One whole number, from a Python or NumPy integer or a tensor of one element."""
    if type(value) is int:
        return value
    array = whole_array(value, name)
    if array.size != 1:
        raise invalid(f"{name} must be a scalar, got shape {list(array.shape)}")
    return int(array.reshape(())[()])


def wholes(value: Any, name: str) -> Shape:
    """Whole numbers given as one, as a sequence of them or of scalar tensors, as a shape or as an integer tensor.

    Raises:
        TypeError: if one is not whole.
        ValueError: for None or an unknown dimension.
        InvalidArgumentError: for strings, and for a tensor of more than one axis.
    """
    if type(value) is tuple or type(value) is list:
        for v in value:
            if type(v) is not int:
                break
        else:
            return tuple(value)
    elif type(value) is int:
        return (value,)
    elif isinstance(value, str | bytes):
        raise invalid(f"{name}: Value for attr of string is not in the list of allowed values: int32, int64")
    return to_integers(value, name)


def vector(value: Any, message: str, name: str) -> Shape:
    """A vector of whole numbers; `message`, with the shape behind it, for anything of another rank."""
    if isinstance(value, list | tuple | TensorShape):
        return wholes(value, name)
    array = whole_array(value, name)
    if array.ndim != 1:
        raise invalid(f"{message} {list(array.shape)}")
    return tuple(array.tolist())


def positive_axis(axis: int, rank: int, message: str) -> int:
    """The axis counted from the front, for a tensor of this rank. Raises InvalidArgumentError with `message`."""
    if not -rank <= axis < rank:
        raise invalid(message)
    return axis + rank if axis < 0 else axis


def alike(values: Sequence[Any], op: str, hint: Any = None, strict: bool = True) -> list[Tensor]:
    """Convert operands that must have one dtype: that of the first Tensor among them, else that of the first operand.

    Raises:
        InvalidArgumentError: for a Tensor of another dtype.
        TypeError: for a Python value that has no place in the dtype; without `strict`, InvalidArgumentError.
    """
    found = [existing(v) for v in values]
    dtype = hint
    for value in found:
        if isinstance(value, Tensor):
            dtype = value.dtype
            break
    made = []
    for value in found:
        if not isinstance(value, Tensor):
            value = to_tensor(value, dtype) if strict else _hinted(value, dtype)
        if dtype is None:
            dtype = value.dtype
        elif value._value.dtype != dtype.numpy_dtype:
            raise mixed_dtypes(op, dtype.numpy_dtype, value._value.dtype)
        made.append(value)
    return made


def _hinted(value: Any, dtype: Any) -> Tensor:
    try:
        return to_tensor(value, dtype)
    except TypeError:
        return to_tensor(value)


def of_kind(x: Tensor, kinds: str, op: str) -> Tensor:
    """Check the kind of the dtype: letters of NumPy's kinds, with V for bfloat16.

    Raises:
        InvalidArgumentError: for a dtype that the op does not take.
    """
    dtype = x._value.dtype
    if dtype.kind not in kinds:
        raise wrong_dtype(dtype, op)
    return x


def wrong_dtype(dtype: np.dtype[Any], op: str) -> InvalidArgumentError:
    """The error for a dtype that an op does not take."""
    name = dtypes.from_numpy(dtype).name
    return invalid(f"Value for attr 'T' of {name} is not in the list of allowed values of {op} [Op:{op}]")


def broadcast_shape(*shapes: Shape) -> Shape | None:
    """The shape that these broadcast to, or None if they do not."""
    rank = max(map(len, shapes))
    out = []
    for sizes in zip(*[(1,) * (rank - len(s)) + tuple(s) for s in shapes], strict=True):
        wide = {n for n in sizes if n != 1}
        if len(wide) > 1:
            return None
        out.append(wide.pop() if wide else 1)
    return tuple(out)
