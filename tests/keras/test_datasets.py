"""Datasets as data for Keras' models."""

import numpy as np
import pytest

import gradtape as tf

X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
Y = X.sum(axis=1, keepdims=True)


def model():
    tf.keras.utils.set_random_seed(0)
    made = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    return made


def batches():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)


def test_training_equals_that_on_arrays():
    one, two = model(), model()
    by_dataset = one.fit(batches(), epochs=3, validation_data=batches(), verbose=0).history
    by_arrays = two.fit(X, Y, batch_size=8, shuffle=False, epochs=3, validation_data=(X, Y), verbose=0).history
    np.testing.assert_allclose(by_dataset["loss"], by_arrays["loss"], rtol=1e-6)
    np.testing.assert_allclose(by_dataset["val_loss"], by_arrays["val_loss"], rtol=1e-5)
    assert one.evaluate(batches(), verbose=0) == pytest.approx(two.evaluate(X, Y, batch_size=8, verbose=0))
    np.testing.assert_allclose(one.predict(batches(), verbose=0), two.predict(X, batch_size=8, verbose=0), rtol=1e-6)


def test_endless_datasets_take_a_number_of_steps():
    history = model().fit(batches().repeat(), epochs=2, steps_per_epoch=5, verbose=0).history
    assert len(history["loss"]) == 2
    with pytest.raises(ValueError, match="how many steps"):
        model().fit(batches().repeat(), verbose=0)


def test_class_weights():
    weighted = model().evaluate(batches().map(lambda x, y: (x, y, 2.0 * tf.ones([tf.shape(x)[0]]))), verbose=0)
    assert weighted == pytest.approx(2 * model().evaluate(batches(), verbose=0))
    labels = tf.data.Dataset.from_tensor_slices((X, np.zeros((20, 1), np.int32))).batch(8)
    same = [model().fit(labels, class_weight=w, verbose=0).history["loss"][0] for w in (None, {0: 1.0})]
    assert same[0] == pytest.approx(same[1])


def test_targets_belong_into_the_dataset():
    with pytest.raises(ValueError, match="`y` should not be passed"):
        model().fit(batches(), Y)
    with pytest.raises(ValueError, match="`sample_weights` should not be passed"):
        model().fit(batches(), sample_weight=Y[:, 0])


def test_layers_adapt_to_datasets():
    wanted = tf.keras.layers.Normalization()
    wanted.adapt(X)
    plain = tf.data.Dataset.from_tensor_slices(X)
    pairs = [batches()] if tf.keras.__version__ >= "3.14" else []  # before, Keras takes no targets there
    for data in (plain, plain.batch(8), *pairs):
        layer = tf.keras.layers.Normalization()
        layer.adapt(data)
        np.testing.assert_allclose(layer(X), wanted(X), rtol=1e-6)
    few, bins = tf.keras.layers.Discretization(num_bins=3), tf.keras.layers.Discretization(num_bins=3)
    few.adapt(plain.batch(5), steps=2)
    bins.adapt(X[:10])
    assert few.bin_boundaries == bins.bin_boundaries
