"""What users of tape autodiff report as missing or wrong, eagerly and within a function; with Keras in tests/keras."""

import threading
import weakref

import numpy as np
import pytest

import gradtape as tf


def derivative(f, **options):
    """The function that differentiates f."""

    def df(x):
        with tf.GradientTape(**options) as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return df


def twice(f):
    return derivative(derivative(f))


def powers(x):
    """x to the power 4, by a loop."""
    return tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)])[1]


def elements(x):
    """The running products of x squared, written into an array one by one."""
    array = tf.TensorArray(tf.float64, size=3, clear_after_read=False)
    for i in range(3):
        array = array.write(i, x[i] * x[i] * (array.read(i - 1) if i else 1.0))
    return array.stack()


@tf.custom_gradient
def bounded(x):
    """The identity, through which gradients of at most 1 flow."""
    return tf.identity(x), lambda dy: tf.clip_by_value(dy, -1.0, 1.0)


@tf.custom_gradient
def doubled(x):
    """2 x, with 5 for its derivative and 7 for the derivative of that."""

    def grad(dy):
        @tf.custom_gradient
        def inner(x, dy):
            return dy * 5.0, lambda dd: (dd * 7.0, dd * 5.0)

        return inner(x, dy)

    return x * 2.0, grad


def straight_through(x):
    return (x + tf.stop_gradient(tf.round(x) - x)) ** 2


def two_steps(x):
    """A loss after two inner steps of descent by 0.1 towards 3."""
    for _ in range(2):
        x = x - 0.1 * derivative(lambda x: (x - 3.0) ** 2)(x)
    return (x - 1.0) ** 2


def penalty(w):
    """The penalty on gradients of a linear critic."""
    slope = derivative(lambda x: tf.linalg.matvec(x, w))(tf.constant([[1.0, 2.0], [0.0, 1.0]], tf.float64))
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(slope**2, axis=1)) - 1.0) ** 2)


def residual(w):
    """u'' + u of u = sin(w x) at x = 0.5, which is (1 - w^2) sin(w x)."""
    x = tf.constant(0.5, tf.float64)
    u = lambda x: tf.sin(w * x)  # noqa: E731
    return (twice(u)(x) + u(x)) ** 2


def resized(x):
    image = tf.image.resize(tf.reshape(tf.cast(x * x, tf.float32), [1, 1, 2, 1]), [2, 4], method="nearest")
    return tf.cast(tf.reduce_sum(image * image), tf.float64)


def worst_residual(w, h=1e-6):
    def loss(w):
        return ((1 - w * w) * np.sin(0.5 * w)) ** 2

    return (loss(w + h) - loss(w - h)) / (2 * h)


SINGULAR = [[1.0, 3.0], [2.0, 6.0]]
PROGRAMS = {
    "a norm at zero": (derivative(tf.norm), [0.0, 0.0], [0.0, 0.0]),
    "distances of equal points": (
        derivative(lambda x: tf.norm(x[:, None] - x[None], axis=-1)),
        [[1.0, 2.0], [1.0, 2.0]],
        np.zeros((2, 2)),
    ),
    "running products with a zero": (derivative(tf.math.cumprod), [2.0, 0.0, 3.0, 4.0], [1.0, 32.0, 0.0, 0.0]),
    "the determinant of a singular matrix": (derivative(tf.linalg.det), SINGULAR, [[6.0, -2.0], [-3.0, 1.0]]),
    "a guarded root": (
        derivative(lambda x: tf.where(x > 0, tf.sqrt(tf.where(x > 0, x, 1.0)), 0.0)),
        [-1.0, 0.0, 4.0],
        [0.0, 0.0, 0.25],
    ),
    "a branch that overflows": (
        derivative(lambda x: tf.where(x < 50.0, 2.0 * x, tf.exp(tf.exp(x)))),
        [3.0, 20.0],
        [2.0, 2.0],
    ),
    "the third derivative of a cube": (derivative(twice(lambda x: x**3)), 0.0, 6.0),
    "the fourth derivative of a cube": (twice(twice(lambda x: x**3)), 0.0, 0.0),
    "NumPy in the middle": (derivative(lambda x: np.sin(x) * x), 2.0, np.sin(2.0) + 2.0 * np.cos(2.0)),
    "rounding straight through": (derivative(straight_through), [0.3, 1.7], [0.0, 4.0]),
    "a gradient bounded on its way": (derivative(lambda x: bounded(x) ** 2), [0.25, 5.0], [0.5, 1.0]),
    "a derivative of the user's": (derivative(doubled), 2.0, 5.0),
    "a second derivative of the user's": (twice(doubled), 2.0, 7.0),
    "a third derivative through a loop": (derivative(twice(powers)), 2.0, 48.0),
    "a map": (twice(lambda x: tf.map_fn(lambda r: r**3, x)), [1.0, 2.0], [6.0, 12.0]),
    "a scan": (twice(lambda x: tf.scan(lambda a, b: a * b, x)), [1.0, 2.0, 3.0], [6.0, 5.0, 3.0]),
    "an array of tensors": (derivative(elements), [1.0, 2.0, 3.0], [82.0, 40.0, 24.0]),
    "an inner step": (derivative(two_steps), 1.5, 2.0 * (2.04 - 1.0) * 0.64),
    "a penalty on gradients": (derivative(penalty), [3.0, 4.0], [4.8, 6.4]),
    "an equation in the loss": (derivative(residual), 2.0, worst_residual(2.0)),
    "ties of a maximum": (derivative(tf.reduce_max), [0.0, 5.0, 5.0, 1.0], [0.0, 0.5, 0.5, 0.0]),
    "ties in a window": (
        derivative(lambda x: tf.nn.max_pool2d(tf.reshape(x, [1, 2, 2, 1]), 2, 2, "VALID")),
        [0.0, 5.0, 5.0, 1.0],
        [0.0, 1.0, 0.0, 0.0],
    ),
    "nearest pixels, second order": (twice(resized), [1.0, 2.0], [48.0, 192.0]),
    "block computed again": (twice(tf.recompute_grad(lambda x: tf.sin(x) * x)), 0.0, 2.0),
}


