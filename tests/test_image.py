"""`tf.image`, against TensorFlow's values and gradients as plain numbers, and against finite differences."""

import re

import numpy as np
import pytest

import gradtape as tf
from gradtape._image_resizing import resized
from tests.derivatives import assert_derivatives

image = tf.image
RAMP = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1) / 10
RGB = np.array([[[0.9, 0.2, 0.4], [0.1, 0.8, 0.3]], [[0.3, 0.35, 0.7], [0.6, 0.6, 0.1]]], np.float32)
WAVES = (np.sin(np.arange(150.0)).reshape(1, 15, 10, 1) * 0.4 + 0.5).astype(np.float32)
OTHERS = (np.cos(np.arange(150.0) * 1.1).reshape(1, 15, 10, 1) * 0.3 + 0.5).astype(np.float32)
BYTES = np.array([[[10, 200, 30], [255, 0, 128]]], np.uint8)
METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
SIZES = {"smaller": [2, 3], "larger": [4, 5]}


def numbers(text):
    """Rows of a name, values and, behind a stroke, gradients."""
    rows = []
    for entry in re.split(r"\n(?=\S)", text.strip()):
        name, body = entry.split(":")
        parts = [[float(n) for n in part.split()] for part in body.split("/")]
        rows.append((name, parts[0], parts[1] if len(parts) > 1 else None))
    return rows


