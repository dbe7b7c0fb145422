"""Linear algebra for Keras."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree

from gradtape import linalg as tf_linalg
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, axes_of, name_of, promoted, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, numpy_only, reductions, selection, shaping
from gradtape.transforms.forward import ForwardAccumulator

__getattr__ = missing("linalg")


def cholesky(a: Any, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of a positive definite matrix."""
    out = tf_linalg.cholesky(as_float(a))
    return shaping.mT(out) if upper else out


def det(a: Any) -> Tensor:
    """Determinant."""
    return tf_linalg.det(as_float(a))


def inv(a: Any) -> Tensor:
    """Inverse."""
    return tf_linalg.inv(as_float(a))


def eigh(a: Any) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    return tf_linalg.eigh(as_float(a))


def eig(a: Any) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors."""
    return tf_linalg.eig(as_float(a))


def qr(x: Any, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Orthogonal and triangular factors."""
    if mode not in ("reduced", "complete"):
        raise ValueError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return tf_linalg.qr(as_float(x), full_matrices=mode == "complete")


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Left vectors, singular values and right vectors (the rows of the last); or the values alone."""
    if not compute_uv:
        return tf_linalg.svd(as_float(x), compute_uv=False)
    s, u, v = tf_linalg.svd(as_float(x), full_matrices=full_matrices)
    return u, s, tf_linalg.adjoint(v)


def solve(a: Any, b: Any) -> Tensor:
    """The solution of a x = b, where b may be a vector."""
    a, b = (as_float(x) for x in promoted(a, b))
    if b.ndim == a.ndim - 1:
        return tf_linalg.solve(a, b[..., None])[..., 0]
    return tf_linalg.solve(a, b)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The norm of vectors along an axis, of matrices over two axes, or of all elements if neither is named."""
    x = as_float(x)
    if axis is None and ord is None:
        axes = tuple(range(x.ndim))
        return _kept(reductions.euclidean_norm(_sizes(x), axis=axes), x, axes, keepdims)
    axes = axes_of(x, axis)
    if len(axes) == 1:
        out = _vector_norm(_sizes(x), ord, axes)
    elif len(axes) == 2:
        if axes[0] == axes[1]:
            raise ValueError(f"Duplicate axes given. Received: axis={axis}")
        out = _matrix_norm(x, ord, axes)
    else:
        raise ValueError(f"Improper number of axes for norm. Received: axis={axis}, x.shape={x.shape}")
    return _kept(out, x, axes, keepdims)


def _kept(out: Tensor, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def _sizes(x: Tensor) -> Tensor:
    return ew.complex_abs(x) if x.dtype.is_complex else ew.absolute(x)


def _vector_norm(sizes: Tensor, ord: Any, axes: tuple[int, ...]) -> Tensor:
    if ord is None or ord == 2:
        return reductions.euclidean_norm(sizes, axis=axes)
    if isinstance(ord, str):
        raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
    if ord == np.inf:
        return reductions.reduce_max(sizes, axis=axes)
    if ord == -np.inf:
        return reductions.reduce_min(sizes, axis=axes)
    if ord == 0:
        return reductions.count_nonzero(sizes, axis=axes, like=sizes._value.dtype)
    total = reductions.reduce_sum(sizes if ord == 1 else ew.power(sizes, float(ord)), axis=axes)
    return total if ord == 1 else ew.power(total, 1 / float(ord))


def _matrix_norm(x: Tensor, ord: Any, axes: tuple[int, ...]) -> Tensor:
    if ord in (None, "fro"):
        return reductions.euclidean_norm(_sizes(x), axis=axes)
    extreme = reductions.reduce_min if ord in (-1, -2, -np.inf) else reductions.reduce_max
    if ord in (2, -2, "nuc"):
        rest = tuple(i for i in range(x.ndim) if i not in axes)
        values = tf_linalg.svd(shaping.transpose(x, perm=(*rest, *axes)), compute_uv=False)
        return (reductions.reduce_sum if ord == "nuc" else extreme)(values, axis=(x.ndim - 2,))
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord}")
    over, most = axes if ord in (1, -1) else axes[::-1]
    return extreme(reductions.reduce_sum(_sizes(x), axis=(over,)), axis=(most - (over < most),))


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Tensor:
    """The solution of a x = b, where only one triangle of a is read."""
    a, b = (as_float(x) for x in promoted(a, b))
    if b.ndim == a.ndim - 1:
        return tf_linalg.triangular_solve(a, b[..., None], lower=lower)[..., 0]
    return tf_linalg.triangular_solve(a, b, lower=lower)


