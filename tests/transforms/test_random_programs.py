"""Programs made at random of 3 to 12 operations, differentiated twice in every mix of modes, against differences."""

import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf

EXAMPLES = int(os.environ.get("GRADTAPE_RANDOM_PROGRAMS", "40"))


def square(p):
    """A well-conditioned matrix made of 3 numbers."""
    return tf.tensordot(tf.tanh(p), tf.tanh(p), 0) + 2.0 * tf.eye(3, dtype=p.dtype)


# Smooth functions of two vectors of three numbers that keep them of order one. Everything else comes by composition.
OPERATIONS = [
    lambda p, q: p + q,
    lambda p, q: p - 0.5 * q,
    lambda p, q: p * tf.tanh(q),
    lambda p, q: p / (1.0 + q * q),
    lambda p, q: tf.sin(p) * tf.cos(q),
    lambda p, q: tf.exp(-p * p),
    lambda p, q: tf.math.log(1.0 + p * p),
    lambda p, q: tf.sqrt(1.0 + p * p + q * q),
    lambda p, q: (1.0 + tf.sigmoid(p)) ** tf.sigmoid(q),
    lambda p, q: tf.math.softplus(p) - tf.math.erf(q),
    lambda p, q: tf.atan2(p, 2.0 + tf.sin(q)),
    lambda p, q: tf.math.lgamma(1.5 + tf.sigmoid(p)),
    lambda p, q: tf.nn.softmax(p) + tf.nn.gelu(q),
    lambda p, q: tf.nn.log_softmax(p) * 0.3,
    lambda p, q: tf.reduce_mean(p) * q,
    lambda p, q: tf.reduce_logsumexp(p) + q * 0.1,
    lambda p, q: tf.reduce_prod(tf.tanh(p)) + q,
    lambda p, q: tf.math.reduce_std(p + tf.constant([0.0, 2.0, -3.0], p.dtype)) * tf.tanh(q),
    lambda p, q: tf.cumsum(p, reverse=True) * 0.5,
    lambda p, q: tf.math.cumprod(tf.tanh(p) + 1.5) * 0.2,
    lambda p, q: tf.gather(p, [2, 0, 0]) * tf.tanh(q),
    lambda p, q: tf.tensor_scatter_nd_update(p, [[1]], q[:1]),
    lambda p, q: tf.concat([p[1:], q[:1]], 0),
    lambda p, q: tf.reverse(p, [0]) + tf.roll(q, 1, 0),
    lambda p, q: tf.pad(p[:2], [[1, 0]]) + q,
    lambda p, q: tf.reduce_sum(tf.stack([p, q], 1) * tf.expand_dims(tf.tanh(p), 1), 1),
    lambda p, q: tf.linalg.matvec(square(p), q) * 0.3,
    lambda p, q: tf.linalg.solve(square(p), q[:, None])[:, 0],
    lambda p, q: tf.linalg.logdet(square(p)) * tf.tanh(q),
    lambda p, q: tf.linalg.diag_part(tf.linalg.cholesky(square(p))) + 0.1 * q,
    lambda p, q: tf.einsum("i,j,j->i", p, tf.tanh(q), tf.tanh(p)),
    lambda p, q: tf.norm(p + 3.0) * tf.tanh(q),
    lambda p, q: tf.where(tf.constant([True, False, True]), p, q),
    lambda p, q: tf.math.real(tf.signal.ifft(tf.signal.fft(tf.complex(p, tf.tanh(q))) * (0.5 + 0.5j))),
    lambda p, q: tf.reshape(tf.transpose(tf.reshape(tf.concat([p, q], 0), [2, 3])), [6])[1:4],
    lambda p, q: tf.recompute_grad(lambda a: tf.tanh(a) * a)(p) - q,
]

NUMBERS = st.integers(0, 30)
PROGRAMS = st.lists(st.tuples(st.integers(0, len(OPERATIONS) - 1), NUMBERS, NUMBERS), min_size=3, max_size=12)
POINTS = st.lists(st.floats(-1.5, 1.5).map(lambda x: round(x, 2)), min_size=6, max_size=6)


def program(steps):
    """A function of two vectors: each step takes two of the values so far, more often recent ones."""

    def run(x, y):
        values = [x, y]
        for operation, a, b in steps:
            recent = values[-3:]
            values.append(OPERATIONS[operation](recent[a % len(recent)], values[b % len(values)]))
        return values[-1]

    return run


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(PROGRAMS, POINTS)
def test_first_and_second_derivatives(steps, point):
    x, y = np.array(point[:3]), np.array(point[3:])
    # Differences of a composition of twelve steps: 1e-5 is what their curvature leaves.
    tf.testing.check_grads(program(steps), [x, y], order=2, atol=1e-5, rtol=1e-5, eps=1e-4)


@settings(max_examples=EXAMPLES // 2, deadline=None, derandomize=True)
@given(PROGRAMS, POINTS)
def test_jacobians_in_bulk_are_those_row_by_row(steps, point):
    x = tf.constant(point[:3], tf.float64)
    f, y = program(steps), tf.constant(point[3:], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        out = f(x, y)
        parts = tf.unstack(out)
    zero = tf.UnconnectedGradients.ZERO
    rows = [tape.gradient(part, x, unconnected_gradients=zero).numpy() for part in parts]
    found = tape.jacobian(out, x, unconnected_gradients=zero).numpy()
    np.testing.assert_allclose(found, np.array(rows), rtol=1e-10, atol=1e-12)


@settings(max_examples=EXAMPLES // 2, deadline=None, derandomize=True)
@given(PROGRAMS, POINTS)
def test_batches_are_example_by_example(steps, point):
    f, y = program(steps), tf.constant(point[3:], tf.float64)
    batch = tf.constant([point[:3], point[::2], point[1::2]], tf.float64)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.reduce_sum(f(x, y) ** 2)
        return tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)

    found = tf.vectorized_map(gradient, batch).numpy()
    np.testing.assert_allclose(found, [gradient(x).numpy() for x in batch], rtol=1e-9, atol=1e-11)
