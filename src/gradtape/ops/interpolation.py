"""Values between the elements of an array: a weighted sum of those around each point, as a formula over primitives."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gradtape.core.rules import dtype_of, shape_of
from gradtape.ops.elementwise import floor, maximum, minimum, rint
from gradtape.ops.indexing import gather
from gradtape.ops.selection import where
from gradtape.ops.shaping import cast_discrete, reshape

INTEGER = np.dtype(np.int64)
MODES = ("constant", "nearest", "wrap", "mirror", "reflect")
"""What lies outside: a constant, the outermost element, the other end, or a reflection ("reflect" repeats the edge)."""


def interpolated(x: Any, points: Sequence[Any], *, order: int, mode: str, fill: Any) -> Any:
    """The values of x `[*sizes, *rest]` at points, one array of coordinates for each of the sizes: `[*points, *rest]`.

    Of order 0 the nearest element counts, and half a step goes to the even one; of order 1 the interpolation is linear.
    """
    axes = len(points)
    sizes, rest = shape_of(x)[:axes], shape_of(x)[axes:]
    flat = reshape(x, shape=(prod(sizes), *rest))
    wide = (*shape_of(points[0]), *[1] * len(rest))
    corners = [_around(point, order) for point in points]
    total = None
    for corner in itertools.product(*corners):
        number, inside = _folded(corner[0][0], sizes[0], mode)
        for (place, _), n in zip(corner[1:], sizes[1:], strict=True):
            at, within = _folded(place, n, mode)
            number, inside = number * n + at, inside & within
        term = gather(flat, number, axis=0)
        if mode == "constant":
            term = where(reshape(inside, shape=wide), term, fill)
        for _, share in corner:
            term = term if share is None else term * reshape(share, shape=wide)
        total = term if total is None else total + term
    return total


def _around(point: Any, order: int) -> list[tuple[Any, Any]]:
    """The elements that count along one axis, and how much."""
    if order == 0:
        near = rint(point) if dtype_of(point).kind != "i" else point
        return [(cast_discrete(near, dtype=INTEGER), None)]
    low = floor(point)
    share = point - low
    place = cast_discrete(low, dtype=INTEGER)
    return [(place, 1 - share), (place + 1, share)]


def _folded(place: Any, n: int, mode: str) -> tuple[Any, Any]:
    """The element that stands for a place, and whether it lies inside."""
    if mode == "wrap":
        return place % n, True
    if mode == "mirror":
        return _mirrored(place, n), True
    if mode == "reflect":
        return (_mirrored(2 * place + 1, 2 * n + 1) - 1) // 2, True
    near = minimum(maximum(place, 0), n - 1)
    return near, (place >= 0) & (place < n) if mode == "constant" else True


def _mirrored(place: Any, n: int) -> Any:
    """To and fro between the first element and the last, neither of them twice."""
    last = n - 1
    return abs((place + last) % (2 * last) - last) if last else place * 0
