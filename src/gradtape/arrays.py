"""Making tensors, and what else is only at the top level of `tf`."""

from __future__ import annotations

import builtins
import contextlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._casting import bitcast, cast, saturate_cast
from gradtape._shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    ensure_shape,
    get_static_value,
    rank,
    shape,
    shape_n,
    size,
)
from gradtape._surroundings import (
    control_dependencies,
    device,
    executing_eagerly,
    get_logger,
    group,
    inside_function,
    no_op,
)
from gradtape.base.dtypes import DType, as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import existing, holds_tensor, to_integers, to_shape, to_tensor
from gradtape.core.data import to_array
from gradtape.core.effects import settled
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import shaping

newaxis = None


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """Return a tensor of Python or NumPy data.

    Args:
        value: a number, string, nested list or array. Floats become float32 and ints int32; arrays keep their dtype.
        dtype: the dtype wanted.
        shape: the shape wanted: of as many elements as there are, or any if there is one.

    Raises:
        TypeError: if a Python value does not fit `dtype`, or the number of elements does not fit `shape`.
        ValueError: if the data is ragged, mixed or of an unknown type.

    >>> import gradtape as tf
    >>> tf.constant([1, 2, 3, 4], shape=[2, 2]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    found = value if isinstance(value, Tensor) else _constant(value, wanted)
    if wanted is not None and found._value.dtype != wanted.numpy_dtype:
        raise TypeError(f"Expected tensor {found} with dtype {wanted!r}, but got dtype {found.dtype!r}.")
    if shape is None:
        return found
    sizes = TensorShape(shape)
    count = found._value.size
    if sizes.is_fully_defined():
        if sizes.num_elements() == count:
            made: Tensor = shaping.reshape(found, shape=sizes.as_tuple())
            return made
        if count == 1:
            return fill(sizes, shaping.reshape(found, shape=()))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {found._value} (converted from {value}) has "
        f"{count} elements, but got `shape` {sizes} with {sizes.num_elements()} elements)."
    )


def _constant(value: Any, dtype: DType | None) -> Tensor:
    if isinstance(value, list | tuple) and holds_tensor(value):
        raise ValueError(
            "tf.constant: a list with tensors in it is not a constant. Use tf.stack or tf.convert_to_tensor."
        )
    found = existing(value)
    return wrap(to_array(settled(found) if type(found) is Tensor else value, dtype))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """Return a tensor of anything that can be one; a tensor comes back as it is, a variable as its value.

    Lists may hold tensors: these are stacked, and the gradient flows to them.

    Args:
        value: a tensor, variable, number, string, nested list or array.
        dtype: the dtype wanted.
        dtype_hint: the dtype wanted if the value can have it.

    Raises:
        TypeError: if a Python value does not fit `dtype`.
        ValueError: if a tensor has another dtype, or the data is ragged, mixed or of an unknown type.

    >>> import gradtape as tf
    >>> tf.convert_to_tensor([tf.constant(1.0), 2]).numpy()
    array([1., 2.], dtype=float32)
    """
    if dtype is None and dtype_hint is not None:
        with contextlib.suppress(TypeError, ValueError):
            return to_tensor(value, as_dtype(dtype_hint))
    return to_tensor(value, None if dtype is None else as_dtype(dtype), name or "value")


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, a variable or sparse rows.

    >>> import gradtape as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])
    (True, False)
    """
    return type(x) is IndexedSlices or isinstance(existing(x), Tensor)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether this is a placeholder without a value: never, since ops run at once."""
    return False


def identity(input: Any, name: str | None = None) -> Tensor:
    """Return a tensor of the same values, another object; the gradient flows through.

    >>> import gradtape as tf
    >>> tf.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    made: Tensor = shaping.identity(to_tensor(input, name="input"))
    return made


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Return a list of tensors of the same values."""
    return [identity(x) for x in input]


# Tensors filled with something.


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """Return a tensor of a shape with one value in every place; the gradient flows to the value.

    Raises:
        InvalidArgumentError: if the value is not a scalar, or a size is negative.

    >>> import gradtape as tf
    >>> tf.fill([2], 7).numpy()
    array([7, 7], dtype=int32)
    """
    scalar = to_tensor(value, name="value")
    if scalar._value.size != 1:
        raise invalid(f"fill: value must be a scalar, got shape {list(scalar._value.shape)}")
    made: Tensor = shaping.broadcast_to(shaping.reshape(scalar, shape=()), shape=to_shape(dims, "dims"))
    return made


def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Return zeros; empty strings and False for those dtypes.

    >>> import gradtape as tf
    >>> tf.zeros([2], tf.int32).numpy()
    array([0, 0], dtype=int32)
    """
    return _full(to_shape(shape), as_dtype(dtype), 0)


