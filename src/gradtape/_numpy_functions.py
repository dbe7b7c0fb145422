"""NumPy's functions on tensors, written in tf's: what `np.sum(t)` and the like call. See `ops.numpy_protocol`.

Each has the arguments of NumPy's function that can be recorded, under NumPy's names. Integers become floating where
NumPy makes them so; other dtypes stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape import _numpy_moving as moving
from gradtape import linalg, math, shaping
from gradtape._casting import cast
from gradtape._numpy_moving import flat, moveaxis, one
from gradtape.arrays import fill, identity, linspace, meshgrid, ones_like, zeros_like
from gradtape.core.convert import existing
from gradtape.core.tensor import Tensor
from gradtape.ops.numpy_protocol import (
    FUNCTIONS,
    UFUNCS,
    as_floating,
    as_truth,
    axes_of,
    raw_values,
    tensors,
    unrecorded,
)
from gradtape.ops.selection import is_nan
from gradtape.ops.selection import where as choose
from gradtape.ops.shaping import diag_part

Function = Callable[..., Any]


def pair(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Two operands of one dtype."""
    x, y = tensors([a, b])
    return x, y


def _of(a: Any, dtype: Any) -> Tensor:
    return one(a) if dtype is None else cast(a, dtype)


# Reductions.


def _counted(a: Any, dtype: Any) -> Tensor:
    x = _of(a, dtype)
    return cast(x, "int64") if x.dtype.is_bool else x


def _reduction(ours: Function) -> Function:
    return lambda a, axis=None, keepdims=False: ours(a, axis, keepdims)


def _sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    return math.reduce_sum(_counted(a, dtype), axis, keepdims)


def _prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    return math.reduce_prod(_counted(a, dtype), axis, keepdims)


def _mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    return math.reduce_mean(as_floating(_of(a, dtype)), axis, keepdims)


def _degrees(x: Tensor, axis: Any, ddof: float) -> float:
    shape = x._value.shape
    count = np.prod([shape[i] for i in axes_of(axis, len(shape))])
    return float(count / (count - ddof))


