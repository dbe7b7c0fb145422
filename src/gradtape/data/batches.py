"""Elements joined to batches, and batches taken apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.base.errors import DataLossError, invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.data.structure import Element, components, is_dataset, mapped


def batched(source: Iterator[Element], size: int, whole: bool) -> Iterator[Element]:
    """Batches of elements of one shape; the last one may be smaller, unless only whole ones are wanted."""
    for group in groups(source, size, whole):
        numbers = itertools.count()
        yield mapped(lambda *parts: _stacked(parts, next(numbers)), *group)  # noqa: B023 - used at once


def groups(source: Iterator[Element], size: int, whole: bool) -> Iterator[list[Element]]:
    """Lists of elements."""
    while group := list(itertools.islice(source, size)):
        if len(group) < size and whole:
            return
        yield group


def _stacked(parts: tuple[Any, ...], number: int) -> Any:
    first = parts[0]
    if first is None:
        return None
    if is_dataset(first):
        raise TypeError("A dataset of datasets cannot be batched: use `flat_map(lambda window: window.batch(size))`.")
    shape = first.shape
    for i, part in enumerate(parts):
        if part.shape != shape:
            raise invalid(
                f"Cannot batch tensors with different shapes in component {number}. First element had shape "
                f"{list(shape)} and element {i} had shape {list(part.shape)}."
            )
    # NumPy would keep arrays of one string each
    return np.stack(parts) if shape or first.dtype == object else np.array(parts, dtype=first.dtype)


def padded(source: Iterator[Element], size: int, whole: bool, shapes: Any, fillings: Any) -> Iterator[Element]:
    """Batches of elements that are filled up to the given shapes, or to the largest of the batch where None is given.

    Args:
        shapes: a structure of TensorShapes.
        fillings: a structure of raw values.
    """
    for group in groups(source, size, whole):
        yield mapped(_filled_up, shapes, fillings, *group)


def _filled_up(shape: TensorShape, filling: Any, *parts: Any) -> Any:
    ranks = {part.ndim for part in parts}
    if shape.rank is not None:
        ranks.add(shape.rank)
    if len(ranks) != 1:
        raise invalid(f"All elements in a batch must have the same rank as the padded shape {shape}, got {ranks}.")
    largest = [max(sizes) for sizes in zip(*[part.shape for part in parts], strict=True)]
    wanted = largest if shape.rank is None else [m if s is None else s for m, s in zip(largest, shape, strict=True)]
    if any(n > w for n, w in zip(largest, wanted, strict=True)):
        raise DataLossError(
            None,
            None,
            f"Attempted to pad to a smaller size than the input element: an element has shape {largest}, the padded "
            f"shape is {wanted}.",
        )
    out: Any = np.full((len(parts), *wanted), filling, dtype=parts[0].dtype)
    for i, part in enumerate(parts):
        out[(i, *[slice(n) for n in part.shape])] = part
    return out


def unbatched(source: Iterator[Element]) -> Iterator[Element]:
    """The rows of batches."""
    for batch in source:
        yield from rows(batch)


def rows(batch: Element) -> Iterator[Element]:
    """The rows of one batch."""
    parts = components(batch)
    if any(part.ndim == 0 for part in parts):
        raise ValueError("Cannot unbatch an input with scalar components.")
    sizes = list(dict.fromkeys(part.shape[0] for part in parts))
    if len(sizes) > 1:
        raise ValueError(
            "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
            f"dimension. Encountered both {sizes[0]} and {sizes[1]}."
        )
    if isinstance(batch, np.ndarray):
        yield from _slices(batch)
        return
    together = zip(*map(_slices, parts), strict=True)
    if type(batch) is tuple and all(isinstance(part, np.ndarray) for part in batch):
        yield from together
        return
    for found in together:
        each = iter(found)
        yield mapped(lambda _: next(each), batch)  # noqa: B023 - used at once


def _slices(part: Any) -> Iterator[Any]:
    """The rows of one component; strings stay arrays."""
    return iter(part) if part.dtype.char != "O" else (np.asarray(row, object) for row in part)
