"""`Program`: what a capture heard, as instructions over numbered slots.

A slot holds one value. Every argument of an instruction is a slot: of an input, of the value that a variable had when
the program began, of a constant, or of the result of an earlier instruction. Slots are assigned once. Passes map
programs to programs; `Apply` is what they are about, the other instructions keep their order among themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradtape.core.cell import Cell
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor

Slot = int


class Apply(NamedTuple):
    """Apply a primitive. With `several`, it gives a tuple with a value for each of `outs`; else there is one."""

    primitive: Primitive
    args: tuple[Slot, ...]
    params: dict[str, Any]
    outs: tuple[Slot, ...]
    several: bool


class Guard(NamedTuple):
    """Go on only if `observe` still makes `expected` of the value, which the user's line at `source` looks at."""

    slot: Slot
    observe: Callable[[Any], Any]
    expected: Any
    source: str


class Draw(NamedTuple):
    """Take the next key of the random stream of an op's seed (or of the ops without one)."""

    op_seed: int | None
    out: Slot


class Check(NamedTuple):
    """Call a function that raises an error if it does not like the values."""

    function: Callable[..., Any]
    args: tuple[Slot, ...]


class Effect(NamedTuple):
    """Call a function for what it does outside, when nothing can fail any more or an external call follows."""

    function: Callable[..., Any]
    args: tuple[Slot, ...]


class External(NamedTuple):
    """Call a function that may do and return anything. It is called once, also if a later guard fails.

    It may look at variables, so those assigned to since the last such call (`pending`) get their values before. It may
    change them too: the journal has to know which ones the program has met so far (`variables`).
    """

    function: Callable[..., Any]
    args: tuple[Slot, ...]
    outs: tuple[Slot, ...]
    several: bool
    pending: tuple[tuple[Cell, Slot], ...]
    variables: tuple[Cell, ...]


class Assign(NamedTuple):
    """Give a variable the value of a slot, in the end; until then reading the variable means `out`."""

    variable: Cell
    slot: Slot
    out: Slot


class Read(NamedTuple):
    """Read a variable after an external call."""

    variable: Cell
    out: Slot


class Reread(NamedTuple):
    """Read a variable that the program has assigned to. Its value is in the slot; recorders are told."""

    variable: Cell
    slot: Slot


class Detach(NamedTuple):
    """Make `out` the value of a slot without a gradient."""

    slot: Slot
    out: Slot


class Fused(NamedTuple):
    """Elementwise applications over arrays of one shape, part by part: what stays inside never leaves the cache."""

    applications: tuple[Apply, ...]
    args: tuple[Slot, ...]
    outs: tuple[Slot, ...]


Instruction = Fused | Apply | Guard | Draw | Check | Effect | External | Assign | Read | Reread | Detach


class Shape(NamedTuple):
    """What is known of the value of a slot beforehand."""

    shape: tuple[int, ...]
    dtype: Any


