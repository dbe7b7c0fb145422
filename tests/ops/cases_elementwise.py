"""Cases of the elementwise primitives, the selections and complex numbers."""

import math

import numpy as np

from gradtape.core import cotangents
from gradtape.ops import elementwise as ew
from gradtape.ops import selection as sel

from .opcase import OpCase

X = np.array([[-1.7, -0.4, 0.3], [0.9, 1.6, 2.2]])
Y = np.array([[0.7, -1.3, 1.9], [-0.6, 2.4, -2.1]])
POSITIVE = np.array([[0.2, 0.7, 1.3], [1.8, 2.5, 3.1]])
UNIT = np.array([[-0.8, -0.35, -0.1], [0.25, 0.5, 0.9]])
SMALL = np.array([[-0.9, -0.4, -0.1], [0.2, 0.6, 1.1]])
Z = np.array([1.2 - 0.7j, -0.4 + 1.1j, 0.8 + 0.5j])
W = np.array([0.6 + 0.9j, 1.4 - 0.3j, -0.7 + 0.4j])
BOOLS = np.array([True, False, True]), np.array([True, True, False])
WHOLE = np.array([5, 3, 12]), np.array([3, 2, 2])


def each(f):
    """A function of Python numbers, applied to every element."""
    return np.vectorize(f, otypes=[float])


def unary(op, x, f, **options):
    return OpCase(op, [x], reference=each(f), **options)


def logistic(x):
    return 1 / (1 + math.exp(-x))


UNARY = [
    unary(ew.negative, X, lambda x: 0 - x),
    unary(ew.reciprocal, Y, lambda x: 1 / x),
    unary(ew.square, X, lambda x: x * x),
    unary(ew.exp, X, math.exp),
    unary(ew.exp2, X, lambda x: 2.0**x),
    unary(ew.expm1, SMALL, math.expm1),
    unary(ew.log, POSITIVE, math.log),
    unary(ew.log1p, UNIT, math.log1p),
    unary(ew.sqrt, POSITIVE, math.sqrt),
    unary(ew.rsqrt, POSITIVE, lambda x: 1 / math.sqrt(x)),
    unary(ew.sigmoid, X, logistic),
    unary(ew.softplus, X, lambda x: math.log(1 + math.exp(x))),
    unary(ew.log_sigmoid, X, lambda x: math.log(logistic(x))),
    unary(ew.sin, X, math.sin),
    unary(ew.cos, X, math.cos),
    unary(ew.tan, SMALL, math.tan),
    unary(ew.asin, UNIT, math.asin),
    unary(ew.acos, UNIT, math.acos),
    unary(ew.atan, X, math.atan),
    unary(ew.sinh, X, math.sinh),
    unary(ew.cosh, X, math.cosh),
    unary(ew.asinh, X, math.asinh),
    unary(ew.acosh, POSITIVE + 1.1, math.acosh),
    unary(ew.atanh, UNIT, math.atanh),
    unary(ew.tanh, X, math.tanh),
    unary(ew.sech2, X, lambda x: 1 / math.cosh(x) ** 2),
    unary(ew.absolute, X, math.fabs),
    unary(ew.sign, X, lambda x: math.copysign(1, x)),
    OpCase(ew.floor, [X], reference=each(math.floor)),
    OpCase(ew.ceil, [X], reference=each(math.ceil)),
    OpCase(ew.rint, [X], reference=each(round)),
    OpCase(ew.truncate, [X], reference=each(math.trunc)),
]

