"""NumPy's ufuncs and functions on tensors: each becomes our own ops, so that it is recorded and the gradient survives.

The other operands take the dtype of the first tensor, as with Python's operators. What has no counterpart here is left
to NumPy if no gradient can be lost by it, and is a TypeError otherwise. `np.asarray(t)` and `t.numpy()` are the ways
out.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np

from gradtape.base.dtypes import is_differentiable
from gradtape.core.cell import Cell
from gradtape.core.convert import existing
from gradtape.core.cotangents import conj
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops import operators, reductions, scans, selection
from gradtape.ops.shaping import cast_discrete, identity, reshape

Function = Callable[..., Any]


# Operands.


def tensors(values: Any) -> list[Tensor]:
    """The operands as Tensors, those that are none in the dtype of the first that is."""
    found = [existing(v) for v in values]
    like = next(v for v in found if type(v) is Tensor)
    return [operators.coerced(v, like) for v in found]


def as_floating(x: Tensor) -> Tensor:
    """Integers and booleans as float64 (float32 where they have 16 bits or fewer), other dtypes as they are."""
    dtype = x._value.dtype
    if dtype.kind not in "iub":
        return x
    made: Tensor = cast_discrete(x, dtype=operators.FLOAT32 if dtype.itemsize <= 2 else operators.FLOAT64)
    return made


def as_truth(x: Tensor) -> Tensor:
    """Whether each element is not zero."""
    made: Tensor = x if x._value.dtype.kind == "b" else selection.not_equal(x, x._value.dtype.type(0))
    return made


# What ufuncs become. Their functions get Tensors.


def _floating(primitive: Function) -> Function:
    return lambda *xs: primitive(*[as_floating(x) for x in xs])


def _truth(primitive: Function) -> Function:
    return lambda *xs: primitive(*[as_truth(x) for x in xs])


def _whole(primitive: Function) -> Function:
    """A rounding, which leaves integers as they are."""
    return lambda x: identity(x) if x._value.dtype.kind in "iub" else primitive(x)


def _alike(primitive: Function) -> Function:
    return lambda x, y: primitive(*operators.same_dtype(x, y, primitive.__name__))


def matmul(a: Tensor, b: Tensor) -> Any:
    """Matrix product as NumPy has it: a vector is a row on the left and a column on the right."""
    rank = (a._value.ndim, b._value.ndim)
    if 0 in rank:
        raise TypeError("numpy.matmul: a scalar cannot be multiplied as a matrix; use *.")
    out = operators.matrix_product(a[None] if rank[0] == 1 else a, b[..., None] if rank[1] == 1 else b)
    if rank == (1, 1):
        return out[0, 0]
    return out[..., 0, :] if rank[0] == 1 else out[..., 0] if rank[1] == 1 else out


def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow."""
    return selection.where(ew.absolute(x) < math.inf, x + ew.softplus(y - x), ew.maximum(x, y))


