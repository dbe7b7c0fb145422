"""`Overhearing`: listens, while a capture runs, to a Python function that is called as a whole.

What it does is no part of the program. But if it uses a tensor of the program that it was not given, which a replay
could not hand to it, the program must not be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.ops.sampling import SEEDS


class Overhearing:
    """A capture, as far as others can see, that keeps nothing and looks out for tensors of another one."""

    silent = False

    def __init__(self, recording: Any) -> None:
        self.recording = recording

    def settle(self, tensor: Tensor, observe: Callable[[Any], Any]) -> None:
        """Note that Python looks at a tensor."""
        if type(tensor) is Tensor and self.recording.knows(tensor):
            self.recording.give_up("a Python function uses a tensor without being given it")

    def record(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Look at the arguments of a primitive."""
        for value in args:
            self.settle(value, raw)

    def alias(self, tensor: Tensor, made: Tensor) -> None:
        """Look at the tensor."""
        self.settle(tensor, raw)

    def varies(self, tensor: Tensor) -> bool:
        """Nothing does, in what is run only once."""
        return False

    def read(self, variable: Any, tensor: Tensor) -> None:
        """Variables may be read."""

    def assign(self, variable: Any, before: Tensor, tensor: Tensor, after: Tensor) -> None:
        """Variables may change, but not to a tensor of the program."""
        self.settle(tensor, raw)

    def create(self, variable: Any) -> None:
        """Variables may be made."""

    def check(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Look at what is checked."""
        self.record(function, args, {}, None)

    def effect(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Let it happen."""
        self.check(function, args)
        function(*map(raw, args))

    def external(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Let it happen."""
        self.check(function, args)
        found = function(*map(raw, args))
        return tuple(map(wrap, found)) if type(found) is tuple else wrap(found)

    def draw(self, op_seed: int | None) -> Tensor:
        """A draw as outside of functions."""
        return Tensor(SEEDS.next(op_seed)[1])

    def give_up(self, reason: str) -> None:
        """It is not repeated, only called again."""
