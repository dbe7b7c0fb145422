"""Pooling over one to three spatial axes, and morphology."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, of_kind, wholes
from gradtape._convolution import windows_over
from gradtape._windows import images_of, ranked, spatial
from gradtape.base.dtypes import as_dtype, int32, int64
from gradtape.base.errors import UnimplementedError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import pooling, shaping
from gradtape.ops.indexing import take_along
from gradtape.ops.reductions import argmax
from gradtape.ops.selection import where
from gradtape.ops.shaping import flip, getitem, reshape

REAL = "fViu"
FLOATING = "fV"


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """Return the largest element of each window of sequences `[batch, length, channels]`. Else as `max_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID").numpy().ravel()
    array([3., 2.], dtype=float32)
    """
    return _pooled(pooling.max_pool, input, ksize, strides, padding, data_format, 1, "MaxPool")


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """Return the largest element of each window; of equal ones the first receives the gradient.

    Args:
        input: real, shape `[batch, height, width, channels]`.
        ksize, strides: one, two or four whole numbers.
        padding: `"VALID"`, `"SAME"`, or the padding before and after each of the four axes.
        data_format: `"NHWC"` or `"NCHW"`.

    Raises:
        InvalidArgumentError: for shapes, sizes or a padding that do not fit.

    >>> import gradtape as tf
    >>> tf.nn.max_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return _pooled(pooling.max_pool, input, ksize, strides, padding, data_format, 2, "MaxPool")


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """Return the largest element of each window of volumes `[batch, depth, height, width, channels]`.

    Else as `max_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([7.], dtype=float32)
    """
    return _pooled(pooling.max_pool, input, ksize, strides, padding, data_format, 3, "MaxPool3D")


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return the largest element of each window, over one to three axes: all but the first and the channels.

    Args and Raises as `max_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.max_pool([[[1.0], [3.0]]], 2, 1, "VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    x = to_tensor(input, None, "input")
    return _pooled(pooling.max_pool, x, ksize, strides, padding, data_format, _rank(x, "MaxPool"), "MaxPool")


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """Return the mean of each window of sequences `[batch, length, channels]`. Else as `avg_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID").numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    return _pooled(pooling.avg_pool, input, ksize, strides, padding, data_format, 1, "AvgPool")


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """Return the mean of each window, the padding left out.

    Args:
        input: floating, shape `[batch, height, width, channels]`.
        ksize, strides, padding, data_format: as in `max_pool2d`.

    Raises:
        As `max_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pooled(pooling.avg_pool, input, ksize, strides, padding, data_format, 2, "AvgPool")


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """Return the mean of each window of volumes `[batch, depth, height, width, channels]`. Else as `avg_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([3.5], dtype=float32)
    """
    return _pooled(pooling.avg_pool, input, ksize, strides, padding, data_format, 3, "AvgPool3D")


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return the mean of each window, over one to three axes: all but the first and the channels.

    Args and Raises as `avg_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.avg_pool([[[1.0], [3.0]]], 2, 1, "VALID").numpy().ravel()
    array([2.], dtype=float32)
    """
    x = to_tensor(input, None, "input")
    return _pooled(pooling.avg_pool, x, ksize, strides, padding, data_format, _rank(x, "AvgPool"), "AvgPool")


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the largest element (`"MAX"`) or the mean (`"AVG"`) of each window.

    Args:
        input: shape `[batch, *spatial, channels]`.
        window_shape: one size per spatial axis.
        pooling_type: `"MAX"` or `"AVG"`.
        strides, dilations: one whole number, or one per spatial axis; 1 by default.
        padding, data_format: as in `max_pool`.

    Raises:
        ValueError: for another pooling_type.
        InvalidArgumentError: as `max_pool2d`.

    >>> import gradtape as tf
    >>> tf.nn.pool([[[1.0], [3.0], [2.0]]], [2], "MAX").numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    sizes = wholes(window_shape, "window_shape")
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"{len(sizes)}-D {pooling_type} pooling is not supported.")
    reduce = pooling.max_pool if pooling_type == "MAX" else pooling.avg_pool
    steps = 1 if strides is None else strides
    return _pooled(reduce, input, sizes, steps, padding, data_format, len(sizes), "Pool", dilations)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the largest element of each window, and its place: `(y * width + x) * channels + channel`.

    Args:
        input, ksize, strides, padding: as in `max_pool2d`.
        data_format: `"NHWC"`.
        output_dtype: of the places: int32 or int64.
        include_batch_in_index: number the images too, instead of starting again for each.

    Raises:
        ValueError: for another format.
        InvalidArgumentError: as `max_pool2d`, and for another output_dtype.

    >>> import gradtape as tf
    >>> [t.numpy().ravel().tolist() for t in tf.nn.max_pool_with_argmax([[[[1.0], [3.0]]]], [1, 2], 1, "VALID")]
    [[3.0], [1]]
    """
    label = "MaxPoolWithArgmax"
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other  than 'NHWC' are not supported. Received: {data_format=!s}")
    if as_dtype(output_dtype) not in (int32, int64):
        raise invalid(f"{label}: output_dtype must be int32 or int64, got {as_dtype(output_dtype).name}")
    x = of_kind(to_tensor(input, None, "input"), REAL, label)
    ranked(x, 4, "input", label)
    n, height, width, channels = x._value.shape
    g = windows_over((height, width), spatial(ksize, "ksize", 2, False, label), False, strides, padding, None, 2, label)
    out = pooling.max_pool(x, windows=g)
    order = shaping.cast_discrete(pooling.first_largest(x, out, windows=g), dtype=np.dtype(np.int64))
    row = order // g.window[1] + (np.arange(g.places[0]) * g.strides[0] - g.before[0])[:, None, None]
    column = order % g.window[1] + (np.arange(g.places[1]) * g.strides[1] - g.before[1])[:, None]
    places = (row * width + column) * channels + np.arange(channels)
    if include_batch_in_index:
        places = places + (np.arange(n) * (height * width * channels))[:, None, None, None]
    return out, shaping.cast_discrete(places, dtype=as_dtype(output_dtype).numpy_dtype)


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """Return the largest sum of an element and the filter's, in each window (greyscale dilation).

    Args:
        input: real, shape `[batch, height, width, channels]`.
        filters: shape `[height, width, channels]`, of the same dtype.
        strides, dilations: four whole numbers, of which the first and the last are 1.
        padding: `"VALID"` or `"SAME"`; padding is never the largest.
        data_format: `"NHWC"`.

    Raises:
        ValueError: for another format.
        InvalidArgumentError: for shapes, sizes or a padding that do not fit.

    >>> import gradtape as tf
    >>> tf.nn.dilation2d([[[[1.0], [3.0]]]], [[[5.0], [1.0]]], [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel()
    array([6.], dtype=float32)
    """
    return _dilation(input, filters, strides, padding, data_format, dilations, "Dilation2D")


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: Any, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """Return the least difference of an element and the turned filter's, in each window (greyscale erosion).

    Args and Raises as `dilation2d`.

    >>> import gradtape as tf
    >>> tf.nn.erosion2d([[[[1.0], [3.0]]]], [[[5.0], [1.0]]], [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel()
    array([-2.], dtype=float32)
    """
    x: Any
    w: Any
    x, w = alike([value, filters], "Erosion2D")
    if w._value.ndim == 3:
        w = flip(w, axes=(0, 1))
    return -_dilation(-x, w, strides, padding, data_format, dilations, "Erosion2D")


def _dilation(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, label: str
) -> Any:
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other  than 'NHWC' are not supported. Received: {data_format=!s}")
    x: Any
    w: Any
    x, w = alike([input, filters], label)
    of_kind(x, REAL, label)
    ranked(x, 4, "input", label)
    ranked(w, 3, "filters", label)
    height, width, channels = w._value.shape
    if channels != x._value.shape[-1]:
        raise invalid(
            f"{label}: filters must have as many channels as the input: got {channels}, wanted {x._value.shape[-1]} "
            f"[Op:{label}]"
        )
    sizes = x._value.shape[1:-1]
    g = windows_over(sizes, (height, width), False, strides, padding, dilations, 2, label)
    count = height * width
    sides = (x._value.shape[0], *g.places, count, channels)
    seen = reshape(pooling.to_patches(x, windows=g), shape=sides) + reshape(w, shape=(count, channels))
    inside = pooling.to_patches.kernel(np.ones((1, *sizes, 1), np.int8), windows=g)[..., None]
    dtype = x._value.dtype
    least = np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
    candidates = where(inside != 0, seen, np.asarray(least, dtype))
    order = argmax(candidates, axis=3, dtype=np.dtype("int64"))
    shape = order._value.shape
    spots = reshape(order, shape=(*shape[:3], 1, *shape[3:]))
    return getitem(take_along(seen, spots, axis=3), key=(slice(None),) * 3 + (0,))


def _pooled(
    reduce: Primitive,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    rank: int,
    label: str,
    dilations: Any = None,
) -> Tensor:
    x = of_kind(to_tensor(input, None, "input"), REAL if reduce is pooling.max_pool else FLOATING, label)
    ranked(x, rank + 2, "input", label)
    images = images_of(x, rank, data_format, label)
    if rank == 2 and not images.first and reduce is pooling.max_pool:
        across = _across_channels(images.x, ksize, strides, padding, label)
        if across is not None:
            return across
    if wholes(ksize, "ksize")[0] != 1 and len(wholes(ksize, "ksize")) == rank + 2:
        raise UnimplementedError(None, None, f"Pooling is not yet supported on the batch dimension. [Op:{label}]")
    window = spatial(ksize, "ksize", rank, images.first, label)
    sizes = images.x._value.shape[1:-1]
    g = windows_over(sizes, window, images.first, strides, padding, dilations, rank, label)
    if any(b >= k for b, k in zip(g.before, window, strict=True)) and not isinstance(padding, str):
        raise invalid(f"{label}: padding {padding!r} must be smaller than the window {list(window)} [Op:{label}]")
    return images.back(reduce(images.x, windows=g))


def _across_channels(x: Any, ksize: Any, strides: Any, padding: Any, label: str) -> Tensor | None:
    """The largest of so many channels in a row, for a window of one pixel; None for other windows."""
    sizes = wholes(ksize, "ksize")
    if len(sizes) != 4 or sizes[3] == 1 or sizes[:3] != (1, 1, 1):
        return None
    if wholes(strides, "strides") != sizes or x._value.shape[-1] % sizes[3]:
        raise UnimplementedError(
            None,
            None,
            f"{label}: pooling over channels needs windows that divide the channels evenly, and as large a stride "
            f"[Op:{label}]",
        )
    *shape, channels = x._value.shape
    laid = reshape(x, shape=(int(np.prod(shape)), channels, 1))
    g = windows_over((channels,), sizes[3:], False, sizes[3], "VALID", None, 1, label)
    return reshape(pooling.max_pool(laid, windows=g), shape=(*shape, channels // sizes[3]))


def _rank(x: Tensor, label: str) -> int:
    rank = x._value.ndim - 2
    if not 1 <= rank <= 3:
        raise invalid(f"{label}: input must have 3 to 5 axes, got shape {list(x._value.shape)} [Op:{label}]")
    return rank
