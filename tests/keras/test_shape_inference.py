"""Shapes of custom layers and Lambdas are inferred without computing anything."""

import time

import numpy as np
import pytest

import gradtape as tf

tf.keras  # noqa: B018  Keras is imported through gradtape
from keras.src import backend  # noqa: E402


def shape_of(function, shape, dtype="float32"):
    out = backend.compute_output_spec(function, tf.keras.KerasTensor((None, *shape), dtype))
    return out.shape, out.dtype


LARGE = (224, 224, 64)


@pytest.mark.parametrize(
    ("function", "shape", "dtype"),
    [
        (lambda v: v * 2.0, (None, *LARGE), "float32"),
        (lambda v: tf.cast(tf.square(v), tf.float16), (None, *LARGE), "float16"),
        (lambda v: tf.reduce_mean(tf.nn.relu(v), axis=(1, 2)), (None, 64), "float32"),
        (lambda v: tf.matmul(v, tf.ones((64, 8))), (None, 224, 224, 8), "float32"),
        (lambda v: tf.einsum("bhwc,cd->bdh", v, tf.ones((64, 5))), (None, 5, 224), "float32"),
        (lambda v: tf.nn.conv2d(v, tf.ones((3, 3, 64, 7)), 2, "SAME"), (None, 112, 112, 7), "float32"),
        (lambda v: tf.nn.softmax(tf.concat([v, v], -1)), (None, 224, 224, 128), "float32"),
        (lambda v: tf.reshape(v, (-1, 224 * 64)), (None, 14336), "float32"),
        (lambda v: tf.reshape(v, tf.concat([tf.shape(v)[:1], [-1]], 0)), (None, 224 * 224 * 64), "float32"),
        (lambda v: tf.transpose(v, (0, 3, 1, 2)) > 0, (None, 64, 224, 224), "bool"),
        (lambda v: tf.nn.dropout(v, 0.5), (None, *LARGE), "float32"),
    ],
)
def test_large_arrays_take_no_time(function, shape, dtype):
    start = time.perf_counter()
    assert shape_of(function, LARGE) == (shape, dtype)
    assert time.perf_counter() - start < 1.0  # computing any of these takes several


def test_lambda_layers():
    start = time.perf_counter()
    assert tf.keras.layers.Lambda(lambda v: tf.square(v) * 2.0)(tf.keras.Input(LARGE)).shape == (None, *LARGE)
    assert time.perf_counter() - start < 1.0


def test_small_arrays_are_exact():
    positions = tf.constant([2, 0])
    assert shape_of(lambda v: tf.gather(v, positions, axis=1), (5, 3)) == ((None, 2, 3), "float32")
    assert shape_of(lambda v: tf.repeat(v, tf.constant([1, 3]), axis=1), (2,)) == ((None, 4), "float32")


def test_sizes_that_do_not_fit_are_errors():
    with pytest.raises(Exception, match="size-incompatible"):
        shape_of(lambda v: tf.matmul(v, tf.ones((63, 8))), LARGE)
    with pytest.raises(Exception, match="reshape"):
        shape_of(lambda v: tf.reshape(v, (-1, 3)), (1000,))


def test_a_layer_that_makes_its_weights_on_the_way():
    class Scale(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight(shape=input_shape[-1:], initializer="ones")

        def call(self, x):
            return x * self.scale, tf.reduce_sum(x, -1)

    first, second = Scale()(tf.keras.Input((4, 3)))
    assert (first.shape, second.shape) == ((None, 4, 3), (None, 4))


def test_nothing_is_recorded_or_assigned():
    class Counts(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.count = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def call(self, x):
            self.count.assign_add(1.0)
            return x + self.count

    layer = Counts()
    with tf.GradientTape() as tape:
        out = layer(tf.keras.Input((2000,)))
    assert out.shape == (None, 2000)
    assert layer.count.numpy() == 0.0
    assert tape.watched_variables() == ()
    assert np.all(layer(tf.zeros((1, 2000))).numpy() == 1.0)
