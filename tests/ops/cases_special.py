"""Cases of the special functions."""

import math

import numpy as np

from gradtape.ops import special

from .opcase import OpCase

X = np.array([[-1.7, -0.4, 0.3], [0.9, 1.6, 2.2]])
POSITIVE = np.array([0.2, 0.7, 1.3, 2.5, 7.1])
UNIT = np.array([-0.95, -0.5, -0.1, 0.3, 0.8])
ZEROS = np.array([0.0, 1.5, -2.0])


def each(f):
    return np.vectorize(f, otypes=[float])


def bisected(y):
    low, high = -6.0, 6.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return low


def digamma(x):
    return sum(1 / (k + 1) - 1 / (k + x) for k in range(200_000)) - 0.5772156649015329 + (x - 1) / 200_000.5


def series(order):
    def f(x):
        terms = sum((x + k) ** -(order + 1.0) for k in range(20_000))
        tail = (x + 20_000 - 0.5) ** -float(order) / order
        return (-1) ** (order + 1) * math.factorial(order) * (terms + tail)

    return f


CASES = [
    OpCase(special.erf, [X], reference=each(math.erf)),
    OpCase(special.erfc, [X], reference=each(math.erfc)),
    OpCase(special.erfinv, [UNIT], reference=each(bisected)),
    OpCase(special.lgamma, [POSITIVE], reference=each(math.lgamma)),
    OpCase(special.digamma, [POSITIVE], reference=each(digamma)),
    OpCase(
        special.digamma,
        [np.array([-0.5, -2.3])],
        reference=each(lambda x: digamma(1 - x) - math.pi / math.tan(math.pi * x)),
        orders=1,
        label="negative",
        live=(),
    ),
    OpCase(special.polygamma, [POSITIVE], {"order": 1}, each(series(1))),
    OpCase(special.polygamma, [POSITIVE], {"order": 3}, each(series(3)), label="3"),
    OpCase(special.xlogy, [X, POSITIVE[1:4]], reference=each(lambda x, y: x * math.log(y))),
    OpCase(
        special.xlogy,
        [ZEROS, np.array([0.0, 2.0, 3.0])],
        reference=each(lambda x, y: x * math.log(y) if x else 0.0),
        live=(),
        label="zero",
    ),
    OpCase(special.xlog1py, [X, POSITIVE[1:4]], reference=each(lambda x, y: x * math.log1p(y))),
    OpCase(special.xdivy, [X, POSITIVE[1:4]], reference=each(lambda x, y: x / y)),
]
