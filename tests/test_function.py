"""`tf.function`: signatures, methods, decorator forms."""

import pytest

import gradtape as tf


def test_forms():
    assert tf.function(lambda x: x * 2)(tf.constant(2.0)).numpy() == 4.0

    @tf.function(jit_compile=True, reduce_retracing=True)
    def named(x):
        """What it does."""
        return x + 1

    assert named(tf.constant(1.0)).numpy() == 2.0
    assert (named.__name__, named.__doc__) == ("named", "What it does.")
    assert named.get_concrete_function(tf.constant(1.0))(tf.constant(1.0)).numpy() == 2.0


def test_gradients_and_variables():
    v = tf.Variable(3.0)
    f = tf.function(lambda x: x * v)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [3.0, 2.0]


def test_methods_and_signatures():
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def double(self, x):
            return x * 2

    assert Model().double([1, 2]).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match="input_signature"):
        Model().double([[1.0]])
    with pytest.raises(TypeError, match="float32"):
        Model().double(tf.constant([1]))


def test_specs():
    spec = tf.TensorSpec.from_tensor(tf.ones([2, 3]), "x")
    assert repr(spec) == "TensorSpec(shape=(2, 3), dtype=tf.float32, name='x')"
    assert spec == tf.TensorSpec([2, 3])
    assert tf.TensorSpec([None, 3]).is_compatible_with(tf.ones([5, 3]))
    assert not tf.TensorSpec([2]).is_compatible_with(tf.ones([3]))
