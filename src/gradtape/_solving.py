"""Inverses and solutions of linear systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike
from gradtape._decompositions import matrices
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor
from gradtape.ops import factoring, shaping, solving
from gradtape.ops.factoring import adjoint as adjoint_of
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import reduce_max
from gradtape.ops.selection import less_equal, where


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
    x = matrices(input, "MatrixInverse")
    return solving.inverse(adjoint_of(x) if adjoint else x)


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
    a = matrices(a, "MatrixSolve", message="Input matrix must be square.")
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
    matrices(a, "MatrixTriangularSolve")
    _check_rhs(a, b, "MatrixTriangularSolve")
    return _triangular(a, b, lower=lower, adjoint=adjoint)


def _triangular(a: Any, b: Any, lower: bool = True, adjoint: bool = False) -> Any:
    half = shaping.band_part(a, lower=-1 if lower else 0, upper=0 if lower else -1)
    return solving.solve(adjoint_of(half) if adjoint else half, b)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Return the x with `chol chol^H x = rhs`.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky_solve([[2.0]], [[8.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    a, b = alike([chol, rhs], "MatrixTriangularSolve")
    matrices(a, "MatrixTriangularSolve")
    _check_rhs(a, b, "MatrixTriangularSolve")
    return _triangular(a, _triangular(a, b), adjoint=True)


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
    x = matrices(a, "Svd", square=False)
    s, u, v = factoring.svd(x, full_matrices=False)
    top = reduce_max(s, axis=(s._value.ndim - 1,)) if s._value.size else s
    small = less_equal(s, _cutoff(s, top, x._value.shape, rcond))
    inverse = where(small, 0, 1 / where(small, 1, s))
    row = shaping.reshape(inverse, shape=(*inverse._value.shape[:-1], 1, inverse._value.shape[-1]))
    if x._value.dtype.kind == "c":
        row = shaping.cast(row, dtype=x._value.dtype)
    return matmul(v * row, adjoint_of(u))


def _cutoff(s: Tensor, top: Tensor, shape: tuple[int, ...], rcond: Any) -> Any:
    """What counts as zero among singular values `s`, of which `top` are the largest."""
    dtype = s._value.dtype
    if not s._value.size:
        return s
    largest = shaping.reshape(top, shape=(*top._value.shape, 1))
    if rcond is None:
        return largest * (10.0 * max(shape[-2:]) * float(np.finfo(dtype).eps))
    share = to_tensor(rcond)
    return shaping.reshape(shaping.cast_discrete(share, dtype=dtype), shape=(*share._value.shape, 1)) * largest


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
    matrices(a, "MatrixSolveLs", square=False)
    _check_rhs(a, b, "MatrixSolveLs")
    weight = settled(to_tensor(l2_regularizer, None, "l2_regularizer"))
    if not fast and not weight:
        return matmul(pinv(a), b)
    m, n = a._value.shape[-2:]
    turned = adjoint_of(a)
    ridge = np.eye(min(m, n), dtype=a._value.dtype) * a._value.dtype.type(weight)
    if m >= n:
        return solving.solve(matmul(turned, a) + ridge, matmul(turned, b))
    return matmul(turned, solving.solve(matmul(a, turned) + ridge, b))


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
        return matrices(diagonals, "TridiagonalSolve")
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
