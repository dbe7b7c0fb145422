"""`tf.nn`: rows of a table that sparse ids name, combined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._normalization import embedding_lookup
from gradtape._sparse_moving import fill_empty_rows, reshape, retain
from gradtape._sparse_tensor import SparseTensor, positions, sparse
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, shaping
from gradtape.ops.selection import where

COMBINERS = ("mean", "sqrtn", "sum")


def embedding_lookup_sparse(
    params: Any,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look rows up and combine those of each row of `sp_ids`. The gradient of a variable is an `IndexedSlices`.

    Args:
        params: the table, shape [n, ...]; or a list of tables, which count as one below the other.
        sp_ids: row numbers, shape [rows, m].
        sp_weights: what each one counts, at the same positions; 1 by default.
        combiner: "sum"; "mean", the sum divided by that of the weights, which is the default; or "sqrtn", the sum
            divided by the root of the sum of squared weights.
        max_norm: scale longer rows of the table down to this norm.

    Raises:
        TypeError: if ids or weights are not sparse.
        ValueError: for another combiner.
        InvalidArgumentError: if ids and weights have other positions, or for a row that is not there.

    >>> import gradtape as tf
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 2], [1, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[1.0], [2.0], [5.0]]), ids, None).numpy()
    array([[3.]], dtype=float32)
    """
    how = combiner or "mean"
    if how not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    spots = positions(sparse(sp_ids))
    if sp_weights is not None and not np.array_equal(positions(sparse(sp_weights)), spots):
        raise invalid("embedding_lookup_sparse: sp_ids and sp_weights must have the same positions")
    rows = spots[:, 0]
    count = int(rows.max(initial=-1)) + 1
    found = embedding_lookup(params, sp_ids.values, max_norm)
    dtype = found._value.dtype
    rest = found._value.shape[1:]
    wide = (-1, *[1] * len(rest))
    if sp_weights is None:
        weights: Any = np.ones(len(rows), dtype)
    else:
        weights = to_tensor(sp_weights.values, None, "sp_weights")
        weights = weights if weights._value.dtype == dtype else shaping.cast(weights, dtype=dtype)
        found = found * shaping.reshape(weights, shape=(len(rows), *wide[1:]))
    total = indexing.scatter_along(found, rows, axis=0, shape=(count, *rest))
    if how == "sum":
        return total
    amount = indexing.scatter_along(weights if how == "mean" else weights * weights, rows, axis=0, shape=(count,))
    amount = shaping.reshape(amount if how == "mean" else ew.sqrt(amount), shape=(count, *wide[1:]))
    return where(amount == 0, 0, total / where(amount == 0, 1, amount))


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` for ids of any rank, where rows may be empty and negative ids do not count.

    Args:
        embedding_weights: the table, or a list of tables, which count as one below the other.
        sparse_ids: row numbers, shape [..., m].
        sparse_weights: what each one counts, at the same positions; those that are not positive do not, unless
            the combiner is "sum".
        combiner: as there.
        default_id: the row that stands for rows without ids; zeros by default.
        max_norm: scale longer rows of the table down to this norm.

    Returns:
        Shape [..., *table.shape[1:]].
    """
    lead = sparse(sparse_ids)._size[:-1]
    flat = (math.prod(lead), sparse_ids._size[-1])
    ids = reshape(sparse_ids, flat)
    weights = None if sparse_weights is None else reshape(sparse_weights, flat)
    keep = settled(ids.values) >= 0
    if weights is not None and combiner != "sum":
        keep &= settled(weights.values) > 0
    ids = retain(ids, keep)
    ids, empty = fill_empty_rows(ids, 0 if default_id is None else default_id)
    if weights is not None:
        weights = fill_empty_rows(retain(weights, keep), 1.0)[0]
    found = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    rest = found._value.shape[1:]
    if default_id is None:
        found = where(settled(empty).reshape(-1, *[1] * len(rest)), 0, found)
    return shaping.reshape(found, shape=(*lead, *rest))
