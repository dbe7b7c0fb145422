"""Softmax, activations, losses, normalisation, dropout and embeddings."""

import math

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

InvalidArgumentError = tf.errors.InvalidArgumentError
RANDOM = np.random.default_rng(7)
M = RANDOM.normal(size=(3, 4))
CUBE = RANDOM.normal(size=(2, 3, 4))
LABELS = np.exp(RANDOM.normal(size=(3, 4)))
LABELS /= LABELS.sum(axis=1, keepdims=True)
INF, NAN = float("inf"), float("nan")


def listed(t):
    return t.numpy().tolist()


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance, atol=tolerance)


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


# Softmax.


def test_softmax():
    e = np.exp(M)
    close(tf.nn.softmax(M), e / e.sum(axis=1, keepdims=True))
    close(tf.nn.softmax(M, axis=0), e / e.sum(axis=0))
    close(tf.nn.log_softmax(CUBE, axis=1), np.log(np.exp(CUBE) / np.exp(CUBE).sum(axis=1, keepdims=True)))
    assert listed(tf.nn.softmax([1000.0, 0.0])) == [1, 0]
    assert listed(tf.nn.softmax([-INF, 1.0])) == [0, 1]
    assert listed(tf.nn.log_softmax([0.0, 1000.0])) == [-1000, 0]
    assert tf.nn.softmax(tf.zeros([3, 0])).shape == [3, 0]
    assert tf.nn.softmax(tf.constant([1.0, 2.0], tf.bfloat16)).dtype == tf.bfloat16


def test_softmax_does_not_change_its_argument():
    x = tf.constant(M)
    tf.nn.softmax(x)
    tf.nn.softmax_cross_entropy_with_logits(LABELS, x)
    tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], x)
    close(x, M)


# Cross entropies.


def test_softmax_cross_entropy():
    log_p = np.log(np.exp(M) / np.exp(M).sum(axis=1, keepdims=True))
    close(tf.nn.softmax_cross_entropy_with_logits(LABELS, M), -(LABELS * log_p).sum(axis=1))
    close(tf.nn.softmax_cross_entropy_with_logits(LABELS.T, M.T, axis=0), -(LABELS * log_p).sum(axis=1))
    close(tf.nn.softmax_cross_entropy_with_logits(LABELS[:1], M), -(LABELS[:1] * log_p).sum(axis=1))
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=[0, 1], logits=[1.0, 2.0])
    close(loss, 0.3132616875, 1e-6)
    assert loss.shape == []


def test_sparse_softmax_cross_entropy():
    log_p = np.log(np.exp(CUBE) / np.exp(CUBE).sum(axis=-1, keepdims=True))
    labels = np.array([[1, 0, 3], [2, 2, 1]])
    expected = -np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]
    close(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, CUBE), expected)
    close(tf.nn.sparse_softmax_cross_entropy_with_logits(1, CUBE[0, 0]), -log_p[0, 0, 1])
    transposed = tf.transpose(tf.constant(CUBE[0].T.copy()))
    close(tf.nn.sparse_softmax_cross_entropy_with_logits(labels[0], transposed), expected[0])


def test_labels_of_zero_count_nothing_even_where_the_logit_is_minus_infinity():
    assert tf.nn.softmax_cross_entropy_with_logits([1.0, 0.0], [0.0, -INF]).numpy() == 0
    g = gradient(lambda x: tf.nn.softmax_cross_entropy_with_logits([0.0, 1.0, 0.0], x), [0.0, 0.0, -INF])
    close(g, [0.5, -0.5, 0])
    g = gradient(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(1, x), [0.0, 0.0, -INF])
    close(g, [0.5, -0.5, 0])


def test_the_gradient_of_a_confident_mistake_is_exact():
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[-1000.0, 1000.0]])
    assert listed(loss) == [2000]
    g = gradient(lambda x: tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], x), [[-1000.0, 1000.0]])
    assert g.tolist() == [[-1, 1]]


def test_sigmoid_cross_entropy():
    close(tf.nn.sigmoid_cross_entropy_with_logits([0.0], [1.0]), [1.3132616875], 1e-6)
    assert listed(tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [1000.0, -1000.0])) == [0, 0]
    assert listed(tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], [1000.0, -1000.0])) == [1000, 1000]
    plain = tf.nn.sigmoid_cross_entropy_with_logits(LABELS, M)
    close(tf.nn.weighted_cross_entropy_with_logits(LABELS, M, 1.0), plain)
    doubled = tf.nn.weighted_cross_entropy_with_logits(np.ones_like(M), M, 2.0)
    close(doubled, 2 * tf.nn.sigmoid_cross_entropy_with_logits(np.ones_like(M), M).numpy())


