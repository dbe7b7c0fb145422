"""Functions that order, find, count and regroup elements."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import alike, positive_axis, whole, wholes, wrong_dtype
from gradtape.base.dtypes import as_dtype, bool_, int32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, decided, settled
from gradtape.core.tensor import Tensor
from gradtape.ops import indexing as ops
from gradtape.ops import places, shaping
from gradtape.ops.selection import where as select


class Unique(NamedTuple):
    """The distinct elements, and the number of each element among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The distinct elements, the number of each element among them, and how often each occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment] # TensorFlow's name for it, which hides the method of tuples


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """Return the elements in order along an axis.

    Args:
        values: numbers, of rank 1 or more.
        axis: the axis, the last by default.
        direction: "ASCENDING" or "DESCENDING".

    Raises:
        ValueError: for another direction.
        InvalidArgumentError: for booleans or strings, or if the axis does not exist.

    >>> import gradtape as tf
    >>> tf.sort([3, 1, 2]).numpy()
    array([1, 2, 3], dtype=int32)
    """
    x, at, descending = _sortable(values, axis, direction)
    order = ops.argsort(x, axis=at, descending=descending)
    return ops.take_along(x, order, axis=at)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """Return the positions that put the elements in order along an axis, int32. The order is always stable.

    Raises:
        As `sort`.

    >>> import gradtape as tf
    >>> tf.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x, at, descending = _sortable(values, axis, direction)
    return ops.argsort(x, axis=at, descending=descending)


def _sortable(values: Any, axis: Any, direction: str) -> tuple[Tensor, int, bool]:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    x = to_tensor(values, None, "values")
    if x._value.dtype.kind in "bO":
        raise wrong_dtype(x._value.dtype, "Sort")
    at = whole(axis, "axis")
    rank = x._value.ndim
    at = positive_axis(at, rank, f"sort: axis {at} is out of bounds for a tensor of rank {rank}")
    return x, at, direction == "DESCENDING"


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = int32, name: str | None = None
) -> Tensor:
    """Return where values belong in ordered rows so that these stay ordered.

    Args:
        sorted_sequence: shape `[..., n]`, ascending along the last axis.
        values: shape `[..., m]`, with the same leading sizes, or any shape where there is one row.
        side: "left" to go before equal elements, "right" to go behind them.
        out_type: int32 or int64.

    Raises:
        ValueError: for another side.
        InvalidArgumentError: if dtypes or leading sizes differ.

    >>> import gradtape as tf
    >>> tf.searchsorted([1, 3, 5], [3]).numpy()
    array([1], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    op = "LowerBound" if side == "left" else "UpperBound"
    rows, sought = alike([sorted_sequence, values], op, strict=False)
    ordered, wanted = rows._value, sought._value
    if ordered.ndim == 0 or (ordered.ndim > 1 and ordered.shape[:-1] != wanted.shape[:-1]):
        raise invalid(
            f"searchsorted: sorted_sequence, {list(ordered.shape)}, and values, {list(wanted.shape)}, must have the "
            "same leading sizes"
        )
    return ops.searchsorted(rows, sought, side=side, dtype=as_dtype(out_type).numpy_dtype)


def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """Return the distinct elements of a vector in the order in which they first occur, and the number of each element.

    The gradient flows to the first occurrence.

    Raises:
        InvalidArgumentError: if `x` is not a vector.

    >>> import gradtape as tf
    >>> y, idx = tf.unique([7, 5, 7])
    >>> y.numpy(), idx.numpy()
    (array([7, 5], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    y, index, _ = _uniques(x, out_idx)
    return Unique(y, index)


def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """Return what `unique` does, and how often each distinct element occurs.

    >>> import gradtape as tf
    >>> tf.unique_with_counts([7, 5, 7]).count.numpy()
    array([2, 1], dtype=int32)
    """
    return UniqueWithCounts(*_uniques(x, out_idx))


def _uniques(x: Any, out_idx: Any) -> Any:
    vector = to_tensor(x, None, "x")
    if vector._value.ndim != 1:
        raise invalid(f"unique expects a 1D vector, got shape {list(vector._value.shape)} [Op:Unique]")
    first, index, counts = ops.unique(vector, dtype=as_dtype(out_idx).numpy_dtype)
    return ops.gather(vector, first, axis=0), index, counts


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None) -> Tensor:
    """Return masks of the first `lengths` places, along a new last axis of size `maxlen`.

    Args:
        lengths: integers of any shape.
        maxlen: the size of the new axis; the greatest length by default.
        dtype: of the result.

    >>> import gradtape as tf
    >>> tf.sequence_mask([1, 3]).numpy()
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    counts = to_tensor(lengths, None, "lengths")
    size = decided(_largest, counts) if maxlen is None else whole(maxlen, "maxlen")
    ends = shaping.reshape(shaping.cast_discrete(counts, dtype=np.dtype(np.int64)), shape=(*counts._value.shape, 1))
    return shaping.cast_discrete(np.arange(size) < ends, dtype=as_dtype(dtype).numpy_dtype)


def _largest(counts: Any) -> int:
    return int(np.max(counts, initial=0))


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None
) -> Tensor:
    """Reverse the first `seq_lengths[i]` elements along an axis, for entry i of the batch axis.

    Args:
        input: a tensor of rank 2 or more.
        seq_lengths: int32 or int64, one per entry of the batch axis.
        seq_axis: the axis to reverse.
        batch_axis: the batch axis, 0 by default.

    Raises:
        InvalidArgumentError: if there is not one length per entry, or one is longer than the axis.

    >>> import gradtape as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    lengths = to_tensor(seq_lengths, None, "seq_lengths")
    counts = lengths._value  # of which only the shape is looked at
    rank = x._value.ndim
    if seq_axis is None:
        raise ValueError("reverse_sequence: seq_axis must be given.")
    along = positive_axis(seq_axis, rank, f"seq_axis {seq_axis} must be in [{-rank}, {rank})")
    batch_axis = batch_axis or 0
    batch = positive_axis(batch_axis, rank, f"batch_axis {batch_axis} must be in [{-rank}, {rank})")
    if along == batch:
        raise invalid(f"batch_dim == seq_dim == {along} [Op:ReverseSequence]")
    n = x._value.shape[along]
    if counts.shape != (x._value.shape[batch],):
        raise invalid(
            f"Length of seq_lengths != input.dims({batch}), ({list(counts.shape)} vs. {x._value.shape[batch]})"
        )
    check(_check_lengths, lengths, n)
    order = places.reversed_places(lengths, shape=x._value.shape, along=along, batch=batch)
    return ops.take_along(x, order, axis=along)


def _check_lengths(counts: Any, most: int) -> None:
    if counts.size and (counts.max() > most or counts.min() < 0):
        raise invalid(f"seq_lengths must be in [0, {most}], got {counts.tolist()} [Op:ReverseSequence]")


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Return where in a tensor of shape `dims` the elements are that have these numbers in row-major order.

    Args:
        indices: int32 or int64, of any shape.
        dims: the sizes of the axes.

    Returns:
        The positions along each axis, shape `[len(dims), ...]`, of the dtype of `indices`.

    Raises:
        InvalidArgumentError: for a number that is not there.

    >>> import gradtape as tf
    >>> tf.unravel_index(5, [2, 3]).numpy()
    array([1, 2], dtype=int32)
    """
    numbers = to_tensor(indices, None, "indices")
    if numbers._value.dtype.kind not in "iu":
        raise wrong_dtype(numbers._value.dtype, "UnravelIndex")
    sizes = wholes(dims, "dims")
    check(_check_numbers, numbers, sizes)
    return places.unravelled(numbers, sizes=sizes)


