"""Values as a quantised network would see them: rounded to a grid between two ends, of which zero is a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.batching import align, batched
from gradtape.core.kinds import discrete


def _grid(xp: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    """Both ends, moved so that zero lies on the grid, and its step."""
    first, last = xp.float32(narrow), xp.float32(2**bits - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    zero = xp.clip(xp.copysign(xp.floor(xp.abs(zero) + xp.float32(0.5)), zero), first, last)
    return (first - zero) * step, (last - zero) * step, step


def _nothing(low: Any, high: Any) -> Any:
    """Whether both ends are zero: all values are zero then, and gradients pass."""
    return (low == 0) & (high == 0)


@batched(align)
@discrete
def on_grid(xp: Any, x: Any, low: Any, high: Any, *, bits: int, narrow: bool) -> Any:
    """The point of the grid that is nearest to each value."""
    bottom, top, step = _grid(xp, low, high, bits, narrow)
    inverse, half = 1 / step, xp.float32(0.5)
    zero = xp.floor(half - bottom * inverse)
    inside = xp.maximum(xp.minimum(x, top), bottom) - bottom
    return xp.where(_nothing(low, high), np.float32(0), xp.floor(inside * inverse - zero + half) * step)


@batched(align)
@discrete
def side_of_grid(xp: Any, x: Any, low: Any, high: Any, *, bits: int, narrow: bool) -> Any:
    """-1 for values below the grid, 1 for those above, 0 for those on it."""
    bottom, top, _ = _grid(xp, low, high, bits, narrow)
    outside = (x > top).astype(np.int8) - (x < bottom).astype(np.int8)
    return xp.where(_nothing(low, high), np.int8(0), outside)
