"""Paths through functions: branches, loops, values that Python sees, and what functions say of them."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.programs.function import MOST_PATHS


def count(f):
    return f.experimental_get_tracing_count()


def test_branches_are_captured_once_each():
    @tf.function
    def f(x):
        if x > 0:
            return x * 2
        return -x

    assert [f(tf.constant(v)).numpy() for v in (1.0, -3.0, 2.0, -4.0, 5.0)] == [2.0, 3.0, 4.0, 4.0, 10.0]
    assert count(f) == 2


def test_loops_of_any_length():
    @tf.function
    def f(x):
        n = 0
        while x > 1:
            x = x / 2
            n += 1
        return n

    values = [1.0, 2.0, 8.0, 3.0, 100.0, 2.0, 8.0]
    assert [f(tf.constant(v)).numpy() for v in values] == [0, 1, 3, 2, 7, 1, 3]
    assert count(f) == 5


def test_every_exit_is_a_guard():
    exits = [
        bool,
        int,
        float,
        complex,
        str,
        repr,
        lambda t: f"{t:.2f}",
        lambda t: t.numpy().item(),
        lambda t: np.asarray(t).tolist(),
        lambda t: np.array([t, 1.0])[0],
        lambda t: t.__reduce__()[1][0],
    ]
    for leave in exits:
        f = tf.function(lambda t, leave=leave: tf.constant(str(leave(t))))
        for v in (1.5, 0.0, 1.5, -2.25):
            eager = str(leave(tf.constant(v)))
            assert f(tf.constant(v)).numpy().decode() == eager
        assert count(f) in (2, 3)
    g = tf.function(lambda n: tf.constant(list(range(n))) if n > 0 else tf.constant([-1]))
    assert [g(tf.constant(n)).numpy().tolist() for n in (2, 0, 3, 2)] == [[0, 1], [-1], [0, 1, 2], [0, 1]]


def test_too_many_paths_run_eagerly_and_say_why():
    @tf.function
    def f(x):
        return tf.constant(float(x) + 1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(MOST_PATHS):
            assert f(tf.constant(float(i))).numpy() == i + 1.0
    with pytest.warns(RuntimeWarning, match=r"test_paths.py:\d+ reads a value that keeps changing"):
        assert f(tf.constant(99.0)).numpy() == 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(tf.constant(100.0)).numpy() == 101.0
    assert "runs eagerly" in f.explain()


def test_shapes_that_depend_on_values():
    @tf.function
    def f(x):
        positive = tf.boolean_mask(x, x > 0)
        return tf.reduce_mean(positive), tf.where(x > 0)

    for v in ([1.0, -1.0, 3.0], [-2.0, 4.0, 5.0], [1.0, 2.0, 3.0], [5.0, -1.0, -1.0]):
        mean, places = f(tf.constant(v))
        kept = [x for x in v if x > 0]
        assert mean.numpy() == np.float32(sum(kept) / len(kept))
        assert places.numpy().ravel().tolist() == [i for i, x in enumerate(v) if x > 0]
    assert count(f) == 3


def test_a_constant_condition_needs_no_guard():
    @tf.function
    def f(x):
        for i in tf.range(3):
            if i > 0:
                x = x * tf.cast(i, tf.float32)
        return x

    assert [f(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [2.0, 4.0]
    assert not f.programs[0].guards
    assert len(f.programs[0].instructions) == 2


def test_explain_and_pretty():
    v = tf.Variable(1.0, name="rate")

    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0:
            v.assign_add(1.0)
        return x * v

    f(tf.constant([1.0, 2.0]))
    f(tf.constant([-1.0, -2.0]))
    said = f.explain()
    assert "f: 1 signature(s), 2 program(s)" in said
    assert "truth is True in" in said
    assert "truth is False in" in said
    assert "test_paths.py" in said
    shown = f.programs[-1].pretty()
    assert "program f(%0: float32[2])" in shown
    assert "assign rate:0" in shown
    assert "guard truth" in shown


def test_nothing_large_stays_alive():
    f = tf.function(lambda x: tf.reduce_sum(tf.exp(x)))
    x = tf.constant(np.ones(100_000))
    gc.collect()
    gc.disable()
    try:
        array = x._value
        f(x)
        f(x)
        seen = weakref.ref(x)
        owner = weakref.ref(array)
        del x, array
        assert seen() is None
        assert owner() is None
    finally:
        gc.enable()


def test_explain_says_why_and_what_a_replay_costs():
    v = tf.Variable(tf.ones([200, 300]), shape=[None, 300])

    @tf.function
    def f(x):
        y = tf.exp(v * x) + 1.0
        return tf.reduce_sum(y) if x > 0 else tf.reduce_sum(y, axis=0)

    f(tf.constant(1.0))
    f(tf.constant(-1.0))
    v.assign(tf.ones([100, 300]))
    f(tf.constant(1.0))
    said = f.explain()
    assert "captured for its first call" in said
    assert f"captured for truth being False in {__file__}" in said
    assert "captured for another shape of a variable" in said
    assert "a replay applies 5 primitives, 3 of them fused into 1 pass(es)" in said
    assert "holds at most 240,00" in said  # one array of the sixty thousand numbers, and a number


def test_what_is_captured_beforehand_or_after_an_error_says_so():
    @tf.function
    def f(x):
        try:
            return tf.linalg.cholesky(x)
        except tf.errors.InvalidArgumentError:
            return x

    f(tf.eye(2))
    assert f(-tf.eye(2)).numpy().tolist() == [[-1.0, 0.0], [0.0, -1.0]]
    assert "captured for an error in another path" in f.explain()
    g = tf.function(tf.sin)
    g.get_concrete_function(tf.TensorSpec([2, 2]))
    assert "captured for a concrete function" in g.explain()