def cholesky_inverse(a: Any, upper: bool = False) -> Tensor:
    """The inverse of the matrix whose Cholesky factor this is."""
    a = as_float(a)
    factor = shaping.mT(a) if upper else a
    inverse = solve_triangular(factor, tf_linalg.eye(a._value.shape[-1], dtype=a.dtype), lower=True)
    return shaping.mT(inverse) @ inverse


def lstsq(a: Any, b: Any, rcond: Any = None) -> Tensor:
    """The shortest x that makes |a x - b| least; singular values below `rcond` times the largest count as zero."""
    a, b = (as_float(x) for x in promoted(a, b))
    inverse = pinv(a, float(np.finfo(a._value.dtype).eps * max(a._value.shape[-2:])) if rcond is None else rcond)
    return (inverse @ b[..., None])[..., 0] if b.ndim == 1 else inverse @ b


def pinv(x: Any, rcond: Any = None) -> Tensor:
    """The pseudo-inverse; singular values below `rcond` times the largest count as zero."""
    return tf_linalg.pinv(as_float(x), rcond)


def matrix_rank(x: Any, tol: Any = None) -> Tensor:
    """How many singular values are larger than the tolerance, int32."""
    x = as_float(x)
    if x.ndim < 2:
        raise ValueError(f"Expected input to have rank >= 2. Received input with shape {x.shape}.")
    return tf_linalg.matrix_rank(x, tol)


def lu_factor(x: Any) -> tuple[Tensor, Tensor]:
    """Both triangular factors in one array, and the row that each row was exchanged with, int32."""
    x = as_float(x)
    rows, columns = x._value.shape[-2:]
    small = min(rows, columns)
    if rows < columns:
        factors, order = tf_linalg.lu(x[..., :rows])
        right = indexing.one_hot(order, depth=rows, on=1, off=0, axis=order.ndim, dtype=x._value.dtype) @ x[..., rows:]
        lower = tf_linalg.set_diag(factors, selection.ones_like(factors[..., 0]))
        factors = shaping.concat(factors, solve_triangular(lower, right, lower=True), axis=x.ndim - 1)
        return factors, numpy_only.exchanges(order, steps=small)[0]
    # More columns do not change the factors of those before them; these are independent of any that people use. They
    # only put the last rows in another order.
    more = np.cos(1.0 + np.arange(rows * (rows - columns)) ** 2).reshape(rows, -1)
    wide = shaping.broadcast_to(tensor(more, name_of(x)), shape=(*x._value.shape[:-2], *more.shape))
    factors, order = tf_linalg.lu(shaping.concat(x, wide, axis=x.ndim - 1))
    pivots, places = numpy_only.exchanges(order, steps=small)
    places = shaping.broadcast_to(shaping.reshape(places, shape=(*places._value.shape, 1)), shape=x._value.shape)
    return indexing.take_along(factors[..., :columns], places, axis=x.ndim - 2), pivots


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """The value of a function, and its derivative in a direction; `has_aux`: the function returns more, passed on."""
    inputs = [tensor(p) for p in tree.flatten(primals)]
    directions = [tensor(t) for t in tree.flatten(tangents)]
    with ForwardAccumulator(inputs, directions) as accumulator:
        out = fun(*tree.pack_sequence_as(primals, inputs))
        out, *aux = out if has_aux else (out,)
    pushed = tree.map_structure(lambda y: _tangent(accumulator, y), out)
    return (out, pushed, *aux)


def _tangent(accumulator: Any, out: Tensor) -> Tensor:
    found = accumulator.jvp(out)
    return selection.zeros_like(out) if found is None else found
