"""Sums, products, extremes and scans of `tf.math`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._axes import of_kind, positive_axis, whole, whole_array, wrong_dtype
from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.dtypes import int64 as INT64
from gradtape.base.errors import invalid
from gradtape.core import cotangents
from gradtape.core.convert import mixed_dtypes, to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import reductions, scans, shaping

Axes = tuple[int, ...]


def axes_of(axis: Any, rank: int, op: str) -> Axes:
    """The axes to reduce, counted from the front; None means all.

    Raises:
        InvalidArgumentError: for an axis out of range or given twice.
        TypeError: for an axis that is not a whole number.
    """
    if axis is None:
        return tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    if isinstance(axis, str | bytes):
        raise invalid("axis: Value for attr 'Tidx' of string is not in the list of allowed values: int32, int64")
    found: list[int] = []
    for a in np.ravel(whole_array(axis, "axis")).tolist():
        if not -rank <= a < rank:
            raise invalid(f"Invalid reduction dimension ({a} for input with {rank} dimension(s) [Op:{op}]")
        if a % rank in found:
            raise invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {a % rank} [Op:{op}]")
        found.append(a % rank)
    return tuple(sorted(found))


def reduced(primitive: Any, x: Tensor, axis: Any, keepdims: Any, op: str) -> Tensor:
    """Apply a reduction over the axes, and put them back with size 1 if asked."""
    axes = axes_of(axis, x._value.ndim, op)
    if not axes:
        return x
    out: Tensor = primitive(x, axis=axes)
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def _reduce(primitive: Any, input_tensor: Any, axis: Any, keepdims: Any, op: str, kinds: str = "fViuc") -> Tensor:
    return reduced(primitive, of_kind(to_tensor(input_tensor, name="input_tensor"), kinds, op), axis, keepdims, op)


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Sum of the elements over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: one axis, several, or None for all.
        keepdims: keep the reduced axes with size 1.

    Raises:
        InvalidArgumentError: for an axis out of range or given twice, or a dtype that is not of numbers.

    >>> import gradtape as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6], dtype=int32)
    """
    return _reduce(reductions.reduce_sum, input_tensor, axis, keepdims, "Sum")


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Mean of the elements over axes; of integers, truncated. Arguments and errors as `reduce_sum`.

    >>> import gradtape as tf
    >>> tf.reduce_mean([1.0, 2.0, 6.0]).numpy()
    np.float32(3.0)
    """
    return _reduce(reductions.reduce_mean, input_tensor, axis, keepdims, "Mean")


def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Product of the elements over axes. Arguments and errors as `reduce_sum`.

    >>> import gradtape as tf
    >>> tf.reduce_prod([2.0, 3.0]).numpy()
    np.float32(6.0)
    """
    return _reduce(reductions.reduce_prod, input_tensor, axis, keepdims, "Prod")


def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Largest element over axes; equal ones share the gradient. Arguments and errors as `reduce_sum`.

    >>> import gradtape as tf
    >>> tf.reduce_max([1.0, 3.0, 2.0]).numpy()
    np.float32(3.0)
    """
    return _reduce(reductions.reduce_max, input_tensor, axis, keepdims, "Max", "fViu")


def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Smallest element over axes; equal ones share the gradient. Arguments and errors as `reduce_sum`.

    >>> import gradtape as tf
    >>> tf.reduce_min([3.0, 1.0]).numpy()
    np.float32(1.0)
    """
    return _reduce(reductions.reduce_min, input_tensor, axis, keepdims, "Min", "fViu")


