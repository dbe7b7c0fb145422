"""`BoundFunction`: a function as the method of an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.programs.concrete import ConcreteFunction


class BoundFunction:
    """A function as the method of an object."""

    def __init__(self, function: Any, instance: Any) -> None:
        self._function, self._instance = function, instance
        self.__doc__ = function.__doc__

    @property
    def python_function(self) -> Callable[..., Any]:
        """The method underneath."""
        method: Callable[..., Any] = self._function.python_function.__get__(self._instance)
        return method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method; errors as for functions."""
        return self._function.called((self._instance, *args), kwargs, self._instance)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The method for one signature."""
        if not args and not kwargs and self._function.input_signature is not None:
            args = self._function.input_signature
        args, kwargs = self._function.bound((self._instance, *args), kwargs)
        return ConcreteFunction(self._function, args, kwargs, self._instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __repr__(self) -> str:
        return repr(self._function)
