"""Derivatives of users' own, recomputation, straight-through gradients."""

import numpy as np
import pytest

import gradtape as tf


def value(x):
    return None if x is None else x.numpy().tolist()


def gradient_of(f, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*sources)
    return [value(g) for g in tape.gradient(y, list(sources))]


def with_rule(rule):
    return tf.custom_gradient(lambda x: (x * x, rule))


class TestCustomGradient:
    def test_the_rule_is_used(self):
        assert gradient_of(with_rule(lambda dy: dy * 100.0), tf.constant(2.0)) == [100.0]

    def test_none_flows_nowhere(self):
        assert gradient_of(with_rule(lambda dy: None), tf.constant(2.0)) == [None]

    def test_several_arguments_and_outputs(self):
        f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: (dy * 10.0, dy * 20.0)))
        assert gradient_of(f, tf.constant(2.0), tf.constant(3.0)) == [10.0, 20.0]
        g = tf.custom_gradient(lambda x: ((x * x, x * 3.0), lambda da, db: da * 10.0 + db))
        assert gradient_of(lambda x: g(x)[0], tf.constant(2.0)) == [10.0]
        assert gradient_of(lambda x: sum(g(x)), tf.constant(2.0)) == [11.0]

    def test_keywords_have_no_gradient(self):
        f = tf.custom_gradient(lambda x, k=2.0: (x * k, lambda dy: dy * k * 10.0))
        assert gradient_of(lambda x: f(x, k=3.0), tf.constant(2.0)) == [30.0]

    def test_a_rule_that_does_not_take_a_gradient_for_each_output(self):
        f = tf.custom_gradient(lambda x: ((x, x * 2.0), lambda dy: dy))
        with pytest.raises(TypeError, match=r"one gradient for each output, 2 here.*takes 1 positional argument"):
            gradient_of(lambda x: sum(f(x)), tf.constant(2.0))

    def test_an_error_within_the_rule_stays_what_it_is(self):
        def rule(dy):
            raise TypeError("of the user's")

        with pytest.raises(TypeError, match=r"^of the user's$"):
            gradient_of(with_rule(rule), tf.constant(2.0))

    def test_second_order_differentiates_the_rule(self):
        f = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * x * x * x))
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = f(x)
            g = inner.gradient(y, x)
        assert (value(g), value(outer.gradient(g, x))) == (8.0, 12.0)

    def test_variables(self):
        w = tf.Variable(3.0)

        @tf.custom_gradient
        def f(x):
            def grad(dy, variables=None):
                assert [v is w for v in variables] == [True]
                return dy * 10.0, [dy * 20.0]

            return x * w, grad

        assert gradient_of(lambda x, _: f(x), tf.constant(2.0), w) == [10.0, 20.0]

    def test_variables_need_a_place(self):
        w = tf.Variable(3.0)
        with pytest.raises(TypeError, match="variables"):
            tf.custom_gradient(lambda x: (x * w, lambda dy: dy))(tf.constant(1.0))

    def test_forward_mode_uses_the_transpose(self):
        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = with_rule(lambda dy: dy * 100.0)(x)
        assert value(acc.jvp(y)) == 100.0

    @pytest.mark.parametrize(
        ("rule", "error", "text"),
        [
            (lambda dy: (dy, dy), ValueError, "expected to return 1 gradients, but returned 2"),
            (lambda dy: tf.constant([1.0, 2.0]), ValueError, r"shape \(2,\)"),
            (lambda dy: tf.constant(1.0, tf.float64), ValueError, "dtype float64"),
            (lambda dy: 1 / 0, ZeroDivisionError, "division"),
        ],
    )
    def test_wrong_gradients(self, rule, error, text):
        with pytest.raises(error, match=text):
            gradient_of(with_rule(rule), tf.constant(2.0))

    @pytest.mark.parametrize("returned", [5.0, (1.0, 2.0), (1.0, 2.0, 3.0)])
    def test_wrong_return(self, returned):
        with pytest.raises(TypeError, match="pair"):
            tf.custom_gradient(lambda x: returned)(tf.constant(1.0))

    @pytest.mark.parametrize(
        ("of_variables", "error", "text"),
        [
            (lambda dy: [], ValueError, r"returned 0 for the 1 variables \['w:0'\]"),
            (lambda dy: dy, TypeError, "must be a list with one for each, got Tensor"),
            (lambda dy: [tf.ones([2])], ValueError, r"shape \(2,\)"),
        ],
    )
    def test_wrong_gradients_of_variables(self, of_variables, error, text):
        w = tf.Variable(3.0, name="w")
        f = tf.custom_gradient(lambda x: (x * w, lambda dy, variables=None: (dy, of_variables(dy))))
        with pytest.raises(error, match=text):
            gradient_of(lambda x, _: f(x), tf.constant(2.0), w)

    def test_gradients_of_variables_come_in_a_pair(self):
        w = tf.Variable(3.0)
        f = tf.custom_gradient(lambda x: (x * w, lambda dy, variables=None: dy))
        with pytest.raises(TypeError, match="must return a pair"):
            gradient_of(f, tf.constant(2.0))

    def test_too_few_gradients(self):
        f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: dy))
        with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
            gradient_of(f, tf.constant(2.0), tf.constant(3.0))

    def test_within_another(self):
        cube = tf.custom_gradient(lambda x: (x**3, lambda dy: dy * 3.0 * x * x))
        f = tf.custom_gradient(lambda x: (cube(x) * x, lambda dy: dy * 4.0 * cube(x)))
        tf.testing.check_grads(f, [tf.constant([0.5, -2.0], tf.float64)], order=3)

    def test_the_gradient_may_have_a_gradient_of_its_own(self):
        scaled = tf.custom_gradient(lambda d, a: (d * a * 10.0, lambda u: (u * a * 7.0, u * d * 5.0)))
        f = tf.custom_gradient(lambda x: (x * x, lambda dy: scaled(dy, x)))
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = f(x)
            g = inner.gradient(y, x)
        assert (value(g), value(outer.gradient(g, x))) == (20.0, 5.0)

    def test_keeps_name_and_doc(self):
        @tf.custom_gradient
        def named(x):
            """What it does."""
            return x, lambda dy: dy

        assert (named.__name__, named.__doc__) == ("named", "What it does.")


