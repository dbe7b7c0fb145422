"""Steps of Keras are captured: the same numbers as with `run_eagerly`, and the Python of a step runs once per shape."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import keras

X = np.random.default_rng(0).normal(size=(70, 6)).astype("float32")
Y = np.random.default_rng(1).integers(0, 3, 70)


def built(eager, optimizer="adam", **options):
    keras.utils.set_random_seed(3)
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((6,)),
            layers.Dense(8, activation="relu", kernel_regularizer="l2"),
            layers.Dropout(0.3),
            layers.BatchNormalization(),
            layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], run_eagerly=eager, **options)
    return model


def outcome(model, **options):
    history = model.fit(X, Y, batch_size=16, epochs=3, verbose=0, validation_split=0.2, **options).history
    scores = model.evaluate(X, Y, verbose=0)
    return history, scores, [w.tobytes() for w in model.get_weights()], model.predict(X, verbose=0).tobytes()


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop", "adamw", "lion", "adafactor"])
def test_fit_evaluate_predict(optimizer):
    assert outcome(built(False, optimizer)) == outcome(built(True, optimizer))


def test_options_of_fit():
    for options in (
        {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}},
        {"sample_weight": np.linspace(0, 1, 70).astype("float32")},
        {"callbacks": [keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 / (epoch + 1))]},
    ):
        assert outcome(built(False), **options) == outcome(built(True), **options)


def test_clipping_schedules_and_averages():
    def optimizer():
        rate = keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.5, staircase=True)
        return keras.optimizers.Adam(rate, clipnorm=0.5, use_ema=True, ema_overwrite_frequency=3)

    assert outcome(built(False, optimizer())) == outcome(built(True, optimizer()))


def test_a_train_step_of_the_users_own_is_captured():
    calls = []

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)
            self.tracker = keras.metrics.Mean(name="loss")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            calls.append(1)
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True)[:, 0] - tf.cast(y, tf.float32)))
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables, strict=True)
            )
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result()}

    def losses(eager):
        calls.clear()
        keras.utils.set_random_seed(1)
        model = Model()
        model.compile("sgd", run_eagerly=eager)
        found = model.fit(X[:64], Y[:64], batch_size=16, epochs=5, verbose=0, shuffle=False).history["loss"]
        return found, len(calls)

    eager, times = losses(True)
    assert times == 20
    captured, times = losses(False)
    assert captured == eager
    assert times <= 2
    assert captured[-1] < captured[0]


def test_a_model_compiled_again_with_a_frozen_layer():
    model = built(False)
    model.fit(X, Y, verbose=0)
    model.layers[0].trainable = False
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    before = [w.numpy() for w in model.layers[0].weights]
    other = model.layers[-1].weights[0].numpy()
    model.fit(X, Y, verbose=0)
    assert all(np.array_equal(a, w.numpy()) for a, w in zip(before, model.layers[0].weights, strict=True))
    assert not np.array_equal(other, model.layers[-1].weights[0].numpy())


def test_models_and_layers_are_functions_to_capture():
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(3)])
    for called in (model, model.layers[0]):
        captured = tf.function(called)
        for _ in range(3):
            np.testing.assert_allclose(captured(X).numpy(), called(X).numpy(), rtol=1e-6)
        assert captured.python_function is called
        assert not hasattr(captured, "trainable_variables")
