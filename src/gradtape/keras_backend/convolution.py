"""Convolution and pooling of `keras.ops.nn`, in either format."""

from __future__ import annotations

from typing import Any

from keras.src import backend
from keras.src.backend.common.backend_utils import compute_conv_transpose_output_shape

from gradtape._windows import Images, images_of
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, promoted, tensor
from gradtape.ops import convolution, pooling, shaping
from gradtape.ops.windows import windows

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
