"""Clipping of values and of norms; sparse rows stay sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._axes import alike, of_kind, positive_axis, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import selection
from gradtape.ops.reductions import euclidean_norm
from gradtape.ops.shaping import cast, reshape, stack


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Bring elements into a range. The gradient is 1 inside it and on its borders, 0 outside.

    Args:
        t: a tensor, or sparse rows.
        clip_value_min: the least value, that broadcasts to the shape of `t`.
        clip_value_max: the greatest value.

    Raises:
        InvalidArgumentError: if the shapes do not agree.

    >>> import gradtape as tf
    >>> tf.clip_by_value([1.0, 5.0], 2.0, 3.0).numpy()
    array([2., 3.], dtype=float32)
    """
    if type(t) is IndexedSlices:
        return _with_values(t, clip_by_value(t.values, clip_value_min, clip_value_max))
    x = to_tensor(t, None, "t")
    high = to_tensor(clip_value_max, x.dtype, "clip_value_max")
    low = to_tensor(clip_value_min, x.dtype, "clip_value_min")
    if high._value.ndim or low._value.ndim:
        for bound, op in ((high, "Minimum"), (low, "Maximum")):
            _check_bound(x._value.shape, bound._value.shape, op)
    return ew.maximum(ew.minimum(x, high), low)


def _check_bound(shape: tuple[int, ...], bound: tuple[int, ...], op: str) -> None:
    """Check that a bound broadcasts to the shape of what is clipped."""
    padded = (1,) * (len(shape) - len(bound)) + bound
    if len(bound) > len(shape) or any(b not in (1, n) for b, n in zip(padded, shape, strict=True)):
        raise invalid(f"Incompatible shapes: {list(shape)} vs. {list(bound)} [Op:{op}]")


def _with_values(slices: IndexedSlices, values: Any) -> IndexedSlices:
    return IndexedSlices(values, slices.indices, slices.dense_shape)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scale a tensor down so that its Euclidean norm is at most `clip_norm`.

    Args:
        t: a floating tensor, or sparse rows (whose own norm counts).
        clip_norm: the greatest norm, a scalar.
        axes: the axes to take the norm over, all by default.

    >>> import gradtape as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if type(t) is IndexedSlices:
        return _with_values(t, clip_by_norm(t.values, clip_norm, axes))
    x: Any = of_kind(to_tensor(t, None, "t"), "fVc", "Sqrt")
    rank = x._value.ndim
    chosen = range(rank) if axes is None else wholes(axes, "axes")
    axis = tuple([positive_axis(a, rank, f"clip_by_norm: axis {a} is not in [{-rank}, {rank})") for a in chosen])
    shape = tuple([1 if i in axis else n for i, n in enumerate(x._value.shape)])
    norm = reshape(euclidean_norm(x, axis=axis), shape=shape)
    limit: Any = to_tensor(clip_norm, x.dtype, "clip_norm")
    return x * limit / ew.maximum(norm, limit)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Any:
    """Return the Euclidean norm of all elements of several tensors together; None and sparse rows may be among them.

    Raises:
        TypeError: if `t_list` is not a sequence.

    >>> import gradtape as tf
    >>> tf.linalg.global_norm([[3.0], [4.0]]).numpy()
    np.float32(5.0)
    """
    norms = [_norm(v) for v in _values(t_list) if v is not None]
    if not norms:
        return to_tensor(0.0)
    return euclidean_norm(stack(*alike(norms, "Pack"), axis=0), axis=(0,))


def _values(t_list: Any) -> list[Any]:
    if isinstance(t_list, str | bytes) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return [None if t is None else to_tensor(t.values if type(t) is IndexedSlices else existing(t)) for t in t_list]


def _norm(x: Tensor) -> Any:
    return euclidean_norm(x, axis=tuple(range(x._value.ndim)))


def clip_by_global_norm(t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None) -> Any:
    """Scale several tensors down together so that their global norm is at most `clip_norm`.

    Args:
        t_list: floating tensors, sparse rows and None.
        clip_norm: the greatest norm, a scalar.
        use_norm: the global norm, where it is known.

    Returns:
        The list of scaled tensors, with None and sparse rows at their places, and the norm. Where the norm is not
        finite, all are NaN.

    >>> import gradtape as tf
    >>> clipped, norm = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> [t.numpy() for t in clipped], norm.numpy()
    ([array([0.6], dtype=float32), array([0.8], dtype=float32)], np.float32(5.0))
    """
    values = _values(t_list)
    norm: Any = global_norm(t_list) if use_norm is None else to_tensor(use_norm)
    limit: Any = to_tensor(clip_norm, norm.dtype, "clip_norm")
    zero = norm == 0
    inverse = selection.where(zero, 1 / limit, 1 / selection.where(zero, 1, norm))
    scale = limit * ew.minimum(inverse, 1 / limit)
    scale = scale + (norm - norm)  # NaN for a norm that is not finite
    scaled = [None if v is None else v * _like(scale, v) for v in values]
    pairs = zip(t_list, scaled, strict=True)
    return [_with_values(t, v) if type(t) is IndexedSlices else v for t, v in pairs], norm


def _like(scale: Any, x: Tensor) -> Any:
    dtype = x._value.dtype
    return scale if scale._value.dtype == dtype else cast(scale, dtype=dtype)
