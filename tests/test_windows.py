"""Convolution and pooling, against loops over the windows and against finite differences."""

import itertools
import math

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

RNG = np.random.default_rng(4)


def around(shape, window, strides, dilations, padding):
    """Padding before and after each spatial axis, by TensorFlow's rule: the odd one goes after."""
    pairs = []
    for n, k, s, d in zip(shape, window, strides, dilations, strict=True):
        total = max(0, (math.ceil(n / s) - 1) * s + (k - 1) * d + 1 - n) if padding == "SAME" else 0
        pairs.append((total // 2, total - total // 2))
    return pairs


def loops(x, window, strides, dilations, padding, fill):
    """Each window of x, `[places..., window..., channels]`, one place at a time."""
    pairs = around(x.shape[1:-1], window, strides, dilations, padding)
    x = np.pad(x, [(0, 0), *pairs, (0, 0)], constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[1:-1], reach, strides, strict=True)]
    places = []
    for at in itertools.product(*map(range, counts)):
        key = (slice(p * s, p * s + r, d) for p, s, r, d in zip(at, strides, reach, dilations, strict=True))
        places.append(x[(slice(None), *key)])
    return np.stack(places, 1).reshape(x.shape[0], *counts, *window, x.shape[-1])


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize(
    ("strides", "dilations", "groups"),
    [((1, 1), (1, 1), 1), ((2, 3), (1, 1), 1), ((1, 1), (2, 1), 1), ((1, 2), (1, 1), 2)],
)
def test_conv2d(strides, dilations, groups, padding):
    x = RNG.normal(size=(2, 7, 6, 4))
    w = RNG.normal(size=(3, 2, 4 // groups, 6))
    views = loops(x, (3, 2), strides, dilations, padding, 0)
    want = np.concatenate(
        [
            np.einsum("nxyijc,ijco->nxyo", part, kernel)
            for part, kernel in zip(np.split(views, groups, -1), np.split(w, groups, -1), strict=True)
        ],
        -1,
    )
    got = tf.nn.conv2d(x, w, strides, padding, dilations=dilations)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12, atol=1e-12)
    first = tf.nn.conv2d(x.transpose(0, 3, 1, 2), w, (1, 1, *strides), padding, "NCHW", (1, 1, *dilations))
    np.testing.assert_allclose(first.numpy(), want.transpose(0, 3, 1, 2), rtol=1e-12, atol=1e-12)
    assert_derivatives(lambda x, w: tf.nn.conv2d(x, w, strides, padding, dilations=dilations), x, w)


def test_conv2d_with_explicit_padding():
    x, w = RNG.normal(size=(1, 3, 3, 1)), RNG.normal(size=(2, 2, 1, 1))
    got = tf.nn.conv2d(x, w, 1, [[0, 0], [1, 0], [0, 2], [0, 0]])
    want = tf.nn.conv2d(np.pad(x, [(0, 0), (1, 0), (0, 2), (0, 0)]), w, 1, "VALID")
    np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_conv1d():
    x, w = RNG.normal(size=(2, 9, 3)), RNG.normal(size=(4, 3, 5))
    want = np.einsum("nxic,ico->nxo", loops(x, (4,), (2,), (1,), "SAME", 0), w)
    np.testing.assert_allclose(tf.nn.conv1d(x, w, 2, "SAME").numpy(), want, rtol=1e-12)


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("strides", [1, 2, [1, 2, 3, 1]])
def test_pooling(strides, padding):
    x = -1 - RNG.random(size=(2, 7, 6, 3))  # negative: padding must not win
    steps = tuple(strides[1:3]) if isinstance(strides, list) else (strides, strides)
    largest = loops(x, (3, 2), steps, (1, 1), padding, -np.inf).max((3, 4))
    average = np.nanmean(loops(x, (3, 2), steps, (1, 1), padding, np.nan), (3, 4))
    np.testing.assert_array_equal(tf.nn.max_pool2d(x, (3, 2), strides, padding).numpy(), largest)
    np.testing.assert_allclose(tf.nn.avg_pool2d(x, (3, 2), strides, padding).numpy(), average, rtol=1e-12)
    assert_derivatives(lambda x: tf.nn.max_pool2d(x, (3, 2), strides, padding), x)
    assert_derivatives(lambda x: tf.nn.avg_pool2d(x, (3, 2), strides, padding), x)


def test_max_pool_of_integers():
    x = np.array([[[[3], [-7]], [[-9], [-8]]]], np.int32)
    assert tf.nn.max_pool2d(x, 2, 1, "SAME").numpy().ravel().tolist() == [3, -7, -8, -8]


def test_of_equal_elements_the_first_has_the_gradient():
    x = tf.constant([0.0, 5.0, 5.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(tf.reshape(x, [1, 2, 2, 1]), 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().tolist() == [0, 1, 0, 0]


IMAGE, FILTERS = np.ones((1, 4, 4, 2)), np.ones((2, 2, 2, 1))


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: tf.nn.conv2d(IMAGE[0], FILTERS, 1, "VALID"), "input"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS[0], 1, "VALID"), "filters"),
        (lambda: tf.nn.conv2d(IMAGE, np.ones((2, 2, 3, 1)), 1, "VALID"), "input depth"),
        (lambda: tf.nn.conv2d(IMAGE, np.ones((2, 2, 1, 1)), 1, "VALID"), "output depth"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 0, "VALID"), "strides"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, [2, 1, 1, 1], "VALID"), "strides"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "FOO"), "padding"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, [[0, 0], [1, 1]]), "padding"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "VALID", "CHWN"), "data_format"),
        (lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "VALID", dilations=-1), "dilations"),
        (lambda: tf.nn.conv2d(IMAGE, tf.constant(FILTERS, tf.float32), 1, "VALID"), "Conv2D"),
        (lambda: tf.nn.max_pool2d(IMAGE[0], 2, 2, "VALID"), "input"),
        (lambda: tf.nn.avg_pool2d(IMAGE, [2, 2, 2], 2, "VALID"), "ksize"),
        (lambda: tf.nn.max_pool2d(IMAGE > 0, 2, 2, "VALID"), "MaxPool"),
    ],
)
def test_wrong_calls(call, names):
    with pytest.raises(tf.errors.InvalidArgumentError, match=names):
        call()


