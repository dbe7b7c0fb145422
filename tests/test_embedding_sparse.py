"""Rows of a table that sparse ids name. The expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

TABLE = tf.reshape(tf.range(8.0), [4, 2])
WHERE = [[0, 0], [0, 1], [2, 0]]
IDS = tf.SparseTensor(WHERE, tf.constant([1, 3, 0], tf.int64), [3, 2])
WEIGHTS = tf.SparseTensor(WHERE, [1.0, 2.0, 3.0], [3, 2])


def test_means_are_the_default():
    assert tf.nn.embedding_lookup_sparse(TABLE, IDS, None).numpy().tolist() == [[4, 5], [0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("combiner", "expected"),
    [("sum", [3.7125659, 4.7011271]), ("mean", [1.2375220, 1.5670424]), ("sqrtn", [1.6603097, 2.1024079])],
)
def test_combiners_with_weights_and_a_greatest_norm(combiner, expected):
    found = tf.nn.embedding_lookup_sparse(TABLE, IDS, WEIGHTS, combiner, max_norm=2.0)
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)
    assert found[1].numpy().tolist() == [0, 0]


def test_negative_ids_and_empty_rows():
    ids = tf.SparseTensor(WHERE, tf.constant([1, -3, 0], tf.int64), [4, 2])
    assert tf.nn.safe_embedding_lookup_sparse(TABLE, ids).numpy().tolist() == [[2, 3], [0, 0], [0, 1], [0, 0]]
    found = tf.nn.safe_embedding_lookup_sparse(TABLE, ids, default_id=3)
    assert found.numpy().tolist() == [[2, 3], [6, 7], [0, 1], [6, 7]]
    cube = tf.sparse.reshape(ids, [2, 2, 2])
    assert tf.nn.safe_embedding_lookup_sparse(TABLE, cube).shape == [2, 2, 2]
    weights = tf.SparseTensor(WHERE, [1.0, 1.0, 0.0], [4, 2])
    found = tf.nn.safe_embedding_lookup_sparse(TABLE, ids, weights)
    assert found.numpy().tolist() == [[2, 3], [0, 0], [0, 0], [0, 0]]


def test_the_gradient_of_a_variable_is_sparse():
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, IDS, None))
    rows = tape.gradient(y, table)
    assert isinstance(rows, tf.IndexedSlices)
    assert tf.convert_to_tensor(rows).numpy().tolist() == [[1, 1], [0.5, 0.5], [0, 0], [0.5, 0.5]]


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_derivatives(combiner):
    assert_derivatives(
        lambda table, w: tf.nn.embedding_lookup_sparse(table, IDS, tf.SparseTensor(WHERE, w, [3, 2]), combiner),
        np.random.default_rng(0).normal(size=(4, 2)),
        np.array([0.5, 1.5, 0.7]),
    )


def test_wrong_arguments():
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.nn.embedding_lookup_sparse(TABLE, [1], None)
    with pytest.raises(ValueError, match="combiner"):
        tf.nn.embedding_lookup_sparse(TABLE, IDS, None, "max")
    with pytest.raises(tf.errors.InvalidArgumentError, match="same positions"):
        tf.nn.embedding_lookup_sparse(TABLE, IDS, tf.SparseTensor([[0, 0]], [1.0], [3, 2]))
