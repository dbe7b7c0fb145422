"""Attach to `Variable` what needs ops: reads, slices that can be assigned to, scatters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.base.errors import OutOfRangeError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.kinds import discrete
from gradtape.core.recorder import paused
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.indexing import gather_nd, gather_rows
from gradtape.ops.keys import basic, mask_of
from gradtape.ops.operators import index
from gradtape.ops.rows import changed
from gradtape.ops.shaping import identity, reshape


def read_value(self: Variable) -> Tensor:
    """Return the value as a tensor of its own, which tapes connect with the variable."""
    found: Tensor = identity(self._read())
    return found


def getitem(self: Variable, key: Any) -> Tensor:
    """Return a slice, which has an `assign` of its own unless the key is a mask."""
    found: Tensor = index(self._read(), key)
    if mask_of(key) is None:
        found._origin = (self, key)
    return found


@discrete
def with_part(xp: Any, x: Any, part: Any, *, place: tuple[Any, ...]) -> Any:
    """A copy of x with what is at a place (basic indices) replaced by `part`, broadcast."""
    new = xp.array(x)
    new[place] = xp.broadcast_to(part, new[place].shape)
    return new


def assign_at(self: Variable, key: Any, value: Any, name: str | None = None) -> Any:
    """Rebind the variable with a slice replaced. Raises InvalidArgumentError if the value does not broadcast to it."""
    old = self._peek()
    place = basic(key, old._value.shape)
    part = to_tensor(value, old.dtype)
    shape = np.shape(old._value[place])
    if not broadcasts(part._value.shape, shape):
        raise invalid(f"Cannot broadcast input shape {list(part._value.shape)} into final shape {list(shape)}")
    with paused():
        return self._rebind(with_part(old, part, place=place))


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether one shape broadcasts to the other."""
    return len(shape) <= len(target) and all(
        n in (1, size) for n, size in zip(reversed(shape), reversed(target), strict=False)
    )


def sparse_read(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Return rows; the gradient is sparse. Raises InvalidArgumentError for a scalar, or rows that are not there."""
    value = self._read()
    if not value._value.ndim:
        raise invalid("params must be at least 1 dimensional")
    rows = to_tensor(indices)
    check(check_rows, rows, value._value.shape[0])
    found: Tensor = gather_rows(value, rows)
    return found


def variable_gather_nd(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Return slices at positions; the gradient of whole rows is sparse."""
    where = to_tensor(indices)
    value = self._read()
    if where._value.shape[-1:] == (1,):
        rows = reshape(where, shape=where._value.shape[:-1])
        check(check_rows, rows, value._value.shape[0])
        found: Tensor = gather_rows(value, rows)
        return found
    return gather_nd(value, where)


def check_rows(indices: Any, count: int) -> None:
    """Raise InvalidArgumentError unless these are numbers of rows."""
    flat = np.ravel(indices)
    bad = np.flatnonzero((flat < 0) | (flat >= count))
    if bad.size:
        raise invalid(f"indices[{bad[0]}] = {flat[bad[0]]} is not in [0, {count})")


def check_positions(where: Any, shape: tuple[int, ...]) -> None:
    """Raise InvalidArgumentError unless these are positions in a tensor of this shape."""
    for i, position in enumerate(where.reshape(-1, where.shape[-1])):
        if any(not 0 <= p < n for p, n in zip(position, shape, strict=False)):
            raise invalid(f"indices[{i}] = {position.tolist()} does not index into shape {list(shape)}")


UPDATES: dict[str, np.ufunc | None] = {
    "add": np.add,
    "sub": np.subtract,
    "update": None,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "div": np.true_divide,
}
"""What combines what is there with an update; None lets the last update take its place."""


@discrete
def with_rows(xp: Any, x: Any, indices: Any, updates: Any, *, how: str) -> Any:
    """A copy of x in which rows are combined with updates."""
    return changed(x, xp.asarray(indices), xp.asarray(updates), UPDATES[how])


@discrete
def with_positions(xp: Any, x: Any, where: Any, updates: Any, *, how: str) -> Any:
    """A copy of x in which what is at positions (along the last axis of `where`) is combined with updates."""
    new = x.copy()
    place, combine = tuple(xp.moveaxis(where, -1, 0)), UPDATES[how]
    if combine is None:
        new[place] = updates
    else:
        combine.at(new, place, updates)
    return new


def scatter(how: str) -> Callable[..., Any]:
    """A method that combines rows, given as `IndexedSlices`, with those of the variable."""

    def method(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        old = self._peek()
        shape = old._value.shape
        updates = to_tensor(sparse_delta.values, old.dtype)
        where = to_tensor(sparse_delta.indices)
        check(check_rows, where, shape[0])
        if updates._value.ndim and updates._value.shape != where._value.shape + shape[1:]:
            raise invalid(
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
                f"{list(updates._value.shape)}, indices.shape {list(where._value.shape)}, params.shape {list(shape)}"
            )
        with paused():
            return self._rebind(with_rows(old, where, updates, how=how))

    return method


def scatter_nd(how: str) -> Callable[..., Any]:
    """A method that combines slices at positions with those of the variable."""

    def method(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Any:
        old = self._peek()
        where = to_tensor(indices)
        values = to_tensor(updates, old.dtype)
        check(check_positions, where, old._value.shape)
        with paused():
            return self._rebind(with_positions(old, where, values, how=how))

    return method


def check_below(value: Any, limit: int) -> None:
    """Raise OutOfRangeError unless value < limit."""
    if int(value) >= limit:
        raise OutOfRangeError(None, None, f"Reached limit of {limit}")


def count_up_to(self: Variable, limit: int) -> Tensor:
    """Return the value and add 1 to it. Raises OutOfRangeError at the limit."""
    before = self._peek()
    if before._value.dtype.kind not in "iu":
        raise invalid(
            f"count_up_to: Value for attr 'T' of {before.dtype.name} is not in the list of allowed values: int32, int64"
        )
    check(check_below, before, limit)
    with paused():
        self._rebind(before + 1)
    return before


def attach() -> None:
    """Give `Variable` its methods."""
    methods: dict[str, Any] = {
        "value": read_value,
        "read_value": read_value,
        "read_value_no_copy": read_value,
        "__getitem__": getitem,
        "_assign_at": assign_at,
        "sparse_read": sparse_read,
        "gather_nd": variable_gather_nd,
        "count_up_to": count_up_to,
        "batch_scatter_update": scatter("update"),
    }
    methods |= {f"scatter_{name}": scatter(name) for name in UPDATES}
    methods |= {f"scatter_nd_{name}": scatter_nd(name) for name in ("add", "sub", "update", "max", "min")}
    for name, method in methods.items():
        method.__name__ = name
        method.__qualname__ = f"Variable.{name}"
        setattr(Variable, name, method)


attach()
