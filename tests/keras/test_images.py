"""`keras.ops.image`, against sums that Keras gives on TensorFlow, and by hand where that has no such mode."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

image = tf.keras.ops.image
POINTS = [[0.2, 1.7, -0.6, 5.8, 4.3], [0.9, -1.2, 3.3, 6.6, 2.1]]
AFFINE = [[1.1, 0.2, -0.7, -0.1, 0.9, 0.4, 0.0, 0.0], [1.0, 0.0, 1.3, 0.0, 1.0, -0.6, 0.01, 0.002]]
STARTS = [[[0.0, 0.0], [0.0, 5.0], [6.0, 0.0], [6.0, 5.0]]] * 2
ENDS = [[[0.3, 0.2], [0.0, 5.0], [6.0, 0.1], [5.5, 4.8]]] * 2


def waves(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7).reshape(shape).astype("float32")


IMAGES = waves(2, 6, 7, 3) * 0.4 + 0.5

# The function, its arguments, and a weighted sum of the squares of its result.
CALLS = [
    ("affine_transform", {"transform": AFFINE, "interpolation": "nearest"}, 34.0743),
    ("affine_transform", {"transform": AFFINE, "interpolation": "bilinear"}, 16.736),
    ("affine_transform", {"transform": AFFINE, "fill_mode": "constant", "fill_value": 0.3}, 16.7431),
    ("affine_transform", {"transform": AFFINE, "fill_mode": "nearest", "fill_value": 0.3}, 17.1357),
    ("perspective_transform", {"start_points": STARTS, "end_points": ENDS}, 30.9277),
    ("gaussian_blur", {"kernel_size": (5, 5), "sigma": (1.0, 1.5)}, 0.0242),
    ("gaussian_blur", {}, 1.7751),
    ("sobel_edges", {}, -1.6008),
    ("rgb_to_grayscale", {}, 0.3173),
    ("rgb_to_hsv", {}, -4.9319),
    ("hsv_to_rgb", {}, 22.6466),
    (
        "scale_and_translate",
        {
            "output_shape": (2, 9, 5, 3),
            "scale": [1.4, 0.7],
            "translation": [0.3, -0.2],
            "spatial_dims": (1, 2),
            "method": "linear",
        },
        -1.3109,
    ),
    (
        "scale_and_translate",
        {
            "output_shape": (2, 9, 5, 3),
            "scale": [1.4, 0.7],
            "translation": [0.3, -0.2],
            "spatial_dims": (1, 2),
            "method": "lanczos3",
            "antialias": False,
        },
        -2.1097,
    ),
    ("extract_patches", {"size": (3, 2), "strides": 2, "padding": "same"}, 5.2296),
    ("map_coordinates", {"coordinates": POINTS, "order": 0, "fill_mode": "constant", "fill_value": 0.3}, 0.332),
    ("map_coordinates", {"coordinates": POINTS, "order": 1, "fill_mode": "constant", "fill_value": 0.3}, 0.4386),
    ("map_coordinates", {"coordinates": POINTS, "order": 0, "fill_mode": "nearest", "fill_value": 0.3}, 0.385),
    ("map_coordinates", {"coordinates": POINTS, "order": 1, "fill_mode": "nearest", "fill_value": 0.3}, 0.5877),
    ("map_coordinates", {"coordinates": POINTS, "order": 0, "fill_mode": "wrap", "fill_value": 0.3}, 0.3489),
    ("map_coordinates", {"coordinates": POINTS, "order": 1, "fill_mode": "wrap", "fill_value": 0.3}, 0.5631),
]


@pytest.mark.parametrize(("name", "arguments", "total"), CALLS, ids=[f"{i}-{r[0]}" for i, r in enumerate(CALLS)])
def test_sums(name, arguments, total):
    x = IMAGES[0, :, :, 0] if name == "map_coordinates" else IMAGES
    given = {k: np.float32(v) if k in ("transform", "start_points", "end_points") else v for k, v in arguments.items()}
    y = getattr(image, name)(x, **given)
    np.testing.assert_allclose(tf.reduce_sum(y * y * waves(*y.shape)), total, rtol=3e-4, atol=1e-3)


LINE = np.array([10.0, 20.0, 40.0, 80.0])


@pytest.mark.parametrize(
    ("mode", "values"),
    [
        ("constant", [0.5, 15, 0.5]),
        ("nearest", [10, 15, 80]),
        ("wrap", [40, 15, 20]),
        ("mirror", [40, 15, 20]),
        ("reflect", [20, 15, 80]),
    ],
)
def test_what_lies_outside(mode, values):
    """Two to the left of the first element, between the first two, and two to the right of the last: 5 is 4 + 1."""
    at = np.array([[-2.0, 0.5, 5.0 if mode != "reflect" else 4.0]])
    assert image.map_coordinates(LINE, at, 1, mode, 0.5).numpy().tolist() == values


def test_derivatives():
    x = np.random.default_rng(0).normal(size=(4, 5))
    at = np.array([[0.2, 1.7, 2.4], [0.9, 3.3, 1.6]])
    assert_derivatives(lambda x, at: tf.square(image.map_coordinates(x, at, 1)), x, at)
    batch = np.random.default_rng(1).random((1, 4, 5, 2))
    transform = np.array([[1.1, 0.2, -0.73, -0.1, 0.9, 0.37, 0.01, 0.02]])
    assert_derivatives(lambda x, t: tf.square(image.affine_transform(x, t)), batch, transform)
    starts = np.array([[[0.21, 0.13], [0.3, 3.2], [4.4, 0.15], [4.3, 3.1]]])
    points = [starts, starts + np.array([[[0.3, 0.2], [-0.1, 0.12], [0.07, 0.1], [0.15, -0.2]]])]
    assert_derivatives(lambda x, s, e: tf.square(image.perspective_transform(x, s, e)), batch, *points)
    for method in ("nearest", "bilinear", "bicubic", "lanczos3"):
        assert_derivatives(lambda x, m=method: tf.square(image.resize(x, (3, 7), m, True)), batch)
    assert_derivatives(lambda x: tf.square(image.gaussian_blur(x, (3, 3), (1.0, 2.0))), batch)


def test_resize_keeps_dtype_and_format():
    x = np.array([[[0, 100], [200, 255]]], np.uint8).reshape(1, 2, 2, 1)
    made = image.resize(x, (2, 3))
    assert made.dtype == tf.uint8
    assert made.numpy().ravel().tolist() == [0, 50, 100, 200, 228, 255]
    first = image.resize(x.transpose(0, 3, 1, 2), (2, 3), data_format="channels_first")
    np.testing.assert_array_equal(first.numpy()[:, 0], made.numpy()[..., 0])


def test_elastic_transform_moves_pixels_a_little():
    x = np.tile(np.arange(12, dtype=np.float32)[None, :, None], (12, 1, 1))
    made = image.elastic_transform(x, alpha=2.0, sigma=1.0, seed=3).numpy()
    assert made.shape == x.shape
    assert 0 < np.abs(made - x).max() < 6
    np.testing.assert_array_equal(made, image.elastic_transform(x, alpha=2.0, sigma=1.0, seed=3).numpy())


def test_wrong_calls():
    with pytest.raises(ValueError, match="interpolation"):
        image.resize(IMAGES, (2, 2), "foo")
    with pytest.raises(ValueError, match="rank"):
        image.affine_transform(IMAGES[0, 0], np.ones(8))
    with pytest.raises(ValueError, match="3 channels"):
        image.rgb_to_hsv(IMAGES, data_format="channels_first")
    with pytest.raises(ValueError, match="float dtype"):
        image.hsv_to_rgb(IMAGES.astype(int))
    with pytest.raises(ValueError, match="rank"):
        image.perspective_transform(IMAGES[0, 0], np.ones(6), np.ones(6))
    with pytest.raises(ValueError, match="start_points"):
        image.perspective_transform(IMAGES, np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="First dim"):
        image.map_coordinates(IMAGES, np.ones((2, 3)), 1)
