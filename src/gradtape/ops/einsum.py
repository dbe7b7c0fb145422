"""Einstein's summation over any number of operands, as a sequence of contractions of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import multiply
from gradtape.ops.linalg import contract, take_diagonals
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.shaping import broadcast_to, transpose

Operand = tuple[Any, str]
"""A value and one letter per axis."""


def einsum(operands: Sequence[Any], inputs: Sequence[str], output: str) -> Any:
    """Sum of products over the letters that `output` lacks, in the order of its letters.

    `inputs` has one letter per axis of each operand; the sizes have been checked. No letter occurs twice in `output`.
    """
    if len(operands) == 2 and _is_plain(*inputs, output):
        first, second = (_sizes(pair) for pair in zip(operands, inputs, strict=True))
        if all(second.get(c, n) == n for c, n in first.items()):
            return contract(*operands, labels=(*inputs, output))
    pairs = zip(operands, inputs, strict=True)
    pending = [_simplified(x, labels, _others(inputs, i, output)) for i, (x, labels) in enumerate(pairs)]
    while len(pending) > 1:
        i, j = _cheapest(pending, output)
        rest = [p for k, p in enumerate(pending) if k not in (i, j)]
        keep = set(output).union(*[labels for _, labels in rest])
        pending = [*rest, _pair(pending[i], pending[j], keep)]
    x, labels = pending[0]
    return _ordered(x, labels, output)


@lru_cache(maxsize=1024)
def _is_plain(first: str, second: str, output: str) -> bool:
    """Whether one contraction does it: each letter is in two of the three, and in none of them twice."""
    terms = (first, second, output)
    letters = set(first + second)
    elementwise = set(first) == set(second) == set(output)
    return (
        not elementwise
        and all(sum(t.count(c) for t in terms) >= 2 for c in letters)
        and all(len(set(t)) == len(t) for t in terms)
    )


def _others(inputs: Sequence[str], index: int, output: str) -> set[str]:
    return set(output).union(*[labels for i, labels in enumerate(inputs) if i != index])


def _simplified(x: Any, labels: str, keep: set[str]) -> Operand:
    """Take diagonals of repeated letters, and sum over the letters that nobody else has."""
    if len(set(labels)) != len(labels):
        x = take_diagonals(x, labels=labels)
        labels = "".join(dict.fromkeys(labels))
    axis = tuple([i for i, c in enumerate(labels) if c not in keep])
    if axis:
        x = reduce_sum(x, axis=axis)
        labels = "".join([c for c in labels if c in keep])
    return x, labels


def _cheapest(pending: list[Operand], output: str) -> tuple[int, int]:
    """The pair whose product is smallest, compared to what it takes away."""
    if len(pending) == 2:
        return 0, 1

    def cost(pair: tuple[int, int]) -> int:
        i, j = pair
        keep = set(output).union(*[labels for k, (_, labels) in enumerate(pending) if k not in pair])
        sizes = _sizes(pending[i]) | _sizes(pending[j])
        made = _product([n for c, n in sizes.items() if c in keep])
        return made - sum(_product(_sizes(pending[k]).values()) for k in pair)

    return min(combinations(range(len(pending)), 2), key=cost)


def _sizes(operand: Operand) -> dict[str, int]:
    return dict(zip(operand[1], shape_of(operand[0]), strict=True))


def _product(numbers: Any) -> int:
    total = 1
    for n in numbers:
        total *= n
    return total


def _pair(first: Operand, second: Operand, keep: set[str]) -> Operand:
    """Contract two operands over the letters that are not kept."""
    first, second = _broadcast(first, second)
    (a, in_a), (b, in_b) = _summed(first, second, keep), _summed(second, first, keep)
    out = "".join([c for c in dict.fromkeys(in_a + in_b) if c in keep])
    if in_a == in_b == out:
        return multiply(a, b), out
    return contract(a, b, labels=(in_a, in_b, out)), out


def _summed(operand: Operand, other: Operand, keep: set[str]) -> Operand:
    return _simplified(*operand, keep | set(other[1]))


def _broadcast(first: Operand, second: Operand) -> tuple[Operand, Operand]:
    """Repeat axes of size 1 under a letter that the other operand has with another size."""
    here, there = _sizes(first), _sizes(second)
    return _widened(first, here, there), _widened(second, there, here)


def _widened(operand: Operand, own: dict[str, int], other: dict[str, int]) -> Operand:
    x, labels = operand
    shape = tuple([other.get(c, own[c]) if own[c] == 1 else own[c] for c in labels])
    return (x, labels) if shape == tuple(own.values()) else (broadcast_to(x, shape=shape), labels)


def _ordered(x: Any, labels: str, output: str) -> Any:
    axis = tuple([i for i, c in enumerate(labels) if c not in output])
    if axis:
        x = reduce_sum(x, axis=axis)
        labels = "".join([c for c in labels if c in output])
    return x if labels == output else transpose(x, perm=tuple([labels.index(c) for c in output]))
