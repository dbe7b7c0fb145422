"""What a walk back found for one source, as users get it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core.cotangents import conj
from gradtape.core.indexed_slices import IndexedSlices, accumulated
from gradtape.core.recorder import FLOATING_POINT, QUIET
from gradtape.core.tensor import Tensor, raw, wrap

ONE = {kind: kind(1) for kind in (np.float16, np.float32, np.float64)}
"""The weight of a target that is a real scalar, by its type: the most frequent case."""


def summed(found: dict[int, Any], ids: Sequence[int]) -> Any:
    """The gradient of one source as users get it: summed over its ids, conjugated back, as a Tensor."""
    total: Any = None
    for i in ids:
        part = found.get(i)
        if part is not None:
            total = part if total is None else _added(total, part)
    kind = type(total)
    if kind in ONE or (kind is np.ndarray and total.dtype.char in "fd" and total.ndim):
        return Tensor(total)
    if total is None:
        return None
    if kind is IndexedSlices:
        return IndexedSlices(_tensor(total.values), _tensor(total.indices), wrap(np.array(total.dense_shape, np.int32)))
    if raw(total).dtype.kind == "c":
        total = conj(total) + 0  # no negative zero where a real number was conjugated
    if type(total) is Tensor:
        return total
    return wrap(total) if type(total) is np.ndarray else Tensor(total)


def _added(first: Any, second: Any) -> Any:
    """The sum of two cotangents. Infinite ones may be opposite: NumPy has nothing to say to that."""
    token = FLOATING_POINT.set(QUIET)
    try:
        return accumulated(first, second)
    finally:
        FLOATING_POINT.reset(token)


def _tensor(value: Any) -> Tensor:
    return value if type(value) is Tensor else wrap(value)
