"""`keras.ops.math` over gradtape's functions."""

from __future__ import annotations

from typing import Any

from gradtape import math as tf_math
from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise as ew
from gradtape.ops import reductions, shaping

__getattr__ = missing("math")


def top_k(x: Any, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The largest along the last axis, and where they are."""
    found = tf_math.top_k(tensor(x), k, sorted)
    return found[0], found[1]


def in_top_k(targets: Any, predictions: Any, k: int) -> Tensor:
    """Whether the targets are among the k largest predictions."""
    return tf_math.in_top_k(tensor(targets, "int32"), tensor(predictions), k)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) without overflow."""
    x = as_float(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % x.ndim for a in axes)
    out = reductions.reduce_logsumexp(x, axis=axes)
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def rsqrt(x: Any) -> Tensor:
    """1 / sqrt(x)."""
    return ew.rsqrt(as_float(x))


def erf(x: Any) -> Tensor:
    """The error function."""
    return tf_math.erf(as_float(x))


def erfc(x: Any) -> Tensor:
    """1 - erf(x)."""
    return tf_math.erfc(as_float(x))


def erfinv(x: Any) -> Tensor:
    """The inverse of erf."""
    return tf_math.erfinv(as_float(x))


def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Sums of the rows of each segment."""
    return _segments(tf_math.unsorted_segment_sum, data, segment_ids, num_segments)


def segment_max(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Largest of the rows of each segment."""
    return _segments(tf_math.unsorted_segment_max, data, segment_ids, num_segments)


def segment_min(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Smallest of the rows of each segment."""
    return _segments(tf_math.unsorted_segment_min, data, segment_ids, num_segments)


def segment_prod(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Products of the rows of each segment."""
    return _segments(tf_math.unsorted_segment_prod, data, segment_ids, num_segments)


def _segment_count(ids: Any) -> int:
    return int(ids.max()) + 1 if ids.size else 0


def _segments(function: Any, data: Any, segment_ids: Any, num_segments: int | None) -> Tensor:
    ids = tensor(segment_ids, "int32")
    if num_segments is None:
        num_segments = decided(_segment_count, ids)
    return function(tensor(data), ids, num_segments)
