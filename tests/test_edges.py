"""Derivatives at the edges: finite where one exists, to the order asked for. The table is in docs/edges.md."""

import math

import numpy as np
import pytest

import gradtape as tf

inf, nan = math.inf, math.nan
LOG2 = math.log(2.0)


def derivatives(f, point, orders, dtype=tf.float64):
    """The derivatives of sum(f) of orders 1 to n, each the gradient of the sum of the one before."""
    x = tf.constant(point, dtype)
    tapes = [tf.GradientTape() for _ in range(orders)]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    y = f(x)
    found = []
    for tape in reversed(tapes):
        tape.__exit__(None, None, None)
        y = tape.gradient(y, x)
        found.append(y.numpy().tolist())
    return found


ROWS = [
    ("norm at 0", tf.norm, [0.0, 0.0], [[0.0, 0.0]]),
    ("euclidean norm at 0", tf.math.reduce_euclidean_norm, [0.0, 0.0], [[0.0, 0.0]]),
    ("std of equal values", tf.math.reduce_std, [2.0, 2.0, 2.0], [[0.0, 0.0, 0.0]]),
    ("variance of equal values", tf.math.reduce_variance, [2.0, 2.0], [[0.0, 0.0], [0.0, 0.0]]),
    ("l2_normalize at 0", tf.nn.l2_normalize, [0.0, 0.0], None),
    ("untaken sqrt", lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), [0.0, 4.0], [[0.0, 0.25], [0.0, -1 / 32]]),
    (
        "untaken sqrt of a negative",
        lambda x: tf.where(x > 0, tf.sqrt(x), 0.0),
        [-1.0, 4.0],
        [[0.0, 0.25], [0.0, -1 / 32]],
    ),
    ("untaken log", lambda x: tf.where(x > 0, tf.math.log(x), 0.0), [0.0, 2.0], [[0.0, 0.5], [0.0, -0.25]]),
    ("untaken quotient", lambda x: tf.where(x > 0, 1.0 / x, x), [0.0, 2.0], [[1.0, -0.25], [0.0, 0.25]]),
    ("untaken exp overflow", lambda x: tf.where(x < 50.0, tf.exp(x), x), [0.0, 1000.0], [[1.0, 1.0], [1.0, 0.0]]),
    ("untaken x exp(x)", lambda x: tf.where(x < 50.0, x * tf.exp(x), x), [0.0, 1000.0], [[1.0, 1.0], [2.0, 0.0]]),
    ("guarded sqrt", lambda x: tf.where(x > 0, tf.sqrt(tf.where(x > 0, x, 1.0)), 0.0), [0.0, 4.0], [[0.0, 0.25]]),
    ("cumprod, one zero", tf.math.cumprod, [2.0, 0.0, 3.0], [[1.0, 8.0, 0.0], [4.0, 6.0, 2.0], [2.0, 2.0, 2.0]]),
    ("cumprod, two zeros", tf.math.cumprod, [0.0, 2.0, 0.0], [[3.0, 0.0, 0.0], [3.0, 1.0, 2.0], [2.0, 2.0, 2.0]]),
    ("product, one zero", tf.reduce_prod, [2.0, 0.0, 3.0], [[0.0, 6.0, 0.0], [3.0, 5.0, 2.0], [2.0, 2.0, 2.0]]),
    ("product, two zeros", tf.reduce_prod, [0.0, 0.0, 3.0], [[0.0, 0.0, 0.0], [3.0, 3.0, 0.0], [2.0, 2.0, 2.0]]),
    ("x**3 at 0", lambda x: x**3, 0.0, [0.0, 0.0, 6.0, 0.0, 0.0]),
    ("x**3. at 0", lambda x: tf.pow(x, tf.constant(3.0, tf.float64)), 0.0, [0.0, 0.0, 6.0, 0.0, 0.0]),
    ("x**0 at 0", lambda x: x**0, 0.0, [0.0, 0.0]),
    ("x**1. at 0", lambda x: tf.pow(x, tf.constant(1.0, tf.float64)), 0.0, [1.0, 0.0, 0.0]),
    ("x**1 at 0", lambda x: x**1, 0.0, [1.0, 0.0, 0.0]),
    ("square root of a square at 0", lambda x: tf.abs(x), 0.0, [0.0, 0.0]),
    ("relu at 0", tf.nn.relu, 0.0, [0.0, 0.0]),
    ("maximum tie", lambda x: tf.maximum(x, 1.0), 1.0, [1.0]),
    ("reduce_max ties", tf.reduce_max, [3.0, 3.0, 1.0], [[0.5, 0.5, 0.0]]),
    ("reduce_max of a NaN", lambda x: tf.reduce_max(x, 1), [[1.0, nan], [1.0, 2.0]], [[[nan, nan], [0.0, 1.0]]]),
    (
        "untaken maximum of a NaN",
        lambda x: tf.where(x[:, 0] < 0, tf.reduce_min(x, 1), 1.0),
        [[1.0, nan]],
        [[[0.0, 0.0]]],
    ),
    ("clip at the border", lambda x: tf.clip_by_value(x, 0.0, 1.0), [0.0, 0.5, 1.0], [[1.0, 1.0, 1.0]]),
    ("divide_no_nan by 0", lambda x: tf.math.divide_no_nan(x, 0.0), 1.0, [0.0]),
    ("softsign, second order", tf.nn.softsign, [0.5, -2.0], [[1 / 2.25, 1 / 9], [-2 / 3.375, 2 / 27]]),
    ("logsumexp of -inf", tf.reduce_logsumexp, [-inf, -inf], [[0.0, 0.0]]),
    ("softplus far out", tf.math.softplus, [100.0, -800.0], [[1.0, 0.0], [0.0, 0.0]]),
    ("log_softmax of large logits", lambda x: tf.nn.log_softmax(x)[0], [1000.0, 0.0], [[0.0, 0.0]]),
    ("det of a singular matrix", tf.linalg.det, [[1.0, 2.0], [2.0, 4.0]], [[[4.0, -2.0], [-2.0, 1.0]]]),
    ("xlogy at 0", lambda x: tf.math.xlogy(x, 0.0), 0.0, [0.0]),
    ("xlogy along 0", lambda x: tf.math.xlogy(x, tf.constant([0.0, 2.0, -1.0], tf.float64)), [0.0] * 3, [[0, LOG2, 0]]),
    ("xlog1py along 0", lambda x: tf.math.xlog1py(x, tf.constant([-1.0, 1.0], tf.float64)), [0.0] * 2, [[0, LOG2]]),
    ("xdivy along 0", lambda x: tf.math.xdivy(x, tf.constant([0.0, 2.0], tf.float64)), [0.0] * 2, [[0, 0.5]]),
    ("x log(1 + x) at 0", lambda x: tf.math.xlog1py(x, x), [0.0, 1.0], [[0.0, LOG2 + 0.5], [2.0, 0.75], [-3.0, -0.5]]),
    ("elu, second order", tf.nn.elu, [0.0, 1.0, -1e4], [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
    ("2**x just overflowing", np.exp2, 1024.0, [1.2460659279417838e308]),
    ("logaddexp of infinities", lambda x: np.logaddexp(x, x[::-1]), [-inf, 1.0], [[0.0, 2.0], [0.0, 0.0]]),
]


@pytest.mark.parametrize(("f", "point", "expected"), [r[1:] for r in ROWS if r[3]], ids=[r[0] for r in ROWS if r[3]])
def test_derivatives(f, point, expected):
    np.testing.assert_allclose(derivatives(f, point, len(expected)), expected, rtol=1e-12, atol=1e-14)


def test_logaddexp_of_equal_infinities():
    x = tf.constant([-inf, inf])
    assert np.logaddexp(x, x).numpy().tolist() == [-inf, inf]


def test_l2_normalize_at_zero_is_finite():
    assert np.isfinite(derivatives(tf.nn.l2_normalize, [0.0, 0.0], 1)).all()


def test_tails_in_single_precision():
    """1 - tanh(x)^2 has no correct digit left at 10; the derivative here has all of them."""
    [slope] = derivatives(tf.tanh, [10.0, 20.0], 1, tf.float32)
    np.testing.assert_allclose(slope, [1 / math.cosh(10.0) ** 2, 1 / math.cosh(20.0) ** 2], rtol=1e-6)
    [slope] = derivatives(tf.sigmoid, [-60.0, 60.0], 1, tf.float32)
    np.testing.assert_allclose(slope, [math.exp(-60.0)] * 2, rtol=1e-5)


def test_complex_absolute_value_at_zero():
    z = tf.constant(0j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.abs(z)
    assert tape.gradient(y, z).numpy() == 0


@pytest.mark.parametrize(
    ("f", "point"),
    [
        (lambda x, y: x**y, (1.3, 2.4)),
        (lambda x, y: x / y, (1.3, -0.7)),
        (tf.math.atan2, (0.4, -0.9)),
        (lambda x, y: tf.sqrt(x * x + y * y), (0.3, 0.4)),
        (lambda x, y: tf.reduce_logsumexp(tf.stack([x, y])), (0.3, 1.4)),
        (lambda x, y: tf.nn.softmax(tf.stack([x, y]))[0], (0.3, 1.4)),
        (lambda x, y: tf.reduce_prod(tf.stack([x, y, x])), (0.0, 0.0)),
    ],
)
def test_mixed_derivatives_are_symmetric(f, point):
    x, y = (tf.Variable(p, dtype=tf.float64) for p in point)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            z = f(x, y)
        gx, gy = inner.gradient(z, [x, y])
    xy, yx = outer.gradient(gx, y), outer.gradient(gy, x)
    assert float(xy) == pytest.approx(float(yx), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp_does_not_overflow(exclusive, reverse):
    x = np.array([[1.0, -2.0, 900.0, 3.0], [0.5, -900.0, 2.0, 2.0], [-np.inf, -np.inf, 1.0, 0.0]])
    rows = [np.logaddexp.accumulate(np.append(-np.inf, r[::-1] if reverse else r)) for r in x]
    wanted = [row[:-1] if exclusive else row[1:] for row in rows]
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.math.cumulative_logsumexp(v, axis=1, exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(y.numpy(), [w[::-1] if reverse else w for w in wanted], rtol=1e-14)
    assert np.isfinite(tape.gradient(y, v).numpy()).all()


def test_half_precision_sums_in_single_precision():
    ones = tf.ones([4096], tf.bfloat16)
    assert float(tf.reduce_sum(ones)) == 4096.0
    assert float(tf.reduce_mean(ones)) == 1.0
    assert float(tf.cumsum(ones)[-1]) == 4096.0
    assert float(tf.reduce_mean(tf.cast(ones, tf.float16) * 60000.0)) == 60000.0


def test_euclidean_norm_neither_overflows_nor_vanishes():
    for scale in (1e30, 1e-30):
        v = tf.Variable([3.0 * scale, 4.0 * scale], dtype=tf.float32)
        with tf.GradientTape() as tape:
            y = tf.math.reduce_euclidean_norm(v)
        assert float(y) == pytest.approx(5.0 * scale, rel=1e-6)
        np.testing.assert_allclose(tape.gradient(y, v).numpy(), [0.6, 0.8], rtol=1e-6)


def test_norm_of_complex_numbers():
    z = tf.Variable([[3 + 4j, 0.0], [0.0, 12j]], dtype=tf.complex64)
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.math.reduce_euclidean_norm(z, 1, keepdims=True)
        whole = tf.math.reduce_euclidean_norm(z)
    assert rows.dtype == tf.complex64
    assert rows.numpy().tolist() == [[5.0], [12.0]]
    np.testing.assert_allclose(tape.gradient(rows, z).numpy(), [[0.6 + 0.8j, 0], [0, 1j]], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(whole, z).numpy() * 13, [[3 + 4j, 0], [0, 12j]], rtol=1e-6)
    assert tf.math.reduce_euclidean_norm(z, []).numpy().tolist() == [[5.0, 0.0], [0.0, 12.0]]