def hypot(x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2) without overflow; the gradient at 0 is 0."""
    return ew.complex_abs(ew.make_complex(x, y))


def cbrt(x: Any) -> Any:
    """The real cube root."""
    return ew.sign(x) * ew.power(ew.absolute(x), 1 / 3)


UFUNCS: dict[Any, Function] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.fmod: _alike(ew.truncate_mod),
    np.divmod: lambda x, y: (x // y, x % y),
    np.power: operator.pow,
    np.float_power: _floating(operator.pow),
    np.matmul: matmul,
    np.negative: operator.neg,
    np.positive: identity,
    np.absolute: operator.abs,
    np.fabs: _floating(operator.abs),
    np.square: ew.square,
    np.reciprocal: _floating(ew.reciprocal),
    np.sqrt: _floating(ew.sqrt),
    np.cbrt: _floating(cbrt),
    np.hypot: _floating(hypot),
    np.exp: _floating(ew.exp),
    np.exp2: _floating(ew.exp2),
    np.expm1: _floating(ew.expm1),
    np.log: _floating(ew.log),
    np.log2: _floating(lambda x: ew.log(x) / math.log(2)),
    np.log10: _floating(lambda x: ew.log(x) / math.log(10)),
    np.log1p: _floating(ew.log1p),
    np.logaddexp: _floating(logaddexp),
    np.sin: _floating(ew.sin),
    np.cos: _floating(ew.cos),
    np.tan: _floating(ew.tan),
    np.arcsin: _floating(ew.asin),
    np.arccos: _floating(ew.acos),
    np.arctan: _floating(ew.atan),
    np.arctan2: _floating(_alike(ew.atan2)),
    np.sinh: _floating(ew.sinh),
    np.cosh: _floating(ew.cosh),
    np.tanh: _floating(ew.tanh),
    np.arcsinh: _floating(ew.asinh),
    np.arccosh: _floating(ew.acosh),
    np.arctanh: _floating(ew.atanh),
    np.deg2rad: _floating(lambda x: x * (math.pi / 180)),
    np.radians: _floating(lambda x: x * (math.pi / 180)),
    np.rad2deg: _floating(lambda x: x * (180 / math.pi)),
    np.degrees: _floating(lambda x: x * (180 / math.pi)),
    np.sign: ew.sign,
    np.floor: _whole(ew.floor),
    np.ceil: _whole(ew.ceil),
    np.rint: _whole(ew.rint),
    np.trunc: _whole(ew.truncate),
    np.maximum: _alike(ew.maximum),
    np.minimum: _alike(ew.minimum),
    np.conjugate: lambda x: conj(x) if x._value.dtype.kind == "c" else identity(x),
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.logical_and: _truth(selection.logical_and),
    np.logical_or: _truth(selection.logical_or),
    np.logical_xor: _truth(selection.logical_xor),
    np.logical_not: _truth(selection.logical_not),
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.invert: operator.invert,
    np.isnan: _floating(selection.is_nan),
    np.isinf: _floating(selection.is_inf),
    np.isfinite: _floating(selection.is_finite),
}

REDUCTIONS: dict[Any, Function] = {
    np.add: reductions.reduce_sum,
    np.multiply: reductions.reduce_prod,
    np.maximum: reductions.reduce_max,
    np.minimum: reductions.reduce_min,
    np.logical_and: lambda x, axis: reductions.reduce_all(as_truth(x), axis=axis),
    np.logical_or: lambda x, axis: reductions.reduce_any(as_truth(x), axis=axis),
}

SCANS: dict[Any, Function] = {np.add: scans.cumsum, np.multiply: scans.cumprod}


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes as numbers that are not negative; None means all.

    Raises:
        ValueError: if one is out of range or named twice (NumPy's AxisError).
    """
    if axis is None:
        return tuple(range(rank))
    return tuple(np.lib.array_utils.normalize_axis_tuple(axis, rank))


def _reduce(ufunc: Any, x: Tensor, axis: Any = 0, keepdims: bool = False) -> Any:
    axes = axes_of(axis, x._value.ndim)
    out = REDUCTIONS[ufunc](x, axis=axes)
    return reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def _accumulate(ufunc: Any, x: Tensor, axis: int = 0) -> Any:
    [place] = axes_of(axis, x._value.ndim)
    return SCANS[ufunc](x, axis=place, exclusive=False, reverse=False)


def _outer(ufunc: Any, x: Tensor, y: Tensor) -> Any:
    return UFUNCS[ufunc](x[(..., *[None] * y._value.ndim)], y)


METHODS: dict[str, tuple[dict[Any, Function], Function]] = {
    "reduce": (REDUCTIONS, _reduce),
    "accumulate": (SCANS, _accumulate),
    "outer": (UFUNCS, _outer),
}


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
    """Apply a ufunc, or a method of one, of which an operand is a tensor.

    `array += tensor` makes the name on the left a tensor, and leaves the array as it was.
    """
    in_place = method == "__call__" and out is not None and out[0] is inputs[0] and type(out[0]) is np.ndarray
    if method == "__call__" and (out is None or in_place) and not options and ufunc in UFUNCS:
        return UFUNCS[ufunc](*tensors(inputs))
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    if (out is not None and not in_place) or method == "at":
        raise unrecorded(name, "it writes into an array, where no gradient can follow")
    if method in METHODS and ufunc in METHODS[method][0]:
        try:
            return METHODS[method][1](ufunc, *tensors(inputs), **options)
        except TypeError as error:
            raise unrecorded(name, str(error)) from None
    if options and holds_differentiable(inputs):
        raise unrecorded(name, f"it cannot be recorded with {', '.join(options)}")
    result = getattr(ufunc, method)(*raw_values(inputs), **options)
    if holds_differentiable(inputs) and holds_inexact(result):
        raise unrecorded(name, "it has no counterpart")
    return tuple(map(wrap, result)) if type(result) is tuple else wrap(result)


