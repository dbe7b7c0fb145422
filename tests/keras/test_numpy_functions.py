"""`keras.ops` functions of NumPy's names: values, dtypes and gradients, against NumPy and plain numbers."""

import numpy as np
import pytest

import gradtape as tf

ops = tf.keras.ops
X = np.array([[3.0, -1.5, 0.5, 2.0], [0.0, 4.0, -2.0, 1.0]])
Y = np.array([[1.0, 2.0, -0.5, 3.0], [2.5, -4.0, 1.0, 0.5]])
HOLES = np.array([[3.0, np.nan, 0.5, 2.0], [np.nan, 4.0, -2.0, 1.0], [np.nan, np.nan, np.nan, 1.0]])
WHOLE = np.array([[4, 6, 9], [10, 0, 7]], np.int32)


def same(got, want):
    want = want if isinstance(want, tuple | list) else [want]
    got = got if isinstance(got, tuple | list) else [got]
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.shape == np.shape(w)
        np.testing.assert_allclose(g.numpy(), w, rtol=1e-6, atol=1e-12)


UNARY = (
    "cbrt deg2rad rad2deg sinc i0 angle isposinf isneginf signbit fabs ptp median flipud fliplr nan_to_num "
    "diff trapezoid corrcoef exp2 log1p trunc"
)


@pytest.mark.parametrize("name", UNARY.split())
def test_functions_of_one_array(name):
    x = np.abs(X) if name == "log1p" else X
    same(getattr(ops, name)(x), getattr(np, name)(x))


BINARY = "hypot heaviside nextafter fmax fmin fmod logaddexp logaddexp2 kron isclose arctan2"


@pytest.mark.parametrize("name", BINARY.split())
def test_functions_of_two_arrays(name):
    same(getattr(ops, name)(X, Y), getattr(np, name)(X, Y))


PASS_OVER = "nansum nanprod nanmax nanmin nanmean nanvar nanstd nanmedian nancumsum nancumprod"


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", PASS_OVER.split())
def test_reductions_that_pass_over_nan(name, axis):
    same(getattr(ops, name)(HOLES, axis=axis), getattr(np, name)(HOLES, axis=axis))


def test_positions_among_nan():
    empty = np.array([[np.nan, np.nan], [1.0, np.nan]])
    same(ops.nanargmax(empty, axis=1), np.array([-1, 0]))
    same(ops.nanargmin(HOLES, axis=0), np.array([0, 1, 1, 1]))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_quantiles(method, axis):
    q = np.array([0.0, 0.3, 0.5, 1.0])
    same(ops.quantile(X, q, axis, method), np.quantile(X, q, axis, method=method))
    same(ops.percentile(X, 30.0, axis, method, True), np.percentile(X, 30.0, axis, method=method, keepdims=True))


def test_quantiles_and_nan():
    assert np.isnan(ops.median(HOLES).numpy())
    same(ops.nanquantile(HOLES, 0.25, axis=1), np.nanquantile(HOLES, 0.25, axis=1))
    with pytest.raises(ValueError, match="Invalid `method`"):
        ops.quantile(X, 0.5, method="other")


def test_gradients_of_quantiles():
    x = tf.constant([[1.0, 3.0, 2.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = ops.quantile(x, [0.5, 0.5], axis=1)
    assert tape.gradient(y, x).numpy().tolist() == [[0.0, 1.0, 1.0, 0.0]]


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (4, 4), (2, 5)])
def test_correlate(mode, sizes):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=n) for n in sizes)
    same(ops.correlate(a, b, mode), np.correlate(a, b, mode))


@pytest.mark.parametrize("sizes", [(3, 3), (2, 3), (3, 2), (2, 2)])
def test_cross(sizes):
    a, b = X[:, : sizes[0]], Y[:, : sizes[1]]
    wide = [np.pad(v, [(0, 0), (0, 3 - v.shape[1])]) for v in (a, b)]
    want = np.cross(*wide)
    same(ops.cross(a, b), want[:, 2] if sizes == (2, 2) else want)


