"""Functions that write at computed places."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, wholes
from gradtape._gathering import compact, ignores_bad, index_tensor, outside, place_text
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, settled
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import indexing as ops
from gradtape.ops import shaping
from gradtape.ops.elementwise import negative


def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Tensor:
    """Return zeros of a shape, with slices added at the positions that the last axis of `indices` spells.

    Args:
        indices: int16, int32 or int64, shape `[..., depth]`.
        updates: shape `indices.shape[:-1] + shape[depth:]`.
        shape: the shape of the result.
        bad_indices_policy: "" or "ERROR", or "IGNORE" to leave out positions that are not there.

    Raises:
        InvalidArgumentError: for a position that is not there, or updates of another shape.

    >>> import gradtape as tf
    >>> tf.scatter_nd([[0], [2]], [5, 6], [4]).numpy()
    array([5, 0, 6, 0], dtype=int32)
    """
    sizes = wholes(shape, "shape")
    index, slices = _scattered(indices, to_tensor(updates, None, "updates"), sizes, "ScatterNd", bad_indices_policy)
    return ops.scatter_nd(slices, index, shape=sizes)


def _scattered(indices: Any, updates: Tensor, shape: tuple[int, ...], op: str, policy: str = "") -> tuple[Any, Tensor]:
    """The checked indices and updates of a scatter."""
    index = index_tensor(indices, op)
    positions = index._value
    if positions.ndim < 1:
        raise invalid(f"indices must have at least one axis, got shape [] [Op:{op}]")
    depth = positions.shape[-1]
    if depth > len(shape):
        raise invalid(f"Inner dimension of indices ({depth}) must not be larger than the rank ({len(shape)}) [Op:{op}]")
    wanted = (*positions.shape[:-1], *shape[depth:])
    if updates._value.shape != wanted:
        raise invalid(
            f"Dimensions of updates must be indices.shape[:-1] + shape[{depth}:] = {list(wanted)}, got "
            f"{list(updates._value.shape)} [Op:{op}]"
        )
    if not ignores_bad(policy):
        check(_check_places, index, shape, op)
        return index, updates
    bad = outside(settled(index), shape)
    if not bad.any():
        return index, updates
    flat = positions.reshape(-1, depth)
    rows = shaping.reshape(updates, shape=(len(flat), *shape[depth:]))
    kept = np.flatnonzero(~bad.reshape(-1))
    return flat[kept], ops.gather(rows, kept, axis=0)


def _check_places(positions: Any, shape: tuple[int, ...], op: str) -> None:
    bad = outside(positions, shape)
    if bad.any():
        place = np.argwhere(bad)[0]
        raise invalid(
            f"indices{place_text(place)} = {positions[tuple(place)].tolist()} does not index into shape "
            f"{compact(shape)} [Op:{op}]"
        )


def _onto(op: Primitive, label: str, tensor: Any, indices: Any, updates: Any, policy: str = "") -> Any:
    """Scatter onto a tensor, with checked arguments."""
    x, values = alike([tensor, updates], label)
    index, slices = _scattered(indices, values, x._value.shape, label, policy)
    return op(x, index, slices)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """Return a tensor with slices replaced at the positions that the last axis of `indices` spells.

    Args:
        tensor: any tensor.
        indices: int16, int32 or int64, shape `[..., depth]`.
        updates: shape `indices.shape[:-1] + tensor.shape[depth:]`; the last of equal positions counts.

    Raises:
        InvalidArgumentError: for a position that is not there, or updates of another shape or dtype.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0]], [7]).numpy()
    array([7, 2, 3], dtype=int32)
    """
    return _onto(ops.nd_update, "TensorScatterUpdate", tensor, indices, updates)


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Return a tensor with slices added, as in `tensor_scatter_nd_update`; those at equal positions add up.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_add([1, 2], [[0], [0]], [7, 1]).numpy()
    array([9, 2], dtype=int32)
    """
    return _onto(ops.nd_add, "TensorScatterAdd", tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Return a tensor with slices subtracted, as in `tensor_scatter_nd_update`; those at equal positions add up.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_sub([1, 2], [[0], [0]], [7, 1]).numpy()
    array([-7,  2], dtype=int32)
    """
    x, values = alike([tensor, updates], "TensorScatterSub")
    return _onto(ops.nd_add, "TensorScatterSub", x, indices, negative(values), bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Return a tensor with the smaller of element and update at each position, as in `tensor_scatter_nd_update`.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_min([1, 2], [[0], [1]], [7, 1]).numpy()
    array([1, 1], dtype=int32)
    """
    return _onto(ops.nd_min, "TensorScatterMin", tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Return a tensor with the larger of element and update at each position, as in `tensor_scatter_nd_update`.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_max([1, 2], [[0], [1]], [7, 1]).numpy()
    array([7, 2], dtype=int32)
    """
    return _onto(ops.nd_max, "TensorScatterMax", tensor, indices, updates, bad_indices_policy)
