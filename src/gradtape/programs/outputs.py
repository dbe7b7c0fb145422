"""What a function returns: a structure of tensors, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.base import nest
from gradtape.core.cell import Cell
from gradtape.core.convert import existing, to_tensor
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor


class Structure:
    """The structure of a result. `tensors` are those of the call that it was made from."""

    __slots__ = ("leaves", "pack", "template", "tensors")

    def __init__(self, result: Any, name: str) -> None:
        self.template = result
        self.tensors: list[Tensor] = []
        self.leaves = [self._leaf(leaf, name) for leaf in nest.flatten(result)]
        flat = self.leaves == list(range(len(self.leaves)))
        within = any(map(nest.is_nested, result)) if type(result) in (list, tuple) else False
        self.template = nest.map_structure(lambda leaf: None, result)
        self.pack: Callable[[Sequence[Tensor]], Any] = self._packed
        if not nest.is_nested(result) and flat:
            self.pack = _only
        elif type(result) in (list, tuple) and flat and not within:
            self.pack = type(result)

    def _leaf(self, leaf: Any, name: str) -> Any:
        if leaf is None:
            return None
        if (parts := parts_of(leaf)) is not None:
            return type(leaf), [self._leaf(part, name) for part in parts]
        if isinstance(leaf, Cell):
            leaf = leaf._read()
        elif type(leaf) is not Tensor:
            leaf = _converted(leaf, name)
        self.tensors.append(leaf)
        return len(self.tensors) - 1

    def _packed(self, tensors: Sequence[Tensor]) -> Any:
        found = [self._filled(leaf, tensors) for leaf in self.leaves]
        return nest.pack_sequence_as(self.template, found) if nest.is_nested(self.template) else found[0]

    def _filled(self, leaf: Any, tensors: Sequence[Tensor]) -> Any:
        if type(leaf) is tuple:
            return leaf[0](*[self._filled(part, tensors) for part in leaf[1]])
        return None if leaf is None else tensors[leaf]


def parts_of(leaf: Any) -> tuple[Any, Any, Any] | None:
    """The tensors that sparse rows, or a sparse tensor, are made of, in the order of their constructors."""
    if type(leaf) is IndexedSlices:
        return leaf.values, leaf.indices, leaf.dense_shape
    if type(leaf).__name__ == "SparseTensor":
        return leaf.indices, leaf.values, leaf.dense_shape
    return None


def _only(tensors: Sequence[Tensor]) -> Tensor:
    return tensors[0]


def _converted(leaf: Any, name: str) -> Tensor:
    try:
        return to_tensor(existing(leaf))
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {name}, found return value of type {type(leaf).__name__}, which is not a "
            "Tensor or ExtensionType."
        ) from None
