"""Discrete Fourier transforms, frames of signals, and their transposes.

The matrix of a discrete Fourier transform is symmetric, so that a complex transform is its own transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.batching import align, batched, plus_one, rewriting
from gradtape.core.kinds import linear
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import real
from gradtape.ops.shaping import cast, getitem, pad, slice_nd

Axes = tuple[int, ...]
COMPLEX = {np.dtype(r): np.dtype(c) for r, c in (("f4", "c8"), ("f8", "c16"))}
REAL = {c: r for r, c in COMPLEX.items()}


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


def _rfftn_vjp(ct: Any, x_shape: Axes, *, axes: Axes) -> Any:
    last = axes[-1]
    missing = x_shape[last] - shape_of(ct)[last]
    whole = pad(ct, paddings=tuple([(0, missing if i == last else 0) for i in range(len(x_shape))]))
    return real(fft(whole, axes=axes))


@batched(rewriting(axes=plus_one))
@linear(x=_rfftn_vjp)
def rfftn(xp: Any, x: Any, *, axes: Axes) -> Any:
    """`fft` of real x, of which the last axis keeps the N // 2 + 1 frequencies that are not negative."""
    return xp.fft.rfftn(x, axes=axes).astype(COMPLEX[x.dtype], copy=False)


def _irfftn_vjp(ct: Any, x_dtype: Any, *, axes: Axes, size: int) -> Any:
    """Every frequency counts twice, for the negative one too, but those that are their own negative."""
    last, half = axes[-1], size // 2 + 1
    spectrum = ifft(cast(ct, dtype=x_dtype), axes=axes)
    twice = np.full(half, 2, dtype=REAL[x_dtype])
    twice[0] = 1
    if size % 2 == 0:
        twice[-1] = 1
    kept = getitem(spectrum, key=(*(slice(None),) * last, slice(half)))
    return kept * twice.reshape(-1, *[1] * (len(shape_of(ct)) - 1 - last)).astype(x_dtype)


@batched(rewriting(axes=plus_one))
@linear(x=_irfftn_vjp)
def irfftn(xp: Any, x: Any, *, axes: Axes, size: int) -> Any:
    """The inverse `fft` of a spectrum whose negative frequencies mirror the others: real, `size` in the last axis."""
    sizes = [*[x.shape[a] for a in axes[:-1]], size]
    return xp.fft.irfftn(x, s=sizes, axes=axes).astype(REAL[x.dtype], copy=False)


def rfft(x: Any, size: int) -> Any:
    """The first half of the transform of real rows, cut or filled up with zeros to `size`; the rest mirrors it."""
    return rfftn(_sized(x, size), axes=(len(shape_of(x)) - 1,))


def irfft(x: Any, size: int) -> Any:
    """The real rows of length `size` of which these are the first halves of the transforms."""
    return irfftn(_sized(x, size // 2 + 1), axes=(len(shape_of(x)) - 1,), size=size)


def _cut(x: Any, size: int) -> Any:
    shape = shape_of(x)
    return slice_nd(x, begin=(0,) * len(shape), size=(*shape[:-1], size))


def _sized(x: Any, size: int) -> Any:
    """Rows cut or filled up with zeros."""
    shape = shape_of(x)
    if size <= shape[-1]:
        return _cut(x, size) if size < shape[-1] else x
    return pad(x, paddings=(*[(0, 0)] * (len(shape) - 1), (0, size - shape[-1])))


@batched(align)
@linear(x=lambda ct, x_shape, *, length, step: overlap_add(ct, step=step, size=x_shape[-1]))
def frames(xp: Any, x: Any, *, length: int, step: int) -> Any:
    """Pieces of the last axis, one every `step` elements: `[..., pieces, length]`. A rest is left out."""
    if x.shape[-1] < length:
        return xp.zeros((*x.shape[:-1], 0, length), dtype=x.dtype)
    return xp.lib.stride_tricks.sliding_window_view(x, length, axis=-1)[..., ::step, :].copy()


@batched(align)
@linear(x=lambda ct, x_shape, *, step, size: frames_of(ct, step=step, shape=x_shape[-2:]))
def overlap_add(xp: Any, x: Any, *, step: int, size: int) -> Any:
    """`[..., size]` with pieces `[..., pieces, length]` added, one every `step` elements: `frames` transposed."""
    pieces, length = x.shape[-2:]
    parts = -(-length // step)
    widened = xp.zeros((*x.shape[:-1], parts * step), dtype=x.dtype)
    widened[..., :length] = x
    blocks = widened.reshape(*x.shape[:-1], parts, step)
    total = max(pieces + parts, -(-size // step))
    out = xp.zeros((*x.shape[:-2], total, step), dtype=x.dtype)
    for k in range(parts):
        out[..., k : k + pieces, :] += blocks[..., k, :]
    return out.reshape(*x.shape[:-2], total * step)[..., :size].copy()


def frames_of(x: Any, *, step: int, shape: Axes) -> Any:
    """As many frames as `overlap_add` took."""
    pieces, length = shape
    needed = (pieces - 1) * step + length
    rank, have = len(shape_of(x)), shape_of(x)[-1]
    if have < needed:
        x = pad(x, paddings=(*[(0, 0)] * (rank - 1), (0, needed - have)))
    return getitem(frames(x, length=length, step=step), key=(..., slice(pieces), slice(None)))
