"""Sparse tensors of coordinates and values, and `tf.image`."""

import operator

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

A = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 2.0, 3.0], [2, 3])
B = tf.SparseTensor([[0, 2], [1, 0]], [-2.0, 5.0], [2, 3])


def parts(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), list(x._size)


def test_to_dense_and_back():
    sparse = tf.SparseTensor([[0, 2], [2, 1], [3, 3]], [2, 11, 18], [4, 5])
    dense = tf.sparse.to_dense(sparse)
    assert dense.numpy().tolist() == [[0, 0, 2, 0, 0], [0] * 5, [0, 11, 0, 0, 0], [0, 0, 0, 18, 0]]
    assert tf.sparse.from_dense(dense).indices.numpy().tolist() == [[0, 2], [2, 1], [3, 3]]
    assert tf.sparse.to_dense(sparse, default_value=-1).numpy()[0].tolist() == [-1, -1, 2, -1, -1]
    assert str(sparse).startswith(
        "SparseTensor(indices=tf.Tensor(\n[[0 2]\n [2 1]\n [3 3]], shape=(3, 2), dtype=int64)"
    )


def test_gradient_reaches_the_values():
    values = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        dense = tf.sparse.to_dense(tf.SparseTensor([[0], [2]], values, [3]))
        y = tf.reduce_sum(dense * [1.0, 10.0, 100.0])
    assert tape.gradient(y, values).numpy().tolist() == [1.0, 100.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.SparseTensor([[0]], [1, 2], [3]), tf.errors.InvalidArgumentError, "indices"),
        (lambda: tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [3])), tf.errors.InvalidArgumentError, "lie within"),
        (lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [3])), tf.errors.InvalidArgumentError, "order"),
        (lambda: tf.sparse.to_dense(tf.ones([2])), TypeError, "SparseTensor"),
        (lambda: tf.image.adjust_contrast([1.0], 2.0), tf.errors.InvalidArgumentError, "images"),
    ],
)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_contrast_has_no_gradient_as_in_tensorflow():
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape() as tape:
        changed = tf.image.adjust_contrast(image, 0.1)
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        tape.gradient(changed, image)


# The expected values are TensorFlow's.


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: tf.sparse.add(A, B), ([[0, 0], [0, 2], [1, 0], [1, 1]], [1, 0, 5, 3], [2, 3])),
        (lambda: tf.sparse.add(A, B, threshold=0.5), ([[0, 0], [1, 0], [1, 1]], [1, 5, 3], [2, 3])),
        (lambda: tf.sparse.maximum(A, B), ([[0, 0], [0, 2], [1, 0], [1, 1]], [1, 2, 5, 3], [2, 3])),
        (lambda: tf.sparse.minimum(A, B), ([[0, 0], [0, 2], [1, 0], [1, 1]], [0, -2, 0, 0], [2, 3])),
        (lambda: tf.sparse.concat(0, [A, B]), ([[0, 0], [0, 2], [1, 1], [2, 2], [3, 0]], [1, 2, 3, -2, 5], [4, 3])),
        (lambda: tf.sparse.concat(-1, [A, B]), ([[0, 0], [0, 2], [0, 5], [1, 1], [1, 3]], [1, 2, -2, 3, 5], [2, 6])),
        (
            lambda: tf.sparse.concat(0, [A, tf.SparseTensor([[0, 0]], [1.0], [1, 5])], expand_nonconcat_dims=True),
            ([[0, 0], [0, 2], [1, 1], [2, 0]], [1, 2, 3, 1], [3, 5]),
        ),
        (lambda: tf.sparse.expand_dims(A, 1), ([[0, 0, 0], [0, 0, 2], [1, 0, 1]], [1, 2, 3], [2, 1, 3])),
        (lambda: tf.sparse.expand_dims(A), ([[0, 0, 0], [0, 2, 0], [1, 1, 0]], [1, 2, 3], [2, 3, 1])),
        (lambda: tf.sparse.reshape(A, [3, -1]), ([[0, 0], [1, 0], [2, 0]], [1, 2, 3], [3, 2])),
        (lambda: tf.sparse.retain(A, [True, False, True]), ([[0, 0], [1, 1]], [1, 3], [2, 3])),
        (lambda: tf.sparse.slice(A, [0, 1], [2, 5]), ([[0, 1], [1, 0]], [2, 3], [2, 2])),
        (lambda: tf.sparse.transpose(A), ([[0, 0], [1, 1], [2, 0]], [1, 3, 2], [3, 2])),
        (lambda: tf.sparse.split(A, 2, axis=1)[0], ([[0, 0], [1, 1]], [1, 3], [2, 2])),
        (lambda: tf.sparse.split(A, 2, axis=1)[1], ([[0, 0]], [2], [2, 1])),
        (lambda: tf.sparse.reset_shape(A, [3, 4]), ([[0, 0], [0, 2], [1, 1]], [1, 2, 3], [3, 4])),
        (lambda: tf.sparse.reset_shape(tf.SparseTensor([[0, 0]], [1.0], [3, 4])), ([[0, 0]], [1], [1, 1])),
        (lambda: tf.sparse.reduce_sum(B, 1, output_is_sparse=True), ([[0], [1]], [-2, 5], [2])),
        (lambda: tf.sparse.reduce_max(A, 1, True, output_is_sparse=True), ([[0, 0], [1, 0]], [2, 3], [2, 1])),
        (lambda: tf.sparse.map_values(tf.add, A, A), ([[0, 0], [0, 2], [1, 1]], [2, 4, 6], [2, 3])),
        (
            lambda: tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0], [2, 1]], [1, 2], [4, 3]), 9)[0],
            ([[0, 0], [1, 0], [2, 1], [3, 0]], [1, 9, 2, 9], [4, 3]),
        ),
        (lambda: tf.sparse.bincount([[1, 1], [2, 0]], axis=-1), ([[0, 1], [1, 0], [1, 2]], [2, 1, 1], [2, 3])),
        (lambda: tf.sparse.bincount([[1, 1], [2, 0]]), ([[0], [1], [2]], [1, 2, 1], [3])),
        (lambda: tf.sparse.bincount([[1, 1], [2, 0]], axis=-1, maxlength=2), ([[0, 1], [1, 0]], [2, 1], [2, 2])),
        (
            lambda: tf.sparse.bincount([[1, 1], [2, 0]], [[1.0, 2.0], [3.0, 4.0]], axis=-1),
            ([[0, 1], [1, 0], [1, 2]], [3, 4, 3], [2, 3]),
        ),
        (
            lambda: tf.sparse.bincount([[1, 1], [2, 0]], axis=-1, binary_output=True, minlength=6),
            ([[0, 1], [1, 0], [1, 2]], [1, 1, 1], [2, 6]),
        ),
        (
            lambda: tf.sparse.bincount(tf.SparseTensor([[0, 0], [1, 1]], [3, 1], [2, 3]), axis=-1),
            ([[0, 3], [1, 1]], [1, 1], [2, 4]),
        ),
    ],
)
def test_sparse_results(made, expected):
    assert parts(made()) == expected


