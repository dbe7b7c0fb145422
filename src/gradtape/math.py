"""`tf.math`: elementwise functions, comparisons and, re-exported, reductions."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from gradtape import _math_special as special
from gradtape._activations import log_softmax, softmax, softsign
from gradtape._axes import alike, of_kind
from gradtape._largest import approx_max_k, approx_min_k
from gradtape._norms import l2_normalize
from gradtape._reducing import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    cumulative_logsumexp,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    sums_alike,
    zero_fraction,
)
from gradtape._special import (
    bincount,
    confusion_matrix,
    digamma,
    erf,
    erfc,
    erfcinv,
    erfinv,
    in_top_k,
    invert_permutation,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    top_k,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
    xdivy,
    xlog1py,
    xlogy,
)
from gradtape._special_functions import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    betainc,
    igamma,
    igammac,
    zeta,
)
from gradtape.core import cotangents
from gradtape.core.convert import existing, mixed_dtypes, to_tensor
from gradtape.core.effects import check
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import selection as sel
from gradtape.ops.operators import check_divisor
from gradtape.ops.shaping import reshape

NUMBERS, SIGNED, REAL, FLOATING = "fViuc", "fVic", "fViu", "fVc"


def _unary(primitive: Primitive, x: Any, op: str, kinds: str) -> Tensor:
    return primitive(of_kind(to_tensor(x, name="x"), kinds, op))


def _binary(primitive: Primitive, x: Any, y: Any, op: str, kinds: str) -> Tensor:
    a, b = alike((x, y), op)
    return primitive(of_kind(a, kinds, op), b)


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y elementwise, broadcast.

    Raises:
        InvalidArgumentError: for two dtypes, or shapes that do not broadcast.

    >>> import gradtape as tf
    >>> tf.add([1.0, 2.0], 1.0).numpy()
    array([2., 3.], dtype=float32)
    """
    first = existing(x)
    if not isinstance(first, Tensor):
        first = to_tensor(first, name="x")
    return first + y


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y elementwise, as `divide`."""
    return divide(x, y)


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is at least the one before.

    >>> import gradtape as tf
    >>> tf.math.is_non_decreasing([1.0, 1.0, 3.0]).numpy()
    np.True_
    """
    return _ordered(sel.less_equal, x, "is_non_decreasing")


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is larger than the one before."""
    return _ordered(sel.less, x, "is_strictly_increasing")


def _ordered(compare: Primitive, x: Any, op: str) -> Tensor:
    found = of_kind(to_tensor(x, name="x"), REAL, op)
    flat = reshape(found, shape=(found._value.size,))
    return reduce_all(compare(flat[:-1], flat[1:]))


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The number next to x1 in the direction of x2. Its derivative is that of x1.

    >>> import gradtape as tf
    >>> tf.math.nextafter([1.0], [2.0]).numpy()
    array([1.0000001], dtype=float32)
    """
    return _binary(sel.next_after, x1, x2, "NextAfter", "f")


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y elementwise, broadcast. Errors as `add`."""
    return _binary(ew.subtract, x, y, "Sub", NUMBERS)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y elementwise, broadcast. Errors as `add`."""
    return _binary(ew.multiply, x, y, "Mul", NUMBERS)


def _divided(x: Any, y: Any) -> Tensor:
    a, b = alike((x, y), "RealDiv")
    out: Tensor = a / b
    return out


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y elementwise, broadcast; integers give float64 (float32 from 16 bits or fewer).

    >>> import gradtape as tf
    >>> tf.divide([1.0, 2.0], 4.0).numpy()
    array([0.25, 0.5 ], dtype=float32)
    """
    return _divided(x, y)


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y elementwise, as `divide`."""
    return _divided(x, y)


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0."""
    return _binary(ew.divide_no_nan, x, y, "DivNoNan", FLOATING)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0, even if x is infinite or NaN."""
    return _binary(ew.multiply_no_nan, x, y, "MulNoNan", FLOATING)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded down. Raises InvalidArgumentError for integers divided by 0."""
    a, b = alike((x, y), "FloorDiv")
    out: Tensor = a // b
    return out


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder of x / y with the sign of y. Raises InvalidArgumentError for integers divided by 0."""
    a, b = alike((x, y), "FloorMod")
    out: Tensor = a % b
    return out


