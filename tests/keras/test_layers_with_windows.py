"""Keras' layers of convolution, pooling and resizing, against sums that Keras gives on TensorFlow, in both formats."""

import numpy as np
import pytest

import gradtape as tf


def waves(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7).reshape(shape).astype("float32")


INPUTS = {1: waves(2, 9, 4), 2: waves(2, 7, 8, 4), 3: waves(2, 5, 6, 5, 4)}

# The layer, its arguments, the number of spatial axes; weighted sums of the squares of its result, and of its gradient.
LAYERS = [
    ("Conv1D", {"filters": 3, "kernel_size": 3, "strides": 1, "padding": "valid"}, 1, (0.6753, -4.1802)),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 3, "strides": 1, "padding": "valid"}, 1, (16.1642, -29.081)),
    ("MaxPooling1D", {"pool_size": 3, "strides": 1, "padding": "valid"}, 1, (2.3725, -0.1617)),
    ("AveragePooling1D", {"pool_size": 3, "strides": 1, "padding": "valid"}, 1, (0.004, 5.294)),
    (
        "DepthwiseConv1D",
        {"kernel_size": 3, "strides": 1, "padding": "valid", "depth_multiplier": 2},
        1,
        (3.5332, 34.2442),
    ),
    ("SeparableConv1D", {"filters": 3, "kernel_size": 3, "strides": 1, "padding": "valid"}, 1, (2.1988, -1.3529)),
    ("Conv1D", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, 1, (1.3098, 7.9001)),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, 1, (-47.5723, 11.2985)),
    ("MaxPooling1D", {"pool_size": 3, "strides": 2, "padding": "same"}, 1, (1.0734, 1.5568)),
    ("AveragePooling1D", {"pool_size": 3, "strides": 2, "padding": "same"}, 1, (-0.0369, 0.0956)),
    (
        "DepthwiseConv1D",
        {"kernel_size": 3, "strides": 2, "padding": "same", "depth_multiplier": 2},
        1,
        (0.8477, 3.4045),
    ),
    ("SeparableConv1D", {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}, 1, (-2.4141, -0.0275)),
    ("GlobalMaxPooling1D", {}, 1, (0.581, 0.3741)),
    ("GlobalAveragePooling1D", {}, 1, (0.0, -0.0033)),
    ("UpSampling1D", {}, 1, (-1.524, 0.0661)),
    ("ZeroPadding1D", {}, 1, (0.0027, -23.0165)),
    ("Cropping1D", {}, 1, (0.046, -16.8613)),
    ("AdaptiveMaxPooling1D", {"output_size": 3}, 1, (1.3836, 1.6512)),
    ("AdaptiveAveragePooling1D", {"output_size": 4}, 1, (0.1966, -0.0861)),
    ("Conv2D", {"filters": 3, "kernel_size": (3, 2), "strides": 1, "padding": "valid"}, 2, (6.2327, -1.431)),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": (3, 2), "strides": 1, "padding": "valid"}, 2, (75.4039, 64.8151)),
    ("MaxPooling2D", {"pool_size": (3, 2), "strides": 1, "padding": "valid"}, 2, (0.5245, -0.2421)),
    ("AveragePooling2D", {"pool_size": (3, 2), "strides": 1, "padding": "valid"}, 2, (-0.0028, -0.3773)),
    (
        "DepthwiseConv2D",
        {"kernel_size": (3, 2), "strides": 1, "padding": "valid", "depth_multiplier": 2},
        2,
        (2.3603, -54.8631),
    ),
    ("SeparableConv2D", {"filters": 3, "kernel_size": (3, 2), "strides": 1, "padding": "valid"}, 2, (-0.8823, 5.9114)),
    ("Conv2D", {"filters": 3, "kernel_size": (3, 2), "strides": 2, "padding": "same"}, 2, (3.9165, 4.9318)),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": (3, 2), "strides": 2, "padding": "same"}, 2, (5.6708, -32.9598)),
    ("MaxPooling2D", {"pool_size": (3, 2), "strides": 2, "padding": "same"}, 2, (0.9828, 0.5343)),
    ("AveragePooling2D", {"pool_size": (3, 2), "strides": 2, "padding": "same"}, 2, (0.004, -0.1046)),
    (
        "DepthwiseConv2D",
        {"kernel_size": (3, 2), "strides": 2, "padding": "same", "depth_multiplier": 2},
        2,
        (-1.9394, 10.9852),
    ),
    ("SeparableConv2D", {"filters": 3, "kernel_size": (3, 2), "strides": 2, "padding": "same"}, 2, (1.8489, 1.1388)),
    ("GlobalMaxPooling2D", {}, 2, (0.6321, 0.3245)),
    ("GlobalAveragePooling2D", {}, 2, (0.0, 0.0003)),
    ("UpSampling2D", {}, 2, (0.2337, -0.1552)),
    ("ZeroPadding2D", {}, 2, (1.6824, -32.6301)),
    ("Cropping2D", {}, 2, (0.1518, 195.7368)),
    ("AdaptiveMaxPooling2D", {"output_size": 3}, 2, (-0.1223, -0.2287)),
    ("AdaptiveAveragePooling2D", {"output_size": 4}, 2, (0.004, -0.1046)),
    ("Conv3D", {"filters": 3, "kernel_size": (2, 3, 2), "strides": 1, "padding": "valid"}, 3, (12.6169, -7.1974)),
    (
        "Conv3DTranspose",
        {"filters": 3, "kernel_size": (2, 3, 2), "strides": 1, "padding": "valid"},
        3,
        (-986.2504, -147.9568),
    ),
    ("MaxPooling3D", {"pool_size": (2, 3, 2), "strides": 1, "padding": "valid"}, 3, (-1.7403, 1.361)),
    ("AveragePooling3D", {"pool_size": (2, 3, 2), "strides": 1, "padding": "valid"}, 3, (-0.0004, -0.0502)),
    ("Conv3D", {"filters": 3, "kernel_size": (2, 3, 2), "strides": 2, "padding": "same"}, 3, (22.0185, 3.6664)),
    (
        "Conv3DTranspose",
        {"filters": 3, "kernel_size": (2, 3, 2), "strides": 2, "padding": "same"},
        3,
        (17.9953, -46.1219),
    ),
    ("MaxPooling3D", {"pool_size": (2, 3, 2), "strides": 2, "padding": "same"}, 3, (-0.0604, -1.665)),
    ("AveragePooling3D", {"pool_size": (2, 3, 2), "strides": 2, "padding": "same"}, 3, (-1.54, -3.9481)),
    ("GlobalMaxPooling3D", {}, 3, (0.6229, 0.3335)),
    ("GlobalAveragePooling3D", {}, 3, (-0.0, -0.0034)),
    ("UpSampling3D", {}, 3, (1.4155, -0.0067)),
    ("ZeroPadding3D", {}, 3, (-7.5311, -5.2593)),
    ("Cropping3D", {}, 3, (0.4386, 23.7212)),
    ("AdaptiveMaxPooling3D", {"output_size": 3}, 3, (0.2295, -0.3082)),
    ("AdaptiveAveragePooling3D", {"output_size": 4}, 3, (0.0003, -0.0288)),
    ("Conv1D", {"filters": 3, "kernel_size": 3, "padding": "causal", "dilation_rate": 2}, 1, (0.0061, -3.6689)),
    ("Conv2D", {"filters": 4, "kernel_size": 3, "groups": 2, "padding": "same"}, 2, (-31.2261, -90.6562)),
    ("Conv2D", {"filters": 4, "kernel_size": 3, "dilation_rate": 2}, 2, (-4.7753, -8.8533)),
    ("Conv2DTranspose", {"filters": 4, "kernel_size": 3, "strides": 3, "output_padding": 1}, 2, (-5.7598, 109.454)),
    (
        "Conv2DTranspose",
        {"filters": 4, "kernel_size": 3, "dilation_rate": 2, "padding": "same"},
        2,
        (37.5791, 306.0658),
    ),
    ("UpSampling2D", {"size": (2, 3), "interpolation": "bilinear"}, 2, (2.7049, 0.6819)),
    ("Resizing", {"height": 5, "width": 9, "interpolation": "lanczos3"}, 2, (0.2508, 4.3384)),
    ("Resizing", {"height": 5, "width": 9, "crop_to_aspect_ratio": True}, 2, (0.5559, 6.014)),
    ("Resizing", {"height": 5, "width": 9, "pad_to_aspect_ratio": True, "fill_value": 0.5}, 2, (-0.049, 0.1125)),
    ("CenterCrop", {"height": 3, "width": 4}, 2, (0.6349, -5.1686)),
]


