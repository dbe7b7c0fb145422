"""Python and NumPy data as tensors: dtypes, shapes and errors."""

import collections
import enum

import numpy as np
import pytest

import gradtape as tf

BIG = 2**40


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", []),
        (1.0, "float32", []),
        (True, "bool", []),
        (1j, "complex128", []),
        ("a", "string", []),
        (b"a", "string", []),
        (2**31 - 1, "int32", []),
        (2**31, "int64", []),
        (-(2**31), "int32", []),
        (-(2**31) - 1, "int64", []),
        (float("nan"), "float32", []),
        (float("inf"), "float32", []),
        ([1, 2.0], "float32", [2]),
        ([1, True], "int32", [2]),
        ([1j, 2], "complex128", [2]),
        ([1, BIG], "int64", [2]),
        ([1.5, BIG], "float32", [2]),
        ([], "float32", [0]),
        ([[]], "float32", [1, 0]),
        ((1, (2))[:1], "int32", [1]),
        (range(3), "int32", [3]),
        (bytearray(b"ab"), "int32", [2]),
        (collections.deque([1, 2]), "int32", [2]),
        (np.float64(1), "float64", []),
        (np.float16(1), "float16", []),
        (np.int64(1), "int64", []),
        (np.uint8(1), "uint8", []),
        (np.bool_(True), "bool", []),
        (np.str_("a"), "string", []),
        (np.complex64(1), "complex64", []),
        (np.array([1.0]), "float64", [1]),
        (np.array(["a"]), "string", [1]),
        (np.array(["a"], object), "string", [1]),
        (np.ones(2, ">f4"), "float32", [2]),
        (np.ones(2)[::-1], "float64", [2]),
        ([np.float64(1), 2], "float64", [2]),
        ([np.float32(1), np.float64(1)], "float32", [2]),
        ([1, np.float64(2)], "float32", [2]),
        ([np.int64(1), 2], "int32", [2]),
        ([np.arange(2), np.arange(2)], "int32", [2, 2]),
        ([np.arange(2) + BIG, np.arange(2)], "int64", [2, 2]),
        ([np.ones(2), np.ones(2)], "float64", [2, 2]),
        ([np.ones(2), [1, 2]], "float64", [2, 2]),
        ([np.ones(2), np.ones(2, np.float32)], "float64", [2, 2]),
        ([np.array(1.0), np.array(2.0)], "float64", [2]),
        (tf.TensorShape([1, 2]), "int32", [2]),
        (enum.IntEnum("E", "A").A, "int32", []),
        (np.ma.array([1.0]), "float64", [1]),
    ],
)
def test_inferred_dtypes(value: object, dtype: str, shape: list[int]) -> None:
    t = tf.constant(value)
    assert t.dtype.name == dtype
    assert t.shape == shape


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1, tf.float32, 1.0),
        (np.float64(1.5), tf.int32, 1),
        (np.array([1.5, -1.5]), tf.int32, [1, -1]),
        (np.array([1j + 2]), tf.float32, [2.0]),
        (np.array([2.0, 0.0]), tf.bool, [True, False]),
        (True, tf.int8, 1),
        (1.0, tf.complex64, 1 + 0j),
        (300, tf.uint8, 44),
        (-1, tf.uint32, 2**32 - 1),
        ([300, -1], tf.int8, [44, -1]),
        (BIG, tf.int32, 0),
        (2**63, tf.uint64, 2**63),
        (1e39, tf.float32, float("inf")),
        (10**400, tf.float64, float("inf")),
        (70000.0, tf.float16, float("inf")),
        (1.1, tf.bfloat16, 1.1015625),
        (1, "float32", 1.0),
        (1, float, 1.0),
        (1, np.float32, 1.0),
        ([], tf.int32, []),
        ("a", tf.string, b"a"),
    ],
)
def test_wanted_dtypes(value: object, dtype: object, expected: object) -> None:
    t = tf.constant(value, dtype)
    assert t.dtype is tf.as_dtype(dtype)
    assert t.numpy() == expected if not isinstance(expected, list) else t.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("value", "dtype", "error", "text"),
    [
        ([True, 1], None, ValueError, "mixed types"),
        ([1, "a"], None, ValueError, "mixed types"),
        ([1.0, 1j], None, ValueError, "mixed types"),
        ([1, np.bool_(True)], None, ValueError, "mixed types"),
        ([1, None], None, ValueError, "mixed types"),
        ([1, [2]], None, ValueError, "mixed types"),
        ([[1], [2, 3]], None, ValueError, "non-rectangular"),
        ([[1, 2], 3], None, ValueError, "non-rectangular"),
        ([np.ones(2), np.ones(3)], None, ValueError, "non-rectangular"),
        (None, None, ValueError, "None"),
        ({1: 2}, None, ValueError, "dict"),
        ({1}, None, ValueError, "set"),
        (object(), None, ValueError, "object"),
        (tf.float32, None, ValueError, "tf.float32"),
        (tf.TensorShape([None]), None, ValueError, "None"),
        (2**63, None, ValueError, "out-of-range integer"),
        ([2**64], None, ValueError, "out-of-range integer"),
        (2**63, tf.int64, ValueError, "out-of-range integer"),
        (1e39, None, ValueError, "out of range"),
        ([1.0, 1e300], None, ValueError, "out of range"),
        (np.array([1], object), None, ValueError, "object type int"),
        (np.datetime64("2020-01-01"), None, ValueError, "datetime64"),
        (np.longdouble(1), None, ValueError, "longdouble|float"),
        (1.0, tf.int32, TypeError, "dtype int32"),
        ([1.5], tf.int32, TypeError, "dtype int32"),
        (1, tf.bool, TypeError, "dtype bool"),
        ("a", tf.float32, TypeError, "dtype float"),
        (1, tf.string, TypeError, "dtype string"),
        (1j, tf.float32, TypeError, "dtype float"),
        (np.ones(2), tf.string, TypeError, "dtype string"),
        (1, tf.resource, TypeError, "dtype resource"),
        (1, int, TypeError, "type_value"),
        (1, "foo", TypeError, "foo"),
    ],
)
def test_errors(value: object, dtype: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tf.constant(value, dtype)


def test_errors_name_the_argument() -> None:
    with pytest.raises(ValueError, match=r"^shape_x: "):
        tf.broadcast_dynamic_shape(None, [1])
    with pytest.raises(TypeError, match=r"^shape: "):
        tf.zeros([2.5])


def test_constant_of_tensors() -> None:
    t = tf.constant([1.0])
    assert tf.constant(t) is t
    with pytest.raises(TypeError, match="float64"):
        tf.constant(t, tf.float64)
    assert tf.constant(tf.Variable(1.0), tf.float64).dtype is tf.float64
    with pytest.raises(ValueError, match=r"tf\.stack"):
        tf.constant([t, [2.0]])


def test_constant_with_a_shape() -> None:
    assert tf.constant(1, shape=[2, 3]).numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert tf.constant([1, 2], shape=(2, 1)).numpy().tolist() == [[1], [2]]
    assert tf.constant([], shape=[0, 3]).shape == [0, 3]
    for shape in ([3], [], [None]):
        with pytest.raises(TypeError, match="unsupported shape"):
            tf.constant([1, 2], shape=shape)
    with pytest.raises(ValueError, match="-1"):
        tf.constant(1, shape=[-1])


def test_convert_to_tensor() -> None:
    t = tf.constant([1.0])
    assert tf.convert_to_tensor(t) is t
    with pytest.raises(ValueError, match="float64"):
        tf.convert_to_tensor(t, tf.float64)
    assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32
    assert tf.convert_to_tensor(t, dtype_hint=tf.float64) is t
    assert tf.convert_to_tensor(1, tf.int64, dtype_hint=tf.float32).dtype is tf.int64


def test_lists_with_tensors_are_stacked_and_recorded() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor([[x, 1], (3.0, x * x)])
        z = y + [[x, 0.0], [0.0, 0.0]]  # noqa: RUF005
    assert y.numpy().tolist() == [[2.0, 1.0], [3.0, 4.0]]
    assert float(tape.gradient(z, x)) == 1.0 + 4.0 + 1.0


def test_lists_with_tensors_have_one_dtype_and_shape() -> None:
    assert tf.convert_to_tensor([tf.constant(1), 2], tf.float64).dtype is tf.float64
    assert tf.convert_to_tensor([tf.Variable(1.0), 2]).numpy().tolist() == [1.0, 2.0]
    assert tf.convert_to_tensor([tf.constant(1), np.array(2.5)]).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pack"):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must match"):
        tf.convert_to_tensor([tf.constant([1.0, 2.0]), 1.0])
    with pytest.raises(TypeError, match="int32"):
        tf.convert_to_tensor([tf.constant(1), 2.5])


def test_sparse_rows_become_dense() -> None:
    rows = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 1]), tf.constant([3]))
    assert tf.convert_to_tensor(rows).numpy().tolist() == [0.0, 3.0, 0.0]
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))


def test_objects_with_a_conversion_of_their_own() -> None:
    class Own:
        def __tf_tensor__(self, dtype: object = None, name: object = None) -> tf.Tensor:
            return tf.constant([7.0])

    class Array:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.arange(2.0)

    assert tf.convert_to_tensor(Own()).numpy().tolist() == [7.0]
    assert (tf.constant([1.0]) + Own()).numpy().tolist() == [8.0]
    assert tf.convert_to_tensor(Array()).dtype is tf.float64
