"""Effects and errors of functions; functions in functions and in threads."""

import threading
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf


def count(f):
    return f.experimental_get_tracing_count()


def test_effects_happen_at_every_call_and_python_effects_when_capturing():
    log, lines = [], []

    @tf.function
    def f(x):
        log.append("python")
        tf.print("x is", x, {"b": [x, 1]}, output_stream=lines.append)
        y = tf.numpy_function(lambda a: (lines.append("called"), a * 2)[1], [x], tf.float32)
        tf.print("y is", y, output_stream=lines.append)
        return y

    assert [f(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [2.0, 4.0]
    assert log == ["python"]
    assert lines[:3] == ["x is 1 {'b': [1, 1]}", "called", "y is 2"]
    assert sorted(lines[3:]) == ["called", "x is 2 {'b': [2, 1]}", "y is 4"]


def test_an_external_call_happens_once_also_if_a_guard_fails():
    calls = []

    @tf.function
    def f(x):
        y = tf.numpy_function(lambda a: (calls.append(1), a + 1)[1], [x], tf.float32)
        return y * 2 if y > 0 else y

    assert [f(tf.constant(v)).numpy() for v in (1.0, -3.0, 2.0, -4.0)] == [4.0, -2.0, 6.0, -3.0]
    assert len(calls) == 4


def test_errors_are_the_eager_ones_and_leave_no_trace():
    v = tf.Variable(1.0)

    def g(x):
        v.assign_add(1.0)
        noise = tf.random.uniform([])
        y = tf.linalg.cholesky(x)
        tf.debugging.assert_less(tf.reduce_max(y), 10.0, message="too large")
        return y + noise

    f = tf.function(g)
    good, bad, large = tf.eye(2), -tf.eye(2), tf.eye(2) * 400.0
    f(good)
    for x in (bad, large):
        with pytest.raises(tf.errors.InvalidArgumentError) as eager:
            g(x)
        v.assign(2.0)
        tf.random.set_seed(1)
        with pytest.raises(tf.errors.InvalidArgumentError) as replayed:
            f(x)
        assert str(replayed.value) == str(eager.value)
        assert v.numpy() == 2.0
        draw = tf.random.uniform([]).numpy()
        tf.random.set_seed(1)
        assert draw == tf.random.uniform([]).numpy()
    assert len(f.programs) == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(g)(bad)
    assert v.numpy() == 2.0


def test_errors_that_the_function_catches():
    def g(x):
        try:
            y = tf.linalg.cholesky(x)
        except tf.errors.InvalidArgumentError:
            y = tf.zeros_like(x)
        try:
            tf.debugging.assert_less(tf.reduce_max(y), 10.0)
        except tf.errors.InvalidArgumentError:
            y = y / 100.0
        return y + x

    f = tf.function(g)
    good, bad, large = tf.eye(2), -tf.eye(2), tf.eye(2) * 400.0
    for x in (good, bad, large, good * 2.0, large, bad, bad * 2.0, large * 4.0, good):
        assert np.array_equal(f(x).numpy(), g(x).numpy())
    assert count(f) == 5


def test_an_error_is_raised_from_the_users_own_line():
    @tf.function
    def f(x):
        return tf.linalg.cholesky(x)

    f(tf.eye(2))
    f(tf.eye(2))
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(-tf.eye(2))
    assert any(entry.path == Path(__file__) and "cholesky" in str(entry.statement) for entry in error.traceback)
    assert len(f.programs) == 1


def test_functions_within_functions_are_inlined():
    @tf.function
    def inner(x):
        return x * 2

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1)

    assert [outer(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [6.0, 10.0]
    assert (count(outer), count(inner)) == (1, 0)


def test_recursion():
    @tf.function
    def f(n):
        return n if n < 2 else f(n - 1) + f(n - 2)

    assert [f(tf.constant(n)).numpy() for n in (5, 7, 5)] == [5, 13, 5]


def test_threads():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        y = x
        for _ in range(5):
            y = tf.tanh(y * 0.5 + x) if y[0] < 0.3 else y * 0.9
        return y, v + y

    xs = [tf.constant(np.random.default_rng(i).normal(size=50), tf.float32) for i in range(40)]
    eager = [f.python_function(x)[0].numpy() for x in xs]
    wrong = []

    def work():
        for _ in range(5):
            for x, y in zip(xs, eager, strict=True):
                if not np.array_equal(f(x)[0].numpy(), y):
                    wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_run_functions_eagerly():
    calls = []
    f = tf.function(lambda x: (calls.append(1), x)[1])
    f(tf.constant(1.0))
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1.0))
    assert len(calls) == 3
