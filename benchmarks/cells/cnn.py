"""A training step of a small convolutional network: two convolutions, two pools, a dense layer, SGD by hand.

As it is, and in a `tf.function`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from math import sqrt

import numpy as np

from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "torch", "tensorflow")
BATCH, SIZE, CLASSES, RATE = 64, 28, 10, 1e-3
CHANNELS = {"8-16": (8, 16), "16-32": (16, 32), "32-64": (32, 64)}

Arrays = list[np.ndarray]


def problem(channels: str) -> tuple[np.ndarray, np.ndarray, Arrays]:
    """Images, labels and starting weights: the same numbers for every framework."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCH, SIZE, SIZE, 1)).astype(np.float32)
    labels = rng.integers(CLASSES, size=BATCH).astype(np.int64)
    first, second = CHANNELS[channels]
    shapes = ((3, 3, 1, first), (3, 3, first, second), (5 * 5 * second, CLASSES))
    weights: Arrays = []
    for shape in shapes:
        weights.append((rng.normal(size=shape) / sqrt(np.prod(shape[:-1]))).astype(np.float32))
        weights.append(np.zeros(shape[-1], np.float32))
    return x, labels, weights


def with_tape(name: str, captured: bool, x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """gradtape and TensorFlow: one text."""
    tf = import_module(name)
    x, labels = tf.constant(x), tf.constant(labels)
    params = [tf.Variable(w) for w in weights]
    w1, b1, w2, b2, w3, b3 = params

    def step():
        with tf.GradientTape() as tape:
            h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w1, 1, "VALID"), b1))
            h = tf.nn.max_pool2d(h, 2, 2, "VALID")
            h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, w2, 1, "VALID"), b2))
            h = tf.nn.max_pool2d(h, 2, 2, "VALID")
            logits = tf.reshape(h, [BATCH, -1]) @ w3 + b3
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        for p, g in zip(params, tape.gradient(loss, params), strict=True):
            p.assign_sub(RATE * g)
        return loss

    return tf.function(step) if captured else step


def with_torch(x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """PyTorch, in the layout that it prefers; the dense weights follow the order of its flattened images."""
    torch = import_module("torch")
    x, labels = torch.tensor(x.transpose(0, 3, 1, 2).copy()), torch.tensor(labels)
    moved = [w.transpose(3, 2, 0, 1).copy() if w.ndim == 4 else w for w in weights]
    channels = moved[2].shape[0]
    moved[4] = moved[4].reshape(5, 5, channels, CLASSES).transpose(2, 0, 1, 3).reshape(-1, CLASSES).copy()
    params = [torch.tensor(w, requires_grad=True) for w in moved]
    w1, b1, w2, b2, w3, b3 = params
    functional = torch.nn.functional

    def step():
        h = functional.max_pool2d(torch.relu(functional.conv2d(x, w1, b1)), 2)
        h = functional.max_pool2d(torch.relu(functional.conv2d(h, w2, b2)), 2)
        loss = functional.cross_entropy(h.reshape(BATCH, -1) @ w3 + b3, labels)
        gradients = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, gradients, strict=True):
                p.sub_(g, alpha=RATE)
        return loss.detach()

    return step


def training(framework: str, *, channels: str, captured: bool) -> Step:
    """One step of gradient descent; it returns the loss before the step."""
    build: Callable[..., Step] = with_torch if framework == "torch" else partial(with_tape, framework, captured)
    return build(*problem(channels))


CELLS = tuple(
    Cell(
        f"CNN {BATCH}x{SIZE}x{SIZE} {c}{', captured' if captured else ''}",
        "ms",
        FRAMEWORKS,
        timed(partial(training, channels=c, captured=captured)),
    )
    for captured in (False, True)
    for c in CHANNELS
)
