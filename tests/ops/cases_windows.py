"""Cases of convolution and pooling."""

import itertools

import numpy as np

from gradtape.ops import convolution, pooling
from gradtape.ops.windows import Windows, windows

from .opcase import OpCase

RNG = np.random.default_rng(5)


def meetings(g: Windows):
    """Every place, offset in its window and element of the image that meet there."""
    for place in itertools.product(*map(range, g.places)):
        for offset in itertools.product(*map(range, g.window)):
            at = [
                p * s + k * d - b for p, s, k, d, b in zip(place, g.strides, offset, g.dilations, g.before, strict=True)
            ]
            if all(0 <= i < n for i, n in zip(at, g.sizes, strict=True)):
                yield place, offset, tuple(at)


def parts(g, groups, channels, out):
    """The channels of each group, and what is made of them."""
    c, o = channels // groups, out // groups
    return [(slice(i * c, i * c + c), slice(i * o, i * o + o)) for i in range(groups)]


def convolve(g, groups):
    def reference(x, w):
        y = np.zeros((x.shape[0], *g.places, w.shape[-1]))
        for p, k, at in meetings(g):
            for c, o in parts(g, groups, x.shape[-1], w.shape[-1]):
                y[(slice(None), *p, o)] += x[(slice(None), *at, c)] @ w[(*k, slice(None), o)]
        return y

    return reference


def unconvolve(g, groups):
    def reference(y, w):
        x = np.zeros((y.shape[0], *g.sizes, w.shape[-2] * groups))
        for p, k, at in meetings(g):
            for c, o in parts(g, groups, x.shape[-1], w.shape[-1]):
                x[(slice(None), *at, c)] += y[(slice(None), *p, o)] @ w[(*k, slice(None), o)].T
        return x

    return reference


