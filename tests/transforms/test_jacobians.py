"""Jacobians in one walk back: the same numbers for every chunk, and as one row after the other."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])
W = np.array([[0.5, -0.2], [0.1, 0.8], [-0.6, 0.4]])


def net(x, w):
    return tf.tanh(x @ w) * tf.reduce_sum(x)


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 4, 100])
def test_the_same_for_every_chunk(chunk):
    x, w = tf.constant(X), tf.Variable(W)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = net(x, w)
        z = tf.reduce_sum(y)
    jx, [jw, none] = tape.jacobian(y, (x, [w, tf.Variable(1.0)]), chunk=chunk)
    wanted = tape.jacobian(y, [x, w], experimental_use_pfor=False)
    np.testing.assert_allclose(jx, wanted[0], rtol=1e-13)
    np.testing.assert_allclose(jw, wanted[1], rtol=1e-13)
    assert none is None
    assert jx.shape == (2, 2, 2, 3)
    np.testing.assert_allclose(tape.jacobian(z, w, chunk=chunk), tape.gradient(z, w), rtol=1e-13)


@pytest.mark.parametrize("chunk", [0, -1, 1.5, "all"])
def test_a_chunk_is_a_positive_number(chunk):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match="chunk"):
        tape.jacobian(y, x, chunk=chunk)
    np.testing.assert_array_equal(tape.jacobian(y, x), [[2.0, 0.0], [0.0, 4.0]])


@pytest.mark.parametrize("chunk", [None, 1, 3])
def test_batch_jacobian(chunk):
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([tf.sin(x[:, 0]) * x[:, 1], tf.reduce_prod(x, 1), x[:, 2] ** 2], 1)
    found = tape.batch_jacobian(y, x, chunk=chunk)
    full = tape.jacobian(y, x)
    np.testing.assert_allclose(found, np.stack([full[i, :, i] for i in range(2)]), rtol=1e-13)


def test_a_hessian():
    x = tf.Variable([0.3, -0.7, 1.1], dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.exp(x) * tf.sin(x[::-1])) + tf.reduce_prod(x)
        g = inner.gradient(y, x)
    found = outer.jacobian(g, x).numpy()
    np.testing.assert_allclose(found, found.T, rtol=1e-12)

    def gradient(at):
        v = tf.constant(at)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(tf.exp(v) * tf.sin(v[::-1])) + tf.reduce_prod(v)
        return tape.gradient(y, v).numpy()

    h = 1e-6
    columns = [(gradient(x.numpy() + h * e) - gradient(x.numpy() - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(found, np.array(columns).T, rtol=1e-7, atol=1e-9)


def test_derivatives_of_jacobians():
    """The jacobian is recorded: the gradient of the sum of its squares."""
    x = tf.Variable([0.3, -0.7], dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.stack([x[0] ** 2 * x[1], tf.sin(x[1])])
        total = tf.reduce_sum(inner.jacobian(y, x) ** 2)
    a, b = 0.3, -0.7
    wanted = [8 * a * b * b + 4 * a**3, 8 * a * a * b - 2 * np.cos(b) * np.sin(b)]
    np.testing.assert_allclose(outer.gradient(total, x), wanted, rtol=1e-12)


def test_a_jacobian_of_a_jacobian():
    x = tf.Variable([0.3, -0.7, 1.1], dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        j = inner.jacobian(y, x)
    found = outer.jacobian(j, x).numpy()
    wanted = np.zeros((3, 3, 3))
    wanted[range(3), range(3), range(3)] = 6 * x.numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_sparse_rows():
    table = tf.Variable(np.arange(12.0).reshape(4, 3))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 3, 1]) ** 2, 1)
    found = tape.jacobian(y, table).numpy()
    wanted = np.zeros((3, 4, 3))
    for row, i in enumerate([1, 3, 1]):
        wanted[row, i] = 2 * table.numpy()[i]
    np.testing.assert_array_equal(found, wanted)


def test_a_custom_gradient_that_reads_values(caplog):
    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda ct: tf.constant(ct.numpy() * 5.0)

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = f(x)
    np.testing.assert_array_equal(tape.jacobian(y, x), [[5.0, 0.0], [0.0, 5.0]])
    assert "one by one" in caplog.text


def test_infinite_partials_of_branches_not_taken():
    x = tf.Variable([0.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.where(x > 0, tf.sqrt(x), 0.0)
    np.testing.assert_array_equal(tape.jacobian(y, x), [[0.0, 0.0], [0.0, 0.25]])


def test_complex():
    z = tf.Variable([1.0 + 2.0j, 0.5 - 1.0j], dtype=tf.complex128)
    with tf.GradientTape(persistent=True) as tape:
        y = z * z
    np.testing.assert_allclose(tape.jacobian(y, z), tape.jacobian(y, z, experimental_use_pfor=False), rtol=1e-13)


def test_empty():
    x = tf.Variable(np.zeros((0, 2)))
    with tf.GradientTape(persistent=True) as tape:
        y = x * 2.0
    assert tape.jacobian(y, x).shape == (0, 2, 0, 2)
