"""`tf.sparse`: arithmetic on the values, which gradients flow through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._axes import whole, wholes
from gradtape._gathering import gather
from gradtape._reducing import reduce_max as dense_max
from gradtape._reducing import reduce_sum as dense_sum
from gradtape._sparse_moving import retain, transpose
from gradtape._sparse_tensor import SparseTensor, positions, sparse
from gradtape._special import segment_mean as sorted_mean
from gradtape._special import segment_sum as sorted_sum
from gradtape._special import unsorted_segment_mean, unsorted_segment_sqrt_n, unsorted_segment_sum
from gradtape.base.dtypes import as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.cotangents import conj
from gradtape.core.effects import detached, settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, shaping
from gradtape.ops.linalg import matmul


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors, of which at least one is sparse; that of a sparse and a dense one is dense.

    Args:
        threshold: sums of two sparse tensors that are smaller than that are left out.

    Raises:
        TypeError: if none is sparse.
        InvalidArgumentError: if the shapes differ.

    >>> import gradtape as tf
    >>> a = tf.sparse.eye(2)
    >>> tf.sparse.to_dense(tf.sparse.add(a, a)).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        total = _joined(a, b, ew.add)
        least = settled(to_tensor(threshold, name="threshold"))
        return retain(total, np.abs(settled(total.values)) >= least) if least > 0 else total
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    few, other = (a, b) if isinstance(a, SparseTensor) else (b, a)
    dense = to_tensor(other, few.dtype, "b")
    if dense._value.shape != few._size:
        raise invalid(f"add: the shapes of both must be equal, got {list(few._size)} and {list(dense._value.shape)}")
    return indexing.nd_add(dense, few.indices, few.values)


def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of two elements, where there is any. Raises InvalidArgumentError if the shapes differ."""
    return _joined(sparse(sp_a), sparse(sp_b), ew.maximum)


def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of two elements, where there is any. Raises InvalidArgumentError if the shapes differ."""
    return _joined(sparse(sp_a), sparse(sp_b), ew.minimum)


def _joined(a: SparseTensor, b: SparseTensor, combine: Callable[[Any, Any], Any]) -> SparseTensor:
    """What is where any of the two has a value; zero stands for one that is missing."""
    if a._size != b._size:
        raise invalid(f"Operands' shapes do not match: got {list(a._size)} and {list(b._size)}")
    if a.dtype is not b.dtype:
        raise invalid(f"Operands' dtypes do not match: got {a.dtype.name} and {b.dtype.name}")
    first = positions(a)
    where, numbers = _groups(np.concatenate([first, positions(b)]))
    n = len(where)
    one = indexing.scatter_along(a.values, numbers[: len(first)], axis=0, shape=(n,))
    two = indexing.scatter_along(b.values, numbers[len(first) :], axis=0, shape=(n,))
    return SparseTensor(where, combine(one, two), a._size)


def _groups(where: Any) -> tuple[Any, Any]:
    """The distinct positions in row-major order, and which of them each one is."""
    if not where.shape[1]:
        return where[:1], np.zeros(len(where), np.int64)
    found, numbers = np.unique(where, axis=0, return_inverse=True)
    return found, numbers.reshape(-1)


def reduce_sum(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sums over axes (all by default), dense unless `output_is_sparse`.

    >>> import gradtape as tf
    >>> tf.sparse.reduce_sum(tf.sparse.eye(2, 3), axis=0).numpy()
    array([1., 1., 0.], dtype=float32)
    """
    return _reduced(sp_input, axis, keepdims, output_is_sparse, largest=False)


