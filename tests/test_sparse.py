"""Sparse tensors of coordinates and values, and `tf.image`."""

import pytest

import gradtape as tf


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
