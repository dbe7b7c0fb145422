"""The structure of a dataset's elements: tuples and dicts of raw values; functions of the user's own see Tensors.

Lists are values, as in TensorFlow: `[1, 2]` is a vector. A component may also be a dataset (of a window).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradtape.base.dtypes import from_numpy
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import settled
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, wrap
from gradtape.programs.overhearing import Overhearing
from gradtape.programs.spec import TensorSpec

Element = Any


_LEAF: dict[type, bool] = {np.ndarray: True, Tensor: True, tuple: False, dict: False}
"""Whether a type is that of a component. Asked for each component of each element, and `isinstance` is slow."""


def is_leaf(kind: type) -> bool:
    """Whether this is the type of a component, not that of a structure."""
    found = _LEAF.get(kind)
    if found is None:
        found = _LEAF[kind] = not issubclass(kind, tuple | Mapping)
    return found


def mapped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Apply a function to the components at the same place of structures that are alike."""
    kind = type(first)
    if is_leaf(kind):
        return function(first, *others)
    if isinstance(first, Mapping):
        return {key: mapped(function, part, *[o[key] for o in others]) for key, part in first.items()}
    if others:
        parts = [mapped(function, *same) for same in zip(first, *others, strict=True)]
    else:
        parts = [function(part) if is_leaf(type(part)) else mapped(function, part) for part in first]
    return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)


def components(structure: Any) -> list[Any]:
    """The components in order."""
    found: list[Any] = []
    mapped(found.append, structure)
    return found


_DATASET: dict[type, bool] = {}


def is_dataset(value: Any) -> bool:
    """Whether a component is a dataset itself."""
    found = _DATASET.get(type(value))
    if found is None:
        found = _DATASET[type(value)] = hasattr(type(value), "as_numpy_iterator")
    return found


def raw_value(value: Any) -> Any:
    """The raw value of one component. Raises as `to_tensor` if it is no data."""
    if type(value) is Tensor:
        return settled(value)
    if value is None or is_dataset(value):
        return value
    return settled(to_tensor(existing(value)))


def element(structure: Any) -> Element:
    """The element for what a user's function returned."""
    return mapped(raw_value, tuple(structure) if type(structure) is list else structure)


def _tensor(value: Any) -> Any:
    return value if value is None or is_dataset(value) else wrap(value)


def tensors(found: Element) -> Any:
    """The element with Tensors in it, as users see it."""
    return mapped(_tensor, found)


def call(function: Callable[..., Any], found: Element) -> Any:
    """Call a user's function with an element, a tuple's parts as arguments. No tape or capture hears of it."""
    given = tensors(found)
    return aside(function, *given) if type(given) is tuple else aside(function, given)


def aside(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function that no tape or capture hears of; what overhears external calls goes on."""
    recorders, capture = STATE.recorders, STATE.capture
    STATE.recorders, STATE.capture = (), None
    if isinstance(capture, Overhearing):
        STATE.recorders, STATE.capture = (capture,), capture
    try:
        return function(*args)
    finally:
        STATE.recorders, STATE.capture = recorders, capture


class DatasetSpec:
    """What is known of a dataset that is a component of elements: what its own elements are like."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(str(self.element_spec))


def spec_of(found: Element) -> Any:
    """The structure of specs that one element fits."""
    return mapped(_spec, found)


def _spec(value: Any) -> Any:
    if value is None:
        return None
    return DatasetSpec(value.element_spec) if is_dataset(value) else TensorSpec(value.shape, from_numpy(value.dtype))


def with_first(spec: Any, size: int | None) -> Any:
    """The specs of batches of this many elements."""
    first = TensorShape([size])
    return mapped(lambda s: TensorSpec(first.concatenate(s.shape), s.dtype) if isinstance(s, TensorSpec) else s, spec)


def without_first(spec: Any) -> Any:
    """The specs of the rows of batches."""
    return mapped(lambda s: TensorSpec(s.shape[1:], s.dtype) if isinstance(s, TensorSpec) else s, spec)


def joined(one: Any, two: Any) -> Any:
    """The specs that elements of both specs fit: sizes that differ are unknown."""
    return mapped(_joined, one, two)


def _joined(one: Any, two: Any) -> Any:
    if not isinstance(one, TensorSpec) or not isinstance(two, TensorSpec) or one.shape.rank != two.shape.rank:
        return one
    if one.shape.rank is None:
        return one
    sizes = zip(one.shape.as_list(), two.shape.as_list(), strict=True)
    return TensorSpec([a if a == b else None for a, b in sizes], one.dtype)
