"""Square roots and logarithms of matrices.

A function f of the matrix [[A, E], [0, A]] has f(A) on its diagonal and the derivative of f at A in direction E above
(Mathias, "A chain rule for matrix functions and applications", 1996). That is the derivative of both, to any order.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from gradtape.core.batching import align, batched
from gradtape.core.cotangents import concat
from gradtape.core.kinds import primitive
from gradtape.core.rules import shape_of
from gradtape.ops.selection import zeros_like
from gradtape.ops.shaping import getitem, mT

STEPS, LEGENDRE = 80, 10


def _slope(function: Callable[..., Any], x: Any, direction: Any) -> Any:
    n = shape_of(x)[-1]
    axis = len(shape_of(x))
    block = concat(concat(x, direction, axis=axis - 1), concat(zeros_like(x), x, axis=axis - 1), axis=axis - 2)
    return getitem(function(block), key=(..., slice(n), slice(n, None)))


def _each(function: Callable[[Any], Any], x: Any) -> Any:
    """A function of one matrix on each of them, in double precision; NaN where there is no value."""
    wide = np.asarray(x).astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    out = np.full(wide.shape, np.nan, wide.dtype)
    for place in np.ndindex(*wide.shape[:-2]):
        if np.isfinite(wide[place]).all():
            with suppress(np.linalg.LinAlgError):
                out[place] = function(wide[place])
    return out.astype(x.dtype)


def _is_hermitian(x: Any) -> bool:
    return bool((x == x.conj().T).all())


def _of_hermitian(x: Any, function: Callable[[Any], Any]) -> Any:
    """The function of the eigenvalues, those that only rounding made negative taken for zero."""
    w, v = np.linalg.eigh(x)
    w = np.where((w < 0) & (w > -len(w) * 1e-15 * np.abs(w).max(initial=0)), 0.0, w)
    return v * function(w.astype(x.dtype)) @ v.conj().T


def _turn(x: Any) -> float:
    """The middle of the angles of the eigenvalues: turned back by it, they are as far from the cut as can be."""
    if x.dtype.kind != "c":
        return 0.0
    angles = np.angle(np.linalg.eigvals(x))
    angles = np.where(angles < -np.pi + 1e-7, np.pi, angles)  # on the cut, but for rounding
    return float(angles.max(initial=0) + angles.min(initial=0)) / 2 if len(angles) else 0.0


def _newton(x: Any) -> Any:
    """The square root by the product form of Denman and Beavers' iteration (Cheng, Higham, Kenney and Laub, 2001)."""
    n, identity = len(x), np.eye(len(x))
    product, root = x, x
    for _ in range(STEPS):
        away = float(np.abs(product - identity).max(initial=0))
        scale = 1.0 if away < 0.1 else float(np.exp(-np.linalg.slogdet(product)[1] / (2 * n)))
        inverse = np.linalg.inv(product) / scale**2
        root = root @ (identity + inverse) * (scale / 2)
        product = (identity + (product * scale**2 + inverse) / 2) / 2
        if away < 1e-8:
            return root
    raise np.linalg.LinAlgError("no convergence")


def _by_eigenvalues(x: Any) -> Any:
    """The square root of a singular matrix that is diagonalisable. Raises LinAlgError for others."""
    w, v = np.linalg.eig(x)
    root = v * np.sqrt(w.astype(np.complex128)) @ np.linalg.inv(v)
    real = x.dtype.kind != "c"
    if np.abs(root @ root - x).max() > 1e-7 * np.abs(x).max() or (real and np.abs(root.imag).max() > 1e-7):
        raise np.linalg.LinAlgError("no square root")
    return root.real if real else root


def _root(x: Any) -> Any:
    if not x.size:
        return x
    if _is_hermitian(x):
        return _of_hermitian(x, np.sqrt)
    angle = _turn(x)
    try:
        return _newton(x * np.exp(-1j * angle)) * np.exp(0.5j * angle) if angle else _newton(x)
    except np.linalg.LinAlgError:
        return _by_eigenvalues(x)


def _logarithm(x: Any) -> Any:
    """Square roots until the matrix is near the identity, and there Gauss's quadrature of the integral of the
    resolvent, which is the diagonal Padé approximant (Higham, "Functions of Matrices", 2008, chapter 11)."""
    if not x.size:
        return x
    if _is_hermitian(x):
        return _of_hermitian(x, np.log)
    angle, identity = _turn(x), np.eye(len(x))
    near, doublings = x * np.exp(-1j * angle), 0
    while np.linalg.norm(near - identity, 1) > 0.25:
        near, doublings = _newton(near), doublings + 1
    rest = near - identity
    points, weights = np.polynomial.legendre.leggauss(LEGENDRE)
    total = np.zeros_like(rest)
    for p, w in zip((points + 1) / 2, weights / 2, strict=True):
        total += w * np.linalg.solve(identity + p * rest, rest)
    return total * 2.0**doublings + 1j * angle * identity


@batched(align)
@primitive(
    x=lambda ct, x: _slope(sqrtm, mT(x), ct), jvp=lambda tangents, args, out: _slope(sqrtm, args[0], tangents[0])
)
def sqrtm(xp: Any, x: Any) -> Any:
    """The principal square root of each matrix; NaN where there is none of this dtype."""
    return _each(_root, x)


@batched(align)
@primitive(x=lambda ct, x: _slope(logm, mT(x), ct), jvp=lambda tangents, args, out: _slope(logm, args[0], tangents[0]))
def logm(xp: Any, x: Any) -> Any:
    """The principal logarithm of each complex matrix; NaN for singular ones."""
    return _each(_logarithm, x)
