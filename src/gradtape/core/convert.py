"""Python and NumPy data as Tensors, by TensorFlow's rules for dtypes and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.dtypes import DType
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.cell import Cell
from gradtape.core.indexed_slices import IndexedSlices, densified
from gradtape.core.stacking import stack
from gradtape.core.tensor import Tensor, wrap

_NAMES = {"float32": "float", "float64": "double", "float16": "half"}
_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_PLAIN = {float: np.float32, int: np.int32, bool: np.bool_}


def to_tensor(value: Any, dtype: DType | None = None, name: str = "value") -> Tensor:
    """Return a Tensor of a Tensor, Variable, array, scalar or nested list; existing Tensors come back as they are.

    Args:
        value: what to convert.
        dtype: the dtype wanted, or None to infer it: float32, int32 (int64 if need be), bool, complex128, string, or
            the array's own.
        name: what to call `value` in errors.

    Raises:
        ValueError: if the value is of no use, ragged or mixed, or is a Tensor of another dtype.
        TypeError: if a Python value does not fit `dtype`.
    """
    if type(value) is not Tensor:
        value = existing(value)
    if isinstance(value, list | tuple) and holds_tensor(value):
        value = packed(value, dtype or dtype_within(value))
    if type(value) is Tensor:
        if dtype is not None and value._value.dtype != dtype.numpy_dtype:
            raise ValueError(
                f"{name}: Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: {value!r}"
            )
        return value
    return wrap(to_array(value, dtype))


def existing(value: Any) -> Any:
    """Return the Tensor behind a Tensor, a variable (read now), sparse rows or what has `__tf_tensor__`; else `value`."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Cell):
        return value._read()
    if type(value) is IndexedSlices:
        return densified_tensor(value)
    convert = getattr(type(value), "__tf_tensor__", None)
    return value if convert is None else convert(value)


def holds_tensor(value: Any) -> bool:
    """Whether a Tensor or variable stands anywhere in nested lists."""
    return any(
        holds_tensor(v) if isinstance(v, list | tuple) else isinstance(existing(v), Tensor)
        for v in value
        if type(v) is not int and type(v) is not float
    )


def dtype_within(value: Any) -> DType | None:
    """The dtype of the first Tensor in nested lists."""
    for v in value:
        found = dtype_within(v) if isinstance(v, list | tuple) else getattr(existing(v), "dtype", None)
        if type(found) is DType:
            return found
    return None


def packed(value: Any, dtype: DType | None) -> Tensor:
    """Stack nested lists with Tensors in them; the gradient flows to those. Other leaves become `dtype`."""
    parts = [packed(v, dtype) if isinstance(v, list | tuple) else existing(v) for v in value]
    parts = [p if type(p) is Tensor else to_tensor(p, dtype) for p in parts]
    if not parts:
        return to_tensor([], dtype)
    for part in parts:
        if dtype is not None and part._value.dtype != dtype.numpy_dtype:
            raise TypeError(
                f"Cannot convert a list containing a tensor of dtype {part.dtype.name} to {dtype.name}: {value!r}"
            )
        if part._value.shape != parts[0]._value.shape:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {list(parts[0]._value.shape)} != "
                f"{list(part._value.shape)} [Op:Pack]"
            )
    made: Tensor = stack(*parts, axis=0)
    return made


