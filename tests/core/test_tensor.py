"""Tensors as objects: how they print, convert to Python, iterate, hash and copy."""

import copy
import gc
import math
import operator
import pickle
import weakref

import numpy as np
import pytest

import gradtape as tf

SCALAR, VECTOR, MATRIX = tf.constant(5.0), tf.constant([1.0, 2.0]), tf.ones([2, 2])


@pytest.mark.parametrize(
    ("value", "dtype", "text", "short"),
    [
        (1, None, "shape=(), dtype=int32, numpy=1", "1, shape=(), dtype=int32"),
        (1.5, None, "shape=(), dtype=float32, numpy=1.5", "1.5, shape=(), dtype=float32"),
        (1e10, None, "shape=(), dtype=float32, numpy=10000000000.0", "1e+10, shape=(), dtype=float32"),
        (1 / 3, None, "shape=(), dtype=float32, numpy=0.3333333432674408", "0.33333334, shape=(), dtype=float32"),
        (True, None, "shape=(), dtype=bool, numpy=True", "True, shape=(), dtype=bool"),
        ("é", None, "shape=(), dtype=string, numpy=b'\\xc3\\xa9'", "b'\\xc3\\xa9', shape=(), dtype=string"),
        (1j, None, "shape=(), dtype=complex128, numpy=1j", "1j, shape=(), dtype=complex128"),
        ([1, 2], None, "shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)", "[1 2], shape=(2,), dtype=int32"),
        (
            [[1.0], [2.0]],
            None,
            "shape=(2, 1), dtype=float32, numpy=\narray([[1.],\n       [2.]], dtype=float32)",
            "\n[[1.]\n [2.]], shape=(2, 1), dtype=float32",
        ),
        (
            ["a", "b"],
            None,
            "shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)",
            "[b'a' b'b'], shape=(2,), dtype=string",
        ),
        (
            [1.5, 2.0],
            tf.bfloat16,
            "shape=(2,), dtype=bfloat16, numpy=array([1.5, 2], dtype=bfloat16)",
            "[1.5 2], shape=(2,), dtype=bfloat16",
        ),
        ([], None, "shape=(0,), dtype=float32, numpy=array([], dtype=float32)", "[], shape=(0,), dtype=float32"),
    ],
)
def test_repr_and_str(value: object, dtype: tf.DType, text: str, short: str) -> None:
    t = tf.constant(value, dtype)
    assert repr(t) == f"<tf.Tensor: {text}>"
    assert str(t) == f"tf.Tensor({short})"


def test_format() -> None:
    assert f"{tf.constant(1.5)}" == "1.5"
    assert f"{tf.constant(1.5):.3f}" == "1.500"
    assert f"{tf.constant(3):04d}" == "0003"
    assert f"{tf.constant([1, 2])}" == "[1 2]"
    assert "%.2f %d" % (tf.constant(1.5), tf.constant(3)) == "1.50 3"  # noqa: UP031
    with pytest.raises(TypeError):
        f"{VECTOR:.3f}"


def test_python_numbers() -> None:
    assert (int(tf.constant(-2.9)), float(tf.constant(3)), complex(SCALAR)) == (-2, 3.0, 5 + 0j)
    assert int(tf.constant("12")) == 12
    assert math.floor(SCALAR) == 5
    assert operator.index(tf.constant(3, tf.int64)) == 3
    assert [1, 2, 3][tf.constant(1)] == 2
    assert list(range(tf.constant(2))) == [0, 1]
    for convert in (int, float, complex):
        with pytest.raises(TypeError, match="only 0-dimensional"):
            convert(tf.constant([1.0]))
    for t in (SCALAR, VECTOR, tf.constant(True)):
        with pytest.raises(TypeError, match="only integer scalar"):
            operator.index(t)


def test_truth() -> None:
    assert [bool(t) for t in (SCALAR, tf.constant(0.0), tf.constant([1.0]), tf.constant([]), tf.constant(""))] == [
        True,
        False,
        True,
        False,
        False,
    ]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(VECTOR)


