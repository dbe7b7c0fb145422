"""`Journal`: what one call of a function did outside, so that it can be undone, or not be done a second time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core.recorder import STATE
from gradtape.ops.sampling import SEEDS


class Journal:
    """The draws of one attempt at a call, and what external functions returned in all of them.

    When a guard fails, the draws are given back and the next attempt takes them again. External calls happened; the
    next attempt gets the results in the same order instead of calling again.
    """

    __slots__ = ("committed", "draws", "position", "returned")

    def __init__(self, returned: list[Any] | None = None) -> None:
        self.draws: list[tuple[int | None, int | None]] = []
        self.returned: list[Any] = [] if returned is None else returned
        self.position = 0
        self.committed = False  # whether variables have changed: then it is too late to try again

    def key(self, op_seed: int | None) -> Any:
        """The key of the next draw."""
        number, key = SEEDS.next(op_seed)
        self.draws.append((op_seed, number))
        return key

    def call(self, function: Callable[..., Any], args: list[Any]) -> Any:
        """Call a function that no recorder hears of, or give what it returned in the last attempt."""
        position = self.position
        if position == len(self.returned):
            recorders, capture = STATE.recorders, STATE.capture
            STATE.recorders, STATE.capture = (), None
            try:
                self.returned.append(function(*args))
            finally:
                STATE.recorders, STATE.capture = recorders, capture
        self.position = position + 1
        return self.returned[position]

    def undo_draws(self) -> None:
        """Give the draws back, and start the external calls over."""
        SEEDS.give_back(self.draws)
        self.draws = []
        self.position = 0
