"""Isotonic regression. The expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

X = [[3.0, 1.0, 2.0, 5.0, 4.0]]


def test_values_and_segments():
    found, segments = tf.nn.isotonic_regression(X)
    assert found.numpy().tolist() == [[3, 3, 3, 3, 3]]
    assert segments.numpy().tolist() == [[0, 1, 1, 1, 1]]
    found, segments = tf.nn.isotonic_regression(X, decreasing=False)
    assert found.numpy().tolist() == [[2, 2, 2, 4.5, 4.5]]
    assert segments.numpy().tolist() == [[0, 0, 1, 2, 2]]  # segments of equal means stay apart


def test_along_another_axis():
    found, _ = tf.nn.isotonic_regression(np.array([[1.0, 5.0], [3.0, 2.0]]), axis=0)
    assert found.numpy().tolist() == [[2, 5], [2, 2]]


def test_derivatives():
    x = np.random.default_rng(0).normal(size=(2, 6))
    assert_derivatives(lambda x: tf.nn.isotonic_regression(x)[0] ** 3, x)


def test_wrong_arguments():
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.nn.isotonic_regression([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 2"):
        tf.nn.isotonic_regression(X, axis=2)