def checks(name, options, rank, first=False):
    x = INPUTS[rank]
    options = dict(options)
    if first:
        x = np.moveaxis(x, -1, 1)
        options["data_format"] = "channels_first"
    layer = getattr(tf.keras.layers, name)(**options)
    layer.build(x.shape)
    layer.set_weights([waves(*w.shape) for w in layer.get_weights()])
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
        weights = waves(*(np.moveaxis(y, 1, -1) if first and y.ndim > 2 else y).shape)
        value = tf.reduce_sum(y * y * (np.moveaxis(weights, -1, 1) if first and y.ndim > 2 else weights))
    slopes = np.cos(1.3 * waves(*INPUTS[rank].shape))
    slope = tf.reduce_sum(tape.gradient(value, x) * (np.moveaxis(slopes, -1, 1) if first else slopes))
    return [float(value), float(slope)]


@pytest.mark.parametrize(("name", "options", "rank", "sums"), LAYERS, ids=[f"{i}-{r[0]}" for i, r in enumerate(LAYERS)])
def test_sums(name, options, rank, sums):
    np.testing.assert_allclose(checks(name, options, rank), sums, rtol=2e-4, atol=2e-3)
    formats = getattr(tf.keras.layers, name).__init__.__code__.co_varnames
    if "data_format" in formats and options.get("padding") != "causal":
        np.testing.assert_allclose(checks(name, options, rank, first=True), sums, rtol=2e-4, atol=2e-3)


def test_folding_is_the_transpose_of_unfolding():
    x = tf.constant(waves(2, 3, 6, 7))
    columns = tf.keras.ops.nn.unfold(x, (2, 3), dilation=1, padding=1, stride=2)
    assert columns.shape == (2, 18, 16)
    assert columns[0, :6, 0].numpy().tolist() == [0, 0, 0, 0, x[0, 0, 0, 0], x[0, 0, 0, 1]]
    others = waves(*columns.shape)[::-1]
    back = tf.keras.ops.nn.fold(others, (6, 7), (2, 3), dilation=1, padding=1, stride=2)
    np.testing.assert_allclose(tf.reduce_sum(back * x), tf.reduce_sum(columns * others), rtol=1e-4)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_depth_and_space(data_format):
    x = np.arange(8.0).reshape(1, 1, 2, 4)
    want = [[0, 1, 4, 5], [2, 3, 6, 7]]
    first = data_format == "channels_first"
    made = tf.keras.ops.depth_to_space(np.moveaxis(x, -1, 1) if first else x, 2, data_format)
    assert np.squeeze(made.numpy()).tolist() == want
    again = tf.keras.ops.space_to_depth(made, 2, data_format).numpy()
    np.testing.assert_array_equal(np.moveaxis(again, 1, -1) if first else again, x)
