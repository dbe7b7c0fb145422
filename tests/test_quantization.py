"""tf.quantization.fake_quant_*, with values and gradients that TensorFlow gives."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[-7.0, -6.0, -1.03, 0.26, 0.3, 5.99, 6.0, 9.0]])


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [-6.0235295, -5.9764705, -1.0352942, 0.28235295, 0.28235295, 5.9764705, 5.9764705, 5.9764705]),
        ({"num_bits": 4}, [-6.4, -5.6, -0.8, 0.0, 0.0, 5.6, 5.6, 5.6]),
        ({"narrow_range": True}, [-6.0, -6.0, -1.0393701, 0.28346455, 0.28346455, 6.0, 6.0, 6.0]),
        ({"min": 1.0, "max": 6.0}, [0.0, 0.0, 0.0, 0.25490198, 0.29411766, 5.0, 5.0, 5.0]),
        ({"min": -6.0, "max": -1.0}, [-5.0, -5.0, -1.0392157, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_values(options, wanted):
    found = tf.quantization.fake_quant_with_min_max_args(X, **options)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("ends", "to_x", "to_ends"),
    [
        ((-3.1, 2.2), [0, 0, 3, 4, 5, 0, 0, 0], (3, 21)),
        ((0.0, 0.0), [1, 2, 3, 4, 5, 6, 7, 8], (0, 0)),
        ((1.0, 6.0), [0, 0, 0, 4, 5, 0, 0, 0], (6, 21)),
    ],
)
def test_gradients(ends, to_x, to_ends):
    low, high = map(tf.Variable, ends)
    weights = tf.range(1.0, 9.0)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.quantization.fake_quant_with_min_max_vars(X, low, high) * weights)
    found = tape.gradient(y, [X, low, high])
    np.testing.assert_array_equal(found[0][0], to_x)
    assert [float(g) for g in found[1:]] == list(to_ends)
    given = tf.quantization.fake_quant_with_min_max_vars_gradient([weights], X, low, high)
    assert [g.numpy().tolist() for g in given] == [g.numpy().tolist() for g in found]


def test_channels_have_ends_of_their_own():
    x = tf.reshape(tf.linspace(-8.0, 8.0, 12), [6, 2])
    low, high = tf.constant([-3.0, -1.0]), tf.constant([2.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high, num_bits=4)
        z = tf.reduce_sum(y * y)
    np.testing.assert_allclose(y[:, 0], [-3, -3, -2.3333335, 0.6666667, 2, 2], rtol=1e-6)
    np.testing.assert_allclose(y[:, 1], [-1.2, -1.2, -0.8, 2, 4.8, 4.8], rtol=1e-6)
    found = tape.gradient(z, [x, low, high])
    np.testing.assert_allclose(found[0][:, 0], [0, 0, -4.666667, 1.3333334, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(found[1], [-12, -4.8], rtol=1e-6)
    np.testing.assert_allclose(found[2], [8, 19.2], rtol=1e-6)
    given = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(2 * y, x, low, high, num_bits=4)
    np.testing.assert_array_equal(given[0], found[0])


def test_the_gradient_of_fixed_ends_and_a_function():
    f = tf.function(lambda x: tf.quantization.fake_quant_with_min_max_args(x, num_bits=4))
    np.testing.assert_array_equal(f(X), tf.quantization.fake_quant_with_min_max_args(X, num_bits=4))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    wanted = tf.quantization.fake_quant_with_min_max_args_gradient(tf.ones_like(X), X, num_bits=4)
    np.testing.assert_array_equal(tape.gradient(y, X), wanted)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.quantization.fake_quant_with_min_max_args(X, min=1.0, max=0.0),
        lambda: tf.quantization.fake_quant_with_min_max_args(X, num_bits=1),
        lambda: tf.quantization.fake_quant_with_min_max_args(X, num_bits=17),
        lambda: tf.quantization.fake_quant_with_min_max_vars(X, [1.0], 2.0),
        lambda: tf.quantization.fake_quant_with_min_max_vars_per_channel(X, [1.0], [2.0]),
    ],
)
def test_bad_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
