"""What datasets do with the elements of others, one after the other: generators over elements."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.data.counting import integer
from gradtape.data.structure import Element, aside, call, components, element, is_dataset, tensors

Start = Callable[[], Iterator[Element]]


def map_elements(source: Iterator[Element], function: Callable[..., Any]) -> Iterator[Element]:
    """The elements that a function makes."""
    for found in source:
        made = element(call(function, found))
        if made is None or (type(made) is tuple and not components(made)):
            raise invalid("`map_func` must return at least one tensor; it returned None or nothing.")
        yield made


def filter_elements(source: Iterator[Element], predicate: Callable[..., Any]) -> Iterator[Element]:
    """The elements for which a predicate holds."""
    for found in source:
        if holds(predicate, found):
            yield found


def take_while(source: Iterator[Element], predicate: Callable[..., Any]) -> Iterator[Element]:
    """The elements before the first one for which a predicate does not hold."""
    return itertools.takewhile(lambda found: holds(predicate, found), source)


def holds(predicate: Callable[..., Any], found: Element) -> bool:
    """What a predicate says. Raises ValueError if that is no scalar bool."""
    answer = call(predicate, found)
    value = np.asarray(to_tensor(answer)._value) if not isinstance(answer, list | tuple | dict) else None
    if value is None or value.dtype.kind != "b" or value.ndim:
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but it returned {answer!r}."
        )
    return bool(value)


def scan_elements(source: Iterator[Element], state: Element, function: Callable[..., Any]) -> Iterator[Element]:
    """The outputs of a function of a state and an element, which gives a new state and an output."""
    for found in source:
        answer = aside(function, tensors(state), tensors(found))
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise TypeError(f"`scan_func` must return a pair of new state and output, got {answer!r}.")
        state, made = element(answer[0]), element(answer[1])
        yield made


def repeated(start: Start, count: int | None) -> Iterator[Element]:
    """The elements over and over; without end for None. Nothing is repeated without end only once."""
    for _ in itertools.count() if count is None else range(count):
        empty = True
        for found in start():
            empty = False
            yield found
        if empty and count is None:
            return


def shuffled(source: Iterator[Element], size: int | None, generator: np.random.Generator) -> Iterator[Element]:
    """The elements in an order drawn with a buffer: each step gives one of what it holds, and fills its place again."""
    buffer = list(source if size is None else itertools.islice(source, size))
    if size is not None:
        for found in source:
            place = int(generator.integers(len(buffer)))
            buffer[place], chosen = found, buffer[place]
            yield chosen
    for place in generator.permutation(len(buffer)).tolist():
        yield buffer[place]


def unique_elements(source: Iterator[Element]) -> Iterator[Element]:
    """Each scalar or string once, where it comes first."""
    seen = set()
    for found in source:
        value = np.asarray(found).tobytes() if np.asarray(found).dtype.char != "O" else str(np.asarray(found).tolist())
        if value not in seen:
            seen.add(value)
            yield found


def interleaved(
    source: Iterator[Element], function: Callable[..., Any], cycle: int, block: int, name: str
) -> Iterator[Element]:
    """The elements of the datasets that a function makes: blocks in turn of as many datasets as are in the cycle."""
    slots: list[Iterator[Element] | None] = [None] * cycle
    ended, idle, place = False, 0, 0
    while idle < cycle:
        current = slots[place]
        if current is None and not ended:
            found = next(source, _END)
            if found is _END:
                ended = True
            else:
                current = slots[place] = _started(function, found, name)
        if current is None:
            idle, place = idle + 1, (place + 1) % cycle
            continue
        idle = 0
        given = 0
        for found in itertools.islice(current, block):
            given += 1
            yield found
        if given < block:
            slots[place] = None
        place = (place + 1) % cycle


def _started(function: Callable[..., Any], found: Element, name: str) -> Iterator[Element]:
    made = call(function, found)
    if not is_dataset(made):
        raise TypeError(f"`map_func` of `{name}` must return a `tf.data.Dataset` object. Got {type(made)}.")
    started: Iterator[Element] = made._start()
    return started


def chosen(sources: list[Iterator[Element]], choices: Iterator[int], stop_on_empty: bool) -> Iterator[Element]:
    """Elements of the sources whose numbers come, to the end of the choices (or of the first source to end)."""
    for number in choices:
        if not 0 <= number < len(sources):
            raise invalid(f"The choice {number} is not the number of one of {len(sources)} datasets.")
        found = next(sources[number], _END)
        if found is not _END:
            yield found
        elif stop_on_empty:
            return


def sampled(
    sources: list[Iterator[Element]], weights: list[float], generator: np.random.Generator, stop_on_empty: bool
) -> Iterator[Element]:
    """Elements of sources drawn by their weights, until all have ended (or the first one)."""
    left = np.asarray(weights, np.float64)
    while left.any():
        number = int(generator.choice(len(sources), p=left / left.sum()))
        found = next(sources[number], _END)
        if found is not _END:
            yield found
        elif stop_on_empty:
            return
        else:
            left[number] = 0.0


class Cache:
    """Elements that are kept when they have all been seen once."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._kept: list[Element] | None = None

    def __call__(self) -> Iterator[Element]:
        return self._fill() if self._kept is None else iter(self._kept)

    def _fill(self) -> Iterator[Element]:
        kept = []
        for found in self._start():
            kept.append(found)
            yield found
        self._kept = kept


def windows(source: Iterator[Element], size: int, shift: int, stride: int, whole: bool) -> Iterator[list[Element]]:
    """Lists of up to `size` elements that are `stride` apart; each begins `shift` after the one before."""
    span = (size - 1) * stride + 1
    held: deque[Element] = deque()
    ended = False
    while True:
        while not ended and len(held) < span:
            found = next(source, _END)
            if found is _END:
                ended = True
            else:
                held.append(found)
        if not held or (whole and len(held) < span):
            return
        yield list(itertools.islice(held, 0, span, stride))
        for _ in range(shift):
            if held:
                held.popleft()
            elif next(source, _END) is _END:
                return


def key_of(function: Callable[..., Any], found: Element) -> int:
    """The key of an element. Raises TypeError if it is no integer."""
    return integer(call(function, found), "key")


def grouped(
    source: Iterator[Element],
    key_func: Callable[..., Any],
    reduced: Callable[[int, list[Element]], Any],
    size: Callable[[int], int],
) -> Iterator[Element]:
    """The elements of what is made of windows of elements with one key, when they are full, or at the end."""
    held: dict[int, list[Element]] = {}
    for found in source:
        key = key_of(key_func, found)
        window = held.setdefault(key, [])
        window.append(found)
        if len(window) >= aside(size, key):
            yield from _reduced(reduced, key, held.pop(key))
    for key in sorted(held):
        yield from _reduced(reduced, key, held[key])


def _reduced(reduced: Callable[[int, list[Element]], Any], key: int, window: list[Element]) -> Iterator[Element]:
    made = aside(reduced, key, window)
    if not is_dataset(made):
        raise TypeError(f"`reduce_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
    return iter(made._start())


_END: Any = object()
