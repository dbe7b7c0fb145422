"""Special functions, top-k and segments of `tf.math`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from gradtape._axes import alike, of_kind, whole
from gradtape.base.dtypes import as_dtype, int32
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, decided, settled
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import indexing, places, shaping, special
from gradtape.ops.elementwise import maximum, sqrt
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where as choose

TopKV2 = namedtuple("TopKV2", ["values", "indices"])


def _floating(primitive: Primitive, x: Any, op: str) -> Tensor:
    return primitive(of_kind(to_tensor(x, name="x"), "fV", op))


def _pair(primitive: Primitive, x: Any, y: Any, op: str) -> Tensor:
    a, b = alike((x, y), op)
    return primitive(of_kind(a, "fV", op), b)


def erf(x: Any, name: str | None = None) -> Tensor:
    """The error function.

    >>> import gradtape as tf
    >>> float(tf.math.erf(1.0))  # doctest: +NUMBER
    0.8427
    """
    return _floating(special.erf, x, "Erf")


def erfc(x: Any, name: str | None = None) -> Tensor:
    """1 - erf(x), exact where that is tiny."""
    return _floating(special.erfc, x, "Erfc")


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of erf, on (-1, 1)."""
    return _floating(special.erfinv, x, "Erfinv")


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of erfc, on (0, 2): erfinv(1 - x), which loses digits where x is tiny.

    >>> import gradtape as tf
    >>> tf.math.erfcinv([0.5]).numpy()
    array([0.47693628], dtype=float32)
    """
    return _floating(special.erfinv, 1.0 - to_tensor(x, None, "x"), "Erfcinv")


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the normal distribution function, on (0, 1): sqrt(2) erfinv(2 x - 1).

    >>> import gradtape as tf
    >>> tf.math.ndtri([0.5, 0.975]).numpy()
    array([0.      , 1.959964], dtype=float32)
    """
    return _floating(special.erfinv, 2.0 * to_tensor(x, None, "x") - 1.0, "Ndtri") * 2**0.5


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log |beta(x)| over the last axis: the sum of lgamma less lgamma of the sum.

    >>> import gradtape as tf
    >>> tf.math.lbeta([1.0, 2.0]).numpy()
    np.float32(-0.6931472)
    """
    found = to_tensor(x, None, "x")
    last = (found._value.ndim - 1,)
    if not found._value.ndim:
        raise invalid("lbeta: x must have at least one axis, got a scalar")
    return reduce_sum(lgamma(found), axis=last) - lgamma(reduce_sum(found, axis=last))


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """log |gamma(x)|."""
    return _floating(special.lgamma, x, "Lgamma")


def digamma(x: Any, name: str | None = None) -> Tensor:
    """The derivative of lgamma."""
    return _floating(special.digamma, x, "Digamma")


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The derivative of digamma of order `a`.

    Args:
        a: whole numbers of at least 0; elsewhere the result is NaN. No gradient flows to it.
        x: of the same dtype; the shapes broadcast.

    >>> import gradtape as tf
    >>> tf.math.polygamma(1.0, 1.0).numpy()
    np.float32(1.644934)
    """
    order, point = alike((a, x), "Polygamma")
    return special.polygamma_at(of_kind(order, "fV", "Polygamma"), point)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(y), and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xlogy(0.0, 0.0).numpy()
    np.float32(0.0)
    """
    return _pair(special.xlogy, x, y, "Xlogy")


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), and 0 where x is 0."""
    return _pair(special.xlog1py, x, y, "Xlog1py")


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0."""
    return _pair(special.xdivy, x, y, "Xdivy")


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = int32, name: str | None = None) -> TopKV2:
    """The k largest elements along the last axis, largest first, and where they are; of equal ones the first.

    Returns:
        A pair `values`, through which gradients flow, and `indices`, both of shape [..., k].

    Raises:
        InvalidArgumentError: for a scalar, or if there are fewer than k elements.

    >>> import gradtape as tf
    >>> tf.math.top_k([1, 3, 2], k=2).values.numpy()
    array([3, 2], dtype=int32)
    """
    x = of_kind(to_tensor(input, name="input"), "fViu", "TopKV2")
    count = whole(k, "k")
    if not x._value.ndim:
        raise invalid(f"input must be >= 1-D, got shape {list(x._value.shape)}")
    if count < 0:
        raise invalid(f"Need k >= 0, got {count}")
    if x._value.shape[-1] < count:
        raise invalid(f"input must have at least k columns. Had {x._value.shape[-1]}, needed {count}")
    axis = x._value.ndim - 1
    order = indexing.argsort(x, axis=axis, descending=True)[..., :count]
    numbers = cast_discrete(order, dtype=as_dtype(index_type).numpy_dtype)
    return TopKV2(indexing.take_along(x, order, axis=axis), numbers)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each target is among the k largest of its row of predictions; ties count as in.

    Raises:
        InvalidArgumentError: if the shapes are not [n] and [n, classes].
    """
    classes, rows = to_tensor(targets, name="targets"), to_tensor(predictions, name="predictions")
    labels, scores = classes._value, rows._value  # of which only the shapes are looked at
    if scores.ndim != 2 or labels.shape != scores.shape[:1]:
        raise invalid(
            f"in_top_k: predictions must be [n, classes] and targets [n], got {list(scores.shape)}, "
            f"{list(labels.shape)}"
        )
    return places.in_largest(classes, rows, count=whole(k, "k"))


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """How often each label (row) got each prediction (column).

    >>> import gradtape as tf
    >>> tf.math.confusion_matrix([0, 1], [1, 1]).numpy()
    array([[0, 1],
           [0, 1]], dtype=int32)

    Raises:
        InvalidArgumentError: for negative classes or shapes that differ.
    """
    rows, columns = (to_tensor(v, name=n) for v, n in ((labels, "labels"), (predictions, "predictions")))
    if rows._value.shape != columns._value.shape:
        raise invalid(
            f"confusion_matrix: labels have shape {list(rows._value.shape)}, predictions {list(columns._value.shape)}"
        )
    if num_classes is None:
        n = max(decided(_classes, rows), decided(_classes, columns))
    else:
        n = whole(num_classes, "num_classes")
    check(_check_classes, rows, columns, n)
    amounts = 1 if weights is None else to_tensor(weights, as_dtype(dtype), "weights")
    return places.pair_counts(rows, columns, amounts, size=n, dtype=as_dtype(dtype).numpy_dtype)


