"""Ops that move elements without changing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core.assembling import cast, cast_discrete, stack
from gradtape.core.batching import align, batched, plus_one, rewriting, with_axis, with_first, with_size, with_whole
from gradtape.core.cotangents import broadcast_to, concat, sum_to
from gradtape.core.kinds import discrete, linear

__all__ = ["broadcast_to", "cast", "cast_discrete", "concat", "stack", "sum_to"]


@batched(rewriting(shape=with_size))
@linear(x=lambda ct, x_shape, *, shape: reshape(ct, shape=x_shape))
def reshape(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    """The same elements in row-major order, in another shape."""
    return x.reshape(shape)


def _inverse(perm: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


@batched(rewriting(perm=with_axis))
@linear(x=lambda ct, *, perm: transpose(ct, perm=_inverse(perm)))
def transpose(xp: Any, x: Any, *, perm: tuple[int, ...]) -> Any:
    """Axis i of the result is axis perm[i] of x."""
    return xp.transpose(x, perm)


@batched(align)
@linear(x=lambda ct: mT(ct))
def mT(xp: Any, x: Any) -> Any:
    """Swap the last two axes."""
    return x.mT


@batched(align)
@linear(x=1)
def identity(xp: Any, x: Any) -> Any:
    """x itself."""
    return x


def _untiled(ct: Any, x_shape: tuple[int, ...], *, multiples: tuple[int, ...]) -> Any:
    folded = [n for pair in zip(multiples, x_shape, strict=True) for n in pair]
    return sum_to(reshape(ct, shape=tuple(folded)), shape=tuple(1 if i % 2 == 0 else n for i, n in enumerate(folded)))


def _tile_vjp(ct: Any, x_shape: tuple[int, ...], *, multiples: tuple[int, ...]) -> Any:
    return reshape(_untiled(ct, x_shape, multiples=multiples), shape=x_shape)


@batched(rewriting(multiples=with_first(1)))
@linear(x=_tile_vjp)
def tile(xp: Any, x: Any, *, multiples: tuple[int, ...]) -> Any:
    """Repeat the whole multiples[i] times along axis i."""
    return xp.tile(x, multiples)


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, x_shape, *, counts, axis: _segment_sums(ct, counts, axis))
def repeat(xp: Any, x: Any, *, counts: tuple[int, ...], axis: int) -> Any:
    """Repeat the i-th slice along an axis counts[i] times in a row."""
    return xp.repeat(x, counts, axis=axis)


def _segment_sums(ct: Any, counts: tuple[int, ...], axis: int) -> Any:
    return segment_sums(ct, counts=counts, axis=axis)


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, *, counts, axis: repeat(ct, counts=counts, axis=axis))
def segment_sums(xp: Any, x: Any, *, counts: tuple[int, ...], axis: int) -> Any:
    """Sums of counts[0], counts[1], ... slices in a row along an axis: the transpose of `repeat`."""
    moved = xp.moveaxis(x, axis, 0)
    out = xp.zeros((len(counts), *moved.shape[1:]), dtype=x.dtype)
    filled = xp.flatnonzero(counts)
    if filled.size:
        starts = xp.cumsum(xp.asarray(counts)) - xp.asarray(counts)
        out[filled] = xp.add.reduceat(moved, starts[filled], axis=0)
    return xp.moveaxis(out, 0, axis)


Paddings = tuple[tuple[int, int], ...]


@batched(rewriting(paddings=with_first((0, 0))))
@linear(x=lambda ct, x_shape, *, paddings: _unpadded(ct, x_shape, paddings))
def pad(xp: Any, x: Any, *, paddings: Paddings) -> Any:
    """Put zeros before and after, along each axis."""
    out = xp.zeros([n + b + a for n, (b, a) in zip(x.shape, paddings, strict=True)], dtype=x.dtype)
    if x.dtype.char == "O":
        out.fill(b"")
    out[tuple([slice(b, b + n) for n, (b, _) in zip(x.shape, paddings, strict=True)])] = x
    return out


def _unpadded(ct: Any, x_shape: tuple[int, ...], paddings: Paddings) -> Any:
    return slice_nd(ct, begin=tuple(b for b, _ in paddings), size=x_shape)


@batched(rewriting(begin=with_first(0), size=with_size))
@linear(x=lambda ct, x_shape, *, begin, size: _embedded(ct, x_shape, begin, size))
def slice_nd(xp: Any, x: Any, *, begin: tuple[int, ...], size: tuple[int, ...]) -> Any:
    """The block of the given size that starts at `begin`."""
    return x[tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))]


def _embedded(ct: Any, x_shape: tuple[int, ...], begin: tuple[int, ...], size: tuple[int, ...]) -> Any:
    return pad(ct, paddings=tuple((b, n - b - s) for n, b, s in zip(x_shape, begin, size, strict=True)))


@batched(rewriting(widths=with_first((0, 0))))
@linear(x=lambda ct, x_shape, *, mode, widths: _unmirrored(ct, x_shape, widths, mode))
def mirror_pad(xp: Any, x: Any, *, widths: Paddings, mode: str) -> Any:
    """Pad with reflections, without ("reflect") or with ("symmetric") the border repeated."""
    return xp.pad(x, widths, mode=mode)


def _unmirrored(ct: Any, x_shape: tuple[int, ...], widths: Paddings, mode: str) -> Any:
    return mirror_sums(ct, widths=widths, mode=mode, shape=x_shape)


@batched(rewriting(widths=with_first((0, 0)), shape=with_size))
@linear(x=lambda ct, *, widths, mode, shape: mirror_pad(ct, widths=widths, mode=mode))
def mirror_sums(xp: Any, x: Any, *, widths: Paddings, mode: str, shape: tuple[int, ...]) -> Any:
    """Add each reflected element back to where it came from: the transpose of `mirror_pad`."""
    for axis, (width, n) in enumerate(zip(widths, shape, strict=True)):
        origin = xp.pad(xp.arange(n), width, mode=mode)
        moved = xp.moveaxis(x, axis, 0)
        out = xp.zeros((n, *moved.shape[1:]), dtype=x.dtype)
        xp.add.at(out, origin, moved)
        x = xp.moveaxis(out, 0, axis)
    return x


@batched(rewriting(axes=plus_one))
@linear(x=lambda ct, *, axes: flip(ct, axes=axes))
def flip(xp: Any, x: Any, *, axes: tuple[int, ...]) -> Any:
    """Reverse the order along the axes."""
    return xp.flip(x, axes)


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, *, shift, axis: roll(ct, shift=tuple(-s for s in shift), axis=axis))
def roll(xp: Any, x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    """Shift along the axes; what leaves at one end comes back at the other."""
    return xp.roll(x, shift, axis)


def _split_vjp(cts: Any, x_shape: tuple[int, ...], x_dtype: Any, *, sizes: tuple[int, ...], axis: int) -> Any:
    parts = [
        np.zeros((*x_shape[:axis], n, *x_shape[axis + 1 :]), dtype=x_dtype) if ct is None else ct
        for ct, n in zip(cts, sizes, strict=True)
    ]
    return concat(*parts, axis=axis)


@batched(rewriting(axis=plus_one))
@linear(x=_split_vjp)
def split(xp: Any, x: Any, *, sizes: tuple[int, ...], axis: int) -> Any:
    """Parts of these sizes along an axis."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    return tuple(xp.split(x, ends, axis=axis))


