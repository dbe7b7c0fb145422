"""Bessel functions of whole order, without tables: sums over points of integrals that converge exponentially.

The integrals and series are those of the NIST Digital Library of Mathematical Functions: 10.9 and 10.32 (integrals),
10.8 and 10.31 (Neumann's series for the second kind), 10.17 and 10.40 (large arguments). The derivative of each is made
of the orders beside it (10.6, 10.29), so that there is no division by x and every order has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.kinds import elementwise
from gradtape.ops.elementwise import sign

FAR = 25.0
"""From where the expansions for large arguments are exact to the last digit, with TERMS terms."""

TERMS, POINTS, SECOND = 24, 16, 32
"""Terms of those; points of a quarter of the circle for the first and for the second kind."""

Values = Callable[..., Any]


def _parts(x: Any, limit: float, near: Values, far: Values, *extra: Any) -> Any:
    """One formula up to a limit, another one beyond, each computed only where it is needed."""
    flat = np.atleast_1d(x)
    out = np.full(flat.shape, np.nan)
    low = flat <= limit
    for where, formula in ((low, near), (flat > limit, far)):
        if where.any():
            out[where] = formula(flat[where], *extra)
    return out.reshape(np.shape(x))


def _angles(count: int) -> Any:
    """The midpoints of a quarter of the circle, in equal parts: by symmetry they stand for all of it."""
    return (np.arange(count) + 0.5) * (np.pi / 2 / count)


def _mean(x: Any, function: Values, points: Any, weights: Any) -> Any:
    """The mean of weight f(x point) over the points."""
    total = np.zeros_like(x)
    for p, w in zip(points, weights, strict=True):
        total += w * function(x * p)
    return total / len(points)


def _expansion(x: Any, order: int) -> list[Any]:
    """The terms a_k(order) / x^k of the expansions for large arguments."""
    terms = [np.ones_like(x)]
    for k in range(1, TERMS):
        terms.append(terms[-1] * ((4 * order * order - (2 * k - 1) ** 2) / (8 * k)) / x)
    return terms


def _wave(x: Any, order: int) -> tuple[Any, Any, Any, Any, Any]:
    """Amplitude, P, Q, and cosine and sine of the phase x - order pi / 2 - pi / 4, of Hankel's expansions."""
    terms = _expansion(x, order)
    p = sum(t if k % 2 == 0 else -t for k, t in enumerate(terms[::2]))
    q = sum(t if k % 2 == 0 else -t for k, t in enumerate(terms[1::2]))
    c, s = np.cos(x), np.sin(x)
    for _ in range(order % 4):
        c, s = s, -c
    return 1 / np.sqrt(np.pi * x), p, q, c + s, s - c


# The first kind.


def _j_near(x: Any, order: int) -> Any:
    t = _angles(POINTS)
    function, weights = (np.sin, np.sin(order * t)) if order % 2 else (np.cos, np.cos(order * t))
    return _mean(x, function, np.sin(t), weights)


def _j_far(x: Any, order: int) -> Any:
    amplitude, p, q, c, s = _wave(x, order)
    return amplitude * (p * c - q * s)


def _slope_of_first(x: Any, *, order: int) -> Any:
    above = bessel_j(x, order=order + 1)
    return (bessel_j(x, order=order - 1) - above) * 0.5 if order else -above


@elementwise(x=_slope_of_first)
def bessel_j(xp: Any, x: Any, *, order: int) -> Any:
    """The Bessel function J_n of the first kind."""
    wide = xp.asarray(x).astype(np.float64)
    odd = xp.where(wide < 0, -1.0, 1.0) if order % 2 else 1.0
    return (odd * _parts(xp.abs(wide), FAR, _j_near, _j_far, order)).astype(x.dtype)


def _i_near(x: Any, order: int) -> Any:
    """I_n(x) exp(-x); the terms of order 0 and 1 are positive, so that no digits are lost."""
    t = _angles(POINTS)
    return np.exp(-x) * _mean(x, np.sinh if order % 2 else np.cosh, np.cos(t), np.cos(order * t))


def _i_far(x: Any, order: int) -> Any:
    total = sum(-t if k % 2 else t for k, t in enumerate(_expansion(np.where(np.isinf(x), 1.0, x), order)))
    return total / np.sqrt(2 * np.pi * x)


def _i_scaled(xp: Any, x: Any, order: int) -> Any:
    odd = xp.where(x < 0, -1.0, 1.0) if order % 2 else 1.0
    return odd * _parts(xp.abs(x), FAR, _i_near, _i_far, order)


def _slope_of_modified(x: Any, *, order: int) -> Any:
    above = bessel_i(x, order=order + 1)
    return (bessel_i(x, order=order - 1) + above) * 0.5 if order else above


@elementwise(x=_slope_of_modified)
def bessel_i(xp: Any, x: Any, *, order: int) -> Any:
    """The modified Bessel function I_n of the first kind."""
    wide = xp.asarray(x).astype(np.float64)
    size = xp.abs(wide)
    half = xp.exp(size / 2)  # in two steps, as exp(x) may overflow where I_n(x) does not
    out = _i_scaled(xp, wide, order) * half * half
    return xp.where(xp.isinf(size), xp.where(order % 2, wide, size), out).astype(x.dtype)


