"""Square roots and logarithms of matrices, tridiagonal eigenvalues and banded systems, as TensorFlow gives them."""

import numpy as np
import pytest

import gradtape as tf

A = np.array([[4.0, 1.0, 0.5], [0.3, 3.0, 1.0], [0.2, 0.1, 2.0]])
BANDS, RHS = np.array([[1.0, 2.0, 3.0], [9.0, 4.0, 5.0]]), np.ones((3, 2))
ALPHA, BETA = tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64), tf.constant([0.5, 0.2, 0.1], tf.float64)
EIGENVALUES = [0.7902093, 2.16610543, 3.03357763, 4.01010764]


def test_square_root_and_its_gradient():
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        root = tf.linalg.sqrtm(x)
        y = tf.reduce_sum(root * A)
    np.testing.assert_allclose(root[0], [1.99313358, 0.26816109, 0.1220474], rtol=1e-7)
    np.testing.assert_allclose(tape.gradient(y, x)[0], [0.98587596, 0.22471615, 0.11019363], rtol=1e-7)
    assert tf.matrix_square_root is tf.linalg.sqrtm


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        ([[1.0, 2.0], [0.0, 0.0]], [[1, 2], [0, 0]]),  # singular
        ([[0.0, 1.0], [0.0, 0.0]], np.full((2, 2), np.nan)),  # no root at all
        ([[-1.0, 2.0], [0.0, 3.0]], np.full((2, 2), np.nan)),  # no real root
        ([[np.nan, 0.0], [0.0, 1.0]], np.full((2, 2), np.nan)),
        ([[2.0, 1.0], [0.0, 2.0]], [[2**0.5, 0.125**0.5], [0, 2**0.5]]),  # not diagonalisable
        (np.zeros((0, 0)), np.zeros((0, 0))),
    ],
)
def test_square_roots_at_the_edges(x, wanted):
    np.testing.assert_allclose(tf.linalg.sqrtm(tf.constant(x, tf.float64)), wanted, atol=1e-14)


def test_logarithm_is_the_inverse_of_the_exponential():
    for x in (A + 0j, -A + 0j, (1 + 2j) * A):  # the second has its eigenvalues on the cut
        log = tf.linalg.logm(tf.constant(x))
        np.testing.assert_allclose(tf.linalg.expm(log), x, atol=1e-12)
        assert np.linalg.eigvals(log.numpy()).imag.max() <= np.pi + 1e-12


def test_second_derivative_of_the_square_root():
    x = tf.constant([[4.0]], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.linalg.sqrtm(x)
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, x)[0, 0]) == pytest.approx(-1 / 32)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [1.0, -1.5, 2.83333333]),
        ({"lower": False}, [0.09444444, 0.15, 0.2]),
        ({"adjoint": True}, [2.33333333, -0.33333333, 0.33333333]),
        ({"lower": False, "adjoint": True}, [0.11111111, 0.22222222, 0.11111111]),
    ],
)
def test_banded_systems(options, wanted):
    found = tf.linalg.banded_triangular_solve(BANDS, RHS, **options)
    np.testing.assert_allclose(found[:, 0], wanted, atol=1e-8)


def test_gradients_of_banded_systems_leave_out_what_is_outside():
    bands, rhs = tf.constant(BANDS), tf.constant(RHS)
    with tf.GradientTape() as tape:
        tape.watch([bands, rhs])
        y = tf.reduce_sum(tf.linalg.banded_triangular_solve(bands, rhs))
    to_bands, to_rhs = tape.gradient(y, [bands, rhs])
    np.testing.assert_allclose(to_bands, [[-4.66666667, -1, -1.88888889], [0, 0.66666667, 1]], atol=1e-8)
    np.testing.assert_allclose(to_rhs[:, 1], [2.33333333, -0.33333333, 0.33333333], atol=1e-8)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({}, slice(None)),
        ({"select": "i", "select_range": (1, 2)}, slice(1, 3)),
        ({"select": "v", "select_range": (1.5, 3.5)}, slice(1, 3)),
    ],
)
def test_tridiagonal_eigenvalues(options, part):
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(ALPHA, BETA, **options), EIGENVALUES[part], rtol=1e-7)
    w, v = tf.linalg.eigh_tridiagonal(ALPHA, BETA, eigvals_only=False, **options)
    beside = BETA.numpy()
    whole = np.diag(ALPHA.numpy()) + np.diag(beside, 1) + np.diag(beside, -1)
    np.testing.assert_allclose(whole @ v.numpy(), v.numpy() * w.numpy(), atol=1e-12)


def test_complex_tridiagonal_matrices_and_many_at_once():
    beta = tf.constant([[1j, 2.0], [0.5, 1 - 1j]], tf.complex128)
    alpha = tf.ones([2, 3], tf.complex128)
    w, v = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    for i in range(2):
        beside = beta[i].numpy()
        whole = np.eye(3) + np.diag(beside, 1) + np.diag(beside.conj(), -1)
        np.testing.assert_allclose(whole @ v[i].numpy(), v[i].numpy() * w[i].numpy(), atol=1e-12)


def test_gradient_of_tridiagonal_eigenvalues():
    with tf.GradientTape() as tape:
        tape.watch([ALPHA, BETA])
        y = tf.reduce_sum(tf.linalg.eigh_tridiagonal(ALPHA, BETA))
    to_alpha, to_beta = tape.gradient(y, [ALPHA, BETA])
    np.testing.assert_allclose(to_alpha, np.ones(4))  # the sum of the eigenvalues is the trace
    np.testing.assert_allclose(to_beta, np.zeros(3), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.linalg.sqrtm(tf.zeros([2, 3])), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.logm(tf.eye(2)), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.banded_triangular_solve(BANDS[0], RHS), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.banded_triangular_solve(BANDS, RHS[:2]), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.banded_triangular_solve(BANDS * 0, RHS), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.eigh_tridiagonal(ALPHA, BETA[:2]), tf.errors.InvalidArgumentError),
        (lambda: tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="x"), ValueError),
        (lambda: tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="i"), ValueError),
        (
            lambda: tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="i", select_range=(2, 1)),
            tf.errors.InvalidArgumentError,
        ),
        (
            lambda: tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="v", select_range=(2, 1)),
            tf.errors.InvalidArgumentError,
        ),
    ],
)
def test_bad_arguments(call, error):
    with pytest.raises(error):
        call()
