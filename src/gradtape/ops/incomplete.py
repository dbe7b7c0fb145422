"""The incomplete gamma and beta functions.

Series and continued fractions are those of the NIST Digital Library of Mathematical Functions: 8.7.1 and 8.9.2 for the
gamma function, 8.17.22 for beta. What stands before them is written with the remainder of Stirling's formula (Loader,
"Fast and accurate computation of binomial probabilities", 2000), so that large arguments cost no digits.

Derivatives with respect to the parameter `a` of the gamma functions come from the same series and fraction, computed
with truncated power series in `a` (lists of coefficients) in the place of numbers: so there is one of every order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core.kinds import elementwise
from gradtape.ops.elementwise import exp, log
from gradtape.ops.special import digamma, lgamma, polygamma, xlog1py, xlogy

STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
"""B_2k / (2k (2k - 1)), of the asymptotic series of lgamma."""

LOG_2PI = math.log(2 * math.pi)
MOST, EXACT = 20_000, 1e-17
"""How many terms are added at most (enough for a up to a million), and below which share of the sum they stop."""


def _remainder(z: Any) -> Any:
    """lgamma(z) less Stirling's (z - 1/2) log z - z + log(2 pi) / 2."""
    far = np.maximum(z, 10.0)
    tail = sum(c * far ** -(2.0 * k + 1) for k, c in enumerate(STIRLING))
    near = np.minimum(z, 10.0)
    exact = np.frompyfunc(math.lgamma, 1, 1)(near).astype(np.float64)
    return np.where(z >= 10, tail, exact - ((near - 0.5) * np.log(near) - near + LOG_2PI / 2))


def _log_less(x: Any, y: Any) -> Any:
    """log(x / y) - (x / y - 1), exact near x = y by the series of 2 artanh((x - y) / (x + y))."""
    ratio = x / y
    close = (ratio > 0.5) & (ratio < 1.6)
    r = np.where(close, (x - y) / (x + y), 0.0)
    square = r * r
    total = np.zeros_like(r)
    for k in range(18, -1, -1):
        total = total * square + 1 / (2 * k + 3)
    return np.where(close, r * (2 * square * total - (x - y) / y), np.log(ratio) - (ratio - 1))


# Power series in the parameter: lists of coefficients, arrays of one shape.


def _linear(r: Any, slope: float, order: int) -> list[Any]:
    """r + slope t, where t is the variable."""
    return [r, np.full_like(r, slope), *[np.zeros_like(r)] * (order - 1)][: order + 1]


def _total(u: list[Any], v: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(u, v, strict=True)]


def _product(u: list[Any], v: list[Any]) -> list[Any]:
    return [sum(u[j] * v[n - j] for j in range(n + 1)) for n in range(len(u))]


def _over(u: list[Any], r: Any) -> list[Any]:
    """u / (r + t)."""
    out: list[Any] = []
    for c in u:
        out.append((c - out[-1] if out else c) / r)
    return out


def _front(a: Any, x: Any, order: int) -> list[Any]:
    """x^a exp(-x) / gamma(a + 1)."""
    value = np.exp(a * _log_less(x, a) - _remainder(a)) / np.sqrt(2 * np.pi * a)
    slopes = [np.log(x) - digamma(a + 1)]  # of its logarithm, over factorials
    slopes += [-polygamma(a + 1, order=n - 1) / math.factorial(n - 1) for n in range(2, order + 1)]
    out = [value]
    for n in range(1, order + 1):
        out.append(sum(slopes[j] * out[n - 1 - j] for j in range(n)) / n)
    return out


def _small(u: list[Any], total: list[Any]) -> Any:
    return np.all([np.abs(c) <= EXACT * np.abs(t) for c, t in zip(u, total, strict=True)])


def _lower(a: Any, x: Any, order: int) -> list[Any]:
    """P(a, x) by its series: the front times the sum of x^k / ((a + 1) ... (a + k))."""
    term = [np.ones_like(a)] + [np.zeros_like(a) for _ in range(order)]
    total = list(term)
    for k in range(1, MOST):
        term = [c * x for c in _over(term, a + k)]
        total = [t + c for t, c in zip(total, term, strict=True)]
        if _small(term, total):
            break
    return _product(_front(a, x, order), total)


def _upper(a: Any, x: Any, order: int) -> list[Any]:
    """Q(a, x) by its continued fraction, by Lentz's method, which does not lose digits in many steps."""
    one = [np.ones_like(a), *[np.zeros_like(a)] * order]
    b = _linear(x + 1 - a, -1.0, order)
    d = out = _quotient(one, b)
    c: list[Any] | None = None
    for k in range(1, MOST):
        step, b = _linear(k * (a - k), float(k), order), [b[0] + 2, *b[1:]]
        d = _quotient(one, _total(b, _product(step, d)))
        c = b if c is None else _total(b, _quotient(step, c))
        change = _product(c, d)
        out = _product(out, change)
        change[0] = change[0] - 1
        if all((np.abs(v) <= 4e-16).all() for v in change):
            break
    return _product(_product(_front(a, x, order), _linear(a, 1.0, order)), out)


def _quotient(u: list[Any], v: list[Any]) -> list[Any]:
    out: list[Any] = []
    for n, c in enumerate(u):
        out.append((c - sum(out[j] * v[n - j] for j in range(n))) / v[0])
    return out


