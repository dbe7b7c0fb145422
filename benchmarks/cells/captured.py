"""The same steps compiled: `tf.function`, `jax.jit`, and PyTorch as it is, beside them."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np

from cells import article, mlp
from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "tensorflow", "jax", "torch")


def article_with_keras(name: str) -> Step:
    """A step of the article in a `tf.function`, with Keras' model and optimizer."""
    tf = import_module(name)
    x, y = tf.constant(article.X), tf.constant(article.Y)
    model = tf.keras.Sequential([tf.keras.layers.Dense(units=1)])
    model(x)
    model.set_weights([np.full((1, 1), article.START, np.float32), np.full((1,), article.START, np.float32)])
    optimizer = tf.optimizers.SGD(learning_rate=article.RATE)
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return lambda: step(x, y)


def article_with_jax() -> Step:
    """The same by hand under `jax.jit`."""
    jax = import_module("jax")
    x, y = jax.numpy.array(article.X), jax.numpy.array(article.Y)
    state = [jax.numpy.full((1, 1), article.START), jax.numpy.full((1,), article.START)]

    @jax.jit
    def stepped(state, x, y):
        loss, grads = jax.value_and_grad(lambda s: jax.numpy.mean((x @ s[0] + s[1] - y) ** 2))(state)
        return loss, [p - article.RATE * g for p, g in zip(state, grads, strict=True)]

    def step():
        nonlocal state
        loss, state = stepped(state, x, y)
        return loss.block_until_ready()

    return step


def article_with_torch() -> Step:
    """A step of the article's loop with PyTorch's layer and optimizer."""
    torch = import_module("torch")
    x, y = torch.tensor(article.X), torch.tensor(article.Y)
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    with torch.no_grad():
        for weights in model.parameters():
            weights.fill_(article.START)
    optimizer = torch.optim.SGD(model.parameters(), lr=article.RATE)

    def step():
        optimizer.zero_grad()
        loss = torch.mean(torch.square(model(x) - y))
        loss.backward()
        optimizer.step()
        return loss

    return step


def article_step(framework: str) -> Step:
    """One step of linear regression; it returns the loss before the step."""
    known = {"torch": article_with_torch, "jax": article_with_jax}
    return known.get(framework, partial(article_with_keras, framework))()


def mlp_with_tape(name: str, x: np.ndarray, labels: np.ndarray, weights: mlp.Arrays) -> Step:
    """Adam by hand in a `tf.function`, its step number in a variable."""
    tf = import_module(name)
    x, labels = tf.constant(x), tf.constant(labels)
    params = [tf.Variable(w) for w in weights]
    w1, b1, w2, b2, w3, b3 = params
    means, squares = ([tf.Variable(tf.zeros_like(p)) for p in params] for _ in range(2))
    number = tf.Variable(0.0)

    @tf.function
    def step(x, labels):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            logits = h @ w3 + b3
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        gradients = tape.gradient(loss, params)
        number.assign_add(1.0)
        rate = mlp.RATE * tf.sqrt(1 - mlp.SQUARE_DECAY**number) / (1 - mlp.DECAY**number)
        for p, g, m, v in zip(params, gradients, means, squares, strict=True):
            m.assign(mlp.DECAY * m + (1 - mlp.DECAY) * g)
            v.assign(mlp.SQUARE_DECAY * v + (1 - mlp.SQUARE_DECAY) * g * g)
            p.assign_sub(rate * m / (tf.sqrt(v) + mlp.EPSILON))
        return loss

    return lambda: step(x, labels)


def mlp_with_jax(x: np.ndarray, labels: np.ndarray, weights: mlp.Arrays) -> Step:
    """The same under `jax.jit`."""
    jax = import_module("jax")
    xp = jax.numpy
    rows = np.arange(len(labels))
    x, labels = xp.array(x), xp.array(labels)
    state = ([xp.array(w) for w in weights], *[[xp.zeros_like(w) for w in weights] for _ in range(2)], xp.zeros(()))

    def loss_of(params, x, labels):
        w1, b1, w2, b2, w3, b3 = params
        h = xp.maximum(x @ w1 + b1, 0)
        h = xp.maximum(h @ w2 + b2, 0)
        return -xp.mean(jax.nn.log_softmax(h @ w3 + b3)[rows, labels])

    @jax.jit
    def stepped(state, x, labels):
        params, means, squares, number = state
        loss, gradients = jax.value_and_grad(loss_of)(params, x, labels)
        number = number + 1
        rate = mlp.RATE * xp.sqrt(1 - mlp.SQUARE_DECAY**number) / (1 - mlp.DECAY**number)
        means = [mlp.DECAY * m + (1 - mlp.DECAY) * g for m, g in zip(means, gradients, strict=True)]
        squares = [
            mlp.SQUARE_DECAY * v + (1 - mlp.SQUARE_DECAY) * g * g for v, g in zip(squares, gradients, strict=True)
        ]
        params = [p - rate * m / (xp.sqrt(v) + mlp.EPSILON) for p, m, v in zip(params, means, squares, strict=True)]
        return loss, (params, means, squares, number)

    def step():
        nonlocal state
        loss, state = stepped(state, x, labels)
        return loss.block_until_ready()

    return step


def mlp_step(framework: str, *, size: str) -> Step:
    """One step of Adam; it returns the loss before the step."""
    known = {"torch": partial(mlp.with_torch, True), "jax": mlp_with_jax}
    return known.get(framework, partial(mlp_with_tape, framework))(*mlp.problem(size))


CELLS = (
    Cell("article's step, captured", "µs/step", FRAMEWORKS, timed(article_step)),
    *[
        Cell(f"MLP {size} Adam, captured", "µs/step", FRAMEWORKS, timed(partial(mlp_step, size=size)))
        for size in mlp.SIZES
    ],
)