def test_whole_numbers():
    same(ops.gcd(WHOLE, 6), np.gcd(WHOLE, 6))
    same(ops.lcm(WHOLE, 6), np.lcm(WHOLE, 6))
    same(ops.bincount(np.array([1, 1, 3])), np.array([0, 2, 0, 1]))
    same(ops.bincount(np.array([[1, 1], [0, 2]]), minlength=4), np.array([[0, 2, 0, 0], [1, 0, 1, 0]]))
    same(ops.bincount(np.array([1, 1]), weights=np.array([0.5, 2.0])), np.array([0.0, 2.5]))
    same(ops.unravel_index(np.array([5, 2]), (2, 3)), (np.array([1, 0]), np.array([2, 2])))


def test_finding():
    same(ops.searchsorted(np.array([1.0, 3.0]), X, side="right"), np.searchsorted([1.0, 3.0], X, side="right"))
    for bins in ([0.0, 1.0, 2.0], [2.0, 1.0, 0.0]):
        same(ops.digitize(X, np.array(bins)), np.digitize(X, bins))
    same(ops.isin(WHOLE, [0, 9]), np.isin(WHOLE, [0, 9]))
    same(ops.isin(WHOLE, [0, 9], invert=True), ~np.isin(WHOLE, [0, 9]))
    same(ops.histogram(X.ravel(), bins=4), np.histogram(X, bins=4))
    same(ops.histogram(X.ravel(), bins=3, range=(-1.0, 2.0)), np.histogram(X, bins=3, range=(-1.0, 2.0)))
    same(ops.select([X > 2, X > 0], [X, -X], 9.0), np.select([X > 2, X > 0], [X, -X], 9.0))


def test_unique():
    x = np.array([[3, 1], [3, 1], [0, 2]])
    got = ops.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=0)
    same(got, tuple(np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=0)))
    same(ops.unique(x), np.unique(x))
    same(ops.unique(x, size=6, fill_value=-1), np.array([0, 1, 2, 3, -1, -1]))
    same(ops.unique(x, size=2), np.array([0, 1]))


def test_arranging():
    rows = [np.array([1, 2]), np.array([3, 4])]
    for name in ("vstack", "hstack", "dstack"):
        same(getattr(ops, name)(rows), getattr(np, name)(rows))
    same(ops.array_split(np.arange(7), 3), np.array_split(np.arange(7), 3))
    for k in range(-1, 5):
        same(ops.rot90(X, k), np.rot90(X, k))
    same(ops.vander(np.array([2.0, 3.0]), 3), np.vander([2.0, 3.0], 3))
    same(ops.view(np.array([1, 2], np.int32), "int16"), np.array([1, 2], np.int32).view(np.int16))
    same(ops.view(np.array([1, 0, 2, 0], np.int16), "int32"), np.array([1, 2]))


def test_making():
    same(ops.geomspace(1.0, 1000.0, 4), np.geomspace(1.0, 1000.0, 4).astype("float32"))
    same(ops.logspace(0.0, 2.0, 3), np.array([1.0, 10.0, 100.0]))
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        np.testing.assert_allclose(getattr(ops, name)(5).numpy(), getattr(np, name)(5), atol=1e-7)
    np.testing.assert_allclose(ops.kaiser(5, 14.0).numpy(), np.kaiser(5, 14.0), atol=1e-7)
    assert ops.arange(0.1, 1.1, 0.1).shape == (10,)


def test_vectorize():
    same(ops.vectorize(lambda a, b: a * 10 + b)(np.arange(3), np.arange(2)[:, None]), np.arange(3) * 10 + [[0], [1]])
    same(ops.vectorize(lambda v: ops.sum(v), signature="(n)->()")(X), X.sum(1))


def test_dtypes():
    assert ops.matmul(np.ones((2, 2), np.int8), np.ones((2, 2), np.int8)).dtype == tf.int32
    assert ops.add(np.int64(1), np.int64(2)).dtype == tf.int64
    assert ops.mean(np.array([1.0, 2.0])).dtype == tf.float64
    assert ops.add(np.float32(1), np.int32(2)).dtype == tf.float32
    assert ops.hypot(tf.constant(3.0, tf.bfloat16), tf.constant(4.0, tf.bfloat16)).dtype == tf.bfloat16
    assert ops.diag(np.array([True, True])).dtype == tf.bool


