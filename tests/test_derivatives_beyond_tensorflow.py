"""Derivatives that TensorFlow 2.21 lacks, or has wrong: ours are those of finite differences, and finite."""

import numpy as np
import pytest

import gradtape as tf

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(3, 4))
Z = RANDOM.normal(size=(3, 3)) + 1j * RANDOM.normal(size=(3, 3)) + 2 * np.eye(3)
IMAGE = RANDOM.uniform(0.2, 0.8, (1, 3, 3, 3))
VOLUME = RANDOM.normal(size=(1, 4, 5, 3, 2))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        # TensorFlow stops the gradient of the mean inside of the variance: its second derivative lacks a term.
        pytest.param(lambda x: tf.nn.moments(x, [0]), [X], id="moments"),
        # Its second derivative leaves out what flows to the labels.
        pytest.param(
            lambda x, labels: tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(labels), logits=x),
            [X, X[::-1].copy()],
            id="softmax_cross_entropy",
        ),
        # It forgets to conjugate.
        pytest.param(tf.linalg.det, [Z], id="complex-det"),
        pytest.param(tf.linalg.slogdet, [Z], id="complex-slogdet"),
        pytest.param(lambda z: tf.linalg.sqrtm(tf.matmul(z, z)), [Z], id="complex-sqrtm"),
        pytest.param(tf.reduce_prod, [Z], id="complex-prod"),
        # Products with zeros: it divides by them, in the first derivative or in the second.
        pytest.param(lambda x: tf.reduce_prod(x, 1), [[[1.0, 0.0, 2.0], [0.0, 0.0, 2.0]]], id="prod-of-zeros"),
        pytest.param(tf.math.cumprod, [[1.0, 0.0, 2.0, 0.0, 3.0]], id="cumprod-of-zeros"),
        pytest.param(
            lambda x: tf.math.unsorted_segment_prod(x, [0, 0, 1], 3), [[0.0, 1.0, 2.0]], id="segment_prod-of-zeros"
        ),
        # Nothing at all, or no float64.
        pytest.param(tf.math.softsign, [X], id="softsign"),
        pytest.param(lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), [VOLUME], id="avg_pool3d"),
        pytest.param(lambda x: tf.nn.max_pool3d(x, 2, 2, "VALID"), [VOLUME], id="max_pool3d"),
        pytest.param(tf.nn.local_response_normalization, [X[:, None, None]], id="local_response_normalization"),
        pytest.param(lambda x: tf.einsum("...i,...i", x, x[0]), [X], id="einsum-to-nothing"),
    ],
)
def test_first_and_second_derivatives(f, args):
    tf.testing.check_grads(f, [tf.constant(a, tf.complex128 if np.iscomplexobj(a) else tf.float64) for a in args])


def test_colours():
    """Computed in float32, as TensorFlow's kernel is."""
    tf.testing.check_grads(tf.image.hsv_to_rgb, [tf.constant(IMAGE, tf.float32)], order=1, rtol=0.02, eps=2.0**-9)


@pytest.mark.parametrize(
    "f",
    [
        tf.norm,
        tf.math.reduce_std,
        tf.math.reduce_euclidean_norm,
        tf.math.l2_normalize,
        lambda x: tf.math.reduce_std(x, []),
        lambda x: tf.math.cumulative_logsumexp(x, exclusive=True),
        lambda x: tf.math.segment_mean(x, [0, 0, 2]),
        lambda x: tf.math.segment_max(x, [0, 0, 2]),
        lambda x: tf.math.unsorted_segment_max(x, [0, 0, -1], 3),
        lambda x: tf.pow(x, x + 1.0),
    ],
)
def test_edges_are_finite_where_tensorflow_gives_nan(f):
    x = tf.zeros([3], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    second = outer.gradient(g, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    tangent = accumulator.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    for found in (g, second, tangent):
        assert np.isfinite(found.numpy()).all()


def test_a_norm_over_no_axes_is_the_absolute_value():
    assert tf.math.reduce_euclidean_norm(-3.0).numpy() == 3.0
    x = tf.constant([[-3.0, 4.0]], tf.float64)
    assert tf.math.reduce_euclidean_norm(x, []).numpy().tolist() == [[3.0, 4.0]]
    tf.testing.check_grads(lambda x: tf.math.reduce_euclidean_norm(x, []), [x])


def test_nextafter_moves_with_its_first_argument():
    x, y = tf.Variable([1.0, 2.0]), tf.constant([3.0, 0.0])
    with tf.GradientTape() as tape:
        z = tf.math.nextafter(x, y) * [2.0, 5.0]
    assert tape.gradient(z, x).numpy().tolist() == [2.0, 5.0]
