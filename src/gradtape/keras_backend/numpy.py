"""`keras.ops` functions of NumPy's names, over gradtape's primitives."""

from __future__ import annotations

import builtins
from itertools import pairwise
from typing import Any

import numpy as np
from keras.src.backend import config
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.dtypes import result_type

from gradtape import _matrices
from gradtape.base import dtypes as gt_dtypes
from gradtape.core import cotangents
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.dispatch import (
    as_float,
    binary,
    cast,
    float_result,
    floating,
    name_of,
    numpy_dtype,
    promoted,
    tensor,
    unary,
)
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, linalg, places, reductions, scans, selection, shaping

__getattr__ = missing("numpy")

# Elementwise, by kind.

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
bitwise_and = binary(selection.bitwise_and)
bitwise_or = binary(selection.bitwise_or)
bitwise_xor = binary(selection.bitwise_xor)
left_shift = bitwise_left_shift = binary(selection.left_shift)
right_shift = bitwise_right_shift = binary(selection.right_shift)

negative = unary(ew.negative)
absolute = abs = unary(ew.absolute)
sign = unary(ew.sign)
square = unary(ew.square)
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
    return ew.exp(as_float(x) * float(np.log(2.0)))


def logaddexp(x1: Any, x2: Any) -> Tensor:
    """log(exp(x1) + exp(x2))."""
    x1, x2 = promoted(x1, x2)
    x1, x2 = as_float(x1), as_float(x2)
    return ew.maximum(x1, x2) + ew.softplus(-ew.absolute(x1 - x2))


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


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """x1 where the condition holds and x2 elsewhere; without them, the positions where it holds."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    x1, x2 = promoted(x1, x2)
    return selection.where(tensor(condition, "bool"), x1, x2)


def real(x: Any) -> Tensor:
    """The real part."""
    x = tensor(x)
    return ew.real(x) if x.dtype.is_complex else x


def imag(x: Any) -> Tensor:
    """The imaginary part."""
    x = tensor(x)
    return ew.imag(x) if x.dtype.is_complex else selection.zeros_like(x)


# Reductions.


def _axes(x: Tensor, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int | np.integer) else tuple(axis)
    for a in axes:
        if not -x.ndim <= a < x.ndim:
            raise ValueError(f"axis {a} is out of bounds for an array of rank {x.ndim}.")
    return tuple(int(a) % x.ndim for a in axes)


def _reduced(primitive: Any, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    axes = _axes(x, axis)
    out = primitive(x, axis=axes)
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def _summable(x: Any) -> Tensor:
    """Small integers and bools add up in 32 bits."""
    x = tensor(x)
    name = name_of(x)
    wider = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}
    return cast(x, wider[name]) if name in wider else x


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Sum."""
    return _reduced(reductions.reduce_sum, _summable(x), axis, keepdims)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Mean; integers become floating."""
    return _reduced(reductions.reduce_mean, as_float(x), axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Product."""
    x = _summable(x) if dtype is None else tensor(x, standardize_dtype(dtype))
    return _reduced(reductions.reduce_prod, x, axis, keepdims)


def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    """Largest element, at least `initial`."""
    out = _reduced(reductions.reduce_max, tensor(x), axis, keepdims)
    return out if initial is None else ew.maximum(out, tensor(initial, name_of(out)))


def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    """Smallest element, at most `initial`."""
    out = _reduced(reductions.reduce_min, tensor(x), axis, keepdims)
    return out if initial is None else ew.minimum(out, tensor(initial, name_of(out)))


amax, amin = max, min


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all are true."""
    return _reduced(reductions.reduce_all, tensor(x, "bool"), axis, keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether any is true."""
    return _reduced(reductions.reduce_any, tensor(x, "bool"), axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Mean squared distance from the mean."""
    x = as_float(x)
    return mean(ew.square(x - mean(x, axis, True)), axis, keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Square root of the variance; its gradient at 0 is 0."""
    x = as_float(x)
    centred = x - mean(x, axis, True)
    axes = _axes(x, axis)
    out = reductions.euclidean_norm(centred, axis=axes) / float(np.sqrt(reductions.count(x._value.shape, axes)))
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def count_nonzero(x: Any, axis: Any = None) -> Tensor:
    """How many are not zero, int32."""
    x = tensor(x)
    return reductions.count_nonzero(x, axis=_axes(x, axis), like=np.dtype("int32"))


def _arg(primitive: Any, x: Any, axis: Any, keepdims: bool) -> Tensor:
    x = tensor(x)
    flat = shaping.reshape(x, shape=(-1,)) if axis is None else x
    position = 0 if axis is None else axis % x.ndim
    out = primitive(flat, axis=position, dtype=np.dtype("int32"))
    if not keepdims:
        return out
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, _axes(x, axis)))


