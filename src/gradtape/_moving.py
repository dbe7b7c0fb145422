"""Functions that move elements: reshape, transpose, tile, pad and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import broadcast_shape, positive_axis, vector, whole, whole_array, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import to_shape, to_tensor
from gradtape.core.cotangents import conj
from gradtape.core.tensor import Tensor
from gradtape.ops import shaping as ops
from gradtape.ops.selection import where as select


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return the same elements, in row-major order, in another shape.

    Args:
        tensor: any tensor.
        shape: the sizes wanted; one of them may be -1, for what is left.

    Raises:
        InvalidArgumentError: if the number of elements does not fit, or a size is negative or twice -1.
        TypeError: if a size is not an integer.

    >>> import gradtape as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    x = to_tensor(tensor, None, "tensor")
    return ops.reshape(x, shape=_resolved(wholes(shape, "shape"), x._value.size))


def _resolved(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The shape with its -1 replaced, checked against the number of elements."""
    free = None
    known = 1
    for i, n in enumerate(shape):
        if n == -1:
            if free is not None:
                raise invalid(f"Only one input size may be -1, not both {free} and {i} [Op:Reshape]")
            free = i
        elif n < 0:
            raise invalid(f"Size {i} must be non-negative, not {n} [Op:Reshape]")
        else:
            known *= n
    if free is None:
        if known != count:
            raise invalid(
                f"Input to reshape is a tensor with {count} values, but the requested shape has {known} [Op:Reshape]"
            )
        return shape
    if not known and not count:
        return (*shape[:free], 1, *shape[free + 1 :])
    if not known or count % known:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {known} "
            "[Op:Reshape]"
        )
    return (*shape[:free], count // known, *shape[free + 1 :])


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Return the tensor with its axes in another order: axis i of the result is axis `perm[i]`.

    Args:
        a: any tensor.
        perm: the order wanted, or None for the reverse.
        conjugate: also take the complex conjugate.

    Raises:
        InvalidArgumentError: if `perm` is not an order of all the axes.

    >>> import gradtape as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x = to_tensor(a, None, "a")
    rank = x._value.ndim
    order = tuple(range(rank - 1, -1, -1)) if perm is None else _order(wholes(perm, "perm"), rank)
    out: Tensor = ops.transpose(x, perm=order)
    return conj(out) if conjugate and x._value.dtype.kind == "c" else out


def _order(perm: tuple[int, ...], rank: int) -> tuple[int, ...]:
    if len(perm) != rank:
        raise invalid(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)} [Op:Transpose]"
        )
    order = []
    for axis in perm:
        if not -rank <= axis < rank:
            raise invalid(f"{axis} is out of range [0 .. {rank}) [Op:Transpose]")
        order.append(axis % rank)
    for axis in range(rank):
        if axis not in order:
            raise invalid(f"{axis} is missing from {{{','.join(map(str, perm))}}}. [Op:Transpose]")
    return tuple(order)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return the tensor with a new axis of size 1 at position `axis`.

    Raises:
        InvalidArgumentError: if `axis` is not in [-rank - 1, rank].

    >>> import gradtape as tf
    >>> tf.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])
    """
    x = to_tensor(input, None, "input")
    shape = x._value.shape
    at = whole(axis, "axis")
    at = positive_axis(
        at, len(shape) + 1, f"Tried to expand dim index {at} for tensor with {len(shape)} dimensions. [Op:ExpandDims]"
    )
    return ops.reshape(x, shape=(*shape[:at], 1, *shape[at:]))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Return the tensor without axes of size 1: all of them, or those named.

    Raises:
        InvalidArgumentError: if a named axis does not exist or has another size.

    >>> import gradtape as tf
    >>> tf.squeeze(tf.ones([1, 2, 1]), 0).shape
    TensorShape([2, 1])
    """
    x = to_tensor(input, None, "input")
    shape = x._value.shape
    if axis is None or axis == []:
        return ops.reshape(x, shape=tuple([n for n in shape if n != 1]))
    gone = set()
    for at in wholes(axis, "axis"):
        found = positive_axis(
            at, len(shape), f"Tried to squeeze dim index {at} for tensor with {len(shape)} dimensions. [Op:Squeeze]"
        )
        if shape[found] != 1:
            raise invalid(f"Can not squeeze dim[{found}], expected a dimension of 1, got {shape[found]} [Op:Squeeze]")
        gone.add(found)
    return ops.reshape(x, shape=tuple([n for i, n in enumerate(shape) if i not in gone]))


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeat the whole tensor `multiples[i]` times along axis i.

    Raises:
        InvalidArgumentError: if there is not one multiple per axis, or one is negative.

    >>> import gradtape as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    times = vector(multiples, "Expected multiples to be 1-D, but got shape", "multiples")
    if len(times) != x._value.ndim:
        rank, got = x._value.ndim, len(times)
        raise invalid(f"Expected multiples argument to be a vector of length {rank} but got length {got} [Op:Tile]")
    for i, n in enumerate(times):
        if n < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n} [Op:Tile]")
    return ops.tile(x, multiples=times)


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Repeat each slice along an axis several times in a row; without an axis, each element of the flat tensor.

    Args:
        input: any tensor.
        repeats: how many times, one number or one per slice.
        axis: the axis, or None to flatten.

    Raises:
        ValueError: if there is not one number per slice.
        InvalidArgumentError: if one is negative or the axis does not exist.

    >>> import gradtape as tf
    >>> tf.repeat([1, 2], [1, 2]).numpy()
    array([1, 2, 2], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    if axis is None or not x._value.ndim:
        x, axis = ops.reshape(x, shape=(x._value.size,)), axis or 0
    rank = x._value.ndim
    at = positive_axis(axis, rank, f"repeat: axis {axis} is not in [{-rank}, {rank})")
    n = x._value.shape[at]
    counts = wholes(repeats, "repeats")
    if len(counts) == 1:
        counts *= n
    if len(counts) != n:
        raise ValueError(f"Dimensions {n} and {len(counts)} are not compatible: repeats must hold one number per slice")
    if counts and min(counts) < 0:
        raise invalid(f"repeat: repeats must not be negative, got {min(counts)}")
    return ops.repeat(x, counts=counts, axis=at)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """Put elements before and after a tensor along each axis.

    Args:
        tensor: a tensor of rank n.
        paddings: shape [n, 2]: how many before and how many after, along each axis.
        mode: "CONSTANT", or "REFLECT" or "SYMMETRIC" for mirror images without or with the border element.
        constant_values: what to put there, a scalar.

    Raises:
        ValueError: for another mode.
        InvalidArgumentError: if `paddings` has another shape, is negative, or too large for a mirror image.

    >>> import gradtape as tf
    >>> tf.pad([1.0, 2.0], [[1, 1]], "REFLECT").numpy()
    array([2., 1., 2., 1.], dtype=float32)
    """
    kind = str(mode).upper()
    x = to_tensor(tensor, None, "tensor")
    shape = x._value.shape
    widths = _widths(paddings, len(shape))
    if kind == "CONSTANT":
        padded: Tensor = ops.pad(x, paddings=widths)
        if type(constant_values) in (int, float) and constant_values == 0:
            return padded
        fill = to_tensor(constant_values, x.dtype, "constant_values")
        return select(_inside(shape, widths), padded, fill)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {kind}"
        )
    for (before, after), n in zip(widths, shape, strict=True):
        if max(before, after) > n - (kind == "REFLECT"):
            word = "less than" if kind == "REFLECT" else "no greater than"
            raise invalid(
                f"paddings must be {word} the dimension size: {before}, {after} not {word} {n} [Op:MirrorPad]"
            )
    return ops.mirror_pad(x, widths=widths, mode=kind.lower())


