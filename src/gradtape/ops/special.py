"""Special functions: the error function and the gamma family."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.kinds import elementwise
from gradtape.ops.elementwise import exp, log, log1p
from gradtape.ops.error_function import erf_values, erfc_values
from gradtape.ops.selection import logical_and, where

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def _each(function: Callable[[float], float], x: Any) -> Any:
    """A function of the C library on every element, in double precision, rounded once."""
    return np.asarray(np.frompyfunc(function, 1, 1)(np.asarray(x, np.float64)), np.float64).astype(x.dtype)


@elementwise(x=lambda x: TWO_OVER_ROOT_PI * exp(-x * x))
def erf(xp: Any, x: Any) -> Any:
    """The error function: 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    return erf_values(x)


@elementwise(x=lambda x: -TWO_OVER_ROOT_PI * exp(-x * x))
def erfc(xp: Any, x: Any) -> Any:
    """1 - erf(x), exact where that is tiny."""
    return erfc_values(x)


@elementwise(x=lambda out: exp(out * out) / TWO_OVER_ROOT_PI)
def erfinv(xp: Any, x: Any) -> Any:
    """The inverse of erf: Winitzki's estimate, made exact by Halley's iteration; infinite at -1 and 1."""
    y = np.asarray(x, np.float64)
    inside = np.abs(y) < 1
    safe = np.where(inside, y, 0.0)
    a = 0.147
    half = np.log1p(-safe * safe) / 2 + 2 / (math.pi * a)
    guess = np.sign(safe) * np.sqrt(np.sqrt(half * half - np.log1p(-safe * safe) / a) - half)
    for _ in range(4):
        error = np.asarray(np.frompyfunc(math.erf, 1, 1)(guess), np.float64) - safe
        step = error / (TWO_OVER_ROOT_PI * np.exp(-guess * guess))
        guess = guess - step / (1 + guess * step)
    ends = np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.nan)
    return np.where(inside, guess, ends).astype(x.dtype)


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except ValueError:  # a pole
        return math.inf


def _gamma(x: float) -> float:
    return math.gamma(x) if x < 171 else math.inf


@elementwise(x=lambda x: digamma(x))
def lgamma(xp: Any, x: Any) -> Any:
    """log |gamma(x)|, infinite at the poles 0, -1, -2, ..."""
    return _each(_lgamma, x)


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B_2, B_4, ..."""


def _zeta(s: Any, q: Any) -> Any:
    """Hurwitz's zeta function, the sum of (q + k)^-s, for q > 0: ten terms, then Euler and Maclaurin's formula."""
    total = sum((q + k) ** -s for k in range(10))
    far = q + 10
    last = far**-s
    total = total + last * (far / (s - 1) + 0.5)
    factor, power = s, last / far
    for j, b in enumerate(BERNOULLI, 1):
        total = total + b / math.factorial(2 * j) * factor * power
        factor, power = factor * (s + 2 * j - 1) * (s + 2 * j), power / far / far
    return total


def _zeta_anywhere(s: Any, q: Any) -> Any:
    """The same for q < 0 and whole s too, where the terms before zero are those of another such sum, with its sign."""
    negative = (q < 0) & (s == np.floor(s))
    inside = (q > 0) | negative
    safe = np.where(inside, q, 1.0)
    rest = safe - np.floor(safe)  # of (0, 1), as poles are dealt with below
    after = _zeta(s, np.where(negative, np.where(rest > 0, rest, 1.0), safe))
    before = _zeta(s, np.where(negative & (rest > 0), 1 - rest, 1.0)) - _zeta(s, np.where(negative, 1 - safe, 1.0))
    value = np.where(negative, after + np.where(s % 2 == 0, before, -before), after)
    pole = (q <= 0) & (q == np.floor(q))
    value = np.where(pole, np.where(s % 2 == 0, np.inf, np.nan), np.where(inside, value, np.nan))
    value = np.where(np.isposinf(q), 0.0, value)
    return np.where(s == 1, np.inf, np.where(s > 1, value, np.nan))


@elementwise(x=None, q=lambda x, q: -x * zeta(x + 1, q))
def zeta(xp: Any, x: Any, q: Any) -> Any:
    """Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1, ..., for x > 1. Nothing flows to x."""
    return _zeta_anywhere(xp.asarray(x, np.float64), xp.asarray(q, np.float64)).astype(xp.result_type(x, q))


@elementwise(x=lambda x: polygamma(x, order=1))
def digamma(xp: Any, x: Any) -> Any:
    """The derivative of lgamma, NaN at its poles: reflection, recurrence up to 10, then its asymptotic series."""
    y = np.asarray(x, np.float64)
    mirrored = y <= 0
    q = np.where(mirrored, 1 - y, y)
    total = np.zeros_like(q)
    for k in range(10):
        total = total - 1 / (q + k)
    far = q + 10
    total = total + np.log(far) - 0.5 / far
    for j, b in enumerate(BERNOULLI, 1):
        total = total - b / (2 * j) * far ** (-2.0 * j)
    reflected = total - math.pi / np.tan(math.pi * y)
    pole = mirrored & (y == np.floor(y))
    return np.where(pole, np.nan, np.where(mirrored, reflected, total)).astype(x.dtype)


@elementwise(x=lambda x, *, order: polygamma(x, order=order + 1))
def polygamma(xp: Any, x: Any, *, order: int) -> Any:
    """The derivative of digamma of this order (1 or more)."""
    sign = 1 if order % 2 else -1
    values = _zeta_anywhere(np.float64(order + 1), xp.asarray(x, np.float64))
    return (sign * math.factorial(order) * values).astype(x.dtype)


@elementwise(a=None, x=lambda a, x: polygamma_at(a + 1, x))
def polygamma_at(xp: Any, a: Any, x: Any) -> Any:
    """The derivative of digamma of order a, NaN where that is no whole number of at least 0."""
    orders = xp.asarray(a, np.float64)
    whole = (orders >= 1) & (orders == xp.floor(orders))
    n = xp.where(whole, orders, 1.0)
    values = xp.where(n % 2 == 1, 1.0, -1.0) * _each(_gamma, n + 1) * _zeta_anywhere(n + 1, xp.asarray(x, np.float64))
    return xp.where(orders == 0, digamma(xp.asarray(x, np.float64)), xp.where(whole, values, np.nan)).astype(x.dtype)


# Where x is 0 the slope along it is the other factor, or 0 if that has no finite value there.


@elementwise(x=lambda x, y: where(logical_and(x == 0, y <= 0), 0, log(y)), y=lambda x, y: xdivy(x, y))
def xlogy(xp: Any, x: Any, y: Any) -> Any:
    """x log(y), and 0 where x is 0."""
    return xp.where(x == 0, xp.zeros((), x.dtype), x * xp.log(y))


@elementwise(x=lambda x, y: where(logical_and(x == 0, y <= -1), 0, log1p(y)), y=lambda x, y: xdivy(x, 1 + y))
def xlog1py(xp: Any, x: Any, y: Any) -> Any:
    """x log(1 + y), and 0 where x is 0."""
    return xp.where(x == 0, xp.zeros((), x.dtype), x * xp.log1p(y))


@elementwise(x=lambda x, y: where(logical_and(x == 0, y == 0), 0, 1 / y), y=lambda x, y: -xdivy(xdivy(x, y), y))
def xdivy(xp: Any, x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0."""
    return xp.where(x == 0, xp.zeros((), x.dtype), x / y)
