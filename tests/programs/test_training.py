"""Fifty steps of training, captured and eager: the same losses, weights and random numbers, bit for bit."""

from itertools import pairwise

import numpy as np
import pytest

import gradtape as tf

STEPS = 50


def glorot(rng, *shape):
    return tf.Variable((rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32))


def regression(rng):
    w, b = tf.Variable(5.0), tf.Variable(0.0)
    x = tf.constant(rng.normal(size=100).astype(np.float32))
    y = x * 3.0 + 2.0

    def loss():
        return tf.reduce_mean(tf.square(y - (w * x + b)))

    return [w, b], loss


def mlp(rng):
    sizes = [10, 32, 32, 3]
    weights = [v for n, m in pairwise(sizes) for v in (glorot(rng, n, m), tf.Variable(tf.zeros(m)))]
    x = tf.constant(rng.normal(size=(32, 10)).astype(np.float32))
    y = tf.constant(rng.integers(0, 3, 32).astype(np.int32))

    def loss():
        h = x
        for i in (0, 2):
            h = tf.nn.dropout(tf.nn.relu(h @ weights[i] + weights[i + 1]), 0.2)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h @ weights[4] + weights[5]))

    return weights, loss


def convolutional(rng):
    k, w = glorot(rng, 3, 3, 1, 4), glorot(rng, 4 * 9, 2)
    x = tf.constant(rng.normal(size=(8, 6, 6, 1)).astype(np.float32))
    y = tf.one_hot(rng.integers(0, 2, 8), 2)

    def loss():
        h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "SAME")), 2, 2, "VALID")
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, tf.reshape(h, [8, -1]) @ w))

    return [k, w], loss


def recurrent(rng):
    u, w, o = glorot(rng, 3, 8), glorot(rng, 8, 8), glorot(rng, 8, 1)
    x = tf.constant(rng.normal(size=(4, 5, 3)).astype(np.float32))

    def loss():
        h = tf.zeros([4, 8])
        for t in tf.range(5):
            h = tf.tanh(x[:, int(t)] @ u + h @ w)
        return tf.reduce_mean(tf.square(h @ o - 1.0))

    return [u, w, o], loss


def embedding(rng):
    table, w = glorot(rng, 20, 4), glorot(rng, 4, 1)
    ids = tf.constant(rng.integers(0, 20, 16))

    def loss():
        return tf.reduce_mean(tf.square(tf.gather(table, ids) @ w - 1.0))

    return [table, w], loss


def physics(rng):
    w1, w2 = glorot(rng, 1, 16), glorot(rng, 16, 1)
    x = tf.constant(np.linspace(0, 1, 20, dtype=np.float32)[:, None])

    def loss():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                u = tf.tanh(x @ w1) @ w2
            ux = inner.gradient(u, x)
        return tf.reduce_mean(tf.square(outer.gradient(ux, x) + u - x))

    return [w1, w2], loss


def sgd(weights):
    def apply(grads):
        for v, g in zip(weights, grads, strict=True):
            v.assign_sub(0.05 * tf.convert_to_tensor(g))

    return apply, []


def adam(weights):
    t = tf.Variable(0.0)
    ms, vs = ([tf.Variable(tf.zeros_like(w)) for w in weights] for _ in range(2))

    def apply(grads):
        t.assign_add(1.0)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
        for w, g, m, v in zip(weights, grads, ms, vs, strict=True):
            g = tf.convert_to_tensor(g)
            m.assign_add(0.1 * (g - m))
            v.assign_add(0.001 * (g * g - v))
            w.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))

    return apply, [t, *ms, *vs]


@pytest.mark.parametrize("optimizer", [sgd, adam])
@pytest.mark.parametrize("model", [regression, mlp, convolutional, recurrent, embedding, physics])
def test_fifty_steps(model, optimizer):
    def trained(captured):
        weights, loss = model(np.random.default_rng(1))
        apply, state = optimizer(weights)

        def step():
            with tf.GradientTape() as tape:
                value = loss()
            apply(tape.gradient(value, weights))
            return value

        tf.random.set_seed(2)
        f = tf.function(step) if captured else step
        losses = [f().numpy() for _ in range(STEPS)]
        if captured:
            assert f.experimental_get_tracing_count() == 1
        return [np.array(losses).tobytes(), *[v.numpy().tobytes() for v in (*weights, *state)]], losses

    eager, losses = trained(False)
    assert trained(True)[0] == eager
    assert losses[-1] < losses[0]
