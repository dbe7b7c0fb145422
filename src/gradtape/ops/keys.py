"""What stands in brackets behind a tensor: checked, and brought to NumPy's basic indices or to a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.base.errors import invalid
from gradtape.core.convert import existing
from gradtape.core.tensor import Tensor, raw

Part = Any
_TENSOR_INDICES = (np.dtype("int16"), np.dtype("int32"), np.dtype("int64"))


def mask_of(key: Any) -> Any:
    """The boolean array if the whole key is one, else None. Raises ValueError for a boolean that has no axes."""
    key = existing(key)
    value = raw(key)
    is_array = type(key) is Tensor or isinstance(value, np.ndarray)
    if type(value) is not bool and not (is_array and value.dtype.kind == "b"):
        return None
    if not np.ndim(value):
        raise ValueError("mask cannot be scalar.")
    return key


def basic(key: Any, shape: tuple[int, ...]) -> tuple[Part, ...]:
    """The key as a tuple of ints, slices of ints, `None` and `...`, which all fit a tensor of this shape.

    Raises:
        TypeError: for a part that is none of those, nor a scalar integer tensor.
        InvalidArgumentError: for a number out of bounds, too many parts, two ellipses or a step of zero.
    """
    parts = tuple([_part(p) for p in (key if isinstance(key, tuple | list) else (key,))])
    ellipses = sum(p is ... for p in parts)
    if ellipses > 1:
        raise invalid("Multiple ellipses in slice spec not allowed")
    taken = sum(p is not None and p is not ... for p in parts)
    if taken and not shape:
        raise invalid("Attempting to slice scalar input.")
    if taken > len(shape):
        raise invalid(f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims")
    axis = 0
    for part in parts:
        if part is ...:
            axis += len(shape) - taken
        elif type(part) is int:
            size = shape[axis]
            if not -size <= part < size:
                raise invalid(f"slice index {part if part >= 0 else part + size} of dimension {axis} out of bounds.")
            axis += 1
        elif part is not None:
            if part.step == 0:
                raise invalid(f"strides[{axis}] must be non-zero")
            axis += 1
    return parts


def _part(part: Any) -> Part:
    if part is None or part is ... or type(part) is int:
        return part
    if type(part) is slice:
        return slice(*[None if p is None else _integer(p) for p in (part.start, part.stop, part.step)])
    return _integer(part)


def _integer(value: Any) -> int:
    if type(value) is int:
        return value
    value = existing(value)
    if type(value) is Tensor:
        if value._value.ndim == 0 and value._value.dtype in _TENSOR_INDICES:
            return int(value)
    elif isinstance(value, int | np.integer) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu"
    ):
        return int(value)
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {value!r}"
    )