def _booleans(input_tensor: Any, op: str) -> Tensor:
    x = to_tensor(input_tensor, name="input_tensor")
    if x._value.dtype.kind != "b":
        raise invalid(
            f"cannot compute {op} as input #0(zero-based) was expected to be a bool tensor but is a "
            f"{x.dtype.name} tensor "
            f"[Op:{op}]"
        )
    return x


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether all are true over axes. Raises InvalidArgumentError for anything but booleans.

    >>> import gradtape as tf
    >>> tf.reduce_all([True, False]).numpy()
    np.False_
    """
    return reduced(reductions.reduce_all, _booleans(input_tensor, "All"), axis, keepdims, "All")


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Whether any is true over axes. Raises InvalidArgumentError for anything but booleans.

    >>> import gradtape as tf
    >>> tf.reduce_any([True, False]).numpy()
    np.True_
    """
    return reduced(reductions.reduce_any, _booleans(input_tensor, "Any"), axis, keepdims, "Any")


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow. Raises InvalidArgumentError for integers.

    >>> import gradtape as tf
    >>> float(tf.reduce_logsumexp([0.0, 0.0]))  # doctest: +NUMBER
    0.6931
    """
    return _reduce(reductions.reduce_logsumexp, input_tensor, axis, keepdims, "LogSumExp", "fV")


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """sqrt(sum(|x|^2)) over axes; the gradient at 0 is 0. Arguments and errors as `reduce_sum`.

    The norms of complex numbers have their dtype. Integers raise InvalidArgumentError.

    >>> import gradtape as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    return _norm(to_tensor(input_tensor, name="input_tensor"), axis, keepdims)


def _norm(x: Tensor, axis: Any, keepdims: Any) -> Tensor:
    """The euclidean norm; over no axes it is the absolute value, not the number itself."""
    x = of_kind(x, "fVc", "EuclideanNorm")
    if x._value.dtype.kind == "c":
        return shaping.cast(_norm(ew.complex_abs(x), axis, keepdims), dtype=x._value.dtype)
    if not axes_of(axis, x._value.ndim, "EuclideanNorm"):
        return ew.absolute(x)
    return reduced(reductions.euclidean_norm, x, axis, keepdims, "EuclideanNorm")


