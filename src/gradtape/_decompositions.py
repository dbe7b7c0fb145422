"""Factorisations, determinants and functions of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import alike, of_kind
from gradtape.base.dtypes import as_dtype, int32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops import factoring, shaping, solving
from gradtape.ops.indexing import argsort, gather_nd
from gradtape.ops.linalg import matmul
from gradtape.ops.places import row_places
from gradtape.ops.reductions import reduce_sum

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


def matrices(value: Any, op: str, square: bool = True, message: str = "Input matrix must be square.") -> Tensor:
    x = of_kind(to_tensor(value, None, "input"), FLOATING, op)
    shape = x._value.shape
    if len(shape) < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got shape {list(shape)} [Op:{op}]")
    if square and shape[-1] != shape[-2]:
        raise invalid(f"{message} [Op:{op}]")
    return x


def det(input: Any, name: str | None = None) -> Tensor:
    """Return the determinant of each matrix. Its gradient is right for singular matrices too.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    >>> import gradtape as tf
    >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(-2.0)
    """
    return solving.det(matrices(input, "MatrixDeterminant"))


def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """Return the sign of each determinant and the logarithm of its absolute value.

    >>> import gradtape as tf
    >>> tf.linalg.slogdet([[-1.0]]).sign.numpy()
    np.float32(-1.0)
    """
    return LogMatrixDeterminant(*solving.slogdet(matrices(input, "LogMatrixDeterminant")))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the determinant of each Hermitian positive definite matrix.

    Raises:
        InvalidArgumentError: if a matrix is not positive definite.

    >>> import gradtape as tf
    >>> tf.linalg.logdet([[1.0]]).numpy()
    np.float32(0.0)
    """
    factor = factoring.cholesky(matrices(matrix, "Cholesky"))
    diagonal = shaping.diag_part(factor)
    if factor._value.dtype.kind == "c":
        diagonal = ew.real(diagonal)
    return reduce_sum(ew.log(diagonal), axis=(diagonal._value.ndim - 1,)) * 2


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Return the lower triangular L with `L L^H = input`, for each positive definite matrix.

    Raises:
        InvalidArgumentError: if a matrix is not square or not positive definite.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky([[4.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    return factoring.cholesky(matrices(input, "Cholesky"))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Return q with orthonormal columns and the upper triangular r, with `input = q r`.

    Args:
        input: shape `[..., m, n]`.
        full_matrices: give a square q; then there is no gradient for `m > n`.

    >>> import gradtape as tf
    >>> tf.linalg.qr([[-2.0]]).r.shape
    TensorShape([1, 1])
    """
    return Qr(*factoring.qr(matrices(input, "Qr", square=False), full_matrices=full_matrices))


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
    return Lu(*factoring.lu(matrices(input, "Lu"), dtype=as_dtype(output_idx_type).numpy_dtype))


def _factors(lower_upper: Any) -> tuple[Any, Any, Any]:
    packed = matrices(lower_upper, "Lu")
    n = packed._value.shape[-1]
    lower = shaping.band_part(packed, lower=-1, upper=0)
    lower = lower - factoring.diagonal(shaping.diag_part(packed)) + np.eye(n, dtype=packed._value.dtype)
    return packed, lower, shaping.band_part(packed, lower=0, upper=-1)


def _rows_at(x: Any, rows: Any) -> Any:
    return gather_nd(x, row_places(rows))


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the matrices of which `lu` gave these factors and this permutation."""
    _, lower, upper = _factors(lower_upper)
    rows = to_tensor(perm, None, "perm")
    order = argsort(rows, axis=rows._value.ndim - 1, descending=False)
    return _rows_at(matmul(lower, upper), order)


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the x with `A x = rhs`, given what `lu` gave for A."""
    _, lower, upper = _factors(lower_upper)
    b = alike([rhs, lower], "LuSolve")[0]
    return solving.solve(upper, solving.solve(lower, _rows_at(b, to_tensor(perm, None, "perm"))))


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the inverse of A, given what `lu` gave for it."""
    packed = matrices(lower_upper, "Lu")._value
    identity = np.broadcast_to(np.eye(packed.shape[-1], dtype=packed.dtype), packed.shape)
    return lu_solve(lower_upper, perm, wrap(identity))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Return the singular values, descending, and u and v with `tensor = u diag(s) v^H`.

    Args:
        tensor: shape `[..., m, n]`.
        full_matrices: give square u and v; gradients flow through one column beyond the singular values, not through
            more: they are any basis of the space that is left.
        compute_uv: if False, return the singular values alone.

    >>> import gradtape as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy()
    array([4., 3.], dtype=float32)
    """
    s, u, v = factoring.svd(matrices(tensor, "Svd", square=False), full_matrices=full_matrices and compute_uv)
    return (s, u, v) if compute_uv else s


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues, ascending, and the eigenvectors, as columns, of each Hermitian matrix.

    >>> import gradtape as tf
    >>> tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0].numpy()
    array([1., 2.], dtype=float32)
    """
    w, v = factoring.eigh(matrices(tensor, "SelfAdjointEigV2"))
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
    x = matrices(tensor, "Eig")
    dtype = x._value.dtype
    if dtype.kind != "c":
        x = shaping.cast(x, dtype=np.dtype("complex128" if dtype == np.float64 else "complex64"))
    w, v = factoring.eig(x)
    return w, v


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Return the eigenvalues of each matrix, complex."""
    return eig(tensor)[0]


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Return the number of singular values of each matrix above `tol`, int32; no gradient flows.

    Args:
        a: shape `[..., m, n]`.
        tol: the bound, by default `eps * max(m, n)` times the largest singular value.

    >>> import gradtape as tf
    >>> tf.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]]).numpy()
    np.int32(1)
    """
    x = settled(matrices(a, "Svd", square=False))
    s = solving.in_double(lambda v: np.linalg.svd(v, compute_uv=False), "matrix_rank", x)
    if tol is None:
        bound = np.finfo(s.dtype).eps * max(x.shape[-2:]) * s.max(axis=-1, keepdims=True, initial=0)
    else:
        bound = np.expand_dims(settled(to_tensor(tol)), -1)
    return wrap(np.sum(s > bound, axis=-1, dtype=np.int32))


def expm(input: Any, name: str | None = None) -> Tensor:
    """Return the exponential of each matrix: the sum of `input^k / k!`.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    >>> import gradtape as tf
    >>> tf.linalg.expm(tf.zeros([2, 2])).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return solving.expm(matrices(input, "MatrixExponential"))
