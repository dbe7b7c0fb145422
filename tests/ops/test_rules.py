"""Every primitive, at every case: value, forward and reverse derivatives, second order, dtypes, subsets, residuals."""

import itertools
import zlib

import numpy as np
import pytest

from gradtape.core.primitive import ALL
from gradtape.core.recorder import pop, push
from gradtape.core.tape import WIDTH, Tape
from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.transforms.forward import ForwardAccumulator

from .cases_algebra import CASES as ALGEBRA
from .cases_elementwise import CASES as ELEMENTWISE
from .cases_fourier import CASES as FOURIER
from .cases_indexing import CASES as INDEXING
from .cases_nn import CASES as NN
from .cases_numpy_only import CASES as NUMPY_ONLY
from .cases_random import CASES as RANDOM
from .cases_recurrent import CASES as RECURRENT
from .cases_reductions import CASES as REDUCTIONS
from .cases_scans import CASES as SCANS
from .cases_shaping import CASES as SHAPING
from .cases_special import CASES as SPECIAL
from .cases_special_functions import CASES as SPECIAL_FUNCTIONS
from .cases_windows import CASES as WINDOWS
from .opcase import (
    DIFFERENCES,
    TOLERANCE,
    apply,
    assert_close,
    differences,
    direction,
    inner,
    jvp,
    outputs,
    pulled,
    random_like,
    values,
    vjp,
)

CASES = [
    *ELEMENTWISE,
    *SHAPING,
    *REDUCTIONS,
    *SCANS,
    *RECURRENT,
    *INDEXING,
    *ALGEBRA,
    *NN,
    *SPECIAL,
    *SPECIAL_FUNCTIONS,
    *WINDOWS,
    *RANDOM,
    *NUMPY_ONLY,
    *FOURIER,
]
DIFFERENTIABLE = [case for case in CASES if case.positions()]
SECOND = [case for case in DIFFERENTIABLE if case.orders > 1]


def rng_of(case):
    return np.random.default_rng(zlib.crc32(str(case).encode()))


def directions(case, arrays, rng):
    return {i: direction(case, rng, arrays[i]) for i in case.positions()}


def cotangents(case, arrays, rng):
    made = enumerate(apply(case, arrays))
    return [None if k in case.free else random_like(rng, o._value) for k, o in made]


