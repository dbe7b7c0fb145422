"""Creation, casts, shapes and the surroundings: what is only at the top level of `tf`."""

import logging

import numpy as np
import pytest

import gradtape as tf

InvalidArgumentError = tf.errors.InvalidArgumentError


def listed(t: tf.Tensor) -> object:
    return t.numpy().tolist()


@pytest.mark.parametrize(
    "shape",
    [
        [2, 3],
        (2, 3),
        tf.TensorShape([2, 3]),
        tf.constant([2, 3]),
        tf.constant([2, 3], tf.int64),
        [tf.constant(2), 3],
        np.array([2, 3]),
        (np.int64(2), 3),
    ],
)
def test_shapes_of_many_kinds(shape: object) -> None:
    assert tf.zeros(shape).shape == [2, 3]
    assert tf.ones(shape, tf.int32).numpy().sum() == 6
    assert tf.fill(shape, 2.5).numpy().sum() == 15


def test_shapes_of_few_axes() -> None:
    assert tf.zeros(2).shape == [2]
    assert tf.zeros([]).shape == []
    assert tf.ones(()).numpy() == 1
    assert tf.zeros([0, 2]).shape == [0, 2]


@pytest.mark.parametrize(
    ("shape", "error"),
    [
        ([2, -1], InvalidArgumentError),
        (-1, InvalidArgumentError),
        ([[2]], InvalidArgumentError),
        ([2.0], TypeError),
        (2.5, TypeError),
        (tf.constant(2.0), TypeError),
        ("a", TypeError),
        (None, ValueError),
        (tf.TensorShape([None]), ValueError),
        ([2, None], ValueError),
    ],
)
def test_what_is_no_shape(shape: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="shape"):
        tf.zeros(shape)
    with pytest.raises(error, match="dims"):
        tf.fill(shape, 1)


def test_zeros_and_ones() -> None:
    assert listed(tf.zeros([2], tf.bool)) == [False, False]
    assert listed(tf.zeros([1], tf.string)) == [b""]
    assert tf.ones([2], "float64").dtype is tf.float64
    assert tf.zeros([2], tf.bfloat16).dtype is tf.bfloat16
    with pytest.raises(TypeError, match="string"):
        tf.ones([1], tf.string)


def test_like() -> None:
    x = tf.constant([[1.0, np.inf]])
    assert listed(tf.zeros_like(x)) == [[0.0, 0.0]]
    assert listed(tf.ones_like([1, 2])) == [1, 1]
    assert tf.zeros_like(x, tf.int32).dtype is tf.int32
    assert listed(tf.ones_like(tf.Variable([2.0]))) == [1.0]


def test_fill() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.fill([2, 2], x)
    assert float(tape.gradient(y, x)) == 4.0
    with pytest.raises(InvalidArgumentError, match="scalar"):
        tf.fill([2], [1, 2])


def test_eye() -> None:
    assert listed(tf.eye(2, 3)) == [[1, 0, 0], [0, 1, 0]]
    assert tf.eye(2, batch_shape=[3, 1]).shape == [3, 1, 2, 2]
    assert tf.eye(2, dtype=tf.int32).dtype is tf.int32
    for rows in (None, [2], "a", 2.0):
        with pytest.raises(TypeError, match="num_rows"):
            tf.eye(rows)
    with pytest.raises(InvalidArgumentError, match="num_rows"):
        tf.eye(-1)