mod = floormod


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded toward zero. Raises InvalidArgumentError for integers divided by 0.

    >>> import gradtape as tf
    >>> tf.truncatediv(-7, 2).numpy()
    np.int32(-3)
    """
    return _truncated(ew.truncated_quotient, x, y, "TruncateDiv")


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder of x / y with the sign of x. Raises InvalidArgumentError for integers divided by 0.

    >>> import gradtape as tf
    >>> tf.truncatemod(-7, 2).numpy()
    np.int32(-1)
    """
    return _truncated(ew.truncated_mod, x, y, "TruncateMod")


def _truncated(primitive: Primitive, x: Any, y: Any, op: str) -> Tensor:
    a, b = (of_kind(v, REAL, op) for v in alike((x, y), op))
    if b._value.dtype.kind in "iu":
        check(check_divisor, b, op)
    out: Tensor = primitive(a, b)
    return out


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power y elementwise, broadcast.

    >>> import gradtape as tf
    >>> tf.pow([2.0, 3.0], 2.0).numpy()
    array([4., 9.], dtype=float32)
    """
    first = existing(x)
    if not isinstance(first, Tensor):
        first = to_tensor(first, existing(y).dtype if isinstance(existing(y), Tensor) else None, "x")
    return first**y


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of both elementwise; where they are equal x has the gradient."""
    return _binary(ew.maximum, x, y, "Maximum", REAL)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of both elementwise; where they are equal x has the gradient."""
    return _binary(ew.minimum, x, y, "Minimum", REAL)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x - y)^2 elementwise (its conjugate product for complex numbers)."""
    a, b = alike((x, y), "SquaredDifference")
    if a._value.dtype.kind == "c":
        d = a - b
        return d * cotangents.conj(d)
    return ew.squared_difference(of_kind(a, NUMBERS, "SquaredDifference"), b)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y)."""
    return _binary(ew.atan2, y, x, "Atan2", "fV")


def abs(x: Any, name: str | None = None) -> Tensor:
    """|x|; the gradient at 0 is 0."""
    found = of_kind(to_tensor(x, name="x"), NUMBERS, "Abs")
    return ew.complex_abs(found) if found._value.dtype.kind == "c" else ew.absolute(found)


def negative(x: Any, name: str | None = None) -> Tensor:
    """-x."""
    return _unary(ew.negative, x, "Neg", SIGNED)


def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; x / |x| for complex numbers."""
    found = of_kind(to_tensor(x, name="x"), SIGNED, "Sign")
    return cotangents.conj(ew.unit(found)) if found._value.dtype.kind == "c" else ew.sign(found)


def square(x: Any, name: str | None = None) -> Tensor:
    """x * x."""
    return _unary(ew.square, x, "Square", NUMBERS)


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Square root."""
    return _unary(ew.sqrt, x, "Sqrt", FLOATING)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 / sqrt(x)."""
    return _unary(ew.rsqrt, x, "Rsqrt", FLOATING)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """1 / x."""
    return _unary(ew.reciprocal, x, "Reciprocal", "fVci")


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0."""
    found = of_kind(to_tensor(x, name="x"), FLOATING, "DivNoNan")
    return ew.divide_no_nan(sel.ones_like(found), found)


def exp(x: Any, name: str | None = None) -> Tensor:
    """e to the power x."""
    return _unary(ew.exp, x, "Exp", FLOATING)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1, exact near 0."""
    return _unary(ew.expm1, x, "Expm1", FLOATING)


