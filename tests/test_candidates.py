"""Classes drawn at random and the losses over them. The expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

Invalid = tf.errors.InvalidArgumentError
RANDOM = np.random.default_rng(0)
WEIGHTS, BIASES, INPUTS = RANDOM.normal(size=(7, 3)), RANDOM.normal(size=7), RANDOM.normal(size=(2, 3))
LABELS = np.array([[1, 2], [3, 4]])
DRAWN = (np.array([0, 3, 5]), np.array([[0.5, 0.6], [0.7, 0.8]]), np.array([0.3, 0.2, 0.1]))


def by_hand(remove):
    """The logits, row by row, and the targets."""
    ids, true_count, drawn_count = DRAWN
    rows = []
    for x, true, counts in zip(INPUTS, LABELS, true_count, strict=True):
        own = [x @ WEIGHTS[t] + BIASES[t] - np.log(c) for t, c in zip(true, counts, strict=True)]
        others = [
            -np.inf if remove and c in true else x @ WEIGHTS[c] + BIASES[c] - np.log(n)
            for c, n in zip(ids, drawn_count, strict=True)
        ]
        rows.append(own + others)
    return np.array(rows), np.array([0.5, 0.5, 0, 0, 0])


@pytest.mark.parametrize("remove", [False, True])
def test_losses(remove):
    logits, targets = by_hand(remove)
    found = tf.nn.nce_loss(WEIGHTS, BIASES, LABELS, INPUTS, 3, 7, 2, DRAWN, remove)
    positive = np.logaddexp(0, -logits)[:, :2] @ targets[:2]
    negative = np.logaddexp(0, logits) @ (1 - targets)
    np.testing.assert_allclose(found, positive + negative, rtol=1e-6)
    found = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS, INPUTS, 3, 7, 2, DRAWN, remove)
    log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, -log_shares[:, :2].mean(axis=1), rtol=1e-6)


@pytest.mark.parametrize("loss", [tf.nn.nce_loss, tf.nn.sampled_softmax_loss])
def test_derivatives(loss):
    assert_derivatives(lambda w, b, x: loss(w, b, LABELS, x, 3, 7, 2, DRAWN), WEIGHTS, BIASES, INPUTS)


def test_tables_get_sparse_gradients():
    weights = tf.Variable(WEIGHTS)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.nce_loss(weights, BIASES, LABELS, INPUTS, 3, 7, 2, DRAWN))
    rows = tape.gradient(y, weights)
    assert isinstance(rows, tf.IndexedSlices)
    assert rows.indices.numpy().tolist() == [1, 2, 3, 4, 0, 3, 5]


def test_candidates_are_drawn_anew_in_a_function():
    @tf.function
    def loss():
        return tf.reduce_sum(tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS, INPUTS, 3, 7, 2))

    tf.random.set_seed(0)
    assert len({float(loss()) for _ in range(8)}) > 1


@pytest.mark.parametrize("sampler", [tf.random.uniform_candidate_sampler, tf.random.log_uniform_candidate_sampler])
def test_unique_candidates(sampler):
    tf.random.set_seed(1)
    found, true, own = sampler([[1], [2]], 1, 5, True, 6)
    assert found.dtype == tf.int64
    assert len(set(found.numpy().tolist())) == 5
    assert true.shape == [2, 1]
    assert (own.numpy() > 0).all()
    assert (own.numpy() <= 1).all()


def test_expected_counts():
    assert (
        tf.random.uniform_candidate_sampler([[1]], 1, 4, False, 5).sampled_expected_count.numpy().tolist()
        == [np.float32(0.8)] * 4
    )
    found = tf.random.log_uniform_candidate_sampler([[0], [2]], 1, 4, False, 5).true_expected_count
    expected = [[4 * np.log(2) / np.log(6)], [4 * np.log(4 / 3) / np.log(6)]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_given_shares(tmp_path):
    sampler = tf.random.fixed_unigram_candidate_sampler
    assert sampler([[1]], 1, 9, False, 3, unigrams=[0.0, 1.0, 0.0]).sampled_candidates.numpy().tolist() == [1] * 9
    found = sampler([[1]], 1, 4, False, 4, unigrams=[1.0, 2.0, 3.0], num_reserved_ids=1, distortion=2.0)
    np.testing.assert_allclose(found.true_expected_count, [[4 / 14]], rtol=1e-6)
    (tmp_path / "words").write_text("a,0\nb,0\nc,5\n")
    found = sampler([[1]], 1, 2, False, 3, vocab_file=str(tmp_path / "words"))
    assert found.sampled_candidates.numpy().tolist() == [2, 2]
    found = sampler([[1]], 1, 2, True, 4, unigrams=[1.0] * 4, num_shards=2, shard=1)
    assert sorted(found.sampled_candidates.numpy().tolist()) == [1, 3]


def test_all_candidates_and_accidental_hits():
    found = tf.random.all_candidate_sampler([[1]], 1, 4, True)
    assert found.sampled_candidates.numpy().tolist() == [0, 1, 2, 3]
    assert found.true_expected_count.numpy().tolist() == [[1]]
    hits = tf.nn.compute_accidental_hits([[1, 2], [3, 4]], [4, 1, 1], 2)
    assert hits.indices.numpy().tolist() == [0, 1]
    assert hits.ids.numpy().tolist() == [2, 0]
    assert hits.weights.numpy().tolist() == [np.finfo(np.float32).min] * 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.random.uniform_candidate_sampler([[1]], 1, 6, True, 5), "too small"),
        (lambda: tf.random.uniform_candidate_sampler([[1]], 2, 3, True, 5), "num_true"),
        (lambda: tf.random.uniform_candidate_sampler([[9]], 1, 3, True, 5), "true_classes"),
        (lambda: tf.random.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 1), "vocab_file and unigrams"),
        (lambda: tf.random.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 2, unigrams=[1.0]), "range_max"),
        (lambda: tf.nn.nce_loss(WEIGHTS, BIASES, LABELS, INPUTS, 3, 7, 1, DRAWN), "labels"),
        (lambda: tf.nn.nce_loss(WEIGHTS[:, :2], BIASES, LABELS, INPUTS, 3, 7, 2, DRAWN), "weights"),
        (lambda: tf.nn.compute_accidental_hits([[1]], [[1]], 1), "vector"),
    ],
)
def test_wrong_arguments(call, text):
    with pytest.raises(Invalid, match=text):
        call()
