"""Every primitive at every case, and its gradient: what is replayed for other values equals what runs eagerly."""

import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.tensor import exact, wrap
from tests.ops.test_rules import CASES, DIFFERENTIABLE, main_dtype


def moved(case, array):
    """Other values from the same domain: the replay of a constant would show."""
    if np.asarray(array).dtype.kind not in "fc":
        return array
    return (array * np.asarray(array).dtype.type(1.0009765625))[()]


def bits(values):
    return [exact(v) for v in values]


def flat(result):
    found = []
    for r in result if isinstance(result, tuple | list) else [result]:
        if r is None:
            continue
        found += [r.values.numpy(), r.indices.numpy()] if hasattr(r, "indices") else [r.numpy()]
    return found


def check(f, first, second):
    """Capture f at the first arguments, replay it at the second ones, and compare with eager calls."""
    captured = tf.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bits(flat(captured(*first))) == bits(flat(f(*first)))
        again = flat(captured(*second))
    assert bits(again) == bits(flat(f(*second)))
    assert captured.experimental_get_tracing_count() == 1, captured.explain()
    return captured


def tensors(case, arrays):
    return [wrap(np.array(a)) for a in arrays]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_value(case):
    first = case.arrays(main_dtype(case))
    second = [moved(case, a) for a in first]
    check(lambda *xs: case.op(*xs, **case.params), tensors(case, first), tensors(case, second))


def gradient(case, order):
    """The gradient, as a function of the arguments and a cotangent that changes with them; of order 2 if asked."""
    positions = case.positions()

    def once(*xs):
        live = [xs[i] for i in positions]
        with tf.GradientTape() as tape:
            tape.watch(live)
            out = case.op(*xs, **case.params)
            outs = [o for k, o in enumerate(out if isinstance(out, tuple) else (out,)) if k not in case.free]
            outs = [o for o in outs if o.dtype.is_floating or o.dtype.is_complex]
            weights = [tf.stop_gradient(tf.cos(o)) for o in outs]
        return tape.gradient(outs, live, output_gradients=weights)

    def twice(*xs):
        live = [xs[i] for i in positions]
        with tf.GradientTape() as tape:
            tape.watch(live)
            first = [g for g in once(*xs) if g is not None]
            total = [tf.reduce_sum(tf.sin(tf.convert_to_tensor(g))) for g in first]
        return tape.gradient(total, live)

    return once if order == 1 else twice


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
@pytest.mark.parametrize("order", [1, 2])
def test_gradient(case, order):
    if order > case.orders:
        pytest.skip("the case is checked at order 1 only")
    first = case.arrays(main_dtype(case))
    second = [moved(case, a) for a in first]
    check(gradient(case, order), tensors(case, first), tensors(case, second))
