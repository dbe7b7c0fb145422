"""`keras.ops.math` over gradtape's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape import linalg as tf_linalg
from gradtape import math as tf_math
from gradtape.base import dtypes as gt_dtypes
from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, axes_of, name_of, promoted, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise as ew
from gradtape.ops import fourier, indexing, places, reductions, selection, shaping

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
    axes = axes_of(x, axis)
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
    """Largest of the rows of each segment; minus infinity, or the least integer, for those without rows."""
    return _extremes(tf_math.unsorted_segment_max, float("-inf"), data, segment_ids, num_segments)


def segment_min(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Smallest of the rows of each segment; infinity, or the largest integer, for those without rows."""
    return _extremes(tf_math.unsorted_segment_min, float("inf"), data, segment_ids, num_segments)


def _extremes(function: Any, none: float, data: Any, segment_ids: Any, num_segments: int | None) -> Tensor:
    out = _segments(function, data, segment_ids, num_segments)
    if not gt_dtypes.is_differentiable(out._value.dtype):
        return out
    sizes = places.segment_sizes(tensor(segment_ids, "int32"), count=out._value.shape[0])
    empty = shaping.reshape(sizes == 0, shape=(-1, *[1] * (out.ndim - 1)))
    return selection.where(empty, tensor(none, name_of(out)), out)


def segment_prod(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Tensor:
    """Products of the rows of each segment."""
    return _segments(tf_math.unsorted_segment_prod, data, segment_ids, num_segments)


def _segments(function: Any, data: Any, segment_ids: Any, num_segments: int | None) -> Tensor:
    ids = tensor(segment_ids, "int32")
    count = decided(_segment_count, ids) if num_segments is None else num_segments
    return function(tensor(data), ids, count)


def _segment_count(ids: Any) -> int:
    return int(np.max(ids, initial=-1)) + 1


def logdet(x: Any) -> Tensor:
    """The logarithm of the absolute value of the determinant."""
    return tf_linalg.slogdet(as_float(x))[1]


def cdist(x: Any, y: Any) -> Tensor:
    """The distances between the rows of two arrays."""
    x, y = (as_float(a) for a in promoted(x, y))
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("`cdist` inputs must have rank >= 2")
    if x._value.shape[-1] != y._value.shape[-1]:
        raise ValueError("Last dimension of inputs to `cdist` must match")
    gap = x[..., :, None, :] - y[..., None, :, :]
    return reductions.euclidean_norm(gap, axis=(gap.ndim - 1,))


# Signals.


def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Tensor:
    """Parts of the rows, each beginning `sequence_stride` after the one before: [..., parts, sequence_length]."""
    x = tensor(x)
    count = (x._value.shape[-1] - (sequence_length - sequence_stride)) // sequence_stride
    places = np.arange(count)[:, None] * sequence_stride + np.arange(sequence_length)
    return indexing.gather(x, places, axis=x.ndim - 1)


def _get_complex_tensor_from_tuple(x: Any) -> Tensor:
    if not isinstance(x, tuple | list) or len(x) != 2:
        raise ValueError(f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}")
    re, im = (tensor(part) for part in x)
    if re._value.shape != im._value.shape:
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts should "
            f"have the same shape. Received: x[0].shape = {re.shape}, x[1].shape = {im.shape}"
        )
    if not (re.dtype.is_floating and im.dtype.is_floating):
        raise ValueError(f"At least one tensor in input `x` is not of type float. Received: x={x}.")
    return ew.make_complex(re, im)


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    return ew.real(x), ew.imag(x)


def fft(x: Any) -> tuple[Tensor, Tensor]:
    """The Fourier transform along the last axis, of and as real and imaginary parts."""
    z = _get_complex_tensor_from_tuple(x)
    return _parts(fourier.fft(z, axes=(z.ndim - 1,)))


def fft2(x: Any) -> tuple[Tensor, Tensor]:
    """The Fourier transform along the last two axes."""
    z = _get_complex_tensor_from_tuple(x)
    return _parts(fourier.fft(z, axes=(z.ndim - 2, z.ndim - 1)))


def ifft2(x: Any) -> tuple[Tensor, Tensor]:
    """The inverse of `fft2`."""
    z = _get_complex_tensor_from_tuple(x)
    return _parts(fourier.ifft(z, axes=(z.ndim - 2, z.ndim - 1)))


def rfft(x: Any, fft_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The first half of the transform of real rows."""
    x = as_float(x)
    return _parts(fourier.rfft(x, x._value.shape[-1] if fft_length is None else fft_length))


def irfft(x: Any, fft_length: int | None = None) -> Tensor:
    """The inverse of `rfft`."""
    z = _get_complex_tensor_from_tuple(x)
    return fourier.irfft(z, 2 * (z._value.shape[-1] - 1) if fft_length is None else fft_length)


_WINDOWS = {"hann": 0.5, "hamming": 0.54}


def _window(window: Any, length: int, size: int, dtype: str) -> Tensor:
    """A window of this length, in the middle of `size` elements."""
    if window is None:
        return tensor(np.ones(size), dtype)
    if isinstance(window, str):
        if window not in _WINDOWS:
            raise ValueError(
                f'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. Received: window={window}'
            )
        share = _WINDOWS[window]
        made = tensor(share - (1 - share) * np.cos(2 * np.pi * np.arange(length) / length), dtype)
    else:
        made = tensor(window, dtype)
    if made._value.shape != (length,):
        raise ValueError(
            f"The shape of `window` must be equal to [sequence_length]. Received: window shape={made.shape}"
        )
    before = (size - length) // 2
    return shaping.pad(made, paddings=((before, size - length - before),))


def stft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, window: Any = "hann", center: bool = True
) -> tuple[Tensor, Tensor]:
    """The transforms of parts of the rows under a window."""
    x = tensor(x)
    if name_of(x) not in ("float32", "float64"):
        raise TypeError(f"Invalid input type. Expected `float32` or `float64`. Received: input type={name_of(x)}")
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )
    weights = _window(window, sequence_length, fft_length, name_of(x))
    if center:
        half = fft_length // 2
        x = shaping.mirror_pad(x, widths=(*[(0, 0)] * (x.ndim - 1), (half, half)), mode="reflect")
    return _parts(fourier.rfft(extract_sequences(x, fft_length, sequence_stride) * weights, fft_length))


def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Tensor:
    """The inverse of `stft`: parts laid over each other, divided by the squares of the windows there."""
    parts = irfft(x, fft_length)
    weights = _window(window, sequence_length, fft_length, name_of(parts))
    count = parts._value.shape[-2]
    size = fft_length + sequence_stride * (count - 1)
    spots = np.arange(count)[:, None] * sequence_stride + np.arange(fft_length)
    over = parts.ndim - 2
    shape = (*parts._value.shape[:-2], size)
    total = indexing.scatter_along(parts * weights, spots, axis=over, shape=shape)
    if window is None:
        norm = tensor(np.ones(size), name_of(parts))  # as TensorFlow does
    else:
        norm = _overlap(weights, spots, size)
    out = total / selection.where(norm > 1e-10, norm, tensor(1.0, name_of(norm)))
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else size - fft_length // 2 if center else size
    return out[..., start:end]


def _overlap(weights: Tensor, spots: Any, size: int) -> Tensor:
    squares = shaping.broadcast_to(ew.square(weights), shape=spots.shape)
    return indexing.scatter_along(squares, spots, axis=0, shape=(size,))
