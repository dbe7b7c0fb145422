"""What the passes make of programs, and that fused runs over large arrays give what eager operations give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.programs import parts
from gradtape.programs.fuse import LARGE, fused
from gradtape.programs.program import Apply, Assign, Fused, Guard
from gradtape.programs.simplify import simplified

SIDE = 300  # SIDE * SIDE elements are large
assert SIDE * SIDE > LARGE


@pytest.fixture(autouse=True, scope="module")
def small_parts():
    """Parts so small that the arrays of these tests have several."""
    before, parts.PART = parts.PART, 1 << 14
    yield
    parts.PART = before


def program_of(f, *args):
    made = tf.function(f)
    made(*args)
    return made, made.programs[0]


def names(program):
    return [i.primitive.__name__ for i in program.instructions if isinstance(i, Apply)]


def rng():
    return np.random.default_rng(0)


def large(shape=(SIDE, SIDE), dtype=np.float32):
    return tf.constant(rng().normal(size=shape).astype(dtype))


def test_what_is_the_same_is_computed_once():
    _, program = program_of(lambda x: tf.exp(x * 2.0) + tf.exp(x * 2.0), tf.constant([1.0, 2.0]))
    assert names(program).count("exp") == 2
    assert names(simplified(program)).count("exp") == 1
    assert names(simplified(program)).count("multiply") == 1


def test_zeros_of_different_signs_are_not_the_same():
    made, program = program_of(lambda x: (x * 0.0, x * -0.0), tf.constant([1.0, 2.0]))
    assert names(simplified(program)).count("multiply") == 2
    positive, negative = made(tf.constant([1.0, 2.0]))
    assert not np.signbit(positive.numpy()).any()
    assert np.signbit(negative.numpy()).all()


def test_static_parameters_are_the_same_only_if_they_are_alike():
    _, program = program_of(lambda x: tf.reshape(x, [1, 1]) + tf.reshape(x, [1, 1]), tf.constant([1.0]))
    assert names(simplified(program)).count("reshape") == 1
    [first, *_] = [i for i in program.instructions if isinstance(i, Apply) and "shape" in i.params]
    at = program.instructions.index(first)
    program.instructions[at] = first._replace(params={"shape": (1, True)})
    assert names(simplified(program)).count("reshape") == 2


def test_assignments_come_last_and_once():
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign(x)
        v.assign_add(x)
        return v * 1.0

    _, program = program_of(f, tf.constant([1.0, 2.0]))
    instructions = simplified(program).instructions
    assert [isinstance(i, Assign) for i in instructions] == [False] * (len(instructions) - 1) + [True]


def test_guards_keep_their_order():
    def f(x):
        if tf.reduce_sum(x) > 0:
            x = x * 2.0
        if tf.reduce_sum(x) > 5:
            x = x + 1.0
        return x

    _, program = program_of(f, large())
    wanted = [g.expected for g in program.guards]
    found = [i.expected for i in fused(simplified(program)).instructions if isinstance(i, Guard)]
    assert found == wanted


def test_a_run_over_large_arrays_is_fused():
    def update(p, g, m):
        m = 0.9 * m + 0.1 * g
        return p - 0.01 * m / (tf.sqrt(m * m) + 1e-7), m

    x = large()
    made, program = program_of(update, x, x, x)
    [only] = fused(simplified(program)).instructions
    assert isinstance(only, Fused)
    assert len(only.outs) == 2
    for found, wanted in zip(made(x, x + 1.0, x - 2.0), update(x, x + 1.0, x - 2.0), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_small_arrays_are_not_fused():
    _, program = program_of(lambda x: x * 2.0 + 1.0, tf.constant([1.0, 2.0]))
    assert not any(isinstance(i, Fused) for i in fused(simplified(program)).instructions)


def test_a_run_is_cut_where_something_else_needs_it():
    def f(x):
        y = tf.tanh(x) * 2.0
        return tf.reduce_sum(y) * y + y * 3.0

    x = large(dtype=np.float64)
    made, program = program_of(f, x)
    kinds = [type(i).__name__ for i in fused(simplified(program)).instructions]
    assert kinds == ["Fused", "Apply", "Fused"]
    np.testing.assert_array_equal(made(x * 2.0), f(x * 2.0))


def test_inputs_are_not_written_into():
    x, y = large(), large()
    before = x.numpy()
    made = tf.function(lambda a, b: (a + b) * 2.0 - a)
    first = made(x, y)
    kept = first.numpy()
    for _ in range(3):
        made(x, y * 2.0)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(first, kept)


def test_views_are_not_written_into():
    """An array that something is a view of is not used for another result."""

    def f(x):
        y = x * 2.0
        z = tf.reshape(y, [-1])
        w = y + 1.0  # may not go where y is: z is a view of it
        return z * 1.0, w, tf.transpose(y)

    made = tf.function(f)
    for side in (4, SIDE):
        x = large((side, side))
        for _ in range(2):
            for found, wanted in zip(made(x), f(x), strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_transposed_arrays_are_cut_along_their_first_axis():
    def f(x):
        y = tf.transpose(x)
        return tf.exp(y) * 0.5 + y

    made = tf.function(f)
    x = large((SIDE, SIDE + 20))
    made(x)
    np.testing.assert_array_equal(made(x + 1.0), f(x + 1.0))


UNARY = [tf.exp, tf.tanh, tf.sigmoid, tf.nn.relu, tf.square, tf.abs, tf.math.softplus, lambda x: -x, lambda x: x**2]
BINARY = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (tf.abs(y) + 1.0),
    tf.maximum,
    lambda x, y: tf.where(x > y, x, y * 0.5),
    lambda x, y: x * tf.reduce_mean(y),
    lambda x, y: x + tf.reduce_max(y, axis=1, keepdims=True),
    lambda x, y: x + tf.reduce_sum(y, axis=0),
]
STEP = st.one_of(
    st.tuples(st.sampled_from(range(len(UNARY))), st.integers(0, 20)),
    st.tuples(st.sampled_from(range(len(BINARY))), st.integers(0, 20), st.integers(0, 20)),
    st.tuples(st.just("scale"), st.integers(0, 20), st.floats(-2, 2, width=32)),
)


def run(steps, x, y):
    values = [x, y]
    for kind, *which in steps:
        if kind == "scale":
            values.append(values[which[0] % len(values)] * which[1])
        elif len(which) == 1:
            values.append(UNARY[kind](values[which[0] % len(values)]))
        else:
            values.append(BINARY[kind](*[values[i % len(values)] for i in which]))
        values[-1] = tf.clip_by_value(values[-1], -10.0, 10.0)
    return values[-3:]


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, min_size=3, max_size=12), st.sampled_from([(3, 4), (256, 160)]), st.booleans())
def test_random_programs_replay_bit_for_bit(steps, shape, differentiate):
    def f(x, y):
        if not differentiate:
            return run(steps, x, y)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            out = run(steps, x, y)
        return [*out, *[g for g in tape.gradient(out, [x, y]) if g is not None]]

    made = tf.function(f)
    draw = np.random.default_rng(len(steps))
    for _ in range(3):
        x, y = (tf.constant(draw.normal(size=shape).astype(np.float32)) for _ in range(2))
        for found, wanted in zip(made(x, y), f(x, y), strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("size", [(4, 8), (SIDE, 128)])
def test_training_replays_as_it_runs(size):
    """Adam by hand: after 20 steps the same weights to the last bit."""

    def trained(wrap):
        draw = rng()
        x = tf.constant(draw.normal(size=(16, size[0])).astype(np.float32))
        w = tf.Variable(draw.normal(size=size).astype(np.float32) / 10)
        m, v = tf.Variable(tf.zeros_like(w)), tf.Variable(tf.zeros_like(w))

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.relu(x @ w) ** 2) + 0.1 * tf.reduce_sum(tf.abs(w))
            g = tape.gradient(loss, w)
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * g * g)
            w.assign_sub(0.01 * m / (tf.sqrt(v) + 1e-7))
            return loss

        step = wrap(step)
        losses = [float(step()) for _ in range(20)]
        return losses, w.numpy()

    (losses, w), (wanted_losses, wanted) = trained(tf.function), trained(lambda f: f)
    assert losses == wanted_losses
    np.testing.assert_array_equal(w, wanted)
