"""Asking for the shape of tensors, and what shapes broadcast to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.base.dtypes import as_dtype, int32, int64
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.cell import Cell
from gradtape.core.convert import to_shape, to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import shaping


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the shape as a tensor, int32 unless `out_type` says otherwise.

    >>> import gradtape as tf
    >>> tf.shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)
    """
    return _numbers(to_tensor(input, name="input")._value.shape, out_type)


def shape_n(input: Sequence[Any], out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """Return the shape of each tensor."""
    return [shape(x, out_type) for x in input]


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the number of elements, int32 unless `out_type` says otherwise."""
    return _numbers(to_tensor(input, name="input")._value.size, out_type)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes, int32."""
    return _numbers(to_tensor(input, name="input")._value.ndim, int32)


def _numbers(value: Any, out_type: Any) -> Tensor:
    dtype = int32 if out_type is None else as_dtype(out_type)
    if dtype not in (int32, int64):
        raise invalid(f"out_type must be int32 or int64, got {dtype.name}")
    return wrap(np.array(value, dtype=dtype.numpy_dtype))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return x if its shape fits `shape`, in which None stands for any size.

    Raises:
        InvalidArgumentError: if it does not.
    """
    found = to_tensor(x, name="x")
    wanted = TensorShape(shape)
    if not wanted.is_compatible_with(found._value.shape):
        raise invalid(
            f"ensure_shape: shape of tensor x {list(found._value.shape)} is not compatible with expected {wanted}"
        )
    made: Tensor = shaping.identity(found)
    return made


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Return the shape that two shapes broadcast to; unknown sizes stay unknown.

    Raises:
        ValueError: if they do not broadcast.

    >>> import gradtape as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    longest = max(x.rank, y.rank)
    sizes: list[int | None] = []
    padded = [[*[1] * (longest - len(s)), *s] for s in (x, y)]
    for a, b in zip(*padded, strict=True):
        if a == 1 or b == 1:
            sizes.append(b if a == 1 else a)
        elif a is None or b is None:
            sizes.append(b if a is None else a)
        elif a == b:
            sizes.append(a)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
                f"either equal or one of them is 1. Received: {x} and {y}."
            )
    return TensorShape(sizes)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Return, as a tensor, the shape that two shapes broadcast to. Raises InvalidArgumentError if they do not."""
    x, y = to_tensor(shape_x, name="shape_x"), to_tensor(shape_y, name="shape_y")
    try:
        made = np.broadcast_shapes(to_shape(x, "shape_x"), to_shape(y, "shape_y"))
    except ValueError:
        raise invalid(f"Incompatible shapes: {x._value.tolist()} vs. {y._value.tolist()}") from None
    return wrap(np.array(made, dtype=x._value.dtype))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor as an array, None for a variable, and anything else as it is."""
    if isinstance(tensor, Cell):
        return None
    return tensor.numpy() if isinstance(tensor, Tensor) else tensor
