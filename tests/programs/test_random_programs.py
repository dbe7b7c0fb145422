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


def spread(p, q, v):
    """Rows of a variable, assigned to as slices, scattered to, and found again."""
    v[:2].assign(tf.clip_by_value(p[1:], -2.0, 2.0))
    v.scatter_nd_update(tf.argmax(q)[None, None], [0.5])
    v.scatter_sub(tf.IndexedSlices(tf.constant([0.25, 0.5]), tf.argsort(q)[:2]))
    return tf.gather(v, tf.argsort(p)) - q


def interrupted(p, q, v):
    """What came before an error that is caught stays, whatever raises it."""
    try:
        v.assign(tf.tanh(q))
        if tf.reduce_max(p) > 1:
            raise ValueError("it is too large")
        v.assign_add([0.25, 0.25, 0.25])
        p = tf.gather(p, tf.cast(tf.reduce_sum(tf.cast(q > 0, tf.int32)), tf.int32))
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        p = p * 0.5 if "large" in str(error) else q
    finally:
        v.assign(v * 0.5)
    return p + v


@tf.function
def inner(p, n):
    """A function in a function: alike, it is a part of that."""
    if n == 0 or tf.reduce_sum(p) < -1:
        return tf.cos(p)
    return inner(p * 0.5, n - 1) + tf.random.normal([3], seed=5)


def ended(p, q, v):
    """A loop that ends where values say so, by break and by return."""
    for x in q:
        if x < 0:
            break
        p = tf.sin(p) * x
        if tf.reduce_any(p > 1.5):
            return p * v
    else:
        p = p - 1.0
    return p


def forward(p, q, v):
    with tf.autodiff.ForwardAccumulator(p, tf.tanh(q)) as accumulator:
        y = tf.sin(p) * v if p[0] > 0 else tf.square(p)
    return accumulator.jvp(y)


def rows(p, q, v):
    with tf.GradientTape() as tape:
        tape.watch(p)
        y = tf.tanh(p) * q + tf.reduce_sum(p * v)
    return tf.linalg.matvec(tape.jacobian(y, p), tf.tanh(q))


def filled(p, q, v):
    """A TensorArray in a loop of TensorFlow's, and its gradient."""
    with tf.GradientTape() as tape:
        tape.watch(p)
        array = tf.TensorArray(tf.float32, size=3).unstack(p * v)
        out = tf.TensorArray(tf.float32, size=3, element_shape=[])
        _, out = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, tf.tanh(array.read(2 - i)))), [0, out]
        )
        y = out.stack() * q
    return tape.gradient(y, p)


def kept(p, q, v):
    """Python's containers, filled and searched by values."""
    found = {}
    for i, x in enumerate(p):
        found.setdefault(bool(x > q[0]), []).append(x * float(i + 1))
    best = max(found, key=lambda k: len(found[k]))
    return tf.add_n(found[best]) * q


def switched(p, q, v):
    index = tf.cast(tf.reduce_sum(tf.cast(p > q, tf.int32)), tf.int32)
    return tf.switch_case(index, [lambda: p, lambda: v.assign(tf.tanh(q)) * 1.0, lambda: q * v], default=lambda: -p)


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
    spread,
    interrupted,
    lambda p, q, v: inner(p, 2) * q,
    lambda p, q, v: inner(p, int(q[1] > 0.5)),
    ended,
    forward,
    rows,
    filled,
    kept,
    switched,
    lambda p, q, v: tf.random.shuffle(p)[0] + q,
    lambda p, q, v: tf.recompute_grad(lambda x: tf.tanh(x) * v)(p),
    lambda p, q, v: tf.constant([float(f"{x:.1f}") for x in p]) * q,
    lambda p, q, v: tf.stack([*reversed(tf.unstack(p))]) if p[0] == p[0] and q[-1] else tf.zeros_like(v),
    lambda p, q, v: tf.map_fn(lambda x: tf.random.normal([]) * x, p),
    lambda p, q, v: tf.math.divide_no_nan(p, tf.nn.relu(q)) - tf.math.segment_sum(p, tf.cast(q > 9, tf.int32))[0],
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
        v.assign_sub(0.01 * tf.clip_by_value(tf.convert_to_tensor(grads[1]), -1.0, 1.0))
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
