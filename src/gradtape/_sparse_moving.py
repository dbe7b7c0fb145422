"""`tf.sparse`: other positions for the same values, which gradients flow through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._axes import whole, wholes
from gradtape._sparse_tensor import SparseTensor, picked, positions, row_major, sparse
from gradtape.base.dtypes import as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import indexing, shaping


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None) -> SparseTensor:
    """Ones on the diagonal.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    rows = whole(num_rows, "num_rows")
    columns = rows if num_columns is None else whole(num_columns, "num_columns")
    n = min(rows, columns)
    where = np.repeat(np.arange(n)[:, None], 2, axis=1)
    return SparseTensor(where, np.ones(n, as_dtype(dtype).numpy_dtype), (rows, columns))


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order.

    >>> import gradtape as tf
    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy()
    array([6, 5], dtype=int32)
    """
    where = positions(sparse(sp_input))
    order = row_major(where)
    return picked(sp_input, order, where[order], sp_input._size)


def transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The axes in another order, reversed unless `perm` says which. Raises InvalidArgumentError for a bad `perm`."""
    where, rank = positions(sparse(sp_input)), len(sp_input._size)
    axes = tuple(range(rank))[::-1] if perm is None else wholes(perm, "perm")
    if sorted(axes) != list(range(rank)):
        raise invalid(f"transpose: perm must be a permutation of {list(range(rank))}, got {list(axes)}")
    moved = where[:, axes]
    order = row_major(moved)
    return picked(sp_input, order, moved[order], tuple(sp_input._size[a] for a in axes))


