"""Name scopes: prefixes of variable names."""

from __future__ import annotations

import re
import threading
from typing import Any


class _Scopes(threading.local):
    names: tuple[str, ...] = ()


SCOPES = _Scopes()
_VALID = re.compile(r"[A-Za-z0-9_.\\/>-]*")


class name_scope:
    """A block in which the names of new variables get a prefix.

    >>> import gradtape as tf
    >>> with tf.name_scope("outer"):
    ...     tf.Variable(1.0, name="v").name
    'outer/v:0'

    Raises:
        ValueError: if the name is not a string, or not one that TensorFlow allows.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        if not _VALID.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid root scope name. A root scope name has to match {_VALID.pattern!r}."
            )
        self._name = name

    @property
    def name(self) -> str:
        """The name as given."""
        return self._name

    def __enter__(self) -> str:
        before = SCOPES.names
        self._before = before
        if self._name.endswith("/"):  # an absolute name
            SCOPES.names = (self._name.rstrip("/"),)
        elif self._name:
            SCOPES.names = (*before, self._name)
        else:
            SCOPES.names = ()
        return current("")

    def __exit__(self, *exc_info: object) -> None:
        SCOPES.names = self._before


def current(name: str) -> Any:
    """The name with the prefix of the scopes around."""
    return "/".join([*SCOPES.names, name])


def get_current_name_scope() -> str:
    """The names of the scopes around, joined by slashes; empty outside of any.

    >>> import gradtape as tf
    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     tf.get_current_name_scope()
    'a/b'
    """
    return "/".join(SCOPES.names)
