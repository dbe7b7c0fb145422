"""tf.sets, as TensorFlow gives them."""

import numpy as np
import pytest

import gradtape as tf

A, B = tf.constant([[1, 2, 3, 3], [4, 5, 6, 7]]), tf.constant([[2, 9], [4, 4]])
SPARSE = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [5, 1, 2], [2, 3])


def parts(found):
    return found.indices.numpy().tolist(), found.values.numpy().tolist(), found.dense_shape.numpy().tolist()


@pytest.mark.parametrize(
    ("found", "indices", "values", "shape"),
    [
        (tf.sets.intersection(A, B), [[0, 0], [1, 0]], [2, 4], [2, 1]),
        (tf.sets.difference(A, B), [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [1, 3, 5, 6, 7], [2, 3]),
        (tf.sets.difference(A, B, aminusb=False), [[0, 0]], [9], [2, 1]),
        (
            tf.sets.union(A, B),
            [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1], [1, 2], [1, 3]],
            [1, 2, 3, 9, 4, 5, 6, 7],
            [2, 4],
        ),
        (tf.sets.union(SPARSE, SPARSE), [[0, 0], [0, 1], [1, 0]], [1, 5, 2], [2, 2]),
        (tf.sets.intersection(A, SPARSE), [[0, 0]], [1], [2, 1]),
        (tf.sets.intersection(A, A + 10), [], [], [2, 0]),
        (tf.sets.union([[["b", "a"]]], [[["b"]]]), [[0, 0, 0], [0, 0, 1]], [b"a", b"b"], [1, 1, 2]),
    ],
)
def test_operations(found, indices, values, shape):
    assert parts(found) == (indices, values, shape)


def test_sizes():
    assert tf.sets.size(tf.sets.union(A, B)).numpy().tolist() == [4, 4]
    assert tf.sets.size(SPARSE).numpy().tolist() == [2, 1]
    assert tf.sets.size(tf.SparseTensor([[0, 0], [0, 1]], [5, 5], [2, 3])).numpy().tolist() == [1, 0]


def test_a_function_finds_other_sets_for_other_values():
    @tf.function
    def f(a, b):
        return tf.sparse.to_dense(tf.sets.intersection(a, b))

    assert f(A, B).numpy().tolist() == [[2], [4]]
    assert f(A, A).numpy().tolist() == [[1, 2, 3, 0], [4, 5, 6, 7]]
    assert f(A, B + 1).numpy().tolist() == [[3], [5]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.sets.union(A[0], B[0]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.union(A, B[:1]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.union([[1.0]], [[2.0]]), TypeError),
        (lambda: tf.sets.union(A, tf.cast(B, tf.int64)), TypeError),
        (lambda: tf.sets.size(A), TypeError),
    ],
)
def test_bad_arguments(call, error):
    with pytest.raises(error):
        call()


VALUES, RANGE = tf.constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), [0.0, 5.0]


def test_histograms():
    assert tf.histogram_fixed_width(VALUES, RANGE, nbins=5).numpy().tolist() == [2, 1, 1, 0, 2]
    bins = tf.histogram_fixed_width_bins(tf.reshape(VALUES, [2, 3]), RANGE, nbins=5, dtype=tf.int64)
    assert bins.dtype == tf.int64
    assert bins.numpy().tolist() == [[0, 0, 1], [2, 4, 4]]
    assert tf.histogram_fixed_width(tf.constant([1, 2, 3, 9]), [0, 10], nbins=5).numpy().tolist() == [1, 2, 0, 0, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.histogram_fixed_width([np.nan], RANGE),
        lambda: tf.histogram_fixed_width_bins([np.nan], RANGE),
        lambda: tf.histogram_fixed_width(VALUES, [5.0, 5.0]),
        lambda: tf.histogram_fixed_width(VALUES, [0.0, 1.0, 2.0]),
        lambda: tf.histogram_fixed_width(VALUES, RANGE, nbins=0),
        lambda: tf.histogram_fixed_width(VALUES, RANGE, dtype=tf.float32),
        lambda: tf.histogram_fixed_width(["a"], RANGE),
    ],
)
def test_histograms_of_bad_arguments(call):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        call()