@pytest.mark.parametrize("ord", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
def test_norms_of_matrices(ord):
    same(ops.norm(X, ord, axis=(0, 1)), np.linalg.norm(X, ord))


@pytest.mark.parametrize("ord", [None, 0, 1, -1, 2, 3, np.inf, -np.inf])
def test_norms_of_vectors(ord):
    a = np.abs(X) + 1
    same(ops.norm(a, ord, axis=1, keepdims=True), np.linalg.norm(a, ord, axis=1, keepdims=True))


def test_linear_algebra():
    a = X @ X.T + np.eye(2)
    lower = np.linalg.cholesky(a)
    same(ops.cholesky_inverse(lower), np.linalg.inv(a))
    same(ops.solve_triangular(lower, np.ones(2), lower=True), np.linalg.solve(lower, np.ones(2)))
    same(ops.lstsq(X.T, np.arange(4.0)), np.linalg.lstsq(X.T, np.arange(4.0), rcond=None)[0])
    same(ops.logdet(a), np.linalg.slogdet(a)[1])
    value, tangent = ops.jvp(lambda x: x * x, (np.array(3.0),), (np.array(2.0),))
    assert (value.numpy(), tangent.numpy()) == (9.0, 12.0)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 3)])
def test_lu_factors_multiply_to_the_matrix(shape):
    x = np.random.default_rng(1).normal(size=shape)
    factors, pivots = (v.numpy() for v in ops.lu_factor(x))
    small = min(shape[-2:])
    for matrix, both, swaps in zip(
        x.reshape(-1, *shape[-2:]), factors.reshape(-1, *shape[-2:]), pivots.reshape(-1, small), strict=True
    ):
        rows = matrix.copy()
        for i, p in enumerate(swaps):
            rows[[i, p]] = rows[[p, i]]
        lower = np.tril(both[:, :small], -1) + np.eye(shape[-2], small)
        np.testing.assert_allclose(lower @ np.triu(both[:small]), rows, atol=1e-12)


def test_signals():
    x = np.random.default_rng(2).normal(size=(2, 40))
    real, imag = ops.rfft(x)
    np.testing.assert_allclose(real.numpy() + 1j * imag.numpy(), np.fft.rfft(x), atol=1e-12)
    for size in (39, 40, 44):
        half = np.fft.rfft(x, size)
        np.testing.assert_allclose(
            ops.irfft((half.real, half.imag), size).numpy(), np.fft.irfft(half, size), atol=1e-12
        )
    back = ops.istft(ops.stft(x, 8, 2, 8), 8, 2, 8)
    np.testing.assert_allclose(back.numpy(), x, atol=1e-6)


def test_the_probability_of_labels():
    logits = np.log([[[0.6, 0.4], [0.6, 0.4]]])
    same(ops.ctc_loss([[1]], logits, [1], [2]), np.array([-np.log(0.64)]))
    same(ops.ctc_loss([[1, 1]], np.zeros((1, 3, 2)), [2], [3]), np.array([-np.log(1 / 8)]))
    paths, scores = ops.ctc_decode(logits, [2], strategy="beam_search", beam_width=3, top_paths=2)
    same(paths, np.array([[[1, -1]], [[-1, -1]]]))
    same(scores, np.log([[0.64, 0.36]]))
    paths, _ = ops.ctc_decode(logits, [2])
    same(paths, np.array([[[-1, -1]]]))


def test_gradients_of_the_probability_of_labels():
    rng = np.random.default_rng(3)
    logits, direction = tf.constant(rng.normal(size=(2, 5, 4))), rng.normal(size=(2, 5, 4))
    arguments = np.array([[1, 2, 2], [3, 0, 0]]), np.array([3, 1]), np.array([5, 4])

    def loss(x):
        return ops.sum(ops.ctc_loss(arguments[0], x, arguments[1], arguments[2]))

    with tf.GradientTape() as tape:
        tape.watch(logits)
        value = loss(logits)
    slope = np.sum(tape.gradient(value, logits).numpy() * direction)
    step = 1e-6
    ends = [loss(logits + sign * step * direction).numpy() for sign in (1, -1)]
    assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)
