"""The frames, windows and spectrograms of `tf.signal`."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from gradtape._axes import whole
from gradtape._fourier import complex_signal, fitted, irfft, real_signal, rfft
from gradtape.base.dtypes import DType, as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_integers, to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import fourier, shaping

# Frames.


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Pieces of `frame_length` elements of an axis, one every `frame_step`: that axis becomes `[pieces, frame_length]`.

    Args:
        pad_end: whether to fill up the end with `pad_value`, so that every element begins or is in a piece.

    Raises:
        InvalidArgumentError: if a length is not positive or the axis does not exist.

    >>> import gradtape as tf
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """
    x = to_tensor(signal, None, "signal")
    [length], [step] = to_integers(frame_length, "frame_length"), to_integers(frame_step, "frame_step")
    rank = x._value.ndim
    if length < 1 or step < 1:
        raise invalid(f"frame: frame_length and frame_step must be positive, got {length} and {step}")
    if not -rank <= axis < rank:
        raise invalid(f"frame: axis {axis} is not in [{-rank}, {rank})")
    at = axis % rank
    order = (*[i for i in range(rank) if i != at], at)
    moved = shaping.transpose(x, perm=order) if at != rank - 1 else x
    size = moved._value.shape[-1]
    if pad_end:
        pieces = -(-size // step)
        more = max(0, length + step * (pieces - 1) - size)
        filling = to_tensor(pad_value, x.dtype, "pad_value")
        block = shaping.broadcast_to(filling, shape=(*moved._value.shape[:-1], more))
        moved = shaping.concat(moved, block, axis=rank - 1)
    made = fourier.frames(moved, length=length, step=step)
    if pad_end and made._value.shape[-2] > pieces:
        made = shaping.getitem(made, key=(..., slice(pieces), slice(None)))
    if at == rank - 1:
        return made
    back = (*range(at), rank - 1, rank, *range(at, rank - 1))
    return shaping.transpose(made, perm=back)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Put frames `[..., frames, frame_length]` back at every `frame_step`, and add where they overlap.

    Raises:
        ValueError: if the rank is below 2.
        InvalidArgumentError: if the step is not positive.

    >>> import gradtape as tf
    >>> tf.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2).numpy()
    array([1, 1, 2, 1, 1], dtype=int32)
    """
    x = to_tensor(signal, None, "signal")
    [step] = to_integers(frame_step, "frame_step")
    if x._value.ndim < 2:
        raise ValueError(f"overlap_and_add: signal must have rank 2 or more, got shape {x._value.shape}")
    if step < 1:
        raise invalid(f"overlap_and_add: frame_step must be positive, got {step}")
    pieces, length = x._value.shape[-2:]
    return fourier.overlap_add(x, step=step, size=(pieces - 1) * step + length if pieces else 0)


# Windows.


def window_dtype(dtype: Any) -> DType:
    found: DType = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {found!r}")
    return found


def _window(values: Any, dtype: DType) -> Tensor:
    return wrap(np.asarray(values).astype(dtype.numpy_dtype))


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Tensor:
    kind, [length] = window_dtype(dtype), to_integers(window_length, "window_length")
    if length == 1:
        return _window(np.ones(1), kind)
    even = 1 - length % 2
    n = length + (even if periodic else 0) - 1
    return _window(a - b * np.cos(2 * pi * np.arange(length) / n), kind)


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window `0.5 - 0.5 cos(2 pi n / N)`; `periodic` ones of even length leave out their last element.

    >>> import gradtape as tf
    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window `0.54 - 0.46 cos(2 pi n / N)`, as `hann_window`."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window `sin(pi / 2 sin(pi (n + 1/2) / N)^2)`, whose squares overlap to one."""
    kind, [length] = window_dtype(dtype), to_integers(window_length, "window_length")
    return _window(np.sin(pi / 2 * np.sin(pi / length * (np.arange(length) + 0.5)) ** 2), kind)