# Method and size; the values; the gradient of their sum with the weights 0, 1, 2, ... where TensorFlow has one.
RESIZED = numbers(
    """
bilinear smaller:
    0.116667 0.25 0.383333 0.716667 0.85 0.983333 / 0 0.375 0.625 1.25 0.625 0.75 0.916666 1.45833 1.875 1.875 2.125
    3.125
bilinear smaller antialias:
    0.18 0.3 0.42 0.68 0.8 0.92 / 0 0.3125 0.6875 0.875 0.7875 1.275 1.725 1.8375 1.3125 1.8125 2.1875 2.1875
bilinear larger:
    0 0.07 0.15 0.23 0.3 0.25 0.32 0.4 0.48 0.55 0.55 0.62 0.7 0.78 0.85 0.8 0.87 0.95 1.03 1.1 / 2.85 4.5875 6.5125
    9.175 12.5625 13.375 15.125 18.3125 24.7875 24.8375 26.7625 31.1125
nearest smaller:
    0 0.2 0.3 0.8 1 1.1 / 0 0 1 2 0 0 0 0 3 0 4 5
nearest larger:
    0 0.1 0.2 0.2 0.3 0.4 0.5 0.6 0.6 0.7 0.4 0.5 0.6 0.6 0.7 0.8 0.9 1 1 1.1 / 0 1 5 4 15 17 40 23 15 16 35 19
bicubic smaller:
    0.0774615 0.217153 0.356845 0.743155 0.882847 1.02254 / -0.103365 0.381676 0.596127 1.29345 0.496454 0.658483
    0.773652 1.24659 1.95223 2.07061 2.28506 3.34904
bicubic smaller antialias:
    0.14291 0.273917 0.404923 0.695077 0.826083 0.95709 / -0.107867 0.162476 0.603539 0.810551 0.812305 1.2437
    1.8078 1.98691 1.37814 1.78241 2.22347 2.29655
bicubic larger:
    -0.0252079 0.0439371 0.129104 0.214272 0.283417 0.218326 0.287471 0.372638 0.457805 0.52695 0.57305 0.642195
    0.727362 0.812529 0.881674 0.816583 0.885728 0.970895 1.05606 1.12521 / 1.67931 3.7498 5.85281 8.09453 12.3949
    14.1754 16.176 18.4978 24.3789 26.0517 28.1547 30.7941
area smaller:
    0.158333 0.283333 0.408333 0.691667 0.816667 0.941667
area smaller antialias:
    0.158333 0.283333 0.408333 0.691667 0.816667 0.941667
area larger:
    0 0.075 0.15 0.225 0.3 0.266667 0.341667 0.416667 0.491667 0.566667 0.533333 0.608333 0.683333 0.758333 0.833333
    0.8 0.875 0.95 1.025 1.1
lanczos3 smaller:
    0.0578651 0.199286 0.340706 0.759294 0.900714 1.04214 / -0.2409 0.283281 0.576585 1.08059 0.482218 0.842089
    1.03484 1.35067 1.70845 2.27947 2.57277 3.02994
lanczos3 smaller antialias:
    0.125519 0.25958 0.393641 0.706359 0.84042 0.974481 / -0.171857 0.0226977 0.553215 0.690956 0.86686 1.26868
    2.03188 2.10811 1.377 1.74107 2.27158 2.23981
lanczos3 larger:
    -0.0233443 0.0416723 0.130583 0.219494 0.284511 0.174219 0.239236 0.328147 0.417058 0.482075 0.617926 0.682942
    0.771853 0.860764 0.925781 0.815489 0.880506 0.969417 1.05833 1.12334 / 1.43736 3.65839 5.66554 8.01031 12.0564
    13.9635 15.8141 18.1164 24.7164 26.6326 28.6397 31.2894
lanczos5 smaller:
    0.0423454 0.179838 0.317331 0.782669 0.920162 1.05765 / -0.308973 0.190948 0.52635 0.922388 0.474939 0.958365
    1.20312 1.37351 1.61064 2.43565 2.77105 2.842
lanczos5 smaller antialias:
    0.119817 0.253694 0.38757 0.712431 0.846307 0.980183 / -0.188763 -0.0414341 0.531702 0.636902 0.917675 1.25343
    2.11964 2.16555 1.40314 1.70012 2.27325 2.2288
lanczos5 larger:
    -0.0134143 0.0588402 0.143016 0.227192 0.299446 0.146535 0.218789 0.302965 0.387141 0.459395 0.640605 0.712859
    0.797035 0.881211 0.953465 0.800554 0.872808 0.956984 1.04116 1.11341 / 1.40287 3.88744 5.73064 8.02363 11.8213
    14.3377 16.0458 17.9569 24.1094 27.0555 28.8987 30.7302
gaussian smaller:
    0.128437 0.257577 0.386716 0.713284 0.842423 0.971563 / 0 0.365529 0.670539 1.15711 0.638514 0.840664 1.06508
    1.48987 1.73566 1.91963 2.22464 2.89277
gaussian smaller antialias:
    0.217142 0.33242 0.447698 0.652302 0.76758 0.882858 / 0.117074 0.397957 0.773139 0.952949 0.841036 1.24401
    1.69387 1.84329 1.28577 1.67704 2.05222 2.12164
gaussian larger:
    0.0386605 0.102924 0.180343 0.257762 0.322026 0.267467 0.331731 0.40915 0.486569 0.550833 0.549167 0.613431
    0.69085 0.768269 0.832533 0.777974 0.842238 0.919657 0.997076 1.06134 / 2.87826 4.91336 7.04092 8.486 12.9665
    15.6122 17.8378 18.8326 21.9126 24.9359 27.0635 27.5203
mitchellcubic smaller:
    0.104471 0.23855 0.372628 0.727372 0.86145 0.995529 / -0.0605818 0.359476 0.631569 1.18913 0.582123 0.786626
    0.968226 1.41621 1.80498 1.99774 2.26983 3.05469
mitchellcubic smaller antialias:
    0.179151 0.3027 0.426249 0.673751 0.7973 0.920849 / -0.00762549 0.255599 0.683532 0.85269 0.836786 1.26924
    1.8191 1.94222 1.3101 1.72 2.14793 2.17041
mitchellcubic larger:
    0.00398598 0.0692065 0.152458 0.23571 0.30093 0.23483 0.30005 0.383302 0.466553 0.531774 0.568226 0.633447
    0.716698 0.79995 0.86517 0.79907 0.86429 0.947542 1.03079 1.09601 / 2.27896 4.24685 6.35671 8.37805 12.6783
    14.5562 16.6257 18.6608 23.5718 25.4329 27.5428 29.6709
"""
)

