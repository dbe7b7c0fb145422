"""Convolution and pooling: windows slid over the spatial axes of `[batch, *spatial, channels]`.

A window of n elements is n strided slices of the padded input, one for each offset; every derivative, of any order,
follows from those of slicing, joining and `matmul`.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from gradtape._axes import Shape, alike, of_kind, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.indexing import take_along
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import argmax
from gradtape.ops.shaping import concat, getitem, pad, reshape, stack, transpose


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of images with filters.

    Args:
        input: floating, shape `[batch, height, width, channels]`.
        filters: shape `[height, width, channels, out_channels]`, of the same dtype. With fewer channels than the
            input, the channels are split in groups, and so are the out_channels.
        strides, dilations: one, two or four whole numbers.
        padding: `"VALID"`, `"SAME"`, or the padding before and after each of the four axes.
        data_format: `"NHWC"` or `"NCHW"`.

    Raises:
        InvalidArgumentError: for shapes, dtypes, strides or a padding that do not fit.

    >>> import gradtape as tf
    >>> tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID")[0, :, :, 0].numpy()
    array([[4., 4., 4.],
           [4., 4., 4.],
           [4., 4., 4.]], dtype=float32)
    """
    return _convolution(input, filters, strides, padding, data_format, dilations, 2, "Conv2D")


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of sequences with filters.

    Args:
        input: floating, shape `[batch, length, channels]`.
        filters: shape `[length, channels, out_channels]`, of the same dtype.
        stride, dilations: one whole number, or three.
        padding: `"VALID"` or `"SAME"`.
        data_format: `"NWC"` or `"NCW"`.

    Raises:
        As `conv2d`.

    >>> import gradtape as tf
    >>> tf.nn.conv1d([[[1.0], [2.0], [4.0]]], [[[1.0]], [[-1.0]]], 1, "VALID").numpy().ravel()
    array([-1., -2.], dtype=float32)
    """
    return _convolution(input, filters, stride, padding, data_format, dilations, 1, "Conv1D")


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """Return the largest element of each window; of equal ones the first receives the gradient.

    Args:
        input: real, shape `[batch, height, width, channels]`.
        ksize, strides: one, two or four whole numbers.
        padding: `"VALID"` or `"SAME"`.
        data_format: `"NHWC"` or `"NCHW"`.

    Raises:
        InvalidArgumentError: for shapes, sizes or a padding that do not fit.

    >>> import gradtape as tf
    >>> tf.nn.max_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return _pooling(input, ksize, strides, padding, data_format, largest, "MaxPool")


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
    return _pooling(input, ksize, strides, padding, data_format, mean, "AvgPool")


def _convolution(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int, label: str
) -> Tensor:
    x, w = alike([to_tensor(input, None, "input"), filters], label)
    of_kind(x, "fV", label)
    first = _channels_first(data_format, rank, label)
    _ranked(x, rank + 2, "input", label)
    _ranked(w, rank + 2, "filters", label)
    steps = _spatial(strides, "strides", rank, first, label)
    spread = _spatial(1 if dilations is None else dilations, "dilations", rank, first, label)
    if first:
        x = channels_last(x)
    _grouped(x._value.shape[-1], w._value.shape, label)
    out = convolve(x, w, steps, _padding(padding, rank, first, label), spread)
    return channels_first(out) if first else out


def _pooling(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, reduce: Any, label: str) -> Tensor:
    x = of_kind(to_tensor(input, None, "input"), "fViu", label)
    first = _channels_first(data_format, 2, label)
    _ranked(x, 4, "input", label)
    sizes = _spatial(ksize, "ksize", 2, first, label)
    steps = _spatial(strides, "strides", 2, first, label)
    out = reduce(channels_last(x) if first else x, sizes, steps, _padding(padding, 2, first, label))
    return channels_first(out) if first else out


