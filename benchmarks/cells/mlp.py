"""Training steps of multilayer perceptrons: relu, softmax cross entropy, SGD and Adam by hand, nothing compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import count, pairwise
from math import sqrt

import numpy as np

from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "numpy", "torch", "tensorflow", "jax", "autograd")
SIZES = {
    "32x10-32-32-3": (32, (10, 32, 32, 3)),
    "64x784-128-128-10": (64, (784, 128, 128, 10)),
    "256x784-512-512-10": (256, (784, 512, 512, 10)),
}
RATE, DECAY, SQUARE_DECAY, EPSILON = 1e-3, 0.9, 0.999, 1e-7

Arrays = list[np.ndarray]
Problem = tuple[np.ndarray, np.ndarray, Arrays]


def problem(size: str) -> Problem:
    """Inputs, labels and starting weights: the same numbers for every framework."""
    rows, widths = SIZES[size]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, widths[0])).astype(np.float32)
    labels = rng.integers(widths[-1], size=rows).astype(np.int64)
    weights: Arrays = []
    for inputs, outputs in pairwise(widths):
        weights.append((rng.normal(size=(inputs, outputs)) / sqrt(inputs)).astype(np.float32))
        weights.append(np.zeros(outputs, np.float32))
    return x, labels, weights


def adam_rate(t: int) -> float:
    """Adam's step size with both bias corrections in it."""
    return RATE * sqrt(1 - SQUARE_DECAY**t) / (1 - DECAY**t)


def with_tape(name: str, adam: bool, x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """gradtape and TensorFlow: one text."""
    tf = import_module(name)
    x, labels = tf.constant(x), tf.constant(labels)
    params = [tf.Variable(w) for w in weights]
    w1, b1, w2, b2, w3, b3 = params
    means, squares = ([tf.Variable(tf.zeros_like(p)) for p in params] for _ in range(2))
    steps = count(1)

    def step():
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            logits = h @ w3 + b3
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        gradients = tape.gradient(loss, params)
        if adam:
            rate = adam_rate(next(steps))
            for p, g, m, v in zip(params, gradients, means, squares, strict=True):
                m.assign(DECAY * m + (1 - DECAY) * g)
                v.assign(SQUARE_DECAY * v + (1 - SQUARE_DECAY) * g * g)
                p.assign_sub(rate * m / (tf.sqrt(v) + EPSILON))
        else:
            for p, g in zip(params, gradients, strict=True):
                p.assign_sub(RATE * g)
        return loss

    return step


def with_torch(adam: bool, x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """PyTorch, with the in-place forms that its own optimizers use."""
    torch = import_module("torch")
    x, labels = torch.tensor(x), torch.tensor(labels)
    params = [torch.tensor(w, requires_grad=True) for w in weights]
    w1, b1, w2, b2, w3, b3 = params
    means, squares = ([torch.zeros_like(p) for p in params] for _ in range(2))
    steps = count(1)

    def step():
        h = torch.relu(x @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        loss = torch.nn.functional.cross_entropy(h @ w3 + b3, labels)
        gradients = torch.autograd.grad(loss, params)
        with torch.no_grad():
            if adam:
                rate = adam_rate(next(steps))
                for p, g, m, v in zip(params, gradients, means, squares, strict=True):
                    m.mul_(DECAY).add_(g, alpha=1 - DECAY)
                    v.mul_(SQUARE_DECAY).addcmul_(g, g, value=1 - SQUARE_DECAY)
                    p.addcdiv_(m, v.sqrt().add_(EPSILON), value=-rate)
            else:
                for p, g in zip(params, gradients, strict=True):
                    p.sub_(g, alpha=RATE)
        return loss.detach()

    return step


def with_functions(name: str, adam: bool, x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """JAX (not compiled) and autograd: gradients of a pure function."""
    xp = import_module(f"{name}.numpy")
    rows = np.arange(len(labels))
    x = xp.array(x)
    state = [[xp.array(w), xp.zeros_like(w), xp.zeros_like(w)] for w in weights]
    steps = count(1)

    def loss_of(params):
        w1, b1, w2, b2, w3, b3 = params
        h = xp.maximum(x @ w1 + b1, 0)
        h = xp.maximum(h @ w2 + b2, 0)
        logits = h @ w3 + b3
        shifted = logits - xp.max(logits, axis=1, keepdims=True)
        return xp.mean(xp.log(xp.sum(xp.exp(shifted), axis=1)) - shifted[rows, labels])

    gradient = import_module(name).value_and_grad(loss_of)

    def step():
        loss, gradients = gradient([p for p, _, _ in state])
        rate = adam_rate(next(steps)) if adam else RATE
        for slot, g in zip(state, gradients, strict=True):
            p, m, v = slot
            if adam:
                slot[1] = m = DECAY * m + (1 - DECAY) * g
                slot[2] = v = SQUARE_DECAY * v + (1 - SQUARE_DECAY) * g * g
                slot[0] = p - rate * m / (xp.sqrt(v) + EPSILON)
            else:
                slot[0] = p - rate * g
        return loss.block_until_ready() if name == "jax" else loss

    return step


def with_numpy(adam: bool, x: np.ndarray, labels: np.ndarray, weights: Arrays) -> Step:
    """NumPy, with the derivatives worked out by hand: what the arithmetic alone costs."""
    params = [w.copy() for w in weights]
    w1, b1, w2, b2, w3, b3 = params
    means, squares = ([np.zeros_like(p) for p in params] for _ in range(2))
    rows = np.arange(len(labels))
    steps = count(1)

    def step():
        h1 = np.maximum(x @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        logits = h2 @ w3 + b3
        logits -= logits.max(axis=1, keepdims=True)
        ct = np.exp(logits)
        total = ct.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - logits[rows, labels])
        ct /= total
        ct[rows, labels] -= 1
        ct /= len(labels)
        ct2 = (ct @ w3.T) * (h2 > 0)
        ct1 = (ct2 @ w2.T) * (h1 > 0)
        gradients = [x.T @ ct1, ct1.sum(axis=0), h1.T @ ct2, ct2.sum(axis=0), h2.T @ ct, ct.sum(axis=0)]
        rate = adam_rate(next(steps)) if adam else RATE
        for p, g, m, v in zip(params, gradients, means, squares, strict=True):
            if adam:
                m *= DECAY
                m += (1 - DECAY) * g
                v *= SQUARE_DECAY
                v += (1 - SQUARE_DECAY) * g * g
                p -= rate * m / (np.sqrt(v) + EPSILON)
            else:
                p -= rate * g
        return loss

    return step


def training(framework: str, *, size: str, adam: bool) -> Step:
    """One step of gradient descent; it returns the loss before the step."""
    build: Callable[..., Step] = {"torch": with_torch, "numpy": with_numpy}.get(framework) or partial(
        with_functions if framework in ("jax", "autograd") else with_tape, framework
    )
    return build(adam, *problem(size))


CELLS = tuple(
    Cell(
        f"MLP {size} {optimizer}", "µs/step", FRAMEWORKS, timed(partial(training, size=size, adam=optimizer == "Adam"))
    )
    for size in SIZES
    for optimizer in ("SGD", "Adam")
)
