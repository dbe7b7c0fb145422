"""vectorized_map: every operation once for all slices; tapes and other maps inside and outside."""

import logging

import numpy as np
import pytest

import gradtape as tf

X = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])
W = np.array([[0.5, -0.2], [0.1, 0.8], [-0.6, 0.4]])


def rowwise(f, *arrays):
    return np.stack([np.asarray(f(*[tf.constant(a[i]) for a in arrays])) for i in range(len(arrays[0]))])


def test_structures_and_constants():
    found = tf.vectorized_map(lambda e: {"sum": e["a"] + e["b"], "one": tf.constant(1.0)}, {"a": X, "b": X[:, :1]})
    np.testing.assert_array_equal(found["sum"], X + X[:, :1])
    np.testing.assert_array_equal(found["one"], [1.0, 1.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.linalg.matvec(tf.transpose(tf.constant(W)), x),
        lambda x: tf.reduce_sum(x * x),
        lambda x: tf.nn.softmax(x),
        lambda x: tf.sort(x),
        lambda x: tf.gather(x, tf.argsort(x)),
        lambda x: tf.gather(tf.constant(W), tf.argsort(x)),
        lambda x: tf.concat([x, tf.constant([2.0], tf.float64)], 0),
        lambda x: tf.stack([x, tf.ones_like(x)]),
        lambda x: tf.where(x > 0, x, tf.exp(x)),
        lambda x: x[tf.newaxis, ::-1],
        lambda x: tf.einsum("i,j->ij", x, x),
        lambda x: tf.cumsum(x),
        lambda x: tf.boolean_mask(x, [True, False, True]),
        lambda x: tf.linalg.det(tf.linalg.diag(x)),
        lambda x: tf.tensor_scatter_nd_update(x, [[1]], [7.0]),
        lambda x: tf.one_hot(tf.argmax(x), 3),
        lambda x: tf.reduce_logsumexp(x) + tf.norm(x),
        lambda x: tf.cast(tf.shape(x)[0], tf.float64) * x,
        lambda x: tf.map_fn(lambda v: v * v, x),
    ],
)
def test_equals_a_loop(f, caplog):
    with caplog.at_level(logging.WARNING, "gradtape"):
        found = tf.vectorized_map(f, X)
    assert not caplog.records
    np.testing.assert_allclose(found, rowwise(f, X), rtol=1e-12)


def test_gradients_of_each_example():
    w = tf.Variable(W)

    def gradient(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.linalg.matvec(w, x, transpose_a=True)) ** 2)
        return tape.gradient(loss, w)

    found = tf.vectorized_map(gradient, X)
    assert found.shape == (2, 3, 2)
    np.testing.assert_allclose(found, rowwise(gradient, X), rtol=1e-12)


