"""Windows slid over the spatial axes of images `[batch, *spatial, channels]`: where they lie, and views of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradtape.ops.threads import THREADS

Shape = tuple[int, ...]


class Windows(NamedTuple):
    """Place p of a window and offset k in it meet at `p * stride + k * dilation - before` of each spatial axis."""

    sizes: Shape
    window: Shape
    strides: Shape
    dilations: Shape
    before: Shape
    places: Shape


@lru_cache(maxsize=1024)
def windows(sizes: Shape, window: Shape, strides: Shape, dilations: Shape, padding: Any) -> Windows:
    """Lay windows over images of these sizes; padding is "SAME", "VALID", or (before, after) for each axis.

    With "SAME" there are `ceil(size / stride)` places, and of an odd padding the larger part comes after.
    """
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    if padding == "SAME":
        places = tuple(-(-n // s) for n, s in zip(sizes, strides, strict=True))
        total = [max(0, (p - 1) * s + r - n) for p, s, r, n in zip(places, strides, reach, sizes, strict=True)]
        before = tuple(t // 2 for t in total)
    else:
        around = [(0, 0)] * len(sizes) if padding == "VALID" else padding
        before = tuple(b for b, _ in around)
        places = tuple(
            max(0, (n + b + a - r) // s + 1) for n, (b, a), r, s in zip(sizes, around, reach, strides, strict=True)
        )
    return Windows(tuple(sizes), tuple(window), tuple(strides), tuple(dilations), before, places)


CACHE = 1 << 20
"""How many bytes of a block should be in the processor's cache at once."""

Block = tuple[slice, slice]
"""Some of the images, and some of the places along the first spatial axis."""


def blocks(images: int, rows: int, row_bytes: int) -> list[Block]:
    """Cut the work for images of this many rows in blocks that stay in the cache, at least one for each thread."""
    whole = rows * row_bytes
    if whole > CACHE or images == 1:
        step = max(1, min(CACHE // max(1, row_bytes), -(-rows // THREADS) if images == 1 else rows))
        return [(slice(i, i + 1), slice(r, min(rows, r + step))) for i in range(images) for r in range(0, rows, step)]
    step = max(1, min(CACHE // max(1, whole), -(-images // THREADS)))
    return [(slice(i, min(images, i + step)), slice(0, rows)) for i in range(0, images, step)]


def padded(x: Any, g: Windows, rows: slice, fill: Any = 0) -> Any:
    """The part of the images that the windows of these rows see: a view of x, or a copy with padding."""
    inside, around, sizes = [], [], []
    padding = False
    for axis, (n, k, s, d, b, p) in enumerate(zip(*g, strict=True)):
        first, last = (rows.start, rows.stop) if axis == 0 else (0, p)
        start = first * s - b
        length = (last - first - 1) * s + (k - 1) * d + 1
        low, high = max(0, start), max(0, min(n, start + length))
        padding |= low != start or high != start + length
        inside.append(slice(low, max(low, high)))
        around.append(slice(low - start, max(low, high) - start))
        sizes.append(length)
    seen = x[(slice(None), *inside)]
    if not padding:
        return seen
    out = np.full((x.shape[0], *sizes, x.shape[-1]), fill, x.dtype)
    out[(slice(None), *around)] = seen
    return out


def window_view(x: Any, g: Windows, rows: slice, fill: Any = 0) -> Any:
    """`[images, *places, *window, channels]`, without copying what overlaps; only some of the rows of places."""
    x = padded(x, g, rows, fill)
    places = (rows.stop - rows.start, *g.places[1:])
    image, *spatial, channel = x.strides
    steps = [s * k for s, k in zip(spatial, g.strides, strict=True)]
    spread = [s * k for s, k in zip(spatial, g.dilations, strict=True)]
    shape = (x.shape[0], *places, *g.window, x.shape[-1])
    return as_strided(x, shape, (image, *steps, *spread, channel), writeable=False)


def offsets(g: Windows, rows: slice) -> Iterator[tuple[Any, ...]]:
    """For each offset in the window, in row-major order, the index of its elements in what `padded` gives."""
    places = (rows.stop - rows.start, *g.places[1:])
    for offset in itertools.product(*map(range, g.window)):
        yield (
            slice(None),
            *[
                slice(o * d, o * d + (p - 1) * s + 1, s)
                for o, d, p, s in zip(offset, g.dilations, places, g.strides, strict=True)
            ],
        )


def unpadded(x: Any, g: Windows) -> Any:
    """The images within whole padded ones, `[images, *sizes, channels]`: zeros where no window reached."""
    reach = x.shape[1:-1]
    keep = [slice(b, min(b + n, r)) for b, n, r in zip(g.before, g.sizes, reach, strict=True)]
    seen = x[(slice(None), *keep)]
    if seen.shape[1:-1] == g.sizes:
        return seen
    out = np.zeros((x.shape[0], *g.sizes, x.shape[-1]), x.dtype)
    out[tuple([slice(0, n) for n in seen.shape])] = seen
    return out


def reached(g: Windows) -> Shape:
    """The sizes from the first element that a window covers to the last, padding included."""
    return tuple(
        (p - 1) * s + (k - 1) * d + 1 for p, s, k, d in zip(g.places, g.strides, g.window, g.dilations, strict=True)
    )


def area(g: Windows) -> int:
    """The number of elements of a window in one channel."""
    return prod(g.window)
