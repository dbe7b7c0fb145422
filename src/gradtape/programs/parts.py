"""Run a fused instruction part by part, on several threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.ops.threads import spread

PART = 1 << 18
"""How many elements of each array are worked on at a time: two threads that call NumPy for less wait for each other."""


def in_parts(
    work: Callable[..., Any], arrays: tuple[Any, ...], outs: tuple[Any, ...], numbers: tuple[Any, ...]
) -> None:
    """Call `work` on matching parts of arrays of one shape, on as many threads as there are."""
    every = (*arrays, *outs)
    shape = outs[0].shape
    if all(a.flags.c_contiguous for a in every):
        every = tuple([a.reshape(-1) for a in every])
        height, step = every[0].size, PART
    else:
        height, step = shape[0], max(1, PART * shape[0] // outs[0].size)
    spread(lambda k: work(*[a[k * step : (k + 1) * step] for a in every], *numbers), -(-height // step))
