"""Positions that are computed from values, as primitives: what is read or written there depends on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.kinds import data_shaped, discrete


@data_shaped
def true_places(xp: Any, mask: Any) -> Any:
    """Where the flattened mask holds."""
    return xp.flatnonzero(mask)


@data_shaped
def places_of(xp: Any, groups: Any, *, number: int) -> Any:
    """Where the flattened groups have this number."""
    return xp.flatnonzero(groups == number)


@discrete
def row_places(xp: Any, rows: Any) -> Any:
    """For `gather_nd`: row numbers along the last axis, each behind the numbers of its own leading axes."""
    return xp.stack([*xp.indices(rows.shape)[:-1], rows], axis=-1)


@discrete
def reversed_places(xp: Any, counts: Any, *, shape: tuple[int, ...], along: int, batch: int) -> Any:
    """For `take_along`: the first `counts[i]` places of an axis in reverse, for entry i of the batch axis."""
    rank = len(shape)
    place = xp.arange(shape[along]).reshape([-1 if i == along else 1 for i in range(rank)])
    length = counts.reshape([-1 if i == batch else 1 for i in range(rank)])
    return xp.broadcast_to(xp.where(place < length, length - 1 - place, place), shape)


@discrete
def unravelled(xp: Any, numbers: Any, *, sizes: tuple[int, ...]) -> Any:
    """The positions along each axis of elements that have these numbers in row-major order."""
    return xp.stack(xp.unravel_index(numbers, sizes)).astype(numbers.dtype)


@discrete
def inverse_permutation(xp: Any, x: Any) -> Any:
    """Where each of the numbers 0, 1, ... is."""
    return xp.argsort(x).astype(x.dtype)


@discrete
def in_largest(xp: Any, labels: Any, scores: Any, *, count: int) -> Any:
    """Whether each label is among the `count` largest of its row of scores; ties count as in."""
    inside = (labels >= 0) & (labels < scores.shape[1])
    picked = xp.take_along_axis(scores, xp.where(inside, labels, 0)[:, None], 1)
    return inside & ((scores > picked).sum(1) < count) & xp.isfinite(picked[:, 0])


@discrete
def pair_counts(xp: Any, rows: Any, columns: Any, amounts: Any, *, size: int, dtype: Any) -> Any:
    """A square table in which the amounts (one each, or one for all) are added up at [row, column]."""
    counts = xp.zeros((size, size), dtype)
    np.add.at(counts, (rows.ravel(), columns.ravel()), xp.ravel(amounts) if xp.ndim(amounts) else amounts)
    return counts


@discrete
def segment_sizes(xp: Any, ids: Any, *, count: int) -> Any:
    """How many of the numbers name each segment; negative ones name none."""
    return xp.bincount(ids[ids >= 0].reshape(-1), minlength=count)


@discrete
def along_axis(xp: Any, positions: Any, *, shape: tuple[int, ...], axis: int) -> Any:
    """For `gather_nd`: one element per position along an axis; other axes broadcast, negative positions count back."""
    grid = xp.meshgrid(*[xp.arange(n) for n in positions.shape], indexing="ij", sparse=True)
    spots = [
        xp.where(xp.asarray(n) == 1, 0, g) if i != axis else positions % shape[axis]
        for i, (g, n) in enumerate(zip(grid, shape, strict=True))
    ]
    return xp.stack(xp.broadcast_arrays(*spots), -1)
