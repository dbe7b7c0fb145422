"""New arrays for `keras.ops`: constants, ranges, windows."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from keras.src.backend import config
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.dtypes import result_type

from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.arranging import expand_dims
from gradtape.keras_backend.dispatch import as_float, cast, name_of, numpy_dtype, promoted, tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import shaping


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
    values = [v if isinstance(v, int | float) else np.asarray(settled(tensor(v))).item() for v in given]
    first, last = (0, values[0]) if stop is None else values[:2]
    return wrap(np.arange(first, last, values[-1] if step is not None else 1).astype(_dtype(dtype)))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """`num` evenly spaced values."""
    start, stop = promoted(start, stop)
    start, stop, num = as_float(start), as_float(stop), int(num)
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


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Powers of a base whose exponents are evenly spaced."""
    exponents = linspace(start, stop, num, endpoint, False, None, axis)
    out = ew.power(tensor(base, name_of(exponents)), exponents)
    return out if dtype is None else cast(out, standardize_dtype(dtype))


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Values of which each is the one before times the same factor."""
    start, stop = (as_float(x) for x in promoted(start, stop))
    logs = linspace(ew.log(ew.absolute(start)), ew.log(ew.absolute(stop)), num, endpoint, False, None, axis)
    return cast(ew.sign(start) * ew.exp(logs), config.floatx() if dtype is None else standardize_dtype(dtype))


# Windows of a length.


def _window(values: Any) -> Tensor:
    return wrap(values.astype(numpy_dtype(config.floatx())))


def bartlett(x: Any) -> Tensor:
    """A triangle."""
    return _window(np.bartlett(int(tensor(x))))


def blackman(x: Any) -> Tensor:
    """Blackman's window."""
    return _window(np.blackman(int(tensor(x))))


def hamming(x: Any) -> Tensor:
    """Hamming's window."""
    return _window(np.hamming(int(tensor(x))))


def hanning(x: Any) -> Tensor:
    """Hann's window."""
    return _window(np.hanning(int(tensor(x))))


def kaiser(x: Any, beta: Any) -> Tensor:
    """Kaiser's window."""
    return _window(np.kaiser(int(tensor(x)), float(beta)))
