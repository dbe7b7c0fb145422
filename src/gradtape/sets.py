"""`tf.sets`: the last axis as sets of whole numbers or strings, combined row by row."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import sets as ops
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.shaping import getitem, reshape
from gradtape.sparse import SparseTensor


def _members(value: Any, name: str) -> tuple[Any, Tensor, tuple[int, ...]]:
    """Of dense rows or a SparseTensor: the number of each value's row, the values, and the shape of the rows."""
    sparse = isinstance(value, SparseTensor)
    values: Any = value.values if sparse else to_tensor(value, name=name)
    dtype = values._value.dtype
    if dtype.kind not in "iuO" or dtype in (np.uint32, np.uint64):
        raise TypeError(f"{name!r} has invalid dtype `{values.dtype!r}`: sets hold whole numbers or strings.")
    shape = tuple(value.shape.as_list()) if sparse else values._value.shape
    if len(shape) < 2:
        raise invalid(f"Shape {list(shape)} has rank {len(shape)} < 2 [Op:DenseToDenseSetOperation]")
    rows = shape[:-1]
    if not sparse:
        numbers = wrap(np.repeat(np.arange(prod(rows)), shape[-1]))
        return numbers, reshape(values, shape=(prod(shape),)), rows
    strides = wrap(np.array([prod(rows[i + 1 :]) for i in range(len(rows))], np.int64))
    places = getitem(value.indices, key=(slice(None), slice(len(rows))))
    return reduce_sum(places * strides, axis=(1,)), values, rows


def _combined(a: Any, b: Any, operation: str) -> SparseTensor:
    groups, values, rows = _members(a, "a")
    others, more, other_rows = _members(b, "b")
    if values.dtype != more.dtype:
        raise TypeError(f"Types don't match, {values.dtype!r} vs {more.dtype!r}.")
    if rows != other_rows:
        raise invalid(f"Mismatched shapes {list(rows)} vs {list(other_rows)} [Op:DenseToDenseSetOperation]")
    places, found = ops.combined(groups, values, others, more, operation=operation, shape=rows)
    return SparseTensor(places, found, (*rows, decided(_width, places)))


def _width(places: Any) -> int:
    return int(places[:, -1].max(initial=-1)) + 1


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values of each row of `a` that the same row of `b` has too, ascending.

    Args:
        a: whole numbers or strings, dense or a SparseTensor, of rank 2 or more; the last axis is a set, in which
            repeated values count once.
        b: of the same dtype, and of the same shape but for the last axis.
        validate_indices: accepted, without effect: the order of indices does not matter.

    Returns:
        A SparseTensor whose last axis is as long as the largest result.

    Raises:
        TypeError: for other dtypes, or two different ones.
        InvalidArgumentError: if the shapes do not fit.

    >>> import gradtape as tf
    >>> tf.sets.intersection([[1, 2, 3]], [[3, 1, 5]]).values.numpy()
    array([1, 3], dtype=int32)
    """
    return _combined(a, b, "intersection")


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that a row of `a` or of `b` has, ascending. Arguments and errors as `intersection`.

    >>> import gradtape as tf
    >>> tf.sets.union([[1, 2]], [[2, 0]]).values.numpy()
    array([0, 1, 2], dtype=int32)
    """
    return _combined(a, b, "union")


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The values of each row of `a` that the row of `b` has not, ascending; without `aminusb` the other way round.

    Other arguments and errors as `intersection`.

    >>> import gradtape as tf
    >>> tf.sets.difference([[1, 2]], [[2, 0]]).values.numpy()
    array([1], dtype=int32)
    """
    return _combined(a, b, "difference") if aminusb else _combined(b, a, "difference")


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """How many different values each row of a SparseTensor has, int32.

    Raises:
        TypeError: if `a` is not a SparseTensor.

    >>> import gradtape as tf
    >>> tf.sets.size(tf.sets.union([[1, 2]], [[2, 0]])).numpy()
    array([3], dtype=int32)
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    groups, values, rows = _members(a, "a")
    out: Tensor = ops.set_sizes(groups, values, shape=rows)
    return out


__all__ = ["difference", "intersection", "size", "union"]
