"""Factorisations of matrices: Cholesky, QR, LU, eigenvalues and singular values.

The formulas are the ones in use for gradients g. Cotangents are carried conjugated, so a rule hands conj(ct) to its
formula and conjugates what comes out; on real values both do nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.base.errors import UnimplementedError, invalid
from gradtape.core.batching import align, batched
from gradtape.core.cotangents import concat, conj
from gradtape.core.effects import decided
from gradtape.core.kinds import primitive
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import divide_no_nan
from gradtape.ops.indexing import put_along
from gradtape.ops.linalg import matmul
from gradtape.ops.selection import where, zeros_like
from gradtape.ops.shaping import band_part, broadcast_to, cast, diag, diag_part, getitem, mT, reshape
from gradtape.ops.solving import in_double, solve


def _dtype(x: Any) -> np.dtype[Any]:
    return getattr(x, "_value", x).dtype


def conjugate(x: Any) -> Any:
    """The complex conjugate; of a real value or of None, itself."""
    return x if x is None or _dtype(x).kind != "c" else conj(x)


def adjoint(x: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return conjugate(mT(x))


def diagonal(values: Any) -> Any:
    """Square matrices with these diagonals."""
    shape = shape_of(values)
    return diag(values, shape=(*shape, shape[-1]))


def _as_column(x: Any) -> Any:
    return reshape(x, shape=(*shape_of(x), 1))


def _as_row(x: Any) -> Any:
    shape = shape_of(x)
    return reshape(x, shape=(*shape[:-1], 1, shape[-1]))


def _below(x: Any) -> Any:
    """What is below the diagonal."""
    return band_part(x, lower=-1, upper=0) - diagonal(diag_part(x))


def _inverse_gaps(values: Any) -> Any:
    """1 / (v[j] - v[i]) at [i, j], and 0 where the two are equal, as on the diagonal."""
    gaps = _as_row(values) - _as_column(values)
    equal = gaps == 0
    return where(equal, 0, 1 / where(equal, 1, gaps))


def _like(x: Any, model: Any) -> Any:
    """A real value as one of the dtype of `model`."""
    return x if _dtype(x) == _dtype(model) else cast(x, dtype=_dtype(model))


def _plus(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y


# Cholesky.


def _cholesky_vjp(ct: Any, out: Any) -> Any:
    """S = L^-H phi(L^H g) L^-1, made Hermitian; phi takes the lower triangle and half of the diagonal."""
    up = adjoint(out)
    product = matmul(up, conjugate(ct))
    phi = band_part(product, lower=-1, upper=0) - diagonal(diag_part(product) * 0.5)
    half = adjoint(solve(up, adjoint(solve(up, phi))))
    return conjugate((half + adjoint(half)) * 0.5)


@batched(align)
@primitive(x=_cholesky_vjp)
def cholesky(xp: Any, x: Any) -> Any:
    """The lower triangular L with L L^H = x, for each positive definite matrix; reads the lower triangle of x."""
    return in_double(xp.linalg.cholesky, "Cholesky decomposition was not successful. The input might not be valid", x)


# Eigenvalues.


def _eigh_vjp(cts: tuple[Any, Any], out: tuple[Any, Any]) -> Any:
    """V (diag(gw) + F * V^H gV) V^H, folded onto the lower triangle, which is all that was read."""
    w, v = out
    gw, gv = cts[0], conjugate(cts[1])
    inner = None if gw is None else _like(diagonal(gw), v)
    if gv is not None:
        inner = _plus(inner, _like(_inverse_gaps(w), v) * matmul(adjoint(v), gv))
    full = matmul(v, matmul(inner, adjoint(v)))
    lower = band_part(full + adjoint(full), lower=-1, upper=0)
    return conjugate(lower - diagonal(diag_part(lower) * 0.5))


@batched(align)
@primitive(x=_eigh_vjp)
def eigh(xp: Any, x: Any) -> tuple[Any, Any]:
    """The eigenvalues, ascending, and the eigenvectors of each Hermitian matrix, read from its lower triangle."""
    w, v = in_double(lambda m: tuple(xp.linalg.eigh(m)), "eigh", x)
    return w, v


def _eig_vjp(cts: tuple[Any, Any], out: tuple[Any, Any]) -> Any:
    """V^-H (diag(gw) + conj(F) * (V^H gV - V^H V Re diag(V^H gV))) V^H: the vectors keep length one."""
    w, v = out
    gw, gv = conjugate(cts[0]), conjugate(cts[1])
    vh = adjoint(v)
    inner = None if gw is None else diagonal(gw)
    if gv is not None:
        product = matmul(vh, gv)
        along = (diag_part(product) + conj(diag_part(product))) * 0.5
        inner = _plus(inner, conj(_inverse_gaps(w)) * (product - matmul(vh, v * _as_row(along))))
    return conjugate(solve(vh, matmul(inner, vh)))


@batched(align)
@primitive(x=_eig_vjp)
def eig(xp: Any, x: Any) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of each complex matrix, in no particular order."""
    w, v = in_double(lambda m: tuple(xp.linalg.eig(m)), "eig", x)
    return w, v


