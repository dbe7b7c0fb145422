"""Whatever stands for a tensor as a `Tensor`: variables, sparse rows, data, lists with Tensors in them; and shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.dtypes import DType
from gradtape.base.errors import InvalidArgumentError, invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.assembling import cast, cast_discrete, stack
from gradtape.core.cell import Cell
from gradtape.core.data import PLAIN, dtype_name, to_array
from gradtape.core.effects import check, settled
from gradtape.core.indexed_slices import IndexedSlices, densified
from gradtape.core.tensor import Tensor, wrap


def to_tensor(value: Any, dtype: DType | None = None, name: str = "") -> Tensor:
    """Return a Tensor of a Tensor, variable, array, scalar or nested list; existing Tensors come back as they are.

    Lists with Tensors in them are stacked, and the gradient flows to those.

    Args:
        value: what to convert.
        dtype: the dtype wanted, or None to infer it.
        name: what to call `value` in errors.

    Raises:
        ValueError: if the value is of no use, ragged or mixed, or is a Tensor of another dtype.
        TypeError: if a Python value does not fit `dtype`.
        InvalidArgumentError: if Tensors in a list do not have one shape and dtype.
    """
    if type(value) is not Tensor:
        if type(value) not in PLAIN:
            value = existing(value)
        if isinstance(value, list | tuple) and holds_tensor(value):
            return packed(value, dtype)
        if type(value) is not Tensor:
            try:
                return wrap(to_array(value, dtype))
            except (ValueError, TypeError) as error:
                raise (type(error)(f"{name}: {error}") if name else error) from None
    if dtype is not None and value._value.dtype != dtype.numpy_dtype:
        raise ValueError(
            f"{name + ': ' if name else ''}Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return value


def existing(value: Any) -> Any:
    """Return the Tensor behind a Tensor, a variable, sparse rows or what has `__tf_tensor__`; else the value itself.

    `__gradtape_tensor__` is the same for what must not give our Tensors to TensorFlow, which calls `__tf_tensor__` too.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Cell):
        return value._read()
    if type(value) is IndexedSlices:
        return densified_tensor(value)
    kind = type(value)
    convert = getattr(kind, "__gradtape_tensor__", None) or getattr(kind, "__tf_tensor__", None)
    return value if convert is None else convert(value)


# Lists with Tensors in them.


def holds_tensor(value: Iterable[Any]) -> bool:
    """Whether a Tensor or variable stands anywhere in nested lists."""
    return not PLAIN.issuperset(map(type, value)) and any(True for _ in tensors_within(value))


def tensors_within(value: Iterable[Any]) -> Iterator[Tensor]:
    """The Tensors in nested lists, in order."""
    for item in value:
        if isinstance(item, list | tuple):
            if not PLAIN.issuperset(map(type, item)):
                yield from tensors_within(item)
        elif isinstance(found := existing(item), Tensor):
            yield found


def packed(value: Any, dtype: DType | None) -> Tensor:
    """Stack nested lists with Tensors in them, all as `dtype`, or that of the first Tensor."""
    own = {t._value.dtype: None for t in tensors_within(value)}
    if len(own) > 1:
        raise mixed_dtypes("Pack", *list(own)[:2])
    return _stacked(value, dtypes.from_numpy(next(iter(own))) if dtype is None else dtype)


def _stacked(value: Any, dtype: DType) -> Tensor:
    if not isinstance(value, list | tuple):
        return _as_dtype(existing(value), dtype)
    parts = [_stacked(v, dtype) for v in value]
    for i, part in enumerate(parts):
        if part._value.shape != parts[0]._value.shape:
            shapes = [list(p._value.shape) for p in (parts[0], part)]
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {shapes[0]} != values[{i}].shape = {shapes[1]} "
                "[Op:Pack]"
            )
    made: Tensor = stack(*parts, axis=0) if parts else to_tensor([], dtype)
    return made


def _as_dtype(value: Any, dtype: DType) -> Tensor:
    if type(value) is not Tensor:
        return to_tensor(value, dtype)
    here, there = value._value.dtype, dtype.numpy_dtype
    if here == there:
        return value
    if here.char == "O" or there.char == "O":
        raise TypeError(f"Cannot convert a list with a tensor of dtype {value.dtype.name} to {dtype.name}.")
    flows = dtypes.is_differentiable(here) and dtypes.is_differentiable(there)
    made: Tensor = (cast if flows else cast_discrete)(value, dtype=there)
    return made


# Shapes and other whole numbers.


def to_shape(value: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape given as an int, a sequence of ints or scalar tensors, a `TensorShape` or an integer tensor.

    Raises:
        TypeError: if a size is not an integer.
        ValueError: if a size is unknown.
        InvalidArgumentError: if a size is negative, or the shape has more than one axis.
    """
    if isinstance(value, TensorShape) and not value.is_fully_defined():
        raise ValueError(f"{name}: cannot convert a partially known TensorShape {value} to a Tensor.")
    sizes = to_integers(value, name)
    for n in sizes:
        if n < 0:
            raise invalid(f"{name}: dimension {n} must be >= 0")
    return sizes


def to_integers(value: Any, name: str) -> tuple[int, ...]:
    """Return whole numbers given as one, as a sequence of them or of scalar tensors, or as an integer tensor.

    Raises:
        TypeError: if one is not an integer.
        InvalidArgumentError: if there is more than one axis.
    """
    if isinstance(value, list | tuple):
        if all(type(n) is int for n in value):
            return tuple(value)
        value = [settled(v).item() if type(v) is Tensor and not v._value.ndim else v for v in map(existing, value)]
    value = existing(value)
    if type(value) is not Tensor:
        # Python numbers must be whole; of arrays TensorFlow asks only that they hold integers.
        integers = None if hasattr(value, "__array__") else dtypes.int64
        value = to_tensor(value, integers, name)
    found = value._value
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, got {value!r}")
    if found.ndim > 1:
        raise invalid(f"{name}: expected a vector of integers, got shape {list(found.shape)}")
    return tuple(settled(value).reshape(-1).tolist())


# Sparse rows.


def densified_tensor(slices: IndexedSlices) -> Tensor:
    """Return the dense Tensor of sparse rows. Raises ValueError if their dense shape is not known."""
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for which dense_shape is not set: values of shape "
            f"{slices.values.shape} could be rows of a tensor of any height."
        )
    shape = tuple(int(n) for n in np.asarray(slices.dense_shape))
    indices = to_tensor(slices.indices)
    check(_check_rows, indices, shape)
    dense: Tensor = densified(IndexedSlices(to_tensor(slices.values), indices, shape))
    return dense


def _check_rows(indices: Any, shape: tuple[int, ...]) -> None:
    outside = np.flatnonzero((indices < 0) | (indices >= shape[0])) if shape else np.zeros(0, int)
    if outside.size:
        raise invalid(f"segment_ids[{outside[0]}] = {indices[outside[0]]} is out of range [0, {shape[0]})")


def mixed_dtypes(op: str, first: Any, second: Any) -> InvalidArgumentError:
    """The error for two tensors that do not have the same dtype."""
    names = [dtype_name(dtypes.from_numpy(d)) for d in (first, second)]
    return invalid(
        f"cannot compute {op} as input #1(zero-based) was expected to be a {names[0]} tensor but is a {names[1]} "
        f"tensor [Op:{op}]. Use tf.cast to give both the same dtype."
    )
