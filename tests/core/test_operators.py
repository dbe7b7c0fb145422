"""Python's operators on tensors and variables: dtypes, values, gradients and errors."""

# ruff: noqa: SIM300 - the order of the operands is what is tested

import operator

import numpy as np
import pytest

import gradtape as tf

InvalidArgumentError = tf.errors.InvalidArgumentError

F = tf.constant([1.0, 2.0])
D = tf.constant([1.0, 2.0], tf.float64)
I = tf.constant([1, 2])  # noqa: E741
L = tf.constant([1, 2], tf.int64)
U = tf.constant([1, 2], tf.uint8)
B = tf.constant([True, False])
C = tf.constant([1 + 1j, 2])
S = tf.constant(["a", "b"])
H = tf.constant([1.0, 2.0], tf.float16)
BF = tf.constant([1.0, 2.0], tf.bfloat16)
FV = tf.Variable([1.0, 2.0])
IV = tf.Variable([1, 2])
M = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("got", "dtype", "expected"),
    [
        (F + 1, "float32", [2, 3]),
        (1.5 + F, "float32", [2.5, 3.5]),
        (F + True, "float32", [2, 3]),
        (F + [1, 2], "float32", [2, 4]),  # noqa: RUF005
        (F + 2**40, "float32", [2**40, 2**40]),
        (F + np.float64(1), "float32", [2, 3]),
        (np.float64(1) + F, "float32", [2, 3]),
        (F + np.array([1, 2]), "float32", [2, 4]),
        (np.array([1.0, 2.0]) + F, "float32", [2, 4]),
        (F + FV, "float32", [2, 4]),
        (FV - F, "float32", [0, 0]),
        (2 * FV, "float32", [2, 4]),
        (D + 1.5, "float64", [2.5, 3.5]),
        (D + np.float32(1), "float64", [2, 3]),
        (H + 1.5, "float16", [2.5, 3.5]),
        (BF * 1.5, "bfloat16", [1.5, 3]),
        (I + 1, "int32", [2, 3]),
        (I + np.float64(1.5), "int32", [2, 3]),
        (I + 2**31, "int32", [-(2**31) + 1, -(2**31) + 2]),
        (L + np.int32(1), "int64", [2, 3]),
        (U + 300, "uint8", [45, 46]),
        (U - 2, "uint8", [255, 0]),
        (C + 1, "complex128", [2 + 1j, 3]),
        (S + "x", "string", [b"ax", b"bx"]),
        ("x" + S, "string", [b"xa", b"xb"]),
        (tf.constant("a") + tf.constant("b"), "string", b"ab"),
        (2 - F, "float32", [1, 0]),
        (F / 2, "float32", [0.5, 1]),
        (2 / I, "float64", [2, 1]),
        (I / 2, "float64", [0.5, 1]),
        (U / 2, "float32", [0.5, 1]),
        (IV / 4, "float64", [0.25, 0.5]),
        (2 // I, "int32", [2, 1]),
        (tf.constant(-7) // 2, "int32", -4),
        (tf.constant(-7) % 3, "int32", 2),
        (tf.constant(7.0) % -3, "float32", -2),
        (tf.constant(5.0) // 0.0, "float32", np.inf),
        (2**I, "int32", [2, 4]),
        (F**2, "float32", [1, 4]),
        (2**F, "float32", [2, 4]),
        (C * 1j, "complex128", [-1 + 1j, 2j]),
        (M @ M, "float32", [[7, 10], [15, 22]]),
        (M @ [[1], [1]], "float32", [[3], [7]]),
        ([[1.0, 1.0]] @ M, "float32", [[4, 6]]),
        (np.eye(2) @ M, "float32", [[1, 2], [3, 4]]),
        (M @ np.eye(2), "float32", [[1, 2], [3, 4]]),
        (tf.ones([3, 1, 2]) @ M, "float32", [[[4, 6]]] * 3),
        (-F, "float32", [-1, -2]),
        (abs(-I), "int32", [1, 2]),
        (abs(C), "float64", [2**0.5, 2]),
        (~B, "bool", [False, True]),
        (~I, "int32", [-2, -3]),
        (B & True, "bool", [True, False]),
        (True | B, "bool", [True, True]),
        (B ^ B, "bool", [False, False]),
        (B * B, "bool", [True, False]),
        (I & 3, "int32", [1, 2]),
        (1 | I, "int32", [1, 3]),
        (I ^ 3, "int32", [2, 1]),
        (F < 2, "bool", [True, False]),
        (1 >= F, "bool", [True, False]),
        (np.ones(2) < F, "bool", [False, True]),
        (I > [0, 5], "bool", [True, False]),
        (FV <= F, "bool", [True, True]),
        (F == 1, "bool", [True, False]),
        (F != [1.0, 3.0], "bool", [False, True]),
        (np.ones(2) == F, "bool", [True, False]),
        (F == FV, "bool", [True, True]),
        (S == "a", "bool", [True, False]),
        (tf.constant("a") != b"a", "bool", False),
        (B == True, "bool", [True, False]),  # noqa: E712
        (F == tf.ones([2, 1]), "bool", [[True, False]] * 2),
        (F == [1.0, 2.0, 3.0], "bool", False),
        (F != tf.ones([3]), "bool", True),
        (tf.constant(float("nan")) == tf.constant(float("nan")), "bool", False),
    ],
)
def test_values_and_dtypes(got: tf.Tensor, dtype: str, expected: object) -> None:
    assert isinstance(got, tf.Tensor)
    assert got.dtype.name == dtype
    value = got.numpy()
    assert (value.tolist() if isinstance(value, np.ndarray | np.generic) else value) == expected


def test_equality_with_none() -> None:
    assert (F == None) is False  # noqa: E711
    assert (F != None) is True  # noqa: E711
    assert (None == F) is False  # noqa: E711


@pytest.mark.parametrize(
    ("name", "left", "right", "text"),
    [
        ("add", F, I, "AddV2 as input #1.* float tensor but is a int32 tensor"),
        ("add", F, D, "float tensor but is a double"),
        ("add", F, H, "float tensor but is a half"),
        ("add", FV, IV, "float tensor but is a int32"),
        ("add", I, 1.5, "int32 tensor but is a float"),
        ("add", F, 1j, "float tensor but is a complex128"),
        ("add", F, "a", "float tensor but is a string"),
        ("add", S, 1, "string tensor but is a int32"),
        ("mul", I, F, "Mul as input #1.* int32 tensor but is a float"),
        ("lt", F, I, "Less as input #1"),
        ("eq", F, I, "Equal as input #1"),
        ("add", B, B, "bool is not in the list"),
        ("add", B, True, "bool is not in the list"),
        ("sub", S, S, "string is not in the list"),
        ("pow", U, U, "uint8 is not in the list"),
        ("floordiv", C, C, "complex128 is not in the list"),
        ("lt", S, S, "string is not in the list"),
        ("gt", C, C, "complex128 is not in the list"),
        ("ge", B, B, "bool is not in the list"),
        ("and_", F, F, "float32 is not in the list"),
        ("or_", F, 1, "float32 is not in the list"),
        ("add", F, tf.ones([3]), "broadcast"),
        ("lt", F, tf.ones([3]), "broadcast"),
        ("floordiv", I, 0, "Integer division by zero"),
        ("mod", I, [1, 0], "Integer division by zero"),
        ("floordiv", 2, tf.constant([0]), "Integer division by zero"),
        ("pow", I, -1, "negative integer powers"),
        ("pow", 2, tf.constant(-1), "negative integer powers"),
        ("matmul", F, F, r"In\[0\] ndims must be >= 2"),
        ("matmul", M, F, r"In\[1\] ndims must be >= 2"),
        ("matmul", 2.0, M, r"In\[0\] ndims must be >= 2"),
        ("matmul", M, tf.ones([3, 1]), "Matrix size-incompatible"),
        ("matmul", tf.ones([2, 2, 2]), tf.ones([3, 2, 2]), "Matrix size-incompatible"),
        ("matmul", M, tf.constant([[1, 2], [3, 4]]), "MatMul as input #1"),
    ],
)
def test_invalid_operands(name: str, left: object, right: object, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        getattr(operator, name)(left, right)


@pytest.mark.parametrize(
    ("name", "left", "right", "text"),
    [
        ("add", 1.5, I, "Cannot convert 1.5 to a Tensor of dtype int32"),
        ("mul", I, 2.5, "dtype int32"),
        ("pow", 2.0, I, "dtype int32"),
        ("eq", I, 1.5, "dtype int32"),
        ("eq", F, "a", "dtype float"),
        ("lt", F, "a", "dtype float"),
        ("eq", B, 1, "dtype bool"),
        ("truediv", F, D, "must have the same dtype"),
        ("truediv", B, B, "Invalid dtype"),
        ("lshift", I, 1, "unsupported operand"),
        ("rshift", 1, I, "unsupported operand"),
    ],
)
def test_values_that_do_not_fit(name: str, left: object, right: object, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        getattr(operator, name)(left, right)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "lt", "matmul"])
def test_values_that_are_none(name: str) -> None:
    for other in (None, object()):
        with pytest.raises(ValueError, match="unsupported type"):
            getattr(operator, name)(F, other)


@pytest.mark.parametrize(
    ("name", "operand"), [("neg", B), ("neg", U), ("neg", S), ("abs", B), ("abs", U), ("invert", F)]
)
def test_invalid_operand(name: str, operand: tf.Tensor) -> None:
    with pytest.raises(InvalidArgumentError, match="is not in the list"):
        getattr(operator, name)(operand)


def test_there_is_no_unary_plus() -> None:
    with pytest.raises(TypeError, match=r"unary \+"):
        _ = +F


def test_the_other_operand_may_take_over() -> None:
    class KerasTensor:
        def __add__(self, other: object) -> str:
            return "mine"

        __radd__ = __rmul__ = __lt__ = __rmatmul__ = __add__

        def __array__(self, *args: object) -> None:
            raise AssertionError("not asked for")

    symbolic = KerasTensor()
    assert (F + symbolic, F * symbolic, F @ symbolic, F > symbolic) == ("mine",) * 4
    with pytest.raises(ValueError, match="KerasTensor"):
        tf.constant(symbolic)


def test_gradients_reach_every_operand() -> None:
    x, v = tf.constant([2.0, 4.0]), tf.Variable([1.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = [x + v, x - v, x * v, x / v, x**v, x % v, -x + v, abs(v) * x]
    expected = [
        ([1.0, 1.0], [1.0, 1.0]),
        ([1.0, 1.0], [-1.0, -1.0]),
        ([1.0, 3.0], [2.0, 4.0]),
        ([1.0, 1 / 3], [-2.0, -4 / 9]),
        ([1.0, 48.0], [2 * np.log(2), 64 * np.log(4)]),
        ([1.0, 1.0], [-2.0, -1.0]),
        ([-1.0, -1.0], [1.0, 1.0]),
        ([1.0, 3.0], [2.0, 4.0]),
    ]
    for y, wanted in zip(results, expected, strict=True):
        for gradient, numbers in zip(tape.gradient(y, [x, v]), wanted, strict=True):
            np.testing.assert_allclose(gradient.numpy(), numbers, rtol=1e-6)


def test_integers_and_comparisons_have_no_gradient() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        whole, below = x // 1.5, tf.cast(x < 3, tf.float32)
    assert tape.gradient(whole, x) is None
    assert tape.gradient(below, x) is None


def test_division_of_integers_does_not_raise() -> None:
    assert (tf.constant(1) / 0).numpy() == np.inf


def test_the_users_floating_point_settings_are_left_alone() -> None:
    with np.errstate(all="raise"):
        assert (tf.constant(1.0) / 0.0).numpy() == np.inf
        with pytest.raises(FloatingPointError):
            np.ones(1) / np.zeros(1)