def convolve(x: Any, w: Any, strides: Shape, padding: Any, dilations: Shape) -> Tensor:
    """Cross-correlate x `[batch, *spatial, channels]` with w `[*window, channels / groups, out]`."""
    *window, depth, out = w._value.shape
    groups = x._value.shape[-1] // depth if depth else 1
    size = math.prod(window)
    views = windows(x, tuple(window), strides, padding, dilations, 0)
    if groups == 1:
        return matmul(_joined(views), reshape(w, shape=(size * depth, out)))
    lead = views[0]._value.shape[:-1]
    split = [reshape(v, shape=(*lead, groups, 1, depth)) for v in views]
    kernels = transpose(reshape(w, shape=(size * depth, groups, out // groups)), perm=(1, 0, 2))
    return reshape(matmul(_joined(split), kernels), shape=(*lead, out))


def _joined(views: list[Any]) -> Any:
    return concat(*views, axis=views[0]._value.ndim - 1) if len(views) > 1 else views[0]


def largest(x: Any, sizes: Shape, strides: Shape, padding: Any) -> Tensor:
    """The first of the largest elements of each window."""
    dtype = x._value.dtype
    low = np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
    views = stack(*windows(x, sizes, strides, padding, (1,) * len(sizes), low), axis=0)
    order = argmax(views, axis=0, dtype=np.dtype("int64"))
    return getitem(take_along(views, reshape(order, shape=(1, *order._value.shape)), axis=0), key=(0,))


def mean(x: Any, sizes: Shape, strides: Shape, padding: Any) -> Tensor:
    """The mean of the elements of each window that are not padding."""
    each = (1,) * len(sizes)
    views = windows(x, sizes, strides, padding, each, 0)
    total = sum(views[1:], views[0])
    ones = wrap(np.ones((1, *x._value.shape[1:-1], 1), x._value.dtype))
    counts = sum(v._value for v in windows(ones, sizes, strides, padding, each, 0))
    return total / wrap(counts)


def windows(x: Any, sizes: Shape, strides: Shape, padding: Any, dilations: Shape, fill: Any) -> list[Any]:
    """For each offset in the window the elements of x there, one for each place of the window."""
    spatial = x._value.shape[1:-1]
    reach = [(k - 1) * d + 1 for k, d in zip(sizes, dilations, strict=True)]
    if padding == "SAME":
        padding = [
            (max(0, (math.ceil(n / s) - 1) * s + r - n) // 2, -(-max(0, (math.ceil(n / s) - 1) * s + r - n) // 2))
            for n, s, r in zip(spatial, strides, reach, strict=True)
        ]
    elif padding == "VALID":
        padding = [(0, 0)] * len(spatial)
    if any(map(any, padding)):
        around = ((0, 0), *padding, (0, 0))
        x = _filled(x, around, fill)
        spatial = x._value.shape[1:-1]
    counts = [max(0, (n - r) // s + 1) for n, s, r in zip(spatial, strides, reach, strict=True)]
    keys = (
        tuple(
            slice(o * d, o * d + s * (c - 1) + 1 if c else o * d, s)
            for o, d, s, c in zip(offset, dilations, strides, counts, strict=True)
        )
        for offset in itertools.product(*map(range, sizes))
    )
    return [getitem(x, key=(slice(None), *key)) for key in keys]


def _filled(x: Any, around: Any, fill: Any) -> Any:
    if not fill:
        return pad(x, paddings=around)
    inside = np.pad(np.ones(x._value.shape, bool), around)
    return pad(x, paddings=around) + wrap(np.where(inside, 0, fill).astype(x._value.dtype))


def channels_last(x: Any) -> Any:
    """[batch, *spatial, channels] of [batch, channels, *spatial]."""
    rank = x._value.ndim
    return transpose(x, perm=(0, *range(2, rank), 1))


def channels_first(x: Any) -> Any:
    """[batch, channels, *spatial] of [batch, *spatial, channels]."""
    rank = x._value.ndim
    return transpose(x, perm=(0, rank - 1, *range(1, rank - 1)))


def _channels_first(data_format: Any, rank: int, label: str) -> bool:
    axes = "DHW"[-rank:]
    allowed = ("N" + axes + "C", "NC" + axes)
    if data_format is not None and data_format not in allowed:
        raise invalid(f"{label}: data_format must be {allowed[0]!r} or {allowed[1]!r}, got {data_format!r}")
    return data_format == allowed[1]


def _ranked(x: Tensor, rank: int, name: str, label: str) -> None:
    if x._value.ndim != rank:
        raise invalid(f"{label}: {name} must be {rank}-dimensional, got shape {list(x._value.shape)} [Op:{label}]")


def _spatial(value: Any, name: str, rank: int, first: bool, label: str) -> Shape:
    numbers = wholes(value, name)
    if len(numbers) == 1:
        numbers *= rank
    elif len(numbers) == rank + 2:
        channel = numbers[1] if first else numbers[-1]
        if (numbers[0], channel) != (1, 1):
            raise invalid(f"{label}: {name} must be 1 along batch and channels, got {list(numbers)} [Op:{label}]")
        numbers = numbers[2:] if first else numbers[1:-1]
    if len(numbers) != rank or min(numbers) < 1:
        raise invalid(f"{label}: {name} must be 1, {rank} or {rank + 2} positive numbers, got {value!r} [Op:{label}]")
    return numbers


def _padding(padding: Any, rank: int, first: bool, label: str) -> Any:
    if isinstance(padding, str):
        if padding.upper() in ("SAME", "VALID"):
            return padding.upper()
        raise invalid(f"{label}: padding must be 'SAME' or 'VALID', or a list of pairs, got {padding!r} [Op:{label}]")
    pairs = [wholes(pair, "padding") for pair in padding]
    if len(pairs) != rank + 2 or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise invalid(f"{label}: padding must be {rank + 2} pairs of numbers from 0 on, got {padding!r} [Op:{label}]")
    return pairs[2:] if first else pairs[1:-1]


def _grouped(channels: int, shape: Shape, label: str) -> None:
    depth, out = shape[-2:]
    if not depth or channels % depth:
        raise invalid(
            f"{label}: input depth must be evenly divisible by filter depth: {channels} vs {depth} [Op:{label}]"
        )
    if out % max(1, channels // depth):
        raise invalid(
            f"{label}: output depth must be evenly divisible by number of groups: {out} vs {channels // depth} "
            f"[Op:{label}]"
        )
