"""A hundred steps of linear regression, as the introductions to `GradientTape` write them."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from cells.cell import Cell, Step, timed

STEPS, RATE = 100, 0.01
X = np.array([[1.0], [2.0], [3.0], [4.0]], dtype=np.float32)
Y = np.array([[0.0], [-1.0], [-2.0], [-3.0]], dtype=np.float32)
START = 0.5  # both weights, in every framework


def with_keras(framework: str) -> Step:
    """Keras' `Sequential` and `SGD`, a loop by hand, nothing compiled."""
    tf = import_module(framework)
    x, y = tf.constant(X), tf.constant(Y)
    model = tf.keras.Sequential([tf.keras.layers.Dense(units=1)])
    model(x)
    model.set_weights([np.full((1, 1), START, np.float32), np.full((1,), START, np.float32)])
    optimizer = tf.optimizers.SGD(learning_rate=RATE)

    def step():
        for _ in range(STEPS):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x) - y))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return step


def with_torch() -> Step:
    """The same with PyTorch's own layer and optimizer."""
    torch = import_module("torch")
    x, y = torch.tensor(X), torch.tensor(Y)
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    with torch.no_grad():
        for weights in model.parameters():
            weights.fill_(START)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)

    def step():
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = torch.mean(torch.square(model(x) - y))
            loss.backward()
            optimizer.step()
        return loss

    return step


def with_numpy() -> Step:
    """The same with the derivatives worked out by hand."""
    weight, bias = np.full((1, 1), START, np.float32), np.full((1,), START, np.float32)

    def step():
        for _ in range(STEPS):
            error = X @ weight + bias - Y
            loss = np.mean(error * error)
            ct = error * (2 / error.size)
            weight[...] -= RATE * (X.T @ ct)
            bias[...] -= RATE * ct.sum(axis=0)
        return loss

    return step


def loop(framework: str) -> Step:
    """The loop as each framework's users write it."""
    return {"torch": with_torch, "numpy": with_numpy}.get(framework, lambda: with_keras(framework))()


CELLS = (Cell("article's loop", "µs/step", ("gradtape", "numpy", "torch", "tensorflow"), timed(loop, STEPS)),)
