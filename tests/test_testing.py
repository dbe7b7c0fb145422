"""The checkers: right derivatives pass, wrong ones are named, of any order and in either mode."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([0.5, -1.25, 2.0], tf.float64)
W = tf.constant([[1.0, 2.0, 3.0], [-0.5, 0.25, 1.5]], tf.float64)


def with_gradient(f, rule):
    return tf.custom_gradient(lambda *xs: (f(*xs), lambda dy: rule(dy, *xs)))


class TestRightDerivativesPass:
    @pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["fwd", "rev"]])
    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_modes_and_orders(self, modes, order):
        tf.testing.check_grads(lambda x, w: tf.tanh(tf.linalg.matvec(w, x)), [X, W], order, modes)

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_precisions(self, dtype):
        tf.testing.check_grads(lambda x: tf.exp(tf.sin(x)) / 3.0, [tf.cast(X, dtype)])

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    def test_half_precision(self, dtype):
        tf.testing.check_grads(lambda x: x * x * 0.5, [tf.cast(X, dtype)], order=1)

    def test_complex(self):
        z = tf.constant([1.0 + 2.0j, -0.5 + 0.25j])
        z = tf.cast(z, tf.complex128)
        tf.testing.check_grads(lambda z: z * z * tf.math.conj(z), [z])
        tf.testing.check_grads(lambda z: tf.abs(z), [z])

    def test_structures_numbers_and_integers(self):
        def f(point, scale, index):
            return {"sum": tf.gather(point["a"], index) * tf.cast(scale, tf.float64), "size": tf.size(point["a"])}

        tf.testing.check_grads(f, [{"a": X, "b": [X]}, 2.0, tf.constant([2, 0])])

    def test_numbers_in_lists_are_an_array(self):
        tf.testing.check_grads(lambda x: tf.reduce_prod(x), [[[1.0, 2.0], [3.0, 4.0]]])

    def test_variables_are_given_and_restored(self):
        w = tf.Variable([[2.0, 3.0]], dtype=tf.float64)

        def f(x, v):
            assert v is w
            return v * x

        tf.testing.check_grads(f, [X[:2], w])
        assert w.numpy().tolist() == [[2.0, 3.0]]

    def test_unconnected_arguments_are_zeros(self):
        tf.testing.check_grads(lambda x, y: x * 2.0, [X, X])

    def test_empty_and_scalar(self):
        tf.testing.check_grads(lambda x: x * x, [tf.zeros([0, 3])])
        tf.testing.check_grads(lambda x: x * x, [tf.constant(1.5, tf.float64)])

    def test_custom_gradients_with_variables(self):
        w = tf.Variable(3.0, dtype=tf.float64)

        @tf.custom_gradient
        def scaled(x):
            def grad(dy, variables=None):
                return dy * w, [tf.reduce_sum(dy * x)]

            return x * w, grad

        tf.testing.check_grads(lambda x, w: scaled(x), [X, w], modes=["rev"])


class TestWrongDerivativesAreNamed:
    @pytest.mark.parametrize(("mode", "what"), [("rev", "gradient for argument 1"), ("fwd", "tangent for argument 1")])
    def test_the_argument(self, mode, what):
        f = with_gradient(lambda x, y: x * y, lambda dy, x, y: (dy * y, dy * x * 1.001))
        with pytest.raises(AssertionError, match=what):
            tf.testing.check_grads(f, [X, X + 1.0], order=1, modes=[mode])

    def test_the_element_and_the_numbers(self):
        f = with_gradient(lambda x: x**2, lambda dy, x: dy * x * [[2.0, 2.0], [2.0, 5.0]])
        with pytest.raises(AssertionError, match=r"element \[1, 1\]: got .*, wanted"):
            tf.testing.check_grads(f, [W[:, :2]], order=1, modes=["rev"])
        with pytest.raises(AssertionError, match=r"element \[1, 1\] of output 0: got .*, wanted"):
            tf.testing.check_grads(f, [W[:, :2]], order=1, modes=["fwd"])

    def test_a_missing_gradient(self):
        f = with_gradient(lambda x: x**2, lambda dy, x: None)
        with pytest.raises(AssertionError, match=r"got 0\.0"):
            tf.testing.check_grads(f, [X], order=1)

    def test_the_tensor_of_a_structure(self):
        f = with_gradient(lambda x, y: x * y, lambda dy, x, y: (dy * y, dy))
        with pytest.raises(AssertionError, match="argument 0, tensor 1 of it, is wrong"):
            tf.testing.check_grads(lambda p: f(p["a"], p["b"]), [{"a": X, "b": X}], order=1)

    def test_a_variable(self):
        w = tf.Variable(3.0, dtype=tf.float64)
        f = with_gradient(lambda x, w: x * w, lambda dy, x, w: (dy * w, tf.reduce_sum(dy)))
        with pytest.raises(AssertionError, match="argument 1"):
            tf.testing.check_grads(f, [X, w], order=1)
        assert w.numpy() == 3.0

    @pytest.mark.parametrize(("modes", "path"), [(["rev"], "rev of rev of f"), (["fwd"], "fwd of fwd of f")])
    def test_the_second_order(self, modes, path):
        """The gradient is right, but what it is computed with is a constant: the second derivative is lost."""
        f = with_gradient(lambda x: x**3, lambda dy, x: dy * tf.stop_gradient(3.0 * x * x))
        tf.testing.check_grads(f, [X], order=1, modes=modes)
        with pytest.raises(AssertionError, match=path):
            tf.testing.check_grads(f, [X], order=2, modes=modes)

    def test_not_a_number(self):
        f = with_gradient(lambda x: x * 2.0, lambda dy, x: dy * np.nan)
        with pytest.raises(AssertionError, match="got nan, wanted"):
            tf.testing.check_grads(f, [X], order=1)

    def test_tolerances(self):
        f = with_gradient(lambda x: x**2, lambda dy, x: dy * 2.02 * x)
        tf.testing.check_grads(f, [X], order=1, rtol=0.1)
        tf.testing.check_grads(f, [X], order=1, atol=1.0)
        with pytest.raises(AssertionError, match="wrong"):
            tf.testing.check_grads(f, [X], order=1, rtol=1e-3)

    def test_a_step_that_is_far_too_long(self):
        with pytest.raises(AssertionError, match="wrong"):
            tf.testing.check_grads(lambda x: tf.sin(20.0 * x), [X], order=1, eps=1.0)


class TestWrongUse:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"args": X}, "`args` must be a list or tuple"),
            ({"args": [X], "order": 0}, "`order` must be"),
            ({"args": [X], "modes": "rev"}, "`modes` must be"),
            ({"args": [X], "modes": ["reverse"]}, "`modes` must be"),
            ({"args": [tf.constant([1, 2])]}, r"no argument is floating or complex, got dtypes \['int32'\]"),
        ],
    )
    def test_arguments(self, arguments, text):
        with pytest.raises(ValueError, match=text):
            tf.testing.check_grads(lambda x: x * x, **arguments)

    def test_an_output_without_derivative(self):
        with pytest.raises(ValueError, match=r"no output of f is floating or complex, got dtypes \['bool'\]"):
            tf.testing.check_grads(lambda x: x > 0, [X])

    def test_a_function_that_changes(self):
        with pytest.raises(ValueError, match="different values for the same arguments"):
            tf.testing.check_grads(lambda x: x + tf.random.normal([3], dtype=tf.float64), [X])


class TestComputeGradient:
    """Shapes and numbers are TensorFlow's."""

    def test_complex_numbers_count_twice(self):
        z = tf.constant([1.0 + 2.0j, 3.0 - 1.0j])
        by_tape, by_differences = tf.test.compute_gradient(lambda z: z * z, [z])
        assert by_tape[0].shape == by_differences[0].shape == (4, 4)
        np.testing.assert_allclose(by_tape[0][:2, :2], [[2, -4], [4, 2]])
        np.testing.assert_allclose(by_tape[0], by_differences[0], atol=1e-2)

    def test_several_arguments(self):
        by_tape, by_differences = tf.test.compute_gradient(lambda x, w: tf.linalg.matvec(w, x), [X, W])
        assert [g.shape for g in by_tape] == [g.shape for g in by_differences] == [(2, 3), (2, 6)]
        for a, b in zip(by_tape, by_differences, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)

    def test_a_gathered_argument_is_dense(self):
        [by_tape], _ = tf.test.compute_gradient(lambda x: tf.gather(x, [0, 0]), [X])
        assert by_tape.tolist() == [[1, 0, 0], [1, 0, 0]]
