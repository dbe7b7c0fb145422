"""`Variable`: making, assigning, naming, shapes, and what it refuses. Expectations are TensorFlow's."""

import copy
import gc
import weakref

import numpy as np
import pytest

import gradtape as tf


class TestMaking:
    @pytest.mark.parametrize(
        ("initial", "dtype", "name"),
        [(1, None, "int32"), (1.0, None, "float32"), ([True], None, "bool"), (1, tf.float16, "float16")],
    )
    def test_dtypes(self, initial, dtype, name):
        assert tf.Variable(initial, dtype=dtype).dtype.name == name

    def test_an_array_keeps_its_dtype_and_is_copied(self):
        array = np.ones(3)
        v = tf.Variable(array)
        array[:] = 7
        assert (v.dtype, v.numpy().tolist()) == (tf.float64, [1.0, 1.0, 1.0])

    def test_a_callable_is_called(self):
        assert tf.Variable(lambda: tf.ones([2])).numpy().tolist() == [1.0, 1.0]

    def test_names_and_attributes(self):
        with tf.name_scope("outer"):
            v = tf.Variable(1.0, name="inner", trainable=False)
        assert (v.name, v.trainable, v.shape.rank) == ("outer/inner:0", False, 0)
        assert tf.Variable(1.0).name == "Variable:0"

    def test_none_is_refused(self):
        with pytest.raises(ValueError, match="initial_value"):
            tf.Variable(None)


class TestAssigning:
    def test_assignments_give_what_the_variable_holds(self):
        v = tf.Variable([1.0, 2.0])
        assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]
        assert v.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
        assert v.assign_sub([0.5, 0.5]).numpy().tolist() == [3.5, 4.5]
        assert v.assign([0.0, 0.0], read_value=False) is None

    @pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
    def test_other_shapes_and_dtypes_are_refused(self, method):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            getattr(v, method)([1.0, 2.0, 3.0])
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            getattr(v, method)(tf.constant([1.0, 2.0], tf.float64))
        assert v.numpy().tolist() == [1.0, 2.0]

    def test_a_shape_may_be_left_open(self):
        v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
        v.assign([1.0, 2.0, 3.0])
        assert v.numpy().tolist() == [1.0, 2.0, 3.0]
        with pytest.raises(ValueError, match="shape"):
            v.assign([[1.0]])

    def test_what_was_read_keeps_its_value(self):
        v = tf.Variable([1.0, 2.0])
        before = v.read_value()
        v.assign_add([10.0, 10.0])
        assert before.numpy().tolist() == [1.0, 2.0]

    def test_a_part(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        v[0].assign([7.0, 8.0])
        v[:, 1].assign([0.0, 0.0])
        assert v.numpy().tolist() == [[7.0, 0.0], [3.0, 0.0]]

    @pytest.mark.parametrize(
        ("method", "want"),
        [
            ("scatter_add", [1.0, 4.0, 3.0]),
            ("scatter_sub", [1.0, 0.0, 3.0]),
            ("scatter_mul", [1.0, 4.0, 3.0]),
            ("scatter_div", [1.0, 1.0, 3.0]),
            ("scatter_max", [1.0, 2.0, 3.0]),
            ("scatter_min", [1.0, 2.0, 3.0]),
            ("scatter_update", [1.0, 2.0, 3.0]),
        ],
    )
    def test_rows(self, method, want):
        v = tf.Variable([1.0, 2.0, 3.0])
        getattr(v, method)(tf.IndexedSlices(tf.constant([2.0]), tf.constant([1]), tf.constant([3])))
        assert v.numpy().tolist() == want

    def test_gradients_count_reads_before_and_after(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = v * 2.0
            v.assign(5.0)
            y += v * v
        assert tape.gradient(y, v).numpy() == 12.0


class TestPython:
    def test_it_is_known_by_itself(self):
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        assert v.ref() == v.ref()
        assert v.ref() != w.ref()
        assert v.ref().deref() is v
        with pytest.raises(TypeError, match="unhashable"):
            hash(v)

    def test_numbers(self):
        v = tf.Variable(2.5)
        assert (int(v), float(v), bool(v), v + 1.0 == 3.5) == (2, 2.5, True, True)
        with pytest.raises((ValueError, TypeError)):
            bool(tf.Variable([1.0, 2.0]))

    def test_copies_are_their_own(self):
        v = tf.Variable([1.0], name="v", trainable=False)
        w = copy.deepcopy(v)
        w.assign([5.0])
        assert (v.numpy().tolist(), w.numpy().tolist(), w.trainable) == ([1.0], [5.0], False)

    def test_iteration_length_and_comparison(self):
        v = tf.Variable([1.0, 2.0])
        assert [float(x) for x in v] == [1.0, 2.0]
        assert (v == tf.constant([1.0, 5.0])).numpy().tolist() == [True, False]

    def test_it_dies_when_nobody_has_it(self):
        v = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
        died = weakref.ref(v)
        del v, tape, y
        gc.collect()
        assert died() is None
