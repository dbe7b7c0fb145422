"""Nested structures: lists, tuples, dicts and their views, namedtuples, and whatever is a registered mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any

_NESTED: dict[type, bool] = {list: True, tuple: True, dict: True}
"""Whether a type is a container. Asked on every gradient, and an `isinstance` against `Mapping` is slow."""


def is_nested(structure: Any) -> bool:
    """Whether this is a structure rather than a leaf.

    >>> is_nested([1]), is_nested({"a": 1}), is_nested("a")
    (True, True, False)
    """
    kind = type(structure)
    found = _NESTED.get(kind)
    if found is None:
        known = issubclass(kind, list | tuple | Mapping | MappingView)
        found = _NESTED[kind] = known or hasattr(kind, "__attrs_attrs__")
    return found


def _is_namedtuple(structure: Any) -> bool:
    return isinstance(structure, tuple) and hasattr(structure, "_fields")


def children(structure: Any) -> list[Any]:
    """The parts of a structure in the order of flattening: dicts by sorted keys."""
    if type(structure) is list or type(structure) is tuple:
        return list(structure)
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted_keys(structure)]
    if hasattr(type(structure), "__attrs_attrs__"):
        return [getattr(structure, a.name) for a in type(structure).__attrs_attrs__]
    return list(structure)


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in order. Raises TypeError if they have none."""
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(f"nest only supports dicts with sortable keys; got {list(mapping)!r}.") from None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the leaves in order; dicts go by sorted keys, and `None` is a leaf.

    >>> flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]

    Raises:
        TypeError: for a dict whose keys cannot be sorted.
    """
    if not is_nested(structure):
        return [structure]
    parts = children(structure)
    if not any(map(is_nested, parts)):
        return parts
    leaves: list[Any] = []
    pending = parts[::-1]
    while pending:
        item = pending.pop()
        if is_nested(item):
            pending.extend(reversed(children(item)))
        else:
            leaves.append(item)
    return leaves


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """Return `structure` with its leaves replaced, in order, by those of `flat_sequence`.

    >>> pack_sequence_as({"b": 1, "a": 2}, [10, 20])
    {'b': 20, 'a': 10}

    Raises:
        TypeError: if `flat_sequence` is not a sequence.
        ValueError: if its length is not the number of leaves.
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence!r}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    kind = type(structure)
    if (kind is list or kind is tuple) and len(structure) == len(flat_sequence) and not any(map(is_nested, structure)):
        return kind(flat_sequence)
    count = len(flatten(structure))
    if not is_nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"The target structure is a single leaf, but there are {len(flat_sequence)} values: {flat_sequence!r}."
            )
        return flat_sequence[0]
    if len(flat_sequence) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat_sequence)} items. "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _packed(structure, iter(flat_sequence))


def _packed(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    return rebuild(structure, [_packed(child, leaves) for child in children(structure)])


def rebuild(structure: Any, parts: Sequence[Any]) -> Any:
    """Return a structure of the same type with other parts, given in the order of flattening."""
    kind = type(structure)
    if isinstance(structure, Mapping):
        found = dict(zip(sorted_keys(structure), parts, strict=True))
        ordered = [(key, found[key]) for key in structure]
        if kind is dict or not _takes_pairs(kind):
            return dict(ordered)
        if hasattr(structure, "default_factory"):
            return kind(structure.default_factory, ordered)
        return kind(ordered)
    if _is_namedtuple(structure) or hasattr(kind, "__attrs_attrs__"):
        return kind(*parts)
    if kind is list or isinstance(structure, MappingView):
        return list(parts)
    return tuple(parts) if kind is tuple else kind(parts)


def _takes_pairs(kind: type) -> bool:
    return issubclass(kind, dict)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Apply `func` to the leaves at the same place of each structure.

    >>> map_structure(lambda a, b: a + b, [1, (2,)], [3, (4,)])
    [4, (6,)]

    Raises:
        TypeError: if `func` is not callable, or the structures have other types (with `check_types`, the default).
        ValueError: if no structure is given or they have other shapes.
    """
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    if not callable(func):
        raise TypeError(f"`func` must be callable. Received: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise unless the two are nested alike: ValueError for the shape, TypeError for the types of the containers.

    >>> assert_same_structure([1, 2], [3, (4,)])
    Traceback (most recent call last):
        ...
    ValueError: The two structures don't have the same nested structure.
    <BLANKLINE>
    First structure: type=list str=[1, 2]
    <BLANKLINE>
    Second structure: type=list str=[3, (4,)]
    <BLANKLINE>
    More specifically: one is nested and the other is not: 2 and (4,)
    """
    problem = _difference(nest1, nest2, check_types)
    if problem:
        error, detail = problem
        raise error(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(nest1).__name__} str={nest1}\n\n"
            f"Second structure: type={type(nest2).__name__} str={nest2}\n\nMore specifically: {detail}"
        )


def _difference(first: Any, second: Any, check_types: bool) -> tuple[type[Exception], str] | None:
    if is_nested(first) != is_nested(second):
        return ValueError, f"one is nested and the other is not: {first!r} and {second!r}"
    if not is_nested(first):
        return None
    if check_types and not _same_type(first, second):
        return TypeError, f"the containers have types {type(first).__name__} and {type(second).__name__}"
    if isinstance(first, Mapping) and isinstance(second, Mapping) and set(first) != set(second):
        return ValueError, f"the keys are {sorted(first, key=str)} and {sorted(second, key=str)}"
    one, two = children(first), children(second)
    if len(one) != len(two):
        return ValueError, f"The two structures have {len(one)} and {len(two)} elements"
    for a, b in zip(one, two, strict=True):
        found = _difference(a, b, check_types)
        if found:
            return found
    return None


def _same_type(first: Any, second: Any) -> bool:
    if type(first) is type(second) or (isinstance(first, Mapping) and isinstance(second, Mapping)):
        return True
    if _is_namedtuple(first) and _is_namedtuple(second):
        return type(first).__name__ == type(second).__name__ and first._fields == second._fields
    return isinstance(first, list) and isinstance(second, list)