# Name; values and gradient as above.
COLOURS = numbers(
    """
rgb_to_grayscale:
    0.43201 0.53369 0.37492 0.54294 / 0 0 0 0.2989 0.587 0.114 0.5978 1.174 0.228 0.8967 1.761 0.342
rgb_to_hsv:
    0.952381 0.777778 0.9 0.380952 0.875 0.8 0.645833 0.571429 0.7 0.166667 0.833333 0.6 / 2.24691 -1.11111 0
    -5.5102 5.42092 0.714286 -7.8125 -2.5 12.5982 10.7778 3 -16.6667
hsv_to_rgb:
    0.4 0.32 0.368 0.3 0.204 0.06 0.504 0.7 0.455 0.04 0.064 0.1
rgb_to_yiq:
    0.4321 0.352862 0.210283 0.5337 -0.256458 -0.303679 0.37495 -0.142265 0.098332 0.543 0.160672 -0.155622 / 1.0189
    -1.32003 0.301055 4.3381 -1.95091 0.612622 7.6573 -2.58179 0.924189 10.9765 -3.21266 1.23576
yiq_to_rgb:
    1.33953 0.586716 1.36034 1.05104 -0.311772 -0.274123 1.06917 -0.248247 1.1056 1.23567 0.372072 0.106379 / 3
    -2.48549 2.76126 12 -3.75379 7.79481 21 -5.02209 12.8284 30 -6.29039 17.8619
rgb_to_yuv:
    0.4321 -0.0157967 0.410481 0.5337 -0.115006 -0.380478 0.37495 0.159961 -0.0657523 0.543 -0.218005 0.0500051 /
    1.08281 -1.3188 0.23599 3.38331 -1.9693 1.58599 5.68382 -2.61981 2.93599 7.98432 -3.27031 4.28599
yuv_to_rgb:
    1.35595 0.588823 1.30641 0.441965 -0.3899 1.72565 1.09792 -0.24456 1.01122 0.713988 0.305152 1.81924 / 3 3.66948
    -0.580622 12 8.58174 1.09716 21 13.494 2.77495 30 18.4063 4.45273
per_image_standardization:
    1.57328 -0.851592 -0.158771 -1.198 1.22687 -0.505182 -0.505182 -0.331977 0.880459 0.534049 0.534049 -1.198 /
    -19.0526 -15.5885 -12.1244 -8.66025 -5.19615 -1.73205 1.73205 5.19615 8.66026 12.1244 15.5885 19.0526
adjust_hue:
    0.54 0.9 0.2 0.16 0.1 0.8 0.7 0.3 0.43 0.1 0.6 0.5
adjust_saturation:
    0.9 0.55 0.65 0.45 0.8 0.55 0.5 0.525 0.7 0.6 0.6 0.35
adjust_brightness:
    1.2 0.5 0.7 0.4 1.1 0.6 0.6 0.65 1 0.9 0.9 0.4 / 0 1 2 3 4 5 6 7 8 9 10 11
adjust_gamma:
    0.405 0.02 0.08 0.005 0.32 0.045 0.045 0.06125 0.245 0.18 0.18 0.005 / 0 0.2 0.8 0.3 3.2 1.5 1.8 2.45 5.6 5.4 6
    1.1
total_variation:
    4.6 / 0 0 0 0 0 0 0 0 0 0 0 0
"""
)

ARGUMENTS = {"adjust_hue": (0.3,), "adjust_saturation": (0.5,), "adjust_brightness": (0.3,), "adjust_gamma": (2.0, 0.5)}


def value_and_gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
        total = tf.reduce_sum(y * tf.reshape(tf.range(float(tf.size(y))), y.shape))
    return y.numpy().ravel(), tape.gradient(total, x).numpy().ravel()


def close(got, want, tolerance=2e-5):
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1, np.abs(want).max()))