def test_other_losses():
    assert tf.nn.l2_loss([3.0, 4.0]).numpy() == 12.5
    close(tf.nn.log_poisson_loss([2.0], [1.0]), [np.e - 2], 1e-6)
    stirling = 3 * np.log(3) - 3 + 0.5 * np.log(2 * np.pi * 3)
    close(tf.nn.log_poisson_loss([3.0, 0.5], [0.0, 0.0], compute_full_loss=True), [1 + stirling, 1], 1e-6)
    assert tf.nn.compute_average_loss([1.0, 3.0], sample_weight=[1.0, 2.0], global_batch_size=7).numpy() == 1
    assert tf.nn.scale_regularization_loss([1.0, 2.0]).numpy() == 3


# Activations.

ACTIVATIONS = {
    "relu": (tf.nn.relu, lambda x: max(x, 0)),
    "relu6": (tf.nn.relu6, lambda x: min(max(x, 0), 6)),
    "leaky_relu": (tf.nn.leaky_relu, lambda x: x if x > 0 else 0.2 * x),
    "steep leaky_relu": (lambda x: tf.nn.leaky_relu(x, alpha=1.5), lambda x: x if x > 0 else 1.5 * x),
    "elu": (tf.nn.elu, lambda x: x if x > 0 else np.expm1(x)),
    "selu": (tf.nn.selu, lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * np.expm1(x))),
    "silu": (tf.nn.silu, lambda x: x / (1 + np.exp(-x))),
    "swish": (lambda x: tf.nn.swish(x, beta=2.0), lambda x: x / (1 + np.exp(-2 * x))),
    "gelu": (tf.nn.gelu, lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2))),
    "approximate gelu": (
        lambda x: tf.nn.gelu(x, approximate=True),
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "softsign": (tf.nn.softsign, lambda x: x / (1 + abs(x))),
    "softplus": (tf.nn.softplus, lambda x: np.log1p(np.exp(x))),
    "sigmoid": (tf.nn.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (tf.nn.tanh, np.tanh),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    f, expected = ACTIVATIONS[name]
    x = np.array([-3.0, -0.7, -0.01, 0.02, 0.9, 5.5, 7.0])
    close(f(x), [expected(v) for v in x])
    assert f(x.astype(np.float32)).dtype == tf.float32
    assert_derivatives(f, x)
    many = np.linspace(-4, 8, 5001)
    close(f(many), [expected(v) for v in many])
    close(gradient(f, many)[::100], [gradient(f, [v])[0] for v in many[::100]])


def test_activations_at_their_corners():
    assert gradient(tf.nn.relu, [-1.0, 0.0, 1.0]).tolist() == [0, 0, 1]
    assert gradient(tf.nn.relu6, [0.0, 3.0, 6.0]).tolist() == [0, 1, 0]
    assert gradient(tf.nn.elu, [0.0]).tolist() == [1]
    assert listed(tf.nn.relu([-1, 2])) == [0, 2]
    assert np.isnan(tf.nn.relu(NAN).numpy())
    assert listed(tf.nn.crelu([[-1.0, 2.0]])) == [[0, 2, 1, 0]]
    assert listed(tf.nn.elu([-1000.0, 1000.0])) == [-1, 1000]
    assert listed(tf.nn.silu([-1000.0, 1000.0])) == [0, 1000]


def test_an_infinite_cotangent_does_not_cross_a_closed_relu():
    x = tf.constant([-1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu(x)
    assert listed(tape.gradient(y, x, output_gradients=tf.constant([INF, 2.0]))) == [0, 2]


# Moments and normalisation.


def test_moments():
    mean, variance = tf.nn.moments(CUBE, [0, 2])
    close(mean, CUBE.mean(axis=(0, 2)))
    close(variance, CUBE.var(axis=(0, 2)))
    assert tf.nn.moments(CUBE, -1, keepdims=True)[0].shape == [2, 3, 1]
    assert tf.nn.moments(tf.constant([1.0, 2.0], tf.float16), [0])[1].dtype == tf.float16
    weights = np.abs(M)
    mean, variance = tf.nn.weighted_moments(M, [0], weights)
    close(mean, np.average(M, axis=0, weights=weights))
    close(variance, np.average((M - mean.numpy()) ** 2, axis=0, weights=weights))
    statistics = tf.nn.sufficient_statistics(M, [0], shift=M[0])
    assert statistics.count.numpy() == 3
    mean, variance = tf.nn.normalize_moments(*statistics)
    close(mean, M.mean(axis=0))
    close(variance, M.var(axis=0))


def test_batch_normalization():
    mean, variance = M.mean(axis=0), M.var(axis=0)
    expected = (M - mean) / np.sqrt(variance + 1e-3)
    close(tf.nn.batch_normalization(M, mean, variance, None, None, 1e-3), expected)
    close(tf.nn.batch_normalization(M, mean, variance, 2.0, 3.0, 1e-3), 3 * expected + 2)
    same = tf.nn.batch_norm_with_global_normalization(M, mean, variance, 2.0, 3.0, 1e-3, False)
    close(same, expected + 2)


def test_local_response_normalization():
    x = np.arange(1.0, 6.0).reshape(1, 1, 1, 5)
    expected = [1 / 6, 2 / 15, 3 / 30, 4 / 51, 5 / 42]
    close(tf.nn.lrn(x, 1, 1.0, 1.0, 1.0)[0, 0, 0], expected)


def test_bias_add():
    close(tf.nn.bias_add(M, M[0]), M + M[0])
    close(tf.nn.bias_add(CUBE, M[:, 0], data_format="NC"), CUBE + M[:, :1])


# Dropout.


def test_dropout():
    tf.random.set_seed(3)
    x = tf.ones([100, 100])
    dropped = tf.nn.dropout(x, 0.25)
    values = np.unique(dropped.numpy())
    close(values, [0, 4 / 3], 1e-6)
    assert abs(dropped.numpy().mean() - 1) < 0.05
    rows = tf.nn.dropout(x, 0.5, noise_shape=[None, 1]).numpy()
    assert (rows == rows[:, :1]).all()
    assert 0 < rows[:, 0].mean() < 2
    same = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]).numpy() for _ in range(2)]
    assert (same[0] == same[1]).all()
    assert tf.nn.dropout(x, 0) is x


def test_the_gradient_of_dropout_has_its_mask():
    x = tf.constant(np.ones(50, np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5)
    assert listed(tape.gradient(y, x)) == listed(y)


# Embeddings.


def test_embedding_lookup():
    table = tf.Variable([[3.0, 4.0], [0.3, 0.4], [1.0, 0.0]])
    with tf.GradientTape() as tape:
        found = tf.nn.embedding_lookup(table, [[0, 0], [2, 1]])
    assert found.shape == [2, 2, 2]
    rows = tape.gradient(found, table)
    assert isinstance(rows, tf.IndexedSlices)
    assert listed(rows.indices) == [0, 0, 2, 1]
    close(tf.nn.embedding_lookup(table, [0, 1], max_norm=1.0), [[0.6, 0.8], [0.3, 0.4]], 1e-6)
    pieces = [table[:2], table[2:]]
    assert listed(tf.nn.embedding_lookup(pieces, [2])) == [[1, 0]]


# Derivatives.

DERIVATIVES = {
    "softmax": (tf.nn.softmax, M),
    "softmax along": (lambda x: tf.nn.softmax(x, axis=1), CUBE),
    "log_softmax": (lambda x: tf.nn.log_softmax(x, axis=0), M),
    "softmax_cross_entropy": (tf.nn.softmax_cross_entropy_with_logits, LABELS, M),
    "of any labels": (tf.nn.softmax_cross_entropy_with_logits, M, M),
    "of broadcast labels": (tf.nn.softmax_cross_entropy_with_logits, LABELS[:1], M),
    "along an axis": (lambda y, x: tf.nn.softmax_cross_entropy_with_logits(y, x, axis=0), LABELS, M),
    "of a row": (tf.nn.softmax_cross_entropy_with_logits, LABELS[0], M[0]),
    "sparse": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 0, 3], [2, 2, 1]], x), CUBE),
    "sparse transposed": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2, 0, 0], tf.transpose(x)), M),
    "sparse row": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(2, x), M[0]),
    "sigmoid": (tf.nn.sigmoid_cross_entropy_with_logits, LABELS, M),
    "weighted": (tf.nn.weighted_cross_entropy_with_logits, LABELS, M, LABELS[0]),
    "l2_loss": (tf.nn.l2_loss, M),
    "log_poisson_loss": (lambda y, x: tf.nn.log_poisson_loss(y, x, True), 1.5 + LABELS * 3, M),
    "moments": (lambda x: tf.nn.moments(x, [0, 2]), CUBE),
    "weighted_moments": (lambda x, w: tf.nn.weighted_moments(x, [0], w), M, LABELS),
    "batch_normalization": (
        lambda x, m, v, o, s: tf.nn.batch_normalization(x, m, v, o, s, 1e-3),
        *(M, M[0], LABELS[0], M[1], M[2]),
    ),
    "lrn": (lambda x: tf.nn.lrn(x, 2, 1.0, 0.3, 0.7), CUBE[None]),
    "bias_add": (lambda x, b: tf.nn.bias_add(x, b) ** 2, M, M[0]),
    "crelu": (lambda x: tf.nn.crelu(x) ** 2, M),
    "silu": (tf.nn.silu, M, M[0]),
    "embedding_lookup": (lambda t: tf.nn.embedding_lookup(t, [[0, 1], [1, 2]], max_norm=0.7), M),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    f, *arrays = DERIVATIVES[name]
    assert_derivatives(f, *arrays)