def _check_numbers(numbers: Any, sizes: tuple[int, ...]) -> None:
    if np.size(numbers) and not (np.min(numbers) >= 0 and np.max(numbers) < prod(sizes)):
        raise invalid(
            f"index is out of bound as with dims {list(sizes)}: {np.asarray(numbers).tolist()} [Op:UnravelIndex]"
        )


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """Sort the slices of a tensor into groups.

    Args:
        data: the tensor; its leading axes are those of `partitions`.
        partitions: int32, the number of the group of each slice.
        num_partitions: how many groups there are.

    Raises:
        InvalidArgumentError: if the shapes do not agree or a group's number is out of range.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [array([1, 3], dtype=int32), array([2], dtype=int32)]
    """
    x = to_tensor(data, None, "data")
    numbers = to_tensor(partitions, None, "partitions")
    groups = numbers._value  # of which only the shape is looked at
    shape = x._value.shape
    if shape[: groups.ndim] != groups.shape:
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {list(shape)}, partitions.shape = "
            f"{list(groups.shape)} [Op:DynamicPartition]"
        )
    check(_check_groups, numbers, num_partitions)
    flat = shaping.reshape(x, shape=(groups.size, *shape[groups.ndim :]))
    return [ops.gather(flat, places.places_of(numbers, number=i), axis=0) for i in range(num_partitions)]


def _check_groups(groups: Any, count: int) -> None:
    flat = np.reshape(groups, -1)
    if flat.size and (flat.min() < 0 or flat.max() >= count):
        at = int(np.flatnonzero((flat < 0) | (flat >= count))[0])
        raise invalid(f"partitions[{at}] = {flat[at]} is not in [0, {count}) [Op:DynamicPartition]")


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Put the slices of several tensors at their places in one: `merged[indices[m][i]] = data[m][i]`.

    Args:
        indices: integer tensors; where a place occurs twice, the last one counts.
        data: as many tensors, `data[m].shape` starts with `indices[m].shape`.

    Raises:
        InvalidArgumentError: if the shapes do not agree, or an index is negative.

    >>> import gradtape as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[1.0, 3.0], [2.0]]).numpy()
    array([1., 2., 3.], dtype=float32)
    """
    spots = [settled(to_tensor(i, None, "indices")) for i in indices]
    xs = alike(list(data), "DynamicStitch")
    if len(spots) != len(xs) or not xs:
        raise invalid(f"dynamic_stitch: got {len(spots)} indices and {len(xs)} data; there must be as many of both")
    rest = xs[0]._value.shape[spots[0].ndim :]
    for m, (place, x) in enumerate(zip(spots, xs, strict=True)):
        if x._value.shape != (*place.shape, *rest):
            raise invalid(
                f"data[{m}].shape must be indices[{m}].shape + {list(rest)}, got data[{m}].shape = "
                f"{list(x._value.shape)}, indices[{m}].shape = {list(place.shape)} [Op:DynamicStitch]"
            )
        if place.size and place.min() < 0:
            raise invalid(f"indices[{m}] is out of range: {place.min()} is negative [Op:DynamicStitch]")
    rows = [shaping.reshape(x, shape=(place.size, *rest)) for place, x in zip(spots, xs, strict=True)]
    joined = shaping.concat(*rows, axis=0)
    target = np.concatenate([place.reshape(-1) for place in spots]).astype(np.int64)
    height = int(target.max(initial=-1)) + 1
    source = np.full(height, -1)
    source[target] = np.arange(len(target))  # of equal places the last assignment stays
    found = ops.gather(joined, np.maximum(source, 0), axis=0) if height else joined
    if height and source.min() < 0:
        found = select((source >= 0).reshape(-1, *[1] * len(rest)), found, 0)
    return found
