"""The recorders that are told about every application of a primitive, one stack per thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from gradtape.core.batching import Level
    from gradtape.core.cell import Cell
    from gradtape.core.primitive import Primitive
    from gradtape.core.tensor import Tensor


class Recorder(Protocol):
    """What a tape, a forward accumulator or a capture looks like to the primitives."""

    def record(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Note one application: `args` are Tensors or raw values, `out` a Tensor or a tuple of them."""

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Note that `variable` was read and that `tensor` is the value it had."""


class Capture(Recorder, Protocol):
    """A recorder that will repeat what it hears, and so must hear of all that is not a primitive too.

    A `silent` one wants to know only: nothing is to happen outside.
    """

    silent: bool

    def settle(self, tensor: Tensor, observe: Callable[[Any], Any]) -> None:
        """Note that Python goes on with what `observe` makes of the value: repeat only where that is the same."""

    def varies(self, tensor: Tensor) -> bool:
        """Whether a value may be another one next time."""

    def alias(self, tensor: Tensor, made: Tensor) -> None:
        """Note that `made` has the value of `tensor`, but no gradient flows between them."""

    def assign(self, variable: Cell, before: Tensor, tensor: Tensor, after: Tensor) -> None:
        """Note that `variable`, which held `before`, got the value of `tensor` and now holds `after`."""

    def create(self, variable: Cell) -> None:
        """Note that a variable was made."""

    def check(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Note that `function` of these values may raise an error."""

    def effect(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Call `function` of these values for what it does outside, and note that it is to be called."""

    def external(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call `function`, about which nothing is known, on values; give what it returns, a Tensor or tuple of them."""

    def draw(self, op_seed: int | None) -> Tensor:
        """The key of the next draw from the stream of an op's seed; note that it is drawn."""

    def give_up(self, reason: str) -> None:
        """Note that this cannot be repeated."""


class _ThreadState(threading.local):
    recorders: tuple[Recorder, ...] = ()
    capture: Capture | None = None
    level: Level | None = None  # the batching that this thread is in


ACTIVE: list[Level] = []
"""The batchings under way in all threads: while there are none, no primitive has to ask its thread."""


STATE = _ThreadState()


def listening() -> bool:
    """Whether anybody hears of this thread's operations, also from outside of a batching."""
    return bool(STATE.recorders) or (STATE.level is not None and STATE.level.heard)


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
    """Run a block with exactly these recorders listening, and the capture if there is one: it misses nothing.

    Inside of a batching it hears of the operations on all examples anyway.
    """
    before = STATE.recorders
    capture = STATE.capture
    STATE.recorders = recorders if capture is None or STATE.level or capture in recorders else (capture, *recorders)
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
