"""`TensorSpec`: the shape and dtype that an argument must have."""

from __future__ import annotations

from typing import Any

from gradtape.base.dtypes import DType, as_dtype, float32
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import to_tensor


class TensorSpec:
    """The shape and dtype that an argument of a `function` must have.

    >>> import gradtape as tf
    >>> tf.TensorSpec([None, 2], tf.float32)
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = TensorShape(shape), as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Make the spec of a tensor."""
        found = to_tensor(tensor)
        return cls(found.shape, found.dtype, name)

    @property
    def shape(self) -> TensorShape:
        """The shape, in which sizes may be unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._name

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor or spec has this dtype and fits this shape."""
        found = other if isinstance(other, TensorSpec) else to_tensor(other)
        return found.dtype is self._dtype and self._shape.is_compatible_with(found.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self._shape, self._dtype) == (other._shape, other._dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))
