"""Making tensors, converting and casting them, and asking for their shape. All names are at the top level of `tf`."""

from __future__ import annotations

import builtins
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.base import nest
from gradtape.base.dtypes import DType, as_dtype, float32, int32, int64
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import existing, holds_tensor, to_integers, to_shape, to_tensor
from gradtape.core.data import to_array
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
            return fill(sizes, found._value.reshape(()))
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
    return wrap(to_array(found._value if type(found) is Tensor else value, dtype))


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
    """Whether x is a tensor or a variable.

    >>> import gradtape as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])
    (True, False)
    """
    return isinstance(existing(x), Tensor)


def identity(input: Any, name: str | None = None) -> Any:
    """Return a tensor of the same values, for each tensor in a nested structure. The gradient flows through."""
    return (
        nest.map_structure(lambda x: shaping.identity(to_tensor(x)), input)
        if nest.is_nested(input)
        else (shaping.identity(to_tensor(input)))
    )


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Return a list of tensors of the same values."""
    return [shaping.identity(to_tensor(x)) for x in input]


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
    if scalar._value.ndim:
        raise invalid(f"fill: value must be a scalar, got shape {list(scalar._value.shape)}")
    made: Tensor = shaping.broadcast_to(scalar, shape=to_shape(dims, "dims"))
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
    [rows] = to_shape(num_rows, "num_rows")
    [columns] = (rows,) if num_columns is None else to_shape(num_columns, "num_columns")
    matrix = np.eye(rows, columns, dtype=as_dtype(dtype).numpy_dtype)
    return wrap(np.broadcast_to(matrix, ((() if batch_shape is None else to_shape(batch_shape)) + matrix.shape)).copy())


_RANGE_DTYPES = ("int32", "int64", "float32", "float64")


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """Return the numbers from `start` (0 if only one is given) up to but not including `limit`, in steps of `delta`.

    Raises:
        InvalidArgumentError: if `delta` is 0 or leads away from the limit, or an argument is not a scalar.

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
        if found._value.ndim:
            raise invalid(f"range: {label} must be a scalar, got shape {list(found._value.shape)}")
        given.append(found)
    if wanted is None:
        names = [g.dtype.name for g in given]
        if unknown := [n for n in names if n not in _RANGE_DTYPES]:
            raise ValueError(f"range: expected start, limit and delta of {', '.join(_RANGE_DTYPES)}, got {unknown[0]}.")
        wanted = as_dtype(max(names, key=_RANGE_DTYPES.index))
    first, last, step = (g._value.astype(wanted.numpy_dtype) for g in given)
    if step == 0:
        raise invalid("range: requires delta != 0")
    if (last - first) * np.sign(step) < 0:
        sign = ("<=", ">") if step > 0 else (">=", "<")
        raise invalid(f"range: requires start {sign[0]} limit when delta {sign[1]} 0, got start {first}, limit {last}")
    if wanted.is_floating:
        count = int(np.ceil((float(last) - float(first)) / float(step)))
    else:
        count = -((int(first) - int(last)) // int(step))
    return wrap((first + np.arange(count).astype(wanted.numpy_dtype) * step).astype(wanted.numpy_dtype))


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """Return `num` evenly spaced values from `start` to `stop`, along a new axis; the gradient flows to both.

    >>> import gradtape as tf
    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    first = to_tensor(start, name="start")
    last = to_tensor(stop, first.dtype, "stop")
    [count] = to_integers(num, "num")
    if count <= 0:
        raise invalid(f"linspace: num must be positive, got {count}")
    if first.dtype.is_integer:
        first, last = cast(first, "float64"), cast(last, "float64")
    shape = np.broadcast_shapes(first._value.shape, last._value.shape)
    rank = len(shape)
    if not -rank - 1 <= axis <= rank:
        raise invalid(f"linspace: axis {axis} is out of range for values of rank {rank}")
    place = axis % (rank + 1)
    grown = (*shape[:place], 1, *shape[place:])
    first, last = (shaping.reshape(shaping.broadcast_to(v, shape=shape), shape=grown) for v in (first, last))
    if count == 1:
        return first
    steps = (
        np.arange(1, count - 1)
        .astype(first._value.dtype)
        .reshape([-1 if i == place else 1 for i in builtins.range(rank + 1)])
    )
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


# Casts.


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
        raise invalid(f"cast: cannot cast {found.dtype.name} to {wanted.name}; see tf.strings.to_number and as_string")
    flows = _flows(found.dtype) and _flows(wanted)
    made: Tensor = (shaping.cast if flows else shaping.cast_discrete)(found, dtype=there)
    return made


def _flows(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return the values in another dtype, those beyond its range at its ends.

    >>> import gradtape as tf
    >>> tf.saturate_cast([-1, 300], tf.uint8).numpy()
    array([  0, 255], dtype=uint8)
    """
    from gradtape.ops.elementwise import maximum, minimum

    found = to_tensor(value, name="value")
    wanted = as_dtype(dtype)
    if found.dtype.is_complex and not wanted.is_complex:
        found = cast(found, found.dtype.real_dtype)
    here, there = found.dtype.real_dtype, wanted.real_dtype
    if here.min < there.min:
        found = maximum(found, np.asarray(there.min).astype(here.numpy_dtype)[()])
    if here.max > there.max:
        found = minimum(found, np.asarray(there.max).astype(here.numpy_dtype)[()])
    return cast(found, wanted)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Return the same bytes as another dtype: a smaller one adds an axis, a larger one takes the last.

    >>> import gradtape as tf
    >>> tf.bitcast(1.0, tf.int32).numpy()
    np.int32(1065353216)
    """
    found = to_tensor(input, name="input")
    wanted = as_dtype(type)
    here, there = found.dtype.size, wanted.size
    if not here or not there:
        raise invalid(f"bitcast: cannot cast from {found.dtype.name} to {wanted.name}")
    if here < there and (not found._value.ndim or found._value.shape[-1] * here != there):
        raise invalid(
            f"bitcast: from {found.dtype.name} to {wanted.name} the last axis must have {there // here} elements, "
            f"got shape {list(found._value.shape)}"
        )
    made: Tensor = shaping.bitcast(found, dtype=wanted.numpy_dtype)
    return made


# Shapes.


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
    for a, b in zip(*([1] * (longest - len(s)) + s.as_list() for s in (x, y)), strict=True):
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
    """Return the value as an array, or None for what is not a tensor."""
    found = existing(tensor)
    return found.numpy() if isinstance(found, Tensor) else None


# The surroundings.


def executing_eagerly() -> bool:
    """Whether ops run at once: always, outside a function that is being captured."""
    return True


def inside_function() -> bool:
    """Whether a function is being captured."""
    return False


def get_logger() -> logging.Logger:
    """Return the logger that warnings go to."""
    return logging.getLogger("gradtape")


@contextlib.contextmanager
def device(device_name: Any) -> Any:
    """Do nothing but accept the block: there is one device."""
    yield


@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Any:
    """Run what is callable in `control_inputs`; ops run in order anyway."""
    for item in control_inputs or ():
        if isinstance(item, Callable):  # type: ignore[arg-type]
            item()
    yield


def group(*inputs: Any, **kwargs: Any) -> None:
    """Do nothing: the inputs have run already."""


def no_op(name: str | None = None) -> None:
    """Do nothing."""


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
