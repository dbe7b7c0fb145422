"""Reshaping, joining, cutting, gathering, scattering, ordering and clipping. All names are at the top level of `tf`."""

from __future__ import annotations

from gradtape._clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from gradtape._gathering import boolean_mask, gather, gather_nd, one_hot, where
from gradtape._joining import concat, parallel_stack, split, stack, unstack
from gradtape._moving import (
    broadcast_to,
    expand_dims,
    pad,
    repeat,
    reshape,
    reverse,
    roll,
    squeeze,
    tile,
    transpose,
)
from gradtape._ordering import (
    argsort,
    dynamic_partition,
    dynamic_stitch,
    reverse_sequence,
    searchsorted,
    sequence_mask,
    sort,
    unique,
    unique_with_counts,
)
from gradtape._scattering import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from gradtape._slicing import (
    batch_to_space,
    required_space_to_batch_paddings,
    slice,
    space_to_batch,
    space_to_batch_nd,
    strided_slice,
)

__all__ = [
    "argsort",
    "batch_to_space",
    "boolean_mask",
    "broadcast_to",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "concat",
    "dynamic_partition",
    "dynamic_stitch",
    "expand_dims",
    "gather",
    "gather_nd",
    "one_hot",
    "pad",
    "parallel_stack",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tile",
    "transpose",
    "unique",
    "unique_with_counts",
    "unstack",
    "where",
]
