"""Tapes, accumulators, gradients of the user's own and loops inside of a function: replays equal eager calls."""

import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.tensor import exact

W = tf.Variable([1.0, 2.0, 3.0])


def forward(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.sin(x) * tf.reduce_sum(x)
    return accumulator.jvp(y)


def forward_over_reverse(x):
    with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x * x)
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient)


def hessian(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x * x)
        gradient = inner.gradient(y, x)
    return outer.jacobian(gradient, x)


def persistent(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


def strong_zeros(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x > 0, tf.sqrt(x), 0.0)
    return tape.gradient(y, x)


def recomputed(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda a: tf.tanh(a) * a)(x)
    return tape.gradient(y, x)


def of_the_users_own(x):
    @tf.custom_gradient
    def f(a):
        y = tf.exp(a)
        return y, lambda d: d * y * 3.0

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def stopped(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * 3.0
        w = y * z
    return tape.gradient(w, x)


def clipped(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(W * x))
    (gradient,), norm = tf.clip_by_global_norm(tape.gradient(loss, [W]), 1.0)
    return gradient, norm


def array_of_tensors(x):
    array = tf.TensorArray(tf.float32, size=3)
    for i in range(3):
        array = array.write(i, x[i] * 2.0)
    return array.stack()


def looped(x):
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (tf.constant(0), tf.ones_like(x)))


def unpacked(x):
    a, b, c = x
    return a * b + c, tf.unstack(x)


def with_numpy(x):
    return np.sin(x) * np.array([1.0, 2.0, 3.0], np.float32) + np.max(x)


def with_builtins(x):
    return max([x[0], x[1], x[2]]) * 1.0, sorted([x[0], x[1]], key=float)[0]


FUNCTIONS = [
    (forward, 1),
    (forward_over_reverse, 1),
    (hessian, 1),
    (persistent, 1),
    (strong_zeros, 2),
    (recomputed, 1),
    (of_the_users_own, 1),
    (stopped, 1),
    (clipped, 1),
    (array_of_tensors, 1),
    (looped, 1),
    (lambda x: tf.map_fn(lambda a: a * tf.reduce_max(x), x), 1),
    (unpacked, 1),
    (with_numpy, 1),
    (with_builtins, 3),
]
VALUES = [[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0], [1.0, 2.0, 3.0], [0.0, 0.25, 0.5]]


@pytest.mark.parametrize(("function", "paths"), FUNCTIONS)
def test_replay_equals_eager(function, paths):
    def bits(f, value):
        leaves = tf.nest.flatten(f(tf.constant(value)))
        return [exact(tf.convert_to_tensor(leaf)._value) for leaf in leaves]

    captured = tf.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in VALUES:
            assert bits(captured, value) == bits(function, value)
    assert len(captured.programs) == paths
