"""Products, norms, diagonals, solvers and factorisations."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

InvalidArgumentError = tf.errors.InvalidArgumentError
RANDOM = np.random.default_rng(5)


def real(*shape):
    return RANDOM.normal(size=shape)


def complexes(*shape):
    return RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)


def listed(t):
    return t.numpy().tolist()


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance, atol=tolerance)


A, B, CUBE = real(3, 4), real(4, 2), real(2, 3, 4)
SQUARE, STACK = real(3, 3), real(2, 3, 3)
Z = complexes(3, 3)
POSITIVE = SQUARE @ SQUARE.T + 3 * np.eye(3)
HERMITIAN = Z @ Z.conj().T + 3 * np.eye(3)


# Products.


def test_names_are_the_same_objects():
    assert tf.linalg.matmul is tf.matmul
    assert tf.linalg.norm is tf.norm
    assert tf.linalg.eye is tf.eye
    assert tf.linalg.einsum is tf.einsum


def test_matmul():
    close(tf.matmul(A, B), A @ B)
    close(tf.matmul(A, A, transpose_b=True), A @ A.T)
    close(tf.matmul(Z, Z, adjoint_a=True), Z.conj().T @ Z)
    close(tf.matmul(CUBE, B), CUBE @ B)
    close(tf.matmul(real(1, 3, 4), np.ones((2, 4, 1))).shape, [2, 3, 1])
    assert listed(tf.matmul([[1, 2]], [[3], [4]])) == [[11]]
    assert tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])).numpy().tolist() == [[0, 0, 0]] * 2
    assert tf.matmul(tf.constant([[1.0]]), [[2]]).dtype == tf.float32


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_half_precision_sums_in_single(dtype):
    row = tf.ones([1, 5000], dtype)
    product = tf.matmul(row, row, transpose_b=True)
    assert product.dtype == dtype
    assert abs(float(product[0, 0]) - 5000) < 20


def test_matvec_and_tensordot():
    close(tf.linalg.matvec(CUBE, B[:, 0]), CUBE @ B[:, 0])
    close(tf.linalg.matvec(A, A[:, 0], transpose_a=True), A.T @ A[:, 0])
    close(tf.tensordot(CUBE, A, [[1, 2], [0, 1]]), np.tensordot(CUBE, A, [[1, 2], [0, 1]]))
    close(tf.tensordot(CUBE, B, 1), CUBE @ B)
    close(tf.tensordot(A, B, 0), np.multiply.outer(A, B))
    close(tf.tensordot(A, A, [[-1], [-1]]), A @ A.T)
    assert tf.tensordot([1.0, 2.0], [3.0, 4.0], tf.constant(1)).numpy() == 11


EQUATIONS = {
    "ij,jk->ik": (A, B),
    "ij,jk": (A, B),
    "bij,jk->bik": (CUBE, B),
    "ij,kl->il": (A, B),
    "ii": (SQUARE,),
    "ii->i": (SQUARE,),
    "bii->ib": (STACK,),
    "ij->": (A,),
    "ba": (SQUARE,),
    "...ij->...ji": (CUBE,),
    "...j,jk->...k": (CUBE, B),
    "...,...->...": (CUBE, A),
    "b...d,df->b...f": (CUBE, B),
    "ij,jk,kl->il": (A, B, B.T.copy()),
    "i,j,k->kij": (A[0], B[0], SQUARE[0]),
    "ij,ij->ij": (A, A),
    "ij,ji->i": (SQUARE, SQUARE),
    "iij,j->i": (SQUARE[:, None] * np.ones((3, 3, 1)), SQUARE[0]),
    " i j , j k -> k i ": (A, B),
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation):
    arrays = EQUATIONS[equation]
    close(tf.einsum(equation, *arrays), np.einsum(equation, *arrays))
    assert_derivatives(lambda *xs: tf.einsum(equation, *xs), *arrays)


def test_einsum_of_variables_and_scalars():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.einsum(",i->i", v, [1.0, 3.0])
    assert listed(y) == [2, 6]
    assert tape.gradient(y, v).numpy() == 4


def test_the_gradient_of_one_matrix_for_a_stack():
    w = tf.Variable(B)
    with tf.GradientTape() as tape:
        y = tf.matmul(CUBE, w)
    close(tape.gradient(y, w), CUBE.sum(axis=(0, 1))[:, None] * np.ones(2))


# Norms.


@pytest.mark.parametrize("ord", ["euclidean", 1, 2, np.inf, 3, 0.5])
def test_vector_norms(ord):
    number = 2 if ord == "euclidean" else ord
    flat = np.abs(A).max() if ord == np.inf else (np.abs(A) ** number).sum() ** (1 / number)
    close(tf.norm(A, ord), flat)
    close(tf.norm(A, ord, axis=-1), np.linalg.norm(A, number, axis=1))
    assert tf.norm(A, ord, axis=0, keepdims=True).shape == [1, 4]
    assert_derivatives(lambda x: tf.norm(x, ord, axis=1), A + np.sign(A) * 0.3)


@pytest.mark.parametrize("ord", ["fro", "euclidean", 1, 2, np.inf])
def test_matrix_norms(ord):
    name = "fro" if ord == "euclidean" else ord
    expected = [np.linalg.norm(m, name) for m in CUBE]
    close(tf.norm(CUBE, ord, axis=[-2, -1]), expected)
    close(tf.norm(CUBE.transpose(2, 0, 1), ord, axis=(2, 0), keepdims=True)[0, :, 0], expected)
    assert_derivatives(lambda x: tf.norm(x, ord, axis=[1, 2]), CUBE)


@pytest.mark.parametrize("ord", ["euclidean", 1, np.inf, 3])
def test_a_norm_at_zero_has_the_gradient_zero(ord):
    x = tf.zeros(3)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.norm(x, ord)
        first = tape.gradient(y, x)
    assert np.isfinite(first.numpy()).all()
    assert ord == np.inf or listed(first) == [0, 0, 0]
    second = outer.gradient(first, x)
    assert second is None or np.isfinite(second.numpy()).all()


def test_complex_norms():
    close(tf.norm(Z), np.linalg.norm(Z))
    assert tf.norm(Z).dtype == tf.complex128
    assert tf.norm(Z, 1).dtype == tf.float64
    assert_derivatives(lambda z: tf.norm(z, axis=1), Z)
    assert_derivatives(lambda z: tf.linalg.normalize(z, axis=1), Z)


def test_normalizing():
    direction, size = tf.linalg.normalize(A, axis=1)
    close(direction * size, A)
    close(tf.norm(direction, axis=1), np.ones(3))
    close(tf.linalg.l2_normalize(A, axis=[0, 1]), A / np.linalg.norm(A))
    assert listed(tf.linalg.l2_normalize([0.0, 0.0])) == [0, 0]
    assert_derivatives(lambda x: tf.linalg.l2_normalize(x, axis=1), A)
    assert tf.nn.l2_normalize is tf.linalg.l2_normalize


# Parts of matrices.


def test_parts():
    close(tf.linalg.trace(CUBE), np.trace(CUBE, axis1=1, axis2=2))
    close(tf.linalg.band_part(A, 1, 0), np.tril(np.triu(A, -1)))
    close(tf.linalg.band_part(A, -1, 1), np.tril(A, 1))
    close(tf.linalg.adjoint(Z), Z.conj().T)
    close(tf.linalg.matrix_transpose(CUBE), CUBE.transpose(0, 2, 1))
    x, y = real(2, 3), real(2, 3)
    close(tf.linalg.cross(x, y), np.cross(x, y))


def test_diagonals():
    assert listed(tf.linalg.diag([1, 2], k=1)) == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert listed(tf.linalg.diag([1, 2], k=-1, num_cols=2)) == [[0, 0], [1, 0], [0, 2]]
    assert listed(tf.linalg.diag([1, 2], padding_value=9)) == [[1, 9], [9, 2]]
    grid = np.arange(1, 10).reshape(3, 3)
    assert listed(tf.linalg.diag_part(grid, k=1)) == [2, 6]
    band = tf.linalg.diag_part(grid, k=(-1, 1))
    assert listed(band) == [[0, 2, 6], [1, 5, 9], [4, 8, 0]]
    assert listed(tf.linalg.diag_part(grid, k=(-1, 0), align="RIGHT_RIGHT", padding_value=7)) == [[1, 5, 9], [7, 4, 8]]
    tridiagonal = np.tril(np.triu(grid, -1), 1)
    assert listed(tf.linalg.diag(band, k=(-1, 1))) == tridiagonal.tolist()
    assert listed(tf.linalg.set_diag(grid, [0, 0, 0])) == [[0, 2, 3], [4, 0, 6], [7, 8, 0]]
    assert listed(tf.linalg.set_diag(grid, [0, 0], k=-1)) == [[1, 2, 3], [0, 5, 6], [7, 0, 9]]


def test_tensor_diagonals():
    square = tf.linalg.tensor_diag([[1, 2], [3, 4]])
    assert square.shape == [2, 2, 2, 2]
    assert listed(square[0, 1]) == [[0, 2], [0, 0]]
    assert listed(tf.linalg.tensor_diag_part(square)) == [[1, 2], [3, 4]]


# Solvers and factorisations.


def test_inverse_and_solutions():
    close(tf.linalg.inv(STACK) @ STACK, np.broadcast_to(np.eye(3), (2, 3, 3)))
    close(tf.linalg.inv(Z, adjoint=True), np.linalg.inv(Z).conj().T)
    close(tf.linalg.solve(SQUARE, A), np.linalg.solve(SQUARE, A))
    close(tf.linalg.solve(Z, Z, adjoint=True), np.linalg.solve(Z.conj().T, Z))
    lower = tf.linalg.triangular_solve(POSITIVE, A)
    close(np.tril(POSITIVE) @ lower.numpy(), A)
    upper = tf.linalg.triangular_solve(POSITIVE, A, lower=False, adjoint=True)
    close(np.triu(POSITIVE).T @ upper.numpy(), A)
    close(tf.linalg.cholesky_solve(tf.linalg.cholesky(POSITIVE), A), np.linalg.solve(POSITIVE, A))
    close(tf.linalg.pinv(A), np.linalg.pinv(A))
    close(tf.linalg.lstsq(B, np.ones((4, 1))), np.linalg.lstsq(B, np.ones((4, 1)))[0])
    close(tf.linalg.lstsq(A, np.ones((3, 1)), fast=False), np.linalg.lstsq(A, np.ones((3, 1)))[0])
    ridge = np.linalg.solve(A @ A.T + 0.5 * np.eye(3), np.ones((3, 1)))
    close(tf.linalg.lstsq(A, np.ones((3, 1)), l2_regularizer=0.5), A.T @ ridge)


def test_determinants():
    close(tf.linalg.det(STACK), np.linalg.det(STACK))
    close(tf.linalg.det(np.zeros((0, 0))), 1)
    sign, log = tf.linalg.slogdet(STACK)
    close(sign * np.exp(log), np.linalg.det(STACK))
    close(tf.linalg.logdet(HERMITIAN), np.log(np.linalg.det(HERMITIAN).real))
    assert tf.linalg.matrix_rank(np.outer(A[0], A[1])).numpy() == 1
    assert listed(tf.linalg.matrix_rank(STACK)) == [3, 3]


RANK_TWO = SQUARE.copy()
RANK_TWO[2] = RANK_TWO[0] - RANK_TWO[1]


@pytest.mark.parametrize("matrix", [SQUARE, Z, RANK_TWO, np.outer(A[0], A[1]), np.zeros((3, 3)), np.zeros((1, 1))])
def test_derivatives_of_the_determinant_also_where_it_is_zero(matrix):
    assert_derivatives(tf.linalg.det, matrix, tolerance=1e-5)


def test_factors_multiply_to_the_matrix():
    factor = tf.linalg.cholesky(HERMITIAN)
    close(factor @ tf.linalg.adjoint(factor), HERMITIAN)
    for matrix in (A, B, complexes(4, 3)):
        s, u, v = tf.linalg.svd(matrix)
        close(tf.matmul(u * tf.cast(s, u.dtype), v, adjoint_b=True), matrix)
        close(tf.linalg.svd(matrix, compute_uv=False), np.linalg.svd(matrix, compute_uv=False))
        q, r = tf.linalg.qr(matrix)
        close(q @ r, matrix)
        assert tf.linalg.qr(matrix, full_matrices=True).q.shape == [matrix.shape[0]] * 2
    w, v = tf.linalg.eigh(HERMITIAN)
    close(tf.matmul(v * tf.cast(w, v.dtype), v, adjoint_b=True), HERMITIAN)
    close(tf.linalg.eigvalsh(HERMITIAN), w)
    w, v = tf.linalg.eig(SQUARE)
    close(tf.matmul(SQUARE.astype(complex), v), v * w)
    packed, p = tf.linalg.lu(STACK)
    close(tf.linalg.lu_reconstruct(packed, p), STACK)
    close(tf.linalg.lu_solve(packed, p, STACK), np.broadcast_to(np.eye(3), STACK.shape))
    close(tf.linalg.lu_matrix_inverse(packed, p), np.linalg.inv(STACK))


def test_exponential():
    close(tf.linalg.expm(np.diag([1.0, 2.0])), np.diag(np.exp([1.0, 2.0])))
    nilpotent = np.array([[0.0, 1.0], [0.0, 0.0]])
    close(tf.linalg.expm(100 * nilpotent), [[1, 100], [0, 1]], 1e-7)
    close(tf.linalg.expm(STACK) @ tf.linalg.expm(-STACK), np.broadcast_to(np.eye(3), STACK.shape), 1e-8)
    turn = tf.linalg.expm(np.array([[0.0, -20.0], [20.0, 0.0]]))
    close(turn, [[np.cos(20), -np.sin(20)], [np.sin(20), np.cos(20)]])


def test_tridiagonal():
    upper, middle, lower = [1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, 2.0]
    full = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])
    x = tf.linalg.tridiagonal_solve([upper, middle, lower], [1.0, 2.0, 3.0])
    close(full @ x.numpy(), [1, 2, 3], 1e-5)
    pieces = [tf.constant(d) for d in (upper, middle, lower)]
    close(tf.linalg.tridiagonal_matmul(pieces, [[1.0]] * 3, "sequence"), full.sum(axis=1)[:, None], 1e-6)
    close(tf.linalg.tridiagonal_solve(full, full, "matrix"), np.eye(3))


def symmetric(f):
    """f of the Hermitian part of its argument, so that any direction is an allowed one."""
    return lambda x: f((x + tf.linalg.adjoint(x)) * 0.5)


DERIVATIVES = {
    "matmul": (tf.matmul, CUBE, B),
    "adjoint": (lambda a, b: tf.matmul(a, b, adjoint_a=True), Z, Z + 1),
    "matvec": (tf.linalg.matvec, CUBE, B[:, 0]),
    "tensordot": (lambda a, b: tf.tensordot(a, b, [[0, 2], [1, 0]]), CUBE, real(4, 2, 3)),
    "cross": (tf.linalg.cross, SQUARE, SQUARE + 1),
    "trace": (lambda x: tf.linalg.trace(x) ** 2, CUBE),
    "diag_part": (lambda x: tf.linalg.diag_part(x, k=(-2, 1), padding_value=3.0) ** 2, CUBE),
    "diag": (lambda x: tf.linalg.diag(x, k=(-1, 1), padding_value=3.0) ** 2, STACK),
    "set_diag": (lambda x, d: tf.linalg.set_diag(x, d) ** 2, CUBE, CUBE[:, 0, :3]),
    "tensor_diag": (lambda x: tf.linalg.tensor_diag(x) ** 2, A),
    "inv": (tf.linalg.inv, STACK),
    "inv complex": (lambda x: tf.linalg.inv(x, adjoint=True), Z),
    "solve": (tf.linalg.solve, SQUARE, A),
    "triangular_solve": (tf.linalg.triangular_solve, POSITIVE, A),
    "slogdet": (tf.linalg.slogdet, STACK),
    "slogdet complex": (tf.linalg.slogdet, Z),
    "logdet": (symmetric(tf.linalg.logdet), HERMITIAN),
    "cholesky": (symmetric(tf.linalg.cholesky), POSITIVE),
    "cholesky complex": (symmetric(tf.linalg.cholesky), HERMITIAN),
    "eigh": (symmetric(lambda x: [tf.square(t) for t in tf.linalg.eigh(x)]), POSITIVE),
    "eigh complex": (symmetric(lambda x: [tf.abs(t) for t in tf.linalg.eigh(x)]), HERMITIAN),
    "eig": (lambda x: [tf.abs(t) for t in tf.linalg.eig(x)], Z),
    "svd tall": (lambda x: [*tf.linalg.svd(x)], real(4, 3)),
    "svd wide": (lambda x: [*tf.linalg.svd(x)], A),
    "svd complex": (lambda x: [tf.abs(t) for t in tf.linalg.svd(x)], complexes(3, 2)),
    "qr tall": (lambda x: [*tf.linalg.qr(x)], real(4, 3)),
    "qr wide": (lambda x: [*tf.linalg.qr(x)], A),
    "qr complex": (lambda x: [*tf.linalg.qr(x)], Z),
    "lu": (lambda x: tf.linalg.lu(x).lu, STACK),
    "lu complex": (lambda x: tf.linalg.lu_solve(*tf.linalg.lu(x), x + 1), Z),
    "pinv": (tf.linalg.pinv, A),
    "lstsq": (lambda a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.3), B, CUBE[0].T.copy()),
    "expm": (tf.linalg.expm, STACK),
    "tridiagonal": (tf.linalg.tridiagonal_solve, np.eye(3) + 0.2 * SQUARE + [[0], [3], [0]], SQUARE),
    "global_norm": (lambda a, b: tf.linalg.global_norm([a, b]), A, B),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name):
    f, *arrays = DERIVATIVES[name]
    assert_derivatives(f, *arrays, tolerance=3e-6)


def test_eigenvalues_that_are_equal_have_finite_gradients():
    x = tf.constant(np.eye(3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        w, v = tf.linalg.eigh(x)
        y = tf.reduce_sum(w) + tf.reduce_sum(v * v)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


def test_full_factors_have_no_gradient_beyond_the_singular_values():
    x = tf.constant(real(4, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        s, u, _ = tf.linalg.svd(x, full_matrices=True)
        q, _ = tf.linalg.qr(x, full_matrices=True)
    assert np.isfinite(tape.gradient(s, x).numpy()).all()
    with pytest.raises(tf.errors.UnimplementedError, match="full_matrices"):
        tape.gradient(u, x)
    with pytest.raises(tf.errors.UnimplementedError, match="full_matrices"):
        tape.gradient(q, x)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_single_precision_stays_single(dtype):
    x = tf.cast(tf.constant(POSITIVE), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        outs = [tf.linalg.inv(x), tf.linalg.det(x), tf.linalg.cholesky(x), tf.linalg.expm(x * 0.1), tf.linalg.qr(x).r]
    assert all(o.dtype == dtype for o in outs)
    assert tape.gradient(outs, x).dtype == dtype


# Wrong arguments.

WRONG = [
    (lambda: tf.matmul(A[0], B), InvalidArgumentError, r"In\[0\] ndims must be >= 2"),
    (lambda: tf.matmul(A, B[:, 0]), InvalidArgumentError, r"In\[1\] ndims must be >= 2"),
    (lambda: tf.matmul(A, A), InvalidArgumentError, r"In\[0\]: \[3, 4\], In\[1\]: \[3, 4\]"),
    (lambda: tf.matmul(CUBE, real(5, 4, 2)), InvalidArgumentError, r"\[5, 4, 2\]"),
    (lambda: tf.matmul([[True]], [[True]]), InvalidArgumentError, "bool"),
    (lambda: tf.matmul([[1]], [[2.0]]), InvalidArgumentError, "int32 tensor but is a float tensor"),
    (lambda: tf.matmul(A, A, transpose_a=True, adjoint_a=True), ValueError, "Only one of `transpose_a`"),
    (lambda: tf.linalg.matvec(A, A[0, 0]), InvalidArgumentError, "at least one axis"),
    (lambda: tf.tensordot(A, A, 1), InvalidArgumentError, "size-incompatible"),
    (lambda: tf.tensordot(A, A, [[0], [0, 1]]), ValueError, "Different number"),
    (lambda: tf.tensordot(A, A, [[0]]), ValueError, "length 2"),
    (lambda: tf.tensordot(A, A, [[5], [0]]), ValueError, "5"),
    (lambda: tf.tensordot(A, A, -1), ValueError, "at least 0"),
    (lambda: tf.tensordot(A, A, 3), ValueError, "number of dimensions"),
    (lambda: tf.tensordot([1.0], [1], 1), InvalidArgumentError, "float tensor but is a int32"),
    (lambda: tf.einsum("ij,jk->ik", A, A), InvalidArgumentError, "Expected dimension 4 at axis 0"),
    (lambda: tf.einsum("ij,jk->ik", A), ValueError, "Got 1 arguments"),
    (lambda: tf.einsum("ij->iz", A), ValueError, "'z'"),
    (lambda: tf.einsum("ij->ii", A), ValueError, "more than once"),
    (lambda: tf.einsum("i->i", A), InvalidArgumentError, "rank 1 but got: 2"),
    (lambda: tf.einsum("i1->i", A), ValueError, "letters"),
    (lambda: tf.einsum("ij->i", A, foo=1), TypeError, "foo"),
    (lambda: tf.einsum(3, A), ValueError, "string"),
    (lambda: tf.norm([3, 4]), InvalidArgumentError, "int32"),
    (lambda: tf.norm(A, "foo"), ValueError, "supported vector norm, got foo"),
    (lambda: tf.norm(A, -1), ValueError, "got -1"),
    (lambda: tf.norm(A, 3, axis=[0, 1]), ValueError, "matrix norm"),
    (lambda: tf.norm(A, axis=[0, 0]), ValueError, "unique"),
    (lambda: tf.norm(A, axis=7), InvalidArgumentError, "dimension"),
    (lambda: tf.linalg.cross(A, A), InvalidArgumentError, "3 elements"),
    (lambda: tf.linalg.trace(A[0]), InvalidArgumentError, "2-dim"),
    (lambda: tf.linalg.matrix_transpose(A[0]), ValueError, "rank >= 2"),
    (lambda: tf.linalg.diag(1.0), InvalidArgumentError, "1-dim"),
    (lambda: tf.linalg.diag_part(A, k=9), InvalidArgumentError, "9"),
    (lambda: tf.linalg.diag_part(A, k=(1, 0)), InvalidArgumentError, "lowest"),
    (lambda: tf.linalg.diag_part(A, k=(0, 1), align="UP"), ValueError, "UP"),
    (lambda: tf.linalg.set_diag(A, A[0]), InvalidArgumentError, r"\[3\]"),
    (lambda: tf.linalg.tensor_diag_part(A), InvalidArgumentError, "twice"),
    (lambda: tf.linalg.inv(A), InvalidArgumentError, "must be square"),
    (lambda: tf.linalg.inv(np.zeros((2, 2))), InvalidArgumentError, "not invertible"),
    (lambda: tf.linalg.inv([[1, 2], [3, 4]]), InvalidArgumentError, "int32"),
    (lambda: tf.linalg.inv(A[0]), InvalidArgumentError, "rank >= 2"),
    (lambda: tf.linalg.solve(np.zeros((2, 2)), np.ones((2, 1))), InvalidArgumentError, "not invertible"),
    (lambda: tf.linalg.solve(SQUARE, B), InvalidArgumentError, "incompatible"),
    (
        lambda: tf.linalg.solve(tf.eye(2), tf.eye(2, dtype=tf.float64)),
        InvalidArgumentError,
        "float tensor but is a double",
    ),
    (lambda: tf.linalg.cholesky(-np.eye(2)), InvalidArgumentError, "not successful"),
    (lambda: tf.linalg.lu(np.zeros((2, 2))), InvalidArgumentError, "not invertible"),
    (lambda: tf.linalg.tridiagonal_solve(B, B[0]), InvalidArgumentError, "3 diagonals"),
    (lambda: tf.linalg.tridiagonal_solve(A, A[0], "foo"), ValueError, "foo"),
]


@pytest.mark.parametrize("index", range(len(WRONG)))
def test_wrong_arguments(index):
    call, error, words = WRONG[index]
    with pytest.raises(error, match=words):
        call()
