"""Convolution and pooling of `keras.ops.nn`, in either format."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.common.backend_utils import compute_conv_transpose_output_shape

from gradtape import _slicing
from gradtape._windows import Images, channels_first, channels_last, images_of
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, promoted, tensor
from gradtape.ops import convolution, indexing, pooling, reductions, shaping
from gradtape.ops.resampling import resampled
from gradtape.ops.windows import area, windows

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def _images(x: Tensor, data_format: str | None) -> Images:
    rank = x._value.ndim - 2
    first = backend.standardize_data_format(data_format) == "channels_first"
    return images_of(x, rank, FORMATS[rank][first], "keras")


def _spatial(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:
    """Cross-correlation over the spatial axes; with fewer kernel channels than the input's, in groups."""
    x, w = promoted(inputs, kernel)
    images = _images(x, data_format)
    shape = images.x._value.shape
    rank, channels = len(shape) - 2, shape[-1]
    *window, depth, _ = w._value.shape
    if channels % depth:
        raise ValueError(
            f"The number of input channels must be evenly divisible by kernel's in_channels. Received input channels "
            f"{channels} and kernel in_channels {depth}. "
        )
    g = windows(shape[1:-1], tuple(window), _spatial(strides, rank), _spatial(dilation_rate, rank), padding.upper())
    if 0 in g.places and 0 not in shape:
        raise ValueError(
            f"The convolution operation resulted in an empty output: shape {(shape[0], *g.places, w._value.shape[-1])} "
            f"from an input of shape {tuple(x._value.shape)} and a kernel of shape {tuple(w._value.shape)}."
        )
    return images.back(convolution.convolve(images.x, w, windows=g, groups=channels // depth))


def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:
    """Cross-correlation of each channel with filters of its own."""
    w = tensor(kernel)
    *window, channels, multiplier = w._value.shape
    w = shaping.reshape(w, shape=(*window, 1, channels * multiplier))
    return conv(inputs, w, strides, padding, data_format, dilation_rate)


def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:
    """A depthwise convolution, and one across channels."""
    each = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(each, pointwise_kernel, 1, "valid", data_format)


def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:
    """The transpose of a convolution: each element, times the kernel `[*window, out, channels]`, over its window."""
    x, w = promoted(inputs, kernel)
    images = _images(x, data_format)
    places = images.x._value.shape[1:-1]
    rank = len(places)
    *window, out, _ = w._value.shape
    steps, spread = _spatial(strides, rank), _spatial(dilation_rate, rank)
    shape = compute_conv_transpose_output_shape(
        images.x._value.shape, tuple(window), out, steps, padding, output_padding, "channels_last", spread
    )
    laid = windows(tuple(shape[1:-1]), tuple(window), steps, spread, padding.upper())
    return images.back(convolution.unconvolve(images.x, w, windows=laid._replace(places=places), groups=1))


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The largest element of each window."""
    return _pool(pooling.max_pool, tensor(inputs), pool_size, strides, padding, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The mean of each window, the padding left out."""
    return _pool(pooling.avg_pool, as_float(inputs), pool_size, strides, padding, data_format)


def _pool(reduce: Any, x: Tensor, pool_size: Any, strides: Any, padding: str, data_format: str | None) -> Tensor:
    images = _images(x, data_format)
    rank = x._value.ndim - 2
    sizes, steps = _spatial(pool_size, rank), _spatial(pool_size if strides is None else strides, rank)
    g = windows(images.x._value.shape[1:-1], sizes, steps, (1,) * rank, padding.upper())
    return images.back(reduce(images.x, windows=g))


def adaptive_average_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Tensor:
    """The means over as many parts of each axis as asked for; parts may overlap by an element."""
    images = _images(as_float(inputs), data_format)
    x = images.x
    for axis, size in enumerate(_spatial(output_size, x._value.ndim - 2), 1):
        starts, ends = _parts(x._value.shape[axis], size)
        at = np.arange(x._value.shape[axis])
        weights = ((at >= starts[:, None]) & (at < ends[:, None])) / (ends - starts)[:, None]
        x = resampled(x, weights.astype(x._value.dtype), axis=axis)
    return images.back(x)


def adaptive_max_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Tensor:
    """The largest elements of as many parts of each axis as asked for; equal ones share the gradient."""
    images = _images(tensor(inputs), data_format)
    x = images.x
    for axis, size in enumerate(_spatial(output_size, x._value.ndim - 2), 1):
        starts, ends = _parts(x._value.shape[axis], size)
        places = np.minimum(starts[:, None] + np.arange((ends - starts).max()), ends[:, None] - 1)
        x = reductions.reduce_max(indexing.gather(x, places, axis=axis), axis=(axis + 1,))
    return images.back(x)


def _parts(n: int, size: int) -> tuple[Any, Any]:
    """Where the parts of an axis start and end."""
    i = np.arange(size)
    return i * n // size, -(-(i + 1) * n // size)


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _sliding(sizes: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    around = tuple((p, p) for p in _pair(padding))
    return windows(tuple(sizes), _pair(kernel_size), _pair(stride), _pair(dilation), around)


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The elements of each window of images `[n, c, h, w]`, as columns: `[n, c * window, places]`."""
    x = channels_last(tensor(input))
    n, height, width, channels = x._value.shape
    g = _sliding((height, width), kernel_size, dilation, padding, stride)
    laid = shaping.reshape(pooling.to_patches(x, windows=g), shape=(n, prod(g.places), area(g), channels))
    columns = shaping.transpose(laid, perm=(0, 3, 2, 1))
    return shaping.reshape(columns, shape=(n, channels * area(g), prod(g.places)))


def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Images of the columns that `unfold` makes, summed where windows overlap."""
    columns = tensor(x)
    g = _sliding(_pair(output_size), kernel_size, dilation, padding, stride)
    n, depth, count = columns._value.shape
    channels = depth // area(g)
    laid = shaping.transpose(shaping.reshape(columns, shape=(n, channels, area(g), count)), perm=(0, 3, 2, 1))
    patches = shaping.reshape(laid, shape=(n, *g.places, area(g) * channels))
    return channels_first(pooling.from_patches(patches, windows=g, channels=channels))


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Lay channels out as the pixels of blocks."""
    images = _images(tensor(x), data_format)
    return images.back(_slicing.depth_to_space(images.x, block_size))


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Move the pixels of blocks to the channels."""
    images = _images(tensor(x), data_format)
    return images.back(_slicing.space_to_depth(images.x, block_size))
