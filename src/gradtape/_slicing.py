"""Functions that cut blocks out of tensors, and rearrange blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import vector, whole, whole_array, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import shaping as ops
from gradtape.ops.keys import basic


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Return the block of a tensor that starts at `begin` and has this size.

    Args:
        input_: a tensor of rank n.
        begin: n positions.
        size: n sizes; -1 means all that is left.

    Raises:
        InvalidArgumentError: if the block is not inside the tensor.

    >>> import gradtape as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    x = to_tensor(input_, None, "input_")
    shape = x._value.shape
    wanted = f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got shape"
    starts, sizes = vector(begin, wanted, "begin"), vector(size, wanted, "size")
    if not len(starts) == len(sizes) == len(shape):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got sizes {len(starts)} "
            f"and {len(sizes)} instead. [Op:Slice]"
        )
    block = []
    for i, (b, s, n) in enumerate(zip(starts, sizes, shape, strict=True)):
        if not 0 <= b <= n:
            raise invalid(f"Expected begin[{i}] in [0, {n}], but got {b} [Op:Slice]")
        s = n - b if s == -1 else s
        if not 0 <= s <= n - b:
            raise invalid(f"Expected size[{i}] in [0, {n - b}], but got {s} [Op:Slice]")
        block.append(s)
    return ops.slice_nd(x, begin=starts, size=tuple(block))


_Slice = type(np.s_[:])


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `input_[begin[0]:end[0]:strides[0], ...]`; bit i of a mask changes what entry i means.

    Args:
        input_: any tensor.
        begin: the starts.
        end: the ends.
        strides: the steps, 1 by default.
        begin_mask: start at the very beginning.
        end_mask: go to the very end.
        ellipsis_mask: stands for `...`.
        new_axis_mask: put in a new axis.
        shrink_axis_mask: take the element at the start and drop the axis.
        var: only None: variables have their own slice assignment.

    Raises:
        InvalidArgumentError: if the three do not have the same length, or an index or step does not fit.

    >>> import gradtape as tf
    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)
    """
    if var is not None:
        raise ValueError("strided_slice: var must be None; assign to slices of a variable with var[...].assign(...).")
    x = to_tensor(input_, None, "input_")
    starts, ends = wholes(begin, "begin"), wholes(end, "end")
    steps = (1,) * len(starts) if strides is None else wholes(strides, "strides")
    if not len(starts) == len(ends) == len(steps):
        raise invalid(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got sizes {len(starts)}, {len(ends)} "
            f"and {len(steps)} instead. [Op:StridedSlice]"
        )
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(starts, ends, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(_Slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return ops.getitem(x, key=basic(tuple(key), x._value.shape))


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Cut the axes behind the first into blocks and move the place within the block to the first axis.

    Args:
        input: shape `[batch, *spatial, ...]`.
        block_shape: one block size per spatial axis.
        paddings: shape `[len(block_shape), 2]`: zeros to put before and after first.

    Raises:
        InvalidArgumentError: if a padded size is not a multiple of its block size.

    >>> import gradtape as tf
    >>> tf.space_to_batch(tf.ones([1, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 2, 2, 1])
    """
    x = to_tensor(input, None, "input")
    blocks, pads = _blocks(block_shape, paddings, "paddings", x._value.ndim)
    m = len(blocks)
    rest = x._value.ndim - 1 - m
    padded = ops.pad(x, paddings=((0, 0), *[(int(b), int(a)) for b, a in pads], *[(0, 0)] * rest))
    batch, *sizes = padded._value.shape
    for i, (n, block) in enumerate(zip(sizes, blocks, strict=False)):
        if n % block:
            raise invalid(f"padded_shape[{i}]={n} is not divisible by block_shape[{i}]={block} [Op:SpaceToBatchND]")
    folded = [k for n, b in zip(sizes, blocks, strict=False) for k in (n // b, b)]
    split = ops.reshape(padded, shape=(batch, *folded, *sizes[m:]))
    perm = (*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m, 2), *range(2 * m + 1, 2 * m + 1 + rest))
    moved = ops.transpose(split, perm=perm)
    spatial = [n // b for n, b in zip(sizes, blocks, strict=False)]
    return ops.reshape(moved, shape=(batch * int(np.prod(blocks)), *spatial, *sizes[m:]))


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Undo `space_to_batch`: move parts of the first axis back into blocks, then cut `crops` off the ends.

    Raises:
        InvalidArgumentError: if the first axis is not a multiple of the block's size, or the crops are too large.

    >>> import gradtape as tf
    >>> tf.batch_to_space(tf.ones([4, 2, 2, 1]), [2, 2], [[0, 0], [0, 1]]).shape
    TensorShape([1, 4, 3, 1])
    """
    x = to_tensor(input, None, "input")
    blocks, cuts = _blocks(block_shape, crops, "crops", x._value.ndim)
    m = len(blocks)
    batch, *sizes = x._value.shape
    total = int(np.prod(blocks))
    if batch % total:
        raise invalid(f"input batch dimension ({batch}) is not divisible by product of block sizes ({total})")
    split = ops.reshape(x, shape=(*blocks, batch // total, *sizes))
    pairs = [a for i in range(m) for a in (m + 1 + i, i)]
    moved = ops.transpose(split, perm=(m, *pairs, *range(2 * m + 1, split._value.ndim)))
    grown = [n * b for n, b in zip(sizes, blocks, strict=False)]
    whole_image = ops.reshape(moved, shape=(batch // total, *grown, *sizes[m:]))
    kept = [n - int(b) - int(a) for n, (b, a) in zip(grown, cuts, strict=True)]
    if any(n < 0 for n in kept):
        raise invalid(f"batch_to_space: crops {cuts.tolist()} are larger than the sizes {grown}")
    begin = (0, *[int(b) for b, _ in cuts], *[0] * (len(sizes) - m))
    return ops.slice_nd(whole_image, begin=begin, size=(batch // total, *kept, *sizes[m:]))


space_to_batch_nd = space_to_batch


def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Move the pixels of each block of images to the channels.

    Args:
        input: shape `[batch, height, width, channels]`.
        block_size: the side of a block, at least 2.
        data_format: `"NHWC"` or `"NCHW"`.

    Returns:
        shape `[batch, height / block_size, width / block_size, block_size ** 2 * channels]`.

    Raises:
        InvalidArgumentError: for another rank or format, or sides that are not multiples of the block's.

    >>> import gradtape as tf
    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), [1, 2, 2, 1]), 2).numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)
    """
    x, side = _image_and_side(input, block_size, data_format, "SpaceToDepth")
    first = data_format == "NCHW"
    batch, height, width, channels = _last(x._value.shape, first)
    if height % side or width % side:
        raise invalid(
            f"Image width {width} and height {height} should be divisible by block_size: {side} [Op:SpaceToDepth]"
        )
    rows, columns = height // side, width // side
    if first:
        split = ops.reshape(x, shape=(batch, channels, rows, side, columns, side))
        moved = ops.transpose(split, perm=(0, 3, 5, 1, 2, 4))
        return ops.reshape(moved, shape=(batch, side * side * channels, rows, columns))
    split = ops.reshape(x, shape=(batch, rows, side, columns, side, channels))
    moved = ops.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    return ops.reshape(moved, shape=(batch, rows, columns, side * side * channels))


def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Undo `space_to_depth`: lay the channels out as the pixels of blocks.

    Args:
        input: shape `[batch, height, width, block_size ** 2 * channels]`.
        block_size, data_format: as there.

    Raises:
        InvalidArgumentError: for another rank or format, or channels that do not fill blocks.

    >>> import gradtape as tf
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2)[0, :, :, 0].numpy()
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    x, side = _image_and_side(input, block_size, data_format, "DepthToSpace")
    first = data_format == "NCHW"
    batch, rows, columns, depth = _last(x._value.shape, first)
    if depth % (side * side):
        raise invalid(f"Input depth dimension {depth} should be divisible by: {side * side} [Op:DepthToSpace]")
    channels = depth // (side * side)
    if first:
        split = ops.reshape(x, shape=(batch, side, side, channels, rows, columns))
        moved = ops.transpose(split, perm=(0, 3, 4, 1, 5, 2))
        return ops.reshape(moved, shape=(batch, channels, rows * side, columns * side))
    split = ops.reshape(x, shape=(batch, rows, columns, side, side, channels))
    moved = ops.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    return ops.reshape(moved, shape=(batch, rows * side, columns * side, channels))


def _image_and_side(input: Any, block_size: Any, data_format: str, label: str) -> tuple[Tensor, int]:
    x = to_tensor(input, None, "input")
    side = whole(block_size, "block_size")
    if x._value.ndim != 4:
        raise invalid(f"Input rank should be 4 instead of {x._value.ndim} [Op:{label}]")
    if side < 2:
        raise invalid(f"Value for attr 'block_size' of {side} must be at least minimum 2 [Op:{label}]")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"{label}: data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    return x, side


def _last(shape: tuple[int, ...], first: bool) -> tuple[int, ...]:
    """Batch, height, width, channels."""
    return (shape[0], *shape[2:], shape[1]) if first else shape


def _blocks(block_shape: Any, widths: Any, label: str, rank: int) -> tuple[tuple[int, ...], Any]:
    blocks = wholes(block_shape, "block_shape")
    array = whole_array(widths, label)
    if len(blocks) == 1 and array.shape[:1] == (2,) and rank == 4:
        blocks *= 2
    if any(b < 1 for b in blocks) or len(blocks) >= rank:
        raise invalid(f"block_shape must hold up to {rank - 1} positive numbers, got {list(blocks)}")
    if array.shape != (len(blocks), 2) or array.min(initial=0) < 0:
        raise invalid(f"{label} must have the shape [{len(blocks)}, 2] and not be negative, got {array.tolist()}")
    return blocks, array


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return the least paddings that make a shape fit for blocks, and the crops that undo them, each `[n, 2]`.

    >>> import gradtape as tf
    >>> [t.numpy().tolist() for t in tf.required_space_to_batch_paddings([5], [2])]
    [[[0, 1]], [[0, 1]]]
    """
    sizes, blocks = np.asarray(wholes(input_shape, "input_shape")), np.asarray(wholes(block_shape, "block_shape"))
    base = whole_array(
        np.zeros((len(blocks), 2), np.int64) if base_paddings is None else base_paddings, "base_paddings"
    )
    extra = -(sizes + base.sum(axis=1)) % blocks
    pads = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    crops = np.stack([np.zeros_like(extra), extra], axis=1)
    return wrap(pads.astype(np.int32)), wrap(crops.astype(np.int32))
