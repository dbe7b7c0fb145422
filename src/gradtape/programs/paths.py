"""What is known of a signature: the paths through the function that were captured for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.programs.emit import GuardFailed, Replay
from gradtape.programs.fuse import fused
from gradtape.programs.outputs import Structure
from gradtape.programs.program import Program, Read
from gradtape.programs.signature import Held, Signature
from gradtape.programs.simplify import simplified


class Path:
    """One course through a function: the program of it, the structure of what it returns, and why it was captured."""

    __slots__ = ("guards", "program", "reason", "replay", "shapes", "structure")

    def __init__(self, program: Program, structure: Structure, reason: str) -> None:
        self.reason = reason
        self.program = program
        self.structure = structure
        self.guards = [(g.observe, g.expected) for g in program.guards]
        reads = [*program.reads, *[(i.variable, i.out) for i in program.rest if isinstance(i, Read)]]
        self.shapes = [(id(cell), program.shapes[slot].shape) for cell, slot in reads]
        self.replay: Replay | None = None

    def like(self, other: Path) -> bool:
        """Whether this is the path for what another one is for."""
        return self.guards == other.guards and self.shapes == other.shapes

    def emitted(self) -> Replay:
        """What replays it, made when it is first wanted."""
        if self.replay is None:
            self.replay = Replay(fused(simplified(self.program)))
        return self.replay


class Entry:
    """What is known of one signature: the paths captured so far, the one taken last first."""

    __slots__ = ("eager", "held", "key", "paths", "quick")

    def __init__(self, signature: Signature, died: Callable[[Any], None]) -> None:
        self.key = signature.key
        self.held = Held(signature.objects, died)
        self.paths: list[Path] = []
        self.eager = ""  # why it runs eagerly, if it does
        self.quick: Any = None

    def after(self, path: Path, failed: GuardFailed, tried: list[Path]) -> Path | None:
        """Another path that what was observed does not rule out."""
        k = failed.index
        for other in self.paths:
            if other in tried:
                continue
            alike = k >= 0 and len(other.guards) > k and other.guards[k][0] is path.guards[k][0]
            if not alike or other.guards[:k] != path.guards[:k] or other.guards[k][1] == failed.observed:
                return other
        return None
