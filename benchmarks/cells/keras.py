"""Keras' own layers, optimizers and `fit`: on gradtape, on PyTorch and on TensorFlow."""

from __future__ import annotations

import os

import numpy as np

from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "torch", "tensorflow")
ROWS, FEATURES, UNITS, CLASSES, STEPS = 32, 64, 64, 10, 50


def keras_on(framework: str):
    """Keras, with the framework as its backend."""
    if framework == "gradtape":
        import gradtape

        return gradtape.keras
    os.environ["KERAS_BACKEND"] = framework
    import keras

    return keras


def data() -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels for `STEPS` batches, the same for every framework."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS * STEPS, FEATURES)).astype(np.float32)
    return x, rng.integers(CLASSES, size=len(x)).astype(np.int32)


def with_weights(model):
    """The model with the same weights on every framework."""
    rng = np.random.default_rng(1)
    model.set_weights([(rng.normal(size=w.shape) / 8).astype(np.float32) for w in model.get_weights()])
    return model


def classifier(keras):
    """Four Dense layers."""
    layers = [keras.layers.Dense(UNITS, activation="relu") for _ in range(3)]
    return with_weights(keras.Sequential([keras.Input((FEATURES,)), *layers, keras.layers.Dense(CLASSES)]))


def dense(framework: str) -> Step:
    """One call of a Dense layer, eagerly."""
    keras = keras_on(framework)
    layer = keras.layers.Dense(UNITS, activation="relu", kernel_initializer="ones", bias_initializer="ones")
    x = keras.ops.convert_to_tensor(data()[0][:ROWS])
    layer(x)

    def step():
        return layer(x)[0, 0]

    return step


def sequential(framework: str) -> Step:
    """One call of a model of four Dense layers, eagerly."""
    keras = keras_on(framework)
    model = classifier(keras)
    x = keras.ops.convert_to_tensor(data()[0][:ROWS])

    def step():
        return model(x)[0, 0]

    return step


def adam(framework: str) -> Step:
    """Adam applied to eight variables."""
    keras = keras_on(framework)
    model = classifier(keras)
    optimizer = keras.optimizers.Adam(1e-3)
    variables = model.trainable_variables
    optimizer.build(variables)
    gradients = [keras.ops.convert_to_tensor(np.full(v.shape, 1e-3, np.float32)) for v in variables]

    def step():
        optimizer.apply(gradients, variables)
        return variables[1].value[0] * 1.0

    return step


def fit(framework: str) -> Step:
    """An epoch of 50 batches of `fit` with Adam and accuracy."""
    keras = keras_on(framework)
    model = classifier(keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    x, y = data()

    def step():
        return model.fit(x, y, batch_size=ROWS, verbose=0, shuffle=False).history["loss"][0]

    return step


def gru(framework: str) -> Step:
    """A training step of GRU(64) on 32 sequences of 40 vectors of 16 numbers."""
    keras = keras_on(framework)
    model = with_weights(keras.Sequential([keras.Input((40, 16)), keras.layers.GRU(64), keras.layers.Dense(1)]))
    model.compile("sgd", "mse")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(32, 40, 16)).astype(np.float32), rng.normal(size=(32, 1)).astype(np.float32)

    def step():
        return model.train_on_batch(x, y)

    return step


CELLS = (
    Cell("Keras: Dense call", "µs", FRAMEWORKS, timed(dense)),
    Cell("Keras: Sequential of 4 Dense", "µs", FRAMEWORKS, timed(sequential)),
    Cell("Keras: Adam on 8 variables", "µs", FRAMEWORKS, timed(adam)),
    Cell("Keras: fit step, 4 Dense, Adam", "µs/step", FRAMEWORKS, timed(fit, STEPS)),
    Cell("Keras: GRU(64) step, 32x40x16", "µs", FRAMEWORKS, timed(gru)),
)