def _kaiser(length: int, beta: float) -> Any:
    if length == 1:
        return np.ones(1)
    half = (length - 1) / 2
    return np.i0(beta * np.sqrt(np.maximum(0, 1 - ((np.arange(length) - half) / half) ** 2))) / np.i0(beta)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window `I0(beta sqrt(1 - x^2)) / I0(beta)` for x from -1 to 1."""
    kind, [length] = window_dtype(dtype), to_integers(window_length, "window_length")
    return _window(_kaiser(length, float(beta)), kind)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """The square roots of the running sums of a Kaiser window, and their mirror image: the squares overlap to one."""
    kind, [length] = window_dtype(dtype), to_integers(window_length, "window_length")
    sums = np.cumsum(_kaiser(length // 2 + 1, float(beta)))
    half = np.sqrt(sums[:-1] / sums[-1])
    return _window(np.concatenate([half, half[::-1]]), kind)


# Spectrograms.

WindowFunction = Callable[..., Any]


def _enclosing_power_of_two(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: `rfft` of windowed frames.

    Args:
        signals: float32 or float64, `[..., samples]`.
        fft_length: the length of the transforms, by default the smallest power of two that encloses a frame.
        window_fn: called with `frame_length` and `dtype=`, it gives the window; None means none.

    Returns:
        complex, `[..., frames, fft_length // 2 + 1]`.

    >>> import gradtape as tf
    >>> tf.signal.stft(tf.ones([8]), 4, 2).shape
    TensorShape([3, 3])
    """
    x = real_signal(signals, "signals", "stft")
    [length] = to_integers(frame_length, "frame_length")
    size = _enclosing_power_of_two(length) if fft_length is None else to_integers(fft_length, "fft_length")[0]
    pieces = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        pieces = pieces * window_fn(length, dtype=x.dtype)
    return rfft(pieces, [size])


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: WindowFunction = hann_window, name: str | None = None
) -> WindowFunction:
    """The window for `inverse_stft` that undoes `forward_window_fn` where frames overlap.

    From Griffin and Lim, "Signal Estimation from Modified Short-Time Fourier Transform" (1984), equation 7.
    """
    [step] = to_integers(frame_step, "frame_step")

    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any = float32) -> Tensor:
        [length] = to_integers(frame_length, "frame_length")
        window = to_tensor(forward_window_fn(length, dtype=dtype))
        overlaps = -(-length // step)
        squares = np.zeros(overlaps * step, window._value.dtype)
        squares[:length] = np.square(window._value)
        sums = np.tile(squares.reshape(overlaps, step).sum(axis=0), overlaps)
        return window / wrap(sums[:length])

    return inverse_stft_window_fn_inner


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Signals from their short-time Fourier transforms: `irfft`, window, and `overlap_and_add`.

    With `window_fn=inverse_stft_window_fn(frame_step, forward_window_fn)` it is the inverse of `stft`.
    """
    x = complex_signal(stfts, "stfts", "inverse_stft")
    [length] = to_integers(frame_length, "frame_length")
    size = _enclosing_power_of_two(length) if fft_length is None else to_integers(fft_length, "fft_length")[0]
    pieces = irfft(x, [size])
    pieces = fitted(pieces, (pieces._value.ndim - 1,), (length,))
    if window_fn is not None:
        pieces = pieces * window_fn(length, dtype=pieces.dtype)
    return overlap_and_add(pieces, frame_step)


# Mel scale.


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log(1.0 + np.asarray(hertz) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """A matrix `[num_spectrogram_bins, num_mel_bins]` that sums spectrograms in triangular bands of the mel scale.

    Raises:
        ValueError: if a number is not positive or the edges are not in order below half of the sample rate.
    """
    kind = window_dtype(dtype)
    bands, bins, rate = whole(num_mel_bins, "num_mel_bins"), num_spectrogram_bins, float(to_tensor(sample_rate))
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if lower_edge_hertz < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}")
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if upper_edge_hertz > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got {upper_edge_hertz} "
            f"for sample_rate: {sample_rate}"
        )
    at = _mel(np.linspace(0.0, rate / 2, whole(bins, "num_spectrogram_bins"))[1:])[:, None]
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), bands + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    weights = np.maximum(0.0, np.minimum((at - lower) / (center - lower), (upper - at) / (upper - center)))
    return _window(np.concatenate([np.zeros((1, bands)), weights]), kind)
