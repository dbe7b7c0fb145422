"""`IndexedSlices`: the gradient of a gather, as the rows that are not zero."""

from __future__ import annotations

from typing import Any

from gradtape.base.tensor_shape import TensorShape
from gradtape.core.cotangents import concat
from gradtape.core.kinds import linear


class IndexedSlices:
    """Rows of a tensor along its first axis: `dense[indices[i]] += values[i]`, zero elsewhere.

    Indices may repeat; the rows then add up. `dense_shape` is the shape of the whole or `None` where unknown.
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Any:
        """The rows, shape [n, ...]."""
        return self._values

    @property
    def indices(self) -> Any:
        """The row numbers, shape [n]."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the dense tensor, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> Any:
        """The dtype of the rows."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor, of unknown rank if that is not known."""
        if self._dense_shape is None:
            return TensorShape(None)
        value = getattr(self._dense_shape, "_value", self._dense_shape)
        return TensorShape([int(n) for n in value])

    @property
    def device(self) -> str:
        """The device that holds the rows: always the CPU."""
        return str(self._values.device)

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        whole = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{whole})"

    __repr__ = __str__


@linear(values=lambda ct, indices: take_rows(ct, indices), indices=None)
def add_rows(xp: Any, values: Any, indices: Any, *, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `values[i]` added at row `indices[i]`.

    Rows are sorted and summed per group, which beats `np.add.at` by far for rows of more than a few numbers.
    """
    dense = xp.zeros(shape, dtype=values.dtype)
    if indices.size:
        order = xp.argsort(indices, kind="stable")
        sorted_indices = indices[order]
        starts = xp.flatnonzero(xp.concatenate(([True], sorted_indices[1:] != sorted_indices[:-1])))
        dense[sorted_indices[starts]] = xp.add.reduceat(values[order], starts, axis=0)
    return dense


@linear(x=lambda ct, indices, x_shape: add_rows(ct, indices, shape=x_shape), indices=None)
def take_rows(xp: Any, x: Any, indices: Any) -> Any:
    """The rows of x at `indices` (a flat integer array)."""
    return xp.take(x, indices, axis=0)


def densified(ct: Any) -> Any:
    """A cotangent as an array (or Tensor), whatever it was."""
    if type(ct) is IndexedSlices:
        return add_rows(ct.values, ct.indices, shape=ct.dense_shape)
    return ct


def accumulated(first: Any, second: Any) -> Any:
    """The sum of two cotangents; the rows of two sparse ones are put one after the other."""
    if type(first) is IndexedSlices and type(second) is IndexedSlices:
        return IndexedSlices(
            concat(first.values, second.values, axis=0),
            concat(first.indices, second.indices, axis=0),
            first.dense_shape,
        )
    return densified(first) + densified(second)
