"""Pooling: the largest element or the mean of each window, channel by channel; and windows laid side by side."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradtape.core.kinds import discrete, linear, primitive
from gradtape.ops.selection import masked
from gradtape.ops.threads import spread
from gradtape.ops.wide import accumulator, rounded
from gradtape.ops.windows import Windows, area, blocks, offsets, padded, reached, unpadded


def _blocks(x: Any, g: Windows) -> Any:
    """Few enough images at a time that what windows see of them, and what is made of it, stays in the cache."""
    return blocks(x.shape[0], g.places[0], prod(g.places[1:]) * prod(g.strides) * 2 * x.shape[-1] * x.itemsize)


def _made(x: Any, g: Windows, dtype: Any) -> Any:
    return np.empty((x.shape[0], *g.places, x.shape[-1]), dtype)


def _max_pool_jvp(tangents: list[Any], args: tuple[Any, ...], out: Any, *, windows: Windows) -> Any:
    return pick(tangents[0], first_largest(args[0], out, windows=windows), windows=windows)


@primitive(
    x=lambda ct, x, out, *, windows: put(ct, first_largest(x, out, windows=windows), windows=windows),
    jvp=_max_pool_jvp,
)
def max_pool(xp: Any, x: Any, *, windows: Windows) -> Any:
    """The largest element of each window; of equal ones the first in row-major order has the gradient."""
    out = _made(x, windows, x.dtype)
    parts = _blocks(x, windows) if out.size else []
    least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf

    def work(i: int) -> None:
        images, rows = parts[i]
        seen, part = padded(x[images], windows, rows, least), out[images, rows]
        first, *others = offsets(windows, rows)
        part[...] = seen[first]
        for key in others:
            np.maximum(part, seen[key], out=part)

    spread(work, len(parts))
    return out


@discrete
def first_largest(xp: Any, x: Any, out: Any, *, windows: Windows) -> Any:
    """The number of the first offset in each window at which the element is `out`, the largest."""
    order = _made(x, windows, np.uint8 if area(windows) <= 256 else np.int32)
    parts = _blocks(x, windows) if order.size else []

    def work(i: int) -> None:
        images, rows = parts[i]
        seen, largest, part = padded(x[images], windows, rows, -1), out[images, rows], order[images, rows]
        part.fill(0)
        before = np.ones(part.shape, bool)  # whether the offsets so far are smaller
        for key in list(offsets(windows, rows))[:-1]:
            before &= seen[key] != largest
            part += before

    spread(work, len(parts))
    return order


@linear(x=lambda ct, order, *, windows: put(ct, order, windows=windows), order=None)
def pick(xp: Any, x: Any, order: Any, *, windows: Windows) -> Any:
    """The element of each window at the offset with this number."""
    out = _made(x, windows, x.dtype)
    parts = _blocks(x, windows) if out.size else []

    def work(i: int) -> None:
        images, rows = parts[i]
        seen, part, numbers = padded(x[images], windows, rows), out[images, rows], order[images, rows]
        part.fill(0)
        for k, key in enumerate(offsets(windows, rows)):
            part += masked(numbers == k, seen[key])

    spread(work, len(parts))
    return out


@linear(y=lambda ct, order, *, windows: pick(ct, order, windows=windows), order=None)
def put(xp: Any, y: Any, order: Any, *, windows: Windows) -> Any:
    """Images with each element of y at the offset with this number in its window, summed where windows overlap."""
    return _spread_back(y.shape[0], y.shape[-1], y.dtype, windows, lambda n, k: masked(order[n] == k, y[n]))


def _spread_back(images: int, channels: int, dtype: Any, g: Windows, term: Callable[[slice, int], Any]) -> Any:
    """Images to whose elements at offset number k of the windows `term(some images, k)` is added, for each k."""
    wide = accumulator(dtype)
    tiled = g.window == g.strides and g.sizes == reached(g) and not any(g.before)  # each element in one window
    out = (np.empty if tiled else np.zeros)((images, *g.sizes, channels), dtype)
    if not (out.size and prod(g.places)):
        return out
    step = _blocks(out, g)[0][0].stop
    apart = all(s >= (k - 1) * d + 1 for s, k, d in zip(g.strides, g.window, g.dilations, strict=True))
    direct = wide == dtype and not any(g.before) and all(r <= n for r, n in zip(reached(g), g.sizes, strict=True))

    def work(i: int) -> None:
        some = slice(i * step, min(images, (i + 1) * step))
        total = out[some] if direct else np.zeros((some.stop - some.start, *reached(g), channels), wide)
        for k, key in enumerate(offsets(g, slice(0, g.places[0]))):
            if apart:
                total[key] = term(some, k)
            else:
                total[key] += term(some, k)
        if not direct:
            out[some] = unpadded(total, g)

    spread(work, -(-images // step))
    return out


def _counts(g: Windows, dtype: Any) -> Any:
    """How many elements of each window are not padding, `[*places, 1]`, at least 1; one number if all are the same."""
    counts = np.ones((), np.int64)
    for n, k, s, d, b, p in zip(*g, strict=True):
        at = np.arange(p)[:, None] * s + np.arange(k) * d - b
        counts = counts[..., None] * ((at >= 0) & (at < n)).sum(1)
    if counts.min(initial=area(g)) == area(g):
        return dtype.type(area(g))
    return np.maximum(counts, 1)[..., None].astype(dtype)


@linear(x=lambda ct, *, windows: avg_unpool(ct, windows=windows))
def avg_pool(xp: Any, x: Any, *, windows: Windows) -> Any:
    """The mean of the elements of each window that are not padding."""
    wide = accumulator(x.dtype)
    out = _made(x, windows, x.dtype)
    parts = _blocks(x, windows) if out.size else []
    shares = 1 / _counts(windows, wide)

    def work(i: int) -> None:
        images, rows = parts[i]
        seen = padded(x[images], windows, rows).astype(wide, copy=False)
        first, *others = offsets(windows, rows)
        total = np.array(seen[first], order="C")
        for key in others:
            total += seen[key]
        total *= shares[rows] if shares.ndim else shares
        out[images, rows] = total

    spread(work, len(parts))
    return out


@linear(y=lambda ct, *, windows: avg_pool(ct, windows=windows))
def avg_unpool(xp: Any, y: Any, *, windows: Windows) -> Any:
    """Images with each element of y shared out over its window: the transpose of `avg_pool`."""
    wide = accumulator(y.dtype)
    shared = y.astype(wide, copy=False) * (1 / _counts(windows, wide))
    return rounded(_spread_back(y.shape[0], y.shape[-1], wide, windows, lambda n, k: shared[n]), y.dtype)


@linear(x=lambda ct, x_shape, *, windows: from_patches(ct, windows=windows, channels=x_shape[-1]))
def to_patches(xp: Any, x: Any, *, windows: Windows) -> Any:
    """`[batch, *places, window * channels]`: the elements of each window side by side, zeros for padding."""
    out = np.empty((x.shape[0], *windows.places, area(windows), x.shape[-1]), x.dtype)
    rows = slice(0, windows.places[0])
    if out.size:
        seen = padded(x, windows, rows)
        for k, key in enumerate(offsets(windows, rows)):
            out[..., k, :] = seen[key]
    return out.reshape(*out.shape[:-2], area(windows) * x.shape[-1])


@linear(y=lambda ct, *, windows, channels: to_patches(ct, windows=windows))
def from_patches(xp: Any, y: Any, *, windows: Windows, channels: int) -> Any:
    """Images of what was laid side by side, summed where windows overlap: the transpose of `to_patches`."""
    stacked = y.reshape(*y.shape[:-1], area(windows), channels)
    return _spread_back(y.shape[0], channels, y.dtype, windows, lambda n, k: stacked[n][..., k, :])