def test_patches_of_volumes_and_their_gradient():
    x = tf.reshape(tf.range(120.0), [2, 3, 4, 5, 1])
    valid = tf.extract_volume_patches(x, [1, 2, 2, 3, 1], [1, 1, 2, 1, 1], "VALID")
    assert valid.shape == [2, 2, 2, 3, 12]
    assert valid[0, 0, 0, 0].numpy().tolist() == [0, 1, 2, 5, 6, 7, 20, 21, 22, 25, 26, 27]
    with tf.GradientTape() as tape:
        tape.watch(x)
        same = tf.extract_volume_patches(x, [1, 2, 2, 3, 1], [1, 1, 2, 2, 1], "SAME")
    assert same[0, -1, -1, -1].numpy().tolist() == [53, 54, 0, 58, 59, 0, 0, 0, 0, 0, 0, 0]
    assert tape.gradient(same, x)[0, 1, 0].numpy().ravel().tolist() == [2, 4, 2, 4, 2]


def test_the_general_convolution_is_that_of_its_rank():
    images, filters = tf.random.normal([2, 5, 6, 4]), tf.random.normal([3, 3, 2, 4])
    found = tf.conv(images, filters, [1, 2, 1, 1], "SAME", groups=2)
    np.testing.assert_array_equal(found, tf.nn.conv2d(images, filters, [2, 1], "SAME"))
    around = tf.conv(images, filters, [1] * 4, "EXPLICIT", [0, 0, 1, 1, 2, 0, 0, 0], groups=2, dilations=[1, 1, 2, 1])
    wanted = tf.nn.conv2d(images, filters, 1, [[0, 0], [1, 1], [2, 0], [0, 0]], dilations=[1, 2])
    np.testing.assert_array_equal(around, wanted)
    first = tf.conv(tf.transpose(images, [0, 3, 1, 2]), filters, [1] * 4, "SAME", (), "CHANNELS_FIRST", groups=2)
    np.testing.assert_array_equal(first, tf.transpose(tf.nn.conv2d(images, filters, 1, "SAME"), [0, 3, 1, 2]))
    assert (
        tf.conv(tf.zeros([2, 1, 5, 5, 5, 3]), tf.zeros([2, 2, 2, 3, 4]), [1] * 5, "VALID", batch_dims=2).shape[2] == 4
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda x, w: tf.conv(x, w, [1, 1], "SAME"),
        lambda x, w: tf.conv(x, w, [1] * 4, "SAME", groups=2),
        lambda x, w: tf.conv(x, w, [1] * 4, "SAME", data_format="NHWC"),
        lambda x, w: tf.conv(x, w, [1] * 4, "SAME", batch_dims=2),
        lambda x, w: tf.conv(x[0], w[0], [1] * 3, "SAME"),
        lambda x, w: tf.extract_volume_patches(x, [1, 1, 1, 1, 1], [1] * 5, "SAME"),
        lambda x, w: tf.extract_volume_patches(x[None], [2, 1, 1, 1, 1], [1] * 5, "SAME"),
        lambda x, w: tf.extract_volume_patches(x[None], [1, 9, 1, 1, 1], [1] * 5, "VALID"),
    ],
)
def test_bad_arguments_of_the_general_forms(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(tf.zeros([2, 5, 5, 3]), tf.zeros([3, 3, 3, 1]))