# Singular values.


def _svd_vjp(
    cts: tuple[Any, Any, Any], out: tuple[Any, Any, Any], x_shape: tuple[int, ...], *, full_matrices: bool
) -> Any:
    s, u, v = out
    gs, gu, gv = cts[0], conjugate(cts[1]), conjugate(cts[2])
    m, n = x_shape[-2:]
    if full_matrices and m != n:
        if abs(m - n) > 1:
            for g in (gu, gv):
                if g is not None and decided(np.any, g[..., min(m, n) :]):
                    raise UnimplementedError(
                        None,
                        None,
                        "svd: with full_matrices=True, two and more columns beyond the singular values have no "
                        "gradient: any basis of the space that they span will do.",
                    )
        gu, gv = _folded(u, gu, min(m, n)), _folded(v, gv, min(m, n))
        u, v = _thin(u, min(m, n)), _thin(v, min(m, n))
    uh, vh = adjoint(u), adjoint(v)
    inner = None if gs is None else _like(diagonal(gs), u)
    row, column = _like(_as_row(s), u), _like(_as_column(s), u)
    gaps = None if gu is None and gv is None else _like(_inverse_gaps(s * s), u)
    inverse = divide_no_nan(_ones(s), s)
    outside = None
    if gu is not None:
        product = matmul(uh, gu)
        turned = gaps * product
        inner = _plus(inner, (turned + adjoint(turned)) * row)
        outside = _plus(outside, matmul((gu - matmul(u, product)) * _like(_as_row(inverse), u), vh))
    if gv is not None:
        product = matmul(vh, gv)
        turned = gaps * product
        inner = _plus(inner, column * (turned + adjoint(turned)))
        if _dtype(u).kind == "c":
            twist = diag_part(product)
            inner = inner + diagonal(_like(inverse, u) * (conj(twist) - twist) * 0.5)
        outside = _plus(outside, matmul(u * _like(_as_row(inverse), u), adjoint(gv - matmul(v, product))))
    return conjugate(_plus(matmul(u, matmul(inner, vh)), outside))


def _thin(x: Any, count: int) -> Any:
    """The leading columns."""
    return getitem(x, key=(..., slice(count)))


def _folded(x: Any, g: Any, count: int) -> Any:
    """The gradient of the leading columns of a unitary matrix, and through them that of the one that may be left.

    That one is orthogonal to them: dy = -X (dX^H y).
    """
    if g is None or shape_of(x)[-1] == count:
        return g
    rest = (..., slice(count, None))
    through = matmul(adjoint(getitem(g, key=rest)), _thin(x, count))
    return _thin(g, count) - matmul(getitem(x, key=rest), through)


def _ones(x: Any) -> Any:
    return np.ones(shape_of(x), dtype=_dtype(x))


@batched(align)
@primitive(x=_svd_vjp)
def svd(xp: Any, x: Any, *, full_matrices: bool) -> tuple[Any, Any, Any]:
    """The singular values, descending, and u and v with x = u diag(s) v^H."""
    u, s, vh = in_double(lambda m: tuple(xp.linalg.svd(m, full_matrices=full_matrices)), "svd", x)
    return s, u, xp.conjugate(xp.swapaxes(vh, -1, -2))


# QR.


