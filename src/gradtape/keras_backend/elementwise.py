"""Elementwise functions for `keras.ops`: dtypes promoted by Keras' rules, then one primitive or a few."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend import config
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.backend_utils import vectorize_impl
from keras.src.backend.common.dtypes import result_type
from ml_dtypes import finfo

from gradtape.base import dtypes as gt_dtypes
from gradtape.core import cotangents
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import (
    as_float,
    binary,
    bitwise,
    cast,
    float_result,
    floating,
    name_of,
    numpy_dtype,
    promoted,
    tensor,
    unary,
)
from gradtape.ops import bessel, numpy_only, numpy_protocol, selection, shaping
from gradtape.ops import elementwise as ew

add = binary(ew.add)
subtract = binary(ew.subtract)
multiply = binary(ew.multiply)
maximum = binary(ew.maximum)
minimum = binary(ew.minimum)
mod = binary(ew.floor_mod)
power = binary(ew.power)
equal = binary(selection.equal)
not_equal = binary(selection.not_equal)
less = binary(selection.less)
less_equal = binary(selection.less_equal)
greater = binary(selection.greater)
greater_equal = binary(selection.greater_equal)
bitwise_and = bitwise(selection.bitwise_and)
bitwise_or = bitwise(selection.bitwise_or)
bitwise_xor = bitwise(selection.bitwise_xor)
left_shift = bitwise_left_shift = bitwise(selection.left_shift)
right_shift = bitwise_right_shift = bitwise(selection.right_shift)
negative = unary(ew.negative)
absolute = abs = unary(ew.absolute)
sign = unary(ew.sign)
conjugate = conj = unary(cotangents.conj)
bitwise_not = bitwise_invert = unary(selection.invert)
exp = floating(ew.exp)
expm1 = floating(ew.expm1)
log = floating(ew.log)
log1p = floating(ew.log1p)
sqrt = floating(ew.sqrt)
sin = floating(ew.sin)
cos = floating(ew.cos)
tan = floating(ew.tan)
arcsin = floating(ew.asin)
arccos = floating(ew.acos)
arctan = floating(ew.atan)
sinh = floating(ew.sinh)
cosh = floating(ew.cosh)
tanh = floating(ew.tanh)
arcsinh = floating(ew.asinh)
arccosh = floating(ew.acosh)
arctanh = floating(ew.atanh)
ceil = floating(ew.ceil)
floor = floating(ew.floor)
reciprocal = floating(ew.reciprocal)
isnan = floating(selection.is_nan)
isinf = floating(selection.is_inf)
isfinite = floating(selection.is_finite)


def divide(x1: Any, x2: Any) -> Tensor:
    """True division; integers become floating."""
    x1, x2 = promoted(x1, x2)
    dtype = float_result(name_of(x1))
    if gt_dtypes.is_differentiable(x1._value.dtype):
        return ew.divide(x1, x2)
    return ew.divide(cast(x1, dtype), cast(x2, dtype))


true_divide = divide


def divide_no_nan(x1: Any, x2: Any) -> Tensor:
    """Division that gives 0 where the divisor is 0."""
    x1, x2 = promoted(x1, x2)
    return ew.divide_no_nan(as_float(x1), as_float(x2))


def floor_divide(x1: Any, x2: Any) -> Tensor:
    """Division rounded down."""
    return ew.floor_divide(*promoted(x1, x2))


def arctan2(x1: Any, x2: Any) -> Tensor:
    """The angle of the point (x2, x1)."""
    x1, x2 = promoted(x1, x2)
    return ew.atan2(as_float(x1), as_float(x2))


def log2(x: Any) -> Tensor:
    """Logarithm to base 2."""
    return ew.log(as_float(x)) / float(np.log(2.0))


def log10(x: Any) -> Tensor:
    """Logarithm to base 10."""
    return ew.log(as_float(x)) / float(np.log(10.0))


def exp2(x: Any) -> Tensor:
    """2 to the power x."""
    return ew.exp2(as_float(x))


def logaddexp(x1: Any, x2: Any) -> Tensor:
    """log(exp(x1) + exp(x2))."""
    x1, x2 = promoted(x1, x2)
    return numpy_protocol.logaddexp(as_float(x1), as_float(x2))


def trunc(x: Any) -> Tensor:
    """Round toward zero."""
    x = tensor(x)
    return ew.truncate(x) if gt_dtypes.is_differentiable(x._value.dtype) else x


def round(x: Any, decimals: int = 0) -> Tensor:
    """Round to the nearest, halves to even."""
    x = tensor(x)
    if not gt_dtypes.is_differentiable(x._value.dtype):
        return x if decimals >= 0 else _rounded(x, decimals)
    return ew.rint(x) if decimals == 0 else ew.rint(x * 10.0**decimals) / 10.0**decimals


def _rounded(x: Tensor, decimals: int) -> Tensor:
    """Integers to the nearest of a power of ten, halves to even."""
    unit = 10.0**-decimals
    return shaping.cast_discrete(ew.rint(cast(x, "float64") / unit) * unit, dtype=x._value.dtype)


def logical_and(x1: Any, x2: Any) -> Tensor:
    """Both."""
    return selection.logical_and(tensor(x1, "bool"), tensor(x2, "bool"))


def logical_or(x1: Any, x2: Any) -> Tensor:
    """Either."""
    return selection.logical_or(tensor(x1, "bool"), tensor(x2, "bool"))


def logical_xor(x1: Any, x2: Any) -> Tensor:
    """One of both."""
    return selection.logical_xor(tensor(x1, "bool"), tensor(x2, "bool"))


def logical_not(x: Any) -> Tensor:
    """Not."""
    return selection.logical_not(tensor(x, "bool"))


def clip(x: Any, x_min: Any, x_max: Any) -> Tensor:
    """Limit to [x_min, x_max]."""
    x = tensor(x)
    if name_of(x) == "bool":
        x = cast(x, "int32")
    x, low = promoted(x, x_min)
    x, high = promoted(x, x_max)
    return ew.minimum(ew.maximum(x, tensor(low, name_of(x))), high)


def real(x: Any) -> Tensor:
    """The real part."""
    x = tensor(x)
    return ew.real(x) if x.dtype.is_complex else x


def imag(x: Any) -> Tensor:
    """The imaginary part."""
    x = tensor(x)
    return ew.imag(x) if x.dtype.is_complex else selection.zeros_like(x)


# Whole numbers.

gcd = binary(numpy_only.gcd)
lcm = binary(numpy_only.lcm)


def _paired(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Two arrays of one floating dtype."""
    x1, x2 = promoted(x1, x2)
    return as_float(x1), as_float(x2)


