"""Casts between dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.base.dtypes import DType, as_dtype, is_differentiable
from gradtape.base.errors import UnimplementedError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import shaping
from gradtape.ops.elementwise import maximum, minimum


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return the values in another dtype. Floats truncate toward zero, anything but 0 is True.

    The gradient flows between floating and complex dtypes.

    >>> import gradtape as tf
    >>> tf.cast([1.8, -1.8], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    wanted = as_dtype(dtype)
    found = to_tensor(x, name="x")
    here, there = found._value.dtype, wanted.numpy_dtype
    if here == there:
        return found
    if here.char == "O" or there.char == "O":
        raise UnimplementedError(
            None,
            None,
            f"Cast {found.dtype.name} to {wanted.name} is not supported: see tf.strings.to_number, as_string",
        )
    flows = is_differentiable(here) and is_differentiable(there)
    made: Tensor = (shaping.cast if flows else shaping.cast_discrete)(found, dtype=there)
    return made


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return the values in another dtype, those beyond its range at its ends.

    >>> import gradtape as tf
    >>> tf.saturate_cast([-1, 300], tf.uint8).numpy()
    array([  0, 255], dtype=uint8)
    """
    found = to_tensor(value, name="value")
    wanted = as_dtype(dtype)
    if found.dtype.is_complex and not wanted.is_complex:
        found = cast(found, found.dtype.real_dtype)
    here, there = found.dtype.real_dtype, wanted.real_dtype
    if wanted.is_bool or found.dtype.is_bool or here is there:
        return cast(found, wanted)
    if here.min < there.min:
        found = maximum(found, _within(there.min, here))
    if here.max > there.max:
        found = minimum(found, _within(there.max, here))
    return cast(found, wanted)


def _within(end: Any, dtype: DType) -> Any:
    """The end of a range in another dtype; the next number toward 0 where that rounds beyond the end."""
    value = np.asarray(end).astype(dtype.numpy_dtype)[()]
    return np.nextafter(value, dtype.numpy_dtype.type(0)) if abs(float(value)) > abs(float(end)) else value


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Return the same bytes as another dtype: a smaller one adds an axis, a larger one takes the last.

    >>> import gradtape as tf
    >>> tf.bitcast(1.0, tf.int32).numpy()
    np.int32(1065353216)
    """
    found = to_tensor(input, name="input")
    wanted = as_dtype(type)
    here, there = found.dtype.size, wanted.size
    if not here or not there or found.dtype.is_bool or wanted.is_bool:
        raise invalid(f"bitcast: cannot cast from {found.dtype.name} to {wanted.name}")
    if here < there and (not found._value.ndim or found._value.shape[-1] * here != there):
        raise invalid(
            f"bitcast: from {found.dtype.name} to {wanted.name} the last axis must have {there // here} elements, "
            f"got shape {list(found._value.shape)}"
        )
    made: Tensor = shaping.bitcast(found, dtype=wanted.numpy_dtype)
    return made