def filter_sums(g, groups):
    def reference(x, y):
        w = np.zeros((*g.window, x.shape[-1] // groups, y.shape[-1]))
        for p, k, at in meetings(g):
            for c, o in parts(g, groups, x.shape[-1], y.shape[-1]):
                w[(*k, slice(None), o)] += x[(slice(None), *at, c)].T @ y[(slice(None), *p, o)]
        return w

    return reference


def seen(x, g, fill):
    """[batch, *places, window, channels]"""
    out = np.full((x.shape[0], *g.places, int(np.prod(g.window)), x.shape[-1]), fill)
    for p, k, at in meetings(g):
        out[(slice(None), *p, int(np.ravel_multi_index(k, g.window)))] = x[(slice(None), *at)]
    return out


def mean(g):
    def reference(x):
        return np.nanmean(seen(x, g, np.nan), axis=-2)

    return reference


def shared(g):
    def reference(y):
        x = np.zeros((y.shape[0], *g.sizes, y.shape[-1]))
        counts = np.zeros(g.places)
        for p, _, _ in meetings(g):
            counts[p] += 1
        for p, _, at in meetings(g):
            x[(slice(None), *at)] += y[(slice(None), *p)] / counts[p]
        return x

    return reference


def picked(g):
    return lambda x, order: np.take_along_axis(seen(x, g, 0.0), order[..., None, :].astype(int), -2)[..., 0, :]


def put(g):
    def reference(y, order):
        x = np.zeros((y.shape[0], *g.sizes, y.shape[-1]))
        for p, k, at in meetings(g):
            here = order[(slice(None), *p)] == np.ravel_multi_index(k, g.window)
            x[(slice(None), *at)] += np.where(here, y[(slice(None), *p)], 0)
        return x

    return reference


def laid(g):
    return lambda x: seen(x, g, 0.0).reshape(x.shape[0], *g.places, -1)


def unlaid(g):
    def reference(y):
        x = np.zeros((y.shape[0], *g.sizes, y.shape[-1] // int(np.prod(g.window))))
        stacked = y.reshape(*y.shape[:-1], -1, x.shape[-1])
        for p, k, at in meetings(g):
            x[(slice(None), *at)] += stacked[(slice(None), *p, int(np.ravel_multi_index(k, g.window)))]
        return x

    return reference


# Name, windows, channels, outputs, groups: each path of the kernels.
LAYOUTS = [
    ("plain", windows((5, 4), (3, 2), (1, 1), (1, 1), "VALID"), 5, 3, 1),
    ("narrow", windows((5, 4), (2, 3), (1, 1), (1, 1), "SAME"), 2, 3, 1),
    ("strides", windows((5, 6), (3, 2), (2, 3), (1, 1), "SAME"), 4, 2, 1),
    ("dilated", windows((7, 6), (2, 3), (1, 1), (3, 2), "SAME"), 4, 2, 1),
    ("groups", windows((4, 4), (2, 2), (1, 2), (1, 1), "SAME"), 4, 6, 2),
    ("depthwise", windows((4, 5), (2, 3), (1, 1), (1, 1), "SAME"), 3, 3, 3),
    ("multiplied", windows((5, 5), (2, 2), (2, 2), (1, 2), "VALID"), 2, 4, 2),
    ("one-axis", windows((7,), (3,), (2,), (1,), "SAME"), 4, 2, 1),
    ("volume", windows((3, 4, 3), (2, 2, 2), (1, 2, 1), (1, 1, 1), "SAME"), 2, 2, 1),
    ("wide-padding", windows((3, 3), (2, 2), (1, 1), (1, 1), ((2, 0), (1, 3))), 4, 2, 1),
    ("unseen-rows", windows((6, 5), (2, 2), (3, 3), (1, 1), "VALID"), 4, 2, 1),
]


def convolutions(name, g, channels, out, groups):
    x = RNG.normal(size=(2, *g.sizes, channels))
    w = RNG.normal(size=(*g.window, channels // groups, out))
    y = RNG.normal(size=(2, *g.places, out))
    params = {"windows": g, "groups": groups}
    return [
        OpCase(convolution.convolve, [x, w], params, convolve(g, groups), label=name),
        OpCase(convolution.unconvolve, [y, w], params, unconvolve(g, groups), label=name),
        OpCase(convolution.filter_sums, [x, y], params, filter_sums(g, groups), label=name),
    ]


def distinct(shape):
    """Numbers that differ by much more than the steps of the checker."""
    return RNG.permutation(np.arange(float(np.prod(shape)))).reshape(shape) / 7 - 5


def poolings(name, g, channels):
    x, y = distinct((2, *g.sizes, channels)), RNG.normal(size=(2, *g.places, channels))
    largest = seen(x, g, -np.inf).max(-2)
    order = np.argmax(seen(x, g, -np.inf), -2).astype(np.uint8)
    params = {"windows": g}
    return [
        OpCase(pooling.max_pool, [x], params, lambda x: seen(x, g, -np.inf).max(-2), label=name),
        OpCase(pooling.first_largest, [x, largest], params, lambda x, y: order, dtypes=("float64",), label=name),
        OpCase(pooling.pick, [x, order], params, picked(g), label=name),
        OpCase(pooling.put, [y, order], params, put(g), label=name),
        OpCase(pooling.avg_pool, [x], params, mean(g), label=name),
        OpCase(pooling.avg_unpool, [y], params, shared(g), label=name),
        OpCase(pooling.to_patches, [x], params, laid(g), label=name),
        OpCase(
            pooling.from_patches,
            [laid(g)(x)],
            {**params, "channels": channels},
            unlaid(g),
            label=name,
        ),
    ]


POOLED = ("plain", "strides", "dilated", "one-axis", "volume", "unseen-rows")
CASES = [case for layout in LAYOUTS for case in convolutions(*layout)]
CASES += [case for name, g, channels, *_ in LAYOUTS if name in POOLED for case in poolings(name, g, channels)]
