"""Changes of a few rows of a large table: right, and unseen by whoever holds what was there before."""

import gc

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import rows

SHAPE = (5000, 16)  # 320 kB in float32: large enough for two arrays to take turns
ONE_BY_ONE = {
    "add": np.add.at,
    "sub": np.subtract.at,
    "mul": np.multiply.at,
    "div": np.true_divide.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


def draws(count, rng):
    where = rng.integers(40, size=count)  # many of them several times
    return where, (rng.normal(size=(count, *SHAPE[1:])) + 3).astype(np.float32)


@pytest.mark.parametrize("how", ONE_BY_ONE)
def test_many_steps_give_what_numpy_gives_one_by_one(how):
    rng = np.random.default_rng(0)
    expected = rng.normal(size=SHAPE).astype(np.float32)
    table = tf.Variable(expected)
    for _ in range(6):
        where, updates = draws(30, rng)
        getattr(table, f"scatter_{how}")(tf.IndexedSlices(updates, where))
        ONE_BY_ONE[how](expected, where, updates)
        np.testing.assert_array_equal(table.numpy(), expected)


def test_the_last_update_takes_the_place():
    table = tf.Variable(tf.zeros(SHAPE))
    for value in (1.0, 2.0, 3.0):
        table.scatter_update(tf.IndexedSlices(tf.constant([[9.0] * 16, [value] * 16]), [7, 7]))
        assert table[7, 0].numpy() == value


def test_who_holds_an_older_value_sees_no_change():
    rng = np.random.default_rng(1)
    table = tf.Variable(rng.normal(size=SHAPE).astype(np.float32))
    held, views, copies = [], [], []
    for i in range(8):
        if i % 2:
            held.append(tf.convert_to_tensor(table))
        else:
            views.append(np.asarray(tf.convert_to_tensor(table))[10:30])
        copies.append(table.numpy())
        table.scatter_add(tf.IndexedSlices(tf.ones([20, 16]), np.arange(20)))
    for tensor, copy in zip(held, copies[1::2], strict=True):
        np.testing.assert_array_equal(tensor.numpy(), copy)
    for view, copy in zip(views, copies[::2], strict=True):
        np.testing.assert_array_equal(view, copy[10:30])


def test_two_changes_of_one_value_are_apart():
    rng = np.random.default_rng(2)
    start = rng.normal(size=SHAPE).astype(np.float32)
    table = tf.Variable(start)
    for i in range(4):
        table.scatter_add(tf.IndexedSlices(tf.ones([1, 16]), [i]))
    value = table.numpy()
    other = tf.Variable(table)
    other.scatter_add(tf.IndexedSlices(tf.ones([1, 16]), [7]))
    table.scatter_add(tf.IndexedSlices(tf.ones([1, 16]), [9]))
    for variable, row in ((other, 7), (table, 9)):
        expected = value.copy()
        expected[row] += 1
        np.testing.assert_array_equal(variable.numpy(), expected)


def test_in_a_function_with_assignments_between():
    table = tf.Variable(tf.ones(SHAPE))

    @tf.function
    def step(where):
        table.scatter_sub(tf.IndexedSlices(tf.ones([2, 16]), where))
        table.assign(table * 2.0)

    expected = np.ones(SHAPE, np.float32)
    for i in range(5):
        step(tf.constant([i, i]))
        expected[i] -= 2
        expected *= 2
        np.testing.assert_array_equal(table.numpy(), expected)


def test_two_arrays_take_turns_and_go_with_the_variable():
    gc.collect()
    before = len(rows.SPARES)
    table = tf.Variable(tf.ones(SHAPE))
    seen = set()
    for i in range(6):
        table.scatter_add(tf.IndexedSlices(tf.ones([1, 16]), [i]))
        seen.add(table.value()._value.ctypes.data)
    assert len(rows.SPARES) == before + 1
    assert len(seen) <= 3  # the first is the variable's start, which is not ours to write to
    del table
    gc.collect()
    assert len(rows.SPARES) == before
