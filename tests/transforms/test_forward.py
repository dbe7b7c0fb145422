"""`ForwardAccumulator`: forward mode, and both modes nested."""

import pytest

import gradtape as tf

Forward = tf.autodiff.ForwardAccumulator


def value(x):
    return None if x is None else x.numpy().tolist()


def test_structures():
    x, z = tf.constant(2.0), tf.constant(3.0)
    with Forward([x, z], [tf.constant(1.0), tf.constant(10.0)]) as acc:
        y = x * z
    assert value(acc.jvp(y)) == 23.0
    found = acc.jvp({"k": (y, x)})
    assert (value(found["k"][0]), value(found["k"][1])) == (23.0, 1.0)


def test_variables_and_assignment():
    v = tf.Variable(2.0)
    with Forward(v, tf.constant(5.0)) as acc:
        v.assign(7.0)
        y = v * v
    assert (value(acc.jvp(y)), value(acc.jvp(v))) == (70.0, 5.0)


def test_unconnected():
    x, z = tf.constant(2.0), tf.constant(3.0)
    with Forward(x, tf.constant(1.0)) as acc:
        y = z * z
    assert acc.jvp(y) is None
    assert value(acc.jvp(y, unconnected_gradients="zero")) == 0.0
    with pytest.raises(ValueError, match="foo"):
        acc.jvp(y, "foo")


def test_forward_over_forward():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as outer:
        with Forward(x, tf.constant(1.0)) as inner:
            y = x**3.0
        g = inner.jvp(y)
    assert [value(t) for t in (g, outer.jvp(g), outer.jvp(y))] == [12.0, 12.0, 12.0]


def test_forward_over_reverse_is_a_hessian_vector_product():
    x = tf.constant([1.0, 2.0])
    with Forward(x, tf.constant([1.0, 0.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3.0)
        g = tape.gradient(y, x)
    assert value(acc.jvp(g)) == [6.0, 0.0]


def test_reverse_over_forward():
    x, d = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, d])
        with Forward(x, d) as acc:
            y = x**3.0
        g = acc.jvp(y)
    assert [value(t) for t in (g, *tape.gradient(g, [x, d]))] == [60.0, 60.0, 12.0]


def test_dead_branch():
    x = tf.constant([0.0, 4.0])
    with Forward(x, tf.constant([0.0, 1.0])) as acc:
        y = tf.where(x > 0, tf.sqrt(x), 0.0)
    assert value(acc.jvp(y)) == [0.0, 0.25]


@pytest.mark.parametrize(
    ("primals", "tangents", "error"),
    [
        (2.0, tf.constant(1.0), AttributeError),
        ([tf.constant(1.0)], tf.constant(1.0), ValueError),
        ((tf.constant(1.0),), [tf.constant(1.0)], TypeError),
        (tf.constant(1.0), None, ValueError),
        (tf.constant(2.0), tf.constant(1.0, tf.float64), ValueError),
        (tf.constant(2.0), tf.constant([1.0, 2.0]), ValueError),
    ],
)
def test_wrong_arguments(primals, tangents, error):
    with pytest.raises(error):
        Forward(primals, tangents)


def test_same_primal_twice():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="multiple times"):
        Forward([x, x], [tf.constant(1.0), tf.constant(1.0)])


def test_reentry():
    x = tf.constant(3.0)
    acc = Forward(x, tf.constant(1.0))
    with acc:
        y = x * x
        with pytest.raises(ValueError, match="already recording"):
            acc.__enter__()
    with acc:
        z = y * x
    assert (value(acc.jvp(y)), value(acc.jvp(z))) == (6.0, 27.0)