def expand_dims(sp_input: SparseTensor, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A new axis of size 1, the last unless `axis` says where. Raises ValueError for an axis out of range."""
    where, rank = positions(sparse(sp_input)), len(sp_input._size)
    at = -1 if axis is None else whole(axis, "axis")
    if not -rank - 1 <= at <= rank:
        raise ValueError(f"expand_dims: axis {at} is not in [{-rank - 1}, {rank}]")
    at %= rank + 1
    shape = (*sp_input._size[:at], 1, *sp_input._size[at:])
    return SparseTensor(np.insert(where, at, 0, axis=1), sp_input.values, shape)


def reshape(sp_input: SparseTensor, shape: Any, name: str | None = None) -> SparseTensor:
    """The elements in another shape, of which one size may be -1. Raises InvalidArgumentError if that cannot be.

    >>> import gradtape as tf
    >>> tf.sparse.reshape(tf.SparseTensor([[1, 1]], [5], [2, 3]), [3, -1]).indices.numpy()
    array([[2, 0]])
    """
    where, old, new = positions(sparse(sp_input)), sp_input._size, list(wholes(shape, "shape"))
    count = math.prod(old)
    if new.count(-1) == 1:
        rest = math.prod(n for n in new if n != -1)
        new[new.index(-1)] = count // rest if rest else 0
    if math.prod(new) != count or min(new, default=0) < 0:
        raise invalid(
            f"Input to reshape is a SparseTensor with {count} dense values, of shape {list(old)}; "
            f"that does not fit shape {list(wholes(shape, 'shape'))}"
        )
    numbers = np.ravel_multi_index(tuple(where.T), old) if old else np.zeros(len(where), np.int64)
    moved = np.stack(np.unravel_index(numbers, tuple(new)), axis=1) if new else np.zeros((len(where), 0), np.int64)
    return SparseTensor(moved, sp_input.values, tuple(new))


def reset_shape(sp_input: SparseTensor, new_shape: Any = None) -> SparseTensor:
    """The elements in a shape that is as large; without one in the smallest that holds them.

    Raises:
        ValueError: if the rank is another, or a size is smaller than that of `sp_input`.
    """
    where, old = positions(sparse(sp_input)), sp_input._size
    if new_shape is None:
        return SparseTensor(where, sp_input.values, tuple((where.max(axis=0, initial=-1) + 1).tolist()))
    new = wholes(new_shape, "new_shape")
    if len(new) != len(old) or any(n < o for n, o in zip(new, old, strict=True)):
        raise ValueError(
            f"Requested new_shape should have dimension sizes >= sp_input.shape. Found new_shape {list(new)}, "
            f"sp_input.shape {list(old)}."
        )
    return SparseTensor(where, sp_input.values, new)


def retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """The elements for which a vector of booleans holds. Raises ValueError if it is not one for each value."""
    where = positions(sparse(sp_input))
    keep = settled(to_tensor(to_retain, name="to_retain"))
    if keep.shape != where.shape[:1]:
        raise ValueError(f"retain: to_retain has shape {list(keep.shape)}, but there are {len(where)} values")
    kept = np.flatnonzero(keep)
    return picked(sp_input, kept, where[kept], sp_input._size)


def slice(sp_input: SparseTensor, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The elements in a box, of which what lies outside of the tensor is cut off.

    Args:
        start: the first position along each axis.
        size: how many there are along each.

    Raises:
        InvalidArgumentError: unless there is one of both for each axis.
    """
    first, sizes = wholes(start, "start"), wholes(size, "size")
    rank = len(sparse(sp_input)._size)
    if not len(first) == len(sizes) == rank:
        raise invalid(f"slice: start {list(first)} and size {list(sizes)} must have one number per axis, {rank}")
    return _cut(sp_input, first, sizes)


def _cut(x: SparseTensor, first: tuple[int, ...], sizes: tuple[int, ...]) -> SparseTensor:
    where, low = positions(x), np.array(first, np.int64)
    shape = tuple(max(0, min(n, old - at)) for n, old, at in zip(sizes, x._size, first, strict=True))
    kept = np.flatnonzero(((where >= low) & (where < low + np.array(shape, np.int64))).all(axis=1))
    return picked(x, kept, where[kept] - low, shape)


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Parts along an axis; if they cannot be equal the first ones have one more.

    Raises:
        ValueError: without an argument.
        InvalidArgumentError: for an axis out of range, or more parts than there is along the axis.
    """
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("split: sp_input, num_split and axis are required")
    shape = sparse(sp_input)._size
    parts, at, rank = whole(num_split, "num_split"), whole(axis, "axis"), len(shape)
    if not -rank <= at < rank:
        raise invalid(f"split: axis {at} is not in [{-rank}, {rank})")
    at %= rank
    if not 1 <= parts <= shape[at]:
        raise invalid(f"split: num_split must be in [1, {shape[at]}], got {parts}")
    each, more = divmod(shape[at], parts)
    made, first = [], 0
    for i in range(parts):
        n = each + (i < more)
        made.append(_cut(sp_input, (0,) * at + (first,) + (0,) * (rank - at - 1), (*shape[:at], n, *shape[at + 1 :])))
        first += n
    return made


def concat(
    axis: Any, sp_inputs: Sequence[SparseTensor], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Tensors one after the other along an axis.

    Args:
        axis: which.
        sp_inputs: of the same rank, and sizes along the other axes.
        expand_nonconcat_dims: allow other sizes along those; the largest counts.

    Raises:
        InvalidArgumentError: if they do not fit together.

    >>> import gradtape as tf
    >>> a = tf.SparseTensor([[0, 1]], [5], [1, 2])
    >>> tf.sparse.to_dense(tf.sparse.concat(0, [a, a])).numpy()
    array([[0, 5],
           [0, 5]], dtype=int32)
    """
    parts = [sparse(p) for p in ([sp_inputs] if isinstance(sp_inputs, SparseTensor) else sp_inputs)]
    at, ranks = whole(axis, "axis"), {len(p._size) for p in parts}
    if len(ranks) != 1:
        raise invalid(f"concat: sp_inputs must be of one rank, got ranks {sorted(ranks)}")
    [rank] = ranks
    if not -rank <= at < rank:
        raise invalid(f"concat: axis {at} is not in [{-rank}, {rank})")
    at %= rank
    sizes = np.array([p._size for p in parts])
    others = np.delete(sizes, at, axis=1)
    if not expand_nonconcat_dims and (others != others[0]).any():
        raise invalid(f"Input shapes must match but for axis {at}, got {sizes.tolist()}")
    starts = np.cumsum(sizes[:, at]) - sizes[:, at]
    where = np.concatenate([positions(p) + s * (np.arange(rank) == at) for p, s in zip(parts, starts, strict=True)])
    shape = [int(n) for n in sizes.max(axis=0)]
    shape[at] = int(sizes[:, at].sum())
    return reorder(SparseTensor(where, shaping.concat(*[p.values for p in parts], axis=0), tuple(shape)))


def fill_empty_rows(sp_input: SparseTensor, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """A value at the first place of each row (along the first axis) that has none, and which rows those are.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
        InvalidArgumentError: if the default value is no scalar.
    """
    where, shape = positions(sparse(sp_input)), sp_input._size
    default = to_tensor(default_value, sp_input.dtype, "default_value")
    if default._value.ndim:
        raise invalid(f"fill_empty_rows: default_value must be a scalar, got shape {list(default._value.shape)}")
    empty = np.ones(shape[0], bool)
    empty[where[:, 0]] = False
    rows = np.flatnonzero(empty)
    added = np.zeros((len(rows), len(shape)), np.int64)
    added[:, 0] = rows
    values = shaping.concat(sp_input.values, shaping.broadcast_to(default, shape=(len(rows),)), axis=0)
    every = np.concatenate([where, added])
    return reorder(SparseTensor(every, values, shape)), wrap(empty)


def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """`IndexedSlices` without the rows that are named.

    >>> import gradtape as tf
    >>> tf.sparse.mask(tf.IndexedSlices(tf.ones([2, 1]), tf.constant([4, 5])), [5]).indices.numpy()
    array([4], dtype=int32)
    """
    if not isinstance(a, IndexedSlices):
        raise TypeError(f"mask: a must be an IndexedSlices, got {type(a).__name__}")
    rows = to_tensor(a.indices, name="indices")
    kept = np.flatnonzero(~np.isin(settled(rows), settled(to_tensor(mask_indices, name="mask_indices"))))
    values = indexing.gather(to_tensor(a.values, name="values"), kept, axis=0)
    return IndexedSlices(values, indexing.gather(rows, kept, axis=0), a.dense_shape)
