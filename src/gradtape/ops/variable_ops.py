"""Attach to `Variable` what needs ops: reads, slices that can be assigned to, scatters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.base.errors import OutOfRangeError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.indexing import gather_nd, gather_rows
from gradtape.ops.keys import basic, mask_of
from gradtape.ops.operators import index
from gradtape.ops.shaping import identity

Update = Callable[[Any, Any, Any], None]


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


def assign_at(self: Variable, key: Any, value: Any, name: str | None = None) -> Any:
    """Rebind the variable with a slice replaced. Raises InvalidArgumentError if the value does not broadcast to it."""
    old = self._tensor._value
    new = np.array(old)
    place = basic(key, old.shape)
    part = to_tensor(value, self._tensor.dtype)._value
    shape = new[place].shape
    try:
        fitted = np.broadcast_to(part, shape)
    except ValueError:
        raise invalid(f"Cannot broadcast input shape {list(part.shape)} into final shape {list(shape)}") from None
    new[place] = fitted
    return self._rebind(new if new.ndim else new[()])


def sparse_read(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Return rows; the gradient is sparse. Raises InvalidArgumentError for a scalar, or rows that are not there."""
    value = self._read()
    if not value._value.ndim:
        raise invalid("params must be at least 1 dimensional")
    found: Tensor = gather_rows(value, _rows(to_tensor(indices)._value, value._value.shape[0]))
    return found


def variable_gather_nd(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Return slices at positions; the gradient of whole rows is sparse."""
    where = to_tensor(indices)._value
    value = self._read()
    if where.shape[-1:] == (1,):
        found: Tensor = gather_rows(value, _rows(where[..., 0], value._value.shape[0]))
        return found
    return gather_nd(value, where)


def _rows(indices: Any, count: int) -> Any:
    """The row numbers, checked."""
    flat = np.ravel(indices)
    bad = np.flatnonzero((flat < 0) | (flat >= count))
    if bad.size:
        raise invalid(f"indices[{bad[0]}] = {flat[bad[0]]} is not in [0, {count})")
    return indices


def _last(target: Any, where: Any, updates: Any) -> None:
    target[where] = updates


UPDATES: dict[str, Update] = {
    "add": np.add.at,
    "sub": np.subtract.at,
    "update": _last,
    "max": np.maximum.at,
    "min": np.minimum.at,
    "mul": np.multiply.at,
    "div": np.true_divide.at,
}


def scatter(update: Update) -> Callable[..., Any]:
    """A method that combines rows, given as `IndexedSlices`, with those of the variable."""

    def method(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        old = self._tensor._value
        values = to_tensor(sparse_delta.values, self._tensor.dtype)._value
        indices = to_tensor(sparse_delta.indices)._value
        where = _rows(indices, old.shape[0])
        if values.ndim and values.shape != indices.shape + old.shape[1:]:
            raise invalid(
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
                f"{list(values.shape)}, indices.shape {list(indices.shape)}, params.shape {list(old.shape)}"
            )
        new = old.copy()
        update(new, where, values)
        return self._rebind(new)

    return method


def scatter_nd(update: Update) -> Callable[..., Any]:
    """A method that combines slices at positions with those of the variable."""

    def method(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Any:
        old = self._tensor._value
        where = to_tensor(indices)._value
        values = to_tensor(updates, self._tensor.dtype)._value
        for i, position in enumerate(where.reshape(-1, where.shape[-1])):
            if any(not 0 <= p < n for p, n in zip(position, old.shape, strict=False)):
                raise invalid(f"indices[{i}] = {position.tolist()} does not index into shape {list(old.shape)}")
        new = old.copy()
        update(new, tuple(np.moveaxis(where, -1, 0)), values)
        return self._rebind(new)

    return method


def count_up_to(self: Variable, limit: int) -> Tensor:
    """Return the value and add 1 to it. Raises OutOfRangeError at the limit."""
    before = self._tensor
    if before._value.dtype.kind not in "iu":
        raise invalid(
            f"count_up_to: Value for attr 'T' of {before.dtype.name} is not in the list of allowed values: int32, int64"
        )
    if int(before) >= limit:
        raise OutOfRangeError(None, None, f"Reached limit of {limit}")
    self._rebind(before._value + before._value.dtype.type(1))
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
        "batch_scatter_update": scatter(UPDATES["update"]),
    }
    methods |= {f"scatter_{name}": scatter(update) for name, update in UPDATES.items()}
    methods |= {f"scatter_nd_{name}": scatter_nd(UPDATES[name]) for name in ("add", "sub", "update", "max", "min")}
    for name, method in methods.items():
        method.__name__ = name
        method.__qualname__ = f"Variable.{name}"
        setattr(Variable, name, method)


attach()
