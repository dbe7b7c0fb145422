"""The Fourier transforms of `tf.signal`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradtape._axes import of_kind
from gradtape.base.errors import invalid
from gradtape.core.convert import to_integers, to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import fourier, shaping
from gradtape.ops.fourier import COMPLEX


def complex_signal(input: Any, name: str, op: str) -> Tensor:
    return of_kind(to_tensor(input, None, name), "c", op)


def real_signal(input: Any, name: str, op: str) -> Tensor:
    found = of_kind(to_tensor(input, None, name), "f", op)
    if found._value.dtype not in COMPLEX:
        raise invalid(f"{op}: {name} must be float32 or float64, got {found.dtype.name} [Op:{op}]")
    return found


def last_axes(x: Tensor, count: int, op: str) -> tuple[int, ...]:
    rank = x._value.ndim
    if rank < count:
        raise invalid(f"Input must have rank at least {count} but got: {list(x._value.shape)} [Op:{op}]")
    return tuple(range(rank - count, rank))


def fitted(x: Tensor, axes: tuple[int, ...], sizes: tuple[int, ...]) -> Tensor:
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
    x = complex_signal(input, "input", "FFT")
    return fourier.fft(x, axes=last_axes(x, 1, "FFT"))


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft`, over the last axis.

    >>> import gradtape as tf
    >>> tf.signal.ifft(tf.constant([1.0, 1.0], tf.complex64)).numpy()
    array([1.+0.j, 0.+0.j], dtype=complex64)
    """
    x = complex_signal(input, "input", "IFFT")
    return fourier.ifft(x, axes=last_axes(x, 1, "IFFT"))


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """`fft` over the last two axes."""
    x = complex_signal(input, "input", "FFT2D")
    return fourier.fft(x, axes=last_axes(x, 2, "FFT2D"))


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """`ifft` over the last two axes."""
    x = complex_signal(input, "input", "IFFT2D")
    return fourier.ifft(x, axes=last_axes(x, 2, "IFFT2D"))


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """`fft` over the last three axes."""
    x = complex_signal(input, "input", "FFT3D")
    return fourier.fft(x, axes=last_axes(x, 3, "FFT3D"))


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """`ifft` over the last three axes."""
    x = complex_signal(input, "input", "IFFT3D")
    return fourier.ifft(x, axes=last_axes(x, 3, "IFFT3D"))


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
    x = real_signal(input, "input_tensor", op)
    axes = last_axes(x, count, op)
    sizes = _lengths(fft_length, x._value.shape[-count:], op)
    return fourier.rfftn(fitted(x, axes, sizes), axes=axes)


def _irfft(input: Any, fft_length: Any, count: int, op: str) -> Tensor:
    x = complex_signal(input, "input_tensor", op)
    axes = last_axes(x, count, op)
    shape = x._value.shape[-count:]
    sizes = _lengths(fft_length, (*shape[:-1], max(0, 2 * (shape[-1] - 1))), op)
    return fourier.irfftn(fitted(x, axes, (*sizes[:-1], sizes[-1] // 2 + 1)), axes=axes, size=sizes[-1])


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
    x = complex_signal(input_tensor, "input_tensor", "FFTND")
    at = _chosen(x, axes, "FFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "FFTND")
    return _scaled(fourier.fft(fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=False)


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `fftnd`."""
    x = complex_signal(input_tensor, "input_tensor", "IFFTND")
    at = _chosen(x, axes, "IFFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "IFFTND")
    return _scaled(fourier.ifft(fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=True)


def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """`fftnd` of real input; the last of the axes keeps the frequencies that are not negative."""
    x = real_signal(input_tensor, "input_tensor", "RFFTND")
    at = _chosen(x, axes, "RFFTND")
    sizes = _lengths(fft_length, tuple([x._value.shape[a] for a in at]), "RFFTND")
    return _scaled(fourier.rfftn(fitted(x, at, sizes), axes=at), norm, prod(sizes), inverse=False)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfftnd`."""
    x = complex_signal(input_tensor, "input_tensor", "IRFFTND")
    at = _chosen(x, axes, "IRFFTND")
    shape = [x._value.shape[a] for a in at]
    sizes = _lengths(fft_length, (*shape[:-1], 2 * (shape[-1] - 1)), "IRFFTND")
    made = fourier.irfftn(fitted(x, at, (*sizes[:-1], sizes[-1] // 2 + 1)), axes=at, size=sizes[-1])
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
