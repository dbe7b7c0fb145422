"""Convolution, as one trilinear form and its three partial transposes.

With images x, filters w and outputs y, the form is the sum of `x[n, p s + k d - b, c] w[k, c, o] y[n, p, o]` over all
indices (p places, k offsets in the window, s strides, d dilations, b padding before). Leaving out one of the three
gives `convolve`, `unconvolve` and `filter_sums`, each of which has the other two as its derivatives, to any order.

With groups, the channels of x and of y are cut into as many parts, which meet each other in order.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradtape.core.kinds import bilinear
from gradtape.ops.threads import THREADS, spread
from gradtape.ops.wide import FLOAT32, rounded
from gradtape.ops.windows import Windows, area, blocks, offsets, padded, reached, unpadded, window_view

NARROW = 4
"""Below how many channels patches are copied offset by offset: along a row of places there are longer runs."""


@bilinear(
    x=lambda ct, w, *, windows, groups: unconvolve(ct, w, windows=windows, groups=groups),
    w=lambda ct, x, *, windows, groups: filter_sums(x, ct, windows=windows, groups=groups),
)
def convolve(xp: Any, x: Any, w: Any, *, windows: Windows, groups: int) -> Any:
    """y of x `[batch, *sizes, channels]` and w `[*window, channels / groups, out]`: `[batch, *places, out]`."""
    out = np.empty((x.shape[0], *windows.places, w.shape[-1]), _wide(x.dtype))
    if not (out.size and x.size and w.size):
        return np.zeros(out.shape, x.dtype)
    _by_group(_convolve, _depthwise, windows, groups, _widened(x), _widened(w), out)
    return rounded(out, x.dtype)


@bilinear(
    y=lambda ct, w, *, windows, groups: convolve(ct, w, windows=windows, groups=groups),
    w=lambda ct, y, *, windows, groups: filter_sums(ct, y, windows=windows, groups=groups),
)
def unconvolve(xp: Any, y: Any, w: Any, *, windows: Windows, groups: int) -> Any:
    """x of y and w: each output, spread over the window that it came from."""
    shape = (y.shape[0], *windows.sizes, w.shape[-2] * groups)
    if not (y.size and w.size and prod(shape)):
        return np.zeros(shape, y.dtype)
    out = np.empty(shape, _wide(y.dtype))
    _by_group(_unconvolve, _depthwise_unconvolve, windows, groups, out, _widened(w), _widened(y))
    return rounded(out, y.dtype)


@bilinear(
    x=lambda ct, y, *, windows, groups: unconvolve(y, ct, windows=windows, groups=groups),
    y=lambda ct, x, *, windows, groups: convolve(x, ct, windows=windows, groups=groups),
)
def filter_sums(xp: Any, x: Any, y: Any, *, windows: Windows, groups: int) -> Any:
    """w of x and y: for each offset, the products of the elements that meet there, summed over images and places."""
    out = np.zeros((*windows.window, x.shape[-1] // groups, y.shape[-1]), _wide(x.dtype))
    if not (out.size and x.size and y.size):
        return rounded(out, x.dtype)
    _by_group(_filter_sums, _depthwise_filter_sums, windows, groups, _widened(x), out, _widened(y))
    return rounded(out, x.dtype)


def _wide(dtype: Any) -> Any:
    return FLOAT32 if dtype.kind == "V" or dtype.char == "e" else dtype


def _widened(x: Any) -> Any:
    return x.astype(_wide(x.dtype), copy=False)


Kernel = Callable[[Any, Any, Any, Windows], None]


def _by_group(whole: Kernel, depthwise: Kernel, g: Windows, groups: int, x: Any, w: Any, y: Any) -> None:
    """Fill in the one of x, w and y that is asked for: all channels at once, each alone, or group by group."""
    if groups == 1:
        whole(x, w, y, g)
    elif w.shape[-2] == 1:
        depthwise(x, w, y, g)
    else:
        depth, wide = w.shape[-2], w.shape[-1] // groups
        for i in range(groups):
            part, made = slice(i * depth, (i + 1) * depth), slice(i * wide, (i + 1) * wide)
            whole(x[..., part], w[..., made], y[..., made], g)


# All channels at once: the elements of each window side by side in a row, times the filters as a matrix.


def _convolve(x: Any, w: Any, y: Any, g: Windows) -> None:
    matrix = np.ascontiguousarray(w).reshape(-1, w.shape[-1])
    parts = _patch_blocks(x, g)

    def work(i: int) -> None:
        images, rows = parts[i]
        part = y[images, rows]
        patches = _patches(x[images], g, rows)
        if part.flags.c_contiguous:
            np.matmul(patches, matrix, out=part.reshape(-1, part.shape[-1]))
        else:
            part[...] = (patches @ matrix).reshape(part.shape)

    spread(work, len(parts))


def _filter_sums(x: Any, w: Any, y: Any, g: Windows) -> None:
    parts = _patch_blocks(x, g)
    count = min(THREADS, len(parts))
    sums = [np.zeros((area(g) * x.shape[-1], y.shape[-1]), y.dtype) for _ in range(count)]

    def work(i: int) -> None:
        for images, rows in parts[i::count]:  # the same blocks in the same order, whoever computes: the same sums
            part = y[images, rows]
            sums[i] += _patches(x[images], g, rows).T @ part.reshape(-1, part.shape[-1])

    spread(work, count)
    w[...] = sum(sums[1:], sums[0]).reshape(w.shape)


def _unconvolve(x: Any, w: Any, y: Any, g: Windows) -> None:
    whole, channels = slice(0, g.places[0]), x.shape[-1]
    matrices = w.reshape(area(g), *w.shape[-2:])
    step = blocks(x.shape[0], g.places[0], _row_bytes(x, g))[0][0].stop
    turned = np.ascontiguousarray(np.swapaxes(matrices, -1, -2))

    def work(i: int) -> None:
        """A product for each offset: as long runs to add as there are places in a row."""
        images = slice(i * step, (i + 1) * step)
        part = y[images]
        rows = part.reshape(-1, part.shape[-1])
        total = np.zeros((part.shape[0], *reached(g), channels), y.dtype)
        for k, key in enumerate(offsets(g, whole)):
            total[key] += (rows @ turned[k]).reshape(*part.shape[:-1], channels)
        x[images] = unpadded(total, g)

    def narrow_work(i: int) -> None:
        """The same with the few channels in front, for longer runs."""
        images = slice(i * step, (i + 1) * step)
        part = y[images]
        planes = matrices.reshape(-1, matrices.shape[-1]) @ part.reshape(-1, part.shape[-1]).T
        planes = planes.reshape(area(g), channels, *part.shape[:-1])
        total = np.zeros((channels, part.shape[0], *reached(g)), y.dtype)
        for k, key in enumerate(offsets(g, whole)):
            total[(slice(None), *key)] += planes[k]
        x[images] = unpadded(np.moveaxis(total, 0, -1), g)

    spread(narrow_work if channels < NARROW else work, -(-x.shape[0] // step))


def _row_bytes(x: Any, g: Windows) -> int:
    return prod(g.places[1:]) * area(g) * x.shape[-1] * x.itemsize


def _patch_blocks(x: Any, g: Windows) -> Any:
    return blocks(x.shape[0], g.places[0], _row_bytes(x, g))


def _patches(x: Any, g: Windows, rows: slice) -> Any:
    """`[images * places, window * channels]`, in whichever order is copied in long runs."""
    view = window_view(x, g, rows)
    rank, channels = len(g.window), x.shape[-1]
    if channels >= NARROW or area(g) == 1:
        return view.reshape(-1, area(g) * channels)
    order = (*range(rank + 1, 2 * rank + 2), *range(rank + 1))
    return np.ascontiguousarray(view.transpose(order)).reshape(area(g) * channels, -1).T


# Each channel with filters of its own: for each offset, the elements there times the filters' elements there.


def _depth_blocks(x: Any, g: Windows) -> Any:
    return blocks(x.shape[0], g.places[0], prod(g.places[1:]) * 3 * x.shape[-1] * x.itemsize)


def _apart(y: Any, channels: int) -> Any:
    """[..., channels, multiplier] of [..., channels * multiplier]."""
    return y.reshape(*y.shape[:-1], channels, -1)


def _laid_filters(w: Any, channels: int, g: Windows) -> Any:
    """`[offsets, places in a row, channels, multiplier]`: repeated along a row, so that products have long runs."""
    filters = _apart(w, channels).reshape(area(g), 1, channels, -1)
    return np.ascontiguousarray(np.broadcast_to(filters, (area(g), g.places[-1], *filters.shape[2:])))


def _depthwise(x: Any, w: Any, y: Any, g: Windows) -> None:
    parts, channels = _depth_blocks(x, g), x.shape[-1]
    filters = _laid_filters(w, channels, g)
    multiplier = filters.shape[-1]

    def work(i: int) -> None:
        images, rows = parts[i]
        seen, total = padded(x[images], g, rows), y[images, rows]
        term = np.empty((*total.shape[:-1], channels, multiplier), y.dtype)
        for k, key in enumerate(offsets(g, rows)):
            if multiplier == 1:
                np.multiply(seen[key], filters[k, ..., 0], out=term[..., 0])
            else:
                np.multiply(seen[key][..., None], filters[k], out=term)
            if k:
                total += term.reshape(total.shape)
            else:
                total[...] = term.reshape(total.shape)

    spread(work, len(parts))


def _depthwise_unconvolve(x: Any, w: Any, y: Any, g: Windows) -> None:
    channels = x.shape[-1]
    filters = _laid_filters(w, channels, g)
    single, whole = filters.shape[-1] == 1, slice(0, g.places[0])
    step = _depth_blocks(x, g)[0][0].stop

    def work(i: int) -> None:
        images = slice(i * step, (i + 1) * step)
        part = _apart(y[images], channels)
        total = np.zeros((part.shape[0], *reached(g), channels), y.dtype)
        term = np.empty(part.shape[:-1], y.dtype)
        for k, key in enumerate(offsets(g, whole)):
            if single:
                np.multiply(part[..., 0], filters[k, ..., 0], out=term)
            else:
                np.einsum("...cm,cm->...c", part, filters[k, 0], out=term)
            total[key] += term
        x[images] = unpadded(total, g)

    spread(work, -(-x.shape[0] // step))


def _depthwise_filter_sums(x: Any, w: Any, y: Any, g: Windows) -> None:
    parts, channels = _depth_blocks(x, g), x.shape[-1]
    count = min(THREADS, len(parts))
    sums = [np.zeros((area(g), y.shape[-1]), y.dtype) for _ in range(count)]

    def work(i: int) -> None:
        for images, rows in parts[i::count]:
            seen, part = padded(x[images], g, rows), _apart(y[images, rows], channels)
            term = np.empty(part.shape, y.dtype)
            products = term.reshape(-1, y.shape[-1])
            ones = np.ones(len(products), y.dtype)
            for k, key in enumerate(offsets(g, rows)):
                np.multiply(seen[key][..., None], part, out=term)
                sums[i][k] += ones @ products

    spread(work, count)
    w[...] = sum(sums[1:], sums[0]).reshape(w.shape)