def _slope_of_scaled(x: Any, out: Any, *, order: int) -> Any:
    above = bessel_ie(x, order=order + 1)
    return ((bessel_ie(x, order=order - 1) + above) * 0.5 if order else above) - sign(x) * out


@elementwise(x=_slope_of_scaled)
def bessel_ie(xp: Any, x: Any, *, order: int) -> Any:
    """I_n(x) exp(-|x|)."""
    return _i_scaled(xp, xp.asarray(x).astype(np.float64), order).astype(x.dtype)


# The second kind: orders 0 and 1, and from them the recurrence, which is stable upwards.


def _raised(x: Any, order: int, sign: int, formula: Callable[[int], Any]) -> Any:
    """The function of this order, from the formula for order 0 and 1."""
    if order < 2:
        return formula(order)
    before, here = formula(0), formula(1)
    for n in range(1, order):
        before, here = here, 2 * n / x * here + sign * before
    return here


def _neumann(alternating: bool) -> tuple[Any, Any]:
    """Angles t, and the sums of cos(2 k t) / k over k, their signs alternating or not."""
    t = _angles(SECOND)
    k = np.arange(1, SECOND)
    signs = (-1.0) ** k if alternating else 1.0
    return t, np.cos(2 * np.outer(t, k)) @ (signs / k)


def _y_near(x: Any, order: int) -> Any:
    t, weights = _neumann(True)
    log = np.log(x / 2) + np.euler_gamma
    if order:
        sums = _mean(x, np.sin, np.sin(t), weights * np.sin(t))
        return -2 / np.pi * (_j_near(x, 0) / x - log * _j_near(x, 1)) - 4 / np.pi * sums
    return 2 / np.pi * log * _j_near(x, 0) - 4 / np.pi * _mean(x, np.cos, np.sin(t), weights)


def _y_far(x: Any, order: int) -> Any:
    amplitude, p, q, c, s = _wave(x, order)
    return amplitude * (p * s + q * c)


def _slope_of_second(x: Any, *, order: int) -> Any:
    above = bessel_y(x, order=order + 1)
    return (bessel_y(x, order=order - 1) - above) * 0.5 if order else -above


@elementwise(x=_slope_of_second)
def bessel_y(xp: Any, x: Any, *, order: int) -> Any:
    """The Bessel function Y_n of the second kind, for x > 0; minus infinity elsewhere."""
    wide = xp.asarray(x).astype(np.float64)
    safe = xp.where(wide <= 0, 1.0, wide)
    value = _raised(safe, order, -1, lambda n: _parts(safe, FAR, _y_near, _y_far, n))
    return xp.where(wide <= 0, -np.inf, value).astype(x.dtype)


def _k_near(x: Any, order: int) -> Any:
    """K_n(x) exp(x) by Neumann's series."""
    t, weights = _neumann(False)
    log, grown = np.log(x / 2) + np.euler_gamma, np.exp(x)
    first = [_i_near(x, n) * grown for n in (0, 1)]
    if order:
        return grown * (first[0] / x + log * first[1] - 2 * _mean(x, np.sinh, np.cos(t), weights * np.cos(t)))
    return grown * (-log * first[0] + 2 * _mean(x, np.cosh, np.cos(t), weights))


def _k_far(x: Any, order: int) -> Any:
    """K_n(x) exp(x): the integral of exp(-x (cosh t - 1)) cosh(n t), up to where the integrand is nothing."""
    step = 2 * np.arcsinh(np.sqrt(20 / x)) / SECOND
    total = np.full_like(x, 0.5)
    for k in range(1, SECOND + 1):
        t = k * step
        total += np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t)
    return total * step


def _k_scaled(xp: Any, x: Any, order: int) -> Any:
    outside = (x <= 0) | xp.isinf(x)
    safe = xp.where(outside, 1.0, x)
    value = _raised(safe, order, 1, lambda n: _parts(safe, 2.0, _k_near, _k_far, n))
    return xp.where(outside, xp.where(x > 0, 0.0, np.inf), value)


def _slope_of_decaying(x: Any, *, order: int) -> Any:
    above = bessel_k(x, order=order + 1)
    return (bessel_k(x, order=order - 1) + above) * -0.5 if order else -above


@elementwise(x=_slope_of_decaying)
def bessel_k(xp: Any, x: Any, *, order: int) -> Any:
    """The modified Bessel function K_n of the second kind, for x > 0; infinite elsewhere."""
    wide = xp.asarray(x).astype(np.float64)
    return (_k_scaled(xp, wide, order) * xp.exp(-xp.maximum(wide, 0))).astype(x.dtype)


def _slope_of_scaled_decaying(x: Any, out: Any, *, order: int) -> Any:
    above = bessel_ke(x, order=order + 1)
    return out - ((bessel_ke(x, order=order - 1) + above) * 0.5 if order else above)


@elementwise(x=_slope_of_scaled_decaying)
def bessel_ke(xp: Any, x: Any, *, order: int) -> Any:
    """K_n(x) exp(x), for x > 0; infinite elsewhere."""
    return _k_scaled(xp, xp.asarray(x).astype(np.float64), order).astype(x.dtype)
