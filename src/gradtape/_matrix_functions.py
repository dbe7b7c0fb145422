"""Square roots and logarithms of matrices, eigenvalues of tridiagonal and solutions of banded ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, of_kind, wholes
from gradtape._decompositions import matrices
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor
from gradtape.ops import factoring, matrix_functions, shaping, solving
from gradtape.ops.elementwise import real


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Return the principal square root of each matrix: the R with `R R = input` and no eigenvalue to the left of 0.

    Args:
        input: shape `[..., n, n]`, floating or complex; NaN where there is no root of this dtype.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    >>> import gradtape as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    return matrix_functions.sqrtm(matrices(input, "MatrixSquareRoot"))


matrix_square_root = sqrtm


def logm(input: Any, name: str | None = None) -> Tensor:
    """Return the principal logarithm of each complex matrix. It has gradients, which TensorFlow's lacks.

    Args:
        input: shape `[..., n, n]`, complex; NaN for singular matrices.

    Raises:
        InvalidArgumentError: if a matrix is not square or not complex.

    >>> import gradtape as tf
    >>> tf.linalg.logm(tf.eye(2, dtype=tf.complex64)).numpy()
    array([[0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """
    return matrix_functions.logm(of_kind(matrices(input, "MatrixLogarithm"), "c", "MatrixLogarithm"))


def _shifted(values: Any, step: int) -> Any:
    """Matrices with this diagonal, `step` above the main one; what would stand outside is left out."""
    whole = factoring.diagonal(values)
    if not step:
        return whole
    moved = shaping.roll(whole, shift=(step,), axis=(whole._value.ndim - 1,))
    return shaping.band_part(moved, lower=0, upper=-1) if step > 0 else shaping.band_part(moved, lower=-1, upper=0)


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Return the x with `A x = rhs`, for triangular matrices A that are zero but for some diagonals.

    The matrices are made whole: the work is that of `tf.linalg.solve`.

    Args:
        bands: shape `[..., k, n]`. If `lower`, the main diagonal and then those below it, of which the first elements,
            outside the matrix, are ignored; else those above, highest first, and the main one last, the last elements
            ignored.
        rhs: shape `[..., n, m]`.
        lower: whether the matrices are lower triangular.
        adjoint: solve with the conjugate transpose.

    Raises:
        InvalidArgumentError: if a matrix is singular, or the shapes do not fit.

    >>> import gradtape as tf
    >>> tf.linalg.banded_triangular_solve([[1.0, 2.0], [0.0, 4.0]], [[1.0], [2.0]]).numpy()
    array([[ 1.],
           [-1.]], dtype=float32)
    """
    rows: Any
    b: Any
    rows, b = alike([bands, rhs], "BandedTriangularSolve")
    of_kind(rows, "fVc", "BandedTriangularSolve")
    for i, value in enumerate((rows, b)):
        if value._value.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {value._value.ndim} [Op:BandedTriangularSolve]")
    count, n = rows._value.shape[-2:]
    if not 1 <= count <= n or b._value.shape[-2] != n:
        raise invalid(
            f"banded_triangular_solve: bands of shape {list(rows._value.shape)} must have at most {n} rows and rhs "
            f"must have {n}, got {list(b._value.shape)} [Op:BandedTriangularSolve]"
        )
    matrix: Any = None
    for i in range(count):
        row = shaping.getitem(rows, key=(..., i, slice(None)))
        part = _shifted(row, -i if lower else count - 1 - i)
        matrix = part if matrix is None else matrix + part
    return solving.solve(factoring.adjoint(matrix) if adjoint else matrix, b)


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Return the eigenvalues, ascending, of Hermitian matrices that are zero but for the three middle diagonals.

    The matrices are made whole: the work is that of `tf.linalg.eigh`, whose gradients these are.

    Args:
        alpha: the main diagonal, shape `[..., n]`; of complex numbers the real part counts.
        beta: the diagonal above it, shape `[..., n - 1]`, of the same dtype.
        eigvals_only: if False, return the eigenvectors, as columns, too.
        select: "a" for all eigenvalues; "i" for those numbered `select_range[0]` to `select_range[1]`, both included;
            "v" for those above `select_range[0]` and up to `select_range[1]`, of one matrix.
        select_range: two numbers, in order.
        tol: accepted, without effect: eigenvalues are exact to rounding.

    Raises:
        ValueError: for another `select`, or without the `select_range` that it needs.
        InvalidArgumentError: for shapes or dtypes that do not fit, and for a range that is empty.

    >>> import gradtape as tf
    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy()
    array([1., 3.], dtype=float32)
    """
    main: Any
    beside: Any
    main, beside = alike([alpha, beta], "eigh_tridiagonal")
    of_kind(main, "fVc", "eigh_tridiagonal")
    shape = main._value.shape
    if not shape or beside._value.shape != (*shape[:-1], shape[-1] - 1):
        raise invalid(
            f"eigh_tridiagonal: alpha must be [..., n] and beta [..., n - 1], got {list(shape)} and "
            f"{list(beside._value.shape)}"
        )
    if main._value.dtype.kind == "c":
        main = shaping.cast(real(main), dtype=main._value.dtype)
    widths = ((0, 0),) * (len(shape) - 1)
    below = shaping.pad(factoring.conjugate(beside), paddings=(*widths, (1, 0)))
    w, v = factoring.eigh(_shifted(main, 0) + _shifted(below, -1))
    key = (..., _selected(w, select, select_range))
    w, v = shaping.getitem(w, key=key), shaping.getitem(v, key=key)
    return w if eigvals_only else (w, v)


def _selected(w: Tensor, select: str, select_range: Any) -> slice:
    """Which of the eigenvalues are asked for."""
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select' must have a value in {{'a', 'i', 'v'}}, got {select!r}.")
    if select == "a":
        return slice(None)
    if select_range is None or len(select_range) != 2:
        raise ValueError(f"'select_range' must be two numbers for select={select!r}, got {select_range!r}.")
    count = w._value.shape[-1]
    if select == "i":
        first, last = wholes(tuple(select_range), "select_range")
        if not 0 <= first <= last < count:
            raise invalid(
                f"select_range must be numbers of eigenvalues, in order and below {count}, got {select_range}"
            )
        return slice(first, last + 1)
    if w._value.ndim != 1:
        raise invalid(f"select='v' is for one matrix, got eigenvalues of shape {list(w._value.shape)}")
    low, high = (float(to_tensor(v, w.dtype, "select_range")) for v in select_range)
    if not low < high:
        raise invalid(f"Got empty interval in select_range: {select_range}")
    first, last = decided(lambda values: tuple(np.searchsorted(values, (low, high), side="right").tolist()), w)
    return slice(first, last)