class TestRecompute:
    def test_values_gradients_and_count(self):
        calls = []

        def f(x):
            calls.append(1)
            return tf.sin(x) * x

        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.recompute_grad(f)(x)
        assert len(calls) == 1
        assert value(tape.gradient(y, x)) == pytest.approx(np.sin(2) + 2 * np.cos(2))
        assert len(calls) == 2

    def test_variables_inside(self):
        w, x = tf.Variable(3.0), tf.constant(2.0)
        assert gradient_of(lambda x, w: tf.recompute_grad(lambda x: x * w * w)(x), x, w) == [9.0, 12.0]

    def test_second_order(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.recompute_grad(lambda x: x * x * x)(x)
            g = inner.gradient(y, x)
        assert (value(g), value(outer.gradient(g, x))) == (12.0, 12.0)

    def test_nested_and_of_every_order(self):
        x, w = tf.constant([0.5, -1.5], tf.float64), tf.Variable([2.0, 3.0], dtype=tf.float64)
        inner = tf.recompute_grad(lambda x: tf.sin(x) * w)
        f = tf.recompute_grad(lambda x, scale=1.0: inner(x * scale) * x)
        tf.testing.check_grads(lambda x, _: f(x), [x, w])
        tf.testing.check_grads(lambda x, _: f(x, scale=2.0), [x, w])

    def test_structures_integers_and_other_objects(self, caplog):
        f = tf.recompute_grad(lambda d, index, factor, name: {"y": tf.gather(d["a"], index) * d["b"] * factor})
        a, b = tf.constant([2.0, 5.0]), tf.constant(3.0)

        def given(a, b):
            return f({"a": a, "b": b}, tf.constant(1), 10.0, "name")["y"]

        assert gradient_of(given, a, b) == [[0.0, 30.0], 50.0]
        assert not caplog.records

    def test_around_and_inside_of_a_function(self):
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        plain = gradient_of(lambda x, w: tf.sin(x) * w, x, w)
        f = tf.function(lambda: tf.recompute_grad(lambda x: tf.sin(x) * w)(x))
        step = tf.function(lambda: gradient_tensors(lambda: tf.recompute_grad(lambda x: tf.sin(x) * w)(x), x, w))
        for _ in range(3):
            assert gradient_of(lambda *_: f(), x, w) == plain
            assert [value(g) for g in step()] == plain

    def test_jacobians_and_hessians(self):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape(persistent=True) as inner:
                y = tf.recompute_grad(lambda v: tf.reduce_sum(v**3))(v)
                z = tf.recompute_grad(lambda v: v * v)(v)
            g = inner.gradient(y, v)
        assert value(outer.jacobian(g, v)) == [[6.0, 0.0], [0.0, 12.0]]
        assert value(inner.jacobian(z, v)) == [[2.0, 0.0], [0.0, 4.0]]


def gradient_tensors(f, *sources):
    with tf.GradientTape() as tape:
        y = f()
    return tape.gradient(y, list(sources))


class TestGradPassThrough:
    def test_variables_inside_have_no_gradient(self):
        w = tf.Variable(3.0)
        assert gradient_of(lambda x, w: tf.grad_pass_through(lambda x: x * w)(x), tf.constant(2.0), w) == [1.0, None]

    def test_each_output_has_its_argument(self):
        f = tf.grad_pass_through(lambda x, y, scale: (tf.round(x * scale), y * 0.0))
        assert gradient_of(lambda x, y: 2.0 * f(x, y, scale=3.0)[1], tf.constant(2.0), tf.constant(3.0)) == [0.0, 2.0]

    def test_as_many_outputs_as_arguments(self):
        f = tf.grad_pass_through(lambda x, y: x * y)
        with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
            gradient_of(f, tf.constant(2.0), tf.constant(3.0))

    def test_second_order(self):
        x = tf.Variable(2.3)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.grad_pass_through(tf.round)(x * x)
            g = inner.gradient(y, x)
        assert value(outer.gradient(g, x)) == 2.0


def test_grad_pass_through():
    assert gradient_of(lambda x: tf.grad_pass_through(tf.round)(x * 1.3), tf.constant(2.0)) == [pytest.approx(1.3)]


def test_stop_gradient():
    assert gradient_of(lambda x: tf.stop_gradient(x) * x, tf.constant(3.0)) == [3.0]


@pytest.mark.parametrize("name", ["gradients", "hessians"])
def test_graph_functions_refuse(name):
    with pytest.raises(RuntimeError, match="GradientTape"):
        getattr(tf, name)(tf.constant(1.0), tf.constant(1.0))
