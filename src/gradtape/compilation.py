"""`tf.function` and what describes its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradtape.core.recorder import STATE
from gradtape.programs.function import Function, function
from gradtape.programs.spec import TensorSpec


@contextmanager
def init_scope() -> Iterator[None]:
    """Run a block outside of the function that is being captured: it happens now, and not at replays.

    Tapes do not hear of it either.

    >>> import gradtape as tf
    >>> count = tf.Variable(0)
    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         count.assign_add(1)
    ...     return count + 0
    >>> [int(f()) for _ in range(3)]
    [1, 1, 1]
    """
    recorders, capture = STATE.recorders, STATE.capture
    STATE.recorders, STATE.capture = (), None
    try:
        yield
    finally:
        STATE.recorders, STATE.capture = recorders, capture


__all__ = ["Function", "TensorSpec", "function", "init_scope"]