def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Position of the largest, int32."""
    return _arg(reductions.argmax, x, axis, keepdims)


def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Position of the smallest, int32."""
    return _arg(reductions.argmin, x, axis, keepdims)


def _scan(primitive: Any, x: Any, axis: Any, dtype: Any) -> Tensor:
    x = tensor(x) if dtype is None else tensor(x, standardize_dtype(dtype))
    if name_of(x) == "bool":
        x = cast(x, "int32")
    if axis is None:
        x, axis = shaping.reshape(x, shape=(-1,)), 0
    return primitive(x, axis=axis % x.ndim, exclusive=False, reverse=False)


def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Running sum."""
    return _scan(scans.cumsum, x, axis, dtype)


def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Running product."""
    return _scan(scans.cumprod, x, axis, dtype)


def average(x: Any, axis: Any = None, weights: Any = None) -> Tensor:
    """Mean with weights."""
    if weights is None:
        return mean(x, axis)
    x, weights = promoted(as_float(x), weights)
    if axis is not None and weights.ndim == 1 and x.ndim > 1:
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = shaping.reshape(weights, shape=tuple(shape))
    return divide(sum(x * weights, axis), sum(weights * ones_like(x), axis))


# Products.


def matmul(x1: Any, x2: Any) -> Tensor:
    """Matrix product; vectors as NumPy has it."""
    x1, x2 = promoted(x1, x2)
    if x1.ndim >= 2 and x2.ndim >= 2:
        return linalg.matmul(x1, x2)
    if x1.ndim == 1 and x2.ndim == 1:
        return reductions.reduce_sum(x1 * x2, axis=(0,))
    if x1.ndim == 1:
        return squeeze(linalg.matmul(expand_dims(x1, 0), x2), -2)
    return squeeze(linalg.matmul(x1, expand_dims(x2, -1)), -1)