def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Return ones, or True for bool.

    >>> import gradtape as tf
    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    return _full(to_shape(shape), as_dtype(dtype), 1)


def _full(shape: tuple[int, ...], dtype: DType, value: int) -> Tensor:
    if dtype.numpy_dtype.char == "O":
        if value:
            raise TypeError(f"ones: there is no one of dtype {dtype.name}.")
        return wrap(np.full(shape, b"", dtype=object))
    return wrap(np.full(shape, value, dtype=dtype.numpy_dtype))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Return zeros of the shape, and the dtype unless another is given, of a tensor."""
    found = to_tensor(input, name="input")
    wanted = found.dtype if dtype is None else as_dtype(dtype)
    return _full(found._value.shape, wanted, 0)


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Return ones of the shape, and the dtype unless another is given, of a tensor."""
    found = to_tensor(input, name="input")
    wanted = found.dtype if dtype is None else as_dtype(dtype)
    return _full(found._value.shape, wanted, 1)


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Return an identity matrix, or a batch of them.

    >>> import gradtape as tf
    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = _whole(num_rows, "num_rows")
    columns = rows if num_columns is None else _whole(num_columns, "num_columns")
    wanted = as_dtype(dtype).numpy_dtype
    if wanted.char == "O":
        raise TypeError(f"eye: there is no one of dtype {as_dtype(dtype).name}.")
    batch = () if batch_shape is None else to_shape(batch_shape, "batch_shape")
    return wrap(np.broadcast_to(np.eye(rows, columns, dtype=wanted), (*batch, rows, columns)).copy())


def _whole(value: Any, name: str) -> int:
    sizes = () if value is None or isinstance(value, list | tuple) else to_shape(value, name)
    if len(sizes) != 1:
        raise TypeError(f"eye: {name} must be a whole number, got {value!r}")
    return sizes[0]