def _classes(numbers: Any) -> int:
    return int(np.max(numbers, initial=-1)) + 1


def _check_classes(rows: Any, columns: Any, count: int) -> None:
    if min(rows.min(initial=0), columns.min(initial=0)) < 0:
        raise invalid("confusion_matrix: `labels` and `predictions` must not contain negative values")
    top = max(_classes(rows), _classes(columns)) - 1
    if top >= count:
        raise invalid(f"confusion_matrix: class {top} is out of range for num_classes {count}")


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each whole number occurs.

    >>> import gradtape as tf
    >>> tf.math.bincount([1, 1, 2]).numpy()
    array([0, 2, 1], dtype=int32)

    Raises:
        InvalidArgumentError: for negative numbers, or an axis (rows are not counted one by one).
    """
    if axis not in (None, 0):
        raise invalid(f"bincount: axis must be None or 0, got {axis!r}")
    flat = np.ravel(settled(to_tensor(arr, name="arr")))
    if flat.min(initial=0) < 0:
        raise invalid("bincount: Input arr must be non-negative!")
    amounts = None if weights is None else settled(to_tensor(weights, name="weights"))
    n = 0 if minlength is None else whole(minlength, "minlength")
    counts: Any = np.bincount(flat, None if amounts is None else np.ravel(amounts), n)
    if maxlength is not None:
        counts = counts[: whole(maxlength, "maxlength")]
    if binary_output:
        counts = counts > 0
    return wrap(counts.astype(as_dtype(dtype).numpy_dtype if amounts is None else amounts.dtype))


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The inverse of a permutation of 0, 1, ..., n-1. Raises InvalidArgumentError for anything else."""
    found = to_tensor(x, name="x")
    check(_check_permutation, found)
    return places.inverse_permutation(found)


def _check_permutation(x: Any) -> None:
    if x.ndim != 1 or not np.array_equal(np.sort(x), np.arange(len(x))):
        raise invalid(f"invert_permutation: x must be a permutation of 0 ... n-1, got {x.tolist()}")


def _segments(data: Any, segment_ids: Any, count: Any, op: str) -> tuple[Tensor, Any, int]:
    """Rows, their segment numbers and how many segments there are; `count` None means sorted numbers."""
    rows, numbers = to_tensor(data, name="data"), to_tensor(segment_ids, name="segment_ids")
    ids = numbers._value  # of which only the shape is looked at
    if ids.shape != rows._value.shape[: ids.ndim]:
        raise invalid(
            f"data.shape = {list(rows._value.shape)} does not start with segment_ids.shape = {list(ids.shape)} "
            f"[Op:{op}]"
        )
    if count is None:
        check(_check_sorted, numbers, op)
        return rows, numbers, decided(_last_segment, numbers) + 1
    n = whole(count, "num_segments")
    check(_check_segments, numbers, n, op)
    return rows, numbers, n


def _last_segment(ids: Any) -> int:
    return int(ids.reshape(-1)[-1]) if ids.size else -1


