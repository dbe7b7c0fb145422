"""Cases of sums, products and extremes."""

import math

import numpy as np

from gradtape.ops import reductions as red

from .opcase import OpCase

X = np.array([[[-1.7, -0.4], [0.3, 0.9], [1.6, 2.2]], [[0.7, -1.3], [1.9, -0.6], [2.4, -2.1]]])
FLAT = np.array([0.7, -1.3, 1.9, -0.6])
ZEROS = np.array([2.0, 0.0, 3.0, -1.5])
TWO_ZEROS = np.array([2.0, 0.0, 3.0, 0.0])
TIED = np.array([[3.0, 1.0], [2.0, np.nan], [3.0, 2.0]])
SHARES = np.array([[0.5, 1 / 3], [0.0, 1 / 3], [0.5, 1 / 3]])
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


def norm(row):
    return math.sqrt(sum(v * v for v in row))


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
    OpCase(red.known, [np.array([2.0, np.nan, np.inf])], {}, lambda x: np.array([1.0, np.nan, 1.0])),
    OpCase(red.tied_shares, [TIED, np.array([3.0, np.nan])], {"axis": (0,)}, lambda x, top: SHARES),
    OpCase(red.reduce_all, [BOOLS], {"axis": (0,)}, lambda x: np.array([True, False])),
    OpCase(red.reduce_any, [BOOLS], {"axis": (1,)}, lambda x: np.array([True, True])),
    OpCase(red.argmax, [FLAT], {"axis": 0, "dtype": np.dtype("int64")}, lambda x: np.int64(2)),
    OpCase(red.argmin, [FLAT], {"axis": 0, "dtype": np.dtype("int32")}, lambda x: np.int32(1)),
    OpCase(red.largest, [FLAT], {"axis": (0,)}, lambda x: np.array([1.9])),
    OpCase(red.is_infinite, [np.array([1.0, np.inf])], {}, lambda x: np.array([False, True])),
]
