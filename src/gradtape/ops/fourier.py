"""The discrete Fourier transform. Its matrix is symmetric, so that it is its own transpose."""

from __future__ import annotations

from typing import Any

from gradtape.core.batching import batched, plus_one, rewriting
from gradtape.core.cotangents import conj
from gradtape.core.kinds import linear
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import make_complex, real
from gradtape.ops.selection import zeros_like
from gradtape.ops.shaping import concat, flip, pad, slice_nd

Axes = tuple[int, ...]


@batched(rewriting(axes=plus_one))
@linear(x=lambda ct, *, axes: fft(ct, axes=axes))
def fft(xp: Any, x: Any, *, axes: Axes) -> Any:
    """The Fourier transform of a complex array along axes."""
    return xp.fft.fftn(x, axes=axes).astype(x.dtype, copy=False)


@batched(rewriting(axes=plus_one))
@linear(x=lambda ct, *, axes: ifft(ct, axes=axes))
def ifft(xp: Any, x: Any, *, axes: Axes) -> Any:
    """The inverse of `fft`."""
    return xp.fft.ifftn(x, axes=axes).astype(x.dtype, copy=False)


def rfft(x: Any, size: int) -> Any:
    """The first half of the transform of real rows, cut or filled up with zeros to `size`; the rest mirrors it."""
    rows = _sized(x, size)
    axis = len(shape_of(rows)) - 1
    return _cut(fft(make_complex(rows, zeros_like(rows)), axes=(axis,)), size // 2 + 1)


def irfft(x: Any, size: int) -> Any:
    """The real rows of length `size` of which these are the first halves of the transforms."""
    half = _sized(x, size // 2 + 1)
    axis = len(shape_of(half)) - 1
    count = size - shape_of(half)[-1]
    mirrored = flip(conj(half[..., 1 : count + 1]), axes=(axis,))
    return real(ifft(concat(half, mirrored, axis=axis), axes=(axis,)))


def _cut(x: Any, size: int) -> Any:
    shape = shape_of(x)
    return slice_nd(x, begin=(0,) * len(shape), size=(*shape[:-1], size))


def _sized(x: Any, size: int) -> Any:
    """Rows cut or filled up with zeros."""
    shape = shape_of(x)
    if size <= shape[-1]:
        return _cut(x, size) if size < shape[-1] else x
    return pad(x, paddings=(*[(0, 0)] * (len(shape) - 1), (0, size - shape[-1])))