def test_dense_results():
    assert tf.sparse.add(A, tf.ones([2, 3])).numpy().tolist() == [[2, 1, 3], [1, 4, 1]]
    assert tf.sparse.reduce_max(tf.SparseTensor([[0, 0]], [-1.0], [2, 3]), 1).numpy().tolist() == [-1, 0]
    assert tf.sparse.reduce_max(A).numpy() == 3
    assert tf.sparse.reduce_sum(A).numpy() == 6
    assert tf.sparse.reduce_sum(A, 0, keepdims=True).numpy().tolist() == [[1, 3, 2]]
    assert tf.sparse.sparse_dense_matmul(A, tf.ones([3, 2])).numpy().tolist() == [[3, 3], [3, 3]]
    assert tf.sparse.sparse_dense_matmul(A, tf.ones([2, 1]), adjoint_a=True).numpy().tolist() == [[1], [3], [2]]
    assert tf.sparse.sparse_dense_matmul(tf.ones([2, 2]), A).numpy().tolist() == [[1, 3, 2], [1, 3, 2]]
    words = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    assert tf.sparse.to_indicator(words, 3).numpy().tolist() == [[False, False, True], [True, False, False]]
    empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0], [2, 1]], [1, 2], [4, 3]), 9)[1]
    assert empty.numpy().tolist() == [False, True, False, True]
    rows = tf.sparse.mask(tf.IndexedSlices(tf.ones([3, 2]), tf.constant([4, 5, 6])), [5])
    assert rows.indices.numpy().tolist() == [4, 6]
    assert rows.values.shape == [2, 2]


def test_conjugates_in_adjoint_products():
    x = tf.SparseTensor([[0, 1]], [1 + 2j], [1, 2])
    assert tf.sparse.sparse_dense_matmul(x, [[1j]], True, True).numpy().tolist() == [[0], [(1 - 2j) * -1j]]


def test_segments_of_rows():
    data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert tf.sparse.segment_sum(data, [0, 2, 1], [0, 0, 2]).numpy().tolist() == [[6, 8], [0, 0], [3, 4]]
    assert tf.sparse.segment_sum(data, [0, 2], [0, 0], 2).numpy().tolist() == [[6, 8], [0, 0]]
    assert tf.sparse.segment_mean(data, [0, 1], [0, 0]).numpy().tolist() == [[2, 3]]
    np.testing.assert_allclose(tf.sparse.segment_sqrt_n(data, [0, 1], [0, 0]), [[4 / 2**0.5, 6 / 2**0.5]], rtol=1e-6)


def test_a_sampled_product():
    found = tf.sparse.sampled_addmm([[0, 0], [1, 1]], [1.0, 2.0], [2, 2], tf.ones([2, 3]), tf.ones([3, 2]), beta=2.0)
    assert found[1].numpy().tolist() == [5, 7]


WHERE, OTHER = [[0, 0], [0, 2], [1, 1]], [[0, 2], [1, 0], [1, 2]]


