"""Reading and writing at computed places: gather, scatter, masks, one-hot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core.batching import batched, plus_one, rewriting
from gradtape.core.cotangents import matched, together
from gradtape.core.indexed_slices import IndexedSlices, add_rows
from gradtape.core.kinds import data_shaped, discrete, linear, primitive
from gradtape.core.rules import shape_of
from gradtape.ops.selection import where
from gradtape.ops.shaping import reshape


def _rows_vjp(ct: Any, indices: Any, x_shape: tuple[int, ...]) -> IndexedSlices:
    flat = reshape(indices, shape=(-1,))
    return IndexedSlices(reshape(ct, shape=(*shape_of(flat), *x_shape[1:])), flat, x_shape)


@linear(x=_rows_vjp, indices=None)
def gather_rows(xp: Any, x: Any, indices: Any) -> Any:
    """Slices of x along its first axis; the gradient is sparse rows (`IndexedSlices`)."""
    return xp.take(x, indices, axis=0)


@linear(x=lambda ct, indices, x_shape, *, axis: scatter_along(ct, indices, axis=axis, shape=x_shape), indices=None)
def gather(xp: Any, x: Any, indices: Any, *, axis: int) -> Any:
    """Slices of x along an axis at integer positions."""
    return xp.take(x, indices, axis=axis)


@linear(x=lambda ct, indices, *, axis, shape: gather(ct, indices, axis=axis), indices=None)
def scatter_along(xp: Any, x: Any, indices: Any, *, axis: int, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with slices of x added at positions along an axis: the transpose of `gather`."""
    rank = xp.ndim(indices)
    moved = xp.moveaxis(x, tuple(range(axis, axis + rank)), tuple(range(rank)))
    rows = moved.reshape(-1, *moved.shape[rank:])
    dense = add_rows.kernel(rows, xp.reshape(indices, -1), shape=(shape[axis], *rows.shape[1:]))
    return xp.moveaxis(dense, 0, axis)


def _at(indices: Any) -> tuple[Any, ...]:
    return tuple(np.moveaxis(indices, -1, 0))


@linear(x=lambda ct, indices, x_shape: scatter_nd(ct, indices, shape=x_shape), indices=None)
def gather_nd(xp: Any, x: Any, indices: Any) -> Any:
    """Slices of x at the positions that the last axis of `indices` spells."""
    return x[_at(indices)]