# Wrong arguments.

F = tf.constant([1.0, 2.0])
WRONG = [
    (lambda: tf.nn.softmax(1.0), InvalidArgumentError, "at least one axis"),
    (lambda: tf.nn.softmax(F, axis=1), InvalidArgumentError, r"range \[-1, 1\)"),
    (lambda: tf.nn.softmax([1, 2]), InvalidArgumentError, "int32"),
    (lambda: tf.nn.log_softmax([True]), InvalidArgumentError, "bool"),
    (lambda: tf.nn.relu("a"), InvalidArgumentError, "string"),
    (lambda: tf.nn.relu(1j), InvalidArgumentError, "complex128"),
    (lambda: tf.nn.elu([1]), InvalidArgumentError, "int32"),
    (lambda: tf.nn.crelu(F, axis=3), InvalidArgumentError, "axis 3"),
    (lambda: tf.nn.softmax_cross_entropy_with_logits([1.0, 2.0, 3.0], F), InvalidArgumentError, "broadcastable"),
    (lambda: tf.nn.softmax_cross_entropy_with_logits(1.0, 2.0), InvalidArgumentError, "scalar"),
    (lambda: tf.nn.softmax_cross_entropy_with_logits(F, F, axis=2), InvalidArgumentError, "axis 2"),
    (lambda: tf.nn.softmax_cross_entropy_with_logits("a", F), InvalidArgumentError, "string|broadcastable"),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[1.0, 2.0]]),
        InvalidArgumentError,
        r"label value of 5 which is outside the valid range of \[0, 2\)",
    ),
    (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], [[1.0, 2.0]]), ValueError, "`labels.shape`"),
    (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([1.0], [[1.0, 2.0]]), InvalidArgumentError, "float32"),
    (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(1, 1.0), ValueError, "scalar"),
    (lambda: tf.nn.sigmoid_cross_entropy_with_logits([0.0], F), ValueError, "same shape"),
    (lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=F), ValueError, "`logits` is None"),
    (lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([1, 0]), F), InvalidArgumentError, "int32 tensor"),
    (lambda: tf.nn.log_poisson_loss([1.0], F), ValueError, "same shape"),
    (lambda: tf.nn.compute_average_loss(1.0), ValueError, "scalar"),
    (lambda: tf.nn.moments(F, [3]), InvalidArgumentError, "axes"),
    (lambda: tf.nn.lrn(F), InvalidArgumentError, "4-dimensional"),
    (lambda: tf.nn.bias_add([[1.0]], F), InvalidArgumentError, "Must provide as many biases"),
    (lambda: tf.nn.bias_add(F, F), InvalidArgumentError, "at least 2D"),
    (lambda: tf.nn.bias_add([F], [F]), InvalidArgumentError, "1D"),
    (lambda: tf.nn.bias_add([F], F, data_format="foo"), ValueError, "foo"),
    (lambda: tf.nn.dropout(F, 1.0), ValueError, r"range \[0, 1\). Received: rate=1.0"),
    (lambda: tf.nn.dropout(F, [0.5, 0.5]), ValueError, "scalar"),
    (lambda: tf.nn.dropout([1, 2], 0.5), ValueError, "floating"),
    (lambda: tf.nn.dropout(F, 0.5, noise_shape=[3]), InvalidArgumentError, "noise_shape"),
    (lambda: tf.nn.embedding_lookup(tf.ones([2, 2]), [0, 5]), InvalidArgumentError, r"indices\[1\] = 5"),
    (lambda: tf.nn.embedding_lookup([], [0]), ValueError, "at least one table"),
]


@pytest.mark.parametrize("index", range(len(WRONG)))
def test_wrong_arguments(index):
    call, error, words = WRONG[index]
    with pytest.raises(error, match=words):
        call()


def test_leaky_relu_is_connected_to_any_order():
    x = tf.Variable([-1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.nn.leaky_relu(x)
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).numpy().tolist() == [0.0, 0.0]
