"""The programs of `python -m gradtape demo`: two derivatives, a persistent tape, a training loop with Keras."""

from __future__ import annotations

import time
from collections.abc import Iterator

import gradtape as tf


def first_derivatives() -> Iterator[str]:
    """The gradient of one product with respect to both of its factors.

    >>> list(first_derivatives())
    ['c = a * b = 6.0', 'dc/da = 2.0, dc/db = 3.0']
    """
    a = tf.Variable(3.0)
    b = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        c = a * b
    dc_da, dc_db = tape.gradient(c, [a, b])
    yield f"c = a * b = {c.numpy()}"
    yield f"dc/da = {dc_da.numpy()}, dc/db = {dc_db.numpy()}"


def persistent_tape() -> Iterator[str]:
    """Several gradients from one recording.

    >>> list(persistent_tape())
    ['d = a * b:  dd/da = 2.0, dd/db = 3.0', 'e = d * 2:  de/da = 4.0, de/db = 6.0']
    """
    a = tf.Variable(3.0)
    b = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        d = a * b
        e = d * 2
    for name, formula, target in (("d", "a * b", d), ("e", "d * 2", e)):
        to_a, to_b = (tape.gradient(target, source).numpy() for source in (a, b))
        yield f"{name} = {formula}:  d{name}/da = {to_a}, d{name}/db = {to_b}"
    tape.reset()


def training_loop(steps: int = 100) -> Iterator[str]:
    """Fit a line through four points with a Keras layer, a Keras optimizer and a loop written by hand."""
    tf.keras.utils.set_random_seed(0)
    x = tf.constant([[1.0], [2.0], [3.0], [4.0]])
    y = tf.constant([[0.0], [-1.0], [-2.0], [-3.0]])
    model = tf.keras.Sequential([tf.keras.layers.Dense(units=1)])
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.01)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        if step % 10 == 0 or step == steps - 1:
            yield f"step {step:3}: loss = {float(loss):.6f}"
    slope, intercept = (weights.numpy().item() for weights in model.trainable_variables)
    yield f"the line: y = {slope:.3f} x + {intercept:.3f} (the points lie on y = -x + 1)"


PROGRAMS = (
    (
        "Two derivatives of one product",
        first_derivatives,
        "What is computed inside the `with` block is recorded; `gradient` walks the recording backwards.",
    ),
    (
        "A persistent tape",
        persistent_tape,
        "One recording answers as many questions as you ask, until you reset it or let it go.",
    ),
    (
        "A training loop",
        training_loop,
        "Keras' own layers and optimizers train on these gradients: the loss falls, step after step.",
    ),
)


def run() -> None:
    """Run every program and say what it shows."""
    for number, (title, program, lesson) in enumerate(PROGRAMS, start=1):
        print(f"[{number}/{len(PROGRAMS)}] {title}", flush=True)
        started = time.perf_counter()
        for line in program():
            print(f"      {line}", flush=True)
        print(f"      {lesson} ({time.perf_counter() - started:.2f} s)\n", flush=True)
    print("All of it ran on NumPy: no TensorFlow, no network, no files.")
