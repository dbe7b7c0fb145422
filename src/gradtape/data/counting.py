"""How many elements datasets have, and the integers they are made with."""

from __future__ import annotations

import operator
from typing import Any

from gradtape.base.errors import invalid
from gradtape.core.convert import existing
from gradtape.core.tensor import Tensor

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def integer(value: Any, name: str) -> int:
    """An argument as a Python integer. Raises TypeError if it is none."""
    value = existing(value)
    try:
        return int(value) if type(value) is Tensor and value.dtype.is_integer else operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be an integer, got {value!r}.") from None


def positive(value: Any, name: str) -> int:
    """A positive integer."""
    size = integer(value, name)
    if size <= 0:
        raise invalid(f"{name} must be greater than zero, got {size}.")
    return size


def check_callable(function: Any) -> None:
    """Raise ValueError for what is no function."""
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function} (of type {type(function)})")


def times(count: int, by: int | None) -> int:
    """How many elements there are after repeating."""
    if by == 0 or count == 0:
        return 0
    if by is None:
        return INFINITE_CARDINALITY
    return count if count < 0 else count * by


def parts(count: int, size: int, whole: bool) -> int:
    """How many batches there are."""
    return count if count < 0 else count // size if whole else -(-count // size)


def plus(one: int, two: int) -> int:
    """How many elements there are in both."""
    if INFINITE_CARDINALITY in (one, two):
        return INFINITE_CARDINALITY
    return UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in (one, two) else one + two


def first(count: int, wanted: int) -> int:
    """How many of the first elements there are; all for a negative number."""
    if wanted < 0:
        return count
    return wanted if count == INFINITE_CARDINALITY else count if count < 0 else min(count, wanted)


def after(count: int, skipped: int) -> int:
    """How many elements there are after the first ones; none for a negative number."""
    if skipped < 0:
        return 0
    return count if count < 0 else max(count - skipped, 0)