def log(x: Any, name: str | None = None) -> Tensor:
    """Natural logarithm."""
    return _unary(ew.log, x, "Log", FLOATING)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """log(1 + x), exact near 0."""
    return _unary(ew.log1p, x, "Log1p", FLOATING)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)) without overflow."""
    return _unary(ew.log_sigmoid, x, "LogSigmoid", "fV")


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x))."""
    return _unary(ew.sigmoid, x, "Sigmoid", FLOATING)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x)) without overflow."""
    return _unary(ew.softplus, features, "Softplus", "fV")


def sin(x: Any, name: str | None = None) -> Tensor:
    """Sine."""
    return _unary(ew.sin, x, "Sin", FLOATING)


def cos(x: Any, name: str | None = None) -> Tensor:
    """Cosine."""
    return _unary(ew.cos, x, "Cos", FLOATING)


def tan(x: Any, name: str | None = None) -> Tensor:
    """Tangent."""
    return _unary(ew.tan, x, "Tan", FLOATING)


def asin(x: Any, name: str | None = None) -> Tensor:
    """Inverse sine."""
    return _unary(ew.asin, x, "Asin", FLOATING)


def acos(x: Any, name: str | None = None) -> Tensor:
    """Inverse cosine."""
    return _unary(ew.acos, x, "Acos", FLOATING)


def atan(x: Any, name: str | None = None) -> Tensor:
    """Inverse tangent."""
    return _unary(ew.atan, x, "Atan", FLOATING)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic sine."""
    return _unary(ew.sinh, x, "Sinh", FLOATING)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic cosine."""
    return _unary(ew.cosh, x, "Cosh", FLOATING)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic tangent; its derivative keeps full precision in the tails."""
    return _unary(ew.tanh, x, "Tanh", FLOATING)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine."""
    return _unary(ew.asinh, x, "Asinh", FLOATING)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""
    return _unary(ew.acosh, x, "Acosh", FLOATING)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""
    return _unary(ew.atanh, x, "Atanh", FLOATING)


def _rounded(primitive: Primitive, x: Any, op: str) -> Tensor:
    found = of_kind(to_tensor(x, name="x"), REAL, op)
    return found if found._value.dtype.kind in "iu" else primitive(found)


def floor(x: Any, name: str | None = None) -> Tensor:
    """Round down; no gradient flows."""
    return _unary(ew.floor, x, "Floor", "fV")


def ceil(x: Any, name: str | None = None) -> Tensor:
    """Round up; no gradient flows."""
    return _unary(ew.ceil, x, "Ceil", "fV")


def rint(x: Any, name: str | None = None) -> Tensor:
    """Round to the nearest, halves to even; no gradient flows."""
    return _unary(ew.rint, x, "Rint", "fV")


def round(x: Any, name: str | None = None) -> Tensor:
    """Round to the nearest, halves to even; integers stay. No gradient flows.

    >>> import gradtape as tf
    >>> tf.round([0.5, 1.5]).numpy()
    array([0., 2.], dtype=float32)
    """
    return _rounded(ew.rint, x, "Round")


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part; real numbers stay."""
    found = of_kind(to_tensor(input, name="input"), NUMBERS, "Real")
    return ew.real(found) if found._value.dtype.kind == "c" else found


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part; 0 for real numbers."""
    found = of_kind(to_tensor(input, name="input"), FLOATING, "Imag")
    return ew.imag(found) if found._value.dtype.kind == "c" else sel.zeros_like(found)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Complex conjugate; real numbers stay."""
    found = of_kind(to_tensor(x, name="x"), NUMBERS, "Conj")
    return cotangents.conj(found) if found._value.dtype.kind == "c" else found


def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of complex numbers; 0 or pi for real ones."""
    found = of_kind(to_tensor(input, name="input"), FLOATING, "Angle")
    if found._value.dtype.kind == "c":
        return ew.angle(found)
    return sel.where(found < 0, sel.ones_like(found) * float(np.pi), 0)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers of their parts: complex64 of float32, complex128 of float64.

    Raises:
        TypeError: for other dtypes.
        InvalidArgumentError: if the parts have two dtypes.
    """
    a, b = alike((real, imag), "Complex")
    if a._value.dtype not in (np.dtype("float32"), np.dtype("float64")):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {a.dtype.name} {b.dtype.name}. They must be "
            "float32 or float64."
        )
    return ew.make_complex(a, b)


