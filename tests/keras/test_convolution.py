"""Keras' convolution and pooling layers, in both formats, against `tf.nn` and in a training step."""

import numpy as np
import pytest

import gradtape as tf

layers = tf.keras.layers
IMAGE = np.random.default_rng(0).normal(size=(2, 6, 7, 4)).astype("float32")


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("strides", [1, 2])
def test_conv2d(strides, padding):
    layer = layers.Conv2D(3, (3, 2), strides, padding)
    layer.build(IMAGE.shape)
    want = tf.nn.conv2d(IMAGE, layer.kernel, strides, padding.upper())
    np.testing.assert_array_equal(layer(IMAGE).numpy(), want.numpy())
    first = layers.Conv2D(3, (3, 2), strides, padding, data_format="channels_first")
    first.build((2, 4, 6, 7))
    first.set_weights(layer.get_weights())
    got = first(IMAGE.transpose(0, 3, 1, 2)).numpy()
    np.testing.assert_allclose(got.transpose(0, 2, 3, 1), want.numpy(), rtol=1e-6)


def test_conv1d_and_conv3d_reach_their_axes():
    sequence = IMAGE[:, 0]
    layer = layers.Conv1D(2, 3)
    made = layer(sequence).numpy()
    np.testing.assert_allclose(made, tf.nn.conv1d(sequence, layer.kernel, 1, "VALID").numpy(), rtol=1e-6)
    volume = IMAGE[..., None]
    layer = layers.Conv3D(2, (1, 1, 4))
    layer.build(volume.shape)
    kernel = np.array(layer.kernel)[0, 0, :, 0]
    np.testing.assert_allclose(layer(volume).numpy()[..., 0, :], IMAGE @ kernel, rtol=1e-4, atol=1e-5)


def test_depthwise_and_separable():
    layer = layers.DepthwiseConv2D(3, depth_multiplier=2)
    made = layer(IMAGE).numpy()
    kernel = np.array(layer.kernel)
    for c in range(4):
        alone = tf.nn.conv2d(IMAGE[..., c : c + 1], kernel[:, :, c : c + 1], 1, "VALID").numpy()
        np.testing.assert_allclose(made[..., 2 * c : 2 * c + 2], alone, rtol=1e-4, atol=1e-5)
    layer = layers.SeparableConv2D(5, 3, use_bias=False)
    made = layer(IMAGE).numpy()
    depthwise, pointwise = map(np.array, layer.weights)
    whole = np.einsum("ijcm,cmo->ijco", depthwise, pointwise[0, 0].reshape(4, 1, 5))
    np.testing.assert_allclose(made, tf.nn.conv2d(IMAGE, whole, 1, "VALID").numpy(), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_pooling(padding):
    made = layers.MaxPooling2D(3, 2, padding)(IMAGE).numpy()
    np.testing.assert_array_equal(made, tf.nn.max_pool2d(IMAGE, 3, 2, padding.upper()).numpy())
    made = layers.AveragePooling2D(3, 2, padding)(IMAGE).numpy()
    np.testing.assert_array_equal(made, tf.nn.avg_pool2d(IMAGE, 3, 2, padding.upper()).numpy())
    turned = layers.MaxPooling2D(3, 2, padding, "channels_first")(IMAGE.transpose(0, 3, 1, 2)).numpy()
    np.testing.assert_array_equal(turned.transpose(0, 2, 3, 1), tf.nn.max_pool2d(IMAGE, 3, 2, padding.upper()).numpy())


def test_a_small_network_learns():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(32, 8, 8, 1)).astype("float32")
    labels = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype("int32")
    model = tf.keras.Sequential(
        [layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(2)]
    )
    loss_of = tf.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.optimizers.Adam(0.02)
    losses = []
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(x))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        losses.append(float(loss))
    assert losses[-1] < 0.25 * losses[0]


def test_the_gradient_of_a_score_in_a_feature_map():
    inputs = tf.keras.Input((4, 4, 1))
    features = layers.Conv2D(2, 3, activation="tanh")(inputs)
    scores = layers.Dense(3)(layers.Flatten()(features))
    model = tf.keras.Model(inputs, [features, scores])
    with tf.GradientTape() as tape:
        seen, score = model(tf.constant(IMAGE[:1, :4, :4, :1]))
        chosen = score[:, 1]
    gradient = tape.gradient(chosen, seen)
    np.testing.assert_allclose(gradient.numpy().ravel(), np.array(model.layers[-1].kernel)[:, 1], rtol=1e-5)


def test_wrong_calls():
    with pytest.raises(ValueError, match="empty output"):
        tf.keras.ops.conv(IMAGE, np.ones((9, 9, 4, 1), "float32"))
    with pytest.raises(ValueError, match="in_channels"):
        tf.keras.ops.conv(IMAGE, np.ones((1, 1, 3, 1), "float32"))
