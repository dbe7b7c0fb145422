"""Python functions that nobody listens to, called by functions: the order of effects, and what they do to variables."""

import numpy as np
import pytest

import gradtape as tf


def twice(a):
    return a * 2


def add_one(v):
    tf.py_function(lambda: v.assign_add([1.0, 1.0]), [], [])


def read_after(v, x):
    add_one(v)
    return v * x


def read_before_and_after(v, x):
    before = v * 1.0
    kept = v.read_value()
    add_one(v)
    return v * x + before - 0.5 * kept


def look_at_what_was_assigned(v, x):
    v.assign_add(x)
    return tf.py_function(lambda: v * 2.0, [], tf.float32)


def assign_around(v, x):
    v.assign(v * x)
    add_one(v)
    y = tf.numpy_function(lambda: v.numpy(), [], tf.float32)
    v.assign_sub(x)
    return y


def branch_after(v, x):
    v.assign_add(x)
    add_one(v)
    y = tf.numpy_function(lambda a: v.numpy() + a, [x], tf.float32)
    return v * 2.0 if y[0] > 3 else v - y


def fail_after(v, x):
    v.assign_add(x)
    add_one(v)
    try:
        tf.debugging.assert_positive(x)
    except tf.errors.InvalidArgumentError:
        return -v
    return v * x


INPUTS = [[1.0, 2.0], [-1.0, 5.0], [0.5, -3.0], [4.0, 1.0], [-1.0, -1.0], [2.0, 2.0]]


@pytest.mark.parametrize(
    "step",
    [read_after, read_before_and_after, look_at_what_was_assigned, assign_around, branch_after, fail_after],
)
def test_external_calls_see_variables_and_change_them(step):
    found = []
    for decorate in (lambda f: f, tf.function):
        v = tf.Variable([1.0, 2.0])
        f = decorate(lambda x, v=v: step(v, x))
        found.append([[t.numpy().tolist() for t in (f(tf.constant(x)), v)] for x in INPUTS])
    assert found[0] == found[1]
    assert "runs eagerly" not in f.explain()


def test_effects_keep_their_order():
    lines = []

    @tf.function
    def f(x):
        tf.print("a", x, output_stream=lines.append)
        y = tf.numpy_function(lambda a: (lines.append("b"), twice(a))[1], [x], tf.float32)
        tf.print("c", y, output_stream=lines.append)
        if y > 2:
            tf.print("d", output_stream=lines.append)
        return tf.numpy_function(lambda a: (lines.append("e"), twice(a))[1], [y], tf.float32)

    for value in (1.5, -2.0, 0.0, 3.0, 1.5, -2.0):
        lines.clear()
        assert f(tf.constant(value)).numpy() == 4 * value
        expected = [f"a {value:g}", "b", f"c {2 * value:g}", "d", "e"]
        assert lines == [line for line in expected if value > 1 or line != "d"]
    assert f.experimental_get_tracing_count() == 2


def test_effects_before_a_failing_guard_happen_once():
    calls = []

    @tf.function
    def f(x):
        tf.print("before", output_stream=calls.append)
        n = tf.numpy_function(lambda a: (calls.append("called"), a)[1], [x], tf.float32)
        return tf.constant(float(n))  # another path each time, and eagerly in the end

    def all_of():
        for i in range(20):
            calls.clear()
            assert f(tf.constant(float(i))).numpy() == i
            assert calls == ["before", "called"]

    with pytest.warns(RuntimeWarning, match="keeps changing"):
        all_of()


def test_the_program_says_what_it_reads_and_calls():
    v = tf.Variable([1.0, 2.0], name="state")
    f = tf.function(lambda x: assign_around(v, x))
    f(tf.constant([1.0, 2.0]))
    shown = f.programs[0].pretty()
    assert "external run" in shown
    assert shown.count("read state:0") == 2
    assert np.array_equal(v.numpy(), [1.0, 3.0])


def test_errors_of_external_calls():
    calls = []

    def inverse(a):
        calls.append(1)
        return np.float32(1 / float(a))

    f = tf.function(lambda x: tf.numpy_function(inverse, [x], tf.float32) * 2.0)
    for value in (1.0, 0.0, 4.0, 0.0):
        calls.clear()
        if value:
            assert f(tf.constant(value)).numpy() == 2.0 / value
        else:
            with pytest.raises(ZeroDivisionError):
                f(tf.constant(value))
        assert len(calls) == 1
    assert len(f.programs) == 1


def test_errors_of_external_calls_that_the_function_catches():
    calls = []

    def inverse(a):
        calls.append(1)
        return np.float32(1 / float(a))

    @tf.function
    def f(x):
        try:
            return tf.numpy_function(inverse, [x], tf.float32)
        except ZeroDivisionError:
            return x - 1.0

    assert f(tf.constant(1.0)).numpy() == 1.0
    with pytest.warns(RuntimeWarning, match="a Python function that it calls raises an error"):
        assert f(tf.constant(0.0)).numpy() == -1.0
    assert [f(tf.constant(value)).numpy() for value in (2.0, 0.0, 1.0)] == [0.5, -1.0, 1.0]
    assert len(calls) == 5


@pytest.mark.parametrize(
    "use",
    [
        lambda x: tf.py_function(lambda: x * 2.0, [], tf.float32),
        lambda x: tf.numpy_function(lambda: x.numpy() * 2.0, [], tf.float32),
        lambda x: tf.numpy_function(lambda a: a * np.float32(2.0 if x > 0 else 3.0), [tf.stop_gradient(x)], tf.float32),
    ],
)
def test_a_tensor_that_an_external_call_was_not_given(use):
    f = tf.function(lambda x: use(x + 1.0))
    with pytest.warns(RuntimeWarning, match="uses a tensor without being given it"):
        f(tf.constant(1.0))
    for value in (1.0, -5.0, 2.0):
        assert f(tf.constant(value)).numpy() == use(tf.constant(value) + 1.0).numpy()


def test_external_calls_may_do_anything_else():
    older = tf.constant(3.0)
    v = tf.Variable(1.0)
    inner = tf.function(lambda a: a * older)

    def call(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = inner(a) * a if a > 0 else tf.stop_gradient(a) * older
        grad = tape.gradient(y, a)
        v.assign_add(0.0 if grad is None else grad)
        tf.debugging.assert_less(a, 100.0)
        return (
            y + tf.random.uniform([], seed=1) + tf.numpy_function(lambda b: b * 2, [a], tf.float32) + tf.Variable(1.0)
        )

    f = tf.function(lambda x: tf.py_function(call, [x], tf.float32) + v)

    def all_of(g):
        v.assign(1.0)
        tf.random.set_seed(2)
        return [g(tf.constant(value)).numpy() for value in (1.0, -1.0, 2.0)]

    assert all_of(f) == all_of(f.python_function)
    assert f.experimental_get_tracing_count() == 1