@dataclass(slots=True)
class Program:
    """Instructions in order, and where values come from and go to.

    What is computed from constants is a constant too, and an instruction only for those who listen to the constants'
    handles. `shapes` has an entry for each slot that holds an array. `final` says what the variables hold in the end.
    """

    name: str
    inputs: tuple[Slot, ...]
    reads: list[tuple[Cell, Slot]]
    constants: dict[Slot, Any]
    instructions: list[Instruction]
    outputs: tuple[Slot, ...]
    shapes: dict[Slot, Shape]
    untold: str = ""  # why it cannot be told to recorders, if it cannot
    handles: dict[Slot, Tensor] = field(default_factory=dict)  # the Tensors behind constants that had one

    @property
    def rest(self) -> list[Instruction]:
        """The instructions that are no applications of primitives: few."""
        return [i for i in self.instructions if type(i) is not Apply]

    @property
    def final(self) -> dict[int, tuple[Cell, Slot]]:
        """The last assignment to each variable, by id, in the order of the first ones, after all external calls."""
        found: dict[int, tuple[Cell, Slot]] = {}
        for instruction in self.rest:
            if isinstance(instruction, Assign):
                found[id(instruction.variable)] = (instruction.variable, instruction.slot)
            elif isinstance(instruction, External):
                found = {}
        return found

    @property
    def guards(self) -> list[Guard]:
        """The guards in order."""
        return [i for i in self.rest if isinstance(i, Guard)]

    def pretty(self) -> str:
        """The program as text, a line per instruction."""
        lines = [f"program {self.name}({', '.join(map(self._typed, self.inputs))})"]
        lines += [f"  {self._typed(slot)} = read {_variable(cell)}" for cell, slot in self.reads]
        lines += [f"  %{slot} = constant {_short(value)}" for slot, value in self.constants.items()]
        lines += [f"  {self._line(i)}" for i in self.instructions]
        return "\n".join([*lines, f"  return {_row(self.outputs)}"])

    def _typed(self, slot: Slot) -> str:
        known = self.shapes.get(slot)
        return f"%{slot}" if known is None else f"%{slot}: {known.dtype}{list(known.shape)}"

    def _line(self, instruction: Instruction) -> str:
        match instruction:
            case Apply(primitive, args, params, outs, _):
                made = ", ".join(map(self._typed, outs))
                static = "".join([f", {k}={_short(v)}" for k, v in params.items()])
                return f"{made} = {primitive.__name__}({_row(args)}{static})"
            case Fused(applications, args, outs):
                inner = [f"    {self._line(a)}" for a in applications]
                return "\n".join([f"{_row(outs)} = fused({_row(args)})", *inner])
            case Guard(slot, observe, expected, _):
                return f"guard {observe.__name__}(%{slot}) == {_short(expected)}"
            case Draw(op_seed, out):
                return f"%{out} = draw{'' if op_seed is None else f' from stream {op_seed}'}"
            case Check(function, args):
                return f"check {_name(function)}({_row(args)})"
            case Effect(function, args):
                return f"effect {_name(function)}({_row(args)})"
            case External(function, args, outs, _, _, _):
                return f"{_row(outs)}{' = ' if outs else ''}external {_name(function)}({_row(args)})"
            case Assign(variable, slot, out):
                return f"%{out} = assign {_variable(variable)} %{slot}"
            case Read(variable, out):
                return f"{self._typed(out)} = read {_variable(variable)}"
            case Reread(variable, slot):
                return f"%{slot} = read again {_variable(variable)}"
            case Detach(slot, out):
                return f"%{out} = detach %{slot}"


def pruned(program: Program) -> Program:
    """The program without what no output, guard, check, effect or assignment needs."""
    needed: set[Slot] = set(program.outputs)
    kept: list[Instruction] = []
    for instruction in reversed(program.instructions):
        if type(instruction) is Apply:  # most of them, so asked first
            if not needed.isdisjoint(instruction.outs):
                needed.update(instruction.args)
                kept.append(instruction)
            continue
        match instruction:
            case Detach(slot, out):
                if out not in needed:
                    continue
                needed.add(slot)
            case Read(_, out):
                if out not in needed:
                    continue
            case Guard(slot) | Assign(_, slot, _):
                needed.add(slot)
            case Check(_, args) | Effect(_, args):
                needed.update(args)
            case External(_, args, _, _, pending, _):
                needed.update(args)
                needed.update([slot for _, slot in pending])
        kept.append(instruction)
    kept.reverse()
    return Program(
        name=program.name,
        inputs=program.inputs,
        reads=program.reads,
        constants={slot: value for slot, value in program.constants.items() if slot in needed},
        instructions=kept,
        outputs=program.outputs,
        shapes=program.shapes,
        untold=program.untold,
        handles={slot: tensor for slot, tensor in program.handles.items() if slot in needed},
    )


def _row(slots: tuple[Slot, ...]) -> str:
    return ", ".join([f"%{slot}" for slot in slots])


def _variable(cell: Cell) -> str:
    return str(getattr(cell, "name", "variable"))


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__).strip("_")


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
