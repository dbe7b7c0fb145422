"""Functions that read at computed places: gather, masks, where, one-hot."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, broadcast_shape, of_kind, whole, wrong_dtype
from gradtape.base.dtypes import DType, as_dtype, bool_, float32
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import check, settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import indexing as ops
from gradtape.ops import selection, shaping
from gradtape.ops.places import true_places

INDEX_TYPES = "hilq"
"""The dtypes of indices, int16, int32 and int64, as letters of NumPy's `dtype.char`."""


def index_tensor(indices: Any, op: str) -> Tensor:
    """Convert indices: int16, int32 or int64."""
    index = to_tensor(indices, None, "indices")
    dtype = index._value.dtype
    if dtype.char not in INDEX_TYPES:
        if index._value.size or dtype.kind != "f":
            raise wrong_dtype(dtype, op)
        return wrap(index._value.astype(np.int32))
    return index


def _check_range(index: Any, size: int, op: str) -> None:
    """Check that 0 <= index < size everywhere, and say where not."""
    if type(index) is not np.ndarray:
        if not 0 <= index < size:
            raise invalid(f"indices = {index} is not in [0, {size}) [Op:{op}]")
    elif index.size and not (index.min() >= 0 and index.max() < size):
        place = np.argwhere((index < 0) | (index >= size))[0]
        where_text = ",".join(map(str, place))
        raise invalid(f"indices[{where_text}] = {index[tuple(place)]} is not in [0, {size}) [Op:{op}]")


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Return slices of a tensor at positions along an axis.

    The result has the shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`. The gradient
    of a gather along the first axis of a variable or watched tensor is an `IndexedSlices`.

    Args:
        params: the tensor to read.
        indices: int16, int32 or int64 positions.
        axis: the axis to read along; by default the first after the batch axes.
        batch_dims: how many leading axes `params` and `indices` share.

    Raises:
        InvalidArgumentError: for a position that is not there, an axis that does not exist, or batch sizes that differ.

    >>> import gradtape as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    x = to_tensor(params, None, "params")
    index = index_tensor(indices, "GatherV2")
    shape = x._value.shape
    rank = len(shape)
    batch = whole(batch_dims, "batch_dims")
    batch = batch + index._value.ndim if batch < 0 else batch
    at = whole(batch_dims if axis is None else axis, "axis")
    if not -rank <= at < rank:
        need = at + 1 if at >= 0 else -at
        raise invalid(f"Shape must be at least rank {need} but is rank {rank} [Op:GatherV2]")
    at %= rank
    if batch:
        return _batch_gather(x, index, at, batch)
    check(_check_range, index, shape[at], "GatherV2")
    made: Tensor = ops.gather_rows(x, index) if at == 0 else ops.gather(x, index, axis=at)
    return made


def _batch_gather(x: Tensor, index: Tensor, axis: int, batch: int) -> Tensor:
    """Fold the batch axes and the axis read into one, and add to each index where its batch entry begins."""
    shape, positions = x._value.shape, index._value
    if not 0 <= batch <= min(positions.ndim, axis):
        most = min(positions.ndim, axis)
        raise invalid(f"batch_dims ({batch}) must be at most {most}: the rank of indices, and axis")
    for i in range(batch):
        if shape[i] != positions.shape[i]:
            here, there = shape[i], positions.shape[i]
            raise invalid(f"params.shape[{i}]: {here} should be equal to indices.shape[{i}]: {there} [Op:GatherV2]")
    check(_check_range, index, shape[axis], "GatherV2")
    front = (*range(batch), axis, *range(batch, axis), *range(axis + 1, len(shape)))
    moved = shaping.transpose(x, perm=front) if axis != batch else x
    lead, size = shape[:batch], shape[axis]
    rest = tuple([n for i, n in enumerate(shape) if i >= batch and i != axis])
    count = int(np.prod(lead))
    flat = shaping.reshape(moved, shape=(count * size, *rest))
    starts = (np.arange(count) * size).reshape(*lead, *[1] * (positions.ndim - batch))
    found: Tensor = ops.gather(flat, shaping.cast_discrete(index, dtype=starts.dtype) + starts, axis=0)
    own = positions.ndim - batch
    if axis == batch:
        return found
    between = axis - batch
    perm = (
        *range(batch),
        *range(batch + own, batch + own + between),
        *range(batch, batch + own),
        *range(batch + own + between, found._value.ndim),
    )
    found = shaping.transpose(found, perm=perm)
    return found


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """Return slices of a tensor at the positions that the last axis of `indices` spells.

    The result has the shape `indices.shape[:-1] + params.shape[batch_dims + indices.shape[-1]:]`.

    Args:
        params: the tensor to read.
        indices: int16, int32 or int64, of rank 1 or more.
        batch_dims: how many leading axes `params` and `indices` share.
        bad_indices_policy: "" or "ERROR", or "IGNORE" to read zeros at positions that are not there.

    Raises:
        InvalidArgumentError: for a position that is not there, or more numbers per position than axes.

    >>> import gradtape as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    x = to_tensor(params, None, "params")
    index = index_tensor(indices, "GatherNd")
    shape, positions = x._value.shape, index
    if positions._value.ndim < 1:
        raise invalid("indices must be at least a vector [Op:GatherNd]")
    batch = whole(batch_dims, "batch_dims")
    if batch:
        front = index._value.shape[:-1]
        if not 0 < batch <= len(front) or shape[:batch] != front[:batch]:
            raise invalid(
                f"gather_nd: the first batch_dims ({batch}) sizes of params, {list(shape)}, and indices, "
                f"{list(index._value.shape)}, must agree"
            )
        grid = np.moveaxis(np.indices(front)[:batch], 0, -1)
        positions = shaping.concat(grid, shaping.cast_discrete(index, dtype=grid.dtype), axis=len(front))
    depth = positions._value.shape[-1]
    if depth > len(shape):
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape)}")
    if not ignores_bad(bad_indices_policy):
        check(_check_places, positions, shape)
        return _at_places(x, positions, depth)
    bad = outside(settled(positions), shape)
    if not bad.any():
        return _at_places(x, positions, depth)
    found = _at_places(x, wrap(np.where(bad[..., None], 0, positions._value)), depth)
    return selection.where(bad.reshape(*bad.shape, *[1] * (found._value.ndim - bad.ndim)), 0, found)


def _at_places(x: Tensor, positions: Tensor, depth: int) -> Tensor:
    if depth == 1:
        return ops.gather_rows(x, shaping.reshape(positions, shape=positions._value.shape[:-1]))
    return ops.gather_nd(x, positions)


def _check_places(positions: Any, shape: tuple[int, ...]) -> None:
    bad = outside(positions, shape)
    if bad.any():
        place = np.argwhere(bad)[0]
        raise invalid(
            f"indices{place_text(place)} = {positions[tuple(place)].tolist()} does not index into param shape "
            f"{compact(shape)} [Op:GatherNd]"
        )


def ignores_bad(name: str) -> bool:
    """Whether bad indices are to be ignored."""
    if name not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise invalid(f"bad_indices_policy must be '', 'ERROR' or 'IGNORE', got {name!r}")
    return name == "IGNORE"


def outside(positions: Any, shape: tuple[int, ...]) -> Any:
    """Which positions, spelled along the last axis, are not in a tensor of this shape."""
    sizes = np.asarray(shape[: positions.shape[-1]], dtype=np.int64)
    return ((positions < 0) | (positions >= sizes)).any(axis=-1)


def place_text(place: Any) -> str:
    return f"[{','.join(map(str, place))}]" if len(place) else ""


def compact(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask") -> Tensor:
    """Return the slices for which a mask holds, in one row.

    Args:
        tensor: any tensor.
        mask: booleans, of the shape of `tensor` or of some of its axes in a row.
        axis: the first of those; 0 by default.

    Raises:
        ValueError: if the shapes do not agree or the mask is a scalar.

    >>> import gradtape as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    x = to_tensor(tensor, None, "tensor")
    holds = to_tensor(mask, None, "mask")
    keep = holds._value  # of which only the shape is looked at
    if keep.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    shape = x._value.shape
    at = 0 if axis is None else whole(axis, "axis")
    at = at + len(shape) if at < 0 else at
    covered = shape[at : at + keep.ndim]
    if covered != keep.shape:
        raise ValueError(f"Shapes {covered} and {keep.shape} are incompatible")
    flat = shaping.reshape(x, shape=(*shape[:at], keep.size, *shape[at + keep.ndim :]))
    made: Tensor = ops.gather(flat, true_places(holds), axis=at)
    return made


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Choose elements by a condition; with the condition alone, return the positions where it holds.

    Nothing flows back into the branch that was not taken, not even NaN.

    Args:
        condition: booleans.
        x: what to take where it holds.
        y: what to take elsewhere, of the same dtype; all three broadcast.

    Raises:
        ValueError: if only one of `x` and `y` is given.
        InvalidArgumentError: if dtypes differ or shapes do not broadcast.

    >>> import gradtape as tf
    >>> tf.where([True, False], [1, 2], 0).numpy()
    array([1, 0], dtype=int32)
    >>> tf.where([False, True]).numpy()
    array([[1]])
    """
    if x is None and y is None:
        return ops.nonzero(of_kind(to_tensor(condition, None, "condition"), "biufcV", "Where"))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    chosen = existing(condition)
    if not isinstance(chosen, Tensor):
        chosen = to_tensor(chosen, bool_, "condition")
    elif chosen._value.dtype.kind != "b":
        raise invalid(
            "cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a "
            f"{chosen.dtype.name} tensor [Op:SelectV2]"
        )
    yes, no = alike([x, y], "SelectV2")
    shapes = [t._value.shape for t in (chosen, yes, no)]
    if not shapes[0] == shapes[1] == shapes[2] and broadcast_shape(*shapes) is None:
        c, t, e = map(compact, shapes)
        raise invalid(f"condition {c}, then {t}, and else {e} must be broadcastable [Op:SelectV2]")
    return selection.where(chosen, yes, no)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor with a new axis that holds `on_value` at the position each index names, `off_value` elsewhere.

    Args:
        indices: integers; one outside [0, depth) gives no `on_value` at all.
        depth: the size of the new axis.
        on_value: 1 by default.
        off_value: 0 by default.
        axis: where the new axis goes; -1, the last, by default.
        dtype: that of the values, or float32.

    Raises:
        TypeError: if the dtypes of the values and `dtype` differ.
        InvalidArgumentError: if `depth` is negative, `indices` are not integers, or the axis is out of range.

    >>> import gradtape as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    on, off, made = _on_and_off(on_value, off_value, wanted)
    index = to_tensor(indices, None, "indices")
    if index._value.dtype.kind not in "iub":
        raise wrong_dtype(index._value.dtype, "OneHot")
    size = whole(depth, "depth")
    if size < 0:
        raise invalid(f"depth must be non-negative, got: {size} [Op:OneHot]")
    rank = index._value.ndim
    at = -1 if axis is None else whole(axis, "axis")
    if not -1 <= at <= rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {at} [Op:OneHot]")
    at = rank if at == -1 else at
    return ops.one_hot(index, depth=size, on=on, off=off, axis=at, dtype=made.numpy_dtype)


def _on_and_off(on: Any, off: Any, dtype: DType | None) -> tuple[Any, Any, DType]:
    given: list[tuple[str, Any, DType]] = []
    for label, value in (("on_value", on), ("off_value", off)):
        if value is not None:
            usable = dtype is not None and not isinstance(existing(value), Tensor) and _fits(value, dtype)
            found = to_tensor(value, dtype if usable else None, label)
            given.append((label, settled(found), found.dtype))
            if dtype is not None and found.dtype is not dtype:
                raise TypeError(f"dtype {found.dtype} of {label} does not match dtype parameter {dtype}")
    if len(given) == 2 and given[0][2] is not given[1][2]:
        raise TypeError(f"dtype {given[0][2]} of on_value does not match dtype {given[1][2]} of off_value")
    kind = dtype or (given[0][2] if given else float32)
    values = {label: value for label, value, _ in given}
    return values.get("on_value", 1), values.get("off_value", 0), kind


def _fits(value: Any, dtype: DType) -> bool:
    try:
        to_tensor(value, dtype)
    except (TypeError, ValueError):
        return False
    return True
