"""Functions that join tensors and take them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, positive_axis, whole, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import shaping as ops


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Join tensors along an existing axis.

    Args:
        values: tensors of one dtype and rank, whose sizes agree on all axes but one.
        axis: that one.

    Raises:
        InvalidArgumentError: if dtypes, ranks or sizes do not agree, or `axis` does not exist.

    >>> import gradtape as tf
    >>> tf.concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)
    """
    found = existing(values)
    xs = alike(found if isinstance(found, list | tuple) else [found], "ConcatV2")
    if not xs:
        raise invalid("concat: values must hold at least one tensor. [Op:ConcatV2]")
    shape = xs[0]._value.shape
    at = whole(axis, "axis")
    if len(xs) == 1:
        return xs[0]
    if not shape:
        raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead) [Op:ConcatV2]")
    rank = len(shape)
    at = positive_axis(
        at,
        rank,
        f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {at} [Op:ConcatV2]",
    )
    for i, x in enumerate(xs):
        _check_joinable(shape, x._value.shape, i, at)
    return ops.concat(*xs, axis=at)


def _check_joinable(first: tuple[int, ...], other: tuple[int, ...], index: int, axis: int) -> None:
    if len(first) != len(other):
        raise invalid(
            f"ConcatOp : Ranks of all input tensors should match: shape[0] = {list(first)} vs. shape[{index}] = "
            f"{list(other)} [Op:ConcatV2]"
        )
    for i, (m, n) in enumerate(zip(first, other, strict=True)):
        if i != axis and m != n:
            raise invalid(
                f"ConcatOp : Dimension {i} in both shapes must be equal: shape[0] = {list(first)} vs. shape[{index}] = "
                f"{list(other)} [Op:ConcatV2]"
            )


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Join tensors of one shape along a new axis.

    Raises:
        ValueError: if `axis` is not in [-rank - 1, rank].
        InvalidArgumentError: if shapes or dtypes differ.

    >>> import gradtape as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    found = existing(values)
    items = [found] if not hasattr(found, "__len__") else list(found)
    if not any(isinstance(existing(v), Tensor) for v in items):
        whole_value = to_tensor(found if not isinstance(found, list | tuple) else items, None, "values")
        rank = whole_value._value.ndim
        at = _stack_axis(axis, max(rank, 1))
        return ops.transpose(whole_value, perm=(*range(1, at + 1), 0, *range(at + 1, rank))) if at else whole_value
    xs = alike(items, "Pack")
    shape = xs[0]._value.shape
    at = _stack_axis(axis, len(shape) + 1)
    for i, x in enumerate(xs):
        if x._value.shape != shape:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {list(shape)} != values[{i}].shape = "
                f"{list(x._value.shape)} [Op:Pack]"
            )
    return ops.stack(*xs, axis=at)


def _stack_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return axis % rank


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Join tensors of one shape along a new first axis."""
    return stack(values)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """Return the slices along an axis, without it.

    Args:
        value: a tensor of rank 1 or more.
        num: how many slices to expect, or None.
        axis: the axis to take apart.

    Raises:
        ValueError: if `axis` does not exist.
        InvalidArgumentError: if there are not `num` slices.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.unstack(tf.constant([1, 2]))]
    [np.int32(1), np.int32(2)]
    """
    x = to_tensor(value, None, "value")
    shape = x._value.shape
    at = _stack_axis(axis, len(shape)) if shape else _stack_axis(axis, 0)
    if num is not None and shape[at] != num:
        raise invalid(f"Input shape axis {at} must equal {num}, got shape {list(shape)} [Op:Unpack]")
    return list(ops.unstack(x, axis=at)) if shape[at] else []


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Cut a tensor into parts along an axis.

    Args:
        value: a tensor of rank 1 or more.
        num_or_size_splits: into how many equal parts; or their sizes, of which one may be -1 for what is left.
        axis: the axis to cut.

    Raises:
        InvalidArgumentError: if the parts do not add up to the size of the axis, or the axis does not exist.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.split(tf.constant([1, 2, 3]), [1, 2])]
    [array([1], dtype=int32), array([2, 3], dtype=int32)]
    """
    x = to_tensor(value, None, "value")
    shape = x._value.shape
    at = whole(axis, "axis")
    rank = len(shape)
    at = positive_axis(at, rank, f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at} [Op:Split]")
    splits = num_or_size_splits
    many = isinstance(splits, list | tuple) or np.ndim(getattr(existing(splits), "_value", splits)) == 1
    sizes = _sizes(wholes(splits, "num_or_size_splits"), shape[at]) if many else _equal(whole(splits, "num"), shape, at)
    return list(ops.split(x, sizes=sizes, axis=at))


def _equal(ways: int, shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    if ways < 1:
        raise invalid(f"Value for attr 'num_split' of {ways} must be at least minimum 1 [Op:Split]")
    if shape[axis] % ways:
        raise invalid(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim {axis} "
            f"(size = {shape[axis]}) and num_split {ways} [Op:Split]"
        )
    return (shape[axis] // ways,) * ways


def _sizes(sizes: tuple[int, ...], total: int) -> tuple[int, ...]:
    known = sum(n for n in sizes if n != -1)
    if sizes.count(-1) == 1 and known <= total:
        sizes = tuple([total - known if n == -1 else n for n in sizes])
    if any(n < 0 for n in sizes) or sum(sizes) != total:
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
            "than the size of the input along split_dim if not fully specified. "
            f"Got: {list(sizes)} of {total} [Op:SplitV]"
        )
    return sizes
