"""`tf.signal`: cosine transforms and, re-exported, Fourier transforms, frames, windows and spectrograms."""

from __future__ import annotations

import cmath
import math
from math import pi
from typing import Any

import numpy as np

from gradtape._fourier import (
    fft,
    fft2d,
    fft3d,
    fftnd,
    fftshift,
    fitted,
    ifft,
    ifft2d,
    ifft3d,
    ifftnd,
    ifftshift,
    irfft,
    irfft2d,
    irfft3d,
    irfftnd,
    last_axes,
    real_signal,
    rfft,
    rfft2d,
    rfft3d,
    rfftnd,
)
from gradtape._frames import (
    WindowFunction,
    frame,
    hamming_window,
    hann_window,
    inverse_stft,
    inverse_stft_window_fn,
    kaiser_bessel_derived_window,
    kaiser_window,
    linear_to_mel_weight_matrix,
    overlap_and_add,
    stft,
    vorbis_window,
)
from gradtape.base.dtypes import DType
from gradtape.core.convert import to_integers
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import shaping
from gradtape.ops.elementwise import make_complex, real
from gradtape.ops.fourier import COMPLEX
from gradtape.ops.selection import zeros_like

# Cosine transforms.


def _dct_arguments(input: Any, type: Any, n: Any, axis: Any, norm: Any) -> Tensor:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    x = real_signal(input, "input", "dct")
    last_axes(x, 1, "dct")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if (x._value.shape[-1] if n is None else n) < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    return x if n is None else fitted(x, (x._value.ndim - 1,), (n,))


def dct(input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: str | None = None) -> Tensor:
    """The discrete cosine transform of type 1, 2, 3 or 4 over the last axis.

    Type 2 is `2 sum(x[m] cos(pi k (2 m + 1) / (2 N)))`; "ortho" scales types 2, 3 and 4 to orthonormal matrices.

    Args:
        input: float32 or float64, of rank 1 or more.
        n: the length to which rows are cut or filled up with zeros first.
        axis: -1.

    Raises:
        NotImplementedError: for another axis.
        ValueError: for another type or norm, or a row too short for type 1.

    >>> import gradtape as tf
    >>> tf.signal.dct([1.0, 1.0]).numpy()
    array([4., 0.], dtype=float32)
    """
    x = _dct_arguments(input, type, n, axis, norm)
    size = x._value.shape[-1]
    if type == 1:
        return real(rfft(shaping.concat(x, x[..., -2:0:-1], axis=x._value.ndim - 1)))
    if type == 2:
        found = real(rfft(x, [2 * size])[..., :size] * _turns(size, -1, 2.0, x.dtype))
        return found * _ends(0.5 / math.sqrt(size), 0.5 * math.sqrt(2 / size), size, x.dtype) if norm else found
    if type == 3:
        x = x * (_ends(math.sqrt(size), math.sqrt(size / 2), size, x.dtype) if norm else float(size))
        spectrum = _turns(size, 1, 2.0, x.dtype) * make_complex(x, zeros_like(x))
        return irfft(spectrum, [2 * size])[..., :size]
    found = dct(x, 2, 2 * size)[..., 1::2]
    return found * (0.5 * math.sqrt(2 / size)) if norm else found


def _turns(size: int, sign: int, scale: float, dtype: DType) -> Tensor:
    turns = [scale * cmath.exp(sign * 0.5j * pi * k / size) for k in range(size)]
    return wrap(np.array(turns, dtype=COMPLEX[dtype.numpy_dtype]))


def _ends(first: float, others: float, size: int, dtype: DType) -> Tensor:
    weights = np.full(size, others, dtype=dtype.numpy_dtype)
    weights[0] = first
    return wrap(weights)


def idct(input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `dct` of the same type, up to a factor of `2 n` (`2 (n - 1)` for type 1) unless `norm="ortho"`.

    >>> import gradtape as tf
    >>> tf.round(tf.signal.idct(tf.signal.dct([1.0, 3.0])) / 4).numpy()
    array([1., 3.], dtype=float32)
    """
    _dct_arguments(input, type, n, axis, norm)
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm)


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: WindowFunction | None = vorbis_window,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform: frames that overlap by half, folded, and a `dct` of type 4.

    Args:
        signals: float32 or float64, `[..., samples]`.
        frame_length: a multiple of 4.

    Returns:
        `[..., frames, frame_length // 2]`.

    Raises:
        ValueError: if `frame_length` is not a multiple of 4.
    """
    x = real_signal(signals, "signals", "mdct")
    [length] = to_integers(frame_length, "frame_length")
    if length % 4:
        raise ValueError(f"The frame length must be a multiple of 4. Got: {length}")
    pieces = frame(x, length, length // 2, pad_end)
    pieces = pieces * (window_fn(length, dtype=x.dtype) if window_fn is not None else 1 / math.sqrt(2))
    quarter = length // 4
    a, b, c, d = (pieces[..., i * quarter : (i + 1) * quarter] for i in range(4))
    rows = shaping.concat(-c[..., ::-1] - d, a - b[..., ::-1], axis=pieces._value.ndim - 1)
    return dct(rows, 4, norm=norm)


def inverse_mdct(
    mdcts: Any, window_fn: WindowFunction | None = vorbis_window, norm: Any = None, name: str | None = None
) -> Tensor:
    """The inverse of `mdct`, but for the first and last half frame."""
    x = real_signal(mdcts, "mdcts", "inverse_mdct")
    half = x._value.shape[-1]
    rows = dct(x, 4, norm="ortho") if norm == "ortho" else dct(x, 4, norm=norm) * (0.5 / half)
    a, b = rows[..., : half // 2], rows[..., half // 2 :]
    pieces = shaping.concat(b, -b[..., ::-1], -a[..., ::-1], -a, axis=rows._value.ndim - 1)
    scale = window_fn(2 * half, dtype=x.dtype) if window_fn is not None else 1 / math.sqrt(2)
    return overlap_and_add(pieces * scale, half)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: the `dct` of type 2, scaled as the HTK toolkit does.

    Raises:
        ValueError: if there are no mel bins.
    """
    x = real_signal(log_mel_spectrograms, "log_mel_spectrograms", "mfccs_from_log_mel_spectrograms")
    bins = last_axes(x, 1, "mfccs_from_log_mel_spectrograms") and x._value.shape[-1]
    if not bins:
        raise ValueError(f"num_mel_bins must be positive. Got: {x._value.shape}")
    return dct(x) * (1 / math.sqrt(2 * bins))


__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]
