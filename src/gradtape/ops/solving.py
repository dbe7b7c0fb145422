"""Inverses, determinants, linear systems and the matrix exponential."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from gradtape.base.errors import invalid
from gradtape.core.batching import align, batched
from gradtape.core.cotangents import matched
from gradtape.core.effects import decided
from gradtape.core.kinds import linear, primitive
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import imag, make_complex, real
from gradtape.ops.linalg import matmul
from gradtape.ops.selection import zeros_like
from gradtape.ops.shaping import cast, mT, reshape

FAST = "fdFD"


def in_double(function: Any, name: str, *operands: Any) -> Any:
    """Call one of NumPy's routines, which know float32 and float64 (and complex), on any floating dtype."""
    dtype = operands[0].dtype
    wide = [x if x.dtype.char in FAST else x.astype("float32") for x in operands]
    try:
        found = function(*wide)
    except ValueError as error:  # NumPy's LinAlgError is one
        raise invalid(f"{name}: {error}") from error
    if dtype.char in FAST:
        return found
    return tuple([f.astype(dtype) for f in found]) if isinstance(found, tuple) else found.astype(dtype)


@batched(align)
@primitive(x=lambda ct, out: -matmul(mT(out), matmul(ct, mT(out))))
def inverse(xp: Any, x: Any) -> Any:
    """The inverse of each matrix. Raises InvalidArgumentError for one that has none."""
    return in_double(xp.linalg.inv, "Input is not invertible. [Op:MatrixInverse]", x)


def _solve_a(ct: Any, a: Any, out: Any, a_shape: tuple[int, ...]) -> Any:
    return matched(-matmul(solve(mT(a), ct), mT(out)), a_shape)


@batched(align)
@primitive(a=_solve_a, b=lambda ct, a, b_shape: matched(solve(mT(a), ct), b_shape))
def solve(xp: Any, a: Any, b: Any) -> Any:
    """The x with a x = b, for each matrix. Raises InvalidArgumentError for one without an inverse."""
    return in_double(xp.linalg.solve, "Input matrix is not invertible. [Op:MatrixSolve]", a, b)


# Determinants. det' is the matrix of cofactors: det times the inverse, transposed, but it exists for any matrix.


def _scaled(ct: Any, x: Any) -> Any:
    """One factor per matrix."""
    return reshape(ct, shape=(*shape_of(ct), 1, 1)) * x


def _det_vjp(ct: Any, x: Any, out: Any) -> Any:
    return _scaled(ct * out, mT(inverse(x))) if is_regular(x) else _scaled(ct, cofactors(x))


def is_regular(x: Any) -> bool:
    """Whether each matrix is so far from singular that its inverse is exact to half of the digits."""
    return bool(decided(_regular, x))


def _regular(value: Any) -> bool:
    if not value.size:
        return True
    singular = in_double(lambda v: np.linalg.svd(v, compute_uv=False), "det", value)
    return bool((singular[..., -1] > singular[..., 0] * np.sqrt(np.finfo(singular.dtype).eps)).all())


@batched(align)
@primitive(x=_det_vjp)
def det(xp: Any, x: Any) -> Any:
    """The determinant of each matrix."""
    return in_double(xp.linalg.det, "det", x)


def _slogdet_vjp(cts: tuple[Any, Any], x: Any, out: tuple[Any, Any]) -> Any:
    """d log det = tr(x^-1 dx): its real part moves the logarithm, its imaginary part turns a complex sign."""
    sign, log = cts
    if getattr(x, "_value", x).dtype.kind != "c":
        return None if log is None else _scaled(log, mT(inverse(x)))
    turn = None if sign is None else imag(sign * out[0])
    grow = None if log is None else real(log)
    both = make_complex(zeros_like(turn) if grow is None else grow, zeros_like(grow) if turn is None else turn)
    return _scaled(both, mT(inverse(x)))


@batched(align)
@primitive(x=_slogdet_vjp)
def slogdet(xp: Any, x: Any) -> tuple[Any, Any]:
    """The sign of each determinant and the logarithm of its absolute value, both of the dtype of x."""
    sign, log = in_double(lambda v: tuple(xp.linalg.slogdet(v)), "slogdet", x)
    return sign, log.astype(x.dtype)


def _cofactors_vjp(ct: Any, x: Any) -> Any:
    """A cofactor is, but for its sign, the determinant of a minor, whose derivative is the minor's cofactors."""
    parts = minors(x)
    signed = alternating(ct)
    return spread_minors(reshape(signed, shape=(*shape_of(ct), 1, 1)) * cofactors(parts), size=shape_of(x)[-1])


