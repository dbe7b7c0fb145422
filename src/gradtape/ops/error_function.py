"""Values of the error function and its complement, from polynomials that are fitted once, to the last digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

CENTER = 3.75
"""The map (x - c) / (x + c) takes [0, inf) to [-1, 1), and the scaled tail to a smooth function (Shepherd and
Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981)."""

NODES, HEAD, TAIL = 64, 13, 30


def _chebyshev(values: Any, count: int) -> Any:
    """The first coefficients of the Chebyshev series of a function, given at the Chebyshev points of [-1, 1]."""
    angles = (np.arange(NODES) + 0.5) * np.pi / NODES
    series = 2 / NODES * np.cos(np.outer(np.arange(count), angles)) @ values
    series[0] /= 2
    return series


def _points() -> Any:
    return np.cos((np.arange(NODES) + 0.5) * np.pi / NODES)


@cache
def _head() -> Any:
    """erf(x) / x for x^2 in [0, 1], as a series in 2 x^2 - 1."""
    x = np.sqrt((_points() + 1) / 2)
    return _chebyshev(np.array([math.erf(v) / v for v in x]), HEAD)


@cache
def _tail() -> Any:
    """(1 + 2x) exp(x^2) erfc(x) for x >= 0, as a series in (x - c) / (x + c)."""
    t = _points()
    return _chebyshev(np.array([(1 + 2 * v) * _scaled_tail(v) for v in CENTER * (1 + t) / (1 - t)]), TAIL)


def _scaled_tail(x: float) -> float:
    """exp(x^2) erfc(x) of one number."""
    if x < 4:
        high = math.floor(x * 1024) / 1024  # its square is exact
        return math.exp(high * high) * math.exp((x - high) * (x + high)) * math.erfc(x)
    fraction = 0.0
    for k in range(120, 0, -1):
        fraction = k / 2 / (x + fraction)
    return 1 / (math.sqrt(math.pi) * (x + fraction))


def _sum(series: Any, t: Any) -> Any:
    """The sum of a Chebyshev series, by Clenshaw's recurrence in place."""
    twice, last, before, spare = t + t, np.zeros_like(t), np.zeros_like(t), np.empty_like(t)
    for c in series[:0:-1].astype(t.dtype):
        np.multiply(twice, last, out=spare)
        spare -= before
        spare += c
        last, before, spare = spare, last, before
    last *= t
    last -= before
    last += t.dtype.type(series[0])
    return last


def _terms(series: Any, dtype: Any) -> Any:
    """As many terms as the dtype can tell."""
    return series[np.cumsum(np.abs(series[::-1]))[::-1] > np.finfo(dtype).eps / 8]


def _positive_tail(x: Any) -> Any:
    """erfc of numbers that are not negative."""
    x = np.minimum(x, x.dtype.type(28))  # beyond it is zero, and infinity would spoil the map
    high = np.floor(x * 16)
    high /= 16
    decay = np.exp((high - x) * (high + x))  # exp(-x^2) in two steps, so that the square is not rounded
    high *= -high
    decay *= np.exp(high, out=high)
    decay /= 2 * x + 1
    decay *= _sum(_terms(_tail(), x.dtype), (x - CENTER) / (x + CENTER))
    return decay


def _near_zero(x: Any) -> Any:
    """erf of numbers of [-1, 1]; of others, of the nearer end."""
    inside = np.clip(x, -1, 1)
    return inside * _sum(_terms(_head(), x.dtype), 2 * inside * inside - 1)


def _erf(x: Any) -> Any:
    size = np.abs(x)
    return np.where(size < 1, _near_zero(x), np.copysign(1 - _positive_tail(size), x))


def _erfc(x: Any) -> Any:
    size = np.abs(x)
    tail = _positive_tail(size)
    return np.where(size < 0.5, 1 - _near_zero(x), np.where(x < 0, 2 - tail, tail))


FEW, BLOCK = 1024, 8192
"""Below how many elements the C library is faster, one by one; how many fit the cache at once."""


def _values(function: Callable[[Any], Any], one: Callable[[float], float], x: Any) -> Any:
    flat = np.asarray(x).reshape(-1)
    if flat.size < FEW:
        return np.array([one(v) for v in flat.astype(np.float64).tolist()]).reshape(x.shape).astype(x.dtype)
    work = flat if flat.dtype.char in "fd" else flat.astype(np.float32)
    out = np.empty_like(work)
    for start in range(0, len(work), BLOCK):
        out[start : start + BLOCK] = function(work[start : start + BLOCK])
    return out.reshape(x.shape).astype(x.dtype, copy=False)


def erf_values(x: Any) -> Any:
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    return _values(_erf, math.erf, x)


def erfc_values(x: Any) -> Any:
    """1 - erf(x), with full relative precision where that is tiny."""
    return _values(_erfc, math.erfc, x)
