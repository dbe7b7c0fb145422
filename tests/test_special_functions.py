"""The special functions of tf.math and tf.math.special as programs call them."""

import numpy as np
import pytest

import gradtape as tf

ONE = ["bessel_i0", "bessel_i1e", "bessel_j0", "bessel_k1", "bessel_y1", "dawsn", "expint", "fresnel_cos", "spence"]


@pytest.mark.parametrize("name", ONE)
def test_dtypes_are_kept_and_half_is_rounded_once(name):
    function = getattr(tf.math.special, name)
    x = tf.constant([0.5, 1.5], tf.float64)
    exact = function(x).numpy()
    for dtype, tolerance in ((tf.float32, 1e-6), (tf.float16, 1e-3), (tf.bfloat16, 8e-3)):
        found = function(tf.cast(x, dtype))
        assert found.dtype == dtype
        np.testing.assert_allclose(tf.cast(found, tf.float64).numpy(), exact, rtol=tolerance)
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant([1, 2]))


def test_gradients_of_igamma_are_those_of_tensorflow():
    a, x = tf.constant(1.5), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch([a, x])
        y = tf.math.igamma(a, x)
    found = tape.gradient(y, [a, x])
    np.testing.assert_allclose([float(g) for g in found], [-0.29409865, 0.48394145], rtol=1e-6)


def test_nothing_flows_to_the_parameters_of_betainc_and_zeta():
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y, z = tf.math.betainc(a, b, 0.5), tf.math.zeta(a, b)
    assert tape.gradient(y, [a, b]) == [None, None]
    assert tape.gradient(z, a) is None
    assert float(tape.gradient(z, b)) == pytest.approx(-0.15411381, rel=1e-5)


def test_orders_of_polygamma_may_differ():
    found = tf.math.polygamma([0.0, 1.0, 1.5, -1.0], [2.0, -0.5, 2.0, 2.0])
    np.testing.assert_allclose(found, [0.42278433, 8.9348022, np.nan, np.nan], rtol=1e-6)


def test_a_function_captures_them():
    @tf.function
    def f(x):
        return tf.math.igamma(x, 2.0) + tf.math.bessel_i0(x) + tf.math.special.spence(x)

    for value in (1.0, 3.0):
        x = tf.constant(value)
        np.testing.assert_allclose(f(x), f.python_function(x), rtol=1e-6)


def test_the_largest_and_smallest_along_an_axis():
    x = tf.constant([[5.0, 1.0, 9.0], [3.0, 7.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, places = tf.math.approx_max_k(x, 2)
    assert values.numpy().tolist() == [[9, 5], [7, 3]]
    assert places.numpy().tolist() == [[2, 0], [1, 0]]
    assert tape.gradient(values, x).numpy().tolist() == [[1, 0, 1], [1, 1, 0]]
    values, places = tf.nn.approx_min_k(x, 1, reduction_dimension=0)
    assert values.numpy().tolist() == [[3, 1, 2]]
    assert places.numpy().tolist() == [[1, 0, 1]]
    for wrong in (lambda: tf.math.approx_max_k(x, 4), lambda: tf.math.approx_max_k(x, 1, 2)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            wrong()
