"""A step through a large table: rows looked up, averaged, a dense layer, and only those rows changed."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from math import sqrt

import numpy as np

from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "numpy", "torch", "tensorflow", "jax")
WORDS, WIDTH, ROWS, LENGTH, CLASSES = 100_000, 64, 256, 20, 10
RATE = 0.1

Arrays = tuple[np.ndarray, ...]


def problem() -> Arrays:
    """Word numbers, labels, the table, and the weights and biases behind it."""
    rng = np.random.default_rng(0)
    words = rng.integers(WORDS, size=(ROWS, LENGTH)).astype(np.int64)
    labels = rng.integers(CLASSES, size=ROWS).astype(np.int64)
    table = rng.normal(size=(WORDS, WIDTH)).astype(np.float32)
    weights = (rng.normal(size=(WIDTH, CLASSES)) / sqrt(WIDTH)).astype(np.float32)
    return words, labels, table, weights, np.zeros(CLASSES, np.float32)


def with_tape(name: str, captured: bool, words: np.ndarray, labels: np.ndarray, *start: np.ndarray) -> Step:
    """gradtape and TensorFlow: the gradient of the table is `IndexedSlices`."""
    tf = import_module(name)
    words, labels = tf.constant(words), tf.constant(labels)
    table, weights, biases = params = [tf.Variable(s) for s in start]

    def step(words, labels):
        with tf.GradientTape() as tape:
            means = tf.reduce_mean(tf.nn.embedding_lookup(table, words), axis=1)
            logits = means @ weights + biases
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        rows, d_weights, d_biases = tape.gradient(loss, params)
        table.scatter_sub(tf.IndexedSlices(RATE * rows.values, rows.indices))
        weights.assign_sub(RATE * d_weights)
        biases.assign_sub(RATE * d_biases)
        return loss

    return partial(tf.function(step) if captured else step, words, labels)


def with_torch(words: np.ndarray, labels: np.ndarray, *start: np.ndarray) -> Step:
    """PyTorch's embedding with a sparse gradient, and its optimizer, which changes the rows alone."""
    torch = import_module("torch")
    words, labels = torch.tensor(words), torch.tensor(labels)
    table, weights, biases = params = [torch.tensor(s, requires_grad=True) for s in start]
    optimizer = torch.optim.SGD(params, lr=RATE)

    def step():
        optimizer.zero_grad()
        means = torch.nn.functional.embedding(words, table, sparse=True).mean(dim=1)
        loss = torch.nn.functional.cross_entropy(means @ weights + biases, labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def with_jax(captured: bool, words: np.ndarray, labels: np.ndarray, *start: np.ndarray) -> Step:
    """JAX, where the gradient of a table is dense, and the table given away for the next one."""
    jax = import_module("jax")
    words, labels = jax.numpy.array(words), jax.numpy.array(labels)
    rows = np.arange(ROWS)
    state = [jax.numpy.array(s) for s in start]

    def loss_of(params, words, labels):
        table, weights, biases = params
        logits = jax.numpy.mean(table[words], axis=1) @ weights + biases
        return -jax.numpy.mean(jax.nn.log_softmax(logits)[rows, labels])

    def stepped(params, words, labels):
        loss, gradients = jax.value_and_grad(loss_of)(params, words, labels)
        return loss, [p - RATE * g for p, g in zip(params, gradients, strict=True)]

    if captured:
        stepped = jax.jit(stepped, donate_argnums=0)

    def step():
        nonlocal state
        loss, state = stepped(state, words, labels)
        return loss.block_until_ready()

    return step


def with_numpy(words: np.ndarray, labels: np.ndarray, *start: np.ndarray) -> Step:
    """NumPy, with the derivatives worked out by hand: what the arithmetic alone costs."""
    table, weights, biases = (s.copy() for s in start)
    rows = np.arange(ROWS)

    def step():
        means = table[words].mean(axis=1)
        logits = means @ weights + biases
        logits -= logits.max(axis=1, keepdims=True)
        ct = np.exp(logits)
        total = ct.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - logits[rows, labels])
        ct /= total
        ct[rows, labels] -= 1
        ct *= RATE / ROWS
        d_means = ct @ weights.T / LENGTH
        weights[...] -= means.T @ ct
        biases[...] -= ct.sum(axis=0)
        np.subtract.at(table, words, d_means[:, None])
        return loss

    return step


def training(framework: str, *, captured: bool) -> Step:
    """One step of gradient descent; it returns the loss before the step."""
    known = {"torch": with_torch, "numpy": with_numpy, "jax": partial(with_jax, captured)}
    return known.get(framework, partial(with_tape, framework, captured))(*problem())


NAME = f"embedding {WORDS}x{WIDTH}, {ROWS}x{LENGTH} words, SGD"
CELLS = (
    Cell(NAME, "µs/step", FRAMEWORKS, timed(partial(training, captured=False))),
    Cell(f"{NAME}, captured", "µs/step", FRAMEWORKS, timed(partial(training, captured=True))),
)