@pytest.mark.parametrize(("name", "value", "gradient"), RESIZED, ids=[row[0] for row in RESIZED])
def test_resize(name, value, gradient):
    method, size, *antialias = name.split()
    got, slope = value_and_gradient(lambda x: image.resize(x, SIZES[size], method, antialias=bool(antialias)), RAMP)
    # TensorFlow looks up the weights of this one in a table.
    tolerance = 2e-5
    close(got, value, tolerance)
    if gradient is not None:
        close(slope, gradient, tolerance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [(2, 3), (4, 5), (3, 4), (1, 1)])
def test_derivatives_of_resize(method, size):
    assert_derivatives(
        lambda x: tf.square(resized(x, size, method, True)), RAMP + np.random.default_rng(0).random(RAMP.shape)
    )


@pytest.mark.parametrize(("name", "value", "gradient"), COLOURS, ids=[row[0] for row in COLOURS])
def test_colours_and_adjustments(name, value, gradient):
    got, slope = value_and_gradient(lambda x: getattr(image, name)(x, *ARGUMENTS.get(name, ())), RGB)
    close(got, value)
    if gradient is not None:
        close(slope, gradient)
    if name != "per_image_standardization":  # float32 whatever it gets
        distinct = RGB + np.linspace(0, 0.05, RGB.size).reshape(RGB.shape)
        assert_derivatives(lambda x: getattr(image, name)(x, *ARGUMENTS.get(name, ())), distinct)


def test_resize_keeps_the_dtype_with_nearest_alone():
    assert image.resize(BYTES, [1, 1], "nearest").dtype == tf.uint8
    assert image.resize(BYTES, [1, 1]).dtype == tf.float32
    assert image.resize(RAMP.astype(np.float64), [2, 2]).dtype == tf.float32
    assert image.resize(RAMP, [2, 6], preserve_aspect_ratio=True).shape == (1, 2, 3, 1)
    assert image.resize(RAMP[0], [2, 2], image.ResizeMethod.AREA).shape == (2, 2, 1)


def test_second_derivative_of_resize():
    """TensorFlow has none for nearest, and None without a word for bilinear."""
    x = tf.constant(RAMP)
    for method in METHODS:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.square(image.resize(x, [6, 8], method)))
            slope = tape.gradient(y, x)
        product = outer.gradient(slope, x, output_gradients=tf.ones_like(x))
        with tf.GradientTape() as tape:  # y is quadratic: its Hessian, times ones, is its gradient there
            ones = tf.ones_like(x)
            tape.watch(ones)
            y = tf.reduce_sum(tf.square(image.resize(ones, [6, 8], method)))
        close(product.numpy(), tape.gradient(y, ones).numpy())


def test_cropping_and_padding():
    x = tf.reshape(tf.range(24), [4, 6, 1])
    assert image.central_crop(x, 0.5).numpy().ravel().tolist() == [7, 8, 9, 10, 13, 14, 15, 16]
    assert image.crop_to_bounding_box(x, 1, 2, 2, 2).numpy().ravel().tolist() == [8, 9, 14, 15]
    assert image.pad_to_bounding_box(x[:1, :2], 1, 1, 3, 4).numpy().ravel().tolist() == [
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
    ]
    assert image.resize_with_crop_or_pad(x, 2, 8).numpy()[0].ravel().tolist() == [0, 6, 7, 8, 9, 10, 11, 0]
    padded = image.resize_with_pad(tf.cast(x, tf.float32) / 10, 4, 4).numpy()
    close(padded[:2].ravel(), [0.325, 0.475, 0.625, 0.775, 1.525, 1.675, 1.825, 1.975])
    assert not padded[2:].any()


def test_flips_and_turns():
    x = tf.reshape(tf.range(6), [2, 3, 1])
    assert image.flip_left_right(x).numpy().ravel().tolist() == [2, 1, 0, 5, 4, 3]
    assert image.flip_up_down(x).numpy().ravel().tolist() == [3, 4, 5, 0, 1, 2]
    assert image.transpose(x).numpy().ravel().tolist() == [0, 3, 1, 4, 2, 5]
    for k in range(-2, 6):
        np.testing.assert_array_equal(image.rot90(x, k).numpy(), np.rot90(x.numpy(), k))
        np.testing.assert_array_equal(image.rot90(x[None], k).numpy()[0], np.rot90(x.numpy(), k))


