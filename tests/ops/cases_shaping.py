"""Cases of the primitives that move elements, and of casts."""

import numpy as np

from gradtape.core import assembling, cotangents
from gradtape.ops import operators, shaping

from .opcase import OpCase

X = np.arange(6.0).reshape(2, 3) * 1.7 - 3
CUBE = np.arange(24.0).reshape(2, 3, 4) * 0.7 - 5
SQUARE = np.arange(18.0).reshape(2, 3, 3) - 7.5
FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")


def loop_tile(x, n, m):
    return np.array([[x[i % 2, j % 3] for j in range(3 * m)] for i in range(2 * n)])


CASES = [
    OpCase(shaping.reshape, [X], {"shape": (3, 2)}, lambda x: np.array([x.ravel()[i : i + 2] for i in (0, 2, 4)])),
    OpCase(shaping.transpose, [CUBE], {"perm": (2, 0, 1)}, lambda x: np.stack([x[..., i] for i in range(4)])),
    OpCase(shaping.mT, [CUBE], {}, lambda x: np.stack([x[0].T, x[1].T])),
    OpCase(shaping.identity, [X], {}, lambda x: x + 0),
    OpCase(shaping.tile, [X], {"multiples": (2, 3)}, lambda x: loop_tile(x, 2, 3)),
    OpCase(shaping.repeat, [X], {"counts": (2, 0, 3), "axis": 1}, lambda x: x[:, [0, 0, 2, 2, 2]]),
    OpCase(
        shaping.segment_sums,
        [X],
        {"counts": (2, 0, 1), "axis": 1},
        lambda x: np.stack([x[:, 0] + x[:, 1], x[:, 0] * 0, x[:, 2]], 1),
    ),
    OpCase(
        shaping.pad,
        [X],
        {"paddings": ((1, 0), (0, 2))},
        lambda x: np.block([[np.zeros((1, 5))], [x, np.zeros((2, 2))]]),
    ),
    OpCase(shaping.slice_nd, [X], {"begin": (0, 1), "size": (2, 2)}, lambda x: np.stack([x[:, 1], x[:, 2]], 1)),
    OpCase(
        shaping.mirror_pad, [X], {"widths": ((0, 0), (2, 1)), "mode": "reflect"}, lambda x: x[:, [2, 1, 0, 1, 2, 1]]
    ),
    OpCase(
        shaping.mirror_pad,
        [X],
        {"widths": ((1, 0), (2, 1)), "mode": "symmetric"},
        lambda x: x[[0, 0, 1]][:, [1, 0, 0, 1, 2, 2]],
        label="symmetric",
    ),
    OpCase(
        shaping.mirror_sums,
        [np.arange(6.0)],
        {"widths": ((2, 1),), "mode": "reflect", "shape": (3,)},
        lambda x: np.array([x[2], x[1] + x[3] + x[5], x[0] + x[4]]),
    ),
    OpCase(
        shaping.flip, [CUBE], {"axes": (0, 2)}, lambda x: np.array([[row[::-1] for row in plane] for plane in x[::-1]])
    ),
    OpCase(shaping.roll, [X], {"shift": (1, -1), "axis": (0, 1)}, lambda x: x[[1, 0]][:, [1, 2, 0]]),
    OpCase(
        assembling.stack, [X, X + 1, X * 2], {"axis": 1}, lambda *xs: np.array([[x[i] for x in xs] for i in range(2)])
    ),
    OpCase(cotangents.concat, [X, X[:, :1] - 9], {"axis": 1}, lambda a, b: np.block([[a, b]])),
    OpCase(shaping.split, [X], {"sizes": (1, 2), "axis": 1}, lambda x: (x[:, :1], x[:, 1:])),
    OpCase(shaping.unstack, [X], {"axis": 1}, lambda x: (x[:, 0], x[:, 1], x[:, 2])),
    OpCase(
        shaping.getitem,
        [CUBE],
        {"key": (slice(None), -1, None, slice(None, None, 2))},
        lambda x: np.stack([x[:, 2:3, 0], x[:, 2:3, 2]], -1),
    ),
    OpCase(
        shaping.getitem,
        [CUBE],
        {"key": (1, ..., 2)},
        lambda x: np.array([x[1, i, 2] for i in range(3)]),
        label="ellipsis",
    ),
    OpCase(
        shaping.put_zeros,
        [np.arange(2.0) + 5],
        {"key": (slice(None, None, -2),), "shape": (3,)},
        lambda x: np.array([x[1], 0, x[0]]),
    ),
    OpCase(
        cotangents.sum_to,
        [CUBE],
        {"shape": (3, 1)},
        lambda x: np.array([[sum(x[i, j, k] for i in range(2) for k in range(4))] for j in range(3)]),
    ),
    OpCase(
        cotangents.broadcast_to,
        [X[:, :1]],
        {"shape": (4, 2, 3)},
        lambda x: np.array([[[v, v, v] for v in x[:, 0]]] * 4),
    ),
    OpCase(assembling.cast, [X], {"dtype": FLOAT64}, lambda x: x.astype("float64")),
    OpCase(
        assembling.cast,
        [X + 1j * X[::-1]],
        {"dtype": FLOAT64},
        lambda x: x.real,
        dtypes=("complex128",),
        label="complex",
    ),
    OpCase(
        assembling.cast_discrete,
        [X],
        {"dtype": np.dtype("int32")},
        lambda x: np.array([[int(v) for v in row] for row in x], "int32"),
    ),
    OpCase(
        assembling.cast_discrete,
        [np.array([0.0, np.nan, 2.0])],
        {"dtype": np.dtype(bool)},
        lambda x: np.array([False, True, True]),
        label="bool",
    ),
    OpCase(
        shaping.bitcast,
        [np.array([1.0, -2.0], "float32")],
        {"dtype": np.dtype("int32")},
        lambda x: np.array([0x3F800000, -0x40000000], "int32"),
        dtypes=("float32",),
    ),
    OpCase(shaping.band_part, [SQUARE], {"lower": 1, "upper": 0}, lambda x: np.tril(x) - np.tril(x, -2)),
    OpCase(shaping.band_part, [SQUARE], {"lower": -1, "upper": 0}, np.tril, label="lower"),
    OpCase(shaping.diag_part, [SQUARE], {}, lambda x: np.array([[m[i, i] for i in range(3)] for m in x])),
    OpCase(shaping.diag, [X], {"shape": (2, 3, 3)}, lambda x: np.stack([np.diag(row) for row in x])),
    OpCase(
        operators.join_strings,
        [np.array([b"a", b"b"], object), np.array([b"x", b"y"], object)],
        {},
        lambda x, y: np.array([b"ax", b"by"], object),
    ),
]
