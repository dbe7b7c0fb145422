"""What a call of a function is captured for: the structure of its arguments, and all but the values of tensors."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from gradtape.base import nest
from gradtape.base.dtypes import DType
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.cell import Cell
from gradtape.core.convert import to_tensor
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor
from gradtape.ops.shaping import identity
from gradtape.programs.outputs import parts_of
from gradtape.programs.spec import TensorSpec

BY_VALUE = (Enum, str, bytes, type(None), type(...), DType, TensorShape, TensorSpec, range, slice)


class Signature:
    """The key of a call, its tensors in order, and the objects that it is about."""

    __slots__ = ("key", "objects", "tensors")

    def __init__(self, arguments: Any) -> None:
        self.tensors: list[Tensor] = []
        self.objects: list[Any] = []
        self.key = self._key(arguments)

    def _key(self, value: Any) -> Any:
        kind = type(value)
        if kind is Tensor:
            array = value._value
            self.tensors.append(value)
            return array.dtype, array.shape
        if kind is tuple or kind is list:
            return kind, tuple([self._key(v) for v in value])
        if kind is int or kind is bool:
            return kind, value
        if kind is float:
            return kind, value.hex()
        if kind is complex:
            return kind, value.real.hex(), value.imag.hex()
        if isinstance(value, BY_VALUE):
            return kind, str(value) if kind in (TensorShape, slice) else value
        if isinstance(value, np.ndarray | np.generic):
            return self._key(to_tensor(value))
        if isinstance(value, Mapping):
            names = nest.sorted_keys(value)
            named = tuple([(k, self._key(value[k])) for k in names])
            return (kind, named) if names == list(value) else (kind, named, tuple(value))
        if isinstance(value, tuple | list) or hasattr(kind, "__attrs_attrs__"):
            return kind, tuple([self._key(v) for v in nest.children(value)])
        if (parts := parts_of(value)) is not None:
            return kind, self._key(parts)
        if isinstance(value, Cell):
            value = value._cell
        self.objects.append(value)
        return kind, id(value)

    def fresh(self) -> Signature:
        """The same with a handle for each tensor that nothing else goes by; whoever listens knows where it is from."""
        made = Signature.__new__(Signature)
        made.key, made.objects = self.key, self.objects
        made.tensors = (
            [identity(t) for t in self.tensors] if STATE.recorders else [Tensor(t._value) for t in self.tensors]
        )
        return made

    def rebuilt(self, arguments: Any) -> Any:
        """The arguments with their tensors, in order, replaced by those of this signature, arrays converted."""
        return _rebuilt(arguments, iter(self.tensors))


def _rebuilt(value: Any, tensors: Any) -> Any:
    kind = type(value)
    if kind is Tensor or isinstance(value, np.ndarray | np.generic):
        return next(tensors)
    if (parts := parts_of(value)) is not None:
        return kind(*_rebuilt(parts, tensors))
    if nest.is_nested(value):
        return nest.rebuild(value, [_rebuilt(v, tensors) for v in nest.children(value)])
    return value


class Held:
    """The objects of a signature, held weakly where possible: when one dies, its signature means nothing any more."""

    __slots__ = ("references",)

    def __init__(self, objects: list[Any], died: Any) -> None:
        self.references: list[Any] = []
        for value in objects:
            try:
                self.references.append(weakref.ref(value, died))
            except TypeError:
                self.references.append(value)