def reduce_max(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest values along axes (all by default), dense unless `output_is_sparse`; missing ones do not count."""
    return _reduced(sp_input, axis, keepdims, output_is_sparse, largest=True)


def _reduced(x: Any, axis: Any, keepdims: bool | None, sparse_result: bool, largest: bool) -> Any:
    where, shape = positions(sparse(x)), x._size
    rank = len(shape)
    axes = range(rank) if axis is None else np.atleast_1d(np.array(wholes(np.atleast_1d(axis), "axis"))).tolist()
    if any(not -rank <= a < rank for a in axes):
        raise invalid(f"Invalid reduction dimension {list(axes)} for a tensor of rank {rank}")
    gone = {a % rank for a in axes}
    kept = [i for i in range(rank) if i not in gone]
    found, numbers = _groups(where[:, kept])
    values = _largest(x.values, numbers, len(found)) if largest else _summed(x.values, numbers, len(found))
    if keepdims:
        wide = np.zeros((len(found), rank), np.int64)
        wide[:, kept] = found
        found = wide
    result = tuple(1 if i in gone else shape[i] for i in range(rank) if keepdims or i not in gone)
    if sparse_result:
        return SparseTensor(found, values, result)
    if not result:
        return dense_max(values) if largest and len(found) else dense_sum(values)
    return indexing.scatter_nd(values, found, shape=result)


def _summed(values: Any, numbers: Any, count: int) -> Any:
    return indexing.scatter_along(values, numbers, axis=0, shape=(count, *values._value.shape[1:]))


def _largest(values: Any, numbers: Any, count: int) -> Any:
    dtype = values._value.dtype
    lowest = np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
    return indexing.nd_max(wrap(np.full(count, lowest, dtype)), numbers[:, None], values)


def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Softmax along the last axis, of the values that there are.

    Raises:
        InvalidArgumentError: if the rank is less than 2.

    >>> import gradtape as tf
    >>> tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])).values.numpy()
    array([0.5, 0.5], dtype=float32)
    """
    where = positions(sparse(sp_input))
    if len(sp_input._size) < 2:
        raise invalid(f"softmax: sp_input must have rank 2 or more, got shape {list(sp_input._size)}")
    found, numbers = _groups(where[:, :-1])
    tops = detached(_largest(sp_input.values, numbers, len(found)))
    weights = ew.exp(sp_input.values - indexing.gather(tops, numbers, axis=0))
    totals = _summed(weights, numbers, len(found))
    return SparseTensor(where, weights / indexing.gather(totals, numbers, axis=0), sp_input._size)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """A function of the values of sparse tensors, which have the same positions.

    Raises:
        ValueError: if no argument is a SparseTensor, or the shapes differ.
        InvalidArgumentError: if the positions differ.

    >>> import gradtape as tf
    >>> tf.sparse.map_values(tf.multiply, tf.sparse.eye(2), 3.0).values.numpy()
    array([3., 3.], dtype=float32)
    """
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not given:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = given[0]
    for other in given[1:]:
        if other._size != first._size:
            raise ValueError(f"map_values: shapes differ, {list(first._size)} and {list(other._size)}")
        if not np.array_equal(positions(first), positions(other)):
            raise invalid("map_values: the sparse arguments must have the same positions")
    rows = [x.values if isinstance(x, SparseTensor) else x for x in args]
    named = {k: x.values if isinstance(x, SparseTensor) else x for k, x in kwargs.items()}
    return SparseTensor(first.indices, op(*rows, **named), first._size)


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of two matrices of which one is sparse.

    Raises:
        InvalidArgumentError: if they are not matrices that fit.

    >>> import gradtape as tf
    >>> tf.sparse.sparse_dense_matmul(tf.sparse.eye(2, 3), tf.ones([3, 1])).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return _adjoint(turned)
    few, dense = sparse(sp_a), to_tensor(b, sp_a.dtype, "b")
    if len(few._size) != 2 or dense._value.ndim != 2:
        raise invalid(f"Both must be matrices, got shapes {list(few._size)} and {list(dense._value.shape)}")
    if adjoint_a:
        few = transpose(few)
        few = SparseTensor(few.indices, _conjugate(few.values), few._size)
    if adjoint_b:
        dense = _adjoint(dense)
    if few._size[1] != dense._value.shape[0]:
        raise invalid(
            f"Cannot multiply A and B because inner dimension does not match: {few._size[1]} vs. "
            f"{dense._value.shape[0]}. A has shape {list(few._size)}, B {list(dense._value.shape)}"
        )
    where = positions(few)
    rows = indexing.gather(dense, where[:, 1], axis=0) * shaping.reshape(few.values, shape=(len(where), 1))
    return _summed(rows, where[:, 0], few._size[0])


def _conjugate(x: Any) -> Any:
    return conj(x) if x._value.dtype.kind == "c" else x


def _adjoint(x: Tensor) -> Tensor:
    return _conjugate(shaping.transpose(x, perm=(1, 0)))


def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """`alpha * (mat1 @ mat2) + beta * sparse`, at the positions of the sparse matrix alone.

    Returns:
        Its positions, values and shape.
    """
    dtype = as_dtype(output_type)
    where = cast_discrete(to_tensor(indices, name="indices"), dtype=np.dtype(np.int64))
    x = SparseTensor(where, to_tensor(values, dtype, "values"), dense_shape)
    product = matmul(to_tensor(mat1, dtype, "mat1"), to_tensor(mat2, dtype, "mat2"))
    if product._value.shape != x._size:
        raise invalid(f"sampled_addmm: mat1 @ mat2 has shape {list(product._value.shape)}, not {list(x._size)}")
    return x.indices, indexing.gather_nd(product, x.indices) * alpha + x.values * beta, x.dense_shape


def to_indicator(sp_input: SparseTensor, vocab_size: Any, name: str | None = None) -> Tensor:
    """Booleans of shape `shape[:-1] + [vocab_size]`: which numbers there are among the values of each row.

    Raises:
        InvalidArgumentError: for a value out of [0, vocab_size).
    """
    where, n = positions(sparse(sp_input)), whole(vocab_size, "vocab_size")
    values = settled(sp_input.values)
    if ((values < 0) | (values >= n)).any():
        raise invalid(f"to_indicator: values {values.tolist()} do not all lie in [0, {n})")
    out = np.zeros((*sp_input._size[:-1], n), bool)
    out[(*where[:, :-1].T, values)] = True
    return wrap(out)


def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number comes: at all (axis 0), or in each row of a matrix (axis -1).

    Args:
        values: whole numbers that are not negative, dense or sparse.
        weights: what each one counts; of the shape, or at the positions, of `values`.
        minlength: the least size of the last axis of the result.
        maxlength: numbers from here on do not count.
        binary_output: 1 for whatever comes at all.

    Raises:
        InvalidArgumentError: for a negative number.
        ValueError: for another axis, or `binary_output` with weights.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sparse.bincount([1, 1, 3])).numpy()
    array([0, 2, 0, 1])
    """
    if axis not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    numbers, rows, lead = _counted(values, axis)
    if numbers.min(initial=0) < 0:
        raise invalid("bincount: Input must be non-negative")
    size = int(numbers.max(initial=-1)) + 1
    size = max(size, 0 if minlength is None else whole(minlength, "minlength"))
    size = size if maxlength is None else min(size, whole(maxlength, "maxlength"))
    kept = np.flatnonzero(numbers < size)
    found, groups = _groups(np.concatenate([rows, numbers[:, None]], axis=1)[kept])
    shape = (*lead, size)
    if weights is None:
        counts = np.bincount(groups, minlength=len(found)).astype(np.int64)
        return SparseTensor(found, np.minimum(counts, 1) if binary_output else counts, shape)
    amounts = weights.values if isinstance(weights, SparseTensor) else to_tensor(weights, name="weights")
    flat = shaping.reshape(amounts, shape=(amounts._value.size,))
    if flat._value.size != len(numbers):
        raise invalid(f"bincount: there are {flat._value.size} weights for {len(numbers)} values")
    return SparseTensor(found, _summed(indexing.gather(flat, kept, axis=0), groups, len(found)), shape)


def _counted(values: Any, axis: int) -> tuple[Any, Any, tuple[int, ...]]:
    """The numbers in a row, the row that each counts for (none for axis 0), and how many rows there are."""
    if isinstance(values, SparseTensor):
        flat, where, shape = settled(values.values), positions(values), values._size
        rows = where[:, :-1]
    else:
        array = settled(to_tensor(values, name="values"))
        flat, shape = array.reshape(-1), array.shape
        rows = np.indices(shape).reshape(len(shape), -1).T[:, :-1]
    if flat.dtype.kind not in "iu":
        raise invalid(f"bincount: values must be int32 or int64, got {flat.dtype}")
    if axis == 0:
        return flat.astype(np.int64), np.zeros((len(flat), 0), np.int64), ()
    return flat.astype(np.int64), rows, shape[:-1]


def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of rows of a table: `indices` says which, the sorted `segment_ids` into which sum each goes.

    >>> import gradtape as tf
    >>> tf.sparse.segment_sum([[1.0], [2.0], [4.0]], [0, 2, 2], [0, 0, 1]).numpy()
    array([[5.],
           [4.]], dtype=float32)
    """
    rows = gather(data, indices)
    if num_segments is None:
        return sorted_sum(rows, segment_ids)
    return unsorted_segment_sum(rows, segment_ids, num_segments)


def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Means of rows of a table, zero for segments without any. See `segment_sum`."""
    rows = gather(data, indices)
    if num_segments is None:
        return sorted_mean(rows, segment_ids)
    return unsorted_segment_mean(rows, segment_ids, num_segments)


def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of rows of a table, divided by the square roots of how many there are. See `segment_sum`."""
    rows, ids = gather(data, indices), to_tensor(segment_ids, name="segment_ids")
    n = num_segments
    if n is None:
        sorted_sum(rows, ids)  # which refuses numbers that are out of order
        n = int(settled(ids).max(initial=-1)) + 1
    return unsorted_segment_sqrt_n(rows, ids, n)
