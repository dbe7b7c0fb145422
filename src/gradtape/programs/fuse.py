"""Fusion: elementwise applications over large arrays of one shape become one pass over parts that stay in the cache."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from gradtape.programs.program import Apply, Fused, Instruction, Program, Slot
from gradtape.programs.simplify import made_by, used_by

LARGE = 1 << 15
"""From how many elements on passes over memory cost more than cutting arrays in parts."""

Shape = tuple[int, ...]


class _Group:
    """Applications that wait to be emitted together."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.applications: list[tuple[int, Apply]] = []


def fused(program: Program) -> Program:
    """The program with runs of elementwise applications over large arrays made one instruction each.

    A group stays open, also past instructions that have nothing to do with it, until one needs what it makes.
    """
    shapes = [_shape(program, i) for i in program.instructions]
    if not any(shapes):
        return program
    needed = _users(program)
    kept: list[Instruction] = []
    open_groups: dict[Shape, _Group] = {}
    maker: dict[Slot, _Group] = {}

    def close(group: _Group) -> None:
        if open_groups.get(group.shape) is group:
            del open_groups[group.shape]
            kept.append(_closed(group, needed))

    for number, (instruction, shape) in enumerate(zip(program.instructions, shapes, strict=True)):
        own = open_groups.get(shape) if shape is not None else None
        for slot in used_by(instruction):
            if slot in maker and maker[slot] is not own:
                close(maker[slot])
        if shape is None:
            kept.append(instruction)
            continue
        if own is None:
            own = open_groups[shape] = _Group(shape)
        assert isinstance(instruction, Apply)
        own.applications.append((number, instruction))
        maker[instruction.outs[0]] = own
    for group in list(open_groups.values()):
        close(group)
    return replace(program, instructions=kept)


def _users(program: Program) -> dict[Slot, set[int]]:
    """The numbers of the instructions that use a slot; -1 for the end."""
    users: dict[Slot, set[int]] = {slot: {-1} for slot in program.outputs}
    for number, instruction in enumerate(program.instructions):
        for slot in used_by(instruction):
            users.setdefault(slot, set()).add(number)
    return users


def _shape(program: Program, instruction: Instruction) -> Shape | None:
    """The shape of a large array that an elementwise application makes of arrays of that shape, rows and numbers."""
    if not isinstance(instruction, Apply) or instruction.several:
        return None
    primitive = instruction.primitive
    if not (primitive.partials or primitive.broadcasts):
        return None
    shape = program.shapes[instruction.outs[0]].shape
    if prod(shape) < LARGE:
        return None
    for slot in instruction.args:
        own = program.shapes[slot].shape if slot in program.shapes else getattr(program.constants[slot], "shape", ())
        if own not in (shape, ()):
            return None
    return shape


def _closed(group: _Group, users: dict[Slot, set[int]]) -> Instruction:
    numbers = {number for number, _ in group.applications}
    if len(numbers) == 1:
        return group.applications[0][1]
    applications = tuple([a for _, a in group.applications])
    made = [s for a in applications for s in made_by(a)]
    args = dict.fromkeys(s for a in applications for s in a.args if s not in made)
    outs = tuple([s for s in made if not users.get(s, set()) <= numbers])
    return Fused(applications, tuple(args), outs)
