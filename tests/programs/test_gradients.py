"""Gradients of functions from outside."""

import numpy as np

import gradtape as tf


def count(f):
    return f.experimental_get_tracing_count()


def test_outer_tapes_to_any_order():
    v = tf.Variable(2.0)

    def g(x):
        y = x * x * v
        return y * x if y > 0 else -y

    f = tf.function(g)
    for _ in range(2):
        for value in (3.0, -3.0):
            x = tf.constant(value)

            def all_of(h, x=x):
                with tf.GradientTape() as outer:
                    outer.watch(x)
                    with tf.GradientTape(persistent=True) as inner:
                        inner.watch(x)
                        y = h(x)
                    first = inner.gradient(y, x)
                return [y, first, inner.gradient(y, v), outer.gradient(first, x)]

            assert [t.numpy() for t in all_of(f)] == [t.numpy() for t in all_of(g)]
    assert count(f) == 1


def test_jacobians_forward_mode_and_maps_go_through():
    def g(x):
        return tf.sin(x) * tf.reduce_sum(x)

    f = tf.function(g)
    x, t = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 0.5, -1.0])
    f(x)

    def jacobian(h):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = h(x)
        return tape.jacobian(y, x).numpy()

    def jvp(h):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = h(x)
        return acc.jvp(y).numpy()

    assert np.array_equal(jacobian(f), jacobian(g))
    assert np.array_equal(jvp(f), jvp(g))
    rows = tf.stack([x, x + 1.0])
    assert np.array_equal(tf.vectorized_map(f, rows).numpy(), tf.vectorized_map(g, rows).numpy())
    assert count(f) == 1


def test_maps_and_jacobians_inside():
    def g(x):
        rows = tf.vectorized_map(lambda r: r * 2.0 if tf.reduce_sum(r) > 0 else -r, x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return rows, tape.batch_jacobian(y, x)

    f = tf.function(g)
    x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    for value in (x, x + 1.0, -x - 5.0, x - 1.0 + 2.0):
        for found, eager in zip(f(value), g(value), strict=True):
            assert np.array_equal(found.numpy(), eager.numpy())
    assert count(f) == 2


def test_a_gradient_of_the_users_own_under_an_outer_tape():
    @tf.custom_gradient
    def clipped(x):
        y = tf.exp(x)
        return y, lambda d: d * y * 10.0

    f = tf.function(lambda x: clipped(x) * 2.0)
    for value in (0.0, 1.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert np.isclose(tape.gradient(y, x).numpy(), 20.0 * np.exp(value))


def test_updates_under_an_outer_tape():
    v = tf.Variable(3.0)

    def g(x):
        y = x * v
        v.assign_add(1.0)
        return y * v

    f = tf.function(g)
    for _ in range(3):
        before = v.numpy()
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        grads = tape.gradient(y, [x, v])
        assert y.numpy() == 2.0 * before * (before + 1)
        assert [g.numpy() for g in grads] == [before * (before + 1), 2.0 * (before + 1) + 2.0 * before]
        assert v.numpy() == before + 1


def test_what_a_failed_guard_told_an_outer_tape_does_not_count():
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def f(x):
        v.assign(x)
        return v * tf.reduce_sum(tf.boolean_mask(x, x > 0))

    for value in ([0.0, 0.0], [0.0, 0.5], [0.0, 0.0]):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            y = f(x)
        assert tape.gradient(y, v).numpy().tolist() == [sum(value)] * 2
