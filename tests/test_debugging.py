"""Assertions and printing."""

import io

import pytest

import gradtape as tf

d = tf.debugging


@pytest.mark.parametrize(
    ("call", "symbol"),
    [
        (lambda: d.assert_equal(1, 2), "=="),
        (lambda: d.assert_none_equal([1, 2], [3, 2]), "!="),
        (lambda: d.assert_less(2, 2), "<"),
        (lambda: d.assert_less_equal(3, 2), "<="),
        (lambda: d.assert_greater(1.0, 2.0), ">"),
        (lambda: d.assert_greater_equal(1, 2), ">="),
        (lambda: d.assert_positive([1, 0]), ">"),
        (lambda: d.assert_negative([0]), "<"),
        (lambda: d.assert_non_negative([-1]), ">="),
        (lambda: d.assert_non_positive([1]), "<="),
        (lambda: d.assert_near(1.0, 1.1), "~="),
    ],
)
def test_comparisons_fail(call, symbol):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Condition x {symbol} y did not hold"):
        call()


def test_comparisons_hold():
    d.assert_equal([1, 2], [1, 2])
    d.assert_near(1.0, 1.0 + 1e-7)
    d.assert_positive([0.5])
    d.assert_rank(tf.ones([2, 3]), 2)
    d.assert_type(tf.ones([]), tf.float32)
    d.assert_shapes([(tf.ones([2, 3]), ("n", 3)), (tf.ones([2]), ("n",))])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: d.assert_rank([1.0], 2), ValueError),
        (lambda: d.assert_rank_at_least([1.0], 2), ValueError),
        (lambda: d.assert_rank_in([1.0], [0, 2]), ValueError),
        (lambda: d.assert_scalar([1.0]), ValueError),
        (lambda: d.assert_type(1, tf.float32), TypeError),
        (lambda: d.assert_integer(1.0), TypeError),
        (lambda: d.assert_proper_iterable(tf.ones([2])), TypeError),
        (lambda: d.assert_same_float_dtype([tf.ones([]), tf.constant(1)]), ValueError),
        (lambda: d.assert_shapes([(tf.ones([2]), (3,))]), ValueError),
        (lambda: d.assert_shapes([(tf.ones([2]), ("n",)), (tf.ones([3]), ("n",))]), ValueError),
        (lambda: tf.Assert(False, ["reason"]), tf.errors.InvalidArgumentError),
    ],
)
def test_static_assertions(call, error):
    with pytest.raises(error):
        call()


def test_check_numerics():
    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        y = d.check_numerics(x, "m") * x
    assert tape.gradient(y, x).numpy() == 5.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="msg : Tensor had NaN"):
        d.check_numerics([float("nan")], "msg")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inf"):
        d.check_numerics([float("inf")], "msg")


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ((1, "a"), "1 a\n"),
        ((tf.constant([1, 2, 3]),), "[1 2 3]\n"),
        ((tf.constant(1.5),), "1.5\n"),
        ((tf.constant([0.1, 2.0]),), "[0.1 2]\n"),
        ((tf.constant([True, False]),), "[1 0]\n"),
        (({"a": tf.constant(1)},), "{'a': 1}\n"),
        ((tf.range(100),), "[0 1 2 ... 97 98 99]\n"),
    ],
)
def test_print(items, text):
    stream = io.StringIO()
    tf.print(*items, output_stream=stream)
    assert stream.getvalue() == text


def test_print_options(tmp_path):
    lines = []
    tf.print("a", "b", sep="-", end="!", output_stream=lines.append)
    assert lines == ["a-b!"]
    file = tmp_path / "log"
    tf.print("x", output_stream=f"file://{file}")
    assert file.read_text() == "x\n"
    with pytest.raises(ValueError, match="bogus"):
        tf.print(1, bogus=2)


def test_compute_gradient():
    by_tape, by_differences = tf.test.compute_gradient(lambda x, y: x * y, [tf.constant([1.0, 2.0]), tf.constant(3.0)])
    for found in (by_tape, by_differences):
        assert found[0].tolist() == [[3.0, 0.0], [0.0, 3.0]]
        assert found[1].tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="list or tuple"):
        tf.test.compute_gradient(lambda x: x, tf.constant(1.0))
    with pytest.raises(AssertionError, match="int32"):
        tf.test.compute_gradient(lambda x: x, [tf.constant(1)])
