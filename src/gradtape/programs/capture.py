"""`Recording`: the recorder at the bottom of the stack that turns the first call of a function into a `Program`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from gradtape.core.batching import Batched, agreement
from gradtape.core.cell import Cell
from gradtape.core.effects import shape_and_dtype
from gradtape.core.primitive import Primitive
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, next_id, raw, truth, wrap
from gradtape.programs.journal import Journal
from gradtape.programs.overhearing import Overhearing
from gradtape.programs.program import (
    Apply,
    Assign,
    Check,
    Detach,
    Draw,
    Effect,
    External,
    Guard,
    Instruction,
    Program,
    Read,
    Reread,
    Shape,
    Slot,
    pruned,
)

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

AMBIGUOUS = -1


class Recording:
    """Hears a whole call: what primitives do, and every way in which values leave them.

    A Tensor it does not know is a constant if it is older than the call: nothing can change it. One that was made
    during the call comes from Python data; what values of the call went into such data have been settled on the way,
    since nothing but primitives reads them otherwise.
    """

    def __init__(self, name: str, inputs: list[Tensor], journal: Journal, silent: bool = False) -> None:
        self.name = name
        self.silent = silent
        self.journal = journal
        journal.listener = Overhearing(self)
        self.start = next_id()
        self.instructions: list[Instruction] = []
        self.constants: dict[Slot, Any] = {}
        self.shapes: dict[Slot, Shape] = {}
        self.slots: dict[int, Slot] = {}  # by the id of the Tensor
        self.values: dict[int, Slot] = {}  # by the id of the value, which code may hand on without its Tensor
        self.alive: list[Any] = []  # so that no id is used twice
        self.count = 0
        self.reads: list[tuple[Cell, Slot]] = []
        self.held: dict[int, tuple[Cell, Slot]] = {}  # what a variable holds now, by the id of the variable
        self.met: dict[int, Cell] = {}  # the variables read or assigned so far
        self.pending: dict[int, tuple[Cell, Slot]] = {}  # assigned since the last external call
        self.called = False  # whether there was an external call
        self.handles: dict[Slot, Tensor] = {}  # of constants that are Tensors older than the call
        self.linked: set[Slot] = set()  # those, and what is computed from them, for tapes that know them
        self.assigned: set[int] = set()
        self.created: dict[int, Cell] = {}
        self.settled: set[tuple[Slot, Any]] = set()
        self.reason = ""  # why it cannot be repeated
        self.finished: Program
        self.untold = ""  # why recorders cannot be told
        self.inputs = tuple([self._source(t) for t in inputs])

    # Slots.

    def _slot(self) -> Slot:
        self.count += 1
        return self.count - 1

    def _new(self, tensor: Tensor) -> Slot:
        """A slot for a Tensor that has just come to be."""
        slot = self.count
        self.count = slot + 1
        value = tensor._value
        self.slots[tensor._id] = slot
        if type(value) is not np.bool_:  # there are only two of those
            self.values.setdefault(id(value), slot)
        self.shapes[slot] = Shape(value.shape, value.dtype)
        self.alive.append(tensor)
        return slot

    def _source(self, tensor: Tensor) -> Slot:
        """A slot for a value from outside; if another one has the same array, that does not tell which is meant."""
        key = id(tensor._value)
        if key in self.values or tensor._id in self.slots:
            slot = self._new(tensor)
            self.values[key] = AMBIGUOUS
            return slot
        return self._new(tensor)

    def _by_value(self, value: Any) -> Slot | None:
        slot = self.values.get(id(value))
        if slot == AMBIGUOUS:
            self.give_up("it hands on the array of a tensor that came in twice")
        return slot

    def slot_of(self, value: Any) -> Slot:
        """The slot of an argument: of a known value, or a new one for a constant."""
        if type(value) is Tensor:
            slot = self.slots.get(value._id)
            if slot is None and value._id > self.start:
                slot = self._by_value(value._value)
                if slot is not None:
                    self.slots[value._id] = slot
                    self.alive.append(value)
            if slot is None:
                slot = self._new(value)
                self.constants[slot] = value._value
                if value._id <= self.start:
                    self.handles[slot] = value
                    self.linked.add(slot)
            return slot
        if isinstance(value, np.ndarray | np.generic):
            slot = self._by_value(value)
            if slot is None:
                slot = self._slot()
                self.alive.append(value)
                self.values[id(value)] = slot
                changeable = type(value) is np.ndarray and value.flags.writeable
                self.constants[slot] = value.copy() if changeable else value
            return slot
        slot = self._slot()
        self.constants[slot] = value
        return slot

    # What recorders are told.

    def record(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Keep an instruction."""
        if not isinstance(primitive, Primitive):  # a gradient of the user's own: its parts have been heard
            self.untold = f"{primitive.__name__} has a gradient of its own"
            return
        known = self.slots
        slots = tuple([known[a._id] if type(a) is Tensor and a._id in known else self.slot_of(a) for a in args])
        several = type(out) is tuple
        outs = tuple([self._new(o) for o in out]) if several else (self._new(out),)
        constants = self.constants
        for slot in slots:
            if slot not in constants:
                break
        else:  # so is the result
            constants.update(zip(outs, [o._value for o in (out if several else (out,))], strict=True))
            if self.linked.isdisjoint(slots):
                return
            self.linked.update(outs)
        self.instructions.append(Apply(primitive, slots, params, outs, several))
        if primitive.data_shaped and outs[0] not in constants:
            for slot, made in zip(outs, out if several else (out,), strict=True):
                self._guard(slot, shape_and_dtype, made._value)

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Note the value of a variable when the program begins, or after an assignment."""
        known = self.held.get(id(variable))
        if known is None:
            if tensor._id in self.slots and id(variable) not in self.created:
                self.give_up("the value of a variable is an argument too")
            slot = self._source(tensor)
            self.held[id(variable)] = (variable, slot)
            self.met[id(variable)] = variable
            if self.called:
                self.instructions.append(Read(variable, slot))
            elif id(variable) in self.created:
                self.constants[slot] = tensor._value
            else:
                self.reads.append((variable, slot))
        else:
            if self.slots.get(tensor._id) != known[1]:
                self.give_up("a variable was changed by another thread")
            if id(variable) in self.assigned:
                self.instructions.append(Reread(variable, known[1]))

    # What a capture is told besides.

    def settle(self, tensor: Tensor, observe: Callable[[Any], Any]) -> None:
        """Guard what `observe` makes of a value, unless that is a constant."""
        while type(tensor._value) is Batched:  # of one example: what counts is known of all
            if type(tensor._value.array) is not Tensor:
                return
            tensor = tensor._value.array
            observe = agreement if observe is truth else observe
        if self.varies(tensor):
            self._guard(self.slot_of(tensor), observe, tensor._value)

    def varies(self, tensor: Tensor) -> bool:
        """Whether a value comes from arguments, variables or random numbers."""
        slot = self.slots.get(tensor._id)
        if slot is None and tensor._id > self.start:
            slot = self._by_value(tensor._value)
        return slot is not None and slot not in self.constants

    def knows(self, tensor: Tensor) -> bool:
        """Whether this very Tensor comes from arguments, variables or random numbers."""
        slot = self.slots.get(tensor._id)
        return slot is not None and slot not in self.constants

    def _guard(self, slot: Slot, observe: Callable[[Any], Any], value: Any) -> None:
        if (slot, observe) not in self.settled:
            self.settled.add((slot, observe))
            self.instructions.append(Guard(slot, observe, observe(value), user_line()))

    def alias(self, tensor: Tensor, made: Tensor) -> None:
        """Note a Tensor with the value of another."""
        slot, out = self.slot_of(tensor), self._new(made)
        if slot in self.constants:
            self.constants[out] = made._value
        else:
            self.instructions.append(Detach(slot, out))

    def create(self, variable: Cell) -> None:
        """Note a new variable."""
        self.created[id(variable)] = variable
        self.read(variable, variable._tensor)

    def assign(self, variable: Cell, before: Tensor, tensor: Tensor, after: Tensor) -> None:
        """Note an assignment."""
        key = id(variable)
        self.journal.before.setdefault(key, (variable, before))
        slot = self.slot_of(tensor)
        out = self._new(after)
        self.instructions.append(Assign(variable, slot, out))
        self.held[key] = self.pending[key] = (variable, out)
        self.met[key] = variable
        self.assigned.add(key)

    def check(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Note a check."""
        self.instructions.append(Check(function, tuple(map(self.slot_of, args))))

    def effect(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Call a function for its effect unless an earlier attempt has, and keep the call."""
        if not self.silent or self.journal.position < len(self.journal.returned):
            self.journal.call(function, [raw(a) for a in args])
        self.instructions.append(Effect(function, tuple(map(self.slot_of, args))))

    def external(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call a function that nobody listens to, and keep the call."""
        slots = tuple(map(self.slot_of, args))
        variables = tuple(self.met.values())
        pending = tuple(self.pending.values())
        self._forget_variables(variables)
        try:
            returned = self.journal.call(function, [raw(a) for a in args], variables)
        except Exception:
            self.give_up("a Python function that it calls raises an error")  # if it is caught
            raise
        several = type(returned) is tuple
        made = tuple([wrap(v) for v in returned]) if several else (wrap(returned),)
        outs = tuple(map(self._new, made))
        self.instructions.append(External(function, slots, outs, several, pending, variables))
        for slot, tensor in zip(outs, made, strict=True):
            self._guard(slot, shape_and_dtype, tensor._value)
        self.untold = "it calls a Python function that may do anything"
        return made if several else made[0]

    def _forget_variables(self, variables: tuple[Cell, ...]) -> None:
        """Read variables anew from now on: something may change them, now or in a replay."""
        for variable in variables:
            variable._tensor = Tensor(variable._tensor._value)  # a handle of its own: the old one means the old value
        self.held, self.pending, self.assigned = {}, {}, set()
        self.called = True

    def draw(self, op_seed: int | None) -> Tensor:
        """Draw a key, and keep that."""
        key = Tensor(self.journal.key(op_seed))
        self.instructions.append(Draw(op_seed, self._new(key)))
        return key

    def give_up(self, reason: str) -> None:
        """Note that this cannot be repeated."""
        self.reason = self.reason or f"{reason} ({user_line()})"

    # The end.

    def finish(self, outputs: list[Tensor]) -> None:
        """Make the program, which gives these outputs."""
        slots = tuple(map(self.slot_of, outputs))
        whole = Program(
            name=self.name,
            inputs=self.inputs,
            reads=self.reads,
            constants=self.constants,
            instructions=self.instructions,
            outputs=slots,
            shapes=self.shapes,
            untold=self.untold,
            handles=self.handles,
        )
        self.finished = pruned(whole)

    def undo(self) -> None:
        """Give variables and random streams back what they had."""
        self.journal.undo()
        self.journal.close()


class capturing:
    """A block that a recording hears all of, below every other recorder."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def __enter__(self) -> Recording:
        STATE.recorders = (self.recording, *STATE.recorders)
        STATE.capture = self.recording
        return self.recording

    def __exit__(self, *error: object) -> None:
        STATE.capture = None
        STATE.recorders = tuple([r for r in STATE.recorders if r is not self.recording])


def user_line() -> str:
    """Where the innermost code is that is neither ours nor Keras'."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE) and f"{os.sep}keras{os.sep}" not in name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"
