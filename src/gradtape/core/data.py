"""Python and NumPy data as arrays of our own, by TensorFlow's rules for dtypes and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.dtypes import DType
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.recorder import FLOATING_POINT, QUIET

_NAMES = {"float32": "float", "float64": "double", "float16": "half"}
_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_SCALARS = {float: np.float32, int: np.int32, bool: np.bool_}

# Python numbers that every dtype of these kinds holds, and that so need no closer look.
_SMALL = 128
_DIRECT = {float: "f", int: "if", bool: "b"}

PLAIN = frozenset([bool, int, float, complex, str, bytes])
"""The types of leaves that need no closer look."""

# One letter per kind of leaf, and the letters that fit where the first leaf, or the dtype wanted, is of that kind.
_LETTERS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool,), "b"),
    ((np.bool_,), "B"),
    ((int, np.integer), "i"),
    ((float, np.floating), "f"),
    ((complex, np.complexfloating), "c"),
    ((str, bytes), "s"),
)
_FITS = {"b": "bB", "B": "bB", "i": "bi", "f": "bif", "c": "bifc", "s": "s", "": ""}

MIXED = "Can't convert Python sequence with mixed types to Tensor."
RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
TOO_LARGE = "Can't convert Python sequence with out-of-range integer to Tensor."


def to_array(value: Any, dtype: DType | None = None) -> Any:
    """Return a NumPy value of our own (never the caller's array) of Python or NumPy data.

    Args:
        value: a scalar, an array, nested sequences of them, or what has `__array__`.
        dtype: the dtype wanted. None infers it: the array's own; of Python data that of the first leaf, float32,
            int32 (int64 if need be), bool, complex128 or string.

    Raises:
        ValueError: if the data is ragged or mixed, out of range, or of a type that is no data.
        TypeError: if Python data does not fit `dtype`.
    """
    kind = type(value)
    if kind in _SCALARS:
        if dtype is None:
            return _from_scalar(value, kind)
        if dtype.numpy_dtype.kind in _DIRECT[kind] and -_SMALL < value < _SMALL:
            return dtype.numpy_dtype.type(value)
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(value, dtype)
    if type(value).__name__ == "KerasTensor":
        raise ValueError(
            "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic placeholder "
            "for a shape and dtype, used when constructing Keras Functional models. Use `keras.ops` or a Keras layer."
        )
    if hasattr(value, "__array__") and not _is_sequence(value):
        return _from_numpy(np.asarray(value), dtype)
    if isinstance(value, list | tuple) and _are_alike(value):
        return _from_alike(np.stack(value), dtype, value)
    leaves, shape, kinds = _flattened(value)
    return _from_leaves(leaves, shape, kinds, dtype, value)


def _from_scalar(value: Any, kind: type) -> Any:
    if kind is int and not _INT32.min <= value <= _INT32.max:
        return _from_leaves([value], (), {int}, None, value)
    if kind is float and _FLOAT32_MAX < abs(value) < np.inf:
        raise _out_of_range()
    return _SCALARS[kind](value)


def no_fit(value: Any, dtype: DType | None) -> TypeError:
    """The error for a value that has no place in a dtype."""
    name = "None" if dtype is None else dtype_name(dtype)
    return TypeError(f"Cannot convert {value!r} to a Tensor of dtype {name}")


def dtype_name(dtype: DType) -> str:
    """What TensorFlow's errors call a dtype."""
    return _NAMES.get(dtype.name, dtype.name)


def _unsupported(value: Any) -> ValueError:
    return ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a Tensor.")


def _out_of_range() -> ValueError:
    return ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")


# Arrays.


def _from_numpy(value: Any, dtype: DType | None) -> Any:
    if value.dtype.kind in "SUO":
        return _strings(value, dtype)
    if value.dtype.kind in "mM" or value.dtype.names is not None or not _is_known(value.dtype):
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {value.dtype}).")
    wanted = value.dtype.newbyteorder("=") if dtype is None else dtype.numpy_dtype
    if wanted.char == "O":
        raise no_fit(value, dtype)
    if isinstance(value, np.generic) and value.dtype == wanted:
        return value
    if value.dtype.kind == "c" and wanted.kind not in "cb":
        value = value.real
    with np.errstate(all="ignore"):
        return np.array(value, dtype=wanted, order="C")[()]


def _is_known(dtype: np.dtype[Any]) -> bool:
    try:
        dtypes.from_numpy(dtype.newbyteorder("="))
    except TypeError:
        return False
    return True


def _strings(value: Any, dtype: DType | None) -> Any:
    if dtype is not None and dtype is not dtypes.string:
        raise no_fit(value, dtype)
    flat = [v.encode() if isinstance(v, str) else v for v in value.ravel().tolist()]
    for v in flat:
        if not isinstance(v, bytes):
            kind = type(v).__name__
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind}).")
    return _objects(flat, value.shape)


def _objects(leaves: list[Any], shape: tuple[int, ...]) -> Any:
    made = np.empty(len(leaves), dtype=object)
    made[:] = leaves
    return made.reshape(shape)