def dot(x1: Any, x2: Any) -> Tensor:
    """NumPy's dot product."""
    x1, x2 = promoted(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return x1 * x2
    return tensordot(x1, x2, axes=[[x1.ndim - 1], [builtins.max(x2.ndim - 2, 0)]])


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Tensor:
    """Sum of products over pairs of axes, as one matrix product."""
    x1, x2 = promoted(x1, x2)
    if isinstance(axes, int):
        left, right = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    left, right = [a % x1.ndim for a in left], [a % x2.ndim for a in right]
    rest1 = [a for a in range(x1.ndim) if a not in left]
    rest2 = [a for a in range(x2.ndim) if a not in right]
    shape1, shape2 = x1._value.shape, x2._value.shape
    inner = reductions.count(shape1, tuple(left))
    a = shaping.reshape(
        shaping.transpose(x1, perm=(*rest1, *left)),
        shape=(-1 if inner else reductions.count(shape1, tuple(rest1)), inner),
    )
    b = shaping.reshape(
        shaping.transpose(x2, perm=(*right, *rest2)),
        shape=(inner, -1 if inner else reductions.count(shape2, tuple(rest2))),
    )
    return shaping.reshape(linalg.matmul(a, b), shape=(*(shape1[i] for i in rest1), *(shape2[i] for i in rest2)))


def vdot(x1: Any, x2: Any) -> Tensor:
    """Product of the conjugate of one with the other, flattened."""
    x1, x2 = promoted(x1, x2)
    return dot(conj(ravel(x1)), ravel(x2))


def inner(x1: Any, x2: Any) -> Tensor:
    """Sum of products over the last axes."""
    x1, x2 = promoted(x1, x2)
    return x1 * x2 if x1.ndim == 0 or x2.ndim == 0 else tensordot(x1, x2, axes=[[-1], [-1]])


def outer(x1: Any, x2: Any) -> Tensor:
    """All products of two flattened arrays."""
    x1, x2 = promoted(x1, x2)
    return shaping.reshape(x1, shape=(-1, 1)) * shaping.reshape(x2, shape=(1, -1))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """Einstein's summation."""
    from gradtape.linalg import einsum as tf_einsum  # the face parses ellipses and implicit outputs

    return tf_einsum(subscripts, *promoted(*operands))


# Making arrays.


def _dtype(dtype: Any) -> np.dtype[Any]:
    return numpy_dtype(config.floatx() if dtype is None else standardize_dtype(dtype))


def _size(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Ones."""
    return wrap(np.ones(_size(shape), _dtype(dtype)))


def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """Zeros."""
    return wrap(np.zeros(_size(shape), _dtype(dtype)))


empty = zeros


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """One value everywhere."""
    return shaping.broadcast_to(tensor(fill_value, standardize_dtype(dtype)), shape=_size(shape))


def _like(x: Tensor, dtype: Any) -> np.dtype[Any]:
    return x._value.dtype if dtype is None else _dtype(dtype)


def zeros_like(x: Any, dtype: Any = None) -> Tensor:
    """Zeros of the shape of x."""
    x = tensor(x)
    return wrap(np.zeros(x._value.shape, _like(x, dtype)))


empty_like = zeros_like


def ones_like(x: Any, dtype: Any = None) -> Tensor:
    """Ones of the shape of x."""
    x = tensor(x)
    return wrap(np.ones(x._value.shape, _like(x, dtype)))


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """One value, of the shape of x."""
    x = tensor(x)
    return full(x._value.shape, fill_value, name_of(x) if dtype is None else dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on a diagonal."""
    return wrap(np.eye(N, M, k, dtype=_dtype(dtype)))


def identity(n: int, dtype: Any = None) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on and below a diagonal."""
    return wrap(np.tri(N, M, k, dtype=_dtype(dtype)))


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Evenly spaced values from `start` up to `stop`."""
    given = [v for v in (start, stop, step) if v is not None]
    if dtype is None:
        dtype = result_type(*[getattr(v, "dtype", type(v)) for v in given])
    values = [np.asarray(settled(tensor(v))).item() for v in given]
    first, last = (0, values[0]) if stop is None else values[:2]
    return wrap(np.arange(first, last, values[-1] if step is not None else 1).astype(_dtype(dtype)))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """`num` evenly spaced values."""
    start, stop = promoted(start, stop)
    start, stop = as_float(start), as_float(stop)
    steps = builtins.max(num - 1 if endpoint else num, 1)
    span = stop - start
    ramp = [1] * (span.ndim + 1)
    axis %= len(ramp)
    ramp[axis] = num
    weights = wrap((np.arange(num) / steps).reshape(ramp).astype(start._value.dtype))
    out = expand_dims(start, axis) + expand_dims(span, axis) * weights
    out = out if dtype is None else cast(out, standardize_dtype(dtype))
    return (out, span / float(steps)) if retstep else out


def array(x: Any, dtype: Any = None) -> Tensor:
    """A Tensor of anything array-like."""
    return tensor(x, None if dtype is None else standardize_dtype(dtype))


def copy(x: Any) -> Tensor:
    """The same values."""
    return tensor(x)


# Shapes.


def reshape(x: Any, newshape: Any) -> Tensor:
    """The same elements in another shape."""
    return shaping.reshape(tensor(x), shape=tuple(newshape) if not isinstance(newshape, int) else (newshape,))


def ravel(x: Any) -> Tensor:
    """Flatten."""
    return shaping.reshape(tensor(x), shape=(-1,))


def transpose(x: Any, axes: Any = None) -> Tensor:
    """Permute the axes, by default reversed."""
    x = tensor(x)
    return shaping.transpose(x, perm=tuple(range(x.ndim))[::-1] if axes is None else tuple(a % x.ndim for a in axes))


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Exchange two axes."""
    x = tensor(x)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(x, perm=tuple(order))


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Move axes to other places."""
    x = tensor(x)
    return shaping.transpose(x, perm=_moved(x.ndim, source, destination))


def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    from_ = [s % rank for s in ([source] if isinstance(source, int) else source)]
    to = [d % rank for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in range(rank) if i not in from_]
    for d, s in sorted(zip(to, from_, strict=True)):
        order.insert(d, s)
    return tuple(order)


def expand_dims(x: Any, axis: Any) -> Tensor:
    """Insert axes of size 1."""
    x = tensor(x)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    rank = x.ndim + len(axes)
    axes = tuple(a % rank for a in axes)
    sizes = iter(x._value.shape)
    return shaping.reshape(x, shape=tuple(1 if i in axes else next(sizes) for i in range(rank)))


def squeeze(x: Any, axis: Any = None) -> Tensor:
    """Drop axes of size 1."""
    x = tensor(x)
    shape = x._value.shape
    axes = [i for i, n in enumerate(shape) if n == 1] if axis is None else _axes(x, axis)
    for a in axes:
        if shape[a] != 1:
            raise ValueError(f"squeeze: axis {a} has size {shape[a]}, only axes of size 1 can be dropped.")
    return shaping.reshape(x, shape=tuple(n for i, n in enumerate(shape) if i not in axes))


def broadcast_to(x: Any, shape: Any) -> Tensor:
    """Repeat to a shape."""
    return shaping.broadcast_to(tensor(x), shape=tuple(shape))


def concatenate(xs: Any, axis: int | None = 0) -> Tensor:
    """Join along an axis."""
    xs = promoted(*xs)
    if axis is None:
        return shaping.concat(*[ravel(x) for x in xs], axis=0)
    return shaping.concat(*xs, axis=axis % xs[0].ndim)


def append(x1: Any, x2: Any, axis: Any = None) -> Tensor:
    """Join two arrays."""
    return concatenate([x1, x2], axis)


def stack(x: Any, axis: int = 0) -> Tensor:
    """Join along a new axis."""
    xs = promoted(*x)
    return shaping.stack(*xs, axis=axis % (xs[0].ndim + 1))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Split at positions or into equal parts."""
    x = tensor(x)
    axis %= x.ndim
    n = x._value.shape[axis]
    if isinstance(indices_or_sections, int):
        if n % indices_or_sections:
            raise ValueError(f"split: an axis of size {n} does not divide into {indices_or_sections} equal parts.")
        sizes = [n // indices_or_sections] * indices_or_sections
    else:
        ends = [int(i) for i in np.asarray(indices_or_sections)]
        edges = [0, *(builtins.min(e if e >= 0 else e + n, n) for e in ends), n]
        sizes = [builtins.max(b - a, 0) for a, b in pairwise(edges)]
    return list(shaping.split(x, sizes=tuple(sizes), axis=axis))


def tile(x: Any, repeats: Any) -> Tensor:
    """Repeat the whole."""
    x = tensor(x)
    counts = (repeats,) if isinstance(repeats, int) else tuple(repeats)
    rank = builtins.max(len(counts), x.ndim)
    x = shaping.reshape(x, shape=(1,) * (rank - x.ndim) + x._value.shape)
    return shaping.tile(x, multiples=(1,) * (rank - len(counts)) + counts)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Repeat each slice."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    axis %= x.ndim
    counts = np.broadcast_to(np.asarray(settled(tensor(repeats))), (x._value.shape[axis],))
    return shaping.repeat(x, counts=tuple(int(c) for c in counts), axis=axis)


def flip(x: Any, axis: Any = None) -> Tensor:
    """Reverse."""
    x = tensor(x)
    return shaping.flip(x, axes=_axes(x, axis))


def roll(x: Any, shift: Any, axis: Any = None) -> Tensor:
    """Shift around."""
    x = tensor(x)
    if axis is None:
        return shaping.reshape(roll(ravel(x), shift, 0), shape=x._value.shape)
    axes = _axes(x, axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(int(s) for s in shift)
    return shaping.roll(x, shift=shifts, axis=axes)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """Put a border around."""
    x = tensor(x)
    widths = tuple((int(a), int(b)) for a, b in np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)))
    if mode != "constant":
        if constant_values is not None:
            raise ValueError(
                f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
            )
        return shaping.mirror_pad(x, widths=widths, mode=mode)
    padded = shaping.pad(x, paddings=widths)
    if constant_values in (None, 0):
        return padded
    inside = wrap(np.pad(np.ones(x._value.shape, bool), widths))
    return selection.where(inside, padded, tensor(constant_values, name_of(x)))


def _triangle(x: Tensor, k: int) -> np.ndarray[Any, Any]:
    rows, columns = x._value.shape[-2:]
    return np.tri(rows, columns, k, dtype=np.bool_)


def tril(x: Any, k: int = 0) -> Tensor:
    """The lower triangle."""
    x = tensor(x)
    return selection.where(wrap(_triangle(x, k)), x, selection.zeros_like(x))


def triu(x: Any, k: int = 0) -> Tensor:
    """The upper triangle."""
    x = tensor(x)
    return selection.where(wrap(~_triangle(x, k - 1)), x, selection.zeros_like(x))


def diag(x: Any, k: int = 0) -> Tensor:
    """A matrix with x on a diagonal, or a diagonal of the matrix x."""
    x = tensor(x)
    if len(x.shape) not in (1, 2):
        raise ValueError(f"diag: x must have one axis or two, got shape {tuple(x.shape)}")
    return _matrices.diag(x, k=k) if len(x.shape) == 1 else diagonal(x, k)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of two axes."""
    x = moveaxis(x, [axis1, axis2], [-2, -1])
    x = x[..., builtins.max(-offset, 0) :, builtins.max(offset, 0) :]
    return shaping.diag_part(x)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Sum of a diagonal."""
    return sum(diagonal(x, offset, axis1, axis2), -1)


def meshgrid(*x: Any, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of a grid."""
    xs = [tensor(a) for a in x]
    order = [1, 0, *range(2, len(xs))] if indexing == "xy" and len(xs) > 1 else list(range(len(xs)))
    shape = tuple(xs[i]._value.size for i in order)
    made = []
    for i, a in enumerate(xs):
        ramp = [1] * len(xs)
        ramp[order.index(i)] = -1
        made.append(shaping.broadcast_to(shaping.reshape(a, shape=tuple(ramp)), shape=shape))
    return made


# Indexing.


def take(x: Any, indices: Any, axis: Any = None) -> Tensor:
    """Slices at positions along an axis; negative positions count from the end."""
    x = tensor(x)
    positions = tensor(indices)
    if axis is None:
        x, axis = ravel(x), 0
    axis %= x.ndim
    if positions._value.dtype.kind != "u":
        positions = selection.where(positions < 0, positions + x._value.shape[axis], positions)
    return indexing.gather_rows(x, positions) if axis == 0 else indexing.gather(x, positions, axis=axis)


def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Tensor:
    """One element per position along an axis; other axes broadcast."""
    x, positions = tensor(x), tensor(indices)
    if axis is None:
        x, positions, axis = ravel(x), ravel(positions), 0
    return indexing.gather_nd(x, places.along_axis(positions, shape=x._value.shape, axis=axis % x.ndim))


def nonzero(x: Any) -> tuple[Tensor, ...]:
    """Positions of what is not zero, one array per axis."""
    found = indexing.nonzero(tensor(x))
    return tuple(cast(found[:, i], "int32") for i in range(found._value.shape[1]))


def argsort(x: Any, axis: Any = -1) -> Tensor:
    """The order of the elements, int32."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    return indexing.argsort(x, axis=axis % x.ndim, descending=False)


def sort(x: Any, axis: Any = -1) -> Tensor:
    """In ascending order."""
    x = tensor(x)
    axis %= x.ndim
    return indexing.take_along(x, indexing.argsort(x, axis=axis, descending=False), axis=axis)


def size(x: Any) -> int:
    """The number of elements."""
    return int(tensor(x)._value.size)


def ndim(x: Any) -> int:
    """The number of axes."""
    return tensor(x).ndim


def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether two are near each other."""
    a, b = promoted(x1, x2)
    return selection.is_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether all are near each other."""
    return all(isclose(x1, x2, rtol, atol, equal_nan))
