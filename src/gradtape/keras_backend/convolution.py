"""Convolution and pooling of `keras.ops.nn`, in either format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import backend

from gradtape import _windows
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, promoted, tensor
from gradtape.ops import shaping


def _spatial(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def _windowed(x: Any, data_format: str | None, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Apply a function of channels-last images, whichever the format."""
    if backend.standardize_data_format(data_format) == "channels_last":
        return function(x)
    return _windows.channels_first(function(_windows.channels_last(x)))


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
    rank = x._value.ndim - 2
    channels = x._value.shape[-1 if backend.standardize_data_format(data_format) == "channels_last" else 1]
    if channels % w.shape[-2]:
        raise ValueError(
            f"The number of input channels must be evenly divisible by kernel's in_channels. Received input channels "
            f"{channels} and kernel in_channels {w.shape[-2]}. "
        )
    out = _windowed(
        x,
        data_format,
        lambda x: _windows.convolve(x, w, _spatial(strides, rank), padding.upper(), _spatial(dilation_rate, rank)),
    )
    if 0 in out.shape and 0 not in x.shape:
        raise ValueError(
            f"The convolution operation resulted in an empty output: shape {tuple(out.shape)} from an input of shape "
            f"{tuple(x.shape)} and a kernel of shape {tuple(w.shape)}."
        )
    return out


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


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The largest element of each window."""
    return _pool(_windows.largest, tensor(inputs), pool_size, strides, padding, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Tensor:
    """The mean of each window, the padding left out."""
    return _pool(_windows.mean, as_float(inputs), pool_size, strides, padding, data_format)


def _pool(
    reduce: Callable[..., Tensor], x: Tensor, pool_size: Any, strides: Any, padding: str, data_format: str | None
) -> Tensor:
    rank = x._value.ndim - 2
    sizes, steps = _spatial(pool_size, rank), _spatial(pool_size if strides is None else strides, rank)
    return _windowed(x, data_format, lambda x: reduce(x, sizes, steps, padding.upper()))
