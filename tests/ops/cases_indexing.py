"""Cases of gathers, scatters, sorting and one-hot."""

import numpy as np

from gradtape.core import indexed_slices
from gradtape.ops import indexing, quantization, sets

from .opcase import OpCase

X = np.arange(12.0).reshape(4, 3) * 1.3 - 5
ROWS = np.array([[0, 2], [2, 3]])
PLACES = np.array([[0, 1], [3, 2], [1, 0]])
UPDATES = np.array([7.5, -1.5, 2.5])
REPEATED = np.array([[1], [3], [1]])
ROW_UPDATES = np.arange(9.0).reshape(3, 3) * 0.7 - 2
ORDER = np.array([[2, 0], [1, 2], [0, 1], [2, 1]])


def added(x, places, updates):
    out = x.copy()
    for place, update in zip(places, updates, strict=True):
        out[tuple(place)] += update
    return out


def replaced(x, places, updates):
    out = x.copy()
    for place, update in zip(places, updates, strict=True):
        out[tuple(place)] = update
    return out


def extreme(pick):
    def reference(x, places, updates):
        out = x.copy()
        for place, update in zip(places, updates, strict=True):
            out[tuple(place)] = pick(out[tuple(place)], update)
        return out

    return reference


CASES = [
    OpCase(
        indexed_slices.add_rows,
        [ROW_UPDATES, np.array([1, 3, 1])],
        {"shape": (4, 3)},
        lambda v, i: added(np.zeros((4, 3)), i[:, None], v),
    ),
    OpCase(indexed_slices.take_rows, [X, np.array([3, 0, 3])], {}, lambda x, i: np.stack([x[3], x[0], x[3]])),
    OpCase(indexing.gather_rows, [X, ROWS], {}, lambda x, i: np.array([[x[0], x[2]], [x[2], x[3]]])),
    OpCase(
        indexing.gather, [X, np.array([2, 0, 2])], {"axis": 1}, lambda x, i: np.stack([x[:, 2], x[:, 0], x[:, 2]], 1)
    ),
    OpCase(
        indexing.scatter_along,
        [X, np.array([1, 3, 1])],
        {"axis": 1, "shape": (4, 5)},
        lambda x, i: np.stack([x[:, 0] * 0, x[:, 0] + x[:, 2], x[:, 0] * 0, x[:, 1], x[:, 0] * 0], 1),
    ),
    OpCase(indexing.gather_nd, [X, PLACES], {}, lambda x, i: np.array([x[0, 1], x[3, 2], x[1, 0]])),
    OpCase(indexing.scatter_nd, [ROW_UPDATES, REPEATED], {"shape": (4, 3)}, lambda v, i: added(np.zeros((4, 3)), i, v)),
    OpCase(indexing.nd_update, [X, PLACES, UPDATES], {}, replaced),
    OpCase(indexing.nd_update, [X, REPEATED, ROW_UPDATES], {}, replaced, label="repeated"),
    OpCase(indexing.last_written, [ROW_UPDATES, REPEATED], {}, lambda v, i: v * np.array([[0.0], [1.0], [1.0]])),
    OpCase(indexing.nd_add, [X, REPEATED, ROW_UPDATES], {}, added),
    OpCase(indexing.nd_max, [X, PLACES, UPDATES], {}, extreme(np.maximum)),
    OpCase(indexing.nd_min, [X, PLACES, UPDATES], {}, extreme(np.minimum)),
    OpCase(indexing.nonzero, [np.array([[0.0, 2.0], [3.0, 0.0]])], {}, lambda x: np.array([[0, 1], [1, 0]])),
    OpCase(
        indexing.take_along, [X, ORDER], {"axis": 1}, lambda x, o: np.array([[x[i, j] for j in o[i]] for i in range(4)])
    ),
    OpCase(
        indexing.put_along,
        [X[:, :2], ORDER],
        {"axis": 1, "size": 3},
        lambda x, o: np.array([[sum(x[i, k] for k in range(2) if o[i, k] == j) for j in range(3)] for i in range(4)]),
    ),
    OpCase(
        indexing.argsort,
        [np.array([3.0, 1.0, 2.0, 1.0])],
        {"axis": 0, "descending": False},
        lambda x: np.array([1, 3, 2, 0]),
    ),
    OpCase(
        indexing.argsort,
        [np.array([3.0, 1.0, 2.0, 1.0])],
        {"axis": 0, "descending": True},
        lambda x: np.array([0, 2, 1, 3]),
        label="descending",
    ),
]
CASES += [
    OpCase(
        indexing.winners,
        [np.array([1.0, 5.0, 2.0]), np.array([[0], [2], [2]]), np.array([3.0, 2.0, 2.0]), np.array([3.0, 5.0, 2.0])],
        {},
        lambda x, i, u, out: np.array([1.0, 1.0, 3.0]),
    ),
    OpCase(
        indexing.one_hot,
        [np.array([1, 3, 0])],
        {"depth": 3, "on": 2.0, "off": -1.0, "axis": 1, "dtype": np.dtype("float32")},
        lambda i: np.array([[-1, 2, -1], [-1, -1, -1], [2, -1, -1]], "float32"),
    ),
    OpCase(
        indexing.searchsorted,
        [np.array([1.0, 3.0, 3.0, 5.0]), np.array([3.0, 0.0, 9.0])],
        {"side": "left", "dtype": np.dtype("int32")},
        lambda o, v: np.array([1, 0, 4], "int32"),
    ),
    OpCase(
        indexing.unique,
        [np.array([5.0, 1.0, 5.0, 7.0])],
        {"dtype": np.dtype("int32")},
        lambda x: (np.array([0, 1, 3]), np.array([0, 1, 0, 2], "int32"), np.array([2, 1, 1], "int32")),
    ),
    OpCase(
        sets.combined,
        [np.array([0, 0, 1, 1]), np.array([2, 1, 5, 5]), np.array([0, 1]), np.array([1, 4])],
        {"operation": "union", "shape": (2,)},
        lambda ga, a, gb, b: (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([1, 2, 4, 5])),
    ),
    OpCase(
        sets.set_sizes,
        [np.array([0, 0, 2, 2]), np.array([2, 1, 5, 5])],
        {"shape": (3,)},
        lambda groups, values: np.array([2, 0, 1], "int32"),
    ),
    OpCase(
        sets.bins,
        [np.array([-1.0, 1.6, 9.0]), np.float64(0.0), np.float64(5.0)],
        {"count": 5, "dtype": np.dtype("int32")},
        lambda values, low, high: np.array([0, 1, 4], "int32"),
        live=(),
    ),
    OpCase(
        sets.bin_counts,
        [np.array([-1.0, 1.6, 9.0]), np.array([0.0, 5.0])],
        {"count": 5, "dtype": np.dtype("int32")},
        lambda values, edges: np.array([1, 1, 0, 0, 1], "int32"),
        live=(),
    ),
    OpCase(
        quantization.on_grid,
        [np.array([-7.0, 0.5, 2.1, 9.0]), np.float64(-7.0), np.float64(8.0)],
        {"bits": 4, "narrow": False},
        lambda x, low, high: np.array([-7.0, 1.0, 2.0, 8.0]),
        live=(),
        dtypes=("float32",),
    ),
    OpCase(
        quantization.side_of_grid,
        [np.array([-7.5, 0.5, 8.0, 9.0]), np.float64(-7.0), np.float64(8.0)],
        {"bits": 4, "narrow": False},
        lambda x, low, high: np.array([-1, 0, 0, 1], "int8"),
        live=(),
        dtypes=("float32",),
    ),
]
