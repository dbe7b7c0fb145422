"""Where values leave the world of primitives: into Python, into variables, onto the screen.

Eager programs just go on. A capture has to know, because what it repeats must do the same with other values: so code
that does more with a value than hand it to primitives takes it from here, never from a Tensor directly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core.batching import Batched, depth, differs, of_all
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, exact, raw, wrap


def settled(tensor: Tensor, observe: Callable[[Any], Any] = exact) -> Any:
    """The value of a Tensor, for Python code of which the course or the results depend on it.

    A capture repeats that code's results only for values of which `observe` makes the same.
    """
    if STATE.capture is not None:
        STATE.capture.settle(tensor, observe)
    return tensor._value


def decided(decide: Callable[[Any], Any], value: Any) -> Any:
    """What a function decides about the value of a Tensor (or a raw one), where only that decision counts."""
    if type(value) is not Tensor:
        return decide(of_all(value))
    return decide(of_all(settled(value, decide)))


def detached(tensor: Tensor) -> Tensor:
    """Another Tensor of the same value, which no gradient flows through."""
    value = tensor._value
    if type(value) is Batched and type(value.array) is Tensor:
        return Tensor(Batched(detached(value.array), value.level))
    made = Tensor(value)
    if STATE.capture is not None:
        STATE.capture.alias(tensor, made)
    return made


def check(function: Callable[..., Any], *args: Any) -> None:
    """Call a function on values (Tensors become those) that raises an error if it does not like them."""
    try:
        _checked(function, list(map(raw, args)))
    except Exception:
        for a in args:
            if type(a) is Tensor:
                settled(a)  # the program may catch the error and go on another way
        raise
    if STATE.capture is not None:
        if STATE.level is not None:
            raise differs("a check")
        STATE.capture.check(function, args)


def _checked(function: Callable[..., Any], values: list[Any]) -> None:
    """Call a check, for each example if the values are those of many."""
    levels = [v.level for v in values if type(v) is Batched]
    if not levels:
        function(*values)
        return
    level = max(levels, key=depth)
    for i in range(level.size):
        _checked(function, [raw(v.array)[i] if level.has(v) else v for v in values])


def effect(function: Callable[..., Any], *args: Any) -> None:
    """Call a function on values (Tensors become those) for what it does outside."""
    if STATE.capture is None:
        function(*map(raw, args))
        return
    if STATE.level is not None:
        raise differs("an effect")
    STATE.capture.effect(function, args)


def external(function: Callable[..., Any], *args: Any) -> Any:
    """Tensors of what a function returns (a raw value, or a tuple of them) of which nothing is known, given values."""
    if STATE.capture is not None:
        return STATE.capture.external(function, args)
    found = function(*map(raw, args))
    return tuple(map(wrap, found)) if type(found) is tuple else wrap(found)


def shape_and_dtype(value: Any) -> Any:
    """What to observe of a value if only its shape counts."""
    return value.shape, value.dtype
