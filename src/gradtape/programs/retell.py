"""Run a program through its primitives, so that tapes and other recorders hear of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, raw
from gradtape.programs.emit import GuardFailed
from gradtape.programs.journal import Journal
from gradtape.programs.program import (
    Apply,
    Assign,
    Check,
    Detach,
    Draw,
    Effect,
    External,
    Guard,
    Program,
    Read,
    Reread,
    Slot,
)


def retell(program: Program, inputs: Sequence[Tensor], journal: Journal) -> list[Tensor]:
    """The outputs; variables and the outside change at the end, as in a replay. Raises GuardFailed likewise."""
    held: dict[Slot, Any] = {**program.constants, **program.handles}
    held.update(zip(program.inputs, inputs, strict=True))
    for cell, slot in program.reads:
        tensor = held[slot] = cell._read()
        if tensor._value.shape != program.shapes[slot].shape:
            raise GuardFailed(-1, None)
    guards = 0
    finals: dict[int, tuple[Any, Tensor]] = {}
    for instruction in program.instructions:
        match instruction:
            case Apply(primitive, args, params, outs, several):
                values = [held[s] for s in args]
                made = primitive(*values, **params)
                if not any(type(v) is Tensor for v in values):
                    made = primitive.made(made)
                held.update(zip(outs, made if several else (made,), strict=True))
            case Guard(slot, observe, expected, _):
                seen = observe(raw(held[slot]))
                if seen != expected:
                    raise GuardFailed(guards, seen)
                guards += 1
            case Draw(op_seed, out):
                held[out] = Tensor(journal.key(op_seed))
            case Check(function, args):
                function(*[raw(held[s]) for s in args])
            case Assign(variable, slot, out):
                held[out] = Tensor(raw(held[slot]))
                finals[id(variable)] = (variable, held[out])
            case Reread(variable, slot):
                for recorder in STATE.recorders:
                    recorder.read(variable, held[slot])
            case Detach(slot, out):
                held[out] = Tensor(raw(held[slot]))
            case Effect() | External() | Read():
                pass  # with external calls it is not told
    journal.committed = True
    for variable, tensor in finals.values():
        variable._tensor = tensor
    for instruction in program.instructions:
        if isinstance(instruction, Effect):
            instruction.function(*[raw(held[s]) for s in instruction.args])
    return [_tensor(held[s]) for s in program.outputs]


def _tensor(value: Any) -> Tensor:
    return value if type(value) is Tensor else Tensor(value)
