"""Quantiles, correlations and differences for `keras.ops`."""

from __future__ import annotations

from typing import Any

from keras.src.backend.common.dtypes import result_type

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.arranging import moveaxis, squeeze
from gradtape.keras_backend.dispatch import as_float, axes_of, cast, name_of, tensor
from gradtape.keras_backend.finding import take_along_axis
from gradtape.keras_backend.reducing import _numbers, mean, sum
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, linalg, reductions, selection, shaping


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The values below which the shares `q` of the elements lie; NaN where there is one."""
    x = _countable(x)
    out, rows = _quantiles(x, q, axis, method, keepdims)
    missing = reductions.reduce_any(selection.is_nan(rows), axis=(rows.ndim - 1,))
    shape = out._value.shape[tensor(q).ndim :]
    return selection.where(shaping.reshape(missing, shape=shape), tensor(float("nan"), name_of(out)), out)


def nanquantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The quantiles of what is a number."""
    return _quantiles(_countable(x), q, axis, method, keepdims)[0]


def percentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """Quantiles of shares in percent."""
    return quantile(x, as_float(q) / 100.0, axis, method, keepdims)


def nanpercentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """Quantiles of what is a number, of shares in percent."""
    return nanquantile(x, as_float(q) / 100.0, axis, method, keepdims)


def median(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The value in the middle, or the mean of the two there."""
    return quantile(x, 0.5, axis, "linear", keepdims)


def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The median of what is a number."""
    return nanquantile(x, 0.5, axis, "linear", keepdims)


def _countable(x: Any) -> Tensor:
    x = tensor(x)
    return cast(x, result_type(name_of(x), float))


# From a position between two elements to one of them, or to the way to go from the lower to the upper one.
_STEPS: dict[str, Any] = {
    "linear": lambda part: part,
    "lower": lambda part: selection.zeros_like(part),
    "higher": lambda part: cast(part > 0, "float64"),
    "midpoint": lambda part: cast(part > 0, "float64") * 0.5,
}


def _quantiles(x: Tensor, q: Any, axis: Any, method: str, keepdims: bool) -> tuple[Tensor, Tensor]:
    """The quantiles, the axes of q first, and the rows they are taken of, sorted, with NaN last."""
    if method not in (*_STEPS, "nearest"):
        raise ValueError(f"Invalid `method`: {method!r}. Expected one of {[*_STEPS, 'nearest']}")
    q = tensor(q)
    shares = cast(q, "float64")
    axes = axes_of(x, axis)
    rest = tuple(a for a in range(x.ndim) if a not in axes)
    shape = x._value.shape
    kept = tuple(shape[a] for a in rest)
    rows = shaping.reshape(shaping.transpose(x, perm=(*rest, *axes)), shape=(*kept, reductions.count(shape, axes)))
    last = rows.ndim - 1
    rows = indexing.take_along(rows, indexing.argsort(rows, axis=last, descending=False), axis=last)
    count = _numbers(rows, -1, True, "float64")
    place = shaping.reshape(shares, shape=(*[1] * last, -1)) * ew.maximum(count - 1.0, 0.0)
    low = ew.rint(place) if method == "nearest" else ew.floor(place)
    step = selection.zeros_like(place) if method == "nearest" else _STEPS[method](place - low)
    high = ew.minimum(low + 1.0, ew.maximum(count - 1.0, 0.0))
    first, second = (take_along_axis(rows, cast(p, "int64"), last) for p in (low, high))
    step = cast(step, name_of(x))
    out = selection.where(step == 0, first, first + (second - first) * step)
    out = shaping.transpose(out, perm=(last, *range(last)))
    sizes = reductions.kept(shape, axes) if keepdims else kept
    return shaping.reshape(out, shape=(*q._value.shape, *sizes)), rows


def corrcoef(x: Any) -> Tensor:
    """How the rows go together: their covariances divided by the deviations of both."""
    x = tensor(x)
    x = cast(x, "float64") if name_of(x) == "int64" else as_float(x)
    if x.ndim == 1:
        x = shaping.reshape(x, shape=(1, -1))
    centred = x - mean(x, 1, True)
    unit = centred / shaping.reshape(reductions.euclidean_norm(centred, axis=(1,)), shape=(-1, 1))
    out = linalg.matmul(unit, shaping.mT(unit))
    return squeeze(out) if x._value.shape[0] == 1 else out


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """The area under the line through the points."""
    y = tensor(y)
    y = cast(y, result_type(name_of(y), float))
    ends = [moveaxis(y, axis, -1)[..., 1:], moveaxis(y, axis, -1)[..., :-1]]
    if x is None:
        width = tensor(dx, name_of(y))
    else:
        x = tensor(x, name_of(y))
        x = x if x.ndim == 1 else moveaxis(x, axis, -1)
        width = x[..., 1:] - x[..., :-1]
    return sum(width * (ends[0] + ends[1]) * 0.5, -1)


def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """Each element less the one before, n times."""
    x = moveaxis(a, axis, -1)
    for _ in range(n):
        after, before = x[..., 1:], x[..., :-1]
        x = selection.not_equal(after, before) if name_of(x) == "bool" else after - before
    return moveaxis(x, -1, axis)
