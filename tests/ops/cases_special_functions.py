"""Cases of Bessel functions, incomplete gamma and beta functions, zeta and integrals, against their definitions."""

import math

import numpy as np

from gradtape.ops import bessel, incomplete, integrals, special

from .cases_special import each
from .opcase import OpCase

X = np.array([0.3, 1.4, 2.6, 7.5, 27.0])
SIGNED = np.array([0.4, -1.1, 2.6, -7.5, 27.0])
SHORT = np.array([-6.2, -1.3, -0.1, 0.7, 2.9])
SHAPES, POINTS = np.array([0.4, 1.7, 3.0, 12.0, 5.0]), np.array([0.3, 2.9, 0.6, 11.0, 9.0])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def integral(f, low, high, parts=40):
    """Gauss's quadrature on equal parts."""
    edges = np.linspace(low, high, parts + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (high - low) / (2 * parts)
    return half * sum(w * f(middle + half * p).sum() for p, w in zip(NODES, WEIGHTS, strict=True))


def j(n):
    return lambda x: integral(lambda t: np.cos(n * t - x * np.sin(t)), 0, np.pi) / np.pi


def y(n):
    def f(x):
        tail = integral(lambda t: (np.exp(n * t) + np.exp(-n * t) * (-1) ** n) * np.exp(-x * np.sinh(t)), 0, 7, 80)
        return (integral(lambda t: np.sin(x * np.sin(t) - n * t), 0, np.pi) - tail) / np.pi

    return f


def i(n, scaled):
    def f(x):
        away = abs(x) if scaled else 0
        return integral(lambda t: np.exp(x * np.cos(t) - away) * np.cos(n * t), 0, np.pi) / np.pi

    return f


def k(n, scaled):
    return lambda x: integral(lambda t: np.exp(x * scaled - x * np.cosh(t)) * np.cosh(n * t), 0, 7, 80)


def digamma(x):
    far = x + 100
    return math.log(far) - 1 / (2 * far) - 1 / (12 * far**2) + 1 / (120 * far**4) - sum(1 / (x + k) for k in range(100))


def gamma_integral(a, x, log=0):
    """The integral of log(t)^log t^(a-1) exp(-t) from 0 to x, with t = u^8, which is smooth at 0."""
    return integral(lambda u: (8 * np.log(u)) ** log * u ** (8 * a - 1) * np.exp(-(u**8)) * 8, 0, x**0.125)


def lower(a, x):
    return gamma_integral(a, x) / math.gamma(a)


def lower_slope(a, x):
    return gamma_integral(a, x, 1) / math.gamma(a) - lower(a, x) * digamma(a)


def beta(a, b, x):
    whole = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    return integral(lambda u: 8 * u ** (8 * a - 1) * (1 - u**8) ** (b - 1), 0, x**0.125) / whole


def hurwitz(s, q):
    terms = (q + np.arange(20_000)) ** -s
    far = q + 20_000
    return terms.sum() + far ** (1 - s) / (s - 1) + far**-s / 2


def dawson(x):
    return integral(lambda t: np.exp(t * t - x * x), 0, x)


def ei(x):
    return np.euler_gamma + math.log(x) + integral(lambda t: np.expm1(t) / t, 0, x)


def spence(x):
    return -integral(lambda t: np.log(t) / (t - 1), 1, x)


CASES = [
    *[OpCase(bessel.bessel_j, [SIGNED], {"order": n}, each(j(n)), label=str(n)) for n in (0, 1, 3)],
    *[OpCase(bessel.bessel_i, [SHORT], {"order": n}, each(i(n, False)), label=str(n)) for n in (0, 1, 3)],
    *[OpCase(bessel.bessel_ie, [SIGNED], {"order": n}, each(i(n, True)), label=str(n)) for n in (0, 1, 3)],
    *[OpCase(bessel.bessel_y, [X], {"order": n}, each(y(n)), label=str(n)) for n in (0, 1, 3)],
    *[OpCase(bessel.bessel_k, [X], {"order": n}, each(k(n, 0)), label=str(n)) for n in (0, 1, 3)],
    *[OpCase(bessel.bessel_ke, [X], {"order": n}, each(k(n, 1)), label=str(n)) for n in (0, 1, 3)],
    OpCase(incomplete.igamma, [SHAPES, POINTS], {}, each(lower)),
    OpCase(incomplete.igammac, [SHAPES, POINTS], {}, each(lambda a, x: 1 - lower(a, x))),
    OpCase(incomplete.igamma_slope, [SHAPES, POINTS], {"order": 1}, each(lower_slope)),
    OpCase(incomplete.igamma_slope, [SHAPES, POINTS], {"order": 2}, orders=1, label="2"),
    OpCase(incomplete.betainc, [SHAPES, SHAPES[::-1], np.array([0.2, 0.5, 0.4, 0.7, 0.9])], {}, each(beta), live=(2,)),
    OpCase(special.zeta, [np.array([1.5, 2.0, 3.7]), np.array([0.4, 2.5, 9.0])], {}, each(hurwitz), live=(1,)),
    OpCase(
        special.polygamma_at,
        [np.array([0, 1, 3]), np.array([0.4, 2.5, 9.0])],
        {},
        each(lambda n, x: (-1) ** (n + 1) * math.gamma(n + 1) * hurwitz(n + 1.0, x) if n else digamma(x)),
        live=(1,),
    ),
    OpCase(integrals.dawsn, [SHORT], {}, each(dawson)),
    OpCase(integrals.expint, [np.array([0.2, 1.0, 5.5, 41.0])], {}, each(ei), dtypes=("float64",)),
    OpCase(integrals.fresnel_cos, [SHORT], {}, each(lambda x: integral(lambda t: np.cos(np.pi / 2 * t * t), 0, x))),
    OpCase(integrals.fresnel_sin, [SHORT], {}, each(lambda x: integral(lambda t: np.sin(np.pi / 2 * t * t), 0, x))),
    OpCase(integrals.spence, [np.array([0.1, 0.6, 1.3, 2.8, 9.0])], {}, each(spence)),
    OpCase(
        integrals.spence_slope,
        [np.array([0.1, 0.6, 1.3, 2.8, 9.0])],
        {"order": 1},
        each(lambda x: 1 / (x * (1 - x)) + math.log(x) / (1 - x) ** 2),
    ),
]