BINARY = [
    OpCase(ew.add, [X, Y], reference=each(lambda x, y: x + y)),
    OpCase(ew.subtract, [X, Y], reference=each(lambda x, y: x - y)),
    OpCase(ew.multiply, [X, Y], reference=each(lambda x, y: x * y)),
    OpCase(ew.divide, [X, Y], reference=each(lambda x, y: x / y)),
    OpCase(ew.power, [POSITIVE, Y], reference=each(math.pow)),
    OpCase(ew.floor_divide, [X, Y], reference=each(lambda x, y: x // y)),
    OpCase(ew.floor_mod, [X, Y], reference=each(lambda x, y: x % y)),
    OpCase(ew.truncate_mod, [X, Y], reference=each(math.fmod)),
    OpCase(ew.squared_difference, [X, Y], reference=each(lambda x, y: (x - y) ** 2)),
    OpCase(ew.divide_no_nan, [X, Y], reference=each(lambda x, y: x / y)),
    OpCase(
        ew.divide_no_nan,
        [X, np.array([[0.0, 1.0, 2.0], [0.0, -1.0, 3.0]])],
        reference=each(lambda x, y: x / y if y else 0.0),
        live=(0,),
        label="zeros",
    ),
    OpCase(sel.next_after, [X, Y], reference=each(math.nextafter), dtypes=("float64",)),
    OpCase(ew.truncated_mod, [X, Y], reference=each(math.fmod)),
    OpCase(ew.truncated_quotient, [X, Y], reference=each(lambda x, y: math.trunc(x / y) + 0.0)),
    OpCase(ew.scale, [X], {"by": -1.5}, reference=each(lambda x: -1.5 * x)),
    OpCase(ew.multiply_no_nan, [X, Y], reference=each(lambda x, y: x * y)),
    OpCase(ew.atan2, [X, Y], reference=each(math.atan2)),
    OpCase(ew.maximum, [X, Y], reference=each(max)),
    OpCase(ew.minimum, [X, Y], reference=each(min)),
    OpCase(cotangents.strong_product, [X, Y], reference=each(lambda x, y: x * y)),
]

C = {"dtypes": ("complex128",)}
COMPLEX = [
    OpCase(
        ew.multiply,
        [Z, W],
        reference=lambda z, w: np.array([a * b for a, b in zip(z, w, strict=True)]),
        label="complex",
        **C,
    ),
    OpCase(
        ew.divide,
        [Z, W],
        reference=lambda z, w: np.array([a / b for a, b in zip(z, w, strict=True)]),
        label="complex",
        **C,
    ),
    OpCase(ew.power, [Z, W], reference=lambda z, w: np.exp(w * np.log(z)), label="complex", **C),
    OpCase(
        ew.exp, [Z], reference=lambda z: np.exp(z.real) * (np.cos(z.imag) + 1j * np.sin(z.imag)), label="complex", **C
    ),
    OpCase(ew.sqrt, [Z], reference=lambda z: z**0.5, label="complex", **C),
    OpCase(ew.tanh, [Z], reference=lambda z: np.sinh(z) / np.cosh(z), label="complex", **C),
    OpCase(ew.sigmoid, [Z], reference=lambda z: 1 / (1 + np.exp(-z)), label="complex", **C),
    OpCase(cotangents.conj, [Z], reference=lambda z: z.real - 1j * z.imag, **C),
    OpCase(ew.real, [Z], reference=lambda z: (z + z.conjugate()).real / 2, **C),
    OpCase(ew.imag, [Z], reference=lambda z: ((z - z.conjugate()) / 2j).real, **C),
    OpCase(ew.complex_abs, [Z], reference=lambda z: np.hypot(z.real, z.imag), **C),
    OpCase(ew.unit, [Z], reference=lambda z: z.conjugate() / np.hypot(z.real, z.imag), **C),
    OpCase(ew.angle, [Z], reference=lambda z: np.arctan2(z.imag, z.real), **C),
    OpCase(ew.make_complex, [X, Y], reference=lambda x, y: x + 1j * y, dtypes=("float64",)),
]

SELECTION = [
    OpCase(sel.where, [X > 0.5, X, Y], reference=lambda c, x, y: x * c + y * ~c),
    OpCase(sel.zeros_like, [X], reference=lambda x: x * 0),
    OpCase(sel.vanish, [X], reference=lambda x: x * 0),
    OpCase(sel.within, [X], {"high": 2.0}, lambda x: ((x > 0) & (x < 2)) + 0.0),
    OpCase(sel.ones_like, [X], reference=lambda x: x * 0 + 1),
    OpCase(sel.equal, [X, np.where(X > 0, X, Y)], reference=lambda x, y: ~((x > y) | (x < y))),
    OpCase(sel.not_equal, [X, np.where(X > 0, X, Y)], reference=lambda x, y: (x > y) | (x < y)),
    OpCase(sel.less, [X, Y], reference=lambda x, y: (y - x) > 0),
    OpCase(sel.less_equal, [X, X], reference=lambda x, y: (y - x) >= 0),
    OpCase(sel.greater, [X, Y], reference=lambda x, y: (x - y) > 0),
    OpCase(sel.greater_equal, [X, X], reference=lambda x, y: (x - y) >= 0),
    OpCase(sel.logical_and, BOOLS, reference=lambda x, y: np.array([True, False, False])),
    OpCase(sel.logical_or, BOOLS, reference=lambda x, y: np.array([True, True, True])),
    OpCase(sel.logical_xor, BOOLS, reference=lambda x, y: np.array([False, True, True])),
    OpCase(sel.logical_not, BOOLS[:1], reference=lambda x: np.array([False, True, False])),
    OpCase(sel.bitwise_and, WHOLE, reference=lambda x, y: np.array([1, 2, 0])),
    OpCase(sel.bitwise_or, WHOLE, reference=lambda x, y: np.array([7, 3, 14])),
    OpCase(sel.bitwise_xor, WHOLE, reference=lambda x, y: np.array([6, 1, 14])),
    OpCase(sel.invert, WHOLE[:1], reference=lambda x: np.array([-6, -4, -13])),
    OpCase(sel.left_shift, WHOLE, reference=lambda x, y: np.array([40, 12, 48])),
    OpCase(sel.right_shift, WHOLE, reference=lambda x, y: np.array([0, 0, 3])),
    OpCase(sel.is_nan, [np.array([0.0, np.nan, np.inf])], reference=lambda x: np.array([False, True, False])),
    OpCase(sel.is_inf, [np.array([0.0, np.nan, -np.inf])], reference=lambda x: np.array([False, False, True])),
    OpCase(sel.is_finite, [np.array([0.0, np.nan, np.inf])], reference=lambda x: np.array([True, False, False])),
]

CASES = [*UNARY, *BINARY, *COMPLEX, *SELECTION]