def _qr_vjp(cts: tuple[Any, Any], out: tuple[Any, Any], x_shape: tuple[int, ...], *, full_matrices: bool) -> Any:
    """(gQ + Q herm(R gR^H - gQ^H Q)) R^-H, where herm copies the lower triangle to the upper."""
    q, r = out
    gq, gr = conjugate(cts[0]), conjugate(cts[1])
    m, n = x_shape[-2:]
    if m < n:
        return conjugate(_wide_qr(gq, gr, q, r, m))
    if full_matrices and m > n:
        raise UnimplementedError(None, None, "qr: with full_matrices=True there is no gradient for a tall matrix.")
    return conjugate(_square_qr(gq, gr, q, r))


def _square_qr(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    product = None if gr is None else matmul(r, adjoint(gr))
    if gq is not None:
        product = _plus(product, -matmul(adjoint(gq), q))
    below = _below(product)
    middle = diag_part(product)
    hermitian = below + adjoint(below) + diagonal((middle + conjugate(middle)) * 0.5)
    total = _plus(gq, matmul(q, hermitian))
    return adjoint(solve(r, adjoint(total)))


def _wide_qr(gq: Any, gr: Any, q: Any, r: Any, m: int) -> Any:
    """x = [X Y] with X square: X = Q U and V = Q^H Y, so that Y follows from V and Q."""
    left_part, right_part = (..., slice(m)), (..., slice(m, None))
    u, v = getitem(r, key=left_part), getitem(r, key=right_part)
    gu = None if gr is None else getitem(gr, key=left_part)
    gv = None if gr is None else getitem(gr, key=right_part)
    y = matmul(q, v)
    through = None if gv is None else matmul(y, adjoint(gv))
    left = _square_qr(_plus(gq, through), gu, q, u)
    right = zeros_like(y) if gv is None else matmul(q, gv)
    return concat(left, right, axis=len(shape_of(q)) - 1)


@batched(align)
@primitive(x=_qr_vjp)
def qr(xp: Any, x: Any, *, full_matrices: bool) -> tuple[Any, Any]:
    """q with orthonormal columns and the upper triangular r with x = q r."""
    mode = "complete" if full_matrices else "reduced"
    q, r = in_double(lambda m: tuple(xp.linalg.qr(m, mode=mode)), "qr", x)
    return q, r


# LU.


def _lu_vjp(cts: tuple[Any, Any], out: tuple[Any, Any], x_shape: tuple[int, ...]) -> Any:
    """P^T L^-H (below(L^H gL) + upper(gU U^H)) U^-H."""
    if x_shape[-1] != x_shape[-2]:
        raise UnimplementedError(None, None, f"lu: the gradient is for square matrices, got {list(x_shape)}.")
    packed, permutation = out
    g = conjugate(cts[0])
    upper = band_part(packed, lower=0, upper=-1)
    lower = _below(packed) + np.eye(x_shape[-1], dtype=_dtype(packed))
    inner = _below(matmul(adjoint(lower), _below(g)))
    inner = inner + band_part(matmul(band_part(g, lower=0, upper=-1), adjoint(upper)), lower=0, upper=-1)
    inner = solve(adjoint(lower), inner)
    inner = adjoint(solve(upper, adjoint(inner)))
    rows = broadcast_to(reshape(permutation, shape=(*x_shape[:-1], 1)), shape=x_shape)
    return conjugate(put_along(inner, rows, axis=len(x_shape) - 2, size=x_shape[-2]))


@batched(align)
@primitive(x=_lu_vjp)
def lu(xp: Any, x: Any, *, dtype: Any) -> tuple[Any, Any]:
    """L and U in one matrix (the ones on the diagonal of L left out), and p with x[p] = L U."""
    packed = xp.array(x, order="C")
    m, n = x.shape[-2:]
    permutation = xp.broadcast_to(xp.arange(m, dtype=dtype), (*x.shape[:-2], m)).copy()
    for a, p in zip(packed.reshape(-1, m, n), permutation.reshape(-1, m), strict=True):
        for k in range(min(m, n)):
            pivot = k + int(xp.argmax(xp.abs(a[k:, k])))
            if pivot != k:
                a[[k, pivot]], p[[k, pivot]] = a[[pivot, k]], p[[pivot, k]]
            if a[k, k] == 0:
                raise invalid("Input is not invertible. [Op:Lu]")
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return packed, permutation
