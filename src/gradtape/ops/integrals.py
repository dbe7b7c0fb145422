"""Functions that are integrals of elementary ones: Dawson's, exponential, Fresnel's and the dilogarithm.

Formulas without tables: Rybicki, "Dawson's integral and the sampling theorem" (1989); for the others the NIST Digital
Library of Mathematical Functions, 6.6 and 6.12 (exponential), 7.12 (Fresnel), and Bernoulli's series of the
dilogarithm (Zagier, "The dilogarithm function", 2007).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core.kinds import elementwise
from gradtape.ops.elementwise import cos, exp, sin
from gradtape.ops.special import BERNOULLI

STEP, REACH = 0.2, 33
"""Of Rybicki's sum: its error is about exp(-(pi / 2 STEP)^2)."""


@elementwise(x=lambda x, out: 1 - x * out * 2)
def dawsn(xp: Any, x: Any) -> Any:
    """exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    wide = xp.asarray(x).astype(np.float64)
    size = xp.abs(wide)
    square = xp.where(size < STEP, size, 0.0) ** 2
    term = near = xp.where(size < STEP, size, 0.0)
    for k in range(1, 9):
        term = term * square * (-2 / (2 * k + 1))
        near = near + term
    safe = xp.clip(size, STEP, 1e6)
    middle = 2 * xp.round(safe / (2 * STEP))
    rest, total = safe - middle * STEP, xp.zeros_like(safe)
    for n in range(-REACH, REACH + 1, 2):
        total = total + xp.exp(-((rest - n * STEP) ** 2)) / (middle + n)
    far = xp.where(size > 1e6, 0.5 / size, total / math.sqrt(math.pi))
    out = xp.where(size < STEP, near, far)
    return xp.where(xp.isnan(wide), wide, xp.copysign(out, wide)).astype(x.dtype)


def _exponential_series(x: Any) -> Any:
    """Ei(x) by its power series."""
    total, term, k = np.log(np.abs(x)) + np.euler_gamma, np.ones_like(x), 1
    sums = np.zeros_like(x)
    while (np.abs(term) > 1e-18).any():
        term = term * x / k
        sums, k = sums + term / k, k + 1
    return total + sums


def _exponential_expansion(x: Any) -> Any:
    """Ei(x) exp(-x) for large x."""
    total = term = np.ones_like(x)
    for k in range(1, 40):
        term = term * k / x
        total = total + term
    return total / x


@elementwise(x=lambda x: exp(x) / x)
def expint(xp: Any, x: Any) -> Any:
    """The exponential integral Ei(x), for x > 0; NaN for x < 0, as in TensorFlow."""
    wide = xp.asarray(x).astype(np.float64)
    out = xp.where(wide == 0, -np.inf, xp.where(xp.isposinf(wide), np.inf, np.nan))
    flat = xp.atleast_1d(out)
    given = xp.atleast_1d(wide)
    near, far = (given > 0) & (given < 40), (given >= 40) & xp.isfinite(given)
    if near.any():
        flat[near] = _exponential_series(given[near])
    if far.any():
        flat[far] = _exponential_expansion(given[far]) * xp.exp(given[far])
    return flat.reshape(xp.shape(x))[()].astype(x.dtype)


FRESNEL, NODES = 5.0, 64
"""Up to where Gauss's quadrature with so many points is exact."""


def _fresnel(x: Any, sine: bool) -> Any:
    wide = np.asarray(x, np.float64)
    size = np.abs(wide)
    near, far = np.minimum(size, FRESNEL), np.maximum(size, FRESNEL)
    points, weights = np.polynomial.legendre.leggauss(NODES)
    inner = np.zeros_like(near)
    for p, w in zip((points + 1) / 2, weights / 2, strict=True):
        inner = inner + w * (np.sin if sine else np.cos)(np.pi / 2 * (near * p) ** 2)
    far = np.minimum(far, 1e17)  # beyond, a half is exact
    ratio = 1 / (np.pi * far * far) ** 2
    f, g, term = np.zeros_like(far), np.zeros_like(far), np.ones_like(far)
    for m in range(12):
        f, g = f + term, g + term * (4 * m + 1)
        term = term * -((4 * m + 1) * (4 * m + 3)) * ratio
    f, g = f / (np.pi * far), g / (np.pi**2 * far**3)
    rest = far % 2
    turn = rest * rest + 2 * ((far - rest) * rest % 2)  # far^2, but for multiples of 4
    angle = np.pi / 2 * (turn % 4)
    c, s = np.cos(angle), np.sin(angle)
    outer = 0.5 - f * c - g * s if sine else 0.5 + f * s - g * c
    out = np.copysign(np.where(size < FRESNEL, near * inner, outer), wide)
    return np.where(np.isnan(wide), wide, out).astype(x.dtype)


@elementwise(x=lambda x: cos(x * x * (math.pi / 2)))
def fresnel_cos(xp: Any, x: Any) -> Any:
    """The integral of cos(pi t^2 / 2) from 0 to x."""
    return _fresnel(x, False)


@elementwise(x=lambda x: sin(x * x * (math.pi / 2)))
def fresnel_sin(xp: Any, x: Any) -> Any:
    """The integral of sin(pi t^2 / 2) from 0 to x."""
    return _fresnel(x, True)


def _dilogarithm(x: Any) -> Any:
    """Spence's function for x of [1/2, 2], by Bernoulli's series in -log(x)."""
    u = -np.log(x)
    total = u - u * u / 4
    for j, b in enumerate(BERNOULLI, 1):
        total = total + b / math.factorial(2 * j + 1) * u ** (2 * j + 1)
    return total


@elementwise(x=lambda x: spence_slope(x, order=0))
def spence(xp: Any, x: Any) -> Any:
    """Spence's function: minus the integral of log(t) / (t - 1) from 1 to x, for x >= 0; NaN elsewhere."""
    wide = xp.asarray(x).astype(np.float64)
    large, valid = wide > 2, (wide >= 0) & ~xp.isposinf(wide)
    safe = xp.where(valid, wide, 1.0)
    y = xp.where(large, 1 / xp.where(large, safe, 1.0), safe)
    small = y < 0.5
    log = xp.log(xp.where(y > 0, y, 1.0))
    core = _dilogarithm(xp.where(small, 1 - y, y))
    value = xp.where(small, math.pi**2 / 6 - log * xp.log1p(-xp.where(small, y, 0.0)) - core, core)
    value = xp.where(large, -value - xp.log(safe + ~valid) ** 2 / 2, value)
    return xp.where(valid, value, np.nan).astype(x.dtype)


@elementwise(x=lambda x, *, order: spence_slope(x, order=order + 1))
def spence_slope(xp: Any, x: Any, *, order: int) -> Any:
    """The derivative of this order of log(x) / (1 - x): near 1 by its power series, elsewhere by Leibniz's rule."""
    wide = xp.asarray(x).astype(np.float64)
    away = wide - 1
    near = xp.abs(away) < 0.5
    close, total = xp.where(near, away, 0.0), xp.zeros_like(wide)
    for k in range(60 + 2 * order, order - 1, -1):
        total = total * -close + math.perm(k, order) / (k + 1)
    series = total if order % 2 else -total
    point, rest = xp.where(near, 2.0, wide), xp.where(near, -1.0, -away)
    parts = math.factorial(order) * xp.log(point) / rest ** (order + 1)
    for j in range(1, order + 1):
        share = math.comb(order, j) * math.factorial(j - 1) * math.factorial(order - j)
        parts = parts + (share if j % 2 else -share) / point**j / rest ** (order - j + 1)
    return xp.where(near, series, parts).astype(x.dtype)
