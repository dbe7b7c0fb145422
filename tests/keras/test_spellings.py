"""Keras 2's names are explained."""

import pytest

import gradtape as tf


def test_names_in_modules():
    with pytest.raises(AttributeError, match=r"mean_squared_error.*tf\.keras\.losses\.MSE in Keras 3"):
        tf.keras.losses.mean_squared_error  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf\.keras\.optimizers\.Adam in Keras 3"):
        tf.keras.optimizers.adam  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf\.keras\.layers\.LSTM in Keras 3"):
        tf.keras.layers.CuDNNLSTM  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        tf.keras.metrics.nothing  # noqa: B018


def test_learning_rates():
    with pytest.raises(ValueError, match="Adam: the argument `lr` is called `learning_rate`"):
        tf.keras.optimizers.Adam(lr=0.1)
    with pytest.raises(AttributeError, match=r"use optimizer\.learning_rate"):
        tf.keras.optimizers.SGD().lr  # noqa: B018
    assert not hasattr(tf.keras.optimizers.SGD(), "lr")


def test_methods_of_models():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    with pytest.raises(AttributeError, match=r"Model\.predict_classes.*argmax"):
        model.predict_classes([[1.0, 2.0]])
    with pytest.raises(AttributeError, match=r"use model\.fit\(generator\)"):
        model.fit_generator([])
    assert not hasattr(model, "predict_proba")
