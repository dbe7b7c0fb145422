"""Every primitive, batched, gives for each example what it gives for that alone: values, vjps and jvps."""

from itertools import product

import numpy as np
import pytest

from gradtape.core.batching import Batched, Level
from gradtape.core.forward import push_forward
from gradtape.core.recorder import paused
from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.transforms import batching

from .opcase import TOLERANCE, apply, assert_close, jvp, outputs, pulled, random_like, vjp
from .test_rules import CASES, main_dtype, rng_of

SIZE = 3

ANY_SHAPE = {"combined", "distinct", "nonzero", "places_of", "true_places", "unique"}
"""Primitives whose result may have another shape for each example: they cannot be batched."""

ALONE = {
    *ANY_SHAPE,
    "along_axis",
    "best_paths",
    "bin_counts",
    "class_draws",
    "exchanges",
    "greedy_path",
    "in_largest",
    "inverse_permutation",
    "is_among",
    "may_jump",
    "pair_counts",
    "reversed_places",
    "row_places",
    "segment_sizes",
    "set_sizes",
    "shuffled_index",
    "unravelled",
    "with_blanks",
    "with_part",  # the updates of variables, which hold one value for all
    "with_positions",
    "with_rows",
    "zero_share",
}
"""Primitives of which each example is done alone. Those of random numbers are too."""


def example(array, i):
    """An argument of example i: moved inside its domain, or its rows in another order."""
    array = np.asarray(array)
    if array.dtype.kind in "fc":
        return (array * array.real.dtype.type(1 - 0.05 * i)).astype(array.dtype)
    return np.roll(array, i, axis=0) if array.ndim > 1 else array


def subsets(case):
    count = len(case.args)
    return [flags for flags in product((True, False), repeat=count) if any(flags)][: 2**3]


def examples(case, flags):
    """The arguments of each example, and those of all."""
    arrays = case.arrays(main_dtype(case))
    rows = [[example(a, i) if f else np.asarray(a) for a, f in zip(arrays, flags, strict=True)] for i in range(SIZE)]
    columns = zip(flags, zip(*rows, strict=True), strict=True)
    return rows, [np.stack(column) if flag else np.asarray(column[0]) for flag, column in columns]


def inside(level, whole, flags):
    return [Tensor(Batched(a, level)) if f else wrap(a) for a, f in zip(whole, flags, strict=True)]


def row(level, value, i):
    value = raw(value)
    return raw(value.array)[i] if level.has(value) else value


@pytest.fixture
def level(monkeypatch):
    """A batching in which nothing may be done example by example, but for the ops that say so."""

    def fallback(primitive, *rest):
        assert primitive.__name__ in ALONE or primitive.kernel.func.__module__.endswith("sampling"), (
            f"{primitive.__name__} has no batch rule"
        )
        return batching.loop(primitive, *rest)

    return Level(SIZE, fallback)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values(case, level):
    for flags in subsets(case):
        rows, whole = examples(case, flags)
        if case.op.__name__ in ANY_SHAPE and flags[0]:
            continue
        with level.entered():
            got = outputs(case.op(*inside(level, whole, flags), **case.params))
        for i, arrays in enumerate(rows):
            for g, w in zip(got, apply(case, arrays), strict=True):
                one = row(level, g, i)
                assert one.dtype == w._value.dtype
                if one.dtype.kind == "O":
                    np.testing.assert_array_equal(one, w._value)
                else:
                    assert_close(one, w._value, TOLERANCE[main_dtype(case)], f"{flags} example {i}")


@pytest.mark.parametrize("case", [c for c in CASES if c.positions()], ids=str)
def test_derivatives(case, level):
    rng = rng_of(case)
    live = case.positions()
    for flags in subsets(case):
        rows, whole = examples(case, flags)
        outs = [[None if k in case.free else o._value for k, o in enumerate(apply(case, arrays))] for arrays in rows]
        cts = [[random_like(rng, o) if o is not None else None for o in out] for out in outs]
        all_cts = [None if c[0] is None else np.stack(c) for c in zip(*cts, strict=True)]
        with level.entered():
            tensors = inside(level, whole, flags)
            found, _ = pulled(case, tensors, [None if c is None else Batched(c, level) for c in all_cts], live)
        for i, arrays in enumerate(rows):
            for g, w in zip(found, vjp(case, arrays, cts[i], live), strict=True):
                assert (g is None) == (w is None)
                if g is not None:
                    assert_close(row(level, g, i), w, 1e-9, f"vjp of {flags} example {i}")


@pytest.mark.parametrize("case", [c for c in CASES if c.positions()], ids=str)
def test_tangents(case, level):
    rng = rng_of(case)
    for flags in subsets(case):
        rows, whole = examples(case, flags)
        directions = [{i: random_like(rng, a[i]) for i in case.positions()} for a in rows]
        if case.symmetric:
            directions = [{i: (d + np.swapaxes(d, -1, -2)) / 2 for i, d in ds.items()} for ds in directions]
        with level.entered():
            tensors = inside(level, whole, flags)
            moved = [
                Tensor(Batched(np.stack([d[i] for d in directions]), level)) if i in directions[0] else None
                for i in range(len(whole))
            ]
            out = case.op(*tensors, **case.params)
            with paused():
                pushed = push_forward(case.op, moved, tuple(tensors), case.params, out)
        pushed = pushed if type(out) is tuple else (pushed,)
        for i, arrays in enumerate(rows):
            for k, w in enumerate(jvp(case, arrays, directions[i])):
                if w is not None and k not in case.free:
                    assert_close(row(level, pushed[k], i), w, 1e-9, f"jvp of {flags} example {i}")
