"""Changing a few rows of a large array, which nothing that still holds the old one may see.

A copy of a table costs far more than a step that changes some of its rows. So the array before is kept beside the new
one, with the rows in which they differ. If at the next change nobody else holds it any more, those rows are brought up
to date and it becomes the array after: two arrays take turns, and each step touches as many rows as it changes.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

import numpy as np

LARGE = 2**18
"""Bytes from which on the array before is worth keeping."""

FEW = 4
"""Kept if at most one in so many rows changes."""

SPARES: dict[int, Spare] = {}
"""By the id of the array that it may follow, while that lives."""


class Spare:
    """An array that equals another one but for some rows; it goes when the other one does."""

    __slots__ = ("array", "owner", "rows")

    def __init__(self, array: Any, owner: Any, rows: Any) -> None:
        self.array, self.rows = array, rows
        key = id(owner)
        self.owner = weakref.ref(owner, lambda _: SPARES.pop(key, None))


def _references(spare: Spare) -> int:
    return sys.getrefcount(spare.array)


UNSHARED = _references(Spare(np.zeros(1), np.zeros(1), None))
"""What is counted where only the `Spare` holds its array; it depends on the interpreter."""


def changed(x: Any, rows: Any, updates: Any, combine: Any) -> Any:
    """A copy of x with `x[rows[i]] = combine(x[rows[i]], updates[i])` for each i; None puts the updates there.

    Args:
        x: the table, of rank 1 or more.
        rows: numbers of rows, of any shape.
        updates: of shape rows.shape + x.shape[1:], or a scalar.
    """
    flat = rows.reshape(-1)
    out = _copied(x, flat)
    _combine(out, flat, updates.reshape(flat.shape + x.shape[1:]) if updates.ndim else updates, combine)
    if x.nbytes >= LARGE and flat.size * FEW <= len(x):
        SPARES[id(out)] = Spare(x, out, flat)
    return out


def _copied(x: Any, rows: Any) -> Any:
    """A copy, in the array before if there is one that nobody else holds."""
    spare = SPARES.pop(id(x), None)
    if spare is None:
        return x.copy()
    shared = _references(spare) != UNSHARED
    array = spare.array
    if shared or not (array.flags.owndata and array.flags.writeable):
        return x.copy()
    array[spare.rows] = np.take(x, spare.rows, axis=0)
    return array


def _combine(out: Any, rows: Any, updates: Any, combine: Any) -> None:
    """Rows that come once, and the last of those that repeat, are done at once: far faster than `ufunc.at`."""
    if combine is None:
        out[rows] = updates
        return
    if out.ndim == 1:
        combine.at(out, rows, updates)
        return
    numbers = np.arange(len(rows))
    mark = np.empty(len(out), numbers.dtype)
    mark[rows] = numbers
    last = mark[rows] == numbers
    if not last.all():
        combine.at(out, rows[~last], updates[~last] if updates.ndim else updates)
        rows, updates = rows[last], updates[last] if updates.ndim else updates
    out[rows] = combine(np.take(out, rows, axis=0), updates)
