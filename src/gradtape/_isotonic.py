"""Isotonic regression: the monotone sequence nearest to a given one."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import of_kind, positive_axis, whole
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import indexing, shaping


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: Any = -1) -> tuple[Tensor, Tensor]:
    """Return the monotone sequences that are nearest in least squares: means over segments (R. Barlow et al., 1972).

    Args:
        inputs: floating.
        decreasing: whether sequences shall not increase, or not decrease.
        axis: along which they run.

    Returns:
        The sequences, and the number of the segment that each element is in, int32.

    Raises:
        InvalidArgumentError: if `inputs` are not floating, or for an axis out of range.

    >>> import gradtape as tf
    >>> tf.nn.isotonic_regression([3.0, 1.0, 2.0])[0].numpy()
    array([3. , 1.5, 1.5], dtype=float32)
    """
    x = of_kind(to_tensor(inputs, None, "inputs"), "fV", "IsotonicRegression")
    rank, at = x._value.ndim, whole(axis, "axis")
    at = positive_axis(at, rank, f"axis {at} is not in [{-rank}, {rank})")
    turned = (*[i for i in range(rank) if i != at], at)
    back = tuple(int(i) for i in np.argsort(turned))
    moved = shaping.transpose(x, perm=turned)
    shape = moved._value.shape
    flat = settled(moved).reshape(-1, shape[-1]).astype(np.float64)
    places = np.array([_segments(row if decreasing else -row) for row in flat], np.int32).reshape(flat.shape)
    numbers = (places + np.arange(len(flat))[:, None] * shape[-1]).reshape(-1)
    sizes = np.maximum(np.bincount(numbers, minlength=flat.size), 1).astype(x._value.dtype)
    sums = indexing.scatter_along(shaping.reshape(moved, shape=(flat.size,)), numbers, axis=0, shape=(flat.size,))
    means = shaping.reshape(indexing.gather(sums / sizes, numbers, axis=0), shape=shape)
    return shaping.transpose(means, perm=back), wrap(places.reshape(shape).transpose(back))


def _segments(row: Any) -> list[int]:
    """Which segment each element of a row is in, if means may not increase from one to the next: neighbours pool."""
    totals: list[float] = []
    counts: list[int] = []
    for value in row.tolist():
        totals.append(value)
        counts.append(1)
        while len(totals) > 1 and totals[-2] * counts[-1] < totals[-1] * counts[-2]:
            total, count = totals.pop(), counts.pop()
            totals[-1] += total
            counts[-1] += count
    return [i for i, n in enumerate(counts) for _ in range(n)]
