"""How Keras' functions reach gradtape's primitives: arguments as Tensors, dtypes promoted by Keras' rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.dtypes import result_type

from gradtape.base import dtypes as gt_dtypes
from gradtape.core.cell import Cell
from gradtape.core.convert import to_tensor
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops import shaping

FLOATS = ("float16", "float32", "float64", "bfloat16")
_TYPES = {name: getattr(gt_dtypes, name).numpy_dtype for name in (*FLOATS, "complex64", "complex128")}
_TYPES |= {f"{u}int{n}": np.dtype(f"{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)}
_TYPES |= {"bool": np.dtype(bool), "string": np.dtype(object)}
_TYPES |= {name: getattr(gt_dtypes, name).numpy_dtype for name in ("float8_e4m3fn", "float8_e5m2")}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


def numpy_dtype(name: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of what Keras calls a dtype."""
    return _TYPES[name if name in _TYPES else standardize_dtype(name)]


def name_of(x: Tensor) -> str:
    """Return Keras' name for the dtype of a Tensor, without asking NumPy, whose `dtype.name` is slow."""
    return _NAMES[x._value.dtype]


def tensor(x: Any, dtype: str | None = None) -> Tensor:
    """Return a Tensor of what Keras passes to its backend; Tensors are not copied."""
    if type(x) is not Tensor:
        x = _converted(x, dtype)
    if dtype is not None and name_of(x) != dtype:
        return cast(x, dtype)
    return x


def _converted(x: Any, dtype: str | None) -> Tensor:
    if isinstance(x, KerasVariable):
        return tensor(x.value)
    if isinstance(x, Cell):
        return x._read()
    if isinstance(x, np.ndarray | np.generic | IndexedSlices):
        return to_tensor(x)
    if isinstance(x, list | tuple) and any(isinstance(leaf, Tensor | KerasVariable | Cell) for leaf in tree.flatten(x)):
        return shaping.stack(*promoted(*x), axis=0)
    if dtype is None and not hasattr(x, "__array__") and x is not None:
        leaves = tree.flatten(x)
        if leaves and not any(isinstance(leaf, str | bytes) for leaf in leaves):
            dtype = result_type(*[getattr(leaf, "dtype", type(leaf)) for leaf in leaves])
    if dtype is not None and dtype != "string" and x is not None and not hasattr(x, "__array__"):
        return wrap(np.array(x).astype(numpy_dtype(dtype)))
    if isinstance(x, list | tuple) and not x:
        return wrap(np.zeros(0, numpy_dtype(result_type())))
    return to_tensor(x)


def cast(x: Tensor, dtype: str) -> Tensor:
    """Return the Tensor in another dtype; the gradient flows between floating and complex ones."""
    wanted = numpy_dtype(dtype)
    have = x._value.dtype
    if have == wanted:
        return x
    if gt_dtypes.is_differentiable(have) and gt_dtypes.is_differentiable(wanted):
        return shaping.cast(x, dtype=wanted)
    return shaping.cast_discrete(x, dtype=wanted)


def _kind(x: Any) -> Any:
    """What Keras' promotion looks at: a dtype, or the type of a Python number, which is weak."""
    if type(x) is Tensor:
        return name_of(x)
    if type(x) in (int, float, bool):
        return type(x)
    return standardize_dtype(x.dtype) if hasattr(x, "dtype") else type(x)


def promoted(*xs: Any) -> list[Tensor]:
    """Return the arguments as Tensors of one dtype, by Keras' promotion lattice."""
    first = xs[0]
    if type(first) is Tensor and all(type(x) is Tensor and x._value.dtype is first._value.dtype for x in xs):
        return list(xs)
    dtype = result_type(*[_kind(x if type(x) in (int, float, bool) else tensor(x)) for x in xs])
    return [tensor(x, dtype) for x in xs]


def axes_of(x: Tensor, axis: Any) -> tuple[int, ...]:
    """Axes counted from the front; None means all of them."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int | np.integer) else tuple(axis)
    for a in axes:
        if not -x.ndim <= a < x.ndim:
            raise ValueError(f"axis {a} is out of bounds for an array of rank {x.ndim}.")
    return tuple(int(a) % x.ndim for a in axes)


def binary(primitive: Primitive) -> Any:
    """Return a backend function of two arrays: promote, then apply the primitive."""

    def function(x1: Any, x2: Any) -> Tensor:
        if type(x1) is Tensor and type(x2) is Tensor and x1._value.dtype is x2._value.dtype:
            return primitive(x1, x2)
        x1, x2 = promoted(x1, x2)
        return primitive(x1, x2)

    return _named(function, primitive)


def bitwise(primitive: Primitive) -> Any:
    """The same with the parameters' names that Keras gives to bitwise functions."""
    return _named(lambda x, y: primitive(*promoted(x, y)), primitive)


def unary(primitive: Primitive) -> Any:
    """Return a backend function of one array that keeps the dtype."""
    return _named(lambda x: primitive(tensor(x)), primitive)


def floating(primitive: Primitive) -> Any:
    """Return a backend function of one array whose result is floating: integers become `floatx` first."""
    return _named(lambda x: primitive(as_float(x)), primitive)


def as_float(x: Any) -> Tensor:
    """Return a floating or complex Tensor: integers and bools become `floatx` (int64 too, as Keras has it)."""
    x = tensor(x)
    if gt_dtypes.is_differentiable(x._value.dtype):
        return x
    return cast(x, float_result(name_of(x)))


def clipped(x: Tensor, low: float, high: float) -> Tensor:
    """x limited to [low, high], in its own dtype."""
    return ew.minimum(ew.maximum(x, tensor(low, name_of(x))), tensor(high, name_of(x)))


def float_result(dtype: str) -> str:
    """The floating dtype that Keras gives to results of integers."""
    return result_type("float32" if dtype == "int64" else dtype, float)


def _named(function: Any, primitive: Primitive) -> Any:
    function.__name__ = primitive.__name__
    return function