def main_dtype(case):
    return case.dtypes[0]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_value(case):
    for dtype in case.dtypes:
        arrays = case.arrays(dtype)
        got = apply(case, arrays)
        want = outputs(case.reference(*arrays) if case.reference else case.op(*arrays, **case.params))
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            w = np.asarray(w)
            assert g._value.shape == w.shape
            if case.reference is None:
                assert g._value.dtype == w.dtype
            if g._value.dtype.kind in "fc":
                assert_close(g._value, w, TOLERANCE.get(dtype, 1e-10), f"value in {dtype}")
            else:
                np.testing.assert_array_equal(g._value, w)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_jvp_is_the_derivative(case):
    rng, arrays = rng_of(case), case.arrays(main_dtype(case))
    tangents = directions(case, arrays, rng)
    for got, want in zip(jvp(case, arrays, tangents), differences(values(case), arrays, tangents), strict=True):
        if want is None:
            continue
        if got is None:
            np.testing.assert_allclose(want, 0, atol=1e-8)
        else:
            assert np.shape(got) == np.shape(want)
            assert_close(got, want, DIFFERENCES, "jvp")


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_vjp_is_the_transpose_of_jvp(case):
    rng, arrays = rng_of(case), case.arrays(main_dtype(case))
    tangents, cts = directions(case, arrays, rng), cotangents(case, arrays, rng)
    forward = sum(
        inner(c, t) for c, t in zip(cts, jvp(case, arrays, tangents), strict=True) if c is not None and t is not None
    )
    live = case.positions()
    backward = sum(
        inner(g, tangents[i]) for g, i in zip(vjp(case, arrays, cts, live), live, strict=True) if g is not None
    )
    assert forward == pytest.approx(backward, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", SECOND, ids=str)
def test_second_order(case):
    """The vjp, as a function of the arguments, is differentiated by the tape, in forward mode and by differences."""
    rng, arrays = rng_of(case), case.arrays(main_dtype(case))
    live = case.positions()
    tangents, cts = directions(case, arrays, rng), cotangents(case, arrays, rng)
    weights = [direction(case, rng, arrays[i]) for i in live]

    def first(moved):
        return [
            np.zeros(np.shape(a)) if g is None else g
            for g, a in zip(vjp(case, moved, cts, live), [arrays[i] for i in live], strict=True)
        ]

    want = sum(inner(w, d) for w, d in zip(weights, differences(first, arrays, tangents), strict=True))
    tensors = [wrap(np.array(a)) for a in arrays]
    moved = [tensors[i] for i in live]
    accumulator = ForwardAccumulator(moved, [wrap(np.array(tangents[i])) for i in live])
    outer = Tape()
    for t in moved:
        outer.watch(t)
    push(outer)
    try:
        with accumulator:
            grads, _ = pulled(case, tensors, [None if c is None else wrap(c) for c in cts], live)
    finally:
        pop(outer)
    seeds = [(g._id, wrap(w)) for g, w in zip(grads, weights, strict=True) if type(g) is Tensor]
    found = outer.pull_back(seeds, {t._id for t in moved}, False)
    got = sum(inner(raw(found[tensors[i]._id]), tangents[i]) for i in live if tensors[i]._id in found)
    assert got == pytest.approx(want, rel=2e-5, abs=2e-6), "reverse over reverse"
    pushed = [accumulator.jvp(g) if type(g) is Tensor else None for g in grads]
    got = sum(inner(w, raw(p)) for w, p in zip(weights, pushed, strict=True) if p is not None)
    assert got == pytest.approx(want, rel=2e-5, abs=2e-6), "forward over reverse"
    outer = Tape()
    for t in moved:
        outer.watch(t)
    accumulator = ForwardAccumulator(moved, [wrap(np.array(tangents[i])) for i in live])
    push(outer)
    try:
        with accumulator:
            pushed = [accumulator.jvp(o) for o in outputs(case.op(*tensors, **case.params))]
    finally:
        pop(outer)
    seeds = [(p._id, wrap(c)) for p, c in zip(pushed, cts, strict=True) if p is not None and c is not None]
    found = outer.pull_back(seeds, {t._id for t in moved}, False)
    got = sum(inner(w, raw(found[t._id])) for w, t in zip(weights, moved, strict=True) if t._id in found)
    assert got == pytest.approx(want, rel=2e-5, abs=2e-6), "reverse over forward"


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_cotangents_have_the_dtype_and_shape_of_their_arguments(case):
    for dtype in case.dtypes:
        rng, arrays = rng_of(case), case.arrays(dtype)
        live = case.positions()
        for i, grad in zip(live, vjp(case, arrays, cotangents(case, arrays, rng), live), strict=True):
            if grad is not None:
                assert np.asarray(grad).dtype == np.asarray(arrays[i]).dtype
                assert np.shape(grad) == np.shape(arrays[i])


@pytest.mark.parametrize("case", [c for c in DIFFERENTIABLE if "float32" in c.dtypes], ids=str)
def test_single_precision_agrees_with_double(case):
    arrays = {dtype: case.arrays(dtype) for dtype in ("float64", "float32")}
    live = case.positions()
    cts = cotangents(case, arrays["float64"], rng_of(case))
    exact = vjp(case, arrays["float64"], cts, live)
    single = vjp(
        case,
        arrays["float32"],
        [None if c is None else c.astype(np.complex64 if c.dtype.kind == "c" else np.float32) for c in cts],
        live,
    )
    for a, b in zip(exact, single, strict=True):
        if a is not None:
            assert_close(b, a, 3e-4, "float32 against float64")


@pytest.mark.parametrize("case", [c for c in DIFFERENTIABLE if len(c.positions()) > 1], ids=str)
def test_every_subset_of_live_arguments(case):
    arrays, live = case.arrays(main_dtype(case)), case.positions()
    cts = cotangents(case, arrays, rng_of(case))
    together = dict(zip(live, vjp(case, arrays, cts, live), strict=True))
    for n in range(1, len(live)):
        for subset in itertools.combinations(live, n):
            for i, grad in zip(subset, vjp(case, arrays, cts, subset), strict=True):
                if together[i] is None:
                    assert grad is None
                else:
                    assert_close(grad, together[i], 1e-12, f"argument {i} of {subset}")


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_only_declared_residuals_are_kept(case):
    arrays, live = case.arrays(main_dtype(case)), case.positions()
    tensors = [wrap(np.array(a)) for a in arrays]
    _, tape = pulled(case, tensors, cotangents(case, arrays, rng_of(case)), live)
    plan, ids, saved, *_ = tape.entries
    assert len(tape.entries) == WIDTH
    assert len(ids) == len(live)
    kept = (saved,) if plan.bare else saved
    assert len(kept) == (len(plan.reads) if plan.collect else len(arrays))


BROADCASTING = {case.op.__name__: case for case in DIFFERENTIABLE if case.op.broadcasts and len(case.args) == 2}


@pytest.mark.parametrize("case", BROADCASTING.values(), ids=str)
@pytest.mark.parametrize(
    "shapes",
    [((), (2, 3)), ((2, 3), ()), ((1, 3), (2, 1)), ((3,), (2, 3)), ((2, 1, 3), (2, 1)), ((0, 3), (1, 3)), ((), ())],
)
def test_broadcasting(case, shapes):
    """The gradient of a broadcast argument is that of the repeated one, summed back."""
    rng = rng_of(case)
    arrays = [np.resize(np.ravel(a), s)[()] for a, s in zip(case.arrays("float64"), shapes, strict=True)]
    out = np.broadcast_shapes(*shapes)
    ct = rng.normal(size=out)[()]
    wide = [np.broadcast_to(a, out).copy()[()] for a in arrays]
    live = case.positions()
    for i, grad, repeated in zip(live, vjp(case, arrays, [ct], live), vjp(case, wide, [ct], live), strict=True):
        assert np.shape(grad) == shapes[i]
        extra = len(out) - len(shapes[i])
        axes = (*range(extra), *(extra + k for k, n in enumerate(shapes[i]) if n == 1 and out[extra + k] != 1))
        np.testing.assert_allclose(grad, np.sum(repeated, axis=axes).reshape(shapes[i]), rtol=1e-10, atol=1e-12)


def test_every_primitive_has_a_case():
    covered = {id(case.op) for case in CASES}
    assert sorted(p.__name__ for p in ALL if id(p) not in covered) == []