def _unstack_vjp(cts: tuple[Any, ...], x_shape: tuple[int, ...], x_dtype: Any, *, axis: int) -> Any:
    zero = np.zeros((*x_shape[:axis], *x_shape[axis + 1 :]), dtype=x_dtype)
    return stack(*[zero if ct is None else ct for ct in cts], axis=axis)


@batched(rewriting(axis=plus_one))
@linear(x=_unstack_vjp)
def unstack(xp: Any, x: Any, *, axis: int) -> Any:
    """The slices along an axis, without it."""
    return tuple(xp.moveaxis(x, axis, 0))


@batched(rewriting(key=with_whole))
@linear(x=lambda ct, x_shape, x_dtype, *, key: put_zeros(ct, key=key, shape=x_shape))
def getitem(xp: Any, x: Any, *, key: Any) -> Any:
    """Basic indexing: integers, slices, new axes, an ellipsis."""
    return x[key]


@batched(rewriting(key=with_whole, shape=with_size))
@linear(x=lambda ct, *, key, shape: getitem(ct, key=key))
def put_zeros(xp: Any, x: Any, *, key: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape`, with x at a basic index: the transpose of `getitem`."""
    out = xp.zeros(shape, dtype=x.dtype)
    out[key] = x
    return out


@batched(align)
@discrete
def bitcast(xp: Any, x: Any, *, dtype: Any) -> Any:
    """The same bytes as another dtype, as TensorFlow's bitcast shapes them."""
    here, there = x.dtype.itemsize, dtype.itemsize
    if here == there:
        return xp.asarray(x).view(dtype)
    if here > there:
        return xp.ascontiguousarray(x).reshape(*x.shape, 1).view(dtype)
    return xp.ascontiguousarray(x).view(dtype).reshape(x.shape[:-1])


# A triangle or band of the last two axes.


@batched(align)
@linear(x=lambda ct, *, lower, upper: band_part(ct, lower=lower, upper=upper))
def band_part(xp: Any, x: Any, *, lower: int, upper: int) -> Any:
    """Keep the diagonals from `lower` below to `upper` above the main one (negative: all), zero elsewhere."""
    i, j = xp.arange(x.shape[-2])[:, None], xp.arange(x.shape[-1])
    keep = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
    return xp.where(keep, x, xp.zeros((), x.dtype))


@batched(align)
@linear(x=lambda ct, x_shape: diag(ct, shape=x_shape))
def diag_part(xp: Any, x: Any) -> Any:
    """The main diagonal of the last two axes."""
    return xp.diagonal(x, axis1=-2, axis2=-1)


@batched(rewriting(shape=with_size))
@linear(x=lambda ct: diag_part(ct))
def diag(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with x on the main diagonal of the last two axes."""
    out = xp.zeros(shape, dtype=x.dtype)
    n = min(shape[-2:])
    out[..., xp.arange(n), xp.arange(n)] = x
    return out
