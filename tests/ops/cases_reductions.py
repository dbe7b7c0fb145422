"""Cases of sums, products, extremes and scans."""

import math

import numpy as np

from gradtape.ops import reductions as red

from .opcase import OpCase

X = np.array([[[-1.7, -0.4], [0.3, 0.9], [1.6, 2.2]], [[0.7, -1.3], [1.9, -0.6], [2.4, -2.1]]])
FLAT = np.array([0.7, -1.3, 1.9, -0.6])
ZEROS = np.array([2.0, 0.0, 3.0, -1.5])
TWO_ZEROS = np.array([2.0, 0.0, 3.0, 0.0])
BOOLS = np.array([[True, False], [True, True]])


def over(f, axis):
    """A function of a list of Python numbers, along axes."""

    def reference(x):
        rest = [i for i in range(x.ndim) if i not in axis]
        moved = x.transpose(*rest, *axis).reshape(*(x.shape[i] for i in rest), -1)
        return np.apply_along_axis(lambda row: f([float(v) for v in row]), -1, moved)

    return reference


def reduction(op, x, f, axis, **options):
    return OpCase(op, [x], {"axis": axis}, over(f, axis), **options)


def prefix(combine, start, exclusive, reverse):
    def reference(x):
        out, total = [], start
        for v in x[::-1] if reverse else x:
            before, total = total, combine(total, float(v))
            out.append(before if exclusive else total)
        return np.array(out[::-1] if reverse else out)

    return reference


def scans(op, x, combine, start, **options):
    return [
        OpCase(
            op,
            [x],
            {"axis": 0, "exclusive": e, "reverse": r},
            prefix(combine, start, e, r),
            label=f"{e}-{r}{options.get('label', '')}",
        )
        for e in (False, True)
        for r in (False, True)
    ]


def norm(row):
    return math.sqrt(sum(v * v for v in row))


def backward(ct, x, exclusive):
    a = [0.0] * len(ct)
    for i in reversed(range(len(ct))):
        later = x[i + 1] * a[i + 1] if i + 1 < len(ct) else 0.0
        a[i] = (ct[i + 1] + later if i + 1 < len(ct) else 0.0) if exclusive else ct[i] + later
    return np.array(a)


def forward(u, x, exclusive):
    b = []
    for i, v in enumerate(u):
        b.append(v + (x[i] * b[-1] if i else 0.0))
    return np.array([0.0, *b[:-1]] if exclusive else b)


CASES = [
    *[reduction(red.reduce_sum, X, math.fsum, a, label=str(a)) for a in ((0,), (1, 2), (0, 1, 2), (2,))],
    *[reduction(red.reduce_mean, X, lambda r: math.fsum(r) / len(r), a, label=str(a)) for a in ((1,), (0, 1, 2))],
    *[reduction(red.reduce_max, X, max, a, label=str(a)) for a in ((1,), (0, 2))],
    *[reduction(red.reduce_min, X, min, a, label=str(a)) for a in ((1,), (0, 2))],
    *[reduction(red.reduce_prod, X, math.prod, a, label=str(a)) for a in ((1,), (0, 2))],
    reduction(red.reduce_prod, ZEROS, math.prod, (0,), label="zero"),
    reduction(red.reduce_prod, TWO_ZEROS, math.prod, (0,), label="zeros"),
    *[
        reduction(red.reduce_logsumexp, X, lambda r: math.log(sum(map(math.exp, r))), a, label=str(a))
        for a in ((1,), (0, 2))
    ],
    *[reduction(red.euclidean_norm, X, norm, a, label=str(a)) for a in ((1,), (0, 2))],
    OpCase(red.count_nonzero, [ZEROS], {"axis": (0,), "like": np.dtype("int64")}, lambda x: np.int64(3)),
    OpCase(red.reduce_all, [BOOLS], {"axis": (0,)}, lambda x: np.array([True, False])),
    OpCase(red.reduce_any, [BOOLS], {"axis": (1,)}, lambda x: np.array([True, True])),
    OpCase(red.argmax, [FLAT], {"axis": 0, "dtype": np.dtype("int64")}, lambda x: np.int64(2)),
    OpCase(red.argmin, [FLAT], {"axis": 0, "dtype": np.dtype("int32")}, lambda x: np.int32(1)),
    OpCase(red.is_infinite, [np.array([1.0, np.inf])], {}, lambda x: np.array([False, True])),
    *scans(red.cumsum, FLAT, lambda a, b: a + b, 0.0),
    *scans(red.cumprod, FLAT, lambda a, b: a * b, 1.0),
    *scans(red.cumprod, ZEROS, lambda a, b: a * b, 1.0, label="-zero"),
    *[
        OpCase(
            red.linear_scan,
            [FLAT, ZEROS + 0.3],
            {"axis": 0, "exclusive": e},
            lambda c, x, e=e: backward(c, x, e),
            label=str(e),
        )
        for e in (False, True)
    ],
    *[
        OpCase(
            red.forward_scan,
            [FLAT, ZEROS + 0.3],
            {"axis": 0, "exclusive": e},
            lambda u, x, e=e: forward(u, x, e),
            label=str(e),
        )
        for e in (False, True)
    ],
    OpCase(red.delayed, [FLAT], {"axis": 0}, lambda x: np.array([0.0, *x[:-1]])),
    OpCase(red.advanced, [FLAT], {"axis": 0}, lambda x: np.array([*x[1:], 0.0])),
]
