"""Convolutions, plain, transposed, depthwise and separable, over one to three spatial axes."""

from __future__ import annotations

from typing import Any

from gradtape._axes import Shape, alike, of_kind, wholes, wrong_dtype
from gradtape._windows import Images, images_of, is_channels_first, padding_of, ranked, spatial
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops.convolution import convolve, filter_sums, unconvolve
from gradtape.ops.shaping import reshape
from gradtape.ops.windows import Windows, windows


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
        input: floating, shape `[*batch, length, channels]`.
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
        input: floating or int32, shape `[*batch, height, width, channels]`.
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


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of volumes with filters.

    Args:
        input: floating, shape `[*batch, depth, height, width, channels]`.
        filters: shape `[depth, height, width, channels, out_channels]`, of the same dtype.
        strides, dilations: one, three or five whole numbers.
        padding: `"VALID"` or `"SAME"`.
        data_format: `"NDHWC"` or `"NCDHW"`.

    Raises:
        As `conv2d`.

    >>> import gradtape as tf
    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    return _convolution(input, filters, strides, padding, data_format, dilations, 3, "Conv3D")


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation with filters over one, two or three axes, as many as the filters have.

    Args:
        input: floating, shape `[*batch, *spatial, channels]`.
        filters: shape `[*window, channels, out_channels]`, of the same dtype.
        strides, dilations: one whole number, or one per axis; 1 by default.
        padding: `"VALID"` or `"SAME"`, or pairs as in `conv2d`.
        data_format: by default channels last; `"NC..."` has them behind the batch.

    Raises:
        As `conv2d`.

    >>> import gradtape as tf
    >>> tf.nn.convolution(tf.ones([1, 5, 1]), tf.ones([2, 1, 1]), dilations=2).numpy().ravel()
    array([2., 2., 2.], dtype=float32)
    """
    w = to_tensor(filters, None, "filters")
    rank = _rank(w, "filters", "Convolution")
    return _convolution(input, w, 1 if strides is None else strides, padding, data_format, dilations, rank, "Conv")


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transpose of `conv1d`: each element, times the filters, spread over the window it came from.

    Args and Raises as `conv2d_transpose`, with one spatial axis.

    >>> import gradtape as tf
    >>> tf.nn.conv1d_transpose([[[1.0], [2.0]]], [[[1.0]], [[10.0]]], [1, 4, 1], 2).numpy().ravel()
    array([ 1., 10.,  2., 20.], dtype=float32)
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 1, "Conv1DTranspose")


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transpose of `conv2d`: each element, times the filters, spread over the window it came from.

    Args:
        input: floating, shape `[batch, height, width, channels]`.
        filters: shape `[height, width, out_channels, channels]`, of the same dtype.
        output_shape: the shape of the result, or its height and width.
        strides, padding, data_format, dilations: those of the convolution that this is the transpose of.

    Raises:
        InvalidArgumentError: for shapes, dtypes, strides or a padding that do not fit, and for an `output_shape` that
            the convolution does not take to the shape of the input.

    >>> import gradtape as tf
    >>> tf.nn.conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 2)[0, :, :, 0].numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 2, "Conv2DTranspose")


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transpose of `conv3d`.

    Args and Raises as `conv2d_transpose`, with three spatial axes.

    >>> import gradtape as tf
    >>> tf.nn.conv3d_transpose(tf.ones([1, 1, 1, 1, 1]), tf.ones([1, 1, 2, 1, 1]), [1, 1, 1, 2, 1], 2).numpy().ravel()
    array([1., 1.], dtype=float32)
    """
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 3, "Conv3DTranspose")


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the transpose of `convolution`, over as many axes as the filters have.

    Args and Raises as `conv2d_transpose`.

    >>> import gradtape as tf
    >>> tf.nn.conv_transpose([[[1.0], [2.0]]], [[[1.0]], [[10.0]]], [1, 4, 1], 2).numpy().ravel()
    array([ 1., 10.,  2., 20.], dtype=float32)
    """
    w = to_tensor(filters, None, "filters")
    rank = _rank(w, "filters", "ConvTranspose")
    return _transposed(input, w, output_shape, strides, padding, data_format, dilations, rank, "ConvTranspose")


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """Return `conv2d` with dilated filters: `rate - 1` elements are passed over between two that count.

    Raises:
        ValueError: unless the rate is positive.
        InvalidArgumentError: as `conv2d`.

    >>> import gradtape as tf
    >>> tf.nn.atrous_conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 2, "VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    return conv2d(value, filters, 1, padding, dilations=_rates(rate))


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """Return the transpose of `atrous_conv2d`. Args as `conv2d_transpose`.

    >>> import gradtape as tf
    >>> w = tf.ones([2, 2, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose([[[[1.0]]]], w, [1, 3, 3, 1], 2, "VALID")[0, 0, :, 0].numpy()
    array([1., 0., 1.], dtype=float32)
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=_rates(rate))


def _rates(rate: Any) -> Shape:
    rates = wholes(rate, "rate")
    if min(rates) < 1:
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={list(rates)}")
    return rates


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of each channel with filters of its own.

    Args:
        input: floating, shape `[batch, height, width, channels]`.
        filter: shape `[height, width, channels, multiplier]`, of the same dtype.
        strides: four whole numbers, of which the first and the last are 1.
        padding, data_format: as in `conv2d`.
        dilations: one or two whole numbers.

    Returns:
        shape `[batch, places, places, channels * multiplier]`.

    Raises:
        As `conv2d`.

    >>> import gradtape as tf
    >>> tf.nn.depthwise_conv2d([[[[2.0, 3.0]]]], [[[[10.0], [100.0]]]], [1, 1, 1, 1], "SAME").numpy().ravel()
    array([ 20., 300.], dtype=float32)
    """
    x, w = _operands(input, filter, "DepthwiseConv2dNative")
    ranked(w, 4, "filter", "DepthwiseConv2dNative")
    return _conv(x, _by_depth(x, w, data_format), strides, padding, data_format, dilations, 2, "DepthwiseConv2dNative")


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `depthwise_conv2d` in its input, given that of its result.

    Args:
        input_sizes: the shape of the input.
        filter, strides, padding, data_format, dilations: as there.
        out_backprop: shaped like the result.

    >>> import gradtape as tf
    >>> w = [[[[10.0], [100.0]]]]
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 1, 1, 2], w, [[[[1.0, 2.0]]]], [1, 1, 1, 1], "SAME").numpy().ravel()
    array([ 10., 200.], dtype=float32)
    """
    label = "DepthwiseConv2dNativeBackpropInput"
    y, w = _operands(out_backprop, filter, label)
    ranked(w, 4, "filter", label)
    rows, columns, channels, multiplier = w._value.shape
    w = reshape(w, shape=(rows, columns, 1, channels * multiplier))
    return _spread_out(y, w, wholes(input_sizes, "input_sizes"), strides, padding, data_format, dilations, 2, label)


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `depthwise_conv2d` in its filter, given that of its result.

    Args:
        input, strides, padding, data_format, dilations: as there.
        filter_sizes: the shape of the filter.
        out_backprop: shaped like the result.

    >>> import gradtape as tf
    >>> x = [[[[2.0, 3.0]]]]
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [1, 1, 2, 1], [[[[1.0, 2.0]]]], [1, 1, 1, 1], "SAME").numpy().ravel()
    array([2., 6.], dtype=float32)
    """
    label = "DepthwiseConv2dNativeBackpropFilter"
    x, y = _operands(input, out_backprop, label)
    sizes = wholes(filter_sizes, "filter_sizes")
    images, made = images_of(x, 2, data_format, label), images_of(y, 2, data_format, label, "out_backprop")
    if len(sizes) != 4 or sizes[2] != images.x._value.shape[-1]:
        raise invalid(
            f"{label}: filter_sizes must hold 4 sizes, the third the channels, got {list(sizes)} [Op:{label}]"
        )
    g = _laid(images, sizes[:2], strides, padding, dilations, 2, label)
    if made.x._value.shape != (images.x._value.shape[0], *g.places, sizes[2] * sizes[3]):
        raise _does_not_fit(label, "out_backprop", y)
    return reshape(filter_sums(images.x, made.x, windows=g, groups=sizes[2]), shape=sizes)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return a `depthwise_conv2d`, followed by a convolution across channels.

    Args:
        pointwise_filter: shape `[1, 1, channels * multiplier, out_channels]`.
        Others as in `depthwise_conv2d`.

    Raises:
        ValueError: unless the pointwise filter is 1 by 1.
        InvalidArgumentError: as `conv2d`.

    >>> import gradtape as tf
    >>> d, p = [[[[10.0], [100.0]]]], [[[[1.0], [1.0]]]]
    >>> tf.nn.separable_conv2d([[[[2.0, 3.0]]]], d, p, [1, 1, 1, 1], "SAME").numpy().ravel()
    array([320.], dtype=float32)
    """
    each = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    across = to_tensor(pointwise_filter, each.dtype, "pointwise_filter")
    if across._value.shape[:2] != (1, 1):
        raise ValueError(f"pointwise_filter must be 1 by 1, got shape {list(across._value.shape)}")
    return _convolution(each, across, 1, "VALID", data_format, None, 2, "Conv2D")


def _operands(x: Any, w: Any, label: str) -> tuple[Tensor, Tensor]:
    first, second = alike([to_tensor(x, None, "input"), w], label)
    of_kind(first, "fVi", label)
    if first._value.dtype.kind == "i" and (first._value.dtype.char != "i" or label != "Conv2D"):
        raise wrong_dtype(first._value.dtype, label)
    return first, second


def _convolution(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int, label: str
) -> Tensor:
    x, w = _operands(input, filters, label)
    return _conv(x, w, strides, padding, data_format, dilations, rank, label)


def _conv(
    x: Tensor, w: Tensor, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int, label: str
) -> Tensor:
    images = images_of(x, rank, data_format, label)
    ranked(w, rank + 2, "filters", label)
    shape = w._value.shape
    groups = _groups(images.x._value.shape[-1], shape, label)
    g = _laid(images, shape[:-2], strides, padding, dilations, rank, label)
    return images.back(convolve(images.x, w, windows=g, groups=groups))


def _laid(images: Images, window: Shape, strides: Any, padding: Any, dilations: Any, rank: int, label: str) -> Windows:
    return windows_over(images.x._value.shape[1:-1], window, images.first, strides, padding, dilations, rank, label)


def windows_over(
    sizes: Shape, window: Shape, first: bool, strides: Any, padding: Any, dilations: Any, rank: int, label: str
) -> Windows:
    """Windows over images of these sizes, from arguments as users give them."""
    steps = spatial(strides, "strides", rank, first, label)
    spread = spatial(1 if dilations is None else dilations, "dilations", rank, first, label)
    g = windows(sizes, window, steps, spread, padding_of(padding, rank, first, label))
    if 0 in g.places and 0 not in sizes:
        reach = [(k - 1) * d + 1 for k, d in zip(window, spread, strict=True)]
        raise invalid(
            f"{label}: computed output size would not be positive: {list(g.places)} places of a window that reaches "
            f"over {reach} in an input of {list(sizes)}, with padding {padding!r} [Op:{label}]"
        )
    return g


def _transposed(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    rank: int,
    label: str,
) -> Tensor:
    y, w = _operands(input, filters, label)
    ranked(w, rank + 2, "filters", label)
    shape = wholes(output_shape, "output_shape")
    if len(shape) == rank:
        first = is_channels_first(data_format, rank, label)
        depth = w._value.shape[-2]
        batch = y._value.shape[:1]
        shape = (*batch, depth, *shape) if first else (*batch, *shape, depth)
    return _spread_out(y, w, shape, strides, padding, data_format, dilations, rank, label)


def _spread_out(
    y: Tensor,
    w: Tensor,
    shape: Shape,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    rank: int,
    label: str,
) -> Tensor:
    ranked(y, rank + 2, "input", label)
    images = images_of(y, rank, data_format, label)
    if len(shape) != rank + 2 or min(shape) < 0:
        raise invalid(f"{label}: output_shape must hold {rank} or {rank + 2} sizes, got {list(shape)} [Op:{label}]")
    channels = shape[1] if images.first else shape[-1]
    sizes = shape[2:] if images.first else shape[1:-1]
    groups = _groups(channels, w._value.shape, label)
    g = windows_over(sizes, w._value.shape[:-2], images.first, strides, padding, dilations, rank, label)
    if images.x._value.shape != (shape[0], *g.places, w._value.shape[-1]):
        raise invalid(
            f"{label}: the convolution of images of shape {list(shape)} with filters of shape {list(w._value.shape)} "
            f"has {list(g.places)} places and {w._value.shape[-1]} channels, but input has the shape "
            f"{list(y._value.shape)} [Op:{label}]"
        )
    return images.back(unconvolve(images.x, w, windows=g, groups=groups))


def _rank(w: Tensor, name: str, label: str) -> int:
    rank = w._value.ndim - 2
    if not 1 <= rank <= 3:
        raise invalid(f"{label}: {name} must have 3 to 5 axes, got shape {list(w._value.shape)} [Op:{label}]")
    return rank


def _by_depth(x: Tensor, w: Tensor, data_format: Any) -> Tensor:
    """Filters for each channel as filters of as many groups."""
    label = "DepthwiseConv2dNative"
    rows, columns, channels, multiplier = w._value.shape
    have = x._value.shape[-3 if is_channels_first(data_format, 2, label) else -1] if x._value.ndim > 3 else channels
    if have != channels:
        raise invalid(
            f"{label}: filter must have as many channels as the input: got {channels}, wanted {have} [Op:{label}]"
        )
    return reshape(w, shape=(rows, columns, 1, channels * multiplier))


def _groups(channels: int, shape: Shape, label: str) -> int:
    depth, out = shape[-2:]
    if not depth or channels % depth:
        raise invalid(
            f"{label}: input depth must be evenly divisible by filter depth: {channels} vs {depth} [Op:{label}]"
        )
    groups = channels // depth
    if out % max(1, groups):
        raise invalid(
            f"{label}: output depth must be evenly divisible by number of groups: {out} vs {groups} [Op:{label}]"
        )
    return max(1, groups)


def _does_not_fit(label: str, name: str, x: Tensor) -> Exception:
    return invalid(
        f"{label}: {name} has a shape that does not fit the other arguments: {list(x._value.shape)} [Op:{label}]"
    )
