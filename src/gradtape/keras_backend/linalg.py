"""Linear algebra for Keras."""

from __future__ import annotations

from typing import Any

from gradtape import linalg as tf_linalg
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, promoted
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise, reductions, shaping

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
    """The Euclidean norm (or 1, 2, inf along one axis)."""
    x = as_float(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % x.ndim for a in axes)
    if ord in (None, "fro", "euclidean") or (ord == 2 and len(axes) == 1):
        out = reductions.euclidean_norm(x, axis=axes)
    elif ord == 1 and len(axes) == 1:
        out = reductions.reduce_sum(elementwise.absolute(x), axis=axes)
    elif ord == float("inf") and len(axes) == 1:
        out = reductions.reduce_max(elementwise.absolute(x), axis=axes)
    else:
        raise NotImplementedError(f"gradtape does not implement keras.ops.norm with ord={ord!r} over axes {axes} yet.")
    return shaping.reshape(out, shape=reductions.kept(tuple(x.shape), axes)) if keepdims else out