@pytest.mark.parametrize(
    ("args", "dtype", "expected"),
    [
        ((3,), "int32", [0, 1, 2]),
        ((0,), "int32", []),
        ((1, 6, 2), "int32", [1, 3, 5]),
        ((5, 1, -2), "int32", [5, 3]),
        ((3.0,), "float32", [0, 1, 2]),
        ((1, 2, 0.5), "float32", [1, 1.5]),
        ((0.0, -1.0, -0.5), "float32", [0, -0.5]),
        ((tf.constant(3, tf.int64),), "int64", [0, 1, 2]),
        ((np.float64(2),), "float64", [0, 1]),
        ((2, None, 1, tf.float64), "float64", [0, 1]),
        ((1.0, 1.0), "float32", []),
    ],
)
def test_range(args: tuple[object, ...], dtype: str, expected: list[float]) -> None:
    t = tf.range(*args)
    assert t.dtype.name == dtype
    assert listed(t) == expected


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((5, 1), InvalidArgumentError, "start <= limit"),
        ((1, 5, -1), InvalidArgumentError, "start >= limit"),
        ((1, 5, 0), InvalidArgumentError, "delta must not be 0"),
        ((0.0, float("inf")), InvalidArgumentError, "finite"),
        ((0.0, float("nan")), InvalidArgumentError, "start <= limit"),
        (([1, 2],), InvalidArgumentError, "limit must be a scalar"),
        ((True,), ValueError, "bool"),
        ((None,), ValueError, "None"),
        ((3, None, 1, tf.complex64), InvalidArgumentError, "complex64"),
        ((3.5, None, 1, tf.int32), TypeError, "limit"),
    ],
)
def test_range_errors(args: tuple[object, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tf.range(*args)


def test_linspace() -> None:
    assert listed(tf.linspace(0.0, 1.0, 5)) == [0, 0.25, 0.5, 0.75, 1]
    assert listed(tf.linspace(0, 3, 4)) == [0, 1, 2, 3]
    assert tf.linspace(0, 3, 4).dtype is tf.float64
    assert listed(tf.linspace([0.0, 1.0], [1.0, 3.0], 3)) == [[0, 1], [0.5, 2], [1, 3]]
    assert listed(tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1)) == [[0, 0.5, 1], [1, 2, 3]]
    assert listed(tf.linspace(2.0, 5.0, 1)) == [2.0]
    assert listed(tf.linspace(2.0, 5.0, 0)) == []
    with pytest.raises(InvalidArgumentError, match="num"):
        tf.linspace(0.0, 1.0, -1)
    with pytest.raises(InvalidArgumentError, match="axis"):
        tf.linspace(0.0, 1.0, 3, axis=2)


def test_linspace_gradient() -> None:
    a, b = tf.constant(0.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.linspace(a, b, 5) * [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [float(g) for g in tape.gradient(y, [a, b])] == [5.0, 10.0]


def test_meshgrid() -> None:
    x, y = tf.meshgrid([1, 2], [3, 4, 5])
    assert listed(x) == [[1, 2], [1, 2], [1, 2]]
    assert listed(y) == [[3, 3], [4, 4], [5, 5]]
    x, y = tf.meshgrid([1, 2], [3, 4, 5], indexing="ij")
    assert listed(x) == [[1, 1, 1], [2, 2, 2]]
    assert tf.meshgrid() == []
    with pytest.raises(ValueError, match="indexing"):
        tf.meshgrid([1], indexing="yx")
    with pytest.raises(TypeError, match="sparse"):
        tf.meshgrid([1], sparse=True)


def test_identity_is_another_object_with_the_gradient() -> None:
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.identity(x)
    assert y is not x
    assert listed(tape.gradient(y, x)) == [1.0]
    assert [listed(t) for t in tf.identity_n([x, [2]])] == [[1.0], [2]]


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1.8, -1.8], tf.int32, [1, -1]),
        ([300, -1], tf.uint8, [44, 255]),
        ([0.0, float("nan"), -2.0], tf.bool, [False, True, True]),
        ([True, False], tf.float32, [1.0, 0.0]),
        ([1 + 2j], tf.float32, [1.0]),
        ([1], tf.complex64, [1 + 0j]),
        ([float("nan"), 1e20, -1e20], tf.int32, [-(2**31)] * 3),
        ([1.1], "bfloat16", [1.1015625]),
    ],
)
def test_cast(value: object, dtype: object, expected: object) -> None:
    assert listed(tf.cast(value, dtype)) == expected


