"""TensorFlow's own initializers."""

import numpy as np
import pytest

import gradtape as tf


def test_constants():
    np.testing.assert_array_equal(tf.zeros_initializer()([2, 1]), [[0.0], [0.0]])
    assert tf.ones_initializer()([2], tf.int32).dtype is tf.int32
    np.testing.assert_array_equal(tf.constant_initializer(3.0)([2]), [3.0, 3.0])
    np.testing.assert_array_equal(tf.constant_initializer([1.0, 2.0])([2, 1]), [[1.0], [2.0]])
    np.testing.assert_array_equal(tf.constant_initializer([5.0])([2]), [5.0, 5.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 elements"):
        tf.constant_initializer([1.0, 2.0])([3])


def test_draws():
    tf.random.set_seed(1)
    x = tf.random_normal_initializer(1.0, 0.1)([1000])
    assert float(tf.reduce_mean(x)) == pytest.approx(1.0, abs=0.02)
    assert float(tf.math.reduce_std(x)) == pytest.approx(0.1, abs=0.02)
    y = tf.random_uniform_initializer(2.0, 3.0)([1000], tf.float64)
    assert y.dtype is tf.float64
    assert 2.0 <= float(tf.reduce_min(y)) < float(tf.reduce_max(y)) < 3.0


def test_configurations():
    made = tf.random_normal_initializer(1.0, 0.5, 3)
    assert made.get_config() == {"mean": 1.0, "stddev": 0.5, "seed": 3}
    assert tf.random_normal_initializer.from_config(made.get_config()).get_config() == made.get_config()


def test_as_initial_values():
    v = tf.Variable(tf.random_normal_initializer()(shape=[3, 2], dtype=tf.float32))
    assert v.shape == (3, 2)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (lambda: tf.math.erfcinv([0.5, 1.0, 1.5]), [0.47693628, 0.0, -0.47693628]),
        (lambda: tf.math.ndtri([0.025, 0.5, 0.8]), [-1.959964, 0.0, 0.8416212]),
        (lambda: tf.math.lbeta([[1.0, 2.0], [0.5, 0.5]]), [-0.6931472, 1.1447299]),
        (lambda: tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0], [0, 0, 2, 0], 3), [7 / 3**0.5, 0.0, 3.0]),
        (lambda: tf.realdiv([1.0, 3.0], 2.0), [0.5, 1.5]),
        (lambda: tf.math.is_non_decreasing([1, 1, 2]), True),
        (lambda: tf.math.is_strictly_increasing([1, 1, 2]), False),
        (lambda: tf.math.is_strictly_increasing([[1, 2], [3, 4]]), True),
        (lambda: tf.math.nextafter([1.0], [0.0]), [0.99999994]),
    ],
)
def test_small_functions(found, wanted):
    np.testing.assert_allclose(found(), wanted, rtol=1e-6, atol=1e-7)