def _compared(primitive: Primitive, x: Any, y: Any, op: str, kinds: str) -> Tensor:
    a, b = alike((x, y), op)
    return primitive(of_kind(a, kinds, op), b)


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x == y elementwise, broadcast."""
    return _compared(sel.equal, x, y, "Equal", "fViucbO")


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x != y elementwise, broadcast."""
    return _compared(sel.not_equal, x, y, "NotEqual", "fViucbO")


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x < y elementwise, broadcast."""
    return _compared(sel.less, x, y, "Less", REAL)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x <= y elementwise, broadcast."""
    return _compared(sel.less_equal, x, y, "LessEqual", REAL)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x > y elementwise, broadcast."""
    return _compared(sel.greater, x, y, "Greater", REAL)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x >= y elementwise, broadcast."""
    return _compared(sel.greater_equal, x, y, "GreaterEqual", REAL)


def _bools(op: str, *values: Any) -> list[Tensor]:
    found = [to_tensor(v) for v in values]
    for i, v in enumerate(found):
        if v._value.dtype.kind != "b":
            raise mixed_dtypes(op, np.dtype(builtins.bool), v._value.dtype) if i else _not_bool(op, v)
    return found


def _not_bool(op: str, value: Tensor) -> Exception:
    return mixed_dtypes(op, np.dtype(builtins.bool), value._value.dtype)


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x and y. Raises InvalidArgumentError for anything but booleans."""
    return sel.logical_and(*_bools("LogicalAnd", x, y))


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x or y. Raises InvalidArgumentError for anything but booleans."""
    return sel.logical_or(*_bools("LogicalOr", x, y))


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """One of x and y. Raises InvalidArgumentError for anything but booleans."""
    return sel.logical_xor(*_bools("LogicalXor", x, y))


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Not x. Raises InvalidArgumentError for anything but booleans."""
    return sel.logical_not(*_bools("LogicalNot", x))


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are NaN."""
    return _unary(sel.is_nan, x, "IsNan", "fV")


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are infinite."""
    return _unary(sel.is_inf, x, "IsInf", "fV")


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are finite."""
    return _unary(sel.is_finite, x, "IsFinite", "fV")


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype.

    Raises:
        ValueError: for an empty list.
        InvalidArgumentError: for other shapes or dtypes.

    >>> import gradtape as tf
    >>> tf.add_n([tf.constant(1.0), tf.constant(2.0)]).numpy()
    np.float32(3.0)
    """
    total, *others = sums_alike(inputs, "AddN")
    for other in others:
        total = ew.add(total, other)
    return total


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of a list of tensors, as `add_n`."""
    return add_n(inputs)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A scalar times x. Raises ValueError if the first is not a scalar."""
    found = to_tensor(x, name="x")
    factor = to_tensor(scalar, found.dtype, "scalar")
    if factor._value.ndim:
        raise ValueError(f"Only scalar multiply works, got shape {factor.shape}")
    return ew.multiply(factor, found)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial with the highest coefficient first. Raises ValueError unless `coeffs` is a list.

    >>> import gradtape as tf
    >>> tf.math.polyval([1.0, 0.0, -1.0], 3.0).numpy()
    np.float32(8.0)
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    point = to_tensor(x, name="x")
    total: Tensor = sel.zeros_like(point)
    for c in coeffs:
        total = total * point + to_tensor(c, None if isinstance(existing(c), Tensor) else point.dtype)
    return total


__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "approx_max_k",
    "approx_min_k",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "bincount",
    "ceil",
    "complex",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "digamma",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "erfcinv",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "ndtri",
    "negative",
    "nextafter",
    "not_equal",
    "polygamma",
    "polyval",
    "pow",
    "real",
    "realdiv",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "softsign",
    "special",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
    "truediv",
    "truncatediv",
    "truncatemod",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]
