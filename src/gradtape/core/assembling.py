"""Stacking and casting, which conversion needs for lists with Tensors in them."""

from __future__ import annotations

from typing import Any

from gradtape.core.batching import align, batched, plus_one
from gradtape.core.cotangents import together
from gradtape.core.kinds import discrete, linear


def _stack_vjp(ct: Any, index: int, *, axis: int) -> Any:
    return ct[(slice(None),) * axis + (index,)]


@batched(together(axis=plus_one))
@linear(xs=_stack_vjp)
def stack(xp: Any, *xs: Any, axis: int) -> Any:
    """Join along a new axis (not negative)."""
    return xp.stack(xs, axis=axis)


def _cast_vjp(ct: Any, x_dtype: Any, *, dtype: Any) -> Any:
    return cast(ct, dtype=x_dtype)


@batched(align)
@linear(x=_cast_vjp)
def cast(xp: Any, x: Any, *, dtype: Any) -> Any:
    """Convert between floating and complex dtypes; a complex number gives its real part."""
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = xp.real(x)
    return x.astype(dtype)


@batched(align)
@discrete
def cast_discrete(xp: Any, x: Any, *, dtype: Any) -> Any:
    """Convert from or to a dtype without derivatives: integers truncate toward zero, bool is `!= 0`."""
    if dtype.kind == "b":
        return x != 0
    if x.dtype.kind == "c":
        x = xp.real(x)
    if dtype.kind in "iu" and x.dtype.kind not in "iub":
        return _to_integers(xp, x, dtype)
    return x.astype(dtype)


def _to_integers(xp: Any, x: Any, dtype: Any) -> Any:
    """Truncate; what does not fit (and NaN) becomes the least value, as x86 processors have it."""
    info = xp.iinfo(dtype)
    x = x.astype(xp.float64) if x.dtype.kind != "f" else x
    bad = ~((x > float(info.min) - 1) & (x < float(info.max) + 1)) if dtype.itemsize >= 4 else xp.zeros(x.shape, bool)
    good = xp.where(bad, xp.zeros((), x.dtype), x)
    wide = good.astype(xp.int64) if dtype.kind == "i" or dtype.itemsize < 8 else good.astype(xp.uint64)
    return xp.where(bad, xp.asarray(info.min, dtype=dtype), wide.astype(dtype))
