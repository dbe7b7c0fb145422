"""Connectionist temporal classification. The expected values are TensorFlow's, or sums over all paths."""

import itertools

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

Invalid = tf.errors.InvalidArgumentError
LOGITS = np.sin(np.arange(50, dtype=np.float32)).reshape(5, 2, 5)
LABELS = [[1, 2, 0], [3, 3, 1]]


def test_the_loss_of_dense_labels():
    found = tf.nn.ctc_loss(LABELS, LOGITS, [2, 3], [5, 4])
    np.testing.assert_allclose(found, [4.917013, 6.323782], rtol=1e-5)
    found = tf.nn.ctc_loss(LABELS, LOGITS.transpose(1, 0, 2), [2, 3], [5, 4], logits_time_major=False, blank_index=-1)
    np.testing.assert_allclose(found, [5.027278, 6.824193], rtol=1e-5)


def test_the_loss_of_sparse_labels():
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 2, 3, 3], [2, 3])
    found = tf.nn.ctc_loss(labels, LOGITS, None, [5, 4], blank_index=0)
    np.testing.assert_allclose(found, [4.917013, 4.185191], rtol=1e-5)
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss(labels, LOGITS, None, [5, 4])


@pytest.mark.parametrize("labels", [[1], [1, 2], [2, 2]])
def test_the_loss_sums_over_all_paths(labels):
    steps, classes = 5, 3
    logits = np.random.default_rng(0).normal(size=(steps, 1, classes))
    shares = np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(axis=1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(classes), repeat=steps):
        if [c for i, c in enumerate(path) if c and (i == 0 or c != path[i - 1])] == labels:
            total += np.prod(shares[np.arange(steps), path])
    found = tf.nn.ctc_loss([labels], logits, [len(labels)], [steps])
    np.testing.assert_allclose(found, [-np.log(total)], rtol=1e-9)


def test_derivatives():
    logits = np.random.default_rng(1).normal(size=(4, 2, 3))
    assert_derivatives(lambda x: tf.nn.ctc_loss([[1, 2], [2, 0]], x, [2, 1], [4, 3]), logits)


def test_greedy_decoder():
    [path], score = tf.nn.ctc_greedy_decoder(LOGITS, [5, 4])
    assert tf.sparse.to_dense(path, -1).numpy().tolist() == [[2, 0, 3, 0], [3, 0, 2, -1]]
    np.testing.assert_allclose(score, [[-4.557875], [-3.5598176]], rtol=1e-5)
    [path], _ = tf.nn.ctc_greedy_decoder(LOGITS, [5, 4], merge_repeated=False, blank_index=0)
    assert path.values.numpy().tolist() == [2, 4, 3, 3, 2, 4]


def test_beam_search_decoder():
    paths, scores = tf.nn.ctc_beam_search_decoder(LOGITS, [5, 4], top_paths=2)
    assert [tf.sparse.to_dense(p, -1).numpy().tolist() for p in paths] == [
        [[2, 0, 3, 0], [3, 2, -1, -1]],
        [[2, 1, 0], [3, 1, -1]],
    ]
    np.testing.assert_allclose(scores, [[-4.180157, -4.18066], [-3.2247016, -3.3066254]], rtol=1e-5)


def test_unique_and_repeated_labels():
    unique, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 1, 2, 0]])
    assert unique.numpy().tolist() == [[3, 4, 0, 0], [1, 2, 0, 0]]
    assert places.numpy().tolist() == [[0, 1, 1, 0], [0, 0, 1, 2]]
    labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2], [3, 3, 3, 0]], [4, 3])
    assert labels.numpy().tolist() == [[1, 2], [3, 0]]
    assert lengths.numpy().tolist() == [2, 1]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.nn.ctc_loss(LABELS, LOGITS[0], [2, 3], [5, 4]), "logits"),
        (lambda: tf.nn.ctc_loss([[1]], LOGITS, [2, 3], [5, 4]), "labels"),
        (lambda: tf.nn.ctc_loss([[9], [1]], LOGITS, [1, 1], [5, 4]), r"in \[0, 5\)"),
        (lambda: tf.nn.ctc_loss(LABELS, LOGITS, [2, 3], [5, 4], blank_index=5), "blank_index"),
        (lambda: tf.nn.ctc_greedy_decoder(LOGITS, [5]), "sequence_length"),
        (lambda: tf.nn.ctc_greedy_decoder(LOGITS, [5, 9]), "<= 5"),
        (lambda: tf.nn.ctc_beam_search_decoder(LOGITS, [5, 4], beam_width=1, top_paths=2), "beam width"),
        (lambda: tf.nn.ctc_unique_labels([1]), "matrix"),
        (lambda: tf.nn.collapse_repeated([1], [1]), "seq_length"),
    ],
)
def test_wrong_arguments(call, text):
    with pytest.raises(Invalid, match=text):
        call()
