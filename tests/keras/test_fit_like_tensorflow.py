"""`fit` from the same weights, over the same batches, reaches the loss that Keras on TensorFlow reaches."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers


def wave(*shape, rate=0.7, start=0.3):
    """Numbers between -1 and 1 that look random enough."""
    n = np.arange(np.prod(shape), dtype=np.float64)
    return np.sin(start + rate * n + 0.013 * n * n).reshape(shape).astype(np.float32)


def prepared(model):
    """The model with weights from a formula; biases and scales stay as Keras makes them."""
    for i, v in enumerate(model.trainable_variables):
        if len(v.shape) > 1:
            v.assign(wave(*v.shape, rate=0.37 + 0.05 * i) * np.sqrt(2.0 / np.prod(v.shape[:-1])))
    return model


def labels(n, classes):
    return (np.arange(n) * 7 % 11 % classes).astype("int32")


def classifier():
    hidden = [layers.Dense(16, activation="relu") for _ in range(3)]
    return keras.Sequential([keras.Input((12,)), *hidden, layers.Dense(4)]), wave(80, 12), labels(80, 4), "adam"


def convolutional():
    model = keras.Sequential(
        [
            keras.Input((10, 10, 2)),
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(6, 3, activation="relu"),
            layers.AveragePooling2D(2),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )
    return model, wave(80, 10, 10, 2), labels(80, 3), keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True)


def words():
    return (np.arange(80 * 7).reshape(80, 7) * 13 % 17 % 10).astype("int32")


def long_memory():
    model = keras.Sequential(
        [
            keras.Input((7,), dtype="int32"),
            layers.Embedding(10, 6, mask_zero=True),
            layers.LSTM(8, return_sequences=True),
            layers.LSTM(8),
            layers.Dense(3),
        ]
    )
    return model, words(), labels(80, 3), keras.optimizers.SGD(0.2, momentum=0.9)


def both_ways():
    model = keras.Sequential(
        [
            keras.Input((7,), dtype="int32"),
            layers.Embedding(10, 6, mask_zero=True),
            layers.Bidirectional(layers.GRU(5, return_sequences=True)),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True), merge_mode="sum"),
            layers.LSTM(4, go_backwards=True),
            layers.Dense(3),
        ]
    )
    return model, words(), labels(80, 3), keras.optimizers.SGD(0.2, clipvalue=0.1)


def transformer():
    x = keras.Input((7,), dtype="int32")
    h = layers.Embedding(10, 8)(x)
    h = layers.LayerNormalization()(h + layers.MultiHeadAttention(2, 4)(h, h, use_causal_mask=True))
    h = layers.LayerNormalization()(h + layers.Dense(8)(layers.Dense(16, activation="gelu")(h)))
    model = keras.Model(x, layers.Dense(3)(layers.GlobalAveragePooling1D()(h)))
    return model, words(), labels(80, 3), keras.optimizers.AdamW(0.01, global_clipnorm=1.0)


EXPECTED = {  # the loss over all data after 50 batches of 16, by Keras 3.15.1 on TensorFlow 2.21
    "classifier": 1.337215,
    "convolutional": 0.8664794,
    "long_memory": 1.07396,
    "both_ways": 1.085418,
    "transformer": 1.045349,
}


def loss_after_50_steps(make):
    model, x, y, optimizer = make()
    prepared(model)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    model.fit(x, y, batch_size=16, epochs=10, shuffle=False, verbose=0)
    return model.evaluate(x, y, verbose=0)[0]


@pytest.mark.parametrize("make", [classifier, convolutional, long_memory, both_ways, transformer])
def test_losses_after_50_steps(make):
    assert loss_after_50_steps(make) == pytest.approx(EXPECTED[make.__name__], rel=1e-3)
