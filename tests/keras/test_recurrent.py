"""LSTM and GRU, which run as one primitive, against the same cells step by step."""

import itertools

import numpy as np
import pytest

import gradtape as tf
from gradtape import keras

LAYERS = [keras.layers.LSTM, keras.layers.GRU]
MASKS = {
    "none": None,
    "right": np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], bool),
    "mixed": np.array([[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 1]], bool),
}


def sequences(*shape):
    return tf.constant(np.random.default_rng(0).normal(size=shape))


def results(layer, x, mask, state):
    """The outputs, gradients of all, and second derivatives of all along the first ones."""
    sources = [x, *state, *layer.trainable_variables]
    with tf.GradientTape() as outer:
        outer.watch([x, *state])
        with tf.GradientTape() as inner:
            inner.watch([x, *state])
            found = layer(x, mask=mask, initial_state=state)
            loss = sum(tf.reduce_sum(tf.sin((k + 1.3) * y)) for k, y in enumerate(found))
        first = inner.gradient(loss, sources)
        total = sum(tf.reduce_sum(tf.sin(g)) for g in first)
    return [*found, *first, *outer.gradient(total, sources)]


@pytest.mark.parametrize("cls", LAYERS)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_fused_as_step_by_step(cls, mask, many, backwards, monkeypatch):
    for zero, bias in itertools.product([False, True], repeat=2):
        layer = cls(
            5,
            return_sequences=many,
            return_state=True,
            go_backwards=backwards,
            zero_output_for_mask=zero,
            use_bias=bias,
            bias_initializer="random_normal",
            dtype="float64",
        )
        x = sequences(3, 4, 2)
        layer.build(x.shape)
        state = [sequences(3, 5) * (k + 1) for k in range(2 if cls is keras.layers.LSTM else 1)]
        counted = None if MASKS[mask] is None else tf.constant(MASKS[mask])
        fused = results(layer, x, counted, state)
        monkeypatch.setattr(layer, "use_cudnn", False)
        for got, want in zip(fused, results(layer, x, counted, state), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("cls", LAYERS)
def test_as_many_primitives_for_any_number_of_steps(cls):
    def count(steps):
        layer = cls(3)
        x = sequences(2, steps, 2)
        layer.build(x.shape)
        captured = tf.function(lambda x: layer(x))
        captured(x)
        return len(captured.programs[0].instructions)

    assert count(3) == count(30)


@pytest.mark.parametrize("cls", LAYERS)
@pytest.mark.parametrize(
    "options", [{"activation": "relu"}, {"recurrent_activation": "hard_sigmoid"}, {"unroll": True}]
)
def test_unusual_layers_go_step_by_step(cls, options):
    layer = cls(3, use_cudnn=True, **options)
    with pytest.raises(ValueError, match="not supported for this layer configuration"):
        layer(sequences(2, 4, 2))


@pytest.mark.parametrize("cls", LAYERS)
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(cls, half):
    layer, exact = cls(3, return_sequences=True, dtype=f"mixed_{half}"), cls(3, return_sequences=True)
    x = tf.cast(sequences(2, 4, 2), half)
    for each in (layer, exact):
        each.build(x.shape)
    exact.set_weights([tf.cast(tf.cast(w, half), "float32") for w in layer.weights])
    with tf.GradientTape() as tape:
        found = layer(x)
    assert found.dtype == half
    np.testing.assert_array_equal(tf.cast(found, "float32"), tf.cast(tf.cast(exact(x), half), "float32"))
    for weight, gradient in zip(layer.weights, tape.gradient(found, layer.weights), strict=True):
        assert gradient.dtype == weight.dtype == "float32"
        assert np.any(gradient.numpy())


@pytest.mark.parametrize("cls", LAYERS)
def test_captured_with_other_masks(cls):
    """A mask is an argument of the program, not a constant."""
    layer = cls(3, return_sequences=True)
    x = sequences(3, 4, 2)
    captured = tf.function(lambda x, mask: layer(x, mask=mask))
    for mask in ("right", "mixed", "right"):
        mask = tf.constant(MASKS[mask])
        np.testing.assert_allclose(captured(x, mask), layer(x, mask=mask), rtol=1e-6, atol=1e-7)