def _gamma(xp: Any, a: Any, x: Any, order: int, upper: bool) -> Any:
    """The derivative of this order with respect to a, of Q if `upper` and of P if not."""
    wide, point = xp.broadcast_arrays(xp.asarray(a, np.float64), xp.asarray(x, np.float64))
    flat_a, flat_x = wide.reshape(-1), point.reshape(-1)
    out = xp.full(flat_a.shape, np.nan)
    inside = (flat_a > 0) & (flat_x > 0) & xp.isfinite(flat_a) & xp.isfinite(flat_x)
    none = ((flat_x == 0) & (flat_a >= 0) & (flat_a + (not upper) > 0)) | (xp.isposinf(flat_a) & (flat_x >= 0))
    every = xp.isposinf(flat_x) & (flat_a > 0) & xp.isfinite(flat_a)
    out[none], out[every] = ((1.0, 0.0) if upper else (0.0, 1.0)) if not order else (0.0, 0.0)
    fraction = inside & (flat_x > 1) & (flat_x > flat_a)
    for where, formula, own in ((inside & ~fraction, _lower, False), (fraction, _upper, True)):
        if where.any():
            value = formula(flat_a[where], flat_x[where], order)[order] * math.factorial(order)
            out[where] = value if own == upper else (0.0 if order else 1.0) - value
    return out.reshape(wide.shape)[()].astype(xp.result_type(a, x))


def _density(a: Any, x: Any) -> Any:
    """d P / d x."""
    return exp(xlogy(a - 1, x) - x - lgamma(a))


def _density_slope(a: Any, x: Any, order: int) -> Any:
    """The derivative of this order of the density with respect to a, by Leibniz's rule for exp(g)."""
    found = [_density(a, x)]
    slopes = [log(x) - digamma(a), *[-polygamma(a, order=n) for n in range(1, order)]]
    for n in range(1, order + 1):
        terms = [found[n - 1 - j] * slopes[j] * float(math.comb(n - 1, j)) for j in range(n)]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        found.append(total)
    return found[order]


@elementwise(a=lambda a, x: igamma_slope(a, x, order=1), x=lambda a, x: _density(a, x))
def igamma(xp: Any, a: Any, x: Any) -> Any:
    """The regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0; NaN elsewhere."""
    return _gamma(xp, a, x, 0, False)


@elementwise(a=lambda a, x: -igamma_slope(a, x, order=1), x=lambda a, x: -_density(a, x))
def igammac(xp: Any, a: Any, x: Any) -> Any:
    """1 - P(a, x), exact where that is tiny."""
    return _gamma(xp, a, x, 0, True)


@elementwise(
    a=lambda a, x, *, order: igamma_slope(a, x, order=order + 1), x=lambda a, x, *, order: _density_slope(a, x, order)
)
def igamma_slope(xp: Any, a: Any, x: Any, *, order: int) -> Any:
    """The derivative of P(a, x) of this order (1 or more) with respect to a."""
    return _gamma(xp, a, x, order, False)


# Beta.


def _beta_front(a: Any, b: Any, x: Any) -> Any:
    """x^a (1 - x)^b / beta(a, b)."""
    total = a + b
    power = a * _log_less(x * total, a) + b * _log_less((1 - x) * total, b)
    rest = _remainder(total) - _remainder(a) - _remainder(b)
    return np.exp(power + rest) * np.sqrt(a / total * b / (2 * np.pi))


def _beta_fraction(a: Any, b: Any, x: Any) -> Any:
    """The continued fraction, by Lentz's method."""
    tiny = 1e-300
    c, d = np.ones_like(x), 1 - (a + b) * x / (a + 1)
    d = 1 / np.where(np.abs(d) < tiny, tiny, d)
    out = d
    for m in range(1, MOST):
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 + top * d, 1 + top / c
            d = 1 / np.where(np.abs(d) < tiny, tiny, d)
            c = np.where(np.abs(c) < tiny, tiny, c)
            out = out * (c * d)
        if (np.abs(c * d - 1) <= 1e-15).all():
            break
    return out


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    """d I / d x."""
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - (lgamma(a) + lgamma(b) - lgamma(a + b)))


@elementwise(a=None, b=None, x=lambda a, b, x: _beta_density(a, b, x))
def betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """The regularised incomplete beta function I_x(a, b), for positive a and b; NaN elsewhere.

    Nothing flows to a and b, as in TensorFlow.
    """
    arrays = xp.broadcast_arrays(*[xp.asarray(v, np.float64) for v in (a, b, x)])
    flat_a, flat_b, flat_x = (v.reshape(-1) for v in arrays)
    valid = (flat_a > 0) & (flat_b > 0) & xp.isfinite(flat_a + flat_b)
    out = xp.where(valid & (flat_x == 0), 0.0, xp.where(valid & (flat_x == 1), 1.0, np.nan))
    inside = valid & (flat_x > 0) & (flat_x < 1)
    p, q, t = flat_a[inside], flat_b[inside], flat_x[inside]
    if p.size:
        turned = t > (p + 1) / (p + q + 2)
        p, q, t = xp.where(turned, q, p), xp.where(turned, p, q), xp.where(turned, 1 - t, t)
        value = _beta_front(p, q, t) * _beta_fraction(p, q, t) / p
        out[inside] = xp.where(turned, 1 - value, value)
    return out.reshape(arrays[0].shape)[()].astype(xp.result_type(a, b, x))