def test_cast_passes_gradients_between_floating_dtypes() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        wide = tf.cast(x, tf.float64) ** 2
        whole = tf.cast(tf.cast(x, tf.int32), tf.float32)
    slope = tape.gradient(wide, x)
    assert (slope.dtype, float(slope)) == (tf.float32, 4.0)
    assert tape.gradient(whole, x) is None
    assert tf.cast(x, tf.float32) is x


def test_cast_errors() -> None:
    for value, dtype in ((["a"], tf.float32), ([1.0], tf.string)):
        with pytest.raises(tf.errors.UnimplementedError, match="not supported"):
            tf.cast(value, dtype)
    with pytest.raises(TypeError, match="type_value"):
        tf.cast(1.0, int)
    with pytest.raises(ValueError, match="x: "):
        tf.cast(None, tf.float32)


def test_saturate_cast() -> None:
    assert listed(tf.saturate_cast([-5.0, 300.0], tf.uint8)) == [0, 255]
    assert listed(tf.saturate_cast([1e20, -1e20], tf.int32)) == [2147483520, -(2**31)]
    assert listed(tf.saturate_cast(tf.constant([1e300], tf.float64), tf.float16)) == [65504.0]
    assert listed(tf.saturate_cast([-1, 5], tf.uint32)) == [0, 5]


def test_bitcast() -> None:
    assert tf.bitcast(1.0, tf.int32).numpy() == 0x3F800000
    assert listed(tf.bitcast(tf.constant([1], tf.int32), tf.uint8)) == [[1, 0, 0, 0]]
    assert listed(tf.bitcast(tf.constant([1, 0, 0, 0], tf.uint8), tf.int32)) == 1
    for value, dtype in (([1, 2, 3], tf.float64), (["a"], tf.int32), ([True], tf.uint8)):
        with pytest.raises(InvalidArgumentError, match="bitcast"):
            tf.bitcast(value, dtype)


def test_shape_size_and_rank() -> None:
    x = tf.ones([2, 3])
    assert listed(tf.shape(x)) == [2, 3]
    assert tf.shape(x, tf.int64).dtype is tf.int64
    assert (tf.size(x).numpy(), tf.rank(x).numpy()) == (6, 2)
    assert tf.size(x).dtype is tf.int32
    assert [listed(s) for s in tf.shape_n([x, [1]])] == [[2, 3], [1]]
    with pytest.raises(InvalidArgumentError, match="out_type"):
        tf.shape(x, tf.float32)
    with pytest.raises(ValueError, match="input: "):
        tf.size([[1], [2, 3]])


def test_ensure_shape() -> None:
    x = tf.ones([2, 3])
    assert tf.ensure_shape(x, [None, 3]).shape == [2, 3]
    with pytest.raises(InvalidArgumentError, match="not compatible"):
        tf.ensure_shape(x, [3, None])


def test_broadcast_shapes() -> None:
    assert tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([3])) == [None, 3]
    assert tf.broadcast_static_shape(tf.TensorShape(None), tf.TensorShape([3])).rank is None
    assert listed(tf.broadcast_dynamic_shape([2, 1], [3])) == [2, 3]
    with pytest.raises(ValueError, match="Incompatible"):
        tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    with pytest.raises(InvalidArgumentError, match="Incompatible"):
        tf.broadcast_dynamic_shape([2], [3])


def test_what_is_a_tensor() -> None:
    assert all(map(tf.is_tensor, [tf.constant(1), tf.Variable(1), tf.IndexedSlices([1.0], [0])]))
    assert not any(map(tf.is_tensor, [1, [tf.constant(1)], np.ones(1), None]))
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.get_static_value(tf.constant([1])).tolist() == [1]
    assert tf.get_static_value("a") == "a"


def test_surroundings() -> None:
    assert tf.executing_eagerly()
    assert not tf.inside_function()
    assert isinstance(tf.get_logger(), logging.Logger)
    assert tf.newaxis is None
    assert tf.group(tf.constant(1)) is None
    assert tf.no_op() is None
    ran = []
    with tf.device("/CPU:0"), tf.control_dependencies([tf.constant(1), lambda: ran.append(1)]):
        assert ran == [1]
