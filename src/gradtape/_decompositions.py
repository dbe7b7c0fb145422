"""Inverses, determinants, solvers and factorisations of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import alike, of_kind
from gradtape.base.dtypes import as_dtype, int32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops import factoring, shaping, solving
from gradtape.ops.factoring import adjoint as adjoint_of
from gradtape.ops.indexing import gather_nd
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where

FLOATING = "fVc"


class Qr(NamedTuple):
    """The factors of `x = q r`."""

    q: Tensor
    r: Tensor


class LogMatrixDeterminant(NamedTuple):
    """The sign of a determinant and the logarithm of its absolute value."""

    sign: Tensor
    log_abs_determinant: Tensor


class Lu(NamedTuple):
    """L and U in one matrix, and the permutation of the rows."""

    lu: Tensor
    p: Tensor


def _matrices(value: Any, op: str, square: bool = True, message: str = "Input matrix must be square.") -> Tensor:
    x = of_kind(to_tensor(value, None, "input"), FLOATING, op)
    shape = x._value.shape
    if len(shape) < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got shape {list(shape)} [Op:{op}]")
    if square and shape[-1] != shape[-2]:
        raise invalid(f"{message} [Op:{op}]")
    return x


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Return the inverse of each matrix.

    Args:
        input: shape `[..., n, n]`, floating or complex.
        adjoint: invert the conjugate transpose.

    Raises:
        InvalidArgumentError: if a matrix is singular or not square.

    >>> import gradtape as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    x = _matrices(input, "MatrixInverse")
    return solving.inverse(adjoint_of(x) if adjoint else x)


def det(input: Any, name: str | None = None) -> Tensor:
    """Return the determinant of each matrix. Its gradient is right for singular matrices too.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    >>> import gradtape as tf
    >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(-2.0)
    """
    return solving.det(_matrices(input, "MatrixDeterminant"))


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """Return the sign of each determinant and the logarithm of its absolute value.

    >>> import gradtape as tf
    >>> tf.linalg.slogdet([[-1.0]]).sign.numpy()
    np.float32(-1.0)
    """
    return LogMatrixDeterminant(*solving.slogdet(_matrices(input, "LogMatrixDeterminant")))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the determinant of each Hermitian positive definite matrix.

    Raises:
        InvalidArgumentError: if a matrix is not positive definite.

    >>> import gradtape as tf
    >>> tf.linalg.logdet([[1.0]]).numpy()
    np.float32(0.0)
    """
    factor = factoring.cholesky(_matrices(matrix, "Cholesky"))
    diagonal = shaping.diag_part(factor)
    if factor._value.dtype.kind == "c":
        diagonal = ew.real(diagonal)
    return reduce_sum(ew.log(diagonal), axis=(diagonal._value.ndim - 1,)) * 2


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Return the x with `matrix x = rhs`.

    Args:
        matrix: shape `[..., n, n]`, floating or complex.
        rhs: shape `[..., n, k]`, of the same dtype.
        adjoint: solve with the conjugate transpose.

    Raises:
        InvalidArgumentError: if a matrix is singular or not square, or the shapes do not fit.

    >>> import gradtape as tf
    >>> tf.linalg.solve([[2.0]], [[4.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    a, b = alike([matrix, rhs], "MatrixSolve")
    a = _matrices(a, "MatrixSolve", message="Input matrix must be square.")
    _check_rhs(a, b, "MatrixSolve")
    return solving.solve(adjoint_of(a) if adjoint else a, b)


def _check_rhs(a: Tensor, b: Tensor, op: str) -> None:
    shape, other = a._value.shape, b._value.shape
    if len(other) < 2 or other[-2] != shape[-2]:
        raise invalid(f"Input matrix and rhs are incompatible: {list(shape)} and {list(other)} [Op:{op}]")


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Return the x with `matrix x = rhs`, of which only one triangle of the matrix is read.

    Args:
        matrix: shape `[..., n, n]`.
        rhs: shape `[..., n, k]`.
        lower: read the lower triangle, else the upper one.
        adjoint: solve with the conjugate transpose.

    Raises:
        InvalidArgumentError: if a matrix is singular or not square, or the shapes do not fit.

    >>> import gradtape as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [0.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    a, b = alike([matrix, rhs], "MatrixTriangularSolve")
    _matrices(a, "MatrixTriangularSolve")
    _check_rhs(a, b, "MatrixTriangularSolve")
    return _triangular(a, b, lower=lower, adjoint=adjoint)


def _triangular(a: Any, b: Any, lower: bool = True, adjoint: bool = False) -> Any:
    half = shaping.band_part(a, lower=-1 if lower else 0, upper=0 if lower else -1)
    return solving.solve(adjoint_of(half) if adjoint else half, b)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Return the lower triangular L with `L L^H = input`, for each positive definite matrix.

    Raises:
        InvalidArgumentError: if a matrix is not square or not positive definite.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky([[4.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    return factoring.cholesky(_matrices(input, "Cholesky"))


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Return the x with `chol chol^H x = rhs`.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky_solve([[2.0]], [[8.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    a, b = alike([chol, rhs], "MatrixTriangularSolve")
    _matrices(a, "MatrixTriangularSolve")
    _check_rhs(a, b, "MatrixTriangularSolve")
    return _triangular(a, _triangular(a, b), adjoint=True)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Return q with orthonormal columns and the upper triangular r, with `input = q r`.

    Args:
        input: shape `[..., m, n]`.
        full_matrices: give a square q; then there is no gradient for `m > n`.

    >>> import gradtape as tf
    >>> tf.linalg.qr([[-2.0]]).r.shape
    TensorShape([1, 1])
    """
    return Qr(*factoring.qr(_matrices(input, "Qr", square=False), full_matrices=full_matrices))


def lu(input: Any, output_idx_type: Any = int32, name: str | None = None) -> Lu:
    """Return the triangular factors of each matrix, in one matrix, and the permutation p with `input[p] = L U`.

    Args:
        input: shape `[..., n, n]`.
        output_idx_type: int32 or int64, for p.

    Raises:
        InvalidArgumentError: if a matrix is singular.

    >>> import gradtape as tf
    >>> packed, p = tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]])
    >>> packed.numpy(), p.numpy()
    (array([[2. , 2. ],
           [0.5, 1. ]], dtype=float32), array([1, 0], dtype=int32))
    """
    return Lu(*factoring.lu(_matrices(input, "Lu"), dtype=as_dtype(output_idx_type).numpy_dtype))


def _factors(lower_upper: Any) -> tuple[Any, Any, Any]:
    packed = _matrices(lower_upper, "Lu")
    n = packed._value.shape[-1]
    lower = shaping.band_part(packed, lower=-1, upper=0)
    lower = lower - factoring.diagonal(shaping.diag_part(packed)) + np.eye(n, dtype=packed._value.dtype)
    return packed, lower, shaping.band_part(packed, lower=0, upper=-1)


def _rows_at(x: Any, rows: Any) -> Any:
    grid = np.indices(rows.shape)[:-1]
    return gather_nd(x, np.stack([*grid, rows], axis=-1))


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the matrices of which `lu` gave these factors and this permutation."""
    _, lower, upper = _factors(lower_upper)
    order = np.argsort(to_tensor(perm, None, "perm")._value, axis=-1)
    return _rows_at(matmul(lower, upper), order)


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the x with `A x = rhs`, given what `lu` gave for A."""
    _, lower, upper = _factors(lower_upper)
    b = alike([rhs, lower], "LuSolve")[0]
    return solving.solve(upper, solving.solve(lower, _rows_at(b, to_tensor(perm, None, "perm")._value)))


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the inverse of A, given what `lu` gave for it."""
    packed = _matrices(lower_upper, "Lu")._value
    identity = np.broadcast_to(np.eye(packed.shape[-1], dtype=packed.dtype), packed.shape)
    return lu_solve(lower_upper, perm, wrap(identity))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Return the singular values, descending, and u and v with `tensor = u diag(s) v^H`.

    Args:
        tensor: shape `[..., m, n]`.
        full_matrices: give square u and v.
        compute_uv: if False, return the singular values alone.

    >>> import gradtape as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy()
    array([4., 3.], dtype=float32)
    """
    s, u, v = factoring.svd(_matrices(tensor, "Svd", square=False), full_matrices=full_matrices and compute_uv)
    return (s, u, v) if compute_uv else s


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues, ascending, and the eigenvectors, as columns, of each Hermitian matrix.

    >>> import gradtape as tf
    >>> tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0].numpy()
    array([1., 2.], dtype=float32)
    """
    w, v = factoring.eigh(_matrices(tensor, "SelfAdjointEigV2"))
    return w, v


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Return the eigenvalues of each Hermitian matrix, ascending."""
    return eigh(tensor)[0]


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues and the eigenvectors, as columns, of each matrix; both are complex.

    >>> import gradtape as tf
    >>> tf.linalg.eig([[2.0]])[0].numpy()
    array([2.+0.j], dtype=complex64)
    """
    x = _matrices(tensor, "Eig")
    dtype = x._value.dtype
    if dtype.kind != "c":
        x = shaping.cast(x, dtype=np.dtype("complex128" if dtype == np.float64 else "complex64"))
    w, v = factoring.eig(x)
    return w, v


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Return the eigenvalues of each matrix, complex."""
    return eig(tensor)[0]


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the pseudo-inverse of each matrix.

    Args:
        a: shape `[..., m, n]`, floating or complex.
        rcond: singular values at or below this share of the largest count as zero; `10 max(m, n) eps` by default.

    >>> import gradtape as tf
    >>> tf.linalg.pinv([[2.0, 0.0]]).numpy()
    array([[0.5],
           [0. ]], dtype=float32)
    """
    x = _matrices(a, "Svd", square=False)
    s, u, v = factoring.svd(x, full_matrices=False)
    small = s._value <= _cutoff(s._value, x._value.shape, rcond)
    inverse = where(small, 0, 1 / where(small, 1, s))
    row = shaping.reshape(inverse, shape=(*inverse._value.shape[:-1], 1, inverse._value.shape[-1]))
    if x._value.dtype.kind == "c":
        row = shaping.cast(row, dtype=x._value.dtype)
    return matmul(v * row, adjoint_of(u))


def _cutoff(values: Any, shape: tuple[int, ...], rcond: Any) -> Any:
    share = 10.0 * max(shape[-2:]) * np.finfo(values.dtype).eps if rcond is None else to_tensor(rcond)._value
    return np.expand_dims(np.asarray(share, dtype=values.dtype), -1) * values.max(axis=-1, keepdims=True, initial=0)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the number of singular values of each matrix above `tol`, int32; no gradient flows.

    Args:
        a: shape `[..., m, n]`.
        tol: the bound, by default `eps * max(m, n)` times the largest singular value.

    >>> import gradtape as tf
    >>> tf.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]]).numpy()
    np.int32(1)
    """
    x = _matrices(a, "Svd", square=False)._value
    s = solving.in_double(lambda v: np.linalg.svd(v, compute_uv=False), "matrix_rank", x)
    if tol is None:
        bound = np.finfo(s.dtype).eps * max(x.shape[-2:]) * s.max(axis=-1, keepdims=True, initial=0)
    else:
        bound = np.expand_dims(to_tensor(tol)._value, -1)
    return wrap(np.sum(s > bound, axis=-1, dtype=np.int32))


def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """Return the x that makes `|matrix x - rhs|^2 + l2_regularizer |x|^2` least, and of those the shortest.

    Args:
        matrix: shape `[..., m, n]`.
        rhs: shape `[..., m, k]`.
        l2_regularizer: a scalar.
        fast: solve the normal equations; otherwise, without a regularizer, use the pseudo-inverse, which also serves
            matrices that do not have full rank.

    >>> import gradtape as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    a: Any
    b: Any
    a, b = alike([matrix, rhs], "MatrixSolveLs")
    _matrices(a, "MatrixSolveLs", square=False)
    _check_rhs(a, b, "MatrixSolveLs")
    weight = to_tensor(l2_regularizer, None, "l2_regularizer")._value
    if not fast and not weight:
        return matmul(pinv(a), b)
    m, n = a._value.shape[-2:]
    turned = adjoint_of(a)
    ridge = np.eye(min(m, n), dtype=a._value.dtype) * a._value.dtype.type(weight)
    if m >= n:
        return solving.solve(matmul(turned, a) + ridge, matmul(turned, b))
    return matmul(turned, solving.solve(matmul(a, turned) + ridge, b))


def expm(input: Any, name: str | None = None) -> Tensor:
    """Return the exponential of each matrix: the sum of `input^k / k!`.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    >>> import gradtape as tf
    >>> tf.linalg.expm(tf.zeros([2, 2])).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return solving.expm(_matrices(input, "MatrixExponential"))


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """Multiply matrices that are zero but for the three middle diagonals.

    Args:
        diagonals: as `tridiagonal_solve` takes them.
        rhs: shape `[..., n, k]`.
        diagonals_format: "compact", "sequence" or "matrix".

    >>> import gradtape as tf
    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [[1.0], [1.0]]).numpy()
    array([[3.],
           [3.]], dtype=float32)
    """
    matrix = _tridiagonal(diagonals, diagonals_format)
    a, b = alike([matrix, rhs], "TridiagonalMatMul")
    _check_rhs(a, b, "TridiagonalMatMul")
    return matmul(a, b)


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Return the x with `A x = rhs`, for matrices A that are zero but for the three middle diagonals.

    Args:
        diagonals: "compact": shape `[..., 3, n]`: the upper diagonal (its last element is ignored), the main one, and
            the lower one (its first element is ignored); "sequence": a list of those three; "matrix": `[..., n, n]`.
        rhs: shape `[..., n]` or `[..., n, k]`.
        diagonals_format: how the diagonals are given.
        transpose_rhs: `rhs` has the shape `[..., k, n]`.
        conjugate_rhs: take the complex conjugate of `rhs`.
        partial_pivoting: accepted, without effect, like `perturb_singular`: pivots are always sought.

    Raises:
        InvalidArgumentError: if a matrix is singular, or the shapes do not fit.

    >>> import gradtape as tf
    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    matrix = _tridiagonal(diagonals, diagonals_format)
    a, b = alike([matrix, rhs], "TridiagonalSolve")
    vector = b._value.ndim == a._value.ndim - 1
    if conjugate_rhs:
        b = factoring.conjugate(b)
    if vector:
        b = shaping.reshape(b, shape=(*b._value.shape, 1))
    elif transpose_rhs:
        b = shaping.mT(b)
    _check_rhs(a, b, "TridiagonalSolve")
    x = solving.solve(a, b)
    if vector:
        return shaping.reshape(x, shape=x._value.shape[:-1])
    return shaping.mT(x) if transpose_rhs else x


def _tridiagonal(diagonals: Any, layout: str) -> Any:
    """The full matrices."""
    if layout == "matrix":
        return _matrices(diagonals, "TridiagonalSolve")
    if layout == "sequence":
        upper, middle, lower = alike(list(diagonals), "TridiagonalSolve")
    elif layout == "compact":
        x = to_tensor(diagonals, None, "diagonals")
        if x._value.ndim < 2 or x._value.shape[-2] != 3:
            raise invalid(f"Expected 3 diagonals, got shape {list(x._value.shape)}")
        upper, middle, lower = shaping.unstack(x, axis=x._value.ndim - 2)
    else:
        raise ValueError(f"Unrecognized diagonals_format: {layout}")
    axis = middle._value.ndim - 1
    last = middle._value.shape[-1]

    def moved(x: Any, step: int) -> Any:
        """The full matrices with this diagonal above or below the main one."""
        return shaping.roll(factoring.diagonal(x), shift=(step,), axis=(axis + 1,))

    up = shaping.band_part(moved(upper, 1), lower=0, upper=-1) if last > 1 else 0
    low = shaping.band_part(moved(lower, -1), lower=-1, upper=0) if last > 1 else 0
    return factoring.diagonal(middle) + up + low