def _check_sorted(ids: Any, op: str) -> None:
    flat = ids.reshape(-1)
    if (np.diff(flat) < 0).any() or flat.min(initial=0) < 0:
        raise invalid(f"segment ids are not increasing [Op:{op}]")


def _check_segments(ids: Any, count: int, op: str) -> None:
    flat = ids.reshape(-1)
    outside = np.flatnonzero(flat >= count)
    if outside.size:
        raise invalid(f"segment_ids[{outside[0]}] = {flat[outside[0]]} is out of range [0, {count}) [Op:{op}]")


def _kept(rows: Tensor, ids: Tensor) -> tuple[Tensor, Any]:
    """Rows whose number is not negative, and the numbers as positions."""
    if decided(_any_negative, ids):
        kept = indexing.nonzero(ids >= 0)
        rows, ids = indexing.gather_nd(rows, kept), indexing.gather_nd(ids, kept)
    return rows, shaping.reshape(ids, shape=(*ids._value.shape, 1))


def _any_negative(ids: Any) -> bool:
    return bool((ids < 0).any())


def _sum(data: Any, segment_ids: Any, count: Any, op: str) -> tuple[Tensor, Any]:
    rows, ids, n = _segments(data, segment_ids, count, op)
    rest = rows._value.shape[ids._value.ndim :]
    kept, spots = _kept(rows, ids)
    sizes = shaping.reshape(places.segment_sizes(ids, count=n), shape=(n, *[1] * len(rest)))
    amounts = cast_discrete(sizes, dtype=rows._value.dtype)
    return indexing.scatter_nd(kept, spots, shape=(n, *rest)), amounts


def _extreme(data: Any, segment_ids: Any, count: Any, largest: bool, op: str) -> Tensor:
    rows, ids, n = _segments(data, segment_ids, count, op)
    dtype, rest = rows._value.dtype, rows._value.shape[ids._value.ndim :]
    info: Any = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    start = np.full((n, *rest), info.min if largest else info.max, dtype)
    kept, spots = _kept(rows, ids)
    update = indexing.nd_max if largest else indexing.nd_min
    out: Tensor = update(wrap(start), spots, kept)
    if count is None:  # empty segments of the sorted kind are zero
        empty = shaping.reshape(places.segment_sizes(ids, count=n) == 0, shape=(n, *[1] * len(rest)))
        return choose(empty, dtype.type(0), out)
    return out


def _product(data: Any, segment_ids: Any, count: Any, op: str) -> Tensor:
    from_rows, ids, n = _segments(data, segment_ids, count, op)
    rest = from_rows._value.shape[ids._value.ndim :]
    out = wrap(np.ones((n, *rest), from_rows._value.dtype))
    numbers = settled(ids)
    for position in np.ndindex(*numbers.shape):
        if numbers[position] >= 0:
            place = np.array([[numbers[position]]])
            row = indexing.gather_nd(from_rows, np.array([position]))
            out = indexing.nd_update(out, place, indexing.gather_nd(out, place) * row)
    return out


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of each segment; the numbers must not decrease.

    >>> import gradtape as tf
    >>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)
    """
    return _sum(data, segment_ids, None, "SegmentSum")[0]


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Means of the rows of each segment; the numbers must not decrease."""
    total, size = _sum(data, segment_ids, None, "SegmentMean")
    return total / maximum(size, size._value.dtype.type(1))


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Largest of the rows of each segment; the numbers must not decrease."""
    return _extreme(data, segment_ids, None, True, "SegmentMax")


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Smallest of the rows of each segment; the numbers must not decrease."""
    return _extreme(data, segment_ids, None, False, "SegmentMin")


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Products of the rows of each segment; the numbers must not decrease."""
    return _product(data, segment_ids, None, "SegmentProd")


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of each segment; rows with a negative number are left out."""
    return _sum(data, segment_ids, num_segments, "UnsortedSegmentSum")[0]


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Means of the rows of each segment, 0 for empty ones."""
    total, size = _sum(data, segment_ids, num_segments, "UnsortedSegmentMean")
    return total / maximum(size, size._value.dtype.type(1))


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of each segment over the square root of their number, 0 for empty ones."""
    total, size = _sum(data, segment_ids, num_segments, "UnsortedSegmentSqrtN")
    return total / sqrt(maximum(size, size._value.dtype.type(1)))


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Largest of the rows of each segment; the least value of the dtype for empty ones."""
    return _extreme(data, segment_ids, num_segments, True, "UnsortedSegmentMax")


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Smallest of the rows of each segment; the greatest value of the dtype for empty ones."""
    return _extreme(data, segment_ids, num_segments, False, "UnsortedSegmentMin")


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Products of the rows of each segment, 1 for empty ones."""
    return _product(data, segment_ids, num_segments, "UnsortedSegmentProd")