def sparse(values, where=WHERE):
    return tf.SparseTensor(where, values, [2, 3])


@pytest.mark.parametrize(
    "f",
    [
        lambda v: tf.sparse.to_dense(tf.sparse.add(sparse(v), sparse(v, OTHER))),
        lambda v: tf.sparse.to_dense(tf.sparse.softmax(sparse(v))),
        lambda v: tf.sparse.to_dense(tf.sparse.transpose(sparse(v))) ** 2,
        lambda v: tf.sparse.reduce_max(sparse(v), 1) ** 2,
        lambda v: tf.sparse.reduce_sum(sparse(v), 1) ** 2,
        lambda v: tf.sparse.sparse_dense_matmul(sparse(v), tf.reshape(v, [3, 1])),
        lambda v: tf.sparse.maximum(sparse(v), sparse(-v, OTHER)).values ** 2,
    ],
)
def test_derivatives_of_the_values(f):
    assert_derivatives(f, np.array([0.3, -0.7, 1.1]))


def test_other_positions_in_a_function():
    @tf.function
    def product(where, values):
        return tf.sparse.sparse_dense_matmul(tf.SparseTensor(where, values, [2, 2]), [[1.0], [10.0]])

    for where, expected in (([[0, 0], [1, 1]], [[2], [30]]), ([[0, 1], [1, 0]], [[20], [3]])):
        for _ in range(2):
            assert product(tf.constant(where, tf.int64), tf.constant([2.0, 3.0])).numpy().tolist() == expected


Invalid = tf.errors.InvalidArgumentError
NARROW = tf.SparseTensor([[0, 0]], [1.0], [2, 2])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.sparse.add(1.0, 2.0), TypeError, "SparseTensor"),
        (lambda: tf.sparse.add(A, NARROW), Invalid, "shapes"),
        (lambda: tf.sparse.add(A, tf.ones([2])), Invalid, "shapes"),
        (lambda: tf.sparse.concat(0, [A, NARROW]), Invalid, "axis 0"),
        (lambda: tf.sparse.concat(2, [A]), Invalid, "axis 2"),
        (lambda: tf.sparse.expand_dims(A, 5), ValueError, "axis 5"),
        (lambda: tf.sparse.reshape(A, [4, -1]), Invalid, "6 dense values"),
        (lambda: tf.sparse.reset_shape(A, [1, 3]), ValueError, "new_shape"),
        (lambda: tf.sparse.retain(A, [True]), ValueError, "to_retain"),
        (lambda: tf.sparse.transpose(A, [0, 0]), Invalid, "perm"),
        (lambda: tf.sparse.split(A, 4, 1), Invalid, "num_split"),
        (lambda: tf.sparse.slice(A, [0], [1]), Invalid, "per axis"),
        (lambda: tf.sparse.map_values(tf.add, 1, 2), ValueError, "No SparseTensor"),
        (lambda: tf.sparse.map_values(tf.add, A, B), Invalid, "positions"),
        (lambda: tf.sparse.sparse_dense_matmul(A, tf.ones([2, 2])), Invalid, "inner dimension"),
        (lambda: tf.sparse.softmax(tf.SparseTensor([[0]], [1.0], [1])), Invalid, "rank 2"),
        (lambda: tf.sparse.to_indicator(tf.SparseTensor([[0]], [5], [1]), 3), Invalid, "values"),
        (lambda: tf.sparse.bincount([-1]), Invalid, "non-negative"),
        (lambda: tf.sparse.bincount([1], axis=1), ValueError, "axis=1"),
        (lambda: tf.sparse.reduce_sum(A, 2), Invalid, "dimension"),
        (lambda: tf.sparse.mask(A, [0]), TypeError, "IndexedSlices"),
        (lambda: tf.sparse.fill_empty_rows(A, [1.0]), Invalid, "scalar"),
        (lambda: tf.sparse.reorder(tf.ones([2])), TypeError, "SparseTensor"),
    ],
)
def test_wrong_arguments_of_operations(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_times_and_over_dense_tensors():
    v = tf.Variable([2.0, 3.0])
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        few = tf.SparseTensor([[0, 1], [1, 0]], v, [2, 2])
        y = tf.reduce_sum((few * w).values ** 2)
    assert [g.numpy().tolist() for g in tape.gradient(y, [v, w])] == [[16.0, 54.0], [[0.0, 16.0], [54.0, 0.0]]]
    assert (few * 2.0).values.numpy().tolist() == [4.0, 6.0]
    assert (few * [[10.0], [20.0]]).values.numpy().tolist() == [20.0, 60.0]
    assert (few / w).values.numpy().tolist() == [1.0, 1.0]
    for product in (w * few, w.read_value() * few, [[1.0, 2.0], [3.0, 4.0]] * few):
        assert product.values.numpy().tolist() == [4.0, 9.0]
    for refused in (operator.add, operator.sub, operator.truediv):
        with pytest.raises(ValueError, match="SparseTensor"):
            refused(w, few)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] does not broadcast to \[2, 2\]"):
        few * tf.ones([3])
