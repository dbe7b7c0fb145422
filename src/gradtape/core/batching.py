"""Batching: many examples at once, each primitive applied to all of them by one call with the batch axis first.

A `Batched` value looks like the value of one example (its shape and dtype) and holds those of all of them. Primitives
that meet one ask their batch rule, which applies primitives to the whole arrays: so what listens outside (a tape, an
outer batching) hears the batched operations, and what listens inside hears those of one example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gradtape.base.errors import InvalidArgumentError, invalid
from gradtape.core.recorder import ACTIVE, FLOATING_POINT, QUIET, STATE, Recorder
from gradtape.core.tensor import Tensor, raw, wrap

if TYPE_CHECKING:
    from gradtape.core.primitive import Primitive

    P = TypeVar("P", bound=Primitive)

Rule = Callable[["Primitive", int, tuple[bool, ...], list[Any], dict[str, Any]], Any]
"""A batch rule: `rule(primitive, size, flags, args, params)`, where the flagged arguments have the batch axis first."""


class Level:
    """One batching: its size, who listened when it began, and the batching it is inside of."""

    __slots__ = ("fallback", "heard", "outer", "recorders", "size")

    def __init__(self, size: int, fallback: Rule) -> None:
        self.size = size
        self.fallback = fallback
        self.recorders: tuple[Recorder, ...] = STATE.recorders
        self.outer: Level | None = STATE.level
        self.heard = bool(self.recorders) or (self.outer is not None and self.outer.heard)

    def has(self, value: Any) -> bool:
        """Whether this is a value of this batching."""
        return type(value) is Batched and value.level is self

    def whole(self, value: Any) -> Any:
        """The array of all examples, of a value or Tensor of this batching; repeated if it is the same for all."""
        found = raw(value)
        if self.has(found):
            return found.array
        return np.broadcast_to(found, (self.size, *np.shape(found)))

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Run a block inside: only what is pushed there hears of single examples."""
        ACTIVE.append(self)
        STATE.level, STATE.recorders = self, ()
        try:
            yield
        finally:
            STATE.level, STATE.recorders = self.outer, self.recorders
            ACTIVE.remove(self)

    def apply(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Apply a primitive to all examples, outside of this batching; once if none of the arguments is batched."""
        inside = STATE.recorders
        flags = tuple([self.has(raw(a)) for a in args])
        STATE.level, STATE.recorders = self.outer, self.recorders
        try:
            if not any(flags):
                return primitive(*args, **params)
            same = args if self.heard else map(raw, args)
            whole = [raw(a).array if flag else s for a, s, flag in zip(args, same, flags, strict=True)]
            out = (primitive.batch or self.fallback)(primitive, self.size, flags, whole, params)
        finally:
            STATE.level, STATE.recorders = self, inside
        return tuple([Batched(o, self) for o in out]) if type(out) is tuple else Batched(out, self)


def apply_in_batch(primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Apply a primitive inside of a batching, and tell who listens there."""
    assert STATE.level is not None
    token = FLOATING_POINT.set(QUIET)
    try:
        value = STATE.level.apply(primitive, args, params)
    finally:
        FLOATING_POINT.reset(token)
    if not any(type(a) is Tensor for a in args):
        return value
    out = tuple(map(wrap, value)) if type(value) is tuple else wrap(value)
    for recorder in STATE.recorders:
        recorder.record(primitive, args, params, out)
    return out


class Batched:
    """The values of all examples, which looks like that of one."""

    __slots__ = ("array", "level")

    def __init__(self, array: Any, level: Level) -> None:
        self.array = array
        self.level = level

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        return tuple(raw(self.array).shape[1:])

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return raw(self.array).dtype

    @property
    def ndim(self) -> int:
        """The number of axes of one example."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of one example."""
        return int(np.prod(self.shape))

    def __repr__(self) -> str:
        return f"<{self.level.size} examples of shape {self.shape}, dtype {self.dtype}>"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Batched:
        if key == ():
            raise differs("the value")
        return Batched(self.array[(slice(None), *(key if type(key) is tuple else (key,)))], self.level)

    def reshape(self, *shape: Any) -> Batched:
        """The same elements in another shape."""
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        return Batched(raw(self.array).reshape(self.level.size, *sizes), self.level)

    def ravel(self) -> Batched:
        """The elements of each example in a row."""
        return self.reshape(-1)

    def __bool__(self) -> bool:
        """The truth of all examples, if they agree."""
        found = agreement(of_all(self))
        if found is None:
            raise differs("the truth value")
        return found

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            raise differs("an array to write into")
        level = max((v.level for v in inputs if type(v) is Batched), key=depth)
        if method == "reduce":
            axis = options.pop("axis", 0) if len(inputs) < 2 else inputs[1]
            return self._reduced(ufunc, axis, level, **options)
        if method != "__call__":
            raise differs(f"numpy.{ufunc.__name__}.{method}")
        rank = max(np.ndim(v) if type(v) is not Batched else v.ndim for v in inputs)
        whole = [lifted(raw(v.array), rank) if level.has(v) else v for v in inputs]
        out = ufunc(*whole, **options)
        return tuple([Batched(o, level) for o in out]) if type(out) is tuple else Batched(out, level)

    def _reduced(self, ufunc: Any, axis: Any, level: Level, **options: Any) -> Batched:
        axes = range(self.ndim) if axis is None else (axis,) if type(axis) is int else axis
        found = ufunc.reduce(raw(self.array), axis=tuple([a % self.ndim + 1 for a in axes]), **options)
        return Batched(found, level)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise differs("an array")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise differs(f"numpy.{function.__name__}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise differs(f"{name!r}")

    def __int__(self) -> int:
        raise differs("an int")

    def __float__(self) -> float:
        raise differs("a float")

    def __complex__(self) -> complex:
        raise differs("a complex number")


def _operators() -> None:
    """Give `Batched` the operators that rules use on raw values."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        for form in (f"__{name}__", f"__r{name}__"):
            setattr(Batched, form, getattr(np.lib.mixins.NDArrayOperatorsMixin, form))
    for name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Batched, f"__{name}__", getattr(np.lib.mixins.NDArrayOperatorsMixin, f"__{name}__"))
    Batched.__hash__ = None  # type: ignore[assignment]


_operators()


class DiffersError(InvalidArgumentError, TypeError):
    """A value that may differ between examples was asked for as if there were one."""


def differs(what: str) -> DiffersError:
    """The error for a value of one example, of which there are many."""
    return DiffersError(
        None,
        None,
        f"vectorized_map: {what} of a tensor was asked for, but examples may differ in it. Use tf.where or tf.cond for "
        "choices, and functions of tf for everything else; or tf.map_fn, which takes one example after the other.",
    )


def of_all(value: Any) -> Any:
    """The array of all examples behind a Tensor or raw value, for a choice that must suit each of them."""
    value = raw(value)
    while type(value) is Batched:
        value = raw(value.array)
    return value


def depth(level: Level) -> int:
    """How many batchings one is inside of."""
    count, outer = 0, level.outer
    while outer is not None:
        count, outer = count + 1, outer.outer
    return count


def agreement(value: Any) -> bool | None:
    """Whether all of many values count as true, or none; None if they differ."""
    true = np.asarray(value).ravel() != 0
    return bool(true.all()) if true.all() or not true.any() else None


# Batch rules. Arrays are those of all examples, Tensors if somebody outside listens.


def batched(rule: Rule) -> Callable[[P], P]:
    """Declare the batch rule of a primitive, above the decorator of its kind."""

    def declare(primitive: P) -> P:
        primitive.batch = rule
        return primitive

    return declare


def rank_of(array: Any) -> int:
    """The number of axes of an array, Tensor or Python scalar."""
    return np.ndim(raw(array)) if not hasattr(raw(array), "ndim") else raw(array).ndim


def lifted(array: Any, rank: int) -> Any:
    """Examples of a lower rank get axes of size 1 in front, behind the batch axis, as broadcasting does."""
    missing = rank + 1 - rank_of(array)
    return array[(slice(None), *[None] * missing)] if missing > 0 else array


def align(primitive: Primitive, size: int, flags: tuple[bool, ...], args: list[Any], params: dict[str, Any]) -> Any:
    """Of ops that broadcast: the op itself, once the ranks agree. Also of ops on the last axes of one argument."""
    rank = max([rank_of(a) - f for a, f in zip(args, flags, strict=True)])
    whole = [lifted(a, rank) if f else a for a, f in zip(args, flags, strict=True)]
    return primitive(*whole, **params)


def everywhere(size: int, flags: tuple[bool, ...], args: list[Any], repeat: Callable[..., Any]) -> list[Any]:
    """All arguments with the batch axis: those that are the same for all are repeated."""
    return [a if f else repeat(a, shape=(size, *np.shape(raw(a)))) for a, f in zip(args, flags, strict=True)]


Rewrite = Callable[[Any, int], Any]
"""What becomes of a static parameter when the batch axis comes first, given the size of the batch."""


def rewritten(params: dict[str, Any], how: dict[str, Rewrite], size: int) -> dict[str, Any]:
    """The static parameters for arrays with the batch axis first."""
    return {name: how[name](value, size) if name in how else value for name, value in params.items()}


def rewriting(**how: Rewrite) -> Rule:
    """Of ops of one array: the op itself, with static parameters rewritten for the batch axis."""

    def rule(primitive: Primitive, size: int, flags: tuple[bool, ...], args: list[Any], params: dict[str, Any]) -> Any:
        return primitive(*args, **rewritten(params, how, size))

    return rule


def plus_one(axis: Any, size: int) -> Any:
    """An axis, or several, counted from the front."""
    return axis + 1 if type(axis) is int else tuple([a + 1 for a in axis])


def with_size(shape: Any, size: int) -> Any:
    """A shape."""
    return (size, *shape)


def with_whole(key: Any, size: int) -> Any:
    """A basic index."""
    return (slice(None), *(key if type(key) is tuple else (key,)))


def with_first(first: Any) -> Rewrite:
    """A sequence with an entry per axis."""
    return lambda values, size: (first, *values)


def with_axis(perm: Any, size: int) -> Any:
    """A permutation of axes."""
    return (0, *[p + 1 for p in perm])


def check_unbatched(value: Any) -> None:
    """Refuse to keep a value of one example in a variable. Raises InvalidArgumentError."""
    if type(value) is Batched:
        raise invalid(
            "vectorized_map: a variable cannot be assigned a value that differs between examples; return it instead."
        )