def to_shape(value: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape given as an int, a sequence of ints or scalar tensors, a `TensorShape` or an integer tensor.

    Raises:
        TypeError: if a size is not an integer.
        ValueError: if a size is unknown.
        InvalidArgumentError: if a size is negative or the tensor has more than one axis.
    """
    if type(value) is tuple and all([type(n) is int and n >= 0 for n in value]):
        return value
    if isinstance(value, TensorShape) and not value.is_fully_defined():
        raise ValueError(f"{name}: cannot convert a partially known TensorShape {value} to a Tensor.")
    sizes = to_integers(value, name)
    for n in sizes:
        if n < 0:
            raise invalid(f"{name}: dimension {n} must be >= 0")
    return sizes


def to_integers(value: Any, name: str) -> tuple[int, ...]:
    """Return whole numbers given as one, as a sequence of them or of scalar tensors, or as an integer tensor.

    Raises:
        TypeError: if one is not an integer.
        InvalidArgumentError: if a tensor has more than one axis.
    """
    value = existing(value)
    if isinstance(value, list | tuple):
        value = [v._value.item() if type(v) is Tensor and not v._value.ndim else v for v in map(existing, value)]
    found = (
        value._value if type(value) is Tensor else to_array(value, None if _is_array(value) else _index_dtype(value))
    )
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, got {value!r}")
    if found.ndim > 1:
        raise invalid(f"{name}: expected a vector of integers, got shape {list(found.shape)}")
    return tuple(found.reshape(-1).tolist())


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or hasattr(value, "__array__")


def _index_dtype(value: Any) -> DType:
    """int32, or int64 where a number does not fit; like TensorFlow, an empty list is int32."""
    leaves = value if isinstance(value, list | tuple) else [value]
    return (
        dtypes.int64 if any(isinstance(v, int) and not _INT32.min <= v <= _INT32.max for v in leaves) else dtypes.int32
    )


def densified_tensor(slices: IndexedSlices) -> Tensor:
    """Return the dense Tensor of sparse rows. Raises ValueError if their dense shape is not known."""
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for which dense_shape is not set: values of shape "
            f"{slices.values.shape} could be rows of a tensor of any height."
        )
    shape = tuple(int(n) for n in np.asarray(slices.dense_shape))
    indices = slices.indices._value if type(slices.indices) is Tensor else slices.indices
    dense: Tensor = densified(IndexedSlices(slices.values, indices, shape))
    return dense


def to_array(value: Any, dtype: DType | None = None) -> Any:
    """Return a NumPy value of our own (never the caller's array) of Python or NumPy data."""
    kind = type(value)
    if dtype is None and kind in _PLAIN:
        if kind is int and not _INT32.min <= value <= _INT32.max:
            return _python_array(value, None)
        if kind is float and abs(value) > _FLOAT32_MAX and value not in (np.inf, -np.inf):
            raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
        return _PLAIN[kind](value)
    if isinstance(value, np.ndarray | np.generic):
        return _numpy_array(value, dtype)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise _unsupported(None)
        return np.array(value.as_list(), dtype=np.int32 if dtype is None else dtype.numpy_dtype)
    if isinstance(value, DType):
        raise _unsupported(value)
    if not isinstance(value, list | tuple | range) and hasattr(value, "__array__"):
        if type(value).__name__ == "KerasTensor":
            raise ValueError(
                "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic "
                "placeholder for a shape and dtype, used when constructing Keras Functional models. Use `keras.ops` "
                "or a Keras layer in its place."
            )
        return _numpy_array(np.asarray(value), dtype)
    return _python_array(value, dtype)


def _numpy_array(value: Any, dtype: DType | None) -> Any:
    kind = value.dtype.kind
    if kind in "SUO":
        return _string_array(value, dtype)
    if kind in "mM":
        name = "DATETIME" if kind == "M" else "TIMEDELTA"
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: NPY_{name}).")
    wanted = dtypes.from_numpy(value.dtype.newbyteorder("=")).numpy_dtype if dtype is None else dtype.numpy_dtype
    if wanted.char == "O":
        raise _no_fit(value, dtype)
    if isinstance(value, np.generic) and value.dtype == wanted:
        return value
    with np.errstate(all="ignore"):
        return np.array(value, dtype=wanted, order="C")[()]


def _string_array(value: Any, dtype: DType | None) -> Any:
    if dtype is not None and dtype is not dtypes.string:
        raise _no_fit(value, dtype)
    flat = [v.encode() if isinstance(v, str) else v for v in np.asarray(value).ravel().tolist()]
    for v in flat:
        if not isinstance(v, bytes):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(v).__name__})."
            )
    made = np.empty(len(flat), dtype=object)
    made[:] = flat
    return made.reshape(np.shape(value))


