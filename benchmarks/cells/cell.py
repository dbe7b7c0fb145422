"""What a cell is, and how a step is timed. Standard library only: importing this must not import NumPy."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Step = Callable[[], Any]

CHECKED_CALLS = 5
BATCH_SECONDS = 0.03
SECONDS = 1.5


@dataclass(frozen=True)
class Measurement:
    """A figure in seconds, bytes or times, and a number that every framework must agree on (None: no such number)."""

    figure: float
    check: float | None


@dataclass(frozen=True)
class Cell:
    """One row of the table: `measure(framework)` runs in a fresh process."""

    name: str
    unit: str
    frameworks: tuple[str, ...]
    measure: Callable[[str], Measurement]


def timed(build: Callable[[str], Step], parts: int = 1) -> Callable[[str], Measurement]:
    """A measure that times the step that `build(framework)` returns, per part of a step (an op, say).

    The step returns a scalar of the framework. Its value after a few calls is compared between frameworks, so that all
    of them are known to have done the same work.
    """

    def measure(framework: str) -> Measurement:
        step = build(framework)
        for _ in range(CHECKED_CALLS):
            check = step()
        return Measurement(median_seconds(step) / parts, float(check))

    return measure


def median_seconds(step: Step) -> float:
    """The median over batches of the mean time of a call; a batch is long enough for the clock."""
    started = time.perf_counter()
    step()
    calls = max(1, round(BATCH_SECONDS / (time.perf_counter() - started)))
    means = []
    end = time.perf_counter() + SECONDS
    while len(means) < 3 or time.perf_counter() < end:
        started = time.perf_counter()
        for _ in range(calls):
            step()
        means.append((time.perf_counter() - started) / calls)
    return statistics.median(means)
