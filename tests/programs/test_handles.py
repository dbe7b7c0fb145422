"""Which Tensor is meant: arguments that are the same one, closures that tapes watch, values of variables."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([1.0, 2.0])
VARIABLE = tf.Variable([3.0, -1.0])


def gradients(f, *args):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        for a in args:
            tape.watch(a)
        y = f(*args)
    return [y, *[tape.gradient(y, s, unconnected_gradients="zero") for s in (X, VARIABLE, *args)]]


def second_order(f, *args):
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = tf.reduce_sum(f(*args))
        first = inner.gradient(y, X)
    return [y, first, outer.jacobian(first, X)]


def jvps(f, *args):
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as acc:
        y = f(*args)
    return [y, acc.jvp(y)]


def same(f, called, calls):
    g = tf.function(f)
    for args in calls:
        for found, eager in zip(called(g, *args), called(f, *args), strict=True):
            assert np.array_equal(found.numpy(), eager.numpy())
    assert "runs eagerly" not in g.explain()


@pytest.mark.parametrize("f", [lambda a, b: a * a - b, lambda a, b: tf.stop_gradient(a) * a - tf.identity(b)])
@pytest.mark.parametrize("called", [gradients, lambda f, *args: [f(*args)]])
def test_one_tensor_as_two_arguments(f, called):
    same(f, called, [(X, X), (X, X + 1.0), (X + 3.0, X)])


def test_the_value_of_a_variable_as_an_argument():
    same(lambda a: VARIABLE * a, gradients, [(tf.convert_to_tensor(VARIABLE),), (X,)])


@pytest.mark.parametrize("called", [gradients, second_order, jvps])
def test_whoever_listens_hears_of_closures(called):
    same(
        lambda z: X * z * X + tf.sin(X) if z > 2.5 else X * X * X, called, [(tf.constant(v),) for v in (2.0, 3.0, 2.0)]
    )


def test_what_closures_alone_decide_costs_replays_nothing():
    f = tf.function(lambda z: z + tf.sin(X) * tf.cos(X) if tf.reduce_sum(X) > 0 else z)
    for v in (1.0, 2.0):
        assert np.array_equal(f(tf.constant(v)).numpy(), (v + tf.sin(X) * tf.cos(X)).numpy())
    [program] = f.programs
    assert not program.guards
    assert "tf.sin" not in f.explain()


def test_the_order_of_a_dictionary_counts():
    f = tf.function(lambda d: next(iter(d.values())) * 2.0)
    for _ in range(2):
        assert f({"a": tf.constant(1.0), "b": tf.constant(3.0)}).numpy() == 2.0
        assert f({"b": tf.constant(3.0), "a": tf.constant(1.0)}).numpy() == 6.0
    assert f.experimental_get_tracing_count() == 2
    assert "b=float32" in f.explain()
