"""`tf.sparse`: tensors given by the positions and values of the elements that are not zero.

Gradients flow through the values. Positions are decided in Python: a `function` is captured anew for others.
"""

from __future__ import annotations

from gradtape._sparse_math import (
    add,
    bincount,
    map_values,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    sampled_addmm,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
    softmax,
    sparse_dense_matmul,
    to_indicator,
)
from gradtape._sparse_moving import (
    concat,
    expand_dims,
    eye,
    fill_empty_rows,
    mask,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    transpose,
)
from gradtape._sparse_tensor import SparseTensor, from_dense, to_dense

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]
