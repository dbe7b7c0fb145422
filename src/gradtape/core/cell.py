"""`Cell`: what the machine knows of a variable, which is rebound to a new Tensor by every assignment."""

from __future__ import annotations

from gradtape.core.recorder import ACTIVE, STATE
from gradtape.core.tensor import Tensor


class Cell:
    """What the machine knows of a variable: the Tensor it holds now, and whether it is trainable."""

    __slots__ = ("__dict__", "__weakref__", "_order", "_tensor", "_trainable")

    def __init__(self, tensor: Tensor, trainable: bool) -> None:
        self._tensor = tensor
        self._order = tensor._id  # variables made later have larger ones
        self._trainable = trainable

    @property
    def _cell(self) -> Cell:
        """The variable itself; what stands for another one gives that."""
        return self

    def _read(self) -> Tensor:
        """The Tensor held now, the same object until the next assignment; the recorders are told."""
        tensor = self._tensor
        for recorder in STATE.recorders:
            recorder.read(self, tensor)
        if ACTIVE:
            self._tell_outside(tensor)
        return tensor

    def _peek(self) -> Tensor:
        """The Tensor held now, without telling the tapes: only a capture has to know where it comes from."""
        tensor = self._tensor
        if STATE.capture is not None:
            STATE.capture.read(self._cell, tensor)
        return tensor

    def _tell_outside(self, tensor: Tensor) -> None:
        level = STATE.level
        while level is not None:
            for recorder in level.recorders:
                recorder.read(self, tensor)
            level = level.outer
