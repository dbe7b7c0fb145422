"""A clear error for what a newer Keras asks of its backend and gradtape does not have yet."""

from collections.abc import Callable
from typing import Any, NoReturn


def missing(module: str) -> Callable[[str], Any]:
    """Return a module's `__getattr__`: any other name is a function that says it is not there."""

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def absent(*args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(f"gradtape does not implement keras.backend.{module}.{name} yet.")

        absent.__name__ = name
        return absent

    return __getattr__
