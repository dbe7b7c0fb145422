"""Convolution and pooling in every number of dimensions, against sums that TensorFlow gives, and their edges."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives


def waves(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7).reshape(shape).astype("float32")


# Name, call and shapes of its arguments; weighted sums of the squares of its result, and of each gradient.
CALLS = [
    ("conv1d", lambda x, w: tf.nn.conv1d(x, w, 2, "SAME"), [(2, 9, 4), (3, 4, 5)], (-0.0829, -1.5535, -0.7117)),
    (
        "conv1d batches",
        lambda x, w: tf.nn.conv1d(x, w, 1, "VALID"),
        [(2, 2, 9, 4), (3, 4, 5)],
        (0.0282, -6.4803, -5.087),
    ),
    (
        "conv2d",
        lambda x, w: tf.nn.conv2d(x, w, [1, 2], "SAME"),
        [(2, 7, 6, 4), (3, 2, 4, 5)],
        (1.3376, 3.9236, -4.6592),
    ),
    (
        "conv2d dilated",
        lambda x, w: tf.nn.conv2d(x, w, 1, "VALID", dilations=2),
        [(2, 7, 6, 4), (3, 2, 4, 5)],
        (10.4676, -0.1482, -3.1947),
    ),
    (
        "conv2d groups",
        lambda x, w: tf.nn.conv2d(x, w, 2, "SAME"),
        [(2, 7, 6, 4), (3, 2, 2, 6)],
        (3.4975, -17.7384, 0.5578),
    ),
    (
        "conv2d padded",
        lambda x, w: tf.nn.conv2d(x, w, 1, [[0, 0], [2, 0], [1, 2], [0, 0]]),
        [(2, 7, 6, 4), (3, 2, 4, 5)],
        (7.071, -52.3781, 13.0068),
    ),
    (
        "conv2d first",
        lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", "NCHW"),
        [(2, 4, 7, 6), (3, 2, 4, 5)],
        (16.6555, -89.0495, -5.2742),
    ),
    (
        "conv3d",
        lambda x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"),
        [(2, 5, 4, 6, 3), (2, 3, 2, 3, 4)],
        (-0.7544, -1.4068, 8.7724),
    ),
    (
        "convolution",
        lambda x, w: tf.nn.convolution(x, w, padding="SAME", dilations=2),
        [(2, 7, 6, 4), (3, 2, 4, 5)],
        (13.9824, -9.6607, -57.4495),
    ),
    (
        "conv1d_transpose",
        lambda x, w: tf.nn.conv1d_transpose(x, w, [2, 7, 5], 2),
        [(2, 4, 4), (3, 5, 4)],
        (-52.3495, 13.3295, -8.0291),
    ),
    (
        "conv2d_transpose",
        lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 9, 6, 5], 2, "VALID"),
        [(2, 4, 3, 4), (3, 2, 5, 4)],
        (-84.2895, 3.5153, -14.4044),
    ),
    (
        "conv2d_transpose sizes",
        lambda x, w: tf.nn.conv2d_transpose(x, w, [7, 6], 2),
        [(2, 4, 3, 4), (3, 2, 5, 4)],
        (23.1466, -15.6167, 3.2084),
    ),
    (
        "conv3d_transpose",
        lambda x, w: tf.nn.conv3d_transpose(x, w, [1, 4, 5, 6, 2], 2),
        [(1, 2, 3, 3, 3), (3, 2, 2, 2, 3)],
        (6.7959, -4.4854, -3.3093),
    ),
    (
        "conv_transpose",
        lambda x, w: tf.nn.conv_transpose(x, w, [2, 7, 6, 5], 2),
        [(2, 4, 3, 4), (3, 2, 5, 4)],
        (23.1466, -15.6167, 3.2084),
    ),
    (
        "depthwise_conv2d",
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"),
        [(2, 7, 6, 4), (3, 2, 4, 2)],
        (4.0177, 19.8015, -4.406),
    ),
    (
        "depthwise_conv2d dilated",
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", dilations=[2, 2]),
        [(2, 7, 6, 4), (3, 2, 4, 1)],
        (0.3523, -5.1468, -0.1811),
    ),
    (
        "depthwise input",
        lambda w, y: tf.nn.depthwise_conv2d_backprop_input([2, 7, 6, 4], w, y, [1, 1, 1, 1], "SAME"),
        [(3, 2, 4, 2), (2, 7, 6, 8)],
        (-91.0438, -25.1263, 106.6874),
    ),
    (
        "depthwise filter",
        lambda x, y: tf.nn.depthwise_conv2d_backprop_filter(x, [3, 2, 4, 2], y, [1, 1, 1, 1], "SAME"),
        [(2, 7, 6, 4), (2, 7, 6, 8)],
        (48.2048, 67.8519, 21.0219),
    ),
    (
        "separable_conv2d",
        lambda x, w, p: tf.nn.separable_conv2d(x, w, p, [1, 1, 1, 1], "VALID"),
        [(2, 7, 6, 4), (3, 2, 4, 2), (1, 1, 8, 3)],
        (1.2124, -2.2165, -4.2029, 6.1335),
    ),
    (
        "atrous_conv2d",
        lambda x, w: tf.nn.atrous_conv2d(x, w, 2, "SAME"),
        [(2, 7, 6, 4), (3, 2, 4, 5)],
        (13.9824, -9.6607, -57.4495),
    ),
    (
        "atrous_conv2d_transpose",
        lambda x, w: tf.nn.atrous_conv2d_transpose(x, w, [2, 7, 6, 5], 2, "SAME"),
        [(2, 7, 6, 4), (3, 2, 5, 4)],
        (-424.4458, 1633.8171, -12.8178),
    ),
    (
        "dilation2d",
        lambda x, w: tf.nn.dilation2d(x, w, [1, 2, 1, 1], "SAME", "NHWC", [1, 1, 2, 1]),
        [(2, 7, 6, 4), (3, 2, 4)],
        (-19.7177, -6.0415, -9.9342),
    ),
    (
        "erosion2d",
        lambda x, w: tf.nn.erosion2d(x, w, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]),
        [(2, 7, 6, 4), (3, 2, 4)],
        (-1.5936, -1.5279, 0.6253),
    ),
    ("max_pool", lambda x: tf.nn.max_pool(x, 3, 2, "SAME"), [(2, 7, 6, 4)], (1.5411, 1.807)),
    (
        "max_pool padded",
        lambda x: tf.nn.max_pool2d(x, 3, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]),
        [(2, 7, 6, 4)],
        (2.039, 2.071),
    ),
    ("max_pool1d", lambda x: tf.nn.max_pool1d(x, 3, 2, "SAME"), [(2, 9, 4)], (1.0734, 1.5568)),
    ("max_pool3d", lambda x: tf.nn.max_pool3d(x, 3, 2, "SAME"), [(2, 5, 4, 6, 3)], (18.4657, 14.4363)),
    ("avg_pool", lambda x: tf.nn.avg_pool(x, 3, 2, "SAME"), [(2, 7, 6, 4)], (-0.048, -0.0406)),
    ("avg_pool1d", lambda x: tf.nn.avg_pool1d(x, 3, 1, "SAME"), [(2, 9, 4)], (-0.01, -6.9826)),
    ("avg_pool3d", lambda x: tf.nn.avg_pool3d(x, 2, 2, "VALID"), [(2, 5, 4, 6, 3)], (-2.0749, 10.5198)),
    ("pool", lambda x: tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 2]), [(2, 7, 6, 4)], (5.3322, 1.4317)),
    (
        "pool means",
        lambda x: tf.nn.pool(x, [2, 3], "AVG", strides=[2, 1], padding="SAME"),
        [(2, 7, 6, 4)],
        (-0.0337, -3.5184),
    ),
    ("max_pool_with_argmax", lambda x: tf.nn.max_pool_with_argmax(x, 3, 2, "SAME")[0], [(2, 7, 6, 4)], (1.5411, 1.807)),
]


@pytest.mark.parametrize(("name", "call", "shapes", "sums"), CALLS, ids=[row[0] for row in CALLS])
def test_sums(name, call, shapes, sums):
    xs = [tf.constant(waves(*shape)) for shape in shapes]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = call(*xs)
        total = tf.reduce_sum(y * y * waves(*y.shape))
    slopes = [tf.reduce_sum(g * np.cos(1.3 * waves(*g.shape))) for g in tape.gradient(total, xs)]
    np.testing.assert_allclose([total, *slopes], sums, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize(("name", "call", "shapes", "sums"), CALLS, ids=[row[0] for row in CALLS])
def test_derivatives(name, call, shapes, sums):
    """In float64, of second order and in both modes."""
    random = np.random.default_rng(5)
    assert_derivatives(lambda *xs: tf.square(call(*xs)), *[random.normal(size=shape) for shape in shapes])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(dtype):
    x, w = (tf.cast(waves(*shape), dtype) for shape in ((1, 6, 6, 64), (3, 3, 64, 4)))
    wide = tf.nn.conv2d(tf.cast(x, tf.float32), tf.cast(w, tf.float32), 1, "SAME")
    np.testing.assert_array_equal(tf.nn.conv2d(x, w, 1, "SAME"), tf.cast(wide, dtype))
    means = tf.nn.avg_pool2d(tf.cast(x, tf.float32), 5, 1, "SAME")
    np.testing.assert_array_equal(tf.nn.avg_pool2d(x, 5, 1, "SAME"), tf.cast(means, dtype))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.max_pool2d(tf.nn.conv2d(x, w, 1, "SAME"), 2, 2, "SAME")
    assert [g.dtype for g in tape.gradient(y, [x, w])] == [tf.as_dtype(dtype)] * 2


def test_an_image_larger_than_a_block_is_cut_in_rows():
    x, w = waves(1, 150, 160, 8), waves(5, 5, 8, 16)
    whole = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    part = tf.nn.conv2d(x[:, 70:84], w, 1, "VALID").numpy()
    np.testing.assert_allclose(whole[:, 72:82, 2:-2], part, rtol=1e-4, atol=1e-3)
    stacked = np.concatenate([x, x[:, ::-1]])
    with tf.GradientTape() as tape:
        kernel = tf.constant(w)
        tape.watch(kernel)
        y = tf.nn.conv2d(stacked, kernel, 2, "SAME")
    got = tape.gradient(y, kernel).numpy()
    seen = np.pad(stacked, [(0, 0), (1, 2), (1, 2), (0, 0)]).astype(float)
    want = [[seen[:, i : i + 149 : 2, j : j + 159 : 2].sum((0, 1, 2)) for j in range(5)] for i in range(5)]
    np.testing.assert_allclose(got[..., 3], want, rtol=1e-3, atol=1e-2)


def test_results_do_not_depend_on_who_computes_them():
    x, w = waves(16, 30, 30, 8), waves(3, 3, 8, 8)
    kernel = tf.constant(w)
    found = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            tape.watch(kernel)
            y = tf.nn.conv2d(x, kernel, 1, "SAME")
        found.append((y.numpy(), tape.gradient(y, kernel).numpy()))
    for y, gradient in found[1:]:
        np.testing.assert_array_equal(y, found[0][0])
        np.testing.assert_array_equal(gradient, found[0][1])


def test_integers():
    x, w = np.arange(16, dtype=np.int32).reshape(1, 4, 4, 1), np.ones((2, 2, 1, 1), np.int32)
    made = tf.nn.conv2d(x, w, 2, "VALID")
    assert made.dtype == tf.int32
    assert made.numpy().ravel().tolist() == [10, 18, 42, 50]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_of_equal_elements_the_first_has_the_gradient(rank):
    x = tf.zeros([1, *[2] * rank, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1] + [0] * (2**rank - 1)


def test_places_of_the_largest():
    x = tf.reshape(tf.range(60.0), [2, 5, 6, 1])
    values, places = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")
    assert values.numpy()[0].ravel().tolist() == [7, 9, 11, 19, 21, 23, 25, 27, 29]
    assert places.dtype == tf.int64
    assert places.numpy()[1].ravel().tolist() == [7, 9, 11, 19, 21, 23, 25, 27, 29]
    _, places = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", output_dtype=tf.int32, include_batch_in_index=True)
    assert places.dtype == tf.int32
    assert places.numpy()[1].ravel().tolist() == [37, 39, 41, 49, 51, 53, 55, 57, 59]


def test_largest_across_channels():
    x = tf.constant([[[[1.0, 4.0, 3.0, 2.0]]]])
    assert tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "SAME").numpy().ravel().tolist() == [4, 3]
    with pytest.raises(tf.errors.UnimplementedError, match="divide"):
        tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], "SAME")


def test_a_nan_is_the_largest():
    assert np.isnan(tf.nn.max_pool2d([[[[1.0], [np.nan]], [[2.0], [3.0]]]], 2, 2, "VALID").numpy()).all()


def test_empty_batches():
    x = tf.zeros([0, 5, 6, 4])
    with tf.GradientTape() as tape:
        w = tf.constant(waves(2, 2, 4, 3))
        tape.watch([x, w])
        y = tf.nn.max_pool2d(tf.nn.conv2d(x, w, 1, "SAME"), 2, 2, "SAME")
    assert y.shape == (0, 3, 3, 3)
    dx, dw = tape.gradient(y, [x, w])
    assert dx.shape == x.shape
    assert not dw.numpy().any()


def test_captured_calls_see_new_values():
    @tf.function
    def step(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID")
            values, places = tf.nn.max_pool_with_argmax(y, 2, 1, "VALID")
            total = tf.reduce_sum(tf.square(values)) + tf.reduce_sum(tf.nn.dilation2d(y, w[:, :, 0], *REST))
        return total, tape.gradient(total, w), places, tf.image.rgb_to_hsv(tf.nn.sigmoid(y[..., :3]))

    for seed in range(3):
        random = np.random.default_rng(seed)
        x, w = tf.constant(random.normal(size=(2, 6, 6, 2))), tf.constant(random.normal(size=(3, 3, 2, 4)))
        for got, want in zip(step(x, w), step.python_function(x, w), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12)


REST = ([1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])


IMAGE, FILTERS = np.ones((2, 4, 4, 2)), np.ones((2, 2, 2, 3))
INVALID = tf.errors.InvalidArgumentError

WRONG = [
    (INVALID, "5-dimensional", lambda: tf.nn.conv3d(IMAGE, np.ones((2, 2, 2, 2, 3)), 1, "SAME")),
    (INVALID, "filters", lambda: tf.nn.conv1d(IMAGE[0], FILTERS, 1, "SAME")),
    (INVALID, "3 to 5 axes", lambda: tf.nn.convolution(IMAGE, np.ones(3))),
    (INVALID, "not be positive", lambda: tf.nn.conv2d(IMAGE, np.ones((9, 9, 2, 1)), 1, "VALID")),
    (INVALID, "padding", lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, "same")),
    (INVALID, "batch and channels", lambda: tf.nn.conv2d(IMAGE, FILTERS, 1, [[1, 0], [0, 0], [0, 0], [0, 0]])),
    (INVALID, "int64", lambda: tf.nn.conv2d(IMAGE.astype(int), FILTERS.astype(int), 1, "SAME")),
    (INVALID, "int32", lambda: tf.nn.conv1d(np.ones((1, 4, 2), np.int32), np.ones((2, 2, 3), np.int32), 1, "SAME")),
    (INVALID, "output_shape", lambda: tf.nn.conv2d_transpose(IMAGE, FILTERS, [2, 8, 8], 2)),
    (INVALID, "but input has", lambda: tf.nn.conv2d_transpose(IMAGE, np.ones((2, 2, 3, 2)), [2, 9, 9, 3], 2)),
    (INVALID, "input depth", lambda: tf.nn.conv2d_transpose(IMAGE, np.ones((2, 2, 3, 2)), [2, 8, 8, 4], 2)),
    (ValueError, "dilation_rate", lambda: tf.nn.atrous_conv2d(IMAGE, FILTERS, 0, "SAME")),
    (INVALID, "as many channels", lambda: tf.nn.depthwise_conv2d(IMAGE, np.ones((2, 2, 3, 1)), [1] * 4, "SAME")),
    (INVALID, "filter_sizes", lambda: tf.nn.depthwise_conv2d_backprop_filter(IMAGE, [2, 2], IMAGE, [1] * 4, "SAME")),
    (INVALID, "does not fit", lambda: tf.nn.depthwise_conv2d_backprop_filter(IMAGE, [2, 2, 2, 2], IMAGE, 1, "SAME")),
    (ValueError, "1 by 1", lambda: tf.nn.separable_conv2d(IMAGE, np.ones((2, 2, 2, 1)), FILTERS, [1] * 4, "SAME")),
    (INVALID, "3 to 5 axes", lambda: tf.nn.max_pool(IMAGE[0, 0], 2, 2, "SAME")),
    (INVALID, "float64|int32", lambda: tf.nn.avg_pool(IMAGE.astype(np.int32), 2, 2, "SAME")),
    (tf.errors.UnimplementedError, "batch", lambda: tf.nn.max_pool(IMAGE, [2, 1, 1, 1], [2, 1, 1, 1], "SAME")),
    (INVALID, "smaller than the window", lambda: tf.nn.max_pool2d(IMAGE, 2, 2, [[0, 0], [2, 0], [0, 0], [0, 0]])),
    (ValueError, "MIN", lambda: tf.nn.pool(IMAGE, [2, 2], "MIN")),
    (ValueError, "NHWC", lambda: tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME", "NCHW")),
    (INVALID, "output_dtype", lambda: tf.nn.max_pool_with_argmax(IMAGE, 2, 2, "SAME", output_dtype=tf.float32)),
    (ValueError, "NHWC", lambda: tf.nn.dilation2d(IMAGE, FILTERS[..., 0], [1] * 4, "SAME", "NCHW", [1] * 4)),
    (INVALID, "as many channels", lambda: tf.nn.erosion2d(IMAGE, np.ones((2, 2, 3)), *REST)),
    (INVALID, "divisible", lambda: tf.nn.space_to_depth(IMAGE[:, :3], 2)),
    (INVALID, "divisible", lambda: tf.nn.depth_to_space(IMAGE, 2)),
    (INVALID, "rank", lambda: tf.nn.depth_to_space(IMAGE[0], 2)),
    (INVALID, "block_size", lambda: tf.nn.depth_to_space(IMAGE, 1)),
]


@pytest.mark.parametrize(("error", "text", "call"), WRONG, ids=[f"{i}-{row[1]}" for i, row in enumerate(WRONG)])
def test_wrong_calls(error, text, call):
    with pytest.raises(error, match=text):
        call()
