"""Jacobians: one walk back for all rows, as one batching; or for as many at a time as memory allows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.base.dtypes import is_differentiable
from gradtape.core.batching import Batched, DiffersError, Level
from gradtape.core.convert import existing
from gradtape.core.tape import Tape
from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.ops.shaping import broadcast_to, concat, stack, transpose
from gradtape.transforms.batching import loop
from gradtape.transforms.results import summed

logger = logging.getLogger("gradtape")


def rows_at_once(size: int, chunk: int | None, together: bool) -> int:
    """How many rows one walk back takes. Raises ValueError for a chunk that is not a positive number."""
    if chunk is not None and (type(chunk) is not int or chunk < 1):
        raise ValueError(f"chunk: expected a positive number of rows, got {chunk!r}.")
    return max(min(size, chunk or size), 1) if together else 1


def full(tape: Tape, start: int, value: Any, ids: list[Sequence[int]], rows: int) -> list[Tensor | None]:
    """For each source the derivatives of all elements of the target, one row each, or None if it is unconnected."""

    def seeds(first: int, last: int) -> Any:
        return np.eye(last - first, value.size, first, dtype=value.dtype).reshape(last - first, *value.shape)

    return _walked(tape, start, value, value.size, ids, rows, seeds)


def per_example(tape: Tape, start: int, value: Any, ids: Sequence[int], rows: int) -> Tensor | None:
    """The derivatives of each column of the target: shape [examples, columns, ...source], or None if unconnected."""
    size = value.size // max(len(value), 1)

    def seeds(first: int, last: int) -> Any:
        columns = np.eye(last - first, size, first, dtype=value.dtype).reshape(last - first, 1, *value.shape[1:])
        return np.broadcast_to(columns, (last - first, *value.shape))

    [found] = _walked(tape, start, value, size, [ids], rows, seeds)
    return None if found is None else transpose(found, perm=(1, 0, *range(2, found.ndim)))


def _walked(
    tape: Tape,
    start: int,
    value: Any,
    size: int,
    ids: list[Sequence[int]],
    rows: int,
    seeds: Callable[[int, int], Any],
) -> list[Tensor | None]:
    parts: list[list[Any]] = [[] for _ in ids]
    if is_differentiable(value.dtype):
        for first in range(0, size, rows):
            some = _pulled(tape, start, ids, seeds(first, min(first + rows, size)))
            for column, part in zip(parts, some, strict=True):
                column.append(part)
    return [_joined(column) for column in parts]


def _joined(parts: list[Any]) -> Tensor | None:
    connected = [p for p in parts if p is not None]
    if not connected:
        return None
    joined = connected[0] if len(connected) == 1 else concat(*connected, axis=0)
    return joined if type(joined) is Tensor else wrap(joined)


def _pulled(tape: Tape, start: int, ids: list[Sequence[int]], seeds: Any) -> list[Any]:
    """Some rows for each source, as an array or (if somebody listens) a Tensor; None if it is unconnected."""
    wanted = {i for of_one in ids for i in of_one}
    level = Level(len(seeds), loop)
    try:
        with level.entered():
            found = tape.pull_back([(start, Batched(seeds, level))], wanted, True)
            results = [_dense(summed(found, of_one)) for of_one in ids]
        return [None if r is None else _whole(level, r) for r in results]
    except DiffersError:  # a gradient of the user's own that looks at values
        logger.warning("jacobian: a custom gradient reads the values of its arguments, so rows are taken one by one.")
    columns = [_one(tape, start, ids, wanted, seed) for seed in seeds]
    return [None if column[0] is None else stack(*column, axis=0) for column in zip(*columns, strict=True)]


def _one(tape: Tape, start: int, ids: list[Sequence[int]], wanted: set[int], seed: Any) -> list[Any]:
    found = tape.pull_back([(start, wrap(seed))], wanted, True)
    return [_dense(summed(found, of_one)) for of_one in ids]


def _dense(result: Any) -> Any:
    return None if result is None else existing(result)


def _whole(level: Level, result: Tensor) -> Any:
    value = raw(result)
    if level.has(value):
        return value.array
    return broadcast_to(result, shape=(level.size, *value.shape))
