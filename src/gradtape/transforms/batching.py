"""`vectorized_map`: a function of one example, applied to all of them at once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from gradtape.base import nest
from gradtape.core.batching import Batched, DiffersError, Level, differs
from gradtape.core.convert import to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.rules import shape_of
from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.ops import batch_rules as batch_rules
from gradtape.ops.shaping import broadcast_to, stack

logger = logging.getLogger("gradtape")

_warned: set[str] = set()


def loop(primitive: Primitive, size: int, flags: tuple[bool, ...], args: list[Any], params: dict[str, Any]) -> Any:
    """The rule of primitives that have none: one example after the other, with a warning the first time."""
    name = primitive.__name__
    if name not in _warned:
        _warned.add(name)
        logger.warning("%s is applied to one example after the other: it has no batched form.", name)
    made = [primitive(*[a[i] if f else a for a, f in zip(args, flags, strict=True)], **params) for i in range(size)]
    if made and type(made[0]) is tuple:
        return tuple([_stacked(name, column) for column in zip(*made, strict=True)])
    return _stacked(name, made)


def _stacked(name: str, parts: Any) -> Any:
    if len({shape_of(p) for p in parts}) > 1:
        raise differs(f"the shape of the result of {name}")
    return stack(*parts, axis=0)


def vectorized(
    fn: Callable[[Any], Any], elems: Any, flat: list[Tensor], size: int, *, fall_back: bool, warn: bool
) -> Any:
    """Apply a function to all slices of `elems` (`flat` are its leaves) at once, and stack the results.

    With `fall_back` it goes on with one slice after the other if the function asks for a value that slices differ in.
    """
    level = Level(size, loop)
    try:
        with level.entered():
            slices = [Tensor(Batched(t if level.heard else t._value, level)) for t in flat]
            made = fn(nest.pack_sequence_as(elems, slices) if nest.is_nested(elems) else slices[0])
            results = [to_tensor(r, name="the result of fn") for r in nest.flatten(made)]
        stacked = [_whole(level, r) for r in results]
    except DiffersError as error:
        if not (fall_back and size):
            raise
        if warn:
            logger.warning("vectorized_map takes one slice after the other: %s", error.message)
        return _one_by_one(fn, elems, flat, size)
    return nest.pack_sequence_as(made, stacked) if nest.is_nested(made) else stacked[0]


def _whole(level: Level, result: Tensor) -> Tensor:
    value = raw(result)
    if level.has(value):
        array = value.array
        return array if type(array) is Tensor else wrap(array)
    made: Tensor = broadcast_to(result, shape=(level.size, *value.shape))
    return made


def _one_by_one(fn: Callable[[Any], Any], elems: Any, flat: list[Tensor], size: int) -> Any:
    made = [
        fn(nest.pack_sequence_as(elems, [t[i] for t in flat]) if nest.is_nested(elems) else flat[0][i])
        for i in range(size)
    ]
    columns = zip(*[[to_tensor(r, name="the result of fn") for r in nest.flatten(m)] for m in made], strict=True)
    stacked = [_stacked("fn", column) for column in columns]
    return nest.pack_sequence_as(made[0], stacked) if nest.is_nested(made[0]) else stacked[0]
