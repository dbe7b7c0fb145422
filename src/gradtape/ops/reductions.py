"""Sums, products and extremes along axes. `axis` is always a tuple of non-negative numbers here."""

from __future__ import annotations

import math
from typing import Any

from gradtape.core.batching import align, batched, plus_one, rewriting
from gradtape.core.cotangents import strong_product, together
from gradtape.core.kinds import discrete, linear, primitive
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import divide_no_nan, exp
from gradtape.ops.scans import cumprod
from gradtape.ops.selection import equal, where
from gradtape.ops.shaping import broadcast_to, reshape, transpose
from gradtape.ops.wide import accumulator, rounded

Axes = tuple[int, ...]


def kept(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """The shape with 1 at the reduced axes."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def unreduce(ct: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """Repeat what was reduced along `axis` over the shape it had."""
    if len(axis) < len(shape):
        ct = reshape(ct, shape=kept(shape, axis))
    return broadcast_to(ct, shape=shape)


def expand(x: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """Put the reduced axes back with size 1."""
    return reshape(x, shape=kept(shape, axis))


def count(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements each result is made of."""
    total = 1
    for i in axis:
        total *= shape[i]
    return total


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, x_shape, *, axis: unreduce(ct, x_shape, axis))
def reduce_sum(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Sum over axes, dropping them."""
    return rounded(xp.add.reduce(x, axis=axis, dtype=accumulator(x.dtype)), x.dtype)


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, x_shape, *, axis: unreduce(ct / count(x_shape, axis), x_shape, axis))
def reduce_mean(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Mean over axes, dropping them; integers are summed in 64 bits and truncate toward zero."""
    n = count(x.shape, axis)
    if x.dtype.kind in "iu":
        total = xp.add.reduce(x, axis=axis, dtype=x.dtype.kind + "8")
        return (xp.sign(total) * (xp.abs(total) // n)).astype(x.dtype) if n else total.astype(x.dtype)
    wide = accumulator(x.dtype)
    return rounded(xp.add.reduce(x, axis=axis, dtype=wide) / wide.type(n), x.dtype)


def _extreme_vjp(ct: Any, x: Any, out: Any, *, axis: Axes) -> Any:
    """Equal shares for the elements that equal the extreme; NaN for all where it is NaN, unless nothing flows there."""
    return unreduce(strong_product(ct, known(out)), shape_of(x), axis) * tied_shares(x, out, axis=axis)


@batched(align)
@discrete
def known(xp: Any, x: Any) -> Any:
    """One, and NaN for NaN."""
    return xp.where(xp.isnan(x), x, x.dtype.type(1))


@batched(together(axis=plus_one))
@discrete
def tied_shares(xp: Any, x: Any, extreme: Any, *, axis: Axes) -> Any:
    """One, shared among the elements that equal the extreme; among all if it is NaN, which equals nothing."""
    extreme = extreme.reshape(kept(x.shape, axis))
    ties = (x == extreme) | xp.isnan(extreme)
    shares = ties.astype(x.dtype)
    shares *= (1 / xp.count_nonzero(ties, axis=axis, keepdims=True)).astype(x.dtype)
    return shares


@discrete
def zero_share(xp: Any, x: Any) -> Any:
    """The share of elements that are zero."""
    return xp.mean(xp.asarray(x) == 0)


@batched(rewriting(axis=plus_one))
@discrete
def count_nonzero(xp: Any, x: Any, *, axis: Axes, like: Any) -> Any:
    """How many elements are true, in the dtype `like`."""
    return xp.asarray(xp.count_nonzero(x, axis=axis)).astype(like)


@batched(rewriting(axis=plus_one))
@primitive(x=_extreme_vjp)
def reduce_max(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Largest element along axes; equal ones share the gradient. Of nothing: the least value there is."""
    return xp.maximum.reduce(x, axis=axis, **_least(xp, x, axis, largest=False))


@batched(rewriting(axis=plus_one))
@primitive(x=_extreme_vjp)
def reduce_min(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Smallest element along axes; equal ones share the gradient. Of nothing: the largest value there is."""
    return xp.minimum.reduce(x, axis=axis, **_least(xp, x, axis, largest=True))


def _least(xp: Any, x: Any, axis: Axes, *, largest: bool) -> dict[str, Any]:
    if count(x.shape, axis):
        return {}
    if x.dtype.kind in "iu":
        info = xp.iinfo(x.dtype)
        return {"initial": info.max if largest else info.min}
    return {"initial": x.dtype.type(xp.inf if largest else -xp.inf)}


def _prod_vjp(ct: Any, x: Any, *, axis: Axes) -> Any:
    """The product of all others: products of what stands before and after, so that zeros need no division."""
    shape = shape_of(x)
    others = [i for i in range(len(shape)) if i not in axis]
    perm = (*others, *axis)
    flat = reshape(transpose(x, perm=perm), shape=(*(shape[i] for i in others), count(shape, axis)))
    last = len(others)
    before = cumprod(flat, axis=last, exclusive=True, reverse=False)
    after = cumprod(flat, axis=last, exclusive=True, reverse=True)
    product = reshape(before * after, shape=tuple(shape[i] for i in perm))
    inverse = tuple(sorted(range(len(perm)), key=perm.__getitem__))
    return unreduce(ct, shape, axis) * transpose(product, perm=inverse)


@batched(rewriting(axis=plus_one))
@primitive(x=_prod_vjp)
def reduce_prod(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Product over axes, dropping them."""
    return rounded(xp.multiply.reduce(x, axis=axis, dtype=accumulator(x.dtype)), x.dtype)


@batched(rewriting(axis=plus_one))
@discrete
def reduce_all(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Whether all are true."""
    return xp.logical_and.reduce(x, axis=axis)


@batched(rewriting(axis=plus_one))
@discrete
def reduce_any(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Whether any is true."""
    return xp.logical_or.reduce(x, axis=axis)


@batched(rewriting(axis=plus_one))
@discrete
def argmax(xp: Any, x: Any, *, axis: int, dtype: Any) -> Any:
    """Index of the first largest element."""
    return xp.asarray(xp.argmax(_without_nan(xp, x, -xp.inf), axis=axis)).astype(dtype)


@batched(rewriting(axis=plus_one))
@discrete
def argmin(xp: Any, x: Any, *, axis: int, dtype: Any) -> Any:
    """Index of the first smallest element."""
    return xp.asarray(xp.argmin(_without_nan(xp, x, xp.inf), axis=axis)).astype(dtype)


def _without_nan(xp: Any, x: Any, value: float) -> Any:
    """NaN is never the largest nor the smallest."""
    if x.dtype.kind != "f" or not (missing := xp.isnan(x)).any():
        return x
    return xp.where(missing, x.dtype.type(value), x)


def _logsumexp_vjp(ct: Any, x: Any, *, axis: Axes) -> Any:
    """exp(x - log(sum(exp(x)))), as a quotient: for large x the logarithm has no digits left for the fraction."""
    shape = shape_of(x)
    top = largest(x, axis=axis)
    near = exp(where(equal(x, top) & is_infinite(top), 0, x - top))
    weights = near / expand(reduce_sum(near, axis=axis), shape, axis)
    return unreduce(ct, shape, axis) * where(top == -math.inf, 0, weights)


@batched(rewriting(axis=plus_one))
@discrete
def largest(xp: Any, x: Any, *, axis: Axes) -> Any:
    """The largest element along axes, kept with size 1, as a constant."""
    return xp.maximum.reduce(x, axis=axis, keepdims=True, **_least(xp, x, axis, largest=False))


@batched(align)
@discrete
def is_infinite(xp: Any, x: Any) -> Any:
    """Whether an element is infinite."""
    return xp.isinf(x)


@batched(rewriting(axis=plus_one))
@primitive(x=_logsumexp_vjp)
def reduce_logsumexp(xp: Any, x: Any, *, axis: Axes) -> Any:
    """log(sum(exp(x))) over axes, shifted by the maximum so that it cannot overflow."""
    wide = x.astype(accumulator(x.dtype), copy=False)
    top = largest.kernel(wide, axis=axis)
    shift = xp.where(xp.isfinite(top), top, xp.zeros((), wide.dtype))
    total = xp.log(xp.add.reduce(xp.exp(wide - shift), axis=axis))
    return rounded(total + shift.reshape(xp.shape(total)), x.dtype)


def _norm_vjp(ct: Any, x: Any, out: Any, *, axis: Axes) -> Any:
    """x / |x|, and the subgradient 0 at 0."""
    shape = shape_of(x)
    return unreduce(ct, shape, axis) * divide_no_nan(x, unreduce(out, shape, axis))


@batched(rewriting(axis=plus_one))
@primitive(x=_norm_vjp)
def euclidean_norm(xp: Any, x: Any, *, axis: Axes) -> Any:
    """sqrt(sum(x^2)) over axes, scaled by the largest where squares overflow or vanish; of integers, truncated."""
    if x.dtype.kind in "iu":
        return xp.sqrt(xp.add.reduce(xp.square(x.astype(xp.float64)), axis=axis)).astype(x.dtype)
    wide = x.astype(accumulator(x.dtype), copy=False)
    total = xp.add.reduce(xp.square(wide), axis=axis)
    if not xp.all((total > xp.finfo(total.dtype).tiny / xp.finfo(total.dtype).eps) & (total < xp.inf)):
        top = xp.maximum.reduce(xp.abs(wide), axis=axis, keepdims=True, initial=0)
        unit = xp.where((top > 0) & (top < xp.inf), top, xp.ones((), top.dtype))
        scaled = xp.sqrt(xp.add.reduce(xp.square(wide / unit), axis=axis))
        return rounded(scaled * unit.reshape(xp.shape(scaled)), x.dtype)
    return rounded(xp.sqrt(total), x.dtype)
