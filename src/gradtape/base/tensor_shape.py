"""`TensorShape`: a shape of which the rank, or some of the sizes, may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any


class Dimension:
    """One size, or None where it is unknown."""

    __slots__ = ("value",)

    def __init__(self, value: int | None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, Dimension) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)  # type: ignore[arg-type]

    __int__ = __index__


def _size(value: Any) -> int | None:
    """One size of a shape, checked."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class TensorShape:
    """A shape as TensorFlow gives it: compares equal to lists and tuples, `None` stands for what is unknown.

    >>> TensorShape([2, None]).concatenate([3])
    TensorShape([2, None, 3])
    >>> TensorShape([2, 3]) == [2, 3]
    True
    """

    __slots__ = ("_dims",)
    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any) -> None:
        if type(dims) is tuple and all(type(d) is int and d >= 0 for d in dims):
            self._dims = dims
        elif dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, str | bytes):
            raise _not_a_shape(dims)
        else:
            try:
                items = list(dims)
            except TypeError:
                if not hasattr(dims, "__index__"):
                    raise _not_a_shape(dims) from None
                items = [dims]
            self._dims = tuple([_size(d) for d in items])

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)

    def __hash__(self) -> int:
        return hash(self._dims)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __bool__(self) -> bool:
        return self._dims is not None

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            found = self._dims[key]
            return TensorShape(found) if isinstance(key, slice) else found
        if not isinstance(key, slice):
            return None
        start, stop = key.start or 0, key.stop
        if key.step is not None or stop is None or start < 0 or stop < 0:
            return TensorShape(None)
        return TensorShape([None] * max(stop - start, 0))

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    @property
    def rank(self) -> int | None:
        """The number of axes, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """Return the sizes. Raises ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_tuple(self) -> tuple[int, ...]:
        """Return the sizes of a fully defined shape. Raises ValueError otherwise."""
        self.assert_is_fully_defined()
        return self._dims  # type: ignore[return-value]

    def num_elements(self) -> int | None:
        """Return the product of the sizes, or None if it is unknown."""
        if self._dims is None or None in self._dims:
            return None
        total = 1
        for d in self._dims:
            total *= d  # type: ignore[operator]
        return total

    def is_fully_defined(self) -> bool:
        """Whether the rank and all sizes are known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully defined shape fits both."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every shape that fits this one fits the other."""
        other = TensorShape(other)
        if other._dims is None or self._dims == other._dims:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))

    def merge_with(self, other: Any) -> TensorShape:
        """Return what is known from both. Raises ValueError if they do not fit."""
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)])

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Return what both agree on, unknown where they differ."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self._dims, other._dims, strict=True)])

    def most_specific_common_supertype(self, others: Sequence[TensorShape]) -> TensorShape | None:
        """Return the narrowest shape that this and all others fit."""
        found = self
        for other in others:
            found = found.most_specific_compatible_shape(other)
        return found

    def concatenate(self, other: Any) -> TensorShape:
        """Return this shape followed by the other."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape, of that rank. Raises ValueError if it has another."""
        if self._dims is None:
            return TensorShape([None] * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape. Raises ValueError if its rank is smaller."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape. Raises ValueError if its rank is larger."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless the rank is this or unknown."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = TensorShape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if no shape fits both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless the rank and all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")


def _not_a_shape(dims: Any) -> TypeError:
    return TypeError(
        f"Failed to convert '{dims!r}' to a shape: '{dims!r}' could not be converted to a dimension. A shape should "
        "either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
    )
