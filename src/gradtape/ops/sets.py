"""Sets of values, one for each of some groups, and counts of values in equal bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.batching import align, batched
from gradtape.core.kinds import data_shaped, discrete

OPERATIONS: dict[str, Callable[..., Any]] = {
    "intersection": np.intersect1d,
    "union": np.union1d,
    "difference": np.setdiff1d,
}


@data_shaped
def combined(
    xp: Any, groups_a: Any, a: Any, groups_b: Any, b: Any, *, operation: str, shape: tuple[int, ...]
) -> tuple[Any, Any]:
    """The sets of each group combined: positions (the group's and, behind them, that within the set), and values.

    `groups_a` says to which group of this shape each value of `a` belongs.
    """
    known, codes = xp.unique(xp.concatenate([a, b]), return_inverse=True)
    codes = xp.concatenate([groups_a, groups_b]) * len(known) + codes
    found = OPERATIONS[operation](codes[: len(a)], codes[len(a) :])
    groups, kinds = xp.divmod(found, max(len(known), 1))
    within = xp.arange(len(found)) - xp.searchsorted(groups, groups)
    places = xp.unravel_index(groups, shape) if len(found) else [groups] * len(shape)
    return xp.stack([*places, within], axis=-1).astype(np.int64), known[kinds].astype(a.dtype)


@discrete
def set_sizes(xp: Any, groups: Any, values: Any, *, shape: tuple[int, ...]) -> Any:
    """How many different values each group has."""
    known, codes = xp.unique(values, return_inverse=True)
    different = xp.unique(groups * len(known) + codes)
    counts = xp.bincount(different // max(len(known), 1), minlength=int(np.prod(shape)))
    return counts.reshape(shape).astype(np.int32)


@batched(align)
@discrete
def bins(xp: Any, values: Any, low: Any, high: Any, *, count: int, dtype: Any) -> Any:
    """The number of the bin of each value: those between two edges in equal parts, what is outside in the nearest."""
    share = (values - low) / (high - low)
    return xp.clip(xp.floor(share * share.dtype.type(count)), 0, count - 1).astype(dtype)


@discrete
def bin_counts(xp: Any, values: Any, edges: Any, *, count: int, dtype: Any) -> Any:
    """How many values each of those bins has."""
    low, high = (float(e) for e in edges)
    numbers = (xp.maximum(values.reshape(-1).astype(np.float64), low) - low) / ((high - low) / count)
    return xp.bincount(xp.minimum(numbers, count - 1).astype(np.int64), minlength=count).astype(dtype)
