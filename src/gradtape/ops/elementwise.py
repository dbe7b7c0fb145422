"""Elementwise arithmetic and the elementary functions, each beside its partial derivatives."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from gradtape.core.batching import align, batched
from gradtape.core.kinds import elementwise, linear, primitive, ufunc
from gradtape.core.tensor import raw
from gradtape.ops.selection import vanish, where, zeros_like

# Arithmetic. Python's operators on NumPy values: as fast as the ufuncs on arrays, ten times faster on scalars.

add = ufunc(operator.add, name="add", x=1, y=1)
subtract = ufunc(operator.sub, name="subtract", x=1, y=-1)
multiply = ufunc(operator.mul, name="multiply", x=lambda y: y, y=lambda x: x)
divide = ufunc(operator.truediv, name="divide", x=lambda y: _inverse(y), y=lambda y, out: -out / y)
negative = ufunc(operator.neg, name="negative", x=-1)
reciprocal = ufunc(np.reciprocal, x=lambda out: -out * out)
square = ufunc(np.square, x=lambda x: x * 2)
floor_divide = ufunc(operator.floordiv, name="floor_divide", x=None, y=None)
truncated_mod = ufunc(np.fmod, name="truncated_mod", x=1, y=lambda x, y: -truncated_quotient(x, y))
floor_mod = ufunc(operator.mod, name="floor_mod", x=1, y=lambda x, y: -floor_divide(x, y))
truncate_mod = ufunc(np.fmod, name="truncate_mod", x=1, y=lambda x, y: -truncate(x / y))


def _inverse(y: Any) -> Any:
    """1 / y, infinite for a Python 0 too."""
    return math.copysign(math.inf, y) if _is_python(y) and y == 0 else 1 / y


@elementwise(x=None, y=None)
def truncated_quotient(xp: Any, x: Any, y: Any) -> Any:
    """x / y without what is behind the point."""
    if x.dtype.kind in "iu":
        return (xp.abs(x) // xp.abs(y) * (xp.sign(x) * xp.sign(y))).astype(x.dtype)
    return xp.trunc(x / y)


def _is_python(value: Any) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, np.generic)


def _power_partial_x(x: Any, y: Any) -> Any:
    """y x^(y-1), and 0 where x and y are 0: the power is then constant in x."""
    if _is_python(y):
        return vanish(x) if y == 0 else y * x ** (y - 1)
    return y * power(where((x == 0) & (y == 0), 1, x), y - 1)


def _power_partial_y(x: Any, out: Any) -> Any:
    """x^y log x where x is positive; 0 at x = 0, the limit, and where x is negative, which has no powers between."""
    if _is_python(x):
        return scale(out, by=math.log(x)) if x > 0 else vanish(out)
    usable = x != 0 if raw(x).dtype.kind == "c" else x > 0
    return out * where(usable, log(where(usable, x, 1)), 0)


power = ufunc(operator.pow, name="power", x=_power_partial_x, y=_power_partial_y)


@elementwise(x=lambda x, y: 2 * (x - y), y=lambda x, y: 2 * (y - x))
def squared_difference(xp: Any, x: Any, y: Any) -> Any:
    """(x - y)^2."""
    return xp.square(x - y)


@elementwise(x=lambda y: where(y == 0, 0, 1 / where(y == 0, 1, y)), y=lambda y, out: divide_no_nan(-out, y))
def divide_no_nan(xp: Any, x: Any, y: Any) -> Any:
    """x / y, and 0 where y is 0."""
    zero = y == 0
    return xp.where(zero, xp.zeros((), x.dtype), x / xp.where(zero, xp.ones((), y.dtype), y))


@elementwise(x=lambda y: y, y=lambda x: x)
def multiply_no_nan(xp: Any, x: Any, y: Any) -> Any:
    """x y, and 0 where y is 0 even if x is infinite or NaN."""
    return xp.where(y == 0, xp.zeros((), x.dtype), x * y)


@batched(align)
@linear(x=lambda ct, *, by: scale(ct, by=by))
def scale(xp: Any, x: Any, *, by: float) -> Any:
    """x times a number, in the dtype of x: NumPy makes float32 of bfloat16 times a Python float."""
    return x * x.dtype.type(by)


# Exponentials and logarithms.

exp = ufunc(np.exp, x=lambda out: out)
exp2 = ufunc(np.exp2, x=lambda x: (2 * math.log(2)) * exp2(x - 1))  # finite where 2^x just overflows
expm1 = ufunc(np.expm1, x=lambda x: exp(x))
log = ufunc(np.log, x=lambda x: 1 / x)
log1p = ufunc(np.log1p, x=lambda x: 1 / (1 + x))
sqrt = ufunc(np.sqrt, x=lambda out: 1 / (out * 2))


@elementwise(x=lambda x, out: out / (x * -2))
def rsqrt(xp: Any, x: Any) -> Any:
    """1 / sqrt(x)."""
    return 1 / xp.sqrt(x)


def _logistic(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)) without overflow: exp of minus the absolute value, and the symmetry about 0."""
    e = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1, e) / (1 + e)


