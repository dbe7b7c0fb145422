"""`Journal`: what one call of a function did outside, so that it can be undone, or not be done a second time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core.cell import Cell
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor
from gradtape.ops.sampling import SEEDS

Draw = tuple[int | None, int | None, Any]
"""The seed of an op, the number of the draw in its stream, and the key."""


class Journal:
    """What the attempts at one call have drawn and called, and the variables that changed meanwhile.

    When a guard fails, variables get back what they held, and the next attempt takes the same keys in the same order:
    what is drawn must not depend on how often it is tried. External calls happened; the next attempt gets what they
    returned, and what they left in variables, instead of calling again.
    """

    __slots__ = ("before", "committed", "draws", "kept", "listener", "position", "returned")

    def __init__(self, returned: list[Any] | None = None) -> None:
        self.draws: list[Draw] = []
        self.kept: list[Draw] = []  # of earlier attempts, not taken again so far
        self.returned: list[Any] = [] if returned is None else returned
        self.position = 0
        self.listener: Any = None  # to what is called while a capture runs
        self.before: dict[int, tuple[Cell, Tensor]] = {}  # what variables held, by their ids
        self.committed = False  # whether variables have changed: then it is too late to try again

    def key(self, op_seed: int | None) -> Any:
        """The key of the next draw."""
        place = next((i for i, draw in enumerate(self.kept) if draw[0] == op_seed), None)
        draw = (op_seed, *SEEDS.next(op_seed)) if place is None else self.kept.pop(place)
        self.draws.append(draw)
        return draw[2]

    def note(self, variable: Cell) -> None:
        """Keep what a variable holds, before it changes."""
        self.before.setdefault(id(variable), (variable, variable._tensor))

    def bind(self, variable: Cell, value: Any) -> None:
        """Give a variable its value early: code that nobody listens to may look."""
        self.note(variable)
        variable._tensor = Tensor(value)

    def call(self, function: Callable[..., Any], args: Sequence[Any], variables: Sequence[Cell] = ()) -> Any:
        """Call a function that no recorder hears of, or give what it returned or raised in the last attempt.

        The same with what it did to the variables that a program knows so far.
        """
        position = self.position
        if position == len(self.returned):
            held = [v._tensor for v in variables]
            recorders, capture = STATE.recorders, STATE.capture
            STATE.recorders, STATE.capture = () if self.listener is None else (self.listener,), self.listener
            result, error = None, None
            try:
                result = function(*args)
            except Exception as raised:
                error = raised
            finally:
                STATE.recorders, STATE.capture = recorders, capture
            changed = []
            for variable, tensor in zip(variables, held, strict=True):
                if variable._tensor is not tensor:
                    changed.append((variable, variable._tensor))
                    self.before.setdefault(id(variable), (variable, tensor))
            self.returned.append((result, error, changed))
        else:
            for variable, tensor in self.returned[position][2]:
                self.note(variable)
                variable._tensor = tensor
        self.position = position + 1
        result, error, _ = self.returned[position]
        if error is not None:
            raise error
        return result

    def undo(self) -> None:
        """Give variables back what they held, keep the draws for the next attempt, start the external calls over."""
        for variable, tensor in self.before.values():
            variable._tensor = tensor
        self.before = {}
        self.kept = [*self.draws, *self.kept]
        self.draws = []
        self.position = 0

    def close(self) -> None:
        """Give back the draws that no attempt took in the end."""
        if self.kept:
            SEEDS.give_back([(op_seed, number) for op_seed, number, _ in self.kept])
            self.kept = []
