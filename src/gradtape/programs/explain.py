"""What a function says of itself: its signatures, the paths captured, why, and what a replay of each is like."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gradtape.programs.emit import GuardFailed
from gradtape.programs.paths import Entry, Path
from gradtape.programs.program import Apply, Fused, Program, Slot
from gradtape.programs.simplify import made_by, used_by

SHOWN = 16
"""How many guards of a path are listed."""


def explained(name: str, entries: Sequence[Entry]) -> str:
    """How many programs there are, why each was captured, and what is in them."""
    lines = [f"{name}: {len(entries)} signature(s), {sum([len(e.paths) for e in entries])} program(s)"]
    for entry in entries:
        lines.append(f"  {described(entry.key)}")
        if entry.eager:
            lines.append(f"    runs eagerly: {entry.eager}")
        for path in entry.paths:
            lines += [f"    {line}" for line in _of_path(path)]
    return "\n".join(lines)


def _of_path(path: Path) -> list[str]:
    program = path.program
    guards = program.guards
    lines = [f"path of {len(program.instructions)} instructions, {len(guards)} guard(s), captured for {path.reason}"]
    lines += [f"  {g.observe.__name__} is {_short(g.expected)} in {g.source}" for g in guards[:SHOWN]]
    emitted = path.emitted().program
    fused = [i for i in emitted.instructions if isinstance(i, Fused)]
    inside = sum([len(i.applications) for i in fused])
    applied = sum([isinstance(i, Apply) for i in emitted.instructions])
    lines.append(
        f"  a replay applies {applied + inside} primitives, {inside} of them fused into {len(fused)} pass(es), "
        f"and holds at most {peak(emitted):,} bytes of new arrays"
    )
    return lines


def peak(program: Program) -> int:
    """How many bytes of what a replay makes are alive at the same time at most, views counted as arrays."""
    last: dict[Slot, int] = {}
    for number, instruction in enumerate(program.instructions):
        last.update(dict.fromkeys(used_by(instruction), number))
    last.update(dict.fromkeys(program.outputs, len(program.instructions)))
    alive: dict[Slot, int] = {}
    held = most = 0
    for number, instruction in enumerate(program.instructions):
        for slot in made_by(instruction):
            known = program.shapes[slot]
            alive[slot] = prod(known.shape) * known.dtype.itemsize
            held += alive[slot]
        most = max(most, held)
        for slot in {*used_by(instruction), *made_by(instruction)}:
            if last.get(slot, -1) <= number:
                held -= alive.pop(slot, 0)
    return most


def complaint_of(program: Program, failed: GuardFailed) -> str:
    """What keeps a function from finding a path that it knows."""
    if failed.index < 0:
        return "the shape of a variable keeps changing"
    return f"{program.guards[failed.index].source} reads a value that keeps changing"


def reason_of(program: Program, failed: GuardFailed) -> str:
    """Why this program was not the one."""
    if failed.index < 0:
        return "another shape of a variable"
    guard = program.guards[failed.index]
    return f"{guard.observe.__name__} being {_short(failed.observed)} in {guard.source}"


def described(key: Any) -> str:
    """A signature as text: dtypes and shapes, values, numbers of objects."""
    match key:
        case (np.dtype() as dtype, shape):
            return f"{dtype}{list(shape)}"
        case (type() as kind, tuple() as parts, *_):
            shown = ", ".join([described(p) for p in parts])
            return f"{kind.__name__}({shown})"
        case (type() as kind, value):
            return f"{kind.__name__} {value}"
        case (name, part):
            return f"{name}={described(part)}"
    return str(key)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