_RANGE_DTYPES = ("int32", "int64", "float32", "float64")


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """Return the numbers from `start` (0 if only one is given) up to but not including `limit`, in steps of `delta`.

    Raises:
        InvalidArgumentError: if `delta` is 0 or leads away from the limit, or an argument is not a scalar.
        ValueError: if the dtype is not one of numbers on a line.

    >>> import gradtape as tf
    >>> tf.range(3).numpy(), tf.range(1.0, 2.0, 0.5).numpy()
    (array([0, 1, 2], dtype=int32), array([1. , 1.5], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else as_dtype(dtype)
    given = []
    for label, value in (("start", start), ("limit", limit), ("delta", delta)):
        found = to_tensor(value, None if isinstance(existing(value), Tensor) else wanted, label)
        if found._value.size != 1:
            raise invalid(f"range: {label} must be a scalar, got shape {list(found._value.shape)}")
        given.append(found)
    if wanted is None:
        names = [g.dtype.name for g in given]
        for n in names:
            if n not in _RANGE_DTYPES:
                raise ValueError(f"range: start, limit and delta must be of {', '.join(_RANGE_DTYPES)}, got {n}.")
        wanted = as_dtype(max(names, key=_RANGE_DTYPES.index))
    if not wanted.is_floating and not wanted.is_integer:
        raise invalid(f"range: dtype must be an integer or a floating type, got {wanted.name}")
    first, last, step = (settled(g).reshape(()).astype(wanted.numpy_dtype)[()] for g in given)
    return wrap((first + np.arange(_steps(first, last, step)).astype(first.dtype) * step).astype(first.dtype))


def _steps(first: Any, last: Any, step: Any) -> int:
    """How many numbers a range has."""
    a, b, d = [v.item() for v in (first, last, step)]
    if d == 0:
        raise invalid("range: delta must not be 0")
    if not (a <= b if d > 0 else a >= b):
        order = "start <= limit when delta > 0" if d > 0 else "start >= limit when delta < 0"
        raise invalid(f"range: requires {order}, got start {a} and limit {b}")
    if isinstance(a, int):
        return int(-((a - b) // d))
    if not math.isfinite((b - a) / d):
        raise invalid(f"range: start, limit and delta must be finite, got {a}, {b} and {d}")
    count: int = math.ceil((b - a) / d)
    return count


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Return `num` evenly spaced values from `start` to `stop`, along a new axis; the gradient flows to both.

    >>> import gradtape as tf
    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    first = to_tensor(start, name="start")
    last = to_tensor(stop, first.dtype, "stop")
    [count] = to_integers(num, "num")
    if count < 0:
        raise invalid(f"linspace: num must not be negative, got {count}")
    if first.dtype.is_integer:
        first, last = cast(first, "float64"), cast(last, "float64")
    shape = np.broadcast_shapes(first._value.shape, last._value.shape)
    rank = len(shape)
    if not -rank - 1 <= axis <= rank:
        raise invalid(f"linspace: axis {axis} is out of range for values of rank {rank}")
    place = axis % (rank + 1)
    grown = (*shape[:place], 1, *shape[place:])
    ends: list[Tensor] = [shaping.reshape(shaping.broadcast_to(v, shape=shape), shape=grown) for v in (first, last)]
    first, last = ends
    if count < 2:
        return first[(slice(None),) * place + (slice(count),)]
    steps = np.arange(1, count - 1).astype(first._value.dtype)[(slice(None), *[None] * (rank - place))]
    made: Tensor = shaping.concat(first, first + (last - first) / (count - 1) * steps, last, axis=place)
    return made


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Return one grid per vector, over all of them; the gradient flows to the vectors.

    Args:
        args: vectors (or scalars), of n1, n2, ... elements.
        indexing: "xy" (the first two axes swapped, as images have them) or "ij".

    >>> import gradtape as tf
    >>> [g.numpy().tolist() for g in tf.meshgrid([1, 2], [3, 4, 5])]
    [[[1, 2], [1, 2], [1, 2]], [[3, 3], [4, 4], [5, 5]]]
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [to_tensor(a, name=f"args[{i}]") for i, a in enumerate(args)]
    order = list(builtins.range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = [0] * len(order)
    for place, v in zip(order, vectors, strict=True):
        shape[place] = v._value.size
    grids = []
    for place, v in zip(order, vectors, strict=True):
        line = shaping.reshape(v, shape=tuple(v._value.size if i == place else 1 for i in builtins.range(len(order))))
        grids.append(shaping.broadcast_to(line, shape=tuple(shape)))
    return grids


__all__ = [
    "DType",
    "Tensor",
    "TensorShape",
    "as_dtype",
    "bitcast",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "cast",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "device",
    "ensure_shape",
    "executing_eagerly",
    "eye",
    "fill",
    "get_logger",
    "get_static_value",
    "group",
    "identity",
    "identity_n",
    "inside_function",
    "is_symbolic_tensor",
    "is_tensor",
    "linspace",
    "meshgrid",
    "newaxis",
    "no_op",
    "ones",
    "ones_like",
    "range",
    "rank",
    "saturate_cast",
    "shape",
    "shape_n",
    "size",
    "zeros",
    "zeros_like",
]
