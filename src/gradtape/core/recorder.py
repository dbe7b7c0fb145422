"""The recorders that are told about every application of a primitive, one stack per thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from gradtape.core.cell import Cell
    from gradtape.core.primitive import Primitive
    from gradtape.core.tensor import Tensor


class Recorder(Protocol):
    """What a tape, a forward accumulator or a capture looks like to the primitives."""

    def record(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Note one application: `args` are Tensors or raw values, `out` a Tensor or a tuple of them."""

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Note that `variable` was read and that `tensor` is the value it had."""


class _ThreadState(threading.local):
    recorders: tuple[Recorder, ...] = ()


STATE = _ThreadState()


def push(recorder: Recorder) -> None:
    """Make `recorder` the innermost recorder of this thread."""
    STATE.recorders = (*STATE.recorders, recorder)


def pop(recorder: Recorder) -> None:
    """Remove `recorder` from this thread's recorders; recorders may leave in any order."""
    recorders = STATE.recorders
    if recorders and recorders[-1] is recorder:
        STATE.recorders = recorders[:-1]
    else:
        STATE.recorders = tuple([r for r in recorders if r is not recorder])


@contextmanager
def only(recorders: tuple[Recorder, ...]) -> Iterator[None]:
    """Run a block with exactly these recorders listening."""
    before = STATE.recorders
    STATE.recorders = recorders
    try:
        yield
    finally:
        STATE.recorders = before


def paused() -> Any:
    """Run a block that no recorder hears of."""
    return only(())


def _floating_point_state() -> tuple[ContextVar[Any], Any]:
    """NumPy's floating-point error state lives in a context variable: find it, and its value when all is ignored.

    Entering `np.errstate` costs more than a small op. Setting the variable that it sets costs a tenth of that, and
    leaves the user's own `np.seterr` as it was.
    """
    before = dict(copy_context().items())
    with np.errstate(all="ignore"):
        inside = copy_context()
    [(variable, value)] = [(k, v) for k, v in inside.items() if k not in before or before[k] is not v]
    return variable, value


FLOATING_POINT, QUIET = _floating_point_state()