def test_crop_and_resize():
    boxes = tf.constant([[0.1, 0.2, 0.8, 0.9], [-0.1, 0.05, 1.2, 0.97], [0.9, 0.8, 0.1, 0.1]])
    x = tf.constant(RAMP)
    with tf.GradientTape() as tape:
        tape.watch([x, boxes])
        y = image.crop_and_resize(x, boxes, [0, 0, 0], [2, 2], extrapolation_value=0.5)
        total = tf.reduce_sum(y * tf.reshape(tf.range(12.0), [3, 2, 2, 1]))
    dx, dboxes = tape.gradient(total, [x, boxes])
    close(y.numpy().ravel(), [0.14, 0.35, 0.7, 0.91, 0.5, 0.5, 0.5, 0.5, 0.96, 0.75, 0.32, 0.11])
    close(dx.numpy().ravel(), [6.16, 2.64, 5.04, 3.76, 3.12, 1.68, 2.58, 2.42, 5.52, 2.88, 4.38, 3.82])
    close(dboxes.numpy().ravel(), [0.8, 0.6, 4, 1.2, 0, 0, 0, 0, 13.6, 5.4, 16.8, 6])
    nearest = image.crop_and_resize(x, boxes, [0, 0, 0], [2, 2], "nearest")
    close(nearest.numpy().ravel(), [0.1, 0.3, 0.9, 1.1, 0, 0, 0, 0, 1, 0.8, 0.2, 0])
    with pytest.raises(tf.errors.OutOfRangeError, match="box_index"):
        image.crop_and_resize(x, boxes, [0, 0, 1], [2, 2])


def test_likeness():
    close(image.psnr(WAVES, OTHERS, 1.0).numpy(), [8.56316])
    close(image.psnr(BYTES, 255 - BYTES, 255).numpy(), 2.0326186)
    close(image.ssim(WAVES, OTHERS, 1.0, filter_size=7, filter_sigma=1.2).numpy(), [0.103303])
    close(image.ssim(WAVES, OTHERS, 1.0, filter_size=9, return_index_map=True).numpy()[0, :, 0], SIMILAR)
    mixed = OTHERS * np.float32(0.2) + WAVES * np.float32(0.8)
    close(image.ssim_multiscale(WAVES, mixed, 1.0, power_factors=(0.6, 0.4), filter_size=3).numpy(), [0.942334])
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 11"):
        image.ssim(RAMP, RAMP, 1.0)


SIMILAR = [0.298866, 0.24385, -0.0284537, -0.267512, -0.254332, -0.000409038, 0.260818]


def test_edges_and_variation():
    x = tf.constant(RAMP)
    down, across = image.image_gradients(x)
    close(down.numpy().ravel(), [0.4] * 8 + [0] * 4)
    close(across.numpy().ravel(), [0.1, 0.1, 0.1, 0] * 3)
    close(image.sobel_edges(x).numpy()[0, :, 1, 0].ravel(), [0, 0.8, 3.2, 0.8, 0, 0.8])
    close(image.total_variation(x).numpy(), [4.1])
    close(image.total_variation(x[0]).numpy(), 4.1)
    for f in (image.sobel_edges, image.total_variation, lambda x: image.image_gradients(x)[0]):
        assert_derivatives(lambda x, f=f: tf.square(f(x)), np.random.default_rng(3).random(RAMP.shape))


def test_extract_patches():
    x = tf.reshape(tf.range(12), [1, 3, 4, 1])
    got = image.extract_patches(x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "VALID").numpy()
    assert got[0, :, :, :].tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7]], [[4, 5, 8, 9], [6, 7, 10, 11]]]
    dilated = image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], "SAME").numpy()
    assert dilated[0, 1, 0].tolist() == [0, 1, 0, 9]


