"""`SparseTensor`: coordinates and values of the elements that are not zero."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._axes import wholes
from gradtape.base.dtypes import DType
from gradtape.base.dtypes import int64 as INT64
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import to_tensor
from gradtape.core.cotangents import broadcast_to
from gradtape.core.effects import check, settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import indexing, selection


class SparseTensor:
    """A tensor given by the positions and values of some elements, zero elsewhere.

    Args:
        indices: positions, shape [n, rank], int64.
        values: their values, shape [n].
        dense_shape: the shape of the whole.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [1, 3])).numpy()
    array([[0, 5, 0]], dtype=int32)
    """

    _takes_over = ("Mul",)

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = to_tensor(indices, INT64, "indices")
        self._values = to_tensor(values, name="values")
        self._size = wholes(dense_shape, "dense_shape")
        wanted = (self._values._value.shape[0] if self._values._value.ndim == 1 else -1, len(self._size))
        if self._indices._value.shape != wanted:
            raise invalid(
                f"SparseTensor: indices have shape {list(self._indices._value.shape)}, values "
                f"{list(self._values._value.shape)} and dense_shape {list(self._size)}; "
                "they must be [n, rank], [n] and [rank]."
            )

    @property
    def indices(self) -> Tensor:
        """The positions, shape [n, rank], int64."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values, shape [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, int64."""
        return wrap(np.array(self._size, np.int64))

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return TensorShape(self._size)

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self.dense_shape!s})"

    __repr__ = __str__

    def __mul__(self, other: Any) -> SparseTensor:
        """The values times those of a dense tensor, broadcast to this shape, at their positions."""
        return self._with(other, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        """The values divided by those of a dense tensor, broadcast to this shape, at their positions."""
        return self._with(other, operator.truediv)

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> SparseTensor:
        dense = to_tensor(other, self.dtype, "the dense operand")
        if not _broadcasts(dense._value.shape, self._size):
            raise invalid(f"SparseTensor: shape {list(dense._value.shape)} does not broadcast to {list(self._size)}.")
        if dense._value.ndim:
            dense = indexing.gather_nd(broadcast_to(dense, shape=self._size), self._indices)
        return SparseTensor(self._indices, combine(self._values, dense), self._size)


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another."""
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def sparse(value: Any) -> SparseTensor:
    """The argument, if it is a SparseTensor; TypeError for anything else."""
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}.")
    return value


def positions(x: SparseTensor) -> Any:
    """Where the values are, as Python code sees it: a function is captured anew for others."""
    return settled(x.indices)


def picked(x: SparseTensor, order: Any, where: Any, shape: tuple[int, ...]) -> SparseTensor:
    """Some of the values, by number, at new positions of a new shape."""
    return SparseTensor(where, indexing.gather(x.values, order, axis=0), shape)


def row_major(where: Any) -> Any:
    """The order in which positions follow each other in row-major order."""
    return np.lexsort(where.T[::-1]) if where.shape[1] else np.arange(len(where))


def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The whole tensor; gradients flow to the values.

    Args:
        default_value: what stands where there is no value, zero unless given.
        validate_indices: whether to refuse positions that are out of order or repeated.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
        InvalidArgumentError: for positions outside the shape, repeated or out of order.
    """
    sparse(sp_input)
    where, shape = sp_input.indices, tuple(sp_input._size)
    check(_check_indices, where, shape, validate_indices)
    dense: Tensor = indexing.scatter_nd(sp_input.values, where, shape=shape)
    if default_value is None:
        return dense
    given = indexing.scatter_nd(wrap(np.ones(where._value.shape[:1], np.int32)), where, shape=shape) > 0
    return selection.where(given, dense, to_tensor(default_value, sp_input.dtype, "default_value"))


def _check_indices(where: Any, shape: tuple[int, ...], ordered: bool) -> None:
    if ((where < 0) | (where >= np.array(shape))).any():
        raise invalid(f"to_dense: indices {where.tolist()} do not all lie within shape {list(shape)}.")
    order = np.ravel_multi_index(tuple(where.T), shape) if len(where) else np.zeros(0, int)
    if ordered and (np.diff(order) <= 0).any():
        raise invalid(f"to_dense: indices {where.tolist()} are repeated or out of order.")


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements that are not zero.

    >>> import gradtape as tf
    >>> tf.sparse.from_dense([[0, 7]]).values.numpy()
    array([7], dtype=int32)
    """
    whole = to_tensor(tensor, name="tensor")
    where = indexing.nonzero(whole)
    return SparseTensor(where, indexing.gather_nd(whole, where), whole._value.shape)
