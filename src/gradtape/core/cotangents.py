"""The vector-space operations that the engine itself needs on tangents and cotangents, as primitives."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from gradtape.core.batching import (
    Rewrite,
    Rule,
    align,
    batched,
    everywhere,
    lifted,
    plus_one,
    rank_of,
    rewritten,
)
from gradtape.core.kinds import bilinear, linear
from gradtape.core.rules import shape_of

SMALL = 4096
"""Up to how many elements copying takes less time than making a view of repeated ones."""

SHORT = 128
"""Up to how many elements in a row it is faster to add rows by a product with ones."""


@batched(align)
@linear(x=lambda ct: conj(ct))
def conj(xp: Any, x: Any) -> Any:
    """Complex conjugate. Cotangents are carried conjugated, and in that convention its transpose is itself."""
    return xp.conjugate(x)


@lru_cache(maxsize=4096)
def sum_axes(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `shape` along which `target` was repeated by broadcasting."""
    extra = len(shape) - len(target)
    return (*range(extra), *(extra + i for i, n in enumerate(target) if n == 1 and shape[extra + i] != 1))


def _sum_to_batch(primitive: Any, size: int, flags: Any, args: list[Any], params: dict[str, Any]) -> Any:
    """Sum to the shape with axes of size 1 for those that go, then drop them."""
    [x], shape = args, params["shape"]
    missing = rank_of(x) - 1 - len(shape)
    total = sum_to(x, shape=(size, *(1,) * missing, *shape))
    return total[(slice(None), *(0,) * missing)] if missing else total


@batched(_sum_to_batch)
@linear(x=lambda ct, x_shape, *, shape: broadcast_to(ct, shape=x_shape))
def sum_to(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    """Sum over the axes along which broadcasting repeated `shape`."""
    axes = sum_axes(x.shape, shape)
    total = column_sums(x, len(axes)) if is_tall(x, axes) else xp.add.reduce(x, axis=axes)
    return total if total.shape == shape else total.reshape(shape)


def is_tall(x: Any, axes: tuple[int, ...]) -> bool:
    """Whether x, as the matrix whose rows are what is summed over, has many short rows: these NumPy adds slowly."""
    return (
        x.size > SMALL
        and x.dtype.char in "fd"
        and 0 < len(axes) < x.ndim
        and axes == tuple(range(len(axes)))
        and prod(x.shape[len(axes) :]) <= SHORT
        and x.flags.c_contiguous
    )


def column_sums(x: Any, axes: int) -> Any:
    """Sum over this many leading axes, as a product with ones."""
    shape = x.shape[axes:]
    rows = x.reshape(-1, prod(shape))
    return (np.ones(len(rows), x.dtype) @ rows).reshape(shape)


def _broadcast_to_batch(primitive: Any, size: int, flags: Any, args: list[Any], params: dict[str, Any]) -> Any:
    shape = params["shape"]
    return broadcast_to(lifted(args[0], len(shape)), shape=(size, *shape))


@batched(_broadcast_to_batch)
@linear(x=lambda ct, x_shape, *, shape: sum_to(ct, shape=x_shape))
def broadcast_to(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    """Repeat along new leading axes and along axes of size 1."""
    if prod(shape) > SMALL:
        return xp.broadcast_to(x, shape)
    out = xp.empty(shape, dtype=x.dtype)
    out[...] = x
    return out


def together(**how: Rewrite) -> Rule:
    """A batch rule: the op itself, once every argument has the batch axis, with static parameters rewritten for it."""

    def rule(primitive: Any, size: int, flags: tuple[bool, ...], args: list[Any], params: dict[str, Any]) -> Any:
        return primitive(*everywhere(size, flags, args, broadcast_to), **rewritten(params, how, size))

    return rule


@bilinear(
    broadcasts=True,
    factor=lambda ct, partial: strong_product(ct, partial),
    partial=lambda ct, factor: strong_product(ct, factor),
)
def strong_product(xp: Any, factor: Any, partial: Any) -> Any:
    """factor * partial, where a zero wins: it gives zero even if the other is infinite or NaN.

    The branch of a `where` that was not taken has a cotangent of zero: whatever its partial, nothing flows there. In
    the derivatives of this product the roles change, so that a zero on either side counts.
    """
    zero = (factor == 0) | (partial == 0)
    return xp.where(zero, xp.zeros((), dtype=factor.dtype), factor * partial)


def _part(ct: Any, index: int, xs_shapes: tuple[tuple[int, ...], ...], *, axis: int) -> Any:
    start = sum(shape[axis] for shape in xs_shapes[:index])
    return ct[(slice(None),) * axis + (slice(start, start + xs_shapes[index][axis]),)]


@batched(together(axis=plus_one))
@linear(xs=_part)
def concat(xp: Any, *xs: Any, axis: int) -> Any:
    """Join along an existing axis (not negative)."""
    return xp.concatenate(xs, axis=axis)


def matched(ct: Any, shape: tuple[int, ...]) -> Any:
    """The cotangent of an argument of this shape, given that of its broadcast."""
    return ct if shape_of(ct) == shape else sum_to(ct, shape=shape)


def widened(tangent: Any, shape: tuple[int, ...]) -> Any:
    """The tangent of an output of this shape, given that of an argument that was broadcast to it."""
    return tangent if shape_of(tangent) == shape else broadcast_to(tangent, shape=shape)
