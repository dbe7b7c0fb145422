"""Keras layers, losses and optimizers in hand-written loops."""

from itertools import pairwise

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras


def seeded(units, *shape):
    rng = np.random.default_rng(0)
    model = keras.Sequential([keras.Input((shape[-1],)), *[keras.layers.Dense(u, activation="tanh") for u in units]])
    for v in model.trainable_variables:
        v.assign(rng.normal(size=v.shape).astype("float32") * 0.5)
    return model, rng.normal(size=shape).astype("float32")


def test_the_article():
    x = tf.constant([[1.0], [2.0], [3.0], [4.0]])
    y = tf.constant([[0.0], [-1.0], [-2.0], [-3.0]])
    model = keras.Sequential([keras.layers.Dense(units=1)])
    model(x)
    model.set_weights([np.array([[0.5]], "float32"), np.array([0.0], "float32")])
    optimizer = tf.optimizers.SGD(learning_rate=0.01)
    losses = []
    for _ in range(100):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        losses.append(float(loss))
    # TensorFlow 2.21 from the same weights.
    expected = {
        0: 10.375,
        1: 7.290837287902832,
        10: 0.5487014055252075,
        50: 0.22672931849956512,
        99: 0.16900256276130676,
    }
    assert [losses[i] for i in expected] == pytest.approx(list(expected.values()), rel=1e-6)
    assert all(b < a for a, b in pairwise(losses))


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl", "Lion", "Lamb"]
)
def test_optimizers_descend(name):
    model, x = seeded([4, 1], 16, 3)
    optimizer = getattr(keras.optimizers, name)(learning_rate=0.01)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - 0.3))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return float(loss)

    first = step()
    for _ in range(20):
        last = step()
    assert last < first


@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "relu6",
        "sigmoid",
        "tanh",
        "softmax",
        "log_softmax",
        "softplus",
        "softsign",
        "elu",
        "selu",
        "gelu",
        "silu",
        "leaky_relu",
        "hard_sigmoid",
        "hard_silu",
        "exponential",
        "linear",
        "mish",
        "celu",
        "glu",
        "hard_tanh",
        "hard_shrink",
        "soft_shrink",
        "squareplus",
        "tanh_shrink",
        "log_sigmoid",
        "threshold",
        "sparse_plus",
        "sparse_sigmoid",
    ],
)
def test_activations_have_gradients(name):
    args = (0.5, 0.0) if name == "threshold" else ()
    f = getattr(keras.activations, name)
    x = np.array([[-2.1, -0.4, 0.3, 1.7]])
    by_tape, by_differences = tf.test.compute_gradient(lambda t: f(t, *args), [x])
    np.testing.assert_allclose(by_tape[0], by_differences[0], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "y"),
    [
        ("MeanSquaredError", [[0.2, 0.8]]),
        ("MeanAbsoluteError", [[0.2, 0.8]]),
        ("MeanAbsolutePercentageError", [[0.2, 0.8]]),
        ("MeanSquaredLogarithmicError", [[0.2, 0.8]]),
        ("BinaryCrossentropy", [[0.0, 1.0]]),
        ("BinaryFocalCrossentropy", [[0.0, 1.0]]),
        ("CategoricalCrossentropy", [[0.0, 1.0]]),
        ("CategoricalFocalCrossentropy", [[0.0, 1.0]]),
        ("SparseCategoricalCrossentropy", [1]),
        ("Huber", [[0.2, 0.8]]),
        ("LogCosh", [[0.2, 0.8]]),
        ("Hinge", [[-1.0, 1.0]]),
        ("SquaredHinge", [[-1.0, 1.0]]),
        ("CategoricalHinge", [[0.0, 1.0]]),
        ("KLDivergence", [[0.2, 0.8]]),
        ("Poisson", [[0.2, 0.8]]),
        ("CosineSimilarity", [[0.2, 0.8]]),
        ("Dice", [[0.0, 1.0]]),
        ("Tversky", [[0.0, 1.0]]),
    ],
)
def test_losses_have_gradients(name, y):
    loss = getattr(keras.losses, name)(dtype="float64")
    x = np.array([[0.35, 0.65]])
    by_tape, by_differences = tf.test.compute_gradient(lambda t: loss(np.array(y), t), [x])
    np.testing.assert_allclose(by_tape[0], by_differences[0], atol=2e-5)


def test_keras_weights_are_sources_and_can_be_watched():
    model, x = seeded([2], 4, 3)
    kernel, bias = model.trainable_variables
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(kernel)
        loss = tf.reduce_sum(model(x))
    grads = tape.gradient(loss, [kernel, bias], unconnected_gradients="zero")
    assert grads[0].shape == (3, 2)
    assert grads[1].numpy().tolist() == [0.0, 0.0]


def test_plain_variables_with_a_keras_optimizer():
    v = tf.Variable(3.0)
    optimizer = keras.optimizers.SGD(0.5)
    with tf.GradientTape() as tape:
        loss = v * v
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    assert v.numpy() == 0.0


def test_no_gradients_error():
    v = tf.Variable(3.0)
    with pytest.raises(ValueError, match="gradient"):
        keras.optimizers.SGD(0.5).apply_gradients([(None, v)])


def test_second_order_through_a_layer():
    model, x = seeded([3, 1], 5, 2)
    x = tf.constant(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = model(x)
        penalty = tf.reduce_mean(tf.square(inner.gradient(y, x)))
    grads = outer.gradient(penalty, model.trainable_variables)
    assert grads[0] is not None
    kernel = model.trainable_variables[0]
    step = np.zeros(kernel.shape, "float32")
    step[0, 1] = 1e-2

    def at(shift):
        kernel.assign_add(shift)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = model(x)
        kernel.assign_sub(shift)
        return float(tf.reduce_mean(tf.square(tape.gradient(y, x))))

    assert float(grads[0][0, 1]) == pytest.approx((at(step) - at(-step)) / 2e-2, rel=2e-2)


def test_fit_evaluate_predict():
    model, x = seeded([8, 1], 64, 3)
    y = (x.sum(1, keepdims=True) > 0).astype("float32")
    model.compile(optimizer=keras.optimizers.Adam(0.05), loss="mse", metrics=["mae"])
    history = model.fit(x, y, epochs=5, batch_size=16, validation_split=0.25, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    assert set(history) == {"loss", "mae", "val_loss", "val_mae"}
    assert len(model.evaluate(x, y, verbose=0)) == 2
    assert model.predict(x, verbose=0).shape == (64, 1)
