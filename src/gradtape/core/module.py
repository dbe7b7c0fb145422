"""`Module`: an object that finds the variables in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradtape.base import nest
from gradtape.core.cell import Cell
from gradtape.core.name_scope import current, name_scope
from gradtape.core.variable import Variable


def _snake_case(name: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


class Module:
    """A base for models: `variables`, `trainable_variables` and `submodules` are found in the attributes.

    Attributes are looked through in the order of their names, lists in order and dicts by sorted keys; then the same in
    each module found.

    >>> import gradtape as tf
    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable(2.0, name="w")
    ...         self.b = tf.Variable(1.0, name="b")
    >>> [v.name for v in Line().trainable_variables]
    ['b:0', 'w:0']

    Raises:
        ValueError: for a name that is not a Python identifier.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a "
                "valid class name)."
            )
        self._name = name
        self._scope_name = current(name)

    @property
    def name(self) -> str:
        """The name given, or the class name in snake case."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A scope for the names of variables made in methods."""
        return name_scope(self._scope_name + "/")

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables, each once."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and v.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are not trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and not v.trainable))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules below this one."""
        return tuple(self._flatten(predicate=lambda m: isinstance(m, Module)))

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method so that it runs in the module's name scope."""

        @functools.wraps(method)
        def wrapped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return wrapped

    def _flatten(self, recursive: bool = True, predicate: Callable[[Any], bool] | None = None) -> Iterator[Any]:
        """What is found in the attributes and passes the predicate, level by level, each object once."""
        seen = {id(self)}
        pending: list[Module] = [self]
        while pending:
            below: list[Module] = []
            for module in pending:
                for leaf in _leaves(module):
                    if id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                    if predicate is None or predicate(leaf):
                        yield leaf
                    if recursive and isinstance(leaf, Module):
                        below.append(leaf)
            pending = below


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable) or (
        hasattr(type(value), "__gradtape_variable__") and hasattr(value, "trainable")
    )


def _leaves(module: Module) -> Iterator[Any]:
    for name, value in sorted(vars(module).items()):
        if name in ("_name", "_scope_name"):
            continue
        for leaf in nest.flatten(value) if _sortable(value) else [value]:
            if isinstance(leaf, Cell):
                yield leaf._cell
            else:
                yield from getattr(leaf, "weights", [leaf]) if _is_layer(leaf) else [leaf]


def _is_layer(leaf: Any) -> bool:
    """Whether this is a layer of Keras, which has variables without being a Module."""
    return type(leaf).__module__.startswith("keras.") and hasattr(leaf, "weights")


def _sortable(value: Any) -> bool:
    try:
        nest.flatten(value)
    except TypeError:
        return False
    return True
