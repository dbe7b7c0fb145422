"""What programs ask TensorFlow about its surroundings: here everything runs at once, on one device."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any


def executing_eagerly() -> bool:
    """Whether ops run at once: always, outside a function that is being captured."""
    return True


def inside_function() -> bool:
    """Whether a function is being captured."""
    return False


def get_logger() -> logging.Logger:
    """Return the logger that warnings go to."""
    return logging.getLogger("gradtape")


@contextlib.contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Do nothing but accept the block: there is one device."""
    yield


@contextlib.contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run what is callable in `control_inputs`; ops run in order anyway."""
    for item in control_inputs or ():
        if callable(item):
            item()
    yield


def group(*inputs: Any, **kwargs: Any) -> None:
    """Do nothing: the inputs have run already."""


def no_op(name: str | None = None) -> None:
    """Do nothing."""
