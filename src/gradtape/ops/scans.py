"""Scans: running sums, products and log-sums along one axis, and the linear recurrence behind their derivatives."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from gradtape.core.batching import batched, plus_one, rewriting
from gradtape.core.cotangents import together
from gradtape.core.kinds import linear, primitive
from gradtape.ops.elementwise import exp
from gradtape.ops.selection import where
from gradtape.ops.wide import accumulator, rounded


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, *, axis, exclusive, reverse: cumsum(ct, axis=axis, exclusive=exclusive, reverse=not reverse))
def cumsum(xp: Any, x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Running sum along an axis; `exclusive` leaves each element out of its own sum, `reverse` starts at the end."""
    return _scan(xp, xp.add, x, axis, exclusive, reverse)


def _scan(xp: Any, ufunc: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    moved = xp.moveaxis(x, axis, 0)
    if reverse:
        moved = moved[::-1]
    if exclusive and moved.shape[0]:
        first = xp.full((1, *moved.shape[1:]), ufunc.identity, dtype=x.dtype)
        moved = xp.concatenate([first, moved[:-1]])
    out = rounded(ufunc.accumulate(moved, axis=0, dtype=accumulator(x.dtype)), x.dtype)
    return xp.moveaxis(out[::-1] if reverse else out, 0, axis)


def _cumprod_vjp(ct: Any, x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Without division by x: what stands before, times the sum of what comes after, by a[i] = ct[i] + x[i+1] a[i+1]."""
    later = 1 if reverse else -1
    before = cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    if exclusive:
        ct = shifted(ct, axis=axis, by=later)
    return before * recurrence(ct, shifted(x, axis=axis, by=later), axis=axis, reverse=not reverse)


@batched(rewriting(axis=plus_one))
@primitive(x=_cumprod_vjp)
def cumprod(xp: Any, x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Running product along an axis, with the options of `cumsum`."""
    return _scan(xp, xp.multiply, x, axis, exclusive, reverse)


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, *, axis, by: shifted(ct, axis=axis, by=-by))
def shifted(xp: Any, x: Any, *, axis: int, by: int) -> Any:
    """Move by one place along an axis, up (`by` 1) or down (-1); a zero comes in at the end that is left."""
    moved = xp.moveaxis(x, axis, 0)
    zero = xp.zeros_like(moved[:1])
    parts = [zero, moved[:-1]] if by == 1 else [moved[1:], zero]
    return xp.moveaxis(xp.concatenate(parts), 0, axis)


def _recurrence_c(ct: Any, f: Any, *, axis: int, reverse: bool) -> Any:
    return recurrence(ct, shifted(f, axis=axis, by=1 if reverse else -1), axis=axis, reverse=not reverse)


def _recurrence_f(ct: Any, f: Any, out: Any, *, axis: int, reverse: bool) -> Any:
    """f[i] multiplies the result before, and what it makes has the sensitivity of c[i]."""
    return _recurrence_c(ct, f, axis=axis, reverse=reverse) * shifted(out, axis=axis, by=-1 if reverse else 1)


@batched(together(axis=plus_one))
@primitive(c=_recurrence_c, f=_recurrence_f)
def recurrence(xp: Any, c: Any, f: Any, *, axis: int, reverse: bool) -> Any:
    """b[i] = c[i] + f[i] b[i-1] along an axis, from the end with `reverse`; f at the start counts nothing."""
    terms, factors = xp.moveaxis(c, axis, 0), xp.moveaxis(f, axis, 0)
    if reverse:
        terms, factors = terms[::-1], factors[::-1]
    n = len(terms)
    if n and terms.size == n:  # a vector: Python's numbers are faster one by one, and in double precision
        steps = zip(terms.ravel().tolist(), factors.ravel().tolist(), strict=True)
        first = next(steps)[0]
        found = accumulate(steps, lambda before, step: step[0] + step[1] * before, initial=first)
        out = xp.array(list(found)).astype(c.dtype).reshape(terms.shape)
    else:
        out = terms.astype(accumulator(c.dtype))
        for i in range(1, n):
            out[i] += factors[i] * out[i - 1]
        out = rounded(out, c.dtype)
    return xp.moveaxis(out[::-1] if reverse else out, 0, axis)


def _cumulative_logsumexp_vjp(ct: Any, x: Any, out: Any, *, axis: int) -> Any:
    """Of y: exp(x[j] - y[j]) s[j], where s[j] = ct[j] + exp(y[j] - y[j+1]) s[j+1]: no weight is larger than one."""
    weight = where(x == out, 0, x - out)  # equal where both are infinite, too
    following = shifted(out, axis=axis, by=-1)
    decay = where((out >= following) | (following != following), 0, out - following)
    return where(_is_empty(out), 0, exp(weight)) * recurrence(ct, exp(decay), axis=axis, reverse=True)


def _is_empty(out: Any) -> Any:
    """Whether nothing but minus infinity has come yet."""
    return out == -float("inf")


@batched(rewriting(axis=plus_one))
@primitive(x=_cumulative_logsumexp_vjp)
def cumulative_logsumexp(xp: Any, x: Any, *, axis: int) -> Any:
    """log of the running sum of exp(x) along an axis, without overflow."""
    moved = xp.moveaxis(x, axis, 0)
    return xp.moveaxis(rounded(xp.logaddexp.accumulate(moved, axis=0, dtype=accumulator(x.dtype)), x.dtype), 0, axis)
