"""Programs made at random, with variables, branches, loops and draws, do the same captured as eagerly, call by call."""

import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf

CLOSURE = tf.constant([0.5, -1.0, 2.0])
GENERATOR = tf.random.Generator.from_seed(1)


def halved(p, q, v):
    """A loop whose length depends on a value."""
    n = 0
    while tf.reduce_max(tf.abs(p)) > 1 and n < 4:
        p, n = p / 2, n + 1
    return p


def assigned(p, q, v):
    v.assign(tf.tanh(p))
    return v * q


def added(p, q, v):
    v.assign_add(0.1 * tf.sin(p))
    return v - q


def replaced(p, q, v):
    v[1].assign(tf.cos(q[0]))
    return v + p


def scattered(p, q, v):
    v.scatter_nd_add([[2]], [tf.reduce_mean(tf.tanh(p))])
    return v * 1.0


def differentiated(p, q, v):
    """A gradient of a gradient, through a variable."""
    with tf.GradientTape() as outer:
        outer.watch(p)
        with tf.GradientTape() as inner:
            inner.watch(p)
            y = tf.reduce_sum(tf.sin(p) * q * v)
        first = inner.gradient(y, p)
    return tf.clip_by_value(outer.gradient(first, p), -2.0, 2.0)


def around(p, q, v):
    """A tape that hears of an assignment between two reads."""
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * p)
        v.assign(tf.tanh(v + q))
        y = y + tf.reduce_sum(v * v)
    return tf.tanh(tape.gradient(y, v))


@tf.custom_gradient
def clipped(p):
    return tf.sin(p), lambda ct: ct * tf.cos(p) if tf.reduce_max(ct) < 1 else tf.sign(ct)


def hidden(p, q, v):
    """A call that changes the variable behind everybody's back and gives what it sees."""

    def call(a):
        v.assign(np.tanh(a - v.numpy()))
        return v.numpy() * 0.5

    return tf.numpy_function(call, [p], tf.float32) + q * v


def caught(p, q, v):
    try:
        tf.debugging.assert_less(tf.reduce_sum(p), 1.0)
    except tf.errors.InvalidArgumentError:
        v.assign_sub(0.25 * tf.tanh(q))
    return v + p


def looped(p, q, v):
    n = tf.cast(tf.reduce_sum(tf.cast(q > 0, tf.int32)), tf.int32)
    _, p = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.sin(a) + v), [0, p])
    return p


def collected(p, q, v):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for x in p:
        rows = rows.write(rows.size(), x if x > v[0] else -x)
    return rows.stack() * q


STATEMENTS = [
    lambda p, q, v: p + q,
    lambda p, q, v: p - 2.0 * q,
    lambda p, q, v: tf.sin(p) * q,
    lambda p, q, v: tf.tanh(p / (1.0 + q * q)),
    lambda p, q, v: tf.where(p > 0, tf.sqrt(tf.abs(p)), q),
    lambda p, q, v: tf.maximum(p, q),
    lambda p, q, v: tf.exp(-(p**2)) + tf.reduce_sum(q),
    lambda p, q, v: tf.gather(p, tf.argsort(q)),
    lambda p, q, v: p[tf.argmax(q)] * q,
    lambda p, q, v: tf.cumsum(p) / 3.0,
    lambda p, q, v: tf.stop_gradient(p) * q,
    lambda p, q, v: tf.linalg.matvec(tf.tensordot(p, q, 0), tf.tanh(p)),
    lambda p, q, v: v * p,
    lambda p, q, v: p if tf.reduce_sum(p) > 0 else q * 0.5,
    lambda p, q, v: p * (1.0 if float(tf.round(tf.tanh(q[0]))) else 2.0),
    lambda p, q, v: p + tf.random.normal([3]),
    lambda p, q, v: tf.nn.dropout(p, 0.5, seed=3) + q,
    lambda p, q, v: tf.reduce_sum(tf.boolean_mask(p, p > 0)) * q,
    halved,
    assigned,
    added,
    replaced,
    scattered,
    differentiated,
    around,
    lambda p, q, v: clipped(p) * q,
    hidden,
    caught,
    looped,
    collected,
    lambda p, q, v: CLOSURE * p + tf.sin(CLOSURE),
    lambda p, q, v: tf.cond(p[0] > q[0], lambda: v * 2.0, lambda: q),
    lambda p, q, v: tf.map_fn(lambda x: x * x if x < 1 else tf.sqrt(x), p),
    lambda p, q, v: tf.scan(lambda a, x: 0.5 * a + x, p),
    lambda p, q, v: tf.stack(sorted(p)) + max(q),
    lambda p, q, v: p * [1.0, 2.0, 0.5, -1.0][int(tf.reduce_sum(tf.cast(q > 0, tf.int32)))],
    lambda p, q, v: tf.unique(tf.round(p))[0][0] + q,
    lambda p, q, v: tf.random.uniform([3]) - p if tf.random.uniform([]) > 0.5 else q,
    lambda p, q, v: GENERATOR.normal([3]) + p,
    lambda p, q, v: tf.convert_to_tensor(np.where(p.numpy() > 0, 1.0, -1.0).astype("float32")) * q,
    lambda p, q, v: p / q,
    lambda p, q, v: tf.vectorized_map(lambda x: tf.tanh(x) * v, tf.stack([p, q]))[1],
]

EXAMPLES = int(os.environ.get("GRADTAPE_RANDOM_PROGRAMS", "100"))

NUMBERS = st.integers(0, 30)
PROGRAMS = st.lists(st.tuples(st.integers(0, len(STATEMENTS) - 1), NUMBERS, NUMBERS), min_size=1, max_size=12)
INPUTS = st.lists(st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=3, max_size=3), min_size=2, max_size=6)


def built(statements, trained):
    v = tf.Variable([0.5, -0.25, 1.0])

    def run(x):
        pool = [x, v * 1.0]
        for number, a, b in statements:
            pool.append(STATEMENTS[number](pool[a % len(pool)], pool[b % len(pool)], v))
        return pool[-1]

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        grads = tape.gradient(y, [x, v], unconnected_gradients="zero")
        v.assign_sub(0.01 * tf.clip_by_value(grads[1], -1.0, 1.0))
        return y, *grads

    return v, step if trained else run


def called(f, v, inputs):
    tf.random.set_seed(11)
    GENERATOR.reset_from_seed(1)
    found = []
    for x in inputs:
        out = f(tf.constant(x))
        found += [tf.convert_to_tensor(t).numpy().tobytes() for t in (out if isinstance(out, tuple) else (out,))]
        found.append(v.numpy().tobytes())
    return [*found, tf.random.uniform([]).numpy()]


@settings(max_examples=EXAMPLES, deadline=None)
@given(PROGRAMS, INPUTS, st.booleans())
def test_replays_equal_eager_calls(statements, inputs, trained):
    v, eager = built(statements, trained)
    expected = called(eager, v, inputs)
    v, step = built(statements, trained)
    assert called(tf.function(step), v, inputs) == expected


@settings(max_examples=EXAMPLES, deadline=None)
@given(PROGRAMS, INPUTS)
def test_replays_under_a_tape_equal_eager_calls(statements, inputs):
    def outside(f, v):
        def step(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return y, *tape.gradient(y, [x, v], unconnected_gradients="zero")

        return step

    v, eager = built(statements, False)
    expected = called(outside(eager, v), v, inputs)
    v, run = built(statements, False)
    assert called(outside(tf.function(run), v), v, inputs) == expected