def _var(a: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    x = as_floating(_of(a, dtype))
    return math.reduce_variance(x, axis, keepdims) * _degrees(x, axis, ddof)


def _std(a: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    x = as_floating(_of(a, dtype))
    return math.reduce_std(x, axis, keepdims) * float(np.sqrt(_degrees(x, axis, ddof)))


def _average(a: Any, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Tensor:
    if weights is None:
        return _mean(a, axis, keepdims=keepdims)
    x, w = map(as_floating, pair(a, weights))
    if w._value.shape != x._value.shape:
        [place] = axes_of(axis, x._value.ndim)
        w = w[(slice(None), *[None] * (x._value.ndim - place - 1))]
    return math.reduce_sum(x * w, axis, keepdims) / math.reduce_sum(w + zeros_like(x), axis, keepdims)


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    return math.reduce_max(a, axis, keepdims) - math.reduce_min(a, axis, keepdims)


def _numbers_only(a: Any) -> Tensor:
    x = one(a)
    made: Tensor = choose(is_nan(x), x._value.dtype.type(0), x)
    return made


def _nanmean(a: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    x = one(a)
    numbers: Tensor = choose(is_nan(x), x._value.dtype.type(0), x._value.dtype.type(1))
    return math.reduce_sum(_numbers_only(x), axis, keepdims) / math.reduce_sum(numbers, axis, keepdims)


def _scan(ours: Function) -> Function:
    def call(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = _counted(a, dtype)
        return ours(flat(x), 0) if axis is None else ours(x, axis)

    return call


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    x = as_floating(one(x))
    rank = x._value.ndim if axis is None else len(axes_of(axis, x._value.ndim))
    if ord is None or (ord == 2 and rank == 1) or (ord == "fro" and rank == 2):
        return math.reduce_euclidean_norm(math.abs(x), axis, keepdims)
    if rank != 1:
        raise unrecorded("linalg.norm", f"ord={ord!r} over {rank} axes has no counterpart")
    size = math.abs(x)
    if np.isinf(ord):
        return (math.reduce_max if ord > 0 else math.reduce_min)(size, axis, keepdims)
    total = math.reduce_sum(size if ord == 1 else size**ord, axis, keepdims)
    return total if ord == 1 else total ** (1 / ord)


# Choosing.


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return np.where(raw_values(condition))
    if not any(isinstance(existing(v), Tensor) for v in (x, y)):
        return np.where(raw_values(condition), x, y)
    given = existing(condition)
    chosen, other = pair(x, y)
    return shaping.where(as_truth(given) if isinstance(given, Tensor) else np.asarray(given, bool), chosen, other)


def _take(a: Any, indices: Any, axis: Any = None) -> Tensor:
    x = flat(a) if axis is None else one(a)
    [place] = axes_of(0 if axis is None else axis, x._value.ndim)
    where = np.asarray(raw_values(indices))
    return shaping.gather(x, np.where(where < 0, where + x._value.shape[place], where), axis=place)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Tensor:
    x = one(a)
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    if low is not None:
        x = math.maximum(*pair(x, low))
    return x if high is None else math.minimum(*pair(x, high))


def _lower(x: Tensor, k: int) -> Any:
    rows, columns = x._value.shape[-2:]
    return np.tri(rows, columns, k, bool)


def _tril(m: Any, k: int = 0) -> Any:
    x = one(m)
    return choose(_lower(x, k), x, x._value.dtype.type(0))


def _triu(m: Any, k: int = 0) -> Any:
    x = one(m)
    return choose(_lower(x, k - 1), x._value.dtype.type(0), x)


def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    return diag_part(x[..., offset:] if offset >= 0 else x[..., -offset:, :])


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return math.reduce_sum(_diagonal(a, offset, axis1, axis2), -1)


def _diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    x = one(a)
    [place] = axes_of(axis, x._value.ndim)
    before, after = ((slice(None),) * place + (part,) for part in (slice(None, -1), slice(1, None)))
    for _ in range(n):
        x = x[after] - x[before]
    return x


def _round(a: Any, decimals: int = 0) -> Tensor:
    x = one(a)
    return math.round(x) if decimals == 0 else math.round(x * 10.0**decimals) / 10.0**decimals


# Products.


def _dot(a: Any, b: Any) -> Any:
    x, y = pair(a, b)
    if 0 in (x._value.ndim, y._value.ndim):
        return x * y
    return UFUNCS[np.matmul](x, y) if y._value.ndim <= 2 else linalg.tensordot(x, y, [[-1], [-2]])


def _vdot(a: Any, b: Any) -> Tensor:
    x, y = pair(a, b)
    return math.reduce_sum(math.conj(flat(x)) * flat(y))


def _inner(a: Any, b: Any) -> Any:
    x, y = pair(a, b)
    return x * y if 0 in (x._value.ndim, y._value.ndim) else linalg.tensordot(x, y, [[-1], [-1]])


def _outer(a: Any, b: Any) -> Tensor:
    x, y = pair(a, b)
    return flat(x)[:, None] * flat(y)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    return linalg.tensordot(*pair(a, b), axes)


def _einsum(subscripts: str, *operands: Any) -> Tensor:
    return linalg.einsum(subscripts, *tensors(operands))


# New tensors.


def _like(ours: Function) -> Function:
    def call(a: Any, dtype: Any = None, shape: Any = None) -> Any:
        made = ours(a, dtype)
        return made if shape is None else fill(shape, ours(made._value.dtype.type(0)))

    return call


def _full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    _, value = pair(_of(a, dtype), fill_value)
    return shaping.broadcast_to(value, one(a).shape if shape is None else shape)


def _linspace(start: Any, stop: Any, num: int = 50, axis: int = 0) -> Tensor:
    first, last = map(as_floating, pair(start, stop))
    return linspace(first, last, num, axis=axis)


def _meshgrid(*xi: Any, indexing: str = "xy") -> Sequence[Tensor]:
    return meshgrid(*tensors(xi), indexing=indexing)


FUNCTIONS.update(
    {
        np.all: lambda a, axis=None, keepdims=False: math.reduce_all(as_truth(one(a)), axis, keepdims),
        np.any: lambda a, axis=None, keepdims=False: math.reduce_any(as_truth(one(a)), axis, keepdims),
        np.amax: _reduction(math.reduce_max),
        np.amin: _reduction(math.reduce_min),
        np.angle: math.angle,
        np.append: moving.append,
        np.array_split: moving.split_at,
        np.around: _round,
        np.atleast_1d: moving.at_least(1),
        np.atleast_2d: moving.at_least(2),
        np.atleast_3d: moving.at_least(3),
        np.average: _average,
        np.broadcast_arrays: moving.broadcast_arrays,
        np.broadcast_to: shaping.broadcast_to,
        np.clip: _clip,
        np.column_stack: moving.column_stack,
        np.concatenate: moving.concatenate,
        np.copy: identity,
        np.cumprod: _scan(math.cumprod),
        np.cumsum: _scan(math.cumsum),
        np.diagonal: _diagonal,
        np.diff: _diff,
        np.dot: _dot,
        np.dstack: moving.dstack,
        np.einsum: _einsum,
        np.empty_like: _like(zeros_like),
        np.expand_dims: moving.expand_dims,
        np.flip: moving.flip,
        np.fliplr: lambda m: moving.flip(m, 1),
        np.flipud: lambda m: moving.flip(m, 0),
        np.full_like: _full_like,
        np.hstack: moving.hstack,
        np.imag: math.imag,
        np.inner: _inner,
        np.linalg.norm: _norm,
        np.linspace: _linspace,
        np.max: _reduction(math.reduce_max),
        np.mean: _mean,
        np.meshgrid: _meshgrid,
        np.min: _reduction(math.reduce_min),
        np.moveaxis: moveaxis,
        np.nanmean: _nanmean,
        np.nansum: lambda a, axis=None, keepdims=False: math.reduce_sum(_numbers_only(a), axis, keepdims),
        np.ndim: lambda a: one(a).ndim,
        np.ones_like: _like(ones_like),
        np.outer: _outer,
        np.pad: moving.pad,
        np.prod: _prod,
        np.ptp: _ptp,
        np.ravel: flat,
        np.real: math.real,
        np.repeat: moving.repeat,
        np.reshape: moving.reshape,
        np.roll: moving.roll,
        np.round: _round,
        np.shape: lambda a: one(a).shape,
        np.size: lambda a, axis=None: one(a)._value.size if axis is None else one(a)._value.shape[axis],
        np.sort: lambda a, axis=-1: shaping.sort(flat(a) if axis is None else a, -1 if axis is None else axis),
        np.split: moving.split,
        np.squeeze: lambda a, axis=None: shaping.squeeze(a, axis),
        np.stack: lambda arrays, axis=0: shaping.stack(moving.sequence(arrays), axis),
        np.std: _std,
        np.sum: _sum,
        np.swapaxes: moving.swapaxes,
        np.take: _take,
        np.tensordot: _tensordot,
        np.tile: moving.tile,
        np.trace: _trace,
        np.transpose: moving.transpose,
        np.tril: _tril,
        np.triu: _triu,
        np.var: _var,
        np.vdot: _vdot,
        np.vstack: moving.vstack,
        np.where: _where,
        np.zeros_like: _like(zeros_like),
    }
)
