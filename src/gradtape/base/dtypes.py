"""`DType`: TensorFlow's element types, and their NumPy counterparts."""

from __future__ import annotations

from typing import Any

import numpy as np

_BY_NUMBER: dict[int, DType] = {}


class DType:
    """An element type. There is one object per type, so `is` and `==` agree between them.

    >>> as_dtype("float32")
    tf.float32
    >>> float32 == np.float32
    True
    """

    __slots__ = ("as_datatype_enum", "name", "numpy_dtype")
    name: str
    as_datatype_enum: int
    numpy_dtype: np.dtype[Any]

    def __new__(cls, type_enum: int) -> DType:
        """Return the type of this number in TensorFlow's enumeration."""
        found = _BY_NUMBER.get(type_enum)
        if found is None:
            raise TypeError(f"DType: no element type has the number {type_enum!r}.")
        return found

    def __getattr__(self, name: str) -> Any:
        """Import `ml_dtypes` when one of its types is first asked for its NumPy dtype: it takes a fair time."""
        if name != "numpy_dtype":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        _load_extra()
        return self.numpy_dtype

    def __reduce__(self) -> tuple[Any, ...]:
        return DType, (self.as_datatype_enum,)

    def __deepcopy__(self, memo: Any) -> DType:
        return self

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type; `object` for strings."""
        return object if self.numpy_dtype.char == "O" else self.numpy_dtype.type

    @property
    def size(self) -> int:
        """Bytes per element; 0 where that is not fixed."""
        return 0 if self.numpy_dtype.char == "O" else self.numpy_dtype.itemsize

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def is_floating(self) -> bool:
        """Whether this is a non-quantized floating type."""
        return self in _FLOATING

    @property
    def is_integer(self) -> bool:
        """Whether this is a non-quantized integer type; bool is not."""
        return self.numpy_dtype.kind in "iu" and not self.is_quantized

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return self.numpy_dtype.kind == "c"

    @property
    def is_bool(self) -> bool:
        """Whether this is bool."""
        return self is bool_

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an unsigned integer type."""
        return self.numpy_dtype.kind == "u" and not self.is_quantized

    @property
    def is_quantized(self) -> bool:
        """Whether this is a quantized type."""
        return self in QUANTIZED_DTYPES

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic makes sense."""
        return self.is_floating or self.is_integer or self.is_complex or self.is_quantized

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy can hold it."""
        return self not in (resource, variant)

    @property
    def min(self) -> Any:
        """The least finite value."""
        return self._extreme("min", "minimum")

    @property
    def max(self) -> Any:
        """The greatest finite value."""
        return self._extreme("max", "maximum")

    def _extreme(self, which: str, word: str) -> Any:
        if self.is_floating:
            from ml_dtypes import finfo

            return getattr(finfo(self.numpy_dtype), which)  # type: ignore[no-untyped-call]
        if self.numpy_dtype.kind in "iu":
            return int(getattr(np.iinfo(self.numpy_dtype), which))
        raise TypeError(f"Cannot find {word} value of {self} with type {self}.")

    @property
    def limits(self) -> tuple[int, int]:
        """The range of pixel values: (0, 1) for floating types, the range of the type for integers."""
        if self.is_integer:
            return (0 if self.is_unsigned else self.min, self.max)
        return (0, 1)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the other type is this one."""
        return as_dtype(other) is self

    def is_subtype_of(self, other: Any) -> bool:
        """Whether the other type is this one."""
        return type(other) is DType and other is self

    def most_specific_common_supertype(self, others: Any) -> DType | None:
        """This type if all others are it, else None."""
        return self if all(other is self for other in others) else None


def _define(name: str, number: int, numpy_type: Any = np.object_) -> DType:
    made = object.__new__(DType)
    made.name, made.as_datatype_enum = name, number
    if numpy_type is not None:
        made.numpy_dtype = np.dtype(numpy_type)
    _BY_NUMBER[number] = made
    return made


float32 = _define("float32", 1, np.float32)
float64 = double = _define("float64", 2, np.float64)
int32 = _define("int32", 3, np.int32)
uint8 = _define("uint8", 4, np.uint8)
int16 = _define("int16", 5, np.int16)
int8 = _define("int8", 6, np.int8)
string = _define("string", 7)
complex64 = _define("complex64", 8, np.complex64)
int64 = _define("int64", 9, np.int64)
bool_ = _define("bool", 10, np.bool_)
qint8 = _define("qint8", 11, np.int8)
quint8 = _define("quint8", 12, np.uint8)
qint32 = _define("qint32", 13, np.int32)
bfloat16 = _define("bfloat16", 14, None)
qint16 = _define("qint16", 15, np.int16)
quint16 = _define("quint16", 16, np.uint16)
uint16 = _define("uint16", 17, np.uint16)
complex128 = _define("complex128", 18, np.complex128)
float16 = half = _define("float16", 19, np.float16)
resource = _define("resource", 20)
variant = _define("variant", 21)
uint32 = _define("uint32", 22, np.uint32)
uint64 = _define("uint64", 23, np.uint64)
float8_e5m2 = _define("float8_e5m2", 24, None)
float8_e4m3fn = _define("float8_e4m3fn", 25, None)

QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32])
_FLOATING = frozenset([float16, float32, float64, bfloat16, float8_e5m2, float8_e4m3fn])
_EXTRA = (bfloat16, float8_e5m2, float8_e4m3fn)
"""What NumPy lacks, and `ml_dtypes` has."""
_EXTRA_NAMES = frozenset(d.name for d in _EXTRA)
_PLAIN = [d for d in _BY_NUMBER.values() if d not in QUANTIZED_DTYPES and d not in _EXTRA]
_BY_NUMPY = {d.numpy_dtype: d for d in _PLAIN if d.numpy_dtype.char != "O"}
_BY_TYPE: dict[Any, DType] = {d.numpy_dtype.type: d for d in _BY_NUMPY.values()}
_BY_TYPE |= {float: float32, bool: bool_, object: string}
_BY_NAME = {d.name: d for d in _BY_NUMBER.values()} | {"half": float16, "double": float64, "float": float32}


def _load_extra() -> None:
    import ml_dtypes

    for d in _EXTRA:
        d.numpy_dtype = np.dtype(getattr(ml_dtypes, d.name))
        _BY_NUMPY[d.numpy_dtype] = _BY_TYPE[d.numpy_dtype.type] = d


def _is_extra(numpy_type: Any) -> bool:
    return getattr(numpy_type, "__module__", None) == "ml_dtypes"


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """Return the DType of a NumPy dtype; strings and objects are `string`."""
    found = _BY_NUMPY.get(dtype)
    if found is None and _is_extra(dtype.type):
        _load_extra()
        found = _BY_NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "SUO":
        return string
    raise _unknown(dtype)


def as_dtype(type_value: Any) -> DType:
    """Return the DType that a DType, NumPy dtype or type, name, `float`, `bool` or TensorFlow's number stands for.

    >>> as_dtype(np.float64), as_dtype("half"), as_dtype(float)
    (tf.float64, tf.float16, tf.float32)

    Raises:
        TypeError: for anything else, among it `int` and `complex`, whose width is not clear.
    """
    if type(type_value) is DType:
        return type_value
    if isinstance(type_value, np.dtype):
        return from_numpy(type_value)
    try:
        found = _BY_TYPE.get(type_value) or _BY_NAME.get(type_value)
        if found is None and _is_extra(type_value):
            _load_extra()
            found = _BY_TYPE.get(type_value)
        if found is None and type(type_value) is int:
            found = _BY_NUMBER.get(type_value)
    except TypeError:  # unhashable
        found = None
    if found is None and isinstance(type_value, type) and issubclass(type_value, np.str_ | np.bytes_):
        found = string
    if found is None:
        raise _unknown(type_value)
    return found


def _unknown(value: Any) -> TypeError:
    return TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")


def is_differentiable(dtype: np.dtype[Any]) -> bool:
    """Whether gradients flow through values of this NumPy dtype: floating and complex ones.

    >>> is_differentiable(np.dtype("float32")), is_differentiable(np.dtype("int32"))
    (True, False)
    """
    return dtype.kind in "fc" or (_is_extra(dtype.type) and dtype.type.__name__ in _EXTRA_NAMES)