@batched(align)
@primitive(x=_cofactors_vjp)
def cofactors(xp: Any, x: Any) -> Any:
    """The cofactors of each matrix, from its singular values, so that they are right for singular ones too."""
    n = x.shape[-1]
    if n == 0:
        return x
    u, s, vh = in_double(lambda v: tuple(xp.linalg.svd(v)), "cofactors", x)
    others = xp.where(xp.eye(n, dtype=bool), xp.ones((), s.dtype), s[..., None, :])
    sign = (xp.linalg.det(u) * xp.linalg.det(vh))[..., None, None]
    return (u.conj() * xp.prod(others, axis=-1)[..., None, :]) @ vh.conj() * _unit(xp, sign)


def _unit(xp: Any, sign: Any) -> Any:
    """det(u vh) has absolute value one."""
    return sign / xp.abs(sign)


@batched(align)
@linear(x=lambda ct: alternating(ct))
def alternating(xp: Any, x: Any) -> Any:
    """Change the sign of every other element, as on a chess-board."""
    i, j = xp.arange(x.shape[-2])[:, None], xp.arange(x.shape[-1])
    return xp.where((i + j) % 2 == 0, x, -x)


def _others(xp: Any, n: int) -> Any:
    """Row i holds the numbers below n other than i."""
    return xp.arange(n - 1) + (xp.arange(n - 1) >= xp.arange(n)[:, None])


@batched(align)
@linear(x=lambda ct, x_shape: spread_minors(ct, size=x_shape[-1]))
def minors(xp: Any, x: Any) -> Any:
    """Each matrix without row i and column j, at [..., i, j]."""
    kept = _others(xp, x.shape[-1])
    return x[..., kept[:, None, :, None], kept[None, :, None, :]]


@batched(align)
@linear(x=lambda ct, *, size: minors(ct))
def spread_minors(xp: Any, x: Any, *, size: int) -> Any:
    """Add the elements of minors back to where they came from: the transpose of `minors`."""
    out = xp.zeros((*x.shape[:-4], size, size), dtype=x.dtype)
    kept = _others(xp, size)
    for i in range(size):
        for j in range(size):
            out[..., kept[i][:, None], kept[j]] += x[..., i, j, :, :]
    return out


# The exponential: a rational approximation of exp(x / 2^k), squared k times.

REACH = {"f": {3: 0.42, 7: 3.9}, "d": {3: 0.015, 7: 0.95, 13: 5.3}}
"""Up to which 1-norm the approximant of each degree is exact, for single and double precision (Higham, 2005)."""


def _pade(degree: int) -> list[int]:
    """The coefficients of the diagonal Padé approximant of exp: p(x) / p(-x)."""
    return [factorial(2 * degree - j) // (factorial(degree - j) * factorial(j)) for j in range(degree + 1)]


def _effort(value: Any) -> tuple[int, int]:
    """The degree of the approximant, and how often it is squared, for matrices of this size."""
    reach = REACH["d" if value.dtype in (np.float64, np.complex128) else "f"]
    size = float(np.abs(value).sum(axis=-2).max(initial=0))
    degree = next((d for d, bound in reach.items() if size <= bound), max(reach))
    return degree, max(0, int(np.ceil(np.log2(size / reach[degree])))) if np.isfinite(size) and size > 0 else 0


def expm(x: Any) -> Any:
    """The exponential of each matrix."""
    value = getattr(x, "_value", x)
    if value.dtype.char not in FAST:
        return cast(expm(cast(x, dtype=np.dtype("float32"))), dtype=value.dtype)
    degree, squarings = decided(_effort, x)
    scaled = x * 0.5**squarings
    identity = np.broadcast_to(np.eye(value.shape[-1], dtype=value.dtype), value.shape)
    square = matmul(scaled, scaled)
    even, odd = _halves(_pade(degree), identity, square)
    odd = matmul(scaled, odd)
    out = solve(even - odd, even + odd)
    for _ in range(squarings):
        out = matmul(out, out)
    return out


def _halves(coefficients: list[int], identity: Any, square: Any) -> tuple[Any, Any]:
    """The sums of the even and of the odd powers of a matrix, the latter divided by it; Horner's rule in the square."""
    sums = []
    for start in (0, 1):
        own = coefficients[start::2]
        total = identity * float(own[-1])
        for c in own[-2::-1]:
            total = matmul(total, square) + identity * float(c)
        sums.append(total)
    return sums[0], sums[1]
