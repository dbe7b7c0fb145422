"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import of_kind, positive_axis, wholes
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import shaping as ops
from gradtape.ops.factoring import svd
from gradtape.ops.reductions import euclidean_norm, reduce_max, reduce_sum
from gradtape.ops.selection import where

INEXACT = "fVc"
"""The kinds of dtypes that have norms."""


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None
) -> Tensor:
    """Return the norm of vectors, or of matrices if `axis` names two axes. The gradient of the zero vector is 0.

    Args:
        tensor: a floating or complex tensor.
        ord: "euclidean", 1, 2, infinity or any positive number; for matrices "euclidean" or "fro", 1, 2 or infinity.
        axis: the axis of the vectors, or None for all elements; or two axes, as a list or tuple.
        keepdims: keep the axes with size 1.

    Returns:
        The norms, without those axes; of complex tensors, the Euclidean norm is complex too.

    Raises:
        ValueError: for another `ord` or `axis`.
        InvalidArgumentError: for integers, or if an axis does not exist.

    >>> import gradtape as tf
    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    matrices = isinstance(axis, tuple | list) and len(axis) == 2
    if matrices:
        if axis[0] == axis[1] or not all(isinstance(a, int) for a in axis):
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord not in ("euclidean", "fro", 1, 2, np.inf):
            raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}")
    else:
        if not (axis is None or isinstance(axis, int | np.integer)):
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord != "euclidean" and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    x = of_kind(to_tensor(tensor, None, "tensor"), INEXACT, "Sqrt")
    rank = x._value.ndim
    named = range(rank) if axis is None else axis if matrices else (axis,)
    axes = tuple([positive_axis(int(a), rank, _no_axis(a, rank)) for a in named])
    found = _matrix_norm(x, ord, axes) if matrices else _vector_norm(x, ord, axes)
    if keepdims:
        found = ops.reshape(found, shape=tuple([1 if i in axes else n for i, n in enumerate(x._value.shape)]))
    return found


def _no_axis(axis: int, rank: int) -> str:
    return f"Invalid reduction dimension ({axis} for input with {rank} dimension(s) [Op:Sum]"


def _size(x: Any) -> Any:
    return ew.complex_abs(x) if x._value.dtype.kind == "c" else ew.absolute(x)


def _vector_norm(x: Tensor, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord == "euclidean" or ord == 2:
        if x._value.dtype.kind != "c":
            return euclidean_norm(x, axis=axes)
        return ops.cast(euclidean_norm(_size(x), axis=axes), dtype=x._value.dtype)
    sizes = _size(x)
    if ord == 1:
        return reduce_sum(sizes, axis=axes)
    if ord == np.inf:
        return reduce_max(sizes, axis=axes)
    total = reduce_sum(ew.power(sizes, float(ord)), axis=axes)
    zero = total == 0
    return where(zero, 0, ew.power(where(zero, 1, total), 1 / float(ord)))


def _matrix_norm(x: Tensor, ord: Any, axes: tuple[int, ...]) -> Any:
    if ord in ("euclidean", "fro"):
        return _vector_norm(x, 2, axes)
    if ord == 2:
        rank = x._value.ndim
        rest = tuple([i for i in range(rank) if i not in axes])
        values = svd(ops.transpose(x, perm=(*rest, *axes)), full_matrices=False)[0]
        return reduce_max(values, axis=(rank - 2,))
    over, most = axes if ord == 1 else axes[::-1]
    sums = reduce_sum(_size(x), axis=(over,))
    return reduce_max(sums, axis=(most - (over < most),))


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the tensor divided by its norm, and the norm, which broadcasts to it.

    Raises:
        As `norm`.

    >>> import gradtape as tf
    >>> tf.linalg.normalize([3.0, 4.0])[0].numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x: Any = to_tensor(tensor, None, "tensor")
    size: Any = norm(x, ord, axis, keepdims=True)
    dtype = x._value.dtype
    return x / (size if size._value.dtype == dtype else ops.cast(size, dtype=dtype)), size


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """Return `x / sqrt(max(sum(x ** 2), epsilon))`.

    Args:
        x: a floating or complex tensor.
        axis: one axis or several, all by default.
        epsilon: a lower bound that makes the norm of zeros harmless.
        dim: an old name of `axis`.

    >>> import gradtape as tf
    >>> tf.linalg.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    value: Any = of_kind(to_tensor(x, None, "x"), INEXACT, "Rsqrt")
    chosen = dim if axis is None else axis
    rank = value._value.ndim
    named = range(rank) if chosen is None else wholes(chosen, "axis")
    axes = tuple([positive_axis(a, rank, _no_axis(a, rank)) for a in named])
    dtype = value._value.dtype
    squares = ew.square(_size(value)) if dtype.kind == "c" else ew.square(value)
    total = reduce_sum(squares, axis=axes)
    scale = ew.rsqrt(ew.maximum(total, total._value.dtype.type(epsilon)))
    scale = ops.reshape(scale, shape=tuple([1 if i in axes else n for i, n in enumerate(value._value.shape)]))
    return value * (ops.cast(scale, dtype=dtype) if dtype.kind == "c" else scale)