# Sequences of arrays of one shape and dtype: as nested sequences, but without a look at each leaf.


def _are_alike(value: Sequence[Any]) -> bool:
    first = value[0] if value else None
    if type(first) is not np.ndarray or first.size < 2 or set(map(type, value)) != {np.ndarray}:
        return False
    return all(v.shape == first.shape and v.dtype == first.dtype for v in value)


def _from_alike(value: Any, dtype: DType | None, given: Any) -> Any:
    letter = _letter(value.dtype.type)
    if value.dtype.kind in "SUO" or not letter:
        return _from_numpy(value, dtype)
    if dtype is None:
        ends = [value.min(), value.max()] if letter == "i" else [value.flat[0]]
        dtype = _inferred(ends, letter, {letter})
    elif letter not in _FITS[_letter_of(dtype)]:
        raise no_fit(given, dtype)
    return _from_numpy(value, dtype)


# Nested sequences.


def _is_sequence(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence | TensorShape | memoryview | bytearray) and not isinstance(value, str | bytes)


def _flattened(value: Any) -> tuple[list[Any], tuple[int, ...], set[type]]:
    """The leaves of nested sequences in order, their common shape, and their types."""
    shape: list[int] = []
    level = [value]
    while not (kinds := set(map(type, level))) <= PLAIN:
        nested = [_is_sequence(v) for v in level]
        if not any(nested):
            level = [v[()] if isinstance(v, np.ndarray) else v for v in level]
            return level, tuple(shape), set(map(type, level))
        if not all(nested):
            raise ValueError(RAGGED if nested[0] else MIXED)
        sizes = {len(v) for v in level}
        if len(sizes) > 1:
            raise ValueError(RAGGED)
        shape.append(sizes.pop())
        level = [item for v in level for item in v]
        if not level:
            break
    return level, tuple(shape), kinds


def _letter(kind: type) -> str:
    for types, letter in _LETTERS:
        if issubclass(kind, types):
            return letter
    return "f" if kind.__module__ == "ml_dtypes" else ""


def _from_leaves(leaves: list[Any], shape: tuple[int, ...], kinds: set[type], dtype: DType | None, value: Any) -> Any:
    letters = {kind: _letter(kind) for kind in kinds} if leaves else {}
    for leaf in leaves if "" in letters.values() else ():
        if not letters[type(leaf)]:
            raise _unsupported(leaf) if leaf is leaves[0] else ValueError(MIXED)
    present = set(letters.values())
    inferred = dtype is None
    if dtype is None:
        dtype = _inferred(leaves, letters[type(leaves[0])], present) if leaves else dtypes.float32
    elif not present <= set(_FITS[_letter_of(dtype)]):
        raise no_fit(value, dtype)
    if dtype is dtypes.string:
        return _objects([v.encode() if isinstance(v, str) else bytes(v) for v in leaves], shape)
    token = FLOATING_POINT.set(QUIET)
    try:
        made = _numbers(leaves, dtype.numpy_dtype)
        if inferred and dtype is dtypes.float32 and not math.isfinite(np.dot(made, made)):
            _check_range(leaves)
    finally:
        FLOATING_POINT.reset(token)
    return made.reshape(shape)[()]


def _letter_of(dtype: DType) -> str:
    if dtype is dtypes.string:
        return "s"
    return {"f": "f", "V": "f", "i": "i", "u": "i", "b": "b", "c": "c"}.get(dtype.numpy_dtype.kind, "")


def _inferred(leaves: list[Any], first: str, present: set[str]) -> DType:
    """The dtype of Python data: that of the first leaf, but integers become float32 where a float follows."""
    if first == "i" and "f" in present:
        first = "f"
        own = None
    else:
        own = getattr(leaves[0], "dtype", None)
    if not present <= set(_FITS[first]):
        raise ValueError(MIXED)
    if first == "f":
        return dtypes.float32 if own is None else dtypes.from_numpy(own)
    if first == "i":
        small = all(_INT32.min <= v <= _INT32.max for v in (min(leaves), max(leaves)))
        return dtypes.int32 if small else dtypes.int64
    return {"b": dtypes.bool_, "B": dtypes.bool_, "c": dtypes.complex128, "s": dtypes.string}[first]


def _check_range(leaves: list[Any]) -> None:
    if any(type(v) is float and _FLOAT32_MAX < abs(v) < np.inf for v in leaves):
        raise _out_of_range()


def _numbers(leaves: list[Any], wanted: np.dtype[Any]) -> Any:
    try:
        return np.array(leaves, dtype=wanted)
    except OverflowError:
        pass
    if wanted.kind in "fV":  # Python integers beyond all floats
        large = float(np.finfo(np.float64).max)
        return np.array([math.inf if v > large else -math.inf if v < -large else v for v in leaves], dtype=wanted)
    try:
        return np.array(leaves, dtype=np.int64).astype(wanted)  # integers wrap around
    except OverflowError:
        raise ValueError(TOO_LARGE) from None
