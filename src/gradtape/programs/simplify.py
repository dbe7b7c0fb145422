"""Passes over programs. Each maps a program to one that gives the same results, guards and effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradtape.core.primitive import KERNEL_ERRORS
from gradtape.core.recorder import FLOATING_POINT, QUIET
from gradtape.programs.program import (
    Apply,
    Assign,
    Check,
    Detach,
    Draw,
    Effect,
    External,
    Fused,
    Guard,
    Instruction,
    Program,
    Read,
    Reread,
    Slot,
    pruned,
)

FOLDED = 1 << 16
"""How many elements a result computed beforehand may have."""


def simplified(program: Program) -> Program:
    """The program for a replay that nobody listens to: what is left is what has to be computed each time."""
    for simplify in (resolved, folded, shared, pruned):
        program = simplify(program)
    return program


def _renamed(instruction: Instruction, name: dict[Slot, Slot]) -> Instruction:
    """An instruction with other names for the slots that it uses."""
    if type(instruction) is Apply:  # most of them, so asked first
        primitive, args, params, outs, several = instruction
        if name.keys().isdisjoint(args):
            return instruction
        return Apply(primitive, tuple([name.get(s, s) for s in args]), params, outs, several)
    match instruction:
        case Check(_, args) | Effect(_, args):
            return instruction._replace(args=tuple([name.get(s, s) for s in args]))
        case External(_, args, _, _, pending, _):
            bound = tuple([(variable, name.get(s, s)) for variable, s in pending])
            return instruction._replace(args=tuple([name.get(s, s) for s in args]), pending=bound)
        case Guard(slot) | Assign(_, slot, _):
            return instruction._replace(slot=name.get(slot, slot))
    return instruction


def _with(program: Program, kept: list[Instruction], name: dict[Slot, Slot]) -> Program:
    """The program with other instructions, and its outputs by other names."""
    return replace(program, instructions=kept, outputs=tuple([name.get(s, s) for s in program.outputs]))


def resolved(program: Program) -> Program:
    """One slot for each value: assignments come last, and only the last one to each variable.

    Those before an external call are part of that.
    """
    name: dict[Slot, Slot] = {}
    kept: list[Instruction] = []
    last: dict[int, Assign] = {}
    for instruction in program.instructions:
        if type(instruction) is Apply:
            if instruction.outs[0] not in program.constants:  # if one is, all are
                kept.append(_renamed(instruction, name))
            continue
        match instruction:
            case Assign(variable, slot, out):
                name[out] = name.get(slot, slot)
                last[id(variable)] = Assign(variable, name[out], out)
            case Detach(slot, out):
                name[out] = name.get(slot, slot)
            case Reread():
                pass
            case _:
                kept.append(_renamed(instruction, name))
                if isinstance(instruction, External):
                    last = {}
    kept += last.values()
    return _with(program, kept, name)


def folded(program: Program) -> Program:
    """Without what depends on constants alone: it becomes a constant."""
    constants = dict(program.constants)
    kept: list[Instruction] = []
    token = FLOATING_POINT.set(QUIET)
    try:
        for instruction in program.instructions:
            if type(instruction) is Apply and all(map(constants.__contains__, instruction.args)):
                made = _computed(instruction, [constants[s] for s in instruction.args])
                if made is not None:
                    constants.update(zip(instruction.outs, made, strict=True))
                    continue
            kept.append(instruction)
    finally:
        FLOATING_POINT.reset(token)
    return replace(_with(program, kept, {}), constants=constants)


def _computed(instruction: Apply, values: list[Any]) -> list[Any] | None:
    """The results of an application to constants, or None if it fails or they are large."""
    if not any(isinstance(v, np.ndarray | np.generic) for v in values):
        return None
    try:
        made = instruction.primitive.kernel(*values, **instruction.params)
    except KERNEL_ERRORS:  # it will fail again where it stands
        return None
    results = [instruction.primitive.made(m)._value for m in (made if instruction.several else (made,))]
    return results if sum(r.size for r in results) <= FOLDED else None


def shared(program: Program) -> Program:
    """Each application once: the same primitive of the same values gives the same."""
    known: dict[Any, tuple[Slot, ...]] = {}
    name: dict[Slot, Slot] = {}
    numbers: dict[tuple[type, str], Slot] = {}
    for slot, value in program.constants.items():
        if type(value) in (int, float, bool):
            name[slot] = numbers.setdefault((type(value), repr(value)), slot)
    kept: list[Instruction] = []
    for instruction in program.instructions:
        instruction = _renamed(instruction, name)
        if type(instruction) is Apply:
            before = _known(known, instruction)
            if before is not None:
                name.update(zip(instruction.outs, before, strict=True))
                continue
        kept.append(instruction)
    return _with(program, kept, name)


def _known(known: dict[Any, tuple[Slot, ...]], instruction: Apply) -> tuple[Slot, ...] | None:
    """The results of the same application before, or None: then, or if its parameters do not compare, it is new."""
    params = tuple([(name, _same(value)) for name, value in instruction.params.items()])
    try:
        before = known.setdefault((instruction.primitive, instruction.args, params), instruction.outs)
    except TypeError:
        return None
    return None if before is instruction.outs else before


def _same(value: Any) -> Any:
    """What a static parameter is the same by: zeros differ in their sign, and 1 is neither 1.0 nor True."""
    kind = type(value)
    if kind is tuple:
        return tuple([_same(v) for v in value])
    return kind, repr(value) if kind in (float, complex) else value


def made_by(instruction: Instruction) -> tuple[Slot, ...]:
    """The slots that an instruction fills."""
    if type(instruction) is Apply:
        return instruction.outs
    match instruction:
        case External(_, _, outs, _, _, _) | Fused(_, _, outs):
            return outs
        case Draw(_, out) | Read(_, out):
            return (out,)
    return ()


def used_by(instruction: Instruction) -> tuple[Slot, ...]:
    """The slots that an instruction reads."""
    if type(instruction) is Apply:
        return instruction.args
    match instruction:
        case Check(_, args) | Effect(_, args) | Fused(_, args, _):
            return args
        case External(_, args, _, _, pending, _):
            return (*args, *[slot for _, slot in pending])
        case Guard(slot) | Assign(_, slot, _) | Detach(slot, _):
            return (slot,)
    return ()
