"""Sums, products, extremes and scans along axes. `axis` is always a tuple of non-negative numbers here."""

from __future__ import annotations

from typing import Any

from gradtape.core.kinds import discrete, linear, primitive
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import divide_no_nan, exp
from gradtape.ops.selection import where
from gradtape.ops.shaping import broadcast_to, flip, reshape, transpose

Axes = tuple[int, ...]


def kept(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """The shape with 1 at the reduced axes."""
    return tuple(1 if i in axis else n for i, n in enumerate(shape))


def unreduce(ct: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """Repeat what was reduced along `axis` over the shape it had."""
    return broadcast_to(reshape(ct, shape=kept(shape, axis)), shape=shape)


def expand(x: Any, shape: tuple[int, ...], axis: Axes) -> Any:
    """Put the reduced axes back with size 1."""
    return reshape(x, shape=kept(shape, axis))


def count(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements each result is made of."""
    total = 1
    for i in axis:
        total *= shape[i]
    return total


@linear(x=lambda ct, x_shape, *, axis: unreduce(ct, x_shape, axis))
def reduce_sum(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Sum over axes, dropping them."""
    return xp.add.reduce(x, axis=axis, dtype=x.dtype)


@linear(x=lambda ct, x_shape, *, axis: unreduce(ct / count(x_shape, axis), x_shape, axis))
def reduce_mean(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Mean over axes, dropping them; integers truncate toward zero."""
    total = xp.add.reduce(x, axis=axis, dtype=x.dtype)
    n = count(x.shape, axis)
    if x.dtype.kind in "iu":
        return (xp.sign(total) * (xp.abs(total) // n)).astype(x.dtype) if n else total
    return (total / xp.asarray(n, dtype=x.dtype)).astype(x.dtype)


def _extreme_vjp(ct: Any, x: Any, out: Any, *, axis: Axes) -> Any:
    shape = shape_of(x)
    ties = x == expand(out, shape, axis)
    return where(ties, unreduce(ct / count_nonzero(ties, axis=axis, like=_dtype(ct)), shape, axis), 0)


def _dtype(x: Any) -> Any:
    return getattr(x, "_value", x).dtype


@discrete
def count_nonzero(xp: Any, x: Any, *, axis: Axes, like: Any) -> Any:
    """How many elements are true, in the dtype `like`."""
    return xp.asarray(xp.count_nonzero(x, axis=axis)).astype(like)


@primitive(x=_extreme_vjp)
def reduce_max(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Largest element along axes; equal ones share the gradient. Of nothing: the least value there is."""
    return xp.maximum.reduce(x, axis=axis, **_least(xp, x, axis, largest=False))


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


@primitive(x=_prod_vjp)
def reduce_prod(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Product over axes, dropping them."""
    return xp.multiply.reduce(x, axis=axis, dtype=x.dtype)


@discrete
def reduce_all(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Whether all are true."""
    return xp.logical_and.reduce(x, axis=axis)


@discrete
def reduce_any(xp: Any, x: Any, *, axis: Axes) -> Any:
    """Whether any is true."""
    return xp.logical_or.reduce(x, axis=axis)


@discrete
def argmax(xp: Any, x: Any, *, axis: int, dtype: Any) -> Any:
    """Index of the first largest element."""
    return xp.asarray(xp.argmax(_without_nan(xp, x, -xp.inf), axis=axis)).astype(dtype)


@discrete
def argmin(xp: Any, x: Any, *, axis: int, dtype: Any) -> Any:
    """Index of the first smallest element."""
    return xp.asarray(xp.argmin(_without_nan(xp, x, xp.inf), axis=axis)).astype(dtype)


def _without_nan(xp: Any, x: Any, value: float) -> Any:
    """NaN is never the largest nor the smallest."""
    if x.dtype.kind != "f" or not (missing := xp.isnan(x)).any():
        return x
    return xp.where(missing, x.dtype.type(value), x)


def _logsumexp_vjp(ct: Any, x: Any, out: Any, *, axis: Axes) -> Any:
    shape = shape_of(x)
    shift = expand(out, shape, axis)
    weights = exp(x - where(is_infinite(shift), 0, shift))
    return unreduce(ct, shape, axis) * weights


@discrete
def is_infinite(xp: Any, x: Any) -> Any:
    """Whether an element is infinite."""
    return xp.isinf(x)


@primitive(x=_logsumexp_vjp)
def reduce_logsumexp(xp: Any, x: Any, *, axis: Axes) -> Any:
    """log(sum(exp(x))) over axes, shifted by the maximum so that it cannot overflow."""
    if not count(x.shape, axis):
        return xp.full([n for i, n in enumerate(x.shape) if i not in axis], -xp.inf, dtype=x.dtype)
    top = xp.maximum.reduce(x, axis=axis, keepdims=True)
    top = xp.where(xp.isfinite(top), top, xp.zeros((), x.dtype))
    total = xp.log(xp.add.reduce(xp.exp(x - top), axis=axis))
    return total + top.reshape(xp.shape(total))


def _norm_vjp(ct: Any, x: Any, out: Any, *, axis: Axes) -> Any:
    """x / |x|, and the subgradient 0 at 0."""
    shape = shape_of(x)
    return unreduce(ct, shape, axis) * divide_no_nan(x, unreduce(out, shape, axis))


@primitive(x=_norm_vjp)
def euclidean_norm(xp: Any, x: Any, *, axis: Axes) -> Any:
    """sqrt(sum(x^2)) over axes, scaled by the largest so that squares cannot overflow."""
    return xp.sqrt(xp.add.reduce(xp.square(x), axis=axis))


# Scans.


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
    out = ufunc.accumulate(moved, axis=0, dtype=x.dtype)
    return xp.moveaxis(out[::-1] if reverse else out, 0, axis)


def _cumprod_vjp(ct: Any, x: Any, out: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Without division by x: by the recurrence a[i] = ct[i] + x[i+1] a[i+1] (inclusive), gradient a[i] p[i-1]."""
    if reverse:
        turned = _cumprod_vjp(
            flip(ct, axes=(axis,)), flip(x, axes=(axis,)), None, axis=axis, exclusive=exclusive, reverse=False
        )
        return flip(turned, axes=(axis,))
    before = cumprod(x, axis=axis, exclusive=True, reverse=False)
    after = linear_scan(ct, x, axis=axis, exclusive=exclusive)
    return before * after


@primitive(x=_cumprod_vjp)
def cumprod(xp: Any, x: Any, *, axis: int, exclusive: bool, reverse: bool) -> Any:
    """Running product along an axis, with the options of `cumsum`."""
    return _scan(xp, xp.multiply, x, axis, exclusive, reverse)


@primitive(
    ct=lambda u, x, *, axis, exclusive: forward_scan(u, x, axis=axis, exclusive=exclusive),
    x=lambda u, ct, x, *, axis, exclusive: _linear_scan_x(u, ct, x, axis, exclusive),
)
def linear_scan(xp: Any, ct: Any, x: Any, *, axis: int, exclusive: bool) -> Any:
    """The backward recurrence a[i] = ct[i] + x[i+1] a[i+1]; exclusive: a[i] = ct[i+1] + x[i+1] a[i+1]."""
    c, f = xp.moveaxis(ct, axis, 0), xp.moveaxis(x, axis, 0)
    out = xp.zeros_like(c)
    n = c.shape[0]
    for i in range(n - 1, -1, -1):
        if exclusive:
            if i + 1 < n:
                out[i] = c[i + 1] + f[i + 1] * out[i + 1]
        else:
            out[i] = c[i] + (f[i + 1] * out[i + 1] if i + 1 < n else 0)
    return xp.moveaxis(out, 0, axis)


@primitive(
    u=lambda ct, x, *, axis, exclusive: linear_scan(ct, x, axis=axis, exclusive=exclusive),
    x=lambda ct, u, x, *, axis, exclusive: _forward_scan_x(ct, u, x, axis, exclusive),
)
def forward_scan(xp: Any, u: Any, x: Any, *, axis: int, exclusive: bool) -> Any:
    """The transpose of `linear_scan` in ct: b[i] = u[i] + x[i] b[i-1]; exclusive gives b[i-1] in place of b[i]."""
    v, f = xp.moveaxis(u, axis, 0), xp.moveaxis(x, axis, 0)
    b = xp.zeros_like(v)
    for i in range(v.shape[0]):
        b[i] = v[i] + (f[i] * b[i - 1] if i else 0)
    if exclusive:
        b = xp.concatenate([xp.zeros_like(b[:1]), b[:-1]])
    return xp.moveaxis(b, 0, axis)


def _linear_scan_x(u: Any, ct: Any, x: Any, axis: int, exclusive: bool) -> Any:
    """x[j] multiplies a[j] into a[j-1], whose sensitivity is b[j-1]."""
    b = forward_scan(u, x, axis=axis, exclusive=False)
    a = linear_scan(ct, x, axis=axis, exclusive=exclusive)
    return delayed(b, axis=axis) * a


def _forward_scan_x(ct: Any, u: Any, x: Any, axis: int, exclusive: bool) -> Any:
    """x[i] multiplies b[i-1] into b[i], whose sensitivity is a[i]."""
    a = linear_scan(ct, x, axis=axis, exclusive=exclusive)
    b = forward_scan(u, x, axis=axis, exclusive=False)
    return delayed(b, axis=axis) * a


@linear(x=lambda ct, *, axis: advanced(ct, axis=axis))
def delayed(xp: Any, x: Any, *, axis: int) -> Any:
    """Shift by one along an axis; a zero comes in at the start."""
    moved = xp.moveaxis(x, axis, 0)
    return xp.moveaxis(xp.concatenate([xp.zeros_like(moved[:1]), moved[:-1]]), 0, axis)


@linear(x=lambda ct, *, axis: delayed(ct, axis=axis))
def advanced(xp: Any, x: Any, *, axis: int) -> Any:
    """Shift back by one along an axis; a zero comes in at the end."""
    moved = xp.moveaxis(x, axis, 0)
    return xp.moveaxis(xp.concatenate([moved[1:], xp.zeros_like(moved[:1])]), 0, axis)