def test_a_tape_outside():
    w, x = tf.Variable(W), tf.constant(X)

    def losses():
        return tf.vectorized_map(lambda v: tf.reduce_sum(tf.sin(tf.linalg.matvec(w, v, transpose_a=True))), x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(losses() ** 2)
    gw, gx = tape.gradient(total, [w, x])
    with tf.GradientTape() as tape:
        tape.watch(x)
        again = tf.reduce_sum(tf.reduce_sum(tf.sin(x @ w), 1) ** 2)
    for got, want in zip((gw, gx), tape.gradient(again, [w, x]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_tapes_inside_and_outside():
    """The gradient of the sum of squared per-example gradients."""
    w = tf.Variable(W)
    with tf.GradientTape() as outer:

        def squared(x):
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(tf.tanh(tf.linalg.matvec(w, x, transpose_a=True)) ** 2)
            return tf.reduce_sum(inner.gradient(loss, w) ** 2)

        total = tf.reduce_sum(tf.vectorized_map(squared, X))
    found = outer.gradient(total, w)

    def penalty(at):
        total = 0.0
        for x in X:
            a = np.tanh(x @ at)
            total += np.sum(np.outer(x, 2 * a * (1 - a**2)) ** 2)
        return total

    step = 1e-6
    for i, j in np.ndindex(*W.shape):
        moved = np.zeros_like(W)
        moved[i, j] = step
        slope = (penalty(W + moved) - penalty(W - moved)) / (2 * step)
        assert float(found[i, j]) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_maps_nest():
    found = tf.vectorized_map(lambda a: tf.vectorized_map(lambda b: tf.reduce_sum(a * b), W.T), X)
    np.testing.assert_allclose(found, X @ W, rtol=1e-12)


def test_a_tape_between_nested_maps():
    def row(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.reduce_sum(tf.vectorized_map(lambda b: tf.reduce_sum(a * b) ** 2, W.T))
        return tape.gradient(y, a)

    np.testing.assert_allclose(tf.vectorized_map(row, X), 2 * X @ W @ W.T, rtol=1e-12)


def test_jacobians_inside():
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    np.testing.assert_allclose(tf.vectorized_map(jacobian, X), rowwise(jacobian, X), rtol=1e-12)


def test_forward_mode_inside():
    def directional(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.reduce_prod(x) + tf.exp(x)
        return acc.jvp(y)

    np.testing.assert_allclose(tf.vectorized_map(directional, X), rowwise(directional, X), rtol=1e-12)


def test_choices_that_agree_are_made_once():
    calls = []

    def f(x):
        calls.append(1)
        return x if tf.reduce_sum(x) < 100 else -x

    np.testing.assert_array_equal(tf.vectorized_map(f, X), X)
    assert len(calls) == 1


def test_choices_that_differ_fall_back(caplog):
    def f(x):
        return x if x[0] > 0.5 else -x

    with caplog.at_level(logging.WARNING, "gradtape"):
        found = tf.vectorized_map(f, X)
    np.testing.assert_array_equal(found, [-X[0], X[1]])
    assert "one slice after the other" in caplog.text
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.where or tf\.cond"):
        tf.vectorized_map(f, X, fallback_to_while_loop=False)


@pytest.mark.parametrize("leave", [lambda x: x.numpy(), float, np.asarray, lambda x: [0, 1][x]])
def test_leaving_for_python_is_an_error(leave):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        tf.vectorized_map(lambda x: leave(x) * x, np.array([0.3, 0.7]), fallback_to_while_loop=False)


def test_a_custom_gradient_under_a_tape_outside(caplog):
    @tf.custom_gradient
    def tripled(x):
        return x * 1.0, lambda ct: ct * 3.0

    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(tripled, x)
    np.testing.assert_array_equal(tape.gradient(y, x), np.full_like(X, 3.0))
    assert "custom gradient" in caplog.text


def test_a_stopped_gradient_under_a_tape_outside():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda v: v * tf.stop_gradient(v), x)
    np.testing.assert_array_equal(tape.gradient(y, x), X)


def test_a_variable_cannot_hold_one_example():
    v = tf.Variable(0.0, dtype=tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="variable"):
        tf.vectorized_map(lambda x: v.assign(tf.reduce_sum(x)), X, fallback_to_while_loop=False)
    assert float(v) == 0.0


def test_errors_leave_nothing_behind():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(lambda x: tf.matmul(x, x), X)
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 4.0


def test_functions_inside():
    @tf.function
    def squares(x):
        return tf.reduce_sum(x * x)

    for _ in range(2):
        np.testing.assert_allclose(tf.vectorized_map(squares, X), (X * X).sum(1), rtol=1e-12)


def test_inside_of_a_function():
    w = tf.Variable(W)

    @tf.function
    def norms(x):
        def of_one(v):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.linalg.matvec(w, v, transpose_a=True) ** 2)
            return tf.reduce_sum(tape.gradient(loss, w) ** 2)

        return tf.vectorized_map(of_one, x)

    for scale in (1.0, 2.0, -1.0):
        wanted = [np.sum((2 * np.outer(x, x @ W)) ** 2) for x in X * scale]
        np.testing.assert_allclose(norms(tf.constant(X * scale)), wanted, rtol=1e-12)


def test_jacobians_inside_of_a_function():
    @tf.function
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 0, tf.sqrt(tf.abs(x)), x * x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    for scale in (1.0, 2.0, -1.0):
        x = tf.constant(X[0] * scale)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 0, tf.sqrt(tf.abs(x)), x * x) * tf.reduce_sum(x)
        np.testing.assert_allclose(jacobian(x), tape.jacobian(y, x, experimental_use_pfor=False), rtol=1e-12)