# Functions. The table is filled by the public face, whose functions these are written in.


class Table(dict[Any, Function]):
    """NumPy's function, and what to call with the same arguments in its place; filled when first looked into."""

    fill: Callable[[], Any] | None = None

    def find(self, function: Any) -> Function | None:
        """What stands in for a function of NumPy, or None."""
        fill = self.fill
        if fill is not None:
            self.fill = None
            fill()
        return self.get(function)


FUNCTIONS = Table()

VALUES_ONLY: set[Any] = {
    np.allclose,
    np.array2string,
    np.array_equal,
    np.array_equiv,
    np.array_repr,
    np.array_str,
    np.isclose,
    np.iscomplexobj,
    np.isrealobj,
    np.may_share_memory,
    np.result_type,
    np.save,
    np.savetxt,
    np.savez,
    np.savez_compressed,
    np.shares_memory,
}
"""Functions that ask about values, or write them to a file: NumPy answers."""

WRITERS = {np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask}
"""Functions that write into an array."""


def array_function(self: Any, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what stands in for a NumPy function of which an argument is a tensor."""
    name = f"{function.__module__.removeprefix('numpy.')}.{function.__name__}".removeprefix("numpy.")
    if function in WRITERS:
        raise unrecorded(name, "it writes into an array, where no gradient can follow")
    ours = FUNCTIONS.find(function)
    if ours is not None:
        try:
            return ours(*args, **kwargs)
        except TypeError as error:
            raise (error if _fits(ours, args, kwargs) else unrecorded(name, str(error))) from None
    result = function(*raw_values(args), **raw_values(kwargs))
    if function not in VALUES_ONLY and holds_differentiable((args, kwargs)) and holds_inexact(result):
        raise unrecorded(name, "it has no counterpart")
    return result


def _fits(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function takes these arguments."""
    try:
        signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def unrecorded(name: str, reason: str) -> TypeError:
    """The error for a NumPy function that cannot be recorded as it was called."""
    return TypeError(
        f"numpy.{name} on a tensor: {reason}. Use a function of tf for it, or .numpy(), which ends the gradient there."
    )


def leaves(value: Any) -> Iterator[Any]:
    """What stands in nested lists, tuples and dicts."""
    if isinstance(value, list | tuple):
        for v in value:
            yield from leaves(v)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    else:
        yield value


def raw_values(value: Any) -> Any:
    """The same nested arguments with arrays in place of tensors."""
    if isinstance(value, list | tuple):
        return type(value)(map(raw_values, value)) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {k: raw_values(v) for k, v in value.items()}
    found = existing(value)
    return found.numpy() if isinstance(found, Tensor) else value


def holds_differentiable(arguments: Any) -> bool:
    """Whether a gradient could come from one of the arguments: a tensor of a floating or complex dtype."""
    found = map(existing, leaves(arguments))
    return any(isinstance(v, Tensor) and is_differentiable(v._value.dtype) for v in found)


def holds_inexact(result: Any) -> bool:
    """Whether what NumPy gave holds floating or complex numbers, or something unknown."""
    return any(
        v.dtype.kind not in "biuSUmM" if hasattr(v, "dtype") else not isinstance(v, bool | int | str | None)
        for v in leaves(result)
    )


for _cls in (Tensor, Cell):
    setattr(_cls, "__array_ufunc__", array_ufunc)  # noqa: B010 - a class without the attribute
    setattr(_cls, "__array_function__", array_function)  # noqa: B010
