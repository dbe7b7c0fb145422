"""Iteration over a dataset: eagerly, and inside of a function that is captured.

There each element is an external call of the program, and whether there is another one is a guard: a replay takes new
elements, and one that finds another number of them takes another path.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from gradtape.base.errors import OutOfRangeError, UnimplementedError
from gradtape.core.effects import external
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, raw
from gradtape.data.structure import Element, components, is_dataset, mapped, tensors


class Iterator:
    """The elements of a dataset, one after the other; `iter(dataset)` makes it.

    >>> import gradtape as tf
    >>> numbers = iter(tf.data.Dataset.range(2))
    >>> next(numbers).numpy(), numbers.get_next().numpy(), next(numbers, "no more")
    (np.int64(0), np.int64(1), 'no more')
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._count = 0
        self._elements: PythonIterator[Element] = dataset._start()
        self._taken: list[Element] = []  # what a program has asked for and not got yet
        self._template: Any = None

    @property
    def element_spec(self) -> Any:
        """The structure of the elements, with a spec for each component."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if STATE.capture is not None:
            return _heard(_boxed(self))
        found = tensors(next(self._elements))
        self._count += 1
        return found

    def _go_to(self, count: int) -> None:
        """Begin anew, and go on after that many elements."""
        self._elements = self._dataset._start()
        self._count = sum(1 for _ in itertools.islice(self._elements, count))

    def get_next(self) -> Any:
        """Return the next element. Raises OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None


class Heard:
    """An iterator that a program makes at each replay, known by its box."""

    def __init__(self, dataset: Any) -> None:
        self._box = external(_begin, dataset)

    def __iter__(self) -> Heard:
        return self

    def __next__(self) -> Any:
        return _heard(self._box)

    get_next = Iterator.get_next


def iterate(dataset: Any) -> Iterator | Heard:
    """An iterator over a dataset, for whoever listens."""
    return Iterator(dataset) if STATE.capture is None else Heard(dataset)


def _boxed(iterator: Iterator) -> Any:
    """An array that holds an iterator: programs pass arrays."""
    box = np.empty((), object)
    box[()] = iterator
    return box


def _begin(dataset: Any) -> Any:
    return _boxed(Iterator(dataset))


def _heard(box: Any) -> Any:
    """The next element, as a program takes it."""
    if not external(_advance, box):
        raise StopIteration
    parts = iter(_several(external(_take, box)))
    return mapped(lambda part: None if part is None else next(parts), raw(box)[()]._template)


def _several(found: Any) -> tuple[Tensor, ...]:
    return found if type(found) is tuple else (found,)


def _advance(box: Any) -> Any:
    """Whether there is another element; it is kept for `_take`."""
    iterator = box[()]
    iterator._taken = list(itertools.islice(iterator._elements, 1))
    iterator._count += len(iterator._taken)
    return np.bool_(bool(iterator._taken))


def _take(box: Any) -> tuple[Any, ...]:
    """The components of the element that `_advance` found."""
    iterator = box[()]
    iterator._template = iterator._taken.pop()
    parts = tuple([part for part in components(iterator._template) if part is not None])
    if any(map(is_dataset, parts)):
        raise UnimplementedError(
            None, None, "Datasets of datasets cannot be iterated inside of a tf.function; use `flat_map` outside of it."
        )
    return parts


class NumpyIterator:
    """The elements of a dataset as NumPy arrays and scalars."""

    def __init__(self, dataset: Any) -> None:
        self._elements = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return mapped(_numpy, next(self._elements))


def _numpy(value: Any) -> Any:
    if is_dataset(value):
        return value.as_numpy_iterator()
    return value if value is None else value.numpy()
