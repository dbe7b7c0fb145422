"""What users report of Keras layers and optimizers in their own loops."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers

LAYERS = {
    "LSTM": (lambda: layers.LSTM(3, dtype="float64"), (2, 4, 3)),
    "GRU": (lambda: layers.GRU(3, dtype="float64"), (2, 4, 3)),
    "both ways": (lambda: layers.Bidirectional(layers.LSTM(2, dtype="float64"), dtype="float64"), (2, 4, 3)),
    "convolution": (lambda: layers.Conv2D(2, 3, strides=2, padding="same", dtype="float64"), (1, 5, 5, 2)),
    "transposed convolution": (lambda: layers.Conv2DTranspose(2, 3, strides=2, dtype="float64"), (1, 4, 4, 2)),
    "normalization": (lambda: layers.LayerNormalization(dtype="float64"), (4, 3)),
}


@pytest.mark.parametrize(("make", "shape"), LAYERS.values(), ids=LAYERS)
def test_a_persistent_tape_agrees_with_differences(make, shape):
    random = np.random.default_rng(0)
    layer, x = make(), tf.constant(random.normal(size=shape))
    layer(x)
    weights = layer.trainable_variables

    def loss():
        return tf.reduce_sum(tf.sin(layer(x)))

    def gradients():
        with tf.GradientTape(persistent=True) as tape:
            y = loss()
        return tape.gradient(y, weights), tape.gradient(y, weights)

    first, again = gradients()
    captured, _ = tf.function(gradients)()
    for weight, g, same, c in zip(weights, first, again, captured, strict=True):
        np.testing.assert_array_equal(g.numpy(), same.numpy())
        np.testing.assert_allclose(g.numpy(), c.numpy(), rtol=1e-9, atol=1e-12)
        base, step = weight.numpy(), 1e-6 * random.normal(size=weight.shape)
        ends = []
        for sign in (1, -1):
            weight.assign(base + sign * step)
            ends.append(float(loss()))
        weight.assign(base)
        assert (ends[0] - ends[1]) / 2 == pytest.approx(np.sum(g.numpy() * step), rel=1e-5, abs=1e-11)


def test_a_gradient_for_the_output_of_a_layer_within():
    inputs = keras.Input((4, 4, 1))
    features = layers.Conv2D(2, 3, activation="tanh")(inputs)
    model = keras.Model(inputs, [features, layers.Dense(3)(layers.Flatten()(features))])
    with tf.GradientTape() as tape:
        found, scores = model(tf.ones([1, 4, 4, 1]))
        score = scores[:, 1]
    kernel = model.layers[-1].kernel.numpy()
    np.testing.assert_allclose(tape.gradient(score, found).numpy().ravel(), kernel[:, 1], rtol=1e-5)


@pytest.mark.parametrize("captured", [False, True])
def test_scaled_losses_step_like_plain_ones_and_skip_overflows(captured):
    v = tf.Variable(1.0)
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=8.0)

    def step():
        with tf.GradientTape() as tape:
            scaled = optimizer.scale_loss(v * v)
        optimizer.apply_gradients([(tape.gradient(scaled, v), v)])

    step = tf.function(step) if captured else step
    for wanted in (0.8, 0.64):
        step()
        assert float(v) == pytest.approx(wanted)
    optimizer.apply_gradients([(tf.constant(np.inf), v)])
    assert float(v) == pytest.approx(0.64)
    assert float(optimizer.scale_loss(tf.constant(1.0))) == 4.0


def test_an_optimizer_of_other_variables_says_so():
    optimizer = keras.optimizers.Adam()
    optimizer.build([tf.Variable(1.0)])
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(2.0))])


def test_zeros_for_nested_weights_without_a_path():
    model = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    b = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = b * b
    found = tape.gradient(y, {"model": model.trainable_variables, "b": b}, unconnected_gradients="zero")
    assert [g.numpy().any() for g in found["model"]] == [False, False]
    assert [tuple(g.shape) for g in found["model"]] == [(3, 2), (2,)]
    assert float(found["b"]) == 6.0


def test_a_penalty_on_gradients_reaches_every_weight_that_it_depends_on():
    critic = keras.Sequential(
        [keras.Input((4, 4, 1)), layers.Conv2D(3, 3), layers.LeakyReLU(), layers.Flatten(), layers.Dense(1)]
    )
    x = tf.ones([2, 4, 4, 1])

    def gradients():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                score = critic(x)
            norm = tf.norm(tf.reshape(inner.gradient(score, x), [2, -1]), axis=1)
            loss = tf.reduce_mean((norm - 1.0) ** 2)
        return outer.gradient(loss, critic.trainable_variables)

    assert [g is None for g in gradients()] == [False, False, False, True]  # all but the last bias, which is added
    for eager, captured in zip(gradients()[:3], tf.function(lambda: gradients()[:3])(), strict=True):
        np.testing.assert_allclose(eager.numpy(), captured.numpy(), rtol=1e-5, atol=1e-7)


CONFIDENT = {
    "classes": ("softmax", "sparse_categorical_crossentropy", [0], [[-1.0, 1.0, 0.0]]),
    "one hot": ("softmax", "categorical_crossentropy", [[1.0, 0.0, 0.0]], [[-1.0, 1.0, 0.0]]),
    "each by itself": ("sigmoid", "binary_crossentropy", [[1.0, 0.0, 1.0]], [[-0.5 / 3, 1.0 / 3, 0.0]]),
}


@pytest.mark.parametrize(("activation", "loss", "target", "expected"), CONFIDENT.values(), ids=CONFIDENT)
@pytest.mark.parametrize("captured", [False, True])
def test_a_confident_wrong_answer_has_a_gradient(activation, loss, target, expected, captured):
    """The probability of the right class rounds to 0; the loss is computed from what went into the activation."""
    x = tf.Variable([[0.0, 120.0, 30.0]])
    layer, loss = layers.Activation(activation), keras.losses.get(loss)

    def gradient():
        with tf.GradientTape() as tape:
            y = loss(tf.constant(target), layer(x))
        return tape.gradient(y, x)

    found = (tf.function(gradient) if captured else gradient)()
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


def test_probabilities_said_to_be_logits_are_warned_of():
    with pytest.warns(UserWarning, match="produced by a Softmax"):
        found = keras.ops.categorical_crossentropy(
            tf.constant([[1.0, 0.0]]), keras.ops.softmax(tf.constant([[0.0, 0.0]])), from_logits=True
        )
    np.testing.assert_allclose(found.numpy(), [np.log(2.0)], rtol=1e-6)
