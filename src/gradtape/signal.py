"""`tf.signal`: Fourier and cosine transforms, frames, spectrograms and windows."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from math import pi, prod
from typing import Any

import numpy as np

from gradtape._axes import of_kind, whole
from gradtape.base.dtypes import DType, as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_integers, to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import fourier, shaping
from gradtape.ops.elementwise import make_complex, real
from gradtape.ops.fourier import COMPLEX
from gradtape.ops.selection import zeros_like

# Fourier transforms.


def _complex(input: Any, name: str, op: str) -> Tensor:
    return of_kind(to_tensor(input, None, name), "c", op)


def _real(input: Any, name: str, op: str) -> Tensor:
    found = of_kind(to_tensor(input, None, name), "f", op)
    if found._value.dtype not in COMPLEX:
        raise invalid(f"{op}: {name} must be float32 or float64, got {found.dtype.name} [Op:{op}]")
    return found


def _last(x: Tensor, count: int, op: str) -> tuple[int, ...]:
    rank = x._value.ndim
    if rank < count:
        raise invalid(f"Input must have rank at least {count} but got: {list(x._value.shape)} [Op:{op}]")
    return tuple(range(rank - count, rank))


def _fitted(x: Tensor, axes: tuple[int, ...], sizes: tuple[int, ...]) -> Tensor:
    """x cut, or filled up with zeros, to these sizes along the axes."""
    shape = list(x._value.shape)
    wanted = dict(zip(axes, sizes, strict=True))
    kept = tuple([min(n, wanted.get(i, n)) for i, n in enumerate(shape)])
    if kept != tuple(shape):
        x = shaping.slice_nd(x, begin=(0,) * len(shape), size=kept)
    missing = tuple([(0, wanted.get(i, n) - n) for i, n in enumerate(kept)])
    return shaping.pad(x, paddings=missing) if any(after for _, after in missing) else x


def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last axis, `sum(x[n] exp(-2 pi i n k / N))`.

    Raises:
        InvalidArgumentError: unless `input` is complex and has an axis.

    >>> import gradtape as tf
    >>> tf.signal.fft(tf.constant([1.0, 0.0], tf.complex64)).numpy()
    array([1.+0.j, 1.+0.j], dtype=complex64)
    """
    x = _complex(input, "input", "FFT")
    return fourier.fft(x, axes=_last(x, 1, "FFT"))


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft`, over the last axis.

    >>> import gradtape as tf
    >>> tf.signal.ifft(tf.constant([1.0, 1.0], tf.complex64)).numpy()
    array([1.+0.j, 0.+0.j], dtype=complex64)
    """
    x = _complex(input, "input", "IFFT")
    return fourier.ifft(x, axes=_last(x, 1, "IFFT"))


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """`fft` over the last two axes."""
    x = _complex(input, "input", "FFT2D")
    return fourier.fft(x, axes=_last(x, 2, "FFT2D"))


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """`ifft` over the last two axes."""
    x = _complex(input, "input", "IFFT2D")
    return fourier.ifft(x, axes=_last(x, 2, "IFFT2D"))


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """`fft` over the last three axes."""
    x = _complex(input, "input", "FFT3D")
    return fourier.fft(x, axes=_last(x, 3, "FFT3D"))


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """`ifft` over the last three axes."""
    x = _complex(input, "input", "IFFT3D")
    return fourier.ifft(x, axes=_last(x, 3, "IFFT3D"))


def _lengths(fft_length: Any, default: tuple[int, ...], op: str) -> tuple[int, ...]:
    if fft_length is None:
        return default
    sizes = to_integers(fft_length, "fft_length")
    if len(sizes) != len(default):
        raise invalid(f"fft_length must have shape [{len(default)}], got {list(sizes)} [Op:{op}]")
    if min(sizes) < 1:
        raise invalid(f"fft_length must be positive, got {list(sizes)} [Op:{op}]")
    return sizes


def _rfft(input: Any, fft_length: Any, count: int, op: str) -> Tensor:
    x = _real(input, "input_tensor", op)
    axes = _last(x, count, op)
    sizes = _lengths(fft_length, x._value.shape[-count:], op)
    return fourier.rfftn(_fitted(x, axes, sizes), axes=axes)


def _irfft(input: Any, fft_length: Any, count: int, op: str) -> Tensor:
    x = _complex(input, "input_tensor", op)
    axes = _last(x, count, op)
    shape = x._value.shape[-count:]
    sizes = _lengths(fft_length, (*shape[:-1], max(0, 2 * (shape[-1] - 1))), op)
    return fourier.irfftn(_fitted(x, axes, (*sizes[:-1], sizes[-1] // 2 + 1)), axes=axes, size=sizes[-1])


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`fft` of real rows: the `fft_length // 2 + 1` frequencies that are not negative.

    Args:
        input_tensor: float32 or float64, of rank 1 or more.
        fft_length: a vector with the length to which the rows are cut or filled up with zeros.

    Raises:
        InvalidArgumentError: if a dtype, rank or length does not fit.

    >>> import gradtape as tf
    >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _rfft(input_tensor, fft_length, 1, "RFFT")


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft`: real rows of `fft_length`, by default `2 (n - 1)` for n frequencies.

    >>> import gradtape as tf
    >>> tf.signal.irfft(tf.constant([1.0, 1.0, 1.0], tf.complex64)).numpy()
    array([1., 0., 0., 0.], dtype=float32)
    """
    return _irfft(input_tensor, fft_length, 1, "IRFFT")


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`rfft` over the last two axes; the last one keeps the frequencies that are not negative."""
    return _rfft(input_tensor, fft_length, 2, "RFFT2D")


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d`."""
    return _irfft(input_tensor, fft_length, 2, "IRFFT2D")


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`rfft` over the last three axes; the last one keeps the frequencies that are not negative."""
    return _rfft(input_tensor, fft_length, 3, "RFFT3D")


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d`."""
    return _irfft(input_tensor, fft_length, 3, "IRFFT3D")


def _chosen(x: Tensor, axes: Any, op: str) -> tuple[int, ...]:
    rank = x._value.ndim
    given = tuple(range(rank)) if axes is None else to_integers(axes, "axes")
    if any(not -rank <= a < rank for a in given) or len({a % rank for a in given}) < len(given):
        raise invalid(f"axes: expected different axes in [{-rank}, {rank}), got {list(given)} [Op:{op}]")
    return tuple([a % rank for a in given])


def _scaled(x: Tensor, norm: Any, count: int, inverse: bool) -> Tensor:
    """The factor of a norm, on top of that of `norm=None`."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Invalid norm: {norm!r}. norm must be None, 'backward', 'ortho' or 'forward'.")
    power = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}[norm]
    return x if not power else x * float(count) ** (power if inverse else -power)


def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """`fft` over several axes, all unless given, cut or filled up to `fft_length` first.

    Raises:
        ValueError: for a `norm` that is not None, "backward", "ortho" or "forward".
        InvalidArgumentError: if an axis or length does not fit.
    """
    x = _complex(input_tensor, "input_tensor", "FFTND")
    at = _chosen(x, axes, "FFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "FFTND")
    return _scaled(fourier.fft(_fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=False)


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `fftnd`."""
    x = _complex(input_tensor, "input_tensor", "IFFTND")
    at = _chosen(x, axes, "IFFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "IFFTND")
    return _scaled(fourier.ifft(_fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=True)


def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """`fftnd` of real input; the last of the axes keeps the frequencies that are not negative."""
    x = _real(input_tensor, "input_tensor", "RFFTND")
    at = _chosen(x, axes, "RFFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "RFFTND")
    return _scaled(fourier.rfftn(_fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=False)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfftnd`."""
    x = _complex(input_tensor, "input_tensor", "IRFFTND")
    at = _chosen(x, axes, "IRFFTND")
    shape = [x._value.shape[a] for a in at]
    sizes = _lengths(fft_length, (*shape[:-1], 2 * (shape[-1] - 1)), "IRFFTND")
    made = fourier.irfftn(_fitted(x, at, (*sizes[:-1], sizes[-1] // 2 + 1)), axes=at, size=sizes[-1])
    return _scaled(made, norm, prod(sizes), inverse=True)


def _shifted(x: Any, axes: Any, sign: int, op: str) -> Tensor:
    found = to_tensor(x, None, "x")
    at = _chosen(found, None if axes is None else np.ravel(axes), op)
    sizes = [found._value.shape[a] for a in at]
    return shaping.roll(found, shift=tuple([n // 2 if sign > 0 else -(n // 2) for n in sizes]), axis=at)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Move the frequency zero to the middle of the axes, all unless given.

    >>> import gradtape as tf
    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    return _shifted(x, axes, 1, "fftshift")


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, -1, "ifftshift")


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


def _window_dtype(dtype: Any) -> DType:
    found: DType = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {found!r}")
    return found


def _window(values: Any, dtype: DType) -> Tensor:
    return wrap(np.asarray(values).astype(dtype.numpy_dtype))


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Tensor:
    kind, [length] = _window_dtype(dtype), to_integers(window_length, "window_length")
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
    kind, [length] = _window_dtype(dtype), to_integers(window_length, "window_length")
    return _window(np.sin(pi / 2 * np.sin(pi / length * (np.arange(length) + 0.5)) ** 2), kind)


def _kaiser(length: int, beta: float) -> Any:
    if length == 1:
        return np.ones(1)
    half = (length - 1) / 2
    return np.i0(beta * np.sqrt(np.maximum(0, 1 - ((np.arange(length) - half) / half) ** 2))) / np.i0(beta)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The window `I0(beta sqrt(1 - x^2)) / I0(beta)` for x from -1 to 1."""
    kind, [length] = _window_dtype(dtype), to_integers(window_length, "window_length")
    return _window(_kaiser(length, float(beta)), kind)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """The square roots of the running sums of a Kaiser window, and their mirror image: the squares overlap to one."""
    kind, [length] = _window_dtype(dtype), to_integers(window_length, "window_length")
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
    x = _real(signals, "signals", "stft")
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
    x = _complex(stfts, "stfts", "inverse_stft")
    [length] = to_integers(frame_length, "frame_length")
    size = _enclosing_power_of_two(length) if fft_length is None else to_integers(fft_length, "fft_length")[0]
    pieces = irfft(x, [size])
    pieces = _fitted(pieces, (pieces._value.ndim - 1,), (length,))
    if window_fn is not None:
        pieces = pieces * window_fn(length, dtype=pieces.dtype)
    return overlap_and_add(pieces, frame_step)


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
    x = _real(input, "input", "dct")
    _last(x, 1, "dct")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if (x._value.shape[-1] if n is None else n) < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    return x if n is None else _fitted(x, (x._value.ndim - 1,), (n,))


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
    x = _real(signals, "signals", "mdct")
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
    x = _real(mdcts, "mdcts", "inverse_mdct")
    half = x._value.shape[-1]
    rows = dct(x, 4, norm="ortho") if norm == "ortho" else dct(x, 4, norm=norm) * (0.5 / half)
    a, b = rows[..., : half // 2], rows[..., half // 2 :]
    pieces = shaping.concat(b, -b[..., ::-1], -a[..., ::-1], -a, axis=rows._value.ndim - 1)
    scale = window_fn(2 * half, dtype=x.dtype) if window_fn is not None else 1 / math.sqrt(2)
    return overlap_and_add(pieces * scale, half)


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
    kind = _window_dtype(dtype)
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


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: the `dct` of type 2, scaled as the HTK toolkit does.

    Raises:
        ValueError: if there are no mel bins.
    """
    x = _real(log_mel_spectrograms, "log_mel_spectrograms", "mfccs_from_log_mel_spectrograms")
    bins = _last(x, 1, "mfccs_from_log_mel_spectrograms") and x._value.shape[-1]
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
