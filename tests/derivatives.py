"""Check the first and second derivatives of a function, by both modes, against differences along random directions."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf

STEP = 1e-5


def assert_derivatives(f: Callable[..., Any], *arrays: Any, order: int = 2, tolerance: float = 1e-6) -> None:
    """Compare at float64 or complex128 arrays; the outputs of f are summed with random weights."""
    random = np.random.default_rng(0)
    points = [np.asarray(a, dtype=np.complex128 if np.iscomplexobj(a) else np.float64) for a in arrays]
    weights: list[Any] = []

    def loss(*xs: Any) -> Any:
        outputs = [o for o in tf.nest.flatten(f(*xs)) if o.dtype.is_floating or o.dtype.is_complex]
        if not weights:
            weights.extend([_random_like(random, o.numpy()) for o in outputs])
        return tf.add_n([tf.reduce_sum(_real(o * w)) for o, w in zip(outputs, weights, strict=True)])

    def gradients(*xs: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = loss(*xs)
        found = tape.gradient(y, xs, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [tf.convert_to_tensor(g) for g in found]

    directions = [_random_like(random, p) for p in points]
    expected = _difference(loss, points, directions)
    xs = [tf.constant(p) for p in points]
    np.testing.assert_allclose(_dot(gradients(*xs), directions), expected, rtol=tolerance, atol=tolerance)
    accumulator = tf.autodiff.ForwardAccumulator(xs, [tf.constant(d) for d in directions])
    with accumulator:
        y = loss(*xs)
    tangent = accumulator.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    np.testing.assert_allclose(tangent.numpy(), expected, rtol=tolerance, atol=tolerance)
    if order == 1:
        return
    others = [_random_like(random, p) for p in points]

    def slope(*xs: Any) -> Any:
        return tf.add_n(
            [tf.reduce_sum(_real(tf.math.conj(g) * d)) for g, d in zip(gradients(*xs), others, strict=True)]
        )

    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = slope(*xs)
    second = tape.gradient(y, xs, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    expected = _difference(slope, points, directions)
    found = _dot([tf.convert_to_tensor(g) for g in second], directions)
    np.testing.assert_allclose(found, expected, rtol=10 * tolerance, atol=10 * tolerance)


def _real(x: Any) -> Any:
    return tf.math.real(x) if x.dtype.is_complex else x


def _random_like(random: Any, array: Any) -> Any:
    drawn = random.normal(size=np.shape(array))
    return drawn + 1j * random.normal(size=np.shape(array)) if np.iscomplexobj(array) else drawn


def _dot(gradients: list[Any], directions: list[Any]) -> float:
    return float(sum(np.sum(np.real(np.conj(g.numpy()) * d)) for g, d in zip(gradients, directions, strict=True)))


def _difference(f: Callable[..., Any], points: list[Any], directions: list[Any]) -> float:
    ends = [
        float(f(*[tf.constant(p + sign * STEP * d) for p, d in zip(points, directions, strict=True)]))
        for sign in (1, -1)
    ]
    return (ends[0] - ends[1]) / (2 * STEP)