def _real(input_tensor: Any) -> Tensor:
    x = to_tensor(input_tensor, name="input_tensor")
    if x._value.dtype.kind not in "fVc":
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    return x


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Mean squared distance from the mean over axes. Raises TypeError for integers.

    >>> import gradtape as tf
    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _real(input_tensor)
    centred = x - reduced(reductions.reduce_mean, x, axis, True, "Mean")
    squared = ew.square(centred) if x._value.dtype.kind != "c" else ew.real(centred * cotangents.conj(centred))
    return reduced(reductions.reduce_mean, squared, axis, keepdims, "Mean")


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """Square root of the variance over axes; its gradient where all are equal is 0. Raises TypeError for integers.

    >>> import gradtape as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _real(input_tensor)
    axes = axes_of(axis, x._value.ndim, "Mean")
    centred = x - reduced(reductions.reduce_mean, x, axis, True, "Mean")
    if x._value.dtype.kind == "c":
        centred = ew.complex_abs(centred)
    n = reductions.count(x._value.shape, axes)
    return reduced(reductions.euclidean_norm, centred, axis, keepdims, "EuclideanNorm") / float(np.sqrt(n))


def count_nonzero(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = INT64, name: str | None = None
) -> Tensor:
    """How many elements are not zero (or not empty strings) over axes.

    >>> import gradtape as tf
    >>> tf.math.count_nonzero([0.0, 2.0, 3.0]).numpy()
    np.int64(2)
    """
    x = to_tensor(input, name="input")
    like = as_dtype(dtype).numpy_dtype
    axes = axes_of(axis, x._value.ndim, "Sum")
    out: Tensor = reductions.count_nonzero(x, axis=axes, like=like)
    return shaping.reshape(out, shape=reductions.kept(x._value.shape, axes)) if keepdims else out


def _arg(primitive: Any, input: Any, axis: Any, output_type: Any, op: str) -> Tensor:
    x = to_tensor(input, name="input")
    shape = x._value.shape
    rank = len(shape)
    a = 0 if axis is None else whole(axis, "axis")
    a = positive_axis(a, rank, f"Expected dimension in the range [{-rank}, {rank}), but got {a} [Op:{op}]")
    if not shape[a]:
        raise invalid(f"Reduction axis {a} is empty in shape {list(shape)} [Op:{op}]")
    dtype: DType = as_dtype(output_type)
    return primitive(x, axis=a, dtype=dtype.numpy_dtype)


def argmax(input: Any, axis: Any = None, output_type: Any = INT64, name: str | None = None) -> Tensor:
    """Position of the first largest element along an axis (0 unless given); a NaN is passed over.

    Raises:
        InvalidArgumentError: for a scalar, an empty axis or one out of range.

    >>> import gradtape as tf
    >>> tf.argmax([1, 3, 3]).numpy()
    np.int64(1)
    """
    return _arg(reductions.argmax, input, axis, output_type, "ArgMax")


def argmin(input: Any, axis: Any = None, output_type: Any = INT64, name: str | None = None) -> Tensor:
    """Position of the first smallest element along an axis, as `argmax`.

    >>> import gradtape as tf
    >>> tf.argmin([1, 1]).numpy()
    np.int64(0)
    """
    return _arg(reductions.argmin, input, axis, output_type, "ArgMin")


def _scan(
    primitive: Callable[..., Any], x: Any, axis: Any, exclusive: Any, reverse: Any, op: str, kinds: str = "fViuc"
) -> Tensor:
    found = of_kind(to_tensor(x, name="x"), kinds, op)
    rank = found._value.ndim
    a = whole(axis, "axis")
    a = positive_axis(a, rank, f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {a} [Op:{op}]")
    return primitive(found, axis=a, exclusive=bool(exclusive), reverse=bool(reverse))


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running sum along an axis.

    Args:
        exclusive: leave each element out of its own sum.
        reverse: start at the end.

    Raises:
        InvalidArgumentError: for an axis out of range.

    >>> import gradtape as tf
    >>> tf.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    """
    return _scan(scans.cumsum, x, axis, exclusive, reverse, "Cumsum")


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running product along an axis, right also where elements are 0. Arguments as `cumsum`.

    >>> import gradtape as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6], dtype=int32)
    """
    return _scan(scans.cumprod, x, axis, exclusive, reverse, "Cumprod")


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) along an axis, without overflow. Arguments as `cumsum`; the log of no elements is -inf.

    >>> import gradtape as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0]).numpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    return _scan(_running_logsumexp, x, axis, exclusive, reverse, "CumulativeLogsumexp", kinds="fVc")


def _running_logsumexp(x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    found = shaping.flip(x, axes=(axis,)) if reverse else x
    if exclusive and x._value.shape[axis]:
        front = (*x._value.shape[:axis], 1, *x._value.shape[axis + 1 :])
        first, rest = np.full(front, -np.inf, x._value.dtype), (slice(None),) * axis + (slice(None, -1),)
        found = shaping.concat(first, shaping.getitem(found, key=rest), axis=axis)
    found = scans.cumulative_logsumexp(found, axis=axis)
    return shaping.flip(found, axes=(axis,)) if reverse else found


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are zero, float32.

    >>> import gradtape as tf
    >>> tf.math.zero_fraction([0.0, 1.0]).numpy()
    np.float32(0.5)
    """
    x = to_tensor(value, name="value")
    return shaping.cast_discrete(reductions.zero_share(x), dtype=np.dtype(np.float32))


def sums_alike(inputs: Any, op: str) -> list[Tensor]:
    """The tensors of a list, of one shape and dtype.

    Raises:
        ValueError: for an empty list, or anything that is not a list.
        InvalidArgumentError: for other shapes or dtypes.
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape. "
            f"Received: {inputs!r}"
        )
    found = [to_tensor(i, name="inputs") for i in inputs]
    first = found[0]
    if first._value.dtype.kind not in "fViuc":
        raise wrong_dtype(first._value.dtype, op)
    for other in found[1:]:
        if other._value.dtype != first._value.dtype:
            raise mixed_dtypes(op, first._value.dtype, other._value.dtype)
        if other._value.shape != first._value.shape:
            raise invalid(
                f"Inputs to operation {op} must have the same size and shape. Input 0: {list(first._value.shape)} "
                f"!= input: {list(other._value.shape)} [Op:{op}]"
            )
    return found
