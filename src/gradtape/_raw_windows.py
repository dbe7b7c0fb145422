"""`tf.conv` and `tf.extract_volume_patches`, which spell their arguments in their own ways."""

from __future__ import annotations

from typing import Any

from gradtape._axes import of_kind, wholes
from gradtape._convolution import convolution, windows_over
from gradtape._windows import ranked
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops.pooling import to_patches


def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: Any, name: str | None = None) -> Tensor:
    """Lay the elements of each window of volumes side by side.

    Args:
        input: shape `[batch, depth, height, width, channels]`.
        ksizes: `[1, depth, height, width, 1]` of the windows.
        strides: `[1, inward, down, across, 1]`.
        padding: "VALID" or "SAME", with zeros.

    Returns:
        shape `[batch, places, places, places, depth * height * width * channels]`.

    Raises:
        InvalidArgumentError: for arguments that do not fit.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 1, 2, 2, 1])
    >>> tf.extract_volume_patches(x, [1, 1, 1, 2, 1], [1, 1, 1, 1, 1], "VALID")[0, 0, :, 0].numpy()
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """
    label = "ExtractVolumePatches"
    x = of_kind(to_tensor(input, None, "input"), "fViu", label)
    ranked(x, 5, "input", label)
    window = wholes(ksizes, "ksizes")
    if len(window) != 5 or (window[0], window[4]) != (1, 1) or min(window) < 1:
        raise invalid(f"{label}: ksizes must be [1, depth, height, width, 1], got {ksizes!r} [Op:{label}]")
    g = windows_over(x._value.shape[1:4], window[1:4], False, strides, padding, None, 3, label)
    out: Tensor = to_patches(x, windows=g)
    return out


def conv(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    explicit_paddings: Any = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Any = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of images or volumes with filters, as `tf.nn.convolution`.

    Args:
        input: shape `[*batch, *spatial, channels]`, with two or three spatial axes.
        filter: shape `[*window, channels / groups, out_channels]`, of the same dtype.
        strides: one whole number for each axis, 1 along batch and channels.
        padding: "VALID", "SAME" or "EXPLICIT".
        explicit_paddings: with "EXPLICIT", the padding before and after each axis, in one list.
        data_format: "CHANNELS_LAST" or "CHANNELS_FIRST".
        dilations: as `strides`, 1 if empty.
        batch_dims: the number of batch axes.
        groups: must be what `filter` says; it is only checked.

    Raises:
        InvalidArgumentError: for arguments that do not fit.

    >>> import gradtape as tf
    >>> tf.conv(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID")[0, :, :, 0].numpy()
    array([[4., 4.],
           [4., 4.]], dtype=float32)
    """
    x, w = to_tensor(input, None, "input"), to_tensor(filter, None, "filter")
    rank = w._value.ndim - 2
    if rank not in (2, 3):
        raise invalid(f"Conv: filter must have 2 or 3 spatial axes, got shape {list(w._value.shape)} [Op:Conv]")
    if x._value.ndim != rank + 1 + batch_dims or batch_dims < 1:
        raise invalid(f"Conv: input must have {batch_dims} + {rank} + 1 axes, got {list(x._value.shape)} [Op:Conv]")
    formats = {"CHANNELS_LAST": "N" + "DHW"[-rank:] + "C", "CHANNELS_FIRST": "NC" + "DHW"[-rank:]}
    if data_format not in formats:
        raise invalid(f"Conv: data_format must be one of {list(formats)}, got {data_format!r} [Op:Conv]")
    channels = x._value.shape[-1 if data_format == "CHANNELS_LAST" else -rank - 1]
    if groups * w._value.shape[-2] != channels:
        raise invalid(
            f"Conv: {groups} groups of {w._value.shape[-2]} channels in filter, but {channels} in input [Op:Conv]"
        )
    steps, spread = wholes(strides, "strides"), wholes(dilations, "dilations")
    if len(steps) != rank + 2 or (spread and len(spread) != rank + 2):
        raise invalid(
            f"Conv: strides and dilations must be {rank + 2} numbers, got {strides!r}, {dilations!r} [Op:Conv]"
        )
    around = padding
    if padding == "EXPLICIT":
        flat = wholes(explicit_paddings, "explicit_paddings")
        around = list(zip(flat[::2], flat[1::2], strict=False))
    return convolution(x, w, steps, around, formats[data_format], spread or None)