def test_conversions_of_dtype():
    def converted(x, dtype, saturate=False):
        return image.convert_image_dtype(x, dtype, saturate).numpy().ravel().tolist()

    close(converted(BYTES, tf.float32), BYTES.ravel() / 255)
    assert converted(BYTES, tf.uint16) == [2560, 51200, 7680, 65280, 0, 32768]
    assert converted(BYTES, tf.int8) == [5, 100, 15, 127, 0, 64]
    assert converted(BYTES.astype(np.uint16) * 200, tf.uint8) == [7, 156, 23, 199, 0, 100]
    assert converted(np.float32([-0.5, 0.25, 2.0]), tf.uint8, True) == [0, 63, 255]
    assert converted(BYTES, tf.int32) == [83886080, 1677721600, 251658240, 2139095040, 0, 1073741824]
    with pytest.raises(AttributeError, match="floating point or integer"):
        image.convert_image_dtype(BYTES, tf.bool)


def test_adjustments_of_bytes():
    assert image.adjust_brightness(BYTES, 0.1).numpy().ravel().tolist() == [35, 225, 55, 255, 25, 153]
    assert image.adjust_contrast(BYTES, 2.0).numpy().ravel().tolist() == [0, 255, 0, 255, 0, 177]
    assert image.adjust_gamma(BYTES, 2.0, 0.5).numpy().ravel().tolist() == [0, 78, 1, 127, 0, 32]
    assert image.adjust_hue(BYTES, 0.2).numpy().ravel().tolist() == [10, 142, 200, 255, 178, 0]
    assert image.adjust_saturation(BYTES, 2.0).numpy().ravel().tolist() == [0, 200, 21, 255, 0, 128]
    assert image.rgb_to_grayscale(BYTES).numpy().ravel().tolist() == [124, 90]
    assert not image.per_image_standardization(np.ones((2, 2, 3), np.float32)).numpy().any()


def test_colours_at_their_edges():
    edges = [[[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-0.2, 0.3, 2.0]]]
    close(image.rgb_to_hsv(edges).numpy().ravel(), [0, 0, 0.5, 0, 0, 0, 1 / 6, 1, 1, 0.6287879, 1.1, 2])
    odd = [[[1.0, 0.5, 0.5], [-0.3, 1.0, 1.0], [1.5, 1.0, 0.5], [0.5, 2.0, 1.5]]]
    close(image.hsv_to_rgb(odd).numpy().ravel(), [0.5, 0.25, 0.25, 1, 0, 0, 0.5, 0, 0, -1.5, 1.5, 1.5])
    grey = tf.constant(edges)
    with tf.GradientTape() as tape:
        tape.watch(grey)
        y = image.rgb_to_hsv(grey)
    assert np.isfinite(tape.gradient(y, grey).numpy()).all()


RANDOM = [
    ("random_brightness", (0.2,)),
    ("random_contrast", (0.5, 1.5)),
    ("random_hue", (0.3,)),
    ("random_saturation", (0.5, 1.5)),
    ("random_flip_left_right", ()),
    ("random_flip_up_down", ()),
]


@pytest.mark.parametrize(("name", "arguments"), RANDOM)
def test_random_adjustments_follow_their_seed(name, arguments):
    batch = np.stack([RGB] * 8).astype(np.float64)
    stateless = getattr(image, "stateless_" + name)
    first = stateless(batch, *arguments, seed=(1, 2)).numpy()
    np.testing.assert_array_equal(first, stateless(batch, *arguments, seed=(1, 2)).numpy())
    assert any((stateless(batch, *arguments, seed=(k, 2)).numpy() != first).any() for k in range(3, 9))
    tf.random.set_seed(4)
    first = [getattr(image, name)(batch, *arguments).numpy() for _ in range(4)]
    tf.random.set_seed(4)
    again = [getattr(image, name)(batch, *arguments).numpy() for _ in range(4)]
    np.testing.assert_array_equal(first, again)
    assert any((f != first[0]).any() for f in first[1:])


def test_random_flips_choose_for_each_image():
    x = np.stack([RAMP[0]] * 64)
    made = image.random_flip_left_right(x, seed=3).numpy()
    flipped = (made == x[:, :, ::-1]).all((1, 2, 3))
    assert (flipped | (made == x).all((1, 2, 3))).all()
    assert 10 < flipped.sum() < 54


