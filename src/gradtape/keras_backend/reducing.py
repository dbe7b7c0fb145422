"""Sums, extremes, counts and running sums for `keras.ops`."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.dtypes import result_type

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.arranging import diagonal
from gradtape.keras_backend.dispatch import as_float, axes_of, cast, name_of, tensor
from gradtape.keras_backend.elementwise import divide
from gradtape.keras_backend.making import ones_like
from gradtape.ops import elementwise as ew
from gradtape.ops import reductions, scans, selection, shaping


def _reduced(primitive: Any, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    axes = axes_of(x, axis)
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


def amax(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Largest element."""
    return max(x, axis, keepdims)


def amin(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Smallest element."""
    return min(x, axis, keepdims)


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
    axes = axes_of(x, axis)
    out = reductions.euclidean_norm(centred, axis=axes) / float(np.sqrt(reductions.count(x._value.shape, axes)))
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def count_nonzero(x: Any, axis: Any = None) -> Tensor:
    """How many are not zero, int32."""
    x = tensor(x)
    return reductions.count_nonzero(x, axis=axes_of(x, axis), like=np.dtype("int32"))


def _arg(primitive: Any, x: Any, axis: Any, keepdims: bool) -> Tensor:
    x = tensor(x)
    flat = shaping.reshape(x, shape=(-1,)) if axis is None else x
    position = 0 if axis is None else axis % x.ndim
    out = primitive(flat, axis=position, dtype=np.dtype("int32"))
    if not keepdims:
        return out
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes_of(x, axis)))


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
    x, weights = tensor(x), tensor(weights)
    dtype = result_type(name_of(x), name_of(weights), float)
    x, weights = cast(x, dtype), cast(weights, dtype)
    if axis is not None and weights.ndim == 1 and x.ndim > 1:
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = shaping.reshape(weights, shape=tuple(shape))
    return divide(sum(x * weights, axis), sum(weights * ones_like(x), axis))


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest less the smallest."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Sum of a diagonal."""
    return sum(diagonal(x, offset, axis1, axis2), -1)


# Passing over NaN.


def _without_nan(x: Any, value: float) -> Tensor:
    x = tensor(x)
    if x._value.dtype.kind not in "fV":
        return x
    return selection.where(selection.is_nan(x), tensor(value, name_of(x)), x)


def _numbers(x: Any, axis: Any, keepdims: bool, dtype: str) -> Tensor:
    """How many are numbers."""
    found = selection.logical_not(selection.is_nan(as_float(x)))
    return _reduced(reductions.reduce_sum, cast(found, dtype), axis, keepdims)


def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Sum of what is a number."""
    return sum(_without_nan(x, 0.0), axis, keepdims)


def nanprod(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Product of what is a number."""
    return prod(_without_nan(x, 1.0), axis, keepdims)


def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Running sum of what is a number."""
    return cumsum(_without_nan(x, 0.0), axis, dtype)


def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """Running product of what is a number."""
    return cumprod(_without_nan(x, 1.0), axis, dtype)


def nanmax(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Largest number; NaN if there is none."""
    return _nan_where_empty(max(_without_nan(x, float("-inf")), axis, keepdims), x, axis, keepdims)


def nanmin(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Smallest number; NaN if there is none."""
    return _nan_where_empty(min(_without_nan(x, float("inf")), axis, keepdims), x, axis, keepdims)


def _nan_where_empty(out: Tensor, x: Any, axis: Any, keepdims: bool) -> Tensor:
    x = tensor(x)
    if x._value.dtype.kind not in "fV":
        return out
    return selection.where(all(selection.is_nan(x), axis, keepdims), tensor(float("nan"), name_of(out)), out)


def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Mean of what is a number."""
    x = as_float(x)
    wide = cast(x, "float32") if name_of(x) in ("float16", "bfloat16") else x
    total = _reduced(reductions.reduce_sum, _without_nan(wide, 0.0), axis, keepdims)
    return cast(total / _numbers(wide, axis, keepdims, name_of(wide)), name_of(x))


def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Mean squared distance from the mean, of what is a number."""
    x = as_float(x)
    wide = cast(x, "float32") if name_of(x) in ("float16", "bfloat16") else x
    return cast(nanmean(ew.square(wide - nanmean(wide, axis, True)), axis, keepdims), name_of(x))


def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Square root of `nanvar`."""
    return ew.sqrt(nanvar(x, axis, keepdims))


def nanargmax(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Position of the largest number; -1 if there is none."""
    return _nan_arg(argmax, float("-inf"), x, axis, keepdims)


def nanargmin(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Position of the smallest number; -1 if there is none."""
    return _nan_arg(argmin, float("inf"), x, axis, keepdims)


def _nan_arg(function: Any, value: float, x: Any, axis: Any, keepdims: bool) -> Tensor:
    x = tensor(x)
    if x._value.dtype.kind not in "fV":
        return function(x, axis, keepdims)
    found = function(_without_nan(x, value), axis, keepdims)
    return selection.where(all(selection.is_nan(x), axis, keepdims), tensor(-1, "int32"), found)