def test_length_and_iteration() -> None:
    assert (len(VECTOR), len(tf.zeros([0, 2]))) == (2, 0)
    assert [float(t) for t in VECTOR] == [1.0, 2.0]
    assert [t.shape.as_list() for t in MATRIX] == [[2], [2]]
    assert [t.numpy() for t in tf.constant(["a"])] == [b"a"]
    assert list(tf.zeros([0, 2])) == []
    assert 1.0 in VECTOR
    assert 3.0 not in VECTOR
    assert SCALAR in [SCALAR]
    with pytest.raises(TypeError, match="Scalar tensor has no `len\\(\\)`"):
        len(SCALAR)
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(SCALAR)


def test_iteration_is_recorded() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, _, third = x
        y = first * third
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 0.0, 1.0]


def test_sorting_and_sums() -> None:
    assert [float(t) for t in sorted([tf.constant(2.0), tf.constant(1.0)])] == [1.0, 2.0]
    assert float(max(VECTOR)) == 2.0
    assert float(sum(VECTOR)) == 3.0


def test_references() -> None:
    with pytest.raises(TypeError, match="Tensor is unhashable"):
        hash(SCALAR)
    assert SCALAR.ref() == SCALAR.ref()
    assert hash(SCALAR.ref()) == hash(SCALAR.ref())
    assert SCALAR.ref() != tf.constant(5.0).ref()
    assert SCALAR.ref().deref() is SCALAR
    assert not SCALAR.ref() < SCALAR.ref()
    assert repr(SCALAR.ref()) == f"<Reference wrapping {SCALAR!r}>"


def test_copies_and_pickles() -> None:
    assert copy.copy(VECTOR) is VECTOR
    assert copy.deepcopy([VECTOR])[0] is VECTOR
    back = pickle.loads(pickle.dumps(VECTOR))
    assert back.numpy().tolist() == [1.0, 2.0]


def test_values_never_change() -> None:
    given = np.ones(3, np.float32)
    t = tf.constant(given)
    given[0] = 9
    out = t.numpy()
    out[1] = 9
    np.asarray(t)[2] = 9
    assert t.numpy().tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(TypeError, match="does not support item assignment"):
        t[0] = 1.0
    with pytest.raises(AttributeError):
        t.shape = [3, 1]


def test_augmented_assignment_makes_new_tensors() -> None:
    t = before = tf.constant([1.0, 2.0])
    t += 1
    t *= 2
    t -= 1
    t /= 2
    t **= 2
    assert t.numpy().tolist() == [2.25, 6.25]
    assert before.numpy().tolist() == [1.0, 2.0]


def test_attributes() -> None:
    assert MATRIX.dtype is tf.float32
    assert MATRIX.shape == (2, 2)
    assert MATRIX.get_shape() == [2, 2]
    assert MATRIX.ndim == 2
    assert MATRIX.device.endswith("CPU:0")
    assert MATRIX.cpu() is MATRIX
    MATRIX.set_shape([None, 2])
    with pytest.raises(ValueError, match="not compatible with supplied shape"):
        MATRIX.set_shape([3, 2])
    assert np.from_dlpack(VECTOR).tolist() == [1.0, 2.0]


def test_missing_attributes_tell_what_to_use() -> None:
    with pytest.raises(AttributeError, match=r"tf\.reduce_sum"):
        VECTOR.sum()
    with pytest.raises(AttributeError, match=r"\.numpy\(\)"):
        VECTOR.tolist()
    with pytest.raises(AttributeError, match="undefined when eager"):
        _ = VECTOR.name
    with pytest.raises(AttributeError, match=r"no attribute 'foo'$"):
        _ = VECTOR.foo
    with pytest.raises(NotImplementedError, match="numpy"):
        VECTOR.eval()
    with pytest.raises(RuntimeError, match="GPU"):
        VECTOR.gpu()


def test_numpy_gives_scalars_for_rank_0() -> None:
    assert type(SCALAR.numpy()) is np.float32
    assert type(tf.constant("a").numpy()) is bytes
    assert VECTOR.numpy().flags.writeable


def test_tensors_go_with_their_last_user() -> None:
    gc.disable()
    try:
        t = tf.constant([1.0]) * 2
        watch = weakref.ref(t)
        del t
        assert watch() is None
    finally:
        gc.enable()