@linear(x=lambda ct, indices: gather_nd(ct, indices), indices=None)
def scatter_nd(xp: Any, x: Any, indices: Any, *, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with slices of x added at the positions that the last axis of `indices` spells."""
    return _scattered(xp, x, indices, shape)


def _scattered(xp: Any, x: Any, indices: Any, shape: tuple[int, ...]) -> Any:
    """As rows: number the positions in row-major order, and sum the slices of equal ones in groups."""
    depth = indices.shape[-1]
    numbers = _numbers(xp, indices, shape[:depth])
    rows = xp.reshape(x, (len(numbers), *shape[depth:]))
    return add_rows.kernel(rows, numbers, shape=(math.prod(shape[:depth]), *shape[depth:])).reshape(shape)


def _numbers(xp: Any, indices: Any, sizes: tuple[int, ...]) -> Any:
    """The positions that the last axis spells, as numbers in row-major order; negative ones count from the end."""
    out = xp.zeros(math.prod(indices.shape[:-1]), dtype=xp.int64)
    flat = indices.reshape(len(out), len(sizes))
    for i, size in enumerate(sizes):
        out = out * size + flat[:, i] % max(size, 1)
    return out


def _cleared(ct: Any, indices: Any) -> Any:
    return nd_update(ct, indices, np.zeros((), dtype=_dtype(ct)))


def _dtype(x: Any) -> Any:
    return getattr(x, "_value", x).dtype


@linear(
    x=lambda ct, indices: _cleared(ct, indices),
    indices=None,
    updates=lambda ct, indices, updates_shape: matched(last_written(gather_nd(ct, indices), indices), updates_shape),
)
def nd_update(xp: Any, x: Any, indices: Any, updates: Any) -> Any:
    """x with slices replaced at the positions that the last axis of `indices` spells; the last of equal ones counts."""
    out = x.copy() if isinstance(x, np.ndarray) else xp.array(x)
    out[_at(indices)] = updates
    return out


@linear(x=lambda ct, indices: last_written(ct, indices), indices=None)
def last_written(xp: Any, x: Any, indices: Any) -> Any:
    """Keep the slices whose position no later slice of `indices` has; zero for the others, which were overwritten."""
    flat = indices.reshape(-1, indices.shape[-1])
    _, first_from_end = xp.unique(flat[::-1], axis=0, return_index=True)
    keep = xp.zeros(len(flat), dtype=bool)
    keep[len(flat) - 1 - first_from_end] = True
    keep = keep.reshape(*indices.shape[:-1], *[1] * (x.ndim - indices.ndim + 1))
    return xp.where(keep, x, xp.zeros((), x.dtype))


@linear(x=lambda ct: ct, indices=None, updates=lambda ct, indices: gather_nd(ct, indices))
def nd_add(xp: Any, x: Any, indices: Any, updates: Any) -> Any:
    """x with slices added at the positions that the last axis of `indices` spells; repeated ones add up."""
    return x + _scattered(xp, updates, indices, x.shape)


def _extreme_x(ct: Any, x: Any, indices: Any, updates: Any, out: Any) -> Any:
    return where(x == out, ct / winners(x, indices, updates, out), 0)


def _extreme_updates(ct: Any, x: Any, indices: Any, updates: Any, out: Any) -> Any:
    wins = updates == gather_nd(out, indices)
    return where(wins, gather_nd(ct / winners(x, indices, updates, out), indices), 0)


@discrete
def winners(xp: Any, x: Any, indices: Any, updates: Any, out: Any) -> Any:
    """How many of x and the updates are equal to the extreme at each place: they share the gradient."""
    ties = (updates == out[_at(indices)]).astype(x.dtype)
    return (x == out).astype(x.dtype) + _scattered(xp, ties, indices, x.shape)


@primitive(x=_extreme_x, indices=None, updates=_extreme_updates)
def nd_max(xp: Any, x: Any, indices: Any, updates: Any) -> Any:
    """x with the larger of itself and the updates at each position; those that are equal share the gradient."""
    out = xp.array(x)
    xp.maximum.at(out, _at(indices), updates)
    return out


@primitive(x=_extreme_x, indices=None, updates=_extreme_updates)
def nd_min(xp: Any, x: Any, indices: Any, updates: Any) -> Any:
    """x with the smaller of itself and the updates at each position; those that are equal share the gradient."""
    out = xp.array(x)
    xp.minimum.at(out, _at(indices), updates)
    return out


@data_shaped
def nonzero(xp: Any, x: Any) -> Any:
    """The positions of what is not zero, one row each, int64."""
    return xp.argwhere(x).astype(xp.int64)


@batched(together(axis=plus_one))
@linear(x=lambda ct, order, x_shape, *, axis: put_along(ct, order, axis=axis, size=x_shape[axis]), order=None)
def take_along(xp: Any, x: Any, order: Any, *, axis: int) -> Any:
    """Elements along an axis in another order, of the same length or shorter."""
    return xp.take_along_axis(x, order, axis=axis)


@batched(together(axis=plus_one))
@linear(x=lambda ct, order, *, axis, size: take_along(ct, order, axis=axis), order=None)
def put_along(xp: Any, x: Any, order: Any, *, axis: int, size: int) -> Any:
    """The transpose of `take_along`, for an `order` without repetition; zero at the other places of the axis."""
    out = xp.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), dtype=x.dtype)
    xp.put_along_axis(out, order, x, axis=axis)
    return out


@batched(rewriting(axis=plus_one))
@discrete
def argsort(xp: Any, x: Any, *, axis: int, descending: bool) -> Any:
    """The stable order of the elements along an axis, int32."""
    if descending:
        turned = xp.flip(x, axis)
        order = x.shape[axis] - 1 - xp.flip(xp.argsort(turned, axis=axis, kind="stable"), axis)
    else:
        order = xp.argsort(x, axis=axis, kind="stable")
    return order.astype(xp.int32)


@batched(rewriting(axis=plus_one))
@discrete
def one_hot(xp: Any, indices: Any, *, depth: int, on: Any, off: Any, axis: int, dtype: Any) -> Any:
    """A new axis that holds `on` at the position each index names, `off` elsewhere."""
    places = xp.expand_dims(indices, axis)
    numbers = xp.arange(depth).reshape(*[1] * axis, depth, *[1] * (xp.ndim(indices) - axis))
    return xp.where(places == numbers, xp.asarray(on, dtype=dtype), xp.asarray(off, dtype=dtype))


@discrete
def searchsorted(xp: Any, ordered: Any, values: Any, *, side: str, dtype: Any) -> Any:
    """Where the values belong in the ordered rows (the last axis), so that these stay ordered."""
    if ordered.ndim == 1:
        return xp.searchsorted(ordered, values, side=side).astype(dtype)
    rows, sought = ordered.reshape(-1, ordered.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [xp.searchsorted(row, v, side=side) for row, v in zip(rows, sought, strict=True)]
    return xp.asarray(found, dtype=dtype).reshape(values.shape)


@data_shaped
def unique(xp: Any, x: Any, *, dtype: Any) -> Any:
    """Where each distinct element first occurs, in order; the number of each element among them; and their counts."""
    _, first, inverse, counts = xp.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = xp.argsort(first, kind="stable")
    rank = xp.empty_like(order)
    rank[order] = xp.arange(len(order))
    return first[order], rank[inverse.reshape(-1)].astype(dtype), counts[order].astype(dtype)