def _wide(x: Any) -> Tensor:
    """A floating array; int64 becomes float64 here, other whole numbers `floatx`."""
    x = tensor(x)
    return cast(x, "float64") if name_of(x) == "int64" else as_float(x)


def _widened(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    x1, x2 = promoted(x1, x2)
    return _wide(x1), _wide(x2)


def fmod(x1: Any, x2: Any) -> Tensor:
    """The remainder of a division rounded toward zero: it has the sign of x1."""
    x1, x2 = promoted(x1, x2)
    if name_of(x1) == "bool":
        x1, x2 = cast(x1, "int32"), cast(x2, "int32")
    return ew.truncate_mod(x1, x2)


def hypot(x1: Any, x2: Any) -> Tensor:
    """sqrt(x1^2 + x2^2)."""
    return numpy_only.hypot(*_widened(x1, x2))


def heaviside(x1: Any, x2: Any) -> Tensor:
    """0 below 0, x2 at 0, 1 above."""
    return numpy_only.heaviside(*_widened(x1, x2))


def nextafter(x1: Any, x2: Any) -> Tensor:
    """The next number from x1 toward x2."""
    x1, x2 = _paired(x1, x2)
    return numpy_only.nextafter(x1, x2)


def ldexp(x1: Any, x2: Any) -> Tensor:
    """x1 2^x2."""
    x1, x2 = tensor(x1), tensor(x2)
    if x2._value.dtype.kind not in "iu":
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={name_of(x2)}")
    dtype = result_type(name_of(x1), name_of(x2), float)
    return cast(x1, dtype) * ew.power(tensor(2.0, dtype), cast(x2, dtype))


def square(x: Any) -> Tensor:
    """x x; of bools, int32."""
    x = tensor(x)
    return ew.square(cast(x, "int32") if name_of(x) == "bool" else x)


def logaddexp2(x1: Any, x2: Any) -> Tensor:
    """log2(2^x1 + 2^x2)."""
    x1, x2 = _paired(x1, x2)
    factor = float(np.log(2.0))
    return logaddexp(x1 * factor, x2 * factor) / factor


def fmax(x1: Any, x2: Any) -> Tensor:
    """The larger one, or the one that is a number."""
    x1, x2 = promoted(x1, x2)
    return selection.where(isnan(x1), x2, selection.where(isnan(x2), x1, ew.maximum(x1, x2)))


def fmin(x1: Any, x2: Any) -> Tensor:
    """The smaller one, or the one that is a number."""
    x1, x2 = promoted(x1, x2)
    return selection.where(isnan(x1), x2, selection.where(isnan(x2), x1, ew.minimum(x1, x2)))


def fabs(x: Any) -> Tensor:
    """The absolute value; whole numbers become floating."""
    return ew.absolute(_floatx(x))


def _floatx(x: Any) -> Tensor:
    """A floating array; whole numbers of any width become `floatx`."""
    x = tensor(x)
    return x if gt_dtypes.is_differentiable(x._value.dtype) else cast(x, config.floatx())


def cbrt(x: Any) -> Tensor:
    """The real cube root."""
    return numpy_only.cbrt(_wide(x))


def deg2rad(x: Any) -> Tensor:
    """Degrees in radians."""
    return ew.scale(_wide(x), by=float(np.pi / 180))


def rad2deg(x: Any) -> Tensor:
    """Radians in degrees."""
    return ew.scale(_wide(x), by=float(180 / np.pi))


def sinc(x: Any) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    return numpy_only.spherical_bessel(ew.scale(as_float(x), by=float(np.pi)), order=0)


def i0(x: Any) -> Tensor:
    """The modified Bessel function of the first kind and order 0."""
    return bessel.bessel_i(_wide(x), order=0)


def angle(x: Any) -> Tensor:
    """The argument: of a real number 0, or pi if it is negative."""
    x = as_float(x)
    if x.dtype.is_complex:
        return ew.angle(x)
    return selection.where(isnan(x), x, selection.where(x < 0, tensor(np.pi, name_of(x)), selection.zeros_like(x)))


def isposinf(x: Any) -> Tensor:
    """Whether it is plus infinity."""
    return as_float(x) == float("inf")


def isneginf(x: Any) -> Tensor:
    """Whether it is minus infinity."""
    return as_float(x) == float("-inf")


def isreal(x: Any) -> Tensor:
    """Whether the imaginary part is zero."""
    return equal(imag(x), 0)


def signbit(x: Any) -> Tensor:
    """Whether the sign is negative, which that of -0.0 is."""
    x = tensor(x)
    return numpy_only.signbit(x) if x._value.dtype.kind == "f" else less(x, 0)


def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Put numbers in the place of NaN and of infinities, by default the largest and the least there are."""
    x = tensor(x)
    if not gt_dtypes.is_differentiable(x._value.dtype):
        return x
    info: Any = finfo(x._value.dtype)  # type: ignore[no-untyped-call]
    high = float(info.max) if posinf is None else posinf
    low = float(info.min) if neginf is None else neginf
    x = selection.where(isnan(x), tensor(nan, name_of(x)), x)
    x = selection.where(isposinf(x), tensor(high, name_of(x)), x)
    return selection.where(isneginf(x), tensor(low, name_of(x)), x)


def view(x: Any, dtype: Any = None) -> Tensor:
    """The same bytes as numbers of another dtype; the last axis changes where the widths differ."""
    x = tensor(x)
    wanted = x._value.dtype if dtype is None else numpy_dtype(standardize_dtype(dtype))
    have, shape = x._value.dtype.itemsize, x._value.shape
    if not shape and have != wanted.itemsize:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    if have < wanted.itemsize:
        ratio = wanted.itemsize // have
        x = shaping.reshape(x, shape=(*shape[:-1], shape[-1] // ratio, ratio))
    out = shaping.bitcast(x, dtype=wanted)
    return shaping.reshape(out, shape=(*shape[:-1], -1)) if have > wanted.itemsize else out


def _over_rows(function: Any, in_axes: Any) -> Any:
    """A function that applies another to each slice along the first axis of those arguments that have the axis 0."""

    def mapped(*args: Any) -> Any:
        size = next(a.shape[0] for a, axis in zip(args, in_axes, strict=True) if axis == 0)
        rows = [
            function(*[a if axis is None else a[i] for a, axis in zip(args, in_axes, strict=True)]) for i in range(size)
        ]
        return tree.map_structure(lambda *parts: shaping.stack(*promoted(*parts), axis=0), *rows)

    return mapped


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    """A function that applies `pyfunc` to each element, or to each array of the signature's shape."""
    return vectorize_impl(pyfunc, _over_rows, excluded=excluded, signature=signature)