def test_random_crop_is_a_block():
    x = np.arange(60).reshape(5, 6, 2)
    seen = {tuple(image.random_crop(x, [2, 3, 2]).numpy().ravel()) for _ in range(50)}
    blocks = {tuple(x[i : i + 2, j : j + 3].ravel()) for i in range(4) for j in range(4)}
    assert seen <= blocks
    assert len(seen) > 5


WRONG = [
    (ValueError, "3 or 4 dimensions", lambda: image.resize(RAMP[0, 0], [2, 2])),
    (ValueError, "2 elements", lambda: image.resize(RAMP, [2])),
    (ValueError, "int32", lambda: image.resize(RAMP, [2.0, 2.0])),
    (ValueError, "not implemented: foo", lambda: image.resize(RAMP, [2, 2], "foo")),
    (ValueError, "must be >= 0", lambda: image.resize(RAMP, [-1, 2])),
    (tf.errors.InvalidArgumentError, "positive", lambda: image.resize(RAMP, [0, 2])),
    (ValueError, "target_height must be > 0", lambda: image.resize_with_crop_or_pad(RAMP, 0, 2)),
    (ValueError, "central_fraction", lambda: image.central_crop(RAMP, 0.0)),
    (ValueError, "at least three", lambda: image.central_crop(RAMP[0, 0], 0.5)),
    (ValueError, "height must be >= target", lambda: image.crop_to_bounding_box(RAMP, 2, 0, 2, 2)),
    (ValueError, "offset_width must be >= 0", lambda: image.crop_to_bounding_box(RAMP, 0, -1, 2, 2)),
    (ValueError, "width must be <= target", lambda: image.pad_to_bounding_box(RAMP, 0, 1, 4, 4)),
    (ValueError, "at least three", lambda: image.flip_up_down(RAMP[0, 0])),
    (TypeError, "whole", lambda: image.rot90(RAMP, 1.5)),
    (tf.errors.InvalidArgumentError, "3 channels", lambda: image.rgb_to_grayscale(RAMP)),
    (tf.errors.FailedPreconditionError, "3 channels", lambda: image.rgb_to_hsv(RAMP)),
    (tf.errors.InvalidArgumentError, "uint8", lambda: image.rgb_to_hsv(BYTES)),
    (TypeError, "uint8", lambda: image.rgb_to_yuv(BYTES)),
    (ValueError, "size 1", lambda: image.grayscale_to_rgb(RGB)),
    (ValueError, "Gamma", lambda: image.adjust_gamma(RGB, -1.0)),
    (ValueError, "delta", lambda: image.adjust_hue(RGB, 2.0)),
    (ValueError, "max_delta", lambda: image.random_brightness(RGB, -1.0)),
    (ValueError, "0.5", lambda: image.random_hue(RGB, 0.6)),
    (ValueError, "upper", lambda: image.random_contrast(RGB, 2.0, 1.0)),
    (tf.errors.InvalidArgumentError, "Need value.shape", lambda: image.random_crop(RGB, [3, 2, 3])),
    (tf.errors.InvalidArgumentError, "Incompatible", lambda: image.psnr(WAVES, WAVES[:, :4], 1.0)),
    (ValueError, "4D", lambda: image.image_gradients(RAMP[0])),
    (tf.errors.InvalidArgumentError, "4-D", lambda: image.sobel_edges(RAMP[0])),
    (ValueError, "3 or 4-dimensional", lambda: image.total_variation(RAMP[0, 0])),
    (tf.errors.InvalidArgumentError, "sizes", lambda: image.extract_patches(RAMP, 2, 1, 1, "VALID")),
    (tf.errors.InvalidArgumentError, "boxes", lambda: image.crop_and_resize(RAMP, [0.0] * 4, [0], [2, 2])),
]


@pytest.mark.parametrize(("error", "text", "call"), WRONG, ids=[f"{i}-{row[1]}" for i, row in enumerate(WRONG)])
def test_wrong_calls(error, text, call):
    with pytest.raises(error, match=text):
        call()
