"""NumPy's ufuncs and functions on tensors: recorded, with NumPy's values and the right gradients."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
V = np.array([0.3, 1.7, 0.9])
P = np.abs(X) + 0.1  # positive
U = X / 3  # inside (-1, 1)

UFUNCS = {
    "add": (lambda x: np.add(x, V), X),
    "subtract": (lambda x: np.subtract(V, x), X),
    "multiply": (lambda x: np.multiply(x, V), X),
    "divide": (lambda x: np.divide(V, x), X),
    "remainder": (lambda x: np.remainder(x, 0.7), X),
    "fmod": (lambda x: np.fmod(x, 0.7), X),
    "divmod": (lambda x: np.divmod(x, 0.7)[1], X),
    "power": (lambda x: np.power(x, 3), P),
    "float_power": (lambda x: np.float_power(x, 1.5), P),
    "matmul": (lambda x: np.matmul(x, V), X),
    "matmul_left": (lambda x: np.matmul(V[:2], x), X),
    "matmul_vectors": (lambda x: np.matmul(x[0], x[1]), X),
    "negative": (np.negative, X),
    "positive": (np.positive, X),
    "absolute": (np.absolute, X),
    "fabs": (np.fabs, X),
    "square": (np.square, X),
    "reciprocal": (np.reciprocal, X),
    "sqrt": (np.sqrt, P),
    "cbrt": (np.cbrt, X),
    "hypot": (lambda x: np.hypot(x, V), X),
    "exp": (np.exp, X),
    "exp2": (np.exp2, X),
    "expm1": (np.expm1, X),
    "log": (np.log, P),
    "log2": (np.log2, P),
    "log10": (np.log10, P),
    "log1p": (np.log1p, P),
    "logaddexp": (lambda x: np.logaddexp(x, V), X),
    "sin": (np.sin, X),
    "cos": (np.cos, X),
    "tan": (np.tan, X),
    "arcsin": (np.arcsin, U),
    "arccos": (np.arccos, U),
    "arctan": (np.arctan, X),
    "arctan2": (lambda x: np.arctan2(x, V), X),
    "sinh": (np.sinh, X),
    "cosh": (np.cosh, X),
    "tanh": (np.tanh, X),
    "arcsinh": (np.arcsinh, X),
    "arccosh": (np.arccosh, P + 1),
    "arctanh": (np.arctanh, U),
    "deg2rad": (np.deg2rad, X),
    "degrees": (np.degrees, X),
    "maximum": (lambda x: np.maximum(x, V), X),
    "minimum": (lambda x: np.minimum(V, x), X),
    "add_reduce": (lambda x: np.add.reduce(x, axis=1, keepdims=True), X),
    "multiply_reduce": (np.multiply.reduce, X),
    "maximum_reduce": (lambda x: np.maximum.reduce(x, axis=None), X),
    "minimum_reduce": (lambda x: np.minimum.reduce(x, axis=-1), X),
    "add_accumulate": (lambda x: np.add.accumulate(x, axis=1), X),
    "multiply_accumulate": (np.multiply.accumulate, X),
    "subtract_outer": (lambda x: np.subtract.outer(x, V), X),
    "array_left": (lambda x: V * x - V / x, X),
    "scalar_left": (lambda x: np.float64(2) * x + np.float64(1), X),
    "array_matmul": (lambda x: np.ones((2, 2)) @ x, X),
}

FUNCTIONS = {
    "append": (lambda x: np.append(x, V), X),
    "append_axis": (lambda x: np.append(x, V[None], axis=0), X),
    "array_split": (lambda x: np.array_split(x, 2, axis=1)[0], X),
    "atleast_2d": (lambda x: np.atleast_2d(x[0]), X),
    "atleast_3d": (lambda x: np.atleast_3d(x), X),
    "average": (lambda x: np.average(x, axis=1, weights=V), X),
    "average_plain": (lambda x: np.average(x, axis=0), X),
    "broadcast_arrays": (lambda x: np.broadcast_arrays(x[:, :1], V)[0], X),
    "broadcast_to": (lambda x: np.broadcast_to(x, (4, 2, 3)), X),
    "clip": (lambda x: np.clip(x, -1, 1), X),
    "clip_below": (lambda x: np.clip(x, 0.1, None), X),
    "column_stack": (lambda x: np.column_stack([x, x[:, 0]]), X),
    "concatenate": (lambda x: np.concatenate([x, V[None]]), X),
    "concatenate_flat": (lambda x: np.concatenate([x, V], axis=None), X),
    "concatenate_rows": (np.concatenate, X),
    "copy": (np.copy, X),
    "cumprod": (np.cumprod, X),
    "cumsum": (lambda x: np.cumsum(x, axis=1), X),
    "diagonal": (lambda x: np.diagonal(x, offset=1), X),
    "diagonal_below": (lambda x: np.diagonal(x, -1), X),
    "diff": (lambda x: np.diff(x, n=2), X),
    "dot": (lambda x: np.dot(x, V), X),
    "dot_matrix": (lambda x: np.dot(x, x.T if isinstance(x, np.ndarray) else np.transpose(x)), X),
    "dot_scalar": (lambda x: np.dot(2.0, x), X),
    "dot_stack": (lambda x: np.dot(x, np.ones((4, 3, 2))), X),
    "dstack": (lambda x: np.dstack([x, x]), X),
    "einsum": (lambda x: np.einsum("ij,j->i", x, V), X),
    "expand_dims": (lambda x: np.expand_dims(x, (0, -1)), X),
    "flip": (np.flip, X),
    "fliplr": (np.fliplr, X),
    "flipud": (np.flipud, X),
    "full_like": (lambda x: np.full_like(x, 2.0) * x, X),
    "hstack": (lambda x: np.hstack([x, x]), X),
    "inner": (lambda x: np.inner(x, V), X),
    "linspace": (lambda x: np.linspace(x[0], x[1], 4, axis=1), X),
    "max": (lambda x: np.max(x, axis=1), X),
    "mean": (lambda x: np.mean(x, axis=0, keepdims=True), X),
    "meshgrid": (lambda x: np.meshgrid(x[0], V)[0], X),
    "min": (np.min, X),
    "moveaxis": (lambda x: np.moveaxis(x[None], 0, -1), X),
    "moveaxis_two": (lambda x: np.moveaxis(x[None], (0, 2), (1, 0)), X),
    "nanmean": (lambda x: np.nanmean(x, axis=0), X),
    "nansum": (np.nansum, X),
    "norm": (np.linalg.norm, X),
    "norm_axis": (lambda x: np.linalg.norm(x, axis=1, keepdims=True), X),
    "norm_1": (lambda x: np.linalg.norm(x, 1, axis=0), X),
    "norm_3": (lambda x: np.linalg.norm(x, 3, axis=0), X),
    "norm_inf": (lambda x: np.linalg.norm(x, np.inf, axis=0), X),
    "outer": (lambda x: np.outer(x, V), X),
    "pad": (lambda x: np.pad(x, ((1, 0), (0, 2))), X),
    "pad_reflect": (lambda x: np.pad(x, 1, mode="reflect"), X),
    "prod": (lambda x: np.prod(x, axis=0), X),
    "ptp": (lambda x: np.ptp(x, axis=1), X),
    "ravel": (np.ravel, X),
    "real": (np.real, X),
    "repeat": (lambda x: np.repeat(x, 2, axis=1), X),
    "repeat_flat": (lambda x: np.repeat(x, 2), X),
    "reshape": (lambda x: np.reshape(x, (3, -1)), X),
    "roll": (lambda x: np.roll(x, 1), X),
    "roll_axis": (lambda x: np.roll(x, -1, axis=1), X),
    "sort": (lambda x: np.sort(x, axis=1), X),
    "sort_flat": (lambda x: np.sort(x, axis=None), X),
    "split": (lambda x: np.split(x, 3, axis=1)[1], X),
    "split_at": (lambda x: np.split(x, [1, 2], axis=1)[2], X),
    "squeeze": (lambda x: np.squeeze(x[None], axis=0), X),
    "stack": (lambda x: np.stack([x, X], axis=-1), X),
    "std": (lambda x: np.std(x, axis=1, ddof=1), X),
    "sum": (np.sum, X),
    "sum_axes": (lambda x: np.sum(x, axis=(0, 1), keepdims=True), X),
    "swapaxes": (lambda x: np.swapaxes(x, 0, -1), X),
    "take": (lambda x: np.take(x, [0, -1, 0], axis=1), X),
    "take_flat": (lambda x: np.take(x, [[5, 0]]), X),
    "tensordot": (lambda x: np.tensordot(x, V, 1), X),
    "tile": (lambda x: np.tile(x, (2, 1, 2)), X),
    "tile_one": (lambda x: np.tile(x, 2), X),
    "trace": (np.trace, X),
    "transpose": (np.transpose, X),
    "transpose_axes": (lambda x: np.transpose(x[None], (2, 0, -2)), X),
    "tril": (lambda x: np.tril(x, -1), X),
    "triu": (lambda x: np.triu(x, 1), X),
    "var": (lambda x: np.var(x, axis=0), X),
    "vdot": (lambda x: np.vdot(x[0], V), X),
    "vstack": (lambda x: np.vstack([x, V]), X),
    "where": (lambda x: np.where(x > 0, x, -2 * x), X),
    "where_array": (lambda x: np.where(X > 0, x, 0.0), X),
}

CASES = {**UFUNCS, **FUNCTIONS}


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient(name: str) -> None:
    function, at = CASES[name]
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    expected = function(at)
    assert isinstance(y, tf.Tensor)
    assert y.dtype == tf.float64
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-12, atol=1e-12)
    weights = np.cos(np.arange(np.size(expected), dtype=float)).reshape(np.shape(expected))
    gradient = tape.gradient(y, x, output_gradients=tf.constant(weights)).numpy()
    direction = np.sin(1 + np.arange(at.size, dtype=float)).reshape(at.shape)
    h = 1e-6
    slope = np.sum(weights * (function(at + h * direction) - function(at - h * direction))) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-6, atol=1e-7)


def test_float32_stays_float32_beside_arrays() -> None:
    x = tf.constant([1.0, 2.0])
    for y in (np.ones(2) * x, x + np.ones(2), np.multiply(x, np.ones(2)), np.stack([x, np.ones(2)]), np.float64(2) - x):
        assert y.dtype == tf.float32


def test_integers_become_floating_where_numpy_makes_them_so() -> None:
    i = tf.constant([1, 4])
    assert np.sqrt(i).dtype == tf.float64
    assert np.mean(i).numpy() == 2.5
    assert np.exp(tf.constant([1], tf.int8)).dtype == tf.float32
    assert np.add(i, 1).dtype == tf.int32
    assert np.sum(tf.constant([True, True])).numpy() == 2


def test_new_tensors_like_another() -> None:
    x = tf.constant([[1.5, 2.5]])
    assert np.zeros_like(x).numpy().tolist() == [[0.0, 0.0]]
    assert np.ones_like(x, dtype=np.int32).dtype == tf.int32
    assert np.zeros_like(x, shape=(3,)).shape == [3]
    assert np.full_like(x, 7).numpy().tolist() == [[7.0, 7.0]]
    assert np.round(x).numpy().tolist() == [[2.0, 2.0]]
    assert np.round(tf.constant(2.567), 1).numpy() == np.float32(2.6)


def test_variables_are_recorded() -> None:
    v = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        y = np.sum(np.sqrt(v) * np.array([2.0, 4.0]))
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), [1.0, 1.0])


def test_logic() -> None:
    x = tf.constant([0.0, 2.0])
    assert np.logical_not(x).numpy().tolist() == [True, False]
    assert np.logical_and(x, [1.0, 1.0]).numpy().tolist() == [False, True]
    assert (np.array([0.0, 1.0]) == x).numpy().tolist() == [True, False]
    assert (np.array([0.0, 3.0]) < x).numpy().tolist() == [False, False]
    assert bool(np.any(x))
    assert not bool(np.all(x))
    assert np.isnan(x).numpy().tolist() == [False, False]
    assert np.bitwise_and(tf.constant([6]), 3).numpy().tolist() == [2]
    assert np.logical_or.reduce(x).numpy()


def test_what_has_no_gradient_is_left_to_numpy() -> None:
    x = tf.constant([2.0, 1.0, 2.0])
    i = tf.constant([3, 1, 3])
    assert np.argsort(x, kind="stable").tolist() == [1, 0, 2]
    assert np.argmax(x) == 0
    assert np.unique(i).tolist() == [1, 3]
    assert np.bincount(i).tolist() == [0, 1, 0, 2]
    assert np.left_shift(i, 1).numpy().tolist() == [6, 2, 6]
    assert np.signbit(x).numpy().tolist() == [False] * 3
    assert np.allclose(x, [2, 1, 2])
    assert np.array_equal(x, x)
    assert np.shape(x) == [3]
    assert (np.ndim(x), np.size(x)) == (1, 3)
    np.testing.assert_allclose(x, [2, 1, 2])
    np.testing.assert_array_equal(x, [2, 1, 2])


def test_ways_out() -> None:
    x = tf.constant([1.0, 2.0])
    assert type(np.asarray(x)) is np.ndarray
    assert np.array(x, dtype=np.float64).dtype == np.float64
    assert np.array([x, x]).shape == (2, 2)
    out = np.asarray(x)
    out[0] = 9
    assert x.numpy().tolist() == [1.0, 2.0]


def test_in_place_on_an_array_gives_a_tensor() -> None:
    x = tf.constant([1.0, 2.0])
    total = start = np.zeros(2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total += x
    assert isinstance(total, tf.Tensor)
    assert tape.gradient(total, x).numpy().tolist() == [1.0, 1.0]
    assert start.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("heaviside", lambda x: np.heaviside(x, 1.0)),
        ("median", np.median),
        ("unique", np.unique),
        ("fft.fft", np.fft.fft),
        ("linalg.norm", lambda x: np.linalg.norm(x, "nuc")),
        ("add.at", lambda x: np.add.at(x, [0], 1.0)),
        ("add.reduceat", lambda x: np.add.reduceat(x, [0])),
        ("fill_diagonal", lambda x: np.fill_diagonal(x, 0)),
        ("copyto", lambda x: np.copyto(np.ones((2, 2)), x)),
        ("sin", lambda x: np.sin(x, where=np.array([[True]]))),
        ("sin", lambda x: np.sin(x, out=np.ones((2, 2)))),
        ("add", lambda x: np.add(1, 2, out=x)),
        ("sum", lambda x: np.sum(x, where=np.array([[True]]))),
        ("sum", lambda x: np.sum(x, out=np.ones(()))),
        ("reshape", lambda x: np.reshape(x, (4,), order="F")),
    ],
)
def test_what_cannot_be_recorded_is_an_error(name: str, call) -> None:
    with pytest.raises(TypeError, match=rf"numpy\.{name} .*\.numpy\(\)"):
        call(tf.constant([[1.0, 2.0], [3.0, 4.0]]))


def test_two_tensors_must_have_one_dtype() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="float tensor but is a double"):
        np.add(tf.constant(1.0), tf.constant(1.0, tf.float64))
    with pytest.raises(TypeError, match="Cannot convert"):
        np.multiply(tf.constant([1]), 1.5)
