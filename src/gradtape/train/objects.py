"""The variables of a program's objects, by the path of attributes, keys and positions that leads to each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradtape.core.cell import Cell
from gradtape.core.module import Module
from gradtape.data.iterator import Iterator as DataIterator
from gradtape.random import Generator

VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


def is_variable(value: Any) -> bool:
    """Whether this is a variable, of ours or of Keras."""
    return isinstance(value, Cell | Position) or hasattr(type(value), "__gradtape_variable__")


def is_keras(value: Any) -> bool:
    """Whether this is a layer, optimizer or metric of Keras, or derived from one."""
    return any(kind.__module__.startswith("keras.") for kind in type(value).__mro__) and hasattr(value, "variables")


def is_trackable(value: Any) -> bool:
    """Whether this is or may have variables."""
    return is_variable(value) or isinstance(value, CONTAINERS) or is_keras(value)


class Tracked:
    """An object whose attributes hold what is to be saved."""


CONTAINERS = (Module, list, tuple, Mapping, Tracked, DataIterator, Generator)


class Position:
    """Where an iterator over a dataset stands, as a variable."""

    name = "position"

    def __init__(self, iterator: DataIterator) -> None:
        self._iterator = iterator

    def numpy(self) -> Any:
        """How many elements it has given."""
        return np.int64(self._iterator._count)

    def assign(self, value: Any) -> None:
        """Go on after that many elements."""
        self._iterator._go_to(int(value))


def named_variables(root: Any) -> dict[str, Any]:
    """The variables below an object, each once, by the shortest path to it.

    Modules, layers and `Checkpoint`s are walked by attributes, lists by position, dicts by key. Optimizers and metrics
    are lists of their variables, whose names depend on what else there is. A random generator has its state, an
    iterator over a dataset its position.
    """
    found: dict[str, Any] = {}
    seen = {id(root)}
    pending = deque([("", root)])
    while pending:
        path, value = pending.popleft()
        if is_variable(value):
            found[f"{path}/{VALUE}" if path else VALUE] = value
            continue
        for name, child in _children(value):
            child = child._cell if isinstance(child, Cell) else child
            if is_trackable(child) and id(child) not in seen:
                seen.add(id(child))
                pending.append((f"{path}/{name}" if path else name, child))
    return found


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((str(key), child) for key, child in value.items())
    elif isinstance(value, list | tuple):
        yield from ((str(i), child) for i, child in enumerate(value))
    elif isinstance(value, DataIterator):
        yield "position", Position(value)
    elif isinstance(value, Generator):
        yield "state", value.state
    elif is_keras(value):
        yield from _keras_children(value)
    else:
        yield from sorted(vars(value).items())


def _keras_children(value: Any) -> Iterator[tuple[str, Any]]:
    """The layers below a layer, the weights and variables that are its own, and a model's optimizer."""
    if not hasattr(value, "weights"):
        yield from ((f"variables/{i}", child) for i, child in enumerate(value.variables))
        return
    names = {id(child): name.lstrip("_") for name, child in vars(value).items()}
    below: set[int] = set()
    for i, layer in enumerate(value._flatten_layers(include_self=False, recursive=False)):
        below.update(map(id, layer.weights))
        yield names.get(id(layer), f"layers/{i}"), layer
    used: dict[str, int] = {}
    for weight in value.weights:
        if id(weight) not in below:
            name = names.get(id(weight), weight.name.removesuffix(":0"))
            used[name] = used.get(name, -1) + 1
            yield f"{name}_{used[name]}" if used[name] else name, weight
    yield from ((name, child) for name, child in vars(value).items() if isinstance(child, Cell | Module))
    if getattr(value, "optimizer", None) is not None:
        yield "optimizer", value.optimizer