def _leaves(value: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The leaves of nested lists in order, and their common shape."""
    shape: list[int] = []
    level = [value]
    while any(_is_sequence(v) for v in level):
        if not all(_is_sequence(v) for v in level):
            first = _is_sequence(level[0])
            raise ValueError(
                "Can't convert non-rectangular Python sequence to Tensor."
                if first
                else "Can't convert Python sequence with mixed types to Tensor."
            )
        lengths = {len(v) for v in level}
        if len(lengths) != 1:
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
        shape.append(lengths.pop())
        level = [item for v in level for item in v]
        if not level:
            break
    return level, tuple(shape)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim > 0)


_ORDER: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "b"),
    ((int, np.integer), "i"),
    ((float, np.floating), "f"),
    ((complex, np.complexfloating), "c"),
    ((str, bytes), "s"),
)


def _kind(leaf: Any) -> str:
    for types, letter in _ORDER:
        if isinstance(leaf, types):
            return letter
    if isinstance(leaf, np.ndarray) and leaf.ndim == 0:
        return _kind(leaf[()])
    return "f" if type(leaf).__module__ == "ml_dtypes" else "?"


def _python_array(value: Any, dtype: DType | None) -> Any:
    leaves, shape = _leaves(value)
    if any(isinstance(existing(leaf), Tensor) for leaf in leaves):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    kinds = [_kind(leaf) for leaf in leaves]
    if "?" in kinds:
        if len(leaves) > 1 and kinds[0] != "?":
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
        raise _unsupported(leaves[kinds.index("?")])
    if dtype is None:
        dtype = _inferred(leaves, kinds)
    else:
        _check_fits(value, kinds, dtype)
    if dtype is dtypes.string:
        return _string_array(_objects(leaves).reshape(shape), dtype)
    return _filled(leaves, shape, dtype)


def _inferred(leaves: list[Any], kinds: list[str]) -> DType:
    present = set(kinds)
    if not leaves:
        return dtypes.float32
    if present in ({"s"}, {"c"}, {"b"}):
        found = {"s": dtypes.string, "c": dtypes.complex128, "b": dtypes.bool_}[kinds[0]]
    elif present <= {"i", "b"} and kinds[0] == "i":
        big = any(not _INT32.min <= int(v) <= _INT32.max for v in leaves)
        if big and any(not _INT64.min <= int(v) <= _INT64.max for v in leaves):
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        found = dtypes.int64 if big else dtypes.int32
    elif present <= {"i", "f", "b"} and kinds[0] != "b":
        found = dtypes.float32
        if any(
            isinstance(v, float) and not isinstance(v, np.floating) and _FLOAT32_MAX < abs(v) < np.inf for v in leaves
        ):
            raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
    else:
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if "f" in present or "c" in present:
        own = {v.dtype if isinstance(v, np.generic | np.ndarray) else None for v in leaves}
        if len(own) == 1 and None not in own:
            return dtypes.from_numpy(own.pop())
    return found


_FITS = {"b": "b", "i": "bi", "f": "bif", "c": "bifc", "s": "s"}


def _check_fits(value: Any, kinds: list[str], dtype: DType) -> None:
    letter = "b" if dtype.is_bool else "c" if dtype.is_complex else "s" if dtype is dtypes.string else ""
    letter = letter or ("f" if dtype.is_floating else "i" if dtype.numpy_dtype.kind in "iu" else "")
    allowed = _FITS.get(letter, "")
    if not set(kinds) <= set(allowed):
        raise _no_fit(value, dtype)


def _filled(leaves: list[Any], shape: tuple[int, ...], dtype: DType) -> Any:
    wanted = dtype.numpy_dtype
    with np.errstate(all="ignore"):
        try:
            made = np.array(leaves, dtype=wanted)
        except OverflowError:  # integers wrap around, as a cast from int64 does
            if any(not _INT64.min <= int(v) <= _INT64.max for v in leaves):
                raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.") from None
            made = np.array([int(v) for v in leaves], dtype=np.int64).astype(wanted)
    return made.reshape(shape)[()]


def _objects(leaves: list[Any]) -> Any:
    made = np.empty(len(leaves), dtype=object)
    made[:] = leaves
    return made


def _unsupported(value: Any) -> ValueError:
    return ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a Tensor.")


def _no_fit(value: Any, dtype: DType | None) -> TypeError:
    name = "None" if dtype is None else _NAMES.get(dtype.name, dtype.name)
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")


def mixed_dtypes(op: str, first: Any, second: Any) -> Exception:
    """The error for two tensors that do not have the same dtype."""
    names = [_NAMES.get(n, n) for n in (dtypes.from_numpy(d).name for d in (first, second))]
    return invalid(
        f"cannot compute {op} as input #1(zero-based) was expected to be a {names[0]} tensor but is a {names[1]} tensor "
        f"[Op:{op}]. Use tf.cast to give both the same dtype."
    )