@pytest.mark.parametrize(("f", "point", "expected"), PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("captured", [False, True], ids=["eager", "function"])
def test_derivatives(f, point, expected, captured):
    x = tf.constant(point, tf.float64)
    g = tf.function(f) if captured else f
    for _ in range(2):
        np.testing.assert_allclose(g(x).numpy(), expected, rtol=1e-6, atol=1e-12)


NOTHING_FLOWS = {
    "through rounding": tf.round,
    "through the place of a maximum": lambda x: tf.cast(tf.argmax(x), tf.float64),
    "through an integer": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float64),
    "through NumPy and back": lambda x: tf.constant(x.numpy()) ** 2,
    "through a stopped gradient": lambda x: tf.stop_gradient(x) ** 2,
    "through an assignment": lambda x: tf.Variable(x).assign_add(x) * 2.0,
}


@pytest.mark.parametrize("f", NOTHING_FLOWS.values(), ids=NOTHING_FLOWS)
def test_none(f):
    assert derivative(f)(tf.constant([1.0, 2.0], tf.float64)) is None


def test_none_of_what_the_tape_did_not_see():
    x, late = tf.constant(3.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        unwatched = x * x
        early = late * late
        tape.watch(late)
        y = early * 2.0
    assert tape.gradient(unwatched, x) is None
    assert tape.gradient(y, late) is None
    assert tape.gradient(late * late, late) is None


def test_a_dataset_within_the_tape():
    w = tf.Variable(2.0)
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])

    def step():
        loss = tf.constant(0.0)
        with tf.GradientTape() as tape:
            for d in data:
                loss += d * w * w
        return tape.gradient(loss, w)

    assert [float(f()) for f in (step, tf.function(step))] == [24.0, 24.0]


def test_micro_batches_add_up_to_the_whole():
    random = np.random.default_rng(0)
    x, y = tf.constant(random.normal(size=(8, 2))), tf.constant(random.normal(size=8))
    w = tf.constant([1.0, -1.0], tf.float64)

    def gradient(rows):
        return derivative(lambda w: tf.reduce_mean((tf.linalg.matvec(x[rows], w) - y[rows]) ** 2))(w)

    parts = tf.add_n([gradient(slice(i, i + 2)) for i in range(0, 8, 2)]) / 4.0
    np.testing.assert_allclose(parts.numpy(), gradient(slice(None)).numpy(), rtol=1e-12)


def test_second_derivatives_per_row():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        first = inner.batch_jacobian(y, x)
    second = outer.batch_jacobian(first, x).numpy()
    np.testing.assert_allclose(np.einsum("niii->ni", second), 6.0 * x.numpy())
    assert np.count_nonzero(second) == 4


def test_parameters_keep_their_structure():
    parameters = {"b": [tf.Variable(3.0), (tf.Variable(4.0),)], "a": tf.Variable(2.0)}
    with tf.GradientTape() as tape:
        y = parameters["a"] * parameters["b"][0] * parameters["b"][1][0]
    found = tape.gradient(y, parameters)
    assert tf.nest.map_structure(float, found) == {"a": 12.0, "b": [8.0, (6.0,)]}


def test_rows_of_a_table_add_up_and_are_clipped():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def gradient(rows):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, rows) * [[3.0, 0.0], [0.0, 4.0]])
        return tape.gradient(y, table)

    assert tf.convert_to_tensor(gradient([1, 1])).numpy().tolist() == [[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]
    [clipped], norm = tf.clip_by_global_norm([gradient([0, 2])], 1.0)
    assert float(norm) == pytest.approx(5.0)
    np.testing.assert_allclose(tf.convert_to_tensor(clipped).numpy(), [[0.6, 0.0], [0.0, 0.0], [0.0, 0.8]], rtol=1e-6)


def test_a_variable_that_became_a_tensor():
    v = tf.Variable(3.0)
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = v * v
        found.append(tape.gradient(y, v))
        v = v - 0.5
    assert [g if g is None else float(g) for g in found] == [6.0, None]


def test_threads_do_not_see_each_other():
    found, gate = {}, threading.Barrier(2)

    def work(k):
        v = tf.Variable(float(k))
        with tf.GradientTape() as tape:
            gate.wait()
            y = v * v
            gate.wait()
            z = y * v
        found[k] = float(tape.gradient(z, v)), [w is v for w in tape.watched_variables()]

    threads = [threading.Thread(target=work, args=(k,)) for k in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {2: (12.0, [True]), 3: (27.0, [True])}


def test_a_persistent_tape_dies_with_its_last_name():
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        z = y * v
    assert [float(tape.gradient(*pair)) for pair in ((y, v), (z, v), (z, y))] == [4.0, 12.0, 2.0]
    held = weakref.ref(tape)
    del tape
    assert held() is None


def test_a_complex_gradient_is_conjugated():
    z = tf.constant(0.3 + 0.1j, tf.complex128)
    np.testing.assert_allclose(derivative(lambda z: z * z)(z).numpy(), np.conj(2 * (0.3 + 0.1j)))
    np.testing.assert_allclose(derivative(lambda z: tf.abs(z) ** 2)(z).numpy(), 2 * (0.3 + 0.1j))
