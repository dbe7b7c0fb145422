"""Control flow as functions, and gradients through it."""

import numpy as np
import pytest

import gradtape as tf


def value(x):
    return x.numpy().tolist()


def derivative(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return value(y), value(tape.gradient(y, x))


def test_cond():
    assert derivative(lambda x: tf.cond(x > 1.0, lambda: x * x, lambda: x), 2.0) == (4.0, 4.0)
    assert tf.cond(False, lambda: 1, lambda: 2) == 2
    with pytest.raises(TypeError, match="true_fn"):
        tf.cond(True, 1, lambda: 2)


def test_case():
    assert tf.case([(tf.constant(False), lambda: 1)], default=lambda: 5) == 5
    assert tf.case([(tf.constant(True), lambda: 1), (tf.constant(True), lambda: 2)]) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one"):
        tf.case([(True, lambda: 1), (True, lambda: 2)], exclusive=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no default"):
        tf.case([(False, lambda: 1)])
    with pytest.raises(TypeError, match="pred_fn_pairs"):
        tf.case([5])


def test_switch_case():
    branches = [lambda: 1, lambda: 7]
    assert tf.switch_case(tf.constant(1), branches) == 7
    assert tf.switch_case(tf.constant(9), branches) == 7
    assert tf.switch_case(tf.constant(9), {0: branches[0]}, default=lambda: 3) == 3
    with pytest.raises(TypeError, match="branch_index"):
        tf.switch_case(1, branches)


def test_while_loop():
    def power(x):
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, 1.0])[1]

    assert derivative(power, 2.0) == (8.0, 12.0)
    assert value(tf.while_loop(lambda i: True, lambda i: (i + 1,), (0,), maximum_iterations=4)[0]) == 4
    with pytest.raises(TypeError, match="loop variables"):
        tf.while_loop(lambda i, j: i < 3, lambda i, j: i + 1, [0, 1])
    with pytest.raises(ValueError, match="loop_vars"):
        tf.while_loop(lambda: True, lambda: (), [])


def test_third_derivative_through_a_loop():
    x = tf.constant(2.0)
    with tf.GradientTape() as c:
        c.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as a:
                a.watch(x)
                y = tf.while_loop(lambda i, p: i < 4, lambda i, p: (i + 1, p * x), [0, tf.constant(1.0)])[1]
            first = a.gradient(y, x)
        second = b.gradient(first, x)
    assert [value(t) for t in (first, second, c.gradient(second, x))] == [32.0, 48.0, 48.0]


def test_map_fn():
    assert derivative(lambda x: tf.map_fn(lambda a: a * a, x), [1.0, 2.0]) == ([1.0, 4.0], [2.0, 4.0])
    a, b = tf.map_fn(
        lambda v: (v, tf.cast(v, tf.float32)), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.float32)
    )
    assert (value(a), value(b)) == ([1, 2], [1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        tf.map_fn(lambda a: tf.cast(a, tf.float32), tf.constant([1, 2]))
    with pytest.raises(ValueError, match="not scalars"):
        tf.map_fn(lambda a: a, tf.constant(1))
    with pytest.raises(ValueError, match="structure"):
        tf.map_fn(lambda a: (a, a), tf.constant([1, 2]))


def test_folds():
    assert derivative(lambda x: tf.scan(lambda a, b: a * b, x), [1.0, 2.0, 3.0]) == ([1.0, 2.0, 6.0], [9.0, 4.0, 2.0])
    assert derivative(lambda x: tf.foldl(lambda a, b: a * b, x), [1.0, 2.0, 3.0]) == (6.0, [6.0, 3.0, 2.0])
    assert value(tf.foldr(lambda a, b: a - b, tf.constant([1.0, 2.0, 3.0]))) == 0.0
    assert value(tf.scan(lambda a, b: a + b, tf.constant([1, 2, 3]), reverse=True)) == [6, 5, 3]
    assert value(tf.foldl(lambda a, b: a + b, tf.constant([1, 2]), initializer=10)) == 13


@pytest.mark.parametrize("fold", [tf.scan, tf.foldl, tf.foldr])
def test_folds_keep_the_structure(fold):
    with pytest.raises(ValueError, match="the same nested structure"):
        fold(lambda total, x: (total, x), tf.constant([1.0, 2.0, 3.0]))


def test_vectorized_map():
    assert derivative(lambda x: tf.vectorized_map(lambda a: a * a, x), [1.0, 2.0]) == ([1.0, 4.0], [2.0, 4.0])
    found = tf.vectorized_map(lambda t: {"k": t[0] * t[1]}, (tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])))
    assert value(found["k"]) == [3.0, 8.0]
    assert tf.vectorized_map(lambda a: a, tf.zeros([0, 2])).shape == (0, 2)


def test_tensor_array():
    x = tf.Variable(2.0)
    array = tf.TensorArray(tf.float32, size=2)
    with tf.GradientTape() as tape:
        y = array.write(0, x * x).write(1, x).stack()
    assert value(y) == [4.0, 2.0]
    assert value(tape.gradient(y, x)) == 5.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="resizeable"):
        array.write(5, 1.0)
    assert value(tf.TensorArray(tf.int32, 0, dynamic_size=True).unstack([1, 2]).write(2, 5).gather([2, 0])) == [5, 1]


def test_python_functions():
    assert derivative(lambda x: tf.py_function(lambda a: a * a, [x], tf.float32), 2.5) == (6.25, 5.0)
    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        y = tf.numpy_function(np.square, [x], tf.float32)
    assert value(y) == 6.25
    assert tape.gradient(y, x) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tout"):
        tf.numpy_function(np.square, [x], tf.int32)
