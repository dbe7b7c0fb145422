"""Signatures of functions: what makes two calls the same, and what goes in and comes out."""

import copy
import gc
import pickle
import weakref
from collections import namedtuple
from functools import partial

import numpy as np
import pytest

import gradtape as tf


def count(f):
    return f.experimental_get_tracing_count()


def test_a_signature_is_structure_dtype_and_shape():
    f = tf.function(lambda x: x * 2)
    for x in (tf.constant(1.0), tf.constant(2.0), np.float32(3.0)):
        assert f(x).numpy() == x * 2
    assert count(f) == 1
    f(tf.constant(1))
    f(tf.constant([1.0]))
    f(tf.constant([2.0]))
    assert count(f) == 3


def test_python_values_count_by_value():
    f = tf.function(lambda x, n: x * n)
    x = tf.constant(2.0)
    assert [f(x, n).numpy() for n in (1, 2, 1, 2)] == [2.0, 4.0, 2.0, 4.0]
    assert count(f) == 2
    f(x, 1.0)
    f(x, True)
    assert count(f) == 4
    assert np.signbit(f(tf.constant(1.0), -0.0).numpy())
    assert not np.signbit(f(tf.constant(1.0), 0.0).numpy())


def test_equal_calls_share_a_signature():
    def g(x, y=2.0, *, z=1.0):
        return x * y + z

    f = tf.function(g)
    x = tf.constant(3.0)
    assert f(x).numpy() == f(x, 2.0).numpy() == f(x, y=2.0).numpy() == f(y=2.0, x=x, z=1.0).numpy() == 7.0
    assert count(f) == 1
    with pytest.raises(TypeError, match="missing a required argument"):
        f()


def test_nested_structures_go_in_and_out():
    Pair = namedtuple("Pair", "a b")

    @tf.function
    def f(data):
        return {"sum": data["p"].a + data["l"][0], "rest": (data["p"], [None, data["l"][1]])}

    def call(a, b):
        return f({"p": Pair(tf.constant(a), tf.constant(2.0)), "l": [tf.constant(b), tf.constant([1.0, b])]})

    call(1.0, 2.0)
    found = call(3.0, 4.0)
    assert count(f) == 1
    assert found["sum"].numpy() == 7.0
    pair, (none, rest) = found["rest"]
    assert type(pair) is Pair
    assert pair.a.numpy() == 3.0
    assert none is None
    assert rest.numpy().tolist() == [1.0, 4.0]


def test_results_become_tensors():
    f = tf.function(lambda: (1, 2.5, "a", [True], np.ones(2), tf.Variable))
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        f()
    g = tf.function(lambda: (1, 2.5, "a", [True], np.ones(2), None))
    for _ in range(2):
        one, half, text, [true], ones, none = g()
        assert (one.dtype, half.dtype, text.dtype, true.dtype, ones.dtype) == (
            tf.int32,
            tf.float32,
            tf.string,
            tf.bool,
            tf.float64,
        )
        assert none is None


def test_variables_and_objects_count_by_identity():
    f = tf.function(lambda v: v + 1.0)
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [f(a).numpy(), f(b).numpy(), f(a).numpy()] == [2.0, 3.0, 2.0]
    assert count(f) == 2

    class Box:
        def __init__(self, n):
            self.n = n

    g = tf.function(lambda box, x: x * box.n)
    one, two = Box(1.0), Box(2.0)
    assert [g(box, tf.constant(3.0)).numpy() for box in (one, two, one)] == [3.0, 6.0, 3.0]
    assert count(g) == 2


def test_methods_are_captured_per_object_and_hold_it_weakly():
    class Model:
        def __init__(self, n):
            self.v = tf.Variable(n)

        @tf.function
        def step(self, x):
            self.v.assign_add(1.0)
            return x * self.v

    a, b = Model(1.0), Model(10.0)
    assert [a.step(tf.constant(2.0)).numpy() for _ in range(3)] == [4.0, 6.0, 8.0]
    assert b.step(tf.constant(2.0)).numpy() == 22.0
    assert count(a.step) == 2
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None
    assert len(b.step.programs) == 1


def test_sparse_tensors_and_rows_go_in_and_out():
    f = tf.function(lambda s: (tf.sparse.to_dense(s) * 2.0, tf.sparse.from_dense(tf.sparse.to_dense(s))))
    for value in (1.0, 2.0):
        dense, sparse = f(tf.SparseTensor([[0, 1]], [value], [1, 2]))
        assert dense.numpy().tolist() == [[0.0, 2.0 * value]]
        assert sparse.values.numpy().tolist() == [value]
    assert count(f) == 1
    table = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def rows(indices):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, indices) ** 2)
        return tape.gradient(y, table)

    g = tf.function(lambda slices: tf.convert_to_tensor(slices) + 0.0)
    for i in (0, 2):
        found = rows(tf.constant([i, 1]))
        assert isinstance(found, tf.IndexedSlices)
        assert found.indices.numpy().tolist() == [i, 1]
        assert found.values.numpy().ravel().tolist() == [2.0 * (i + 1), 4.0]
        assert g(found).numpy()[i] == 2.0 * (i + 1)


def test_copies_and_pickles():
    class Model(tf.Module):
        def __init__(self):
            self.v = tf.Variable(2.0)
            self.f = tf.function(abs)

        @tf.function
        def call(self, x):
            """What it does."""
            return x * self.v

    model = Model()
    x = tf.constant(-3.0)
    assert (model.call(x).numpy(), model.f(x).numpy()) == (-6.0, 3.0)
    assert (model.call.__name__, model.call.__doc__) == ("call", "What it does.")
    other = copy.deepcopy(model)
    other.v.assign(5.0)
    assert [other.call(x).numpy(), model.call(x).numpy(), other.f(x).numpy()] == [-15.0, -6.0, 3.0]
    assert pickle.loads(pickle.dumps(tf.function(abs)))(x).numpy() == 3.0


def test_partials_bound_methods_and_static_functions():
    def g(x, y):
        return x - y

    x = tf.constant(5.0)
    f = tf.function(partial(g, y=tf.constant(2.0)))
    assert [f(x).numpy(), f(x).numpy()] == [3.0, 3.0]

    class Object:
        k = 2.0

        def times(self, x):
            return x * self.k

        @staticmethod
        @tf.function
        def double(x):
            return x * 2.0

    h = tf.function(Object().times)
    assert [h(x).numpy(), h(x).numpy(), Object.double(x).numpy(), Object().double(x).numpy()] == [10.0] * 4


def test_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return x * tf.cast(n, tf.float32)

    assert f([1, 2], 3).numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="input_signature"):
        f([[1.0]], 3)
    assert f.get_concrete_function()(tf.constant([1.0]), tf.constant(2)).numpy().tolist() == [2.0]


def test_concrete_functions():
    traced = []

    @tf.function
    def f(x, n=2):
        traced.append(1)
        return {"y": x * n}

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), n=3)
    assert traced == [1]
    assert concrete(tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [3.0, 6.0]
    assert concrete(x=tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [3.0, 6.0]
    assert traced == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="wants TensorSpec"):
        concrete(tf.constant([1.0]))
    with pytest.raises(TypeError, match="takes 1 tensors, got 2"):
        concrete(tf.constant([1.0]), tf.constant([1.0]))
