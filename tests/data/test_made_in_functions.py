"""Datasets that a function makes of its own tensors."""

import pytest

import gradtape as tf

INPUTS = [[1.0, 2.0], [-1.0, 5.0], [1.0, 2.0]]


def test_a_dataset_of_a_tensor_of_the_function():
    @tf.function
    def f(x):
        total = tf.constant(0.0)
        for part in tf.data.Dataset.from_tensor_slices(x):
            total = total + part * 2.0
        return total

    assert [f(tf.constant(x)).numpy() for x in INPUTS] == [2.0 * sum(x) for x in INPUTS]
    assert f.experimental_get_tracing_count() == 2


def test_a_dataset_that_is_mapped_with_a_tensor_of_the_function():
    @tf.function
    def f(x):
        total = tf.constant(0.0)
        for part in tf.data.Dataset.range(3).map(lambda i: tf.cast(i, tf.float32) * x[0]):
            total = total + part
        return total

    with pytest.warns(RuntimeWarning, match="uses a tensor without being given it"):
        f(tf.constant(INPUTS[0]))
    assert [f(tf.constant(x)).numpy() for x in INPUTS] == [3.0 * x[0] for x in INPUTS]
