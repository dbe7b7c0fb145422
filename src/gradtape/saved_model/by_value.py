"""Pickles that carry the code of a program: functions and classes that another process could not import.

What belongs to `__main__`, or was made inside of a function, goes by value: code, closures, and the globals that the
code names. All else goes by its name, as in any pickle. Code is that of one version of Python, and loading it runs it.
"""

from __future__ import annotations

import dis
import marshal
import pickle
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

NO_CLASS_ATTRIBUTES = frozenset(
    ["__dict__", "__weakref__", "__slots__", "__module__", "__qualname__", "__abstractmethods__", "_abc_impl"]
)


class Pickler(pickle.Pickler):
    """Writes objects with the functions and classes they need."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=5)
        self._namespaces: dict[int, dict[str, Any]] = {}  # empty ones, one for each that functions share

    def reducer_override(self, value: Any) -> Any:
        """How to write an object that goes by value; `NotImplemented` for all others."""
        if isinstance(value, FunctionType):
            return NotImplemented if _importable(value) else self._function(value)
        if isinstance(value, type):
            return NotImplemented if _importable(value) else _class(value)
        if isinstance(value, ModuleType):
            return import_module, (value.__name__,)
        if isinstance(value, property):
            return property, (value.fget, value.fset, value.fdel, value.__doc__)
        if isinstance(value, staticmethod | classmethod):
            return type(value), (value.__func__,)
        return NotImplemented

    def _function(self, value: FunctionType) -> Any:
        space = self._namespaces.setdefault(id(value.__globals__), {"__name__": value.__module__})
        cells = value.__closure__ or ()
        names = {name for name in _global_names(value.__code__) if name in value.__globals__}
        state = {
            "globals": {name: value.__globals__[name] for name in sorted(names)},
            "cells": [_contents(cell) for cell in cells],
            "attributes": {
                "__defaults__": value.__defaults__,
                "__kwdefaults__": value.__kwdefaults__,
                "__name__": value.__name__,
                "__qualname__": value.__qualname__,
                "__module__": value.__module__,
                "__doc__": value.__doc__,
            },
            "dict": dict(value.__dict__),
        }
        return _make_function, (marshal.dumps(value.__code__), space, len(cells)), state, None, None, _fill_function


def _class(value: type) -> Any:
    first = {"__module__": value.__module__, "__qualname__": value.__qualname__}
    if "__slots__" in vars(value):
        first["__slots__"] = vars(value)["__slots__"]
    slots = first.get("__slots__", ())
    left_out = NO_CLASS_ATTRIBUTES.union([slots] if isinstance(slots, str) else slots)
    state = {k: v for k, v in vars(value).items() if k not in left_out and not k.startswith("__annot")}
    return _make_class, (type(value), value.__name__, value.__bases__, first), state, None, None, _fill_class


def _importable(value: Any) -> bool:
    """Whether another process finds this very object under its name."""
    module = sys.modules.get(value.__module__)
    if module is None or value.__module__ == "__main__":
        return False
    found: Any = module
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _global_names(code: CodeType) -> Iterator[str]:
    """The names of globals that code, and code inside of it, reads."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _contents(cell: CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # nothing yet
        return ()


def _make_function(code: bytes, space: dict[str, Any], cells: int) -> FunctionType:
    return FunctionType(marshal.loads(code), space, None, None, tuple([CellType() for _ in range(cells)]))


def _fill_function(function: FunctionType, state: dict[str, Any]) -> None:
    for name, value in state["globals"].items():
        function.__globals__.setdefault(name, value)
    for cell, contents in zip(function.__closure__ or (), state["cells"], strict=True):
        if contents:
            cell.cell_contents = contents[0]
    for name, value in state["attributes"].items():
        setattr(function, name, value)
    function.__dict__.update(state["dict"])


def _make_class(meta: Callable[..., type], name: str, bases: tuple[type, ...], first: dict[str, Any]) -> type:
    return meta(name, bases, dict(first))


def _fill_class(made: type, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(made, name, value)
