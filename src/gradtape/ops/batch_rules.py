"""Batch rules that take more than the op itself: indexing with positions that differ between examples, and `contract`.

Positions in rows of each example become positions in the rows of all examples, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from string import ascii_letters
from typing import Any

import numpy as np

from gradtape.core.batching import batched, everywhere, lifted, rank_of
from gradtape.core.indexed_slices import add_rows, take_rows
from gradtape.core.rules import dtype_of, shape_of
from gradtape.ops import convolution, indexing, linalg, pooling
from gradtape.ops.elementwise import add
from gradtape.ops.shaping import broadcast_to, concat, reshape, transpose

Flags = tuple[bool, ...]


def moved(x: Any, source: int, target: int) -> Any:
    """x with an axis (counted from the front) in another place."""
    order = [i for i in range(rank_of(x)) if i != source]
    order.insert(target, source)
    return transpose(x, perm=tuple(order))


def folded(x: Any) -> Any:
    """The rows of all examples, one after the other."""
    size, height, *rest = shape_of(x)
    return reshape(x, shape=(size * height, *rest))


def apart(indices: Any, size: int, height: int) -> Any:
    """Row numbers in each example as numbers of the rows of all."""
    starts = np.arange(size, dtype=dtype_of(indices)) * dtype_of(indices).type(height)
    return add(indices, starts.reshape(-1, *[1] * (rank_of(indices) - 1)))


def _gather(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    (x, indices), axis = args, params.get("axis", 0)
    if not flags[1]:
        return indexing.gather(x, indices, axis=axis + 1)
    if not flags[0]:
        return primitive(x, indices) if axis == 0 and not params else moved(primitive(x, indices, **params), axis, 0)
    x = moved(x, axis + 1, 1)
    found = indexing.gather(folded(x), apart(indices, size, shape_of(x)[1]), axis=0)
    rank = rank_of(indices)  # the axes are: batch, positions, those before `axis`, those after it
    before = range(rank, rank + axis)
    return transpose(found, perm=(0, *before, *range(1, rank), *range(rank + axis, rank_of(found))))


def _scatter(x: Any, indices: Any, size: int, flags: Flags, axis: int, shape: tuple[int, ...]) -> Any:
    if not flags[1]:
        return indexing.scatter_along(x, indices, axis=axis + 1, shape=(size, *shape))
    x, indices = everywhere(size, flags, [x, indices], broadcast_to)
    rank = rank_of(indices)
    before, places = range(1, 1 + axis), range(1 + axis, rank + axis)
    rows = transpose(x, perm=(0, *places, *before, *range(rank + axis, rank_of(x))))
    height, rest = shape[axis], (*shape[:axis], *shape[axis + 1 :])
    count = prod(shape_of(indices))
    flat = indexing.scatter_along(
        reshape(rows, shape=(count, *rest)),
        reshape(apart(indices, size, height), shape=(count,)),
        axis=0,
        shape=(size * height, *rest),
    )
    return moved(reshape(flat, shape=(size, height, *rest)), 1, axis + 1)


def _scatter_along(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    return _scatter(args[0], args[1], size, flags, params["axis"], params["shape"])


def _add_rows(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    return _scatter(args[0], args[1], size, flags, 0, params["shape"])


def numbered(indices: Any, size: int) -> Any:
    """Positions spelled by the last axis, with the number of the example in front."""
    numbers = np.arange(size, dtype=dtype_of(indices)).reshape(-1, *[1] * (rank_of(indices) - 1))
    column = np.broadcast_to(numbers, (*shape_of(indices)[:-1], 1))
    return concat(column, indices, axis=rank_of(indices) - 1)


def _gather_nd(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    x, indices = args
    if not flags[0]:
        return primitive(x, indices)
    if flags[1]:
        return primitive(x, numbered(indices, size))
    found = primitive(moved(x, 0, rank_of(x) - 1), indices)
    return moved(found, rank_of(found) - 1, 0)


def _scatter_nd(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    shape = params["shape"]
    if not flags[1]:
        x = moved(args[0], 0, rank_of(args[0]) - 1)
        return moved(primitive(x, args[1], shape=(*shape, size)), len(shape), 0)
    x, indices = everywhere(size, flags, args, broadcast_to)
    return primitive(x, numbered(indices, size), shape=(size, *shape))


def _nd(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    """Of ops of (x, indices, updates, ...): x has the rank of the whole, updates broadcast to the slices."""
    x, indices, *others = everywhere(size, flags, args, broadcast_to)
    depth = shape_of(indices)[-1]
    slices = rank_of(indices) - 2 + rank_of(x) - 1 - depth  # the rank of what the indices pick, of one example
    if others:
        others[0] = lifted(others[0], slices)
    return primitive(x, numbered(indices, size), *others)


def _fresh(labels: Sequence[str]) -> str:
    """A letter that is not in use."""
    return next(c for c in ascii_letters if not any(c in part for part in labels))


def _contract(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    in_a, in_b, out = params["labels"]
    letter = _fresh(params["labels"])
    labels = (letter * flags[0] + in_a, letter * flags[1] + in_b, letter + out)
    return primitive(*args, labels=labels)


def _diagonals(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    given = {**params, "labels": _fresh([params["labels"]]) + params["labels"]}
    if "shape" in given:
        given["shape"] = (size, *given["shape"])
    return primitive(*args, **given)


def _searchsorted(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    """Rows that differ are searched each for its own values."""
    if not flags[0] and rank_of(args[0]) == 1:
        return primitive(*args, **params)
    ordered, values = everywhere(size, flags, args, broadcast_to)
    shape = shape_of(values)
    if rank_of(ordered) == 2:
        values = reshape(values, shape=(size, prod(shape[1:])))
    return reshape(primitive(ordered, values, **params), shape=shape)


def _images(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    """Of ops of `[images, ...]`: the images of all examples, one after the other."""
    whole = [folded(a) for a in everywhere(size, flags, args, broadcast_to)]
    return _apart(primitive(*whole, **params), size)


def _apart(x: Any, size: int) -> Any:
    """The transpose of `folded`."""
    height, *rest = shape_of(x)
    return reshape(x, shape=(size, height // size, *rest))


def _as_channels(x: Any) -> Any:
    """The examples side by side, as channels: those of one example stay together."""
    moved_back = moved(x, 0, rank_of(x) - 2)
    *shape, size, channels = shape_of(moved_back)
    return reshape(moved_back, shape=(*shape, size * channels))


def _from_channels(x: Any, size: int) -> Any:
    *shape, channels = shape_of(x)
    return moved(reshape(x, shape=(*shape, size, channels // size)), len(shape), 0)


def _convolution(primitive: Any, size: int, flags: Flags, args: list[Any], params: dict[str, Any]) -> Any:
    """Of the three forms of convolution: images of all examples one after the other, or their channels side by side.

    Where both arguments differ, the channels of each example are groups of their own.
    """
    first, second = args
    if flags == (True, False) and primitive is not convolution.filter_sums:
        return _apart(primitive(folded(first), second, **params), size)
    if flags == (False, True) and params["groups"] == 1 and primitive is not convolution.unconvolve:
        return _from_channels(primitive(first, _as_channels(second), **params), size)
    whole = [_as_channels(a) for a in everywhere(size, flags, args, broadcast_to)]
    return _from_channels(primitive(*whole, **{**params, "groups": params["groups"] * size}), size)


RULES: dict[Any, Callable[..., Any]] = {
    indexing.gather: _gather,
    indexing.gather_rows: _gather,
    take_rows: _gather,
    indexing.scatter_along: _scatter_along,
    add_rows: _add_rows,
    indexing.gather_nd: _gather_nd,
    indexing.scatter_nd: _scatter_nd,
    indexing.nd_update: _nd,
    indexing.nd_add: _nd,
    indexing.nd_max: _nd,
    indexing.nd_min: _nd,
    indexing.winners: _nd,
    indexing.last_written: _nd,
    indexing.searchsorted: _searchsorted,
    linalg.contract: _contract,
    linalg.take_diagonals: _diagonals,
    linalg.put_diagonals: _diagonals,
}

RULES |= dict.fromkeys((convolution.convolve, convolution.unconvolve, convolution.filter_sums), _convolution)
RULES |= dict.fromkeys(
    (
        pooling.max_pool,
        pooling.first_largest,
        pooling.pick,
        pooling.put,
        pooling.avg_pool,
        pooling.avg_unpool,
        pooling.to_patches,
        pooling.from_patches,
    ),
    _images,
)

for _primitive, _rule in RULES.items():
    batched(_rule)(_primitive)
