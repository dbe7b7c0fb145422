"""Updates of large variables reuse the array; whoever holds the old value keeps it."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf

SHAPE = (200, 100)


def variable(value=1.0):
    made = tf.Variable(tf.zeros(SHAPE))
    made.assign(tf.fill(SHAPE, value) + 0.0)
    return made


def address(v):
    return v._tensor._value.ctypes.data


@pytest.mark.parametrize(("update", "wanted"), [("assign_add", 3.0), ("assign_sub", -1.0)])
def test_the_array_is_reused(update, wanted):
    v = variable()
    before = address(v)
    getattr(v, update)(tf.fill(SHAPE, 2.0))
    assert address(v) == before
    np.testing.assert_array_equal(v.numpy(), np.full(SHAPE, wanted, np.float32))


HOLDERS = {
    "tensor": lambda v: tf.convert_to_tensor(v),
    "identity": lambda v: tf.identity(v),
    "slice": lambda v: v[1:3],
    "reshaped": lambda v: tf.reshape(v, [-1]),
    "transposed": lambda v: tf.transpose(v),
    "array": lambda v: np.asarray(v),
    "numpy": lambda v: v.numpy(),
    "value": lambda v: v.value(),
    "read": lambda v: v.read_value(),
    "copy": copy.deepcopy,
    "pickled": lambda v: pickle.loads(pickle.dumps(v)),
    "list": lambda v: [v + 0.0, v.value()][1],
    "another variable": lambda v: tf.Variable(v),
    "of its value": lambda v: tf.Variable(v.value()),
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_a_holder_keeps_the_old_value(holder):
    v = variable()
    held = holder(v)
    v.assign_add(tf.fill(SHAPE, 2.0))
    assert np.unique(np.asarray(held)).tolist() == [1.0]
    assert np.unique(v.numpy()).tolist() == [3.0]


def test_a_tape_keeps_what_it_recorded():
    v = variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        v.assign_add(tf.fill(SHAPE, 2.0))
        z = v * v
    assert np.unique(tape.gradient(y, v).numpy()).tolist() == [6.0]
    v.assign_sub(tf.fill(SHAPE, 100.0))
    assert np.unique(tape.gradient(z, v).numpy()).tolist() == [10.0]


def test_a_variable_may_be_its_own_change():
    v = variable(3.0)
    v.assign_sub(v)
    assert not v.numpy().any()


def test_an_array_given_is_not_written_into():
    given = np.ones(SHAPE, np.float32)
    v = tf.Variable(given)
    v.assign_add(given)
    v.assign_add(given)
    assert np.unique(given).tolist() == [1.0]
    assert np.unique(v.numpy()).tolist() == [3.0]