@elementwise(x=lambda x, out: out * sigmoid(-x))
def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)). The partial s(x) s(-x) keeps full precision in both tails, where 1 - s(x) does not."""
    if x.dtype.kind == "c":
        return 1 / (1 + xp.exp(-x))
    return _logistic(xp, x)


@elementwise(x=lambda x: sigmoid(x))
def softplus(xp: Any, x: Any) -> Any:
    """log(1 + exp(x)) without overflow."""
    return xp.logaddexp(x, xp.zeros((), x.dtype))


@elementwise(x=lambda x: sigmoid(-x))
def log_sigmoid(xp: Any, x: Any) -> Any:
    """log(sigmoid(x)) without overflow."""
    return -xp.logaddexp(-x, xp.zeros((), x.dtype))


# Trigonometric and hyperbolic functions.

sin = ufunc(np.sin, x=lambda x: cos(x))
cos = ufunc(np.cos, x=lambda x: -sin(x))
tan = ufunc(np.tan, x=lambda out: 1 + out * out)
asin = ufunc(np.arcsin, name="asin", x=lambda x: _slope_of_asin(x))
acos = ufunc(np.arccos, name="acos", x=lambda x: -_slope_of_asin(x))
atan = ufunc(np.arctan, name="atan", x=lambda x: 1 / (1 + x * x))
sinh = ufunc(np.sinh, x=lambda x: cosh(x))
cosh = ufunc(np.cosh, x=lambda x: sinh(x))
asinh = ufunc(np.arcsinh, name="asinh", x=lambda x: rsqrt(1 + x * x))
acosh = ufunc(np.arccosh, name="acosh", x=lambda x: rsqrt(x - 1) * rsqrt(x + 1))
atanh = ufunc(np.arctanh, name="atanh", x=lambda x: 1 / ((1 - x) * (1 + x)))
tanh = ufunc(np.tanh, x=lambda x: sech2(x))
atan2 = ufunc(
    np.arctan2,
    name="atan2",
    y=lambda y, x: x / (x * x + y * y),
    x=lambda y, x: -y / (x * x + y * y),
)


def _slope_of_asin(x: Any) -> Any:
    """1 / sqrt(1 - x^2), exact near -1 and 1; written so that on the cuts a zero imaginary part keeps its sign."""
    return rsqrt(-(x - 1) * (x + 1))


@elementwise(x=lambda x, out: -2 * out * tanh(x))
def sech2(xp: Any, x: Any) -> Any:
    """1 / cosh(x)^2, the derivative of tanh: 1 - tanh(x)^2 has no correct digit left beyond |x| = 9 in float32."""
    if x.dtype.kind == "c":
        return 1 / xp.square(xp.cosh(x))
    e = xp.exp(-2 * xp.abs(x))
    return 4 * e / xp.square(1 + e)


# Sign and rounding. TensorFlow gives the sign a zero derivative and the roundings none.

absolute = ufunc(operator.abs, name="absolute", x=lambda x: sign(x))
sign = ufunc(np.sign, x=0)
floor = ufunc(np.floor, x=None)
ceil = ufunc(np.ceil, x=None)
rint = ufunc(np.rint, x=None)
truncate = ufunc(np.trunc, name="truncate", x=None)


@primitive(
    broadcasts=True,
    x=lambda ct, x, y: where(x >= y, ct, 0),
    y=lambda ct, x, y: where(x >= y, 0, ct),
)
def maximum(xp: Any, x: Any, y: Any) -> Any:
    """The larger of the two; where they are equal the whole gradient goes to x."""
    return xp.maximum(x, y)


@primitive(
    broadcasts=True,
    x=lambda ct, x, y: where(x <= y, ct, 0),
    y=lambda ct, x, y: where(x <= y, 0, ct),
)
def minimum(xp: Any, x: Any, y: Any) -> Any:
    """The smaller of the two; where they are equal the whole gradient goes to x."""
    return xp.minimum(x, y)


# Complex numbers. Cotangents are carried conjugated: see docs/architecture.md.


@batched(align)
@linear(x=lambda ct: make_complex(ct, zeros_like(ct)))
def real(xp: Any, x: Any) -> Any:
    """The real part."""
    return xp.real(x).copy()


@batched(align)
@linear(x=lambda ct: make_complex(zeros_like(ct), -ct))
def imag(xp: Any, x: Any) -> Any:
    """The imaginary part."""
    return xp.imag(x).copy()


@primitive(broadcasts=True, re=lambda ct: real(ct), im=lambda ct: -imag(ct))
def make_complex(xp: Any, re: Any, im: Any) -> Any:
    """re + i im."""
    re, im = xp.broadcast_arrays(re, im)
    out = xp.empty(re.shape, dtype=xp.complex64 if re.dtype == xp.float32 else xp.complex128)
    out.real, out.imag = re, im
    return out


@batched(align)
@primitive(x=lambda ct, x: make_complex(ct, zeros_like(ct)) * unit(x))
def complex_abs(xp: Any, x: Any) -> Any:
    """|x| of a complex x; at 0 the gradient is 0."""
    return xp.abs(x)


@batched(align)
@primitive(x=lambda ct, x: unit_vjp(ct, x))
def unit(xp: Any, x: Any) -> Any:
    """conj(x) / |x|, and 0 at 0."""
    size = xp.abs(x)
    zero = size == 0
    return xp.where(zero, 0, xp.conjugate(x) / xp.where(zero, 1, size)).astype(x.dtype)


def unit_vjp(ct: Any, x: Any) -> Any:
    """Of conj(x) / |x| = (a - i b) / r: the rotation takes what is at a right angle to x, divided by r."""
    a, b = real(x), imag(x)
    zero = (a == 0) & (b == 0)
    r = sqrt(where(zero, 1, a * a + b * b))
    u, v = real(ct), imag(ct)
    along = (u * b - v * a) / (r * r * r)
    da, db = where(zero, 0, along * b), where(zero, 0, -along * a)
    return make_complex(da, -db)


@batched(align)
@primitive(x=lambda ct, x: angle_vjp(ct, x))
def angle(xp: Any, x: Any) -> Any:
    """The argument of a complex number in (-pi, pi]."""
    return xp.angle(x)


def angle_vjp(ct: Any, x: Any) -> Any:
    """d atan2(b, a) = (a db - b da) / (a^2 + b^2)."""
    a, b = real(x), imag(x)
    norm = a * a + b * b
    return make_complex(-ct * b / norm, -ct * a / norm)