def _widths(paddings: Any, rank: int) -> tuple[tuple[int, int], ...]:
    array = whole_array(paddings, "paddings")
    if array.ndim != 2 or array.shape[1] != 2:
        if rank == 0 and array.size == 0:
            return ()
        raise invalid(f"paddings must be a matrix with 2 columns: {list(array.shape)} [Op:Pad]")
    if len(array) != rank:
        found = list(array.shape)
        raise invalid(f"The first dimension of paddings must be the rank of inputs: {found}, {rank} [Op:Pad]")
    if array.size and array.min() < 0:
        row = array[(array < 0).any(axis=1)][0]
        raise invalid(f"Paddings must be non-negative: {row[0]} {row[1]} [Op:Pad]")
    return tuple([(b, a) for b, a in array.tolist()])


def _inside(shape: tuple[int, ...], widths: tuple[tuple[int, int], ...]) -> Any:
    """Where the padded tensor holds the original."""
    mask = np.zeros([n + b + a for n, (b, a) in zip(shape, widths, strict=True)], dtype=bool)
    mask[tuple([slice(b, b + n) for n, (b, _) in zip(shape, widths, strict=True)])] = True
    return mask


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reverse the order along each of the axes named.

    Raises:
        InvalidArgumentError: if `axis` is not a vector of axes that exist.

    >>> import gradtape as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    x = to_tensor(tensor, None, "tensor")
    rank = x._value.ndim
    axes = vector(axis, "'dims' must be 1-dimension, not", "axis")
    found = []
    for i, at in enumerate(axes):
        message = f"'axis'[{i}] = {at} is out of valid range [0, {rank - 1}] [Op:ReverseV2]"
        found.append(positive_axis(at, rank, message))
        if found.count(found[-1]) > 1:
            raise invalid(f"axis {found[-1]} specified more than once. [Op:ReverseV2]")
    return ops.flip(x, axes=tuple(found))


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Shift elements along axes; what leaves at one end comes back at the other.

    Raises:
        InvalidArgumentError: if there is not one shift per axis, or an axis does not exist.

    >>> import gradtape as tf
    >>> tf.roll([1, 2, 3], 1, 0).numpy()
    array([3, 1, 2], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    shifts, axes = wholes(shift, "shift"), wholes(axis, "axis")
    if len(shifts) != len(axes):
        raise invalid(f"shift and axis must have the same size, got {len(shifts)} and {len(axes)} [Op:Roll]")
    rank = x._value.ndim
    found = tuple([positive_axis(at, rank, f"axis {at} is out of range [Op:Roll]") for at in axes])
    return ops.roll(x, shift=shifts, axis=found)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeat a tensor along new leading axes and along axes of size 1, to this shape.

    Raises:
        InvalidArgumentError: if the shape is not one that it broadcasts to.

    >>> import gradtape as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    sizes = to_shape(shape)
    own = x._value.shape
    if broadcast_shape(own, sizes) != sizes:
        raise invalid(f"Incompatible shapes: {list(own)} vs. {list(sizes)} [Op:BroadcastTo]")
    return x if own == sizes else ops.broadcast_to(x, shape=sizes)
