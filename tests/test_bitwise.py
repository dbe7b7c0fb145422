"""tf.bitwise and the division that rounds toward zero, as TensorFlow gives them."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (tf.bitwise.bitwise_and([6, 12], 10), [2, 8]),
        (tf.bitwise.bitwise_or([6, 12], 10), [14, 14]),
        (tf.bitwise.bitwise_xor([6, 12], 10), [12, 6]),
        (tf.bitwise.invert([0, -1, 5]), [-1, 0, -6]),
        (tf.bitwise.left_shift([1, 3], [3, 1]), [8, 6]),
        (tf.bitwise.right_shift([-8, 9], 1), [-4, 4]),
        (tf.truncatediv([-7, 7, -7, 7], [2, 2, -2, -2]), [-3, 3, 3, -3]),
        (tf.truncatemod([-7, 7, -7, 7], [2, 2, -2, -2]), [-1, 1, -1, 1]),
        (tf.truncatediv([-7.5], [2.0]), [-3.0]),
        (tf.truncatemod([-7.5], [2.0]), [-1.5]),
    ],
)
def test_values(found, wanted):
    np.testing.assert_array_equal(found, wanted)


def test_gradient_of_the_remainder():
    x, y = tf.Variable(-7.5), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = tf.truncatemod(x, y)
    assert [float(g) for g in tape.gradient(z, [x, y])] == [1.0, 3.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.bitwise.bitwise_and(1.0, 2.0),
        lambda: tf.bitwise.invert(1.0),
        lambda: tf.bitwise.left_shift(tf.constant(1), tf.constant(1, tf.int64)),
        lambda: tf.truncatediv(1, 0),
        lambda: tf.truncatemod(1, 0),
    ],
)
def test_bad_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
