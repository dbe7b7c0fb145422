"""Cases of draws from a key, of updates of variables' values, and of what the machine asks of values."""

import numpy as np

from gradtape.core.tape import any_nan
from gradtape.ops import candidates, index_shuffle, places, sampling
from gradtape.ops import variable_ops as updates
from gradtape.ops.reductions import zero_share
from gradtape.ops.selection import is_close

from .opcase import OpCase

KEY = np.array([3, 5], np.uint64)
F64, I64 = np.dtype(np.float64), np.dtype(np.int64)
TABLE = np.arange(6.0).reshape(3, 2)
ROWS = np.array([0, 2, 0])
CHANGE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def stream(key=KEY):
    return np.random.Generator(np.random.Philox(key=key))


def draws(op, method, *args, dtype=F64, **params):
    """A case of draws of shape [4, 3], which a method of NumPy's generator gives too."""
    return OpCase(
        op,
        (KEY, *[np.asarray(a) for a in args]),
        {"shape": (4, 3), "dtype": dtype, **params},
        lambda key, *rest: getattr(stream(), method)(*rest, size=(4, 3)).astype(dtype),
        live=(),
        dtypes=("float64",),
    )


def plain(op, args, params, reference):
    return OpCase(op, args, params, reference, live=(), dtypes=("float64",))


def zeros(*args):
    return np.zeros(2, np.int64)


CASES = [
    plain(
        sampling.seed_key,
        (np.array([7, 0, 1]),),
        {},
        lambda w: np.random.Philox(np.random.SeedSequence([7, 0, 1])).state["state"]["key"],
    ),
    plain(sampling.folded, (KEY, np.int64(6)), {}, lambda k, d: np.array([3, 5 ^ 6], np.uint64)),
    draws(sampling.normals, "standard_normal"),
    plain(sampling.gammas, (KEY, np.float64(2.5)), {"shape": (4, 3)}, lambda key, a: stream().gamma(a, size=(4, 3))),
    plain(index_shuffle.shuffled_index, (np.array([0, 0]), np.array([1, 2, 3]), np.array(0)), {"rounds": 4}, zeros),
    draws(sampling.betas, "beta", 2.5, 0.5),
    draws(sampling.poissons, "poisson", 4.0, dtype=I64),
    draws(sampling.binomials, "binomial", np.int64(9), 0.25, dtype=I64),
    draws(sampling.uniform_integers, "integers", np.int64(-4), np.int64(9), dtype=I64),
    plain(
        sampling.uniform_bits,
        (KEY,),
        {"shape": (5,), "dtype": np.dtype(np.uint8)},
        lambda k: stream().integers(0, 255, 5, dtype=np.uint8, endpoint=True),
    ),
    plain(sampling.uniforms, (KEY,), {"shape": (4,), "dtype": F64}, lambda k: stream().random(4)),
    plain(
        sampling.uniforms,
        (KEY,),
        {"shape": (4,), "dtype": np.dtype(np.float32)},
        lambda k: stream().random(4, np.float32),
    ),
    plain(sampling.permutation, (KEY,), {"count": 6}, lambda k: stream().permutation(6)),
    plain(
        candidates.class_draws,
        (KEY, np.array([0.25, 0.0, 0.75])),
        {"count": 4, "unique": False},
        lambda k, p: (np.where(stream().random(16)[:4] < 0.25, 0, 2), np.int64(4)),
    ),
    OpCase(
        candidates.class_draws,
        (KEY, np.array([1.0, 0.0, 0.0])),
        {"count": 1, "unique": True},
        lambda k, p: (np.array([0]), np.int64(1)),
        live=(),
        dtypes=("float64",),
        label="unique",
    ),
    plain(
        sampling.truncated_normals,
        (KEY,),
        {"shape": (3,), "dtype": F64, "low": -9.0, "high": 9.0},
        lambda k: stream().standard_normal(3),
    ),
    plain(
        sampling.categories,
        (KEY, np.log([[0.2, 0.3, 0.5], [1.0, 1.0, 1.0]])),
        {"count": 4, "dtype": I64},
        lambda k, x: np.argmax(x[:, None, :] + stream().gumbel(size=(2, 4, 3)), -1),
    ),
    plain(
        updates.with_part,
        (TABLE, np.array([8.0, 9.0])),
        {"place": (slice(1, 3),)},
        lambda x, p: np.array([[0.0, 1.0], [8.0, 9.0], [8.0, 9.0]]),
    ),
    plain(
        updates.with_rows,
        (TABLE, ROWS, CHANGE),
        {"how": "add"},
        lambda x, i, u: np.array([[6.0, 9.0], [2.0, 3.0], [7.0, 9.0]]),
    ),
    plain(
        updates.with_positions,
        (TABLE, np.array([[0, 1], [2, 0]]), np.array([10.0, -1.0])),
        {"how": "update"},
        lambda x, i, u: np.array([[0.0, 10.0], [2.0, 3.0], [-1.0, 5.0]]),
    ),
    plain(any_nan, (TABLE, np.array([1.0, np.nan])), {}, lambda *xs: np.bool_(True)),
    plain(any_nan, (TABLE, np.array([1.0, np.inf])), {}, lambda *xs: np.bool_(False)),
    plain(zero_share, (np.array([0.0, 2.0, 0.0, 1.0]),), {}, lambda x: np.float64(0.5)),
    plain(places.true_places, (np.array([[True, False], [True, True]]),), {}, lambda m: np.array([0, 2, 3])),
    plain(places.places_of, (np.array([1, 0, 1]),), {"number": 1}, lambda g: np.array([0, 2])),
    plain(
        places.row_places,
        (np.array([[1, 0], [0, 1]]),),
        {},
        lambda r: np.array([[[0, 1], [0, 0]], [[1, 0], [1, 1]]]),
    ),
    plain(
        places.reversed_places,
        (np.array([2, 3]),),
        {"shape": (2, 3), "along": 1, "batch": 0},
        lambda c: np.array([[1, 0, 2], [2, 1, 0]]),
    ),
    plain(places.unravelled, (np.array([5, 1]),), {"sizes": (2, 3)}, lambda n: np.array([[1, 0], [2, 1]])),
    plain(places.inverse_permutation, (np.array([2, 0, 1]),), {}, lambda x: np.array([1, 2, 0])),
    plain(
        places.in_largest,
        (np.array([0, 2, 7]), np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 0.0], [1.0, 1.0, 1.0]])),
        {"count": 2},
        lambda labels, scores: np.array([True, False, False]),
    ),
    plain(
        places.pair_counts,
        (np.array([0, 1, 1]), np.array([1, 1, 1]), np.array([1, 2, 3])),
        {"size": 2, "dtype": np.dtype(np.int32)},
        lambda r, c, a: np.array([[0, 1], [0, 5]], np.int32),
    ),
    plain(places.segment_sizes, (np.array([0, -1, 2, 2]),), {"count": 4}, lambda i: np.array([1, 0, 2, 0])),
    plain(
        places.along_axis,
        (np.array([[1], [-1]]),),
        {"shape": (2, 3), "axis": 1},
        lambda p: np.array([[[0, 1]], [[1, 2]]]),
    ),
    plain(
        is_close,
        (np.array([1.0, np.nan, 1.0]), np.array([1.05, np.nan, 2.0])),
        {"rtol": 0.1, "atol": 0.0, "equal_nan": True},
        lambda x, y: np.array([True, True, False]),
    ),
]
