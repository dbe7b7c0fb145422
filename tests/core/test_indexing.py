"""What stands in brackets behind a tensor or a variable."""

import numpy as np
import pytest

import gradtape as tf

InvalidArgumentError = tf.errors.InvalidArgumentError

ARRAY = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
T = tf.constant(ARRAY)
VECTOR = tf.constant([10, 20, 30])
ONE = tf.constant(1)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, 2),
        (1, -1, -4),
        slice(None),
        slice(1, None),
        slice(None, None, -1),
        slice(-100, 100),
        slice(5, None),
        (slice(None), 1),
        (slice(None), slice(2, 0, -1)),
        (slice(None, None, 2), slice(1, 3), slice(None, -1)),
        ...,
        (),
        (..., 0),
        (0, ...),
        (..., 0, slice(1, 3)),
        (1, ..., -1),
        None,
        (slice(None), None, 1),
        (None, ..., None),
        (..., None, 0),
        (0, 0, 0, None),
    ],
)
def test_basic_indices_are_numpys(key: object) -> None:
    got = T[key]
    assert isinstance(got, tf.Tensor)
    np.testing.assert_array_equal(got.numpy(), ARRAY[key])
    np.testing.assert_array_equal(tf.Variable(ARRAY)[key].numpy(), ARRAY[key])


@pytest.mark.parametrize(
    "key",
    [
        ONE,
        tf.constant(1, tf.int64),
        tf.constant(1, tf.int16),
        tf.Variable(1),
        np.int64(1),
        np.uint8(1),
        np.array(1),
        tf.constant(-1) * -1,
    ],
)
def test_numbers_of_many_kinds(key: object) -> None:
    assert VECTOR[key].numpy() == 20
    assert VECTOR[key:].numpy().tolist() == [20, 30]
    assert VECTOR[:key].numpy().tolist() == [10]
    assert T[key, key].numpy().tolist() == ARRAY[1, 1].tolist()


def test_a_list_is_taken_like_a_tuple() -> None:
    assert T[[0, 1]].numpy().tolist() == ARRAY[0, 1].tolist()


@pytest.mark.parametrize(
    "mask",
    [ARRAY > 5, ARRAY[:, :, 0] > 5, np.array([True, False]), np.zeros((2, 3), bool)],
    ids=["all", "two axes", "one axis", "none"],
)
def test_masks(mask: np.ndarray) -> None:
    for key in (mask, tf.constant(mask)):
        np.testing.assert_array_equal(T[key].numpy(), ARRAY[mask])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (2, "slice index 2 of dimension 0 out of bounds"),
        (-3, "slice index -1 of dimension 0 out of bounds"),
        ((0, 3), "slice index 3 of dimension 1 out of bounds"),
        ((..., 4), "slice index 4 of dimension 2 out of bounds"),
        (tf.constant(5), "slice index 5 of dimension 0"),
        (2**40, "out of bounds"),
        ((0, 0, 0, 0), "input has only 3 dims"),
        ((slice(None),) * 4, "input has only 3 dims"),
        ((..., ...), "Multiple ellipses"),
        (slice(None, None, 0), r"strides\[0\] must be non-zero"),
        ((0, slice(None, None, 0)), r"strides\[1\] must be non-zero"),
    ],
)
def test_indices_that_do_not_fit(key: object, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        T[key]


def test_scalars_have_no_axes() -> None:
    scalar = tf.constant(5.0)
    assert scalar[...].numpy() == 5.0
    assert scalar[()].numpy() == 5.0
    assert scalar[None].numpy().tolist() == [5.0]
    for key in (0, slice(None)):
        with pytest.raises(InvalidArgumentError, match="slice scalar"):
            scalar[key]


@pytest.mark.parametrize(
    "key",
    [
        1.0,
        np.float32(1),
        "a",
        b"a",
        object(),
        np.array([0, 1]),
        np.bool_(True),
        tf.constant([0, 1]),
        tf.constant([1]),
        tf.constant(1.0),
        tf.constant(1, tf.uint8),
        slice(0, 1.5),
        slice("a", None),
        slice(0, tf.constant(1.0)),
        ([0, 1], [0, 1]),
        (0, np.array([True, False, True])),
    ],
)
def test_what_is_no_index(key: object) -> None:
    with pytest.raises(TypeError, match="are valid indices, got"):
        T[key]


@pytest.mark.parametrize("key", [True, False, tf.constant(True), np.array(True)])
def test_a_mask_has_axes(key: object) -> None:
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        VECTOR[key]


def test_a_mask_has_the_leading_shape() -> None:
    with pytest.raises(ValueError, match="incompatible"):
        T[np.array([True, False, True])]
    with pytest.raises(ValueError, match="incompatible"):
        VECTOR[np.ones((3, 1), bool)]


@pytest.mark.parametrize(
    "key",
    [0, (slice(None), 1), (..., slice(None, None, -2)), (None, 1, ..., 0), ARRAY > 7.5, ARRAY[..., 1] > 7.5],
    ids=["number", "column", "step", "mixed", "mask", "leading mask"],
)
def test_gradients_go_where_the_elements_came_from(key: object) -> None:
    with tf.GradientTape() as tape:
        tape.watch(T)
        y = T[key] * T[key]
    expected = np.zeros_like(ARRAY)
    expected[key] = 2 * ARRAY[key]
    np.testing.assert_array_equal(tape.gradient(y, T).numpy(), expected)


def test_second_derivative_through_an_index() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x[1] ** 3
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).numpy().tolist() == [0.0, 12.0]
