"""The same elements in another shape or order, for `keras.ops`."""

from __future__ import annotations

import builtins
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape import _matrices
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.dispatch import axes_of, cast, name_of, promoted, tensor
from gradtape.ops import selection, shaping


def reshape(x: Any, newshape: Any) -> Tensor:
    """The same elements in another shape."""
    return shaping.reshape(tensor(x), shape=tuple(newshape) if not isinstance(newshape, int) else (newshape,))


def ravel(x: Any) -> Tensor:
    """Flatten."""
    return shaping.reshape(tensor(x), shape=(-1,))


def transpose(x: Any, axes: Any = None) -> Tensor:
    """Permute the axes, by default reversed."""
    x = tensor(x)
    return shaping.transpose(x, perm=tuple(range(x.ndim))[::-1] if axes is None else tuple(a % x.ndim for a in axes))


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Exchange two axes."""
    x = tensor(x)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(x, perm=tuple(order))


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Move axes to other places."""
    x = tensor(x)
    return shaping.transpose(x, perm=_moved(x.ndim, source, destination))


def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    from_ = [s % rank for s in ([source] if isinstance(source, int) else source)]
    to = [d % rank for d in ([destination] if isinstance(destination, int) else destination)]
    order = [i for i in range(rank) if i not in from_]
    for d, s in sorted(zip(to, from_, strict=True)):
        order.insert(d, s)
    return tuple(order)


def expand_dims(x: Any, axis: Any) -> Tensor:
    """Insert axes of size 1."""
    x = tensor(x)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    rank = x.ndim + len(axes)
    axes = tuple(a % rank for a in axes)
    sizes = iter(x._value.shape)
    return shaping.reshape(x, shape=tuple(1 if i in axes else next(sizes) for i in range(rank)))


def squeeze(x: Any, axis: Any = None) -> Tensor:
    """Drop axes of size 1."""
    x = tensor(x)
    shape = x._value.shape
    axes = [i for i, n in enumerate(shape) if n == 1] if axis is None else axes_of(x, axis)
    for a in axes:
        if shape[a] != 1:
            raise ValueError(f"squeeze: axis {a} has size {shape[a]}, only axes of size 1 can be dropped.")
    return shaping.reshape(x, shape=tuple(n for i, n in enumerate(shape) if i not in axes))


def broadcast_to(x: Any, shape: Any) -> Tensor:
    """Repeat to a shape."""
    return shaping.broadcast_to(tensor(x), shape=tuple(shape))


def concatenate(xs: Any, axis: int | None = 0) -> Tensor:
    """Join along an axis."""
    xs = promoted(*xs)
    if axis is None:
        return shaping.concat(*[ravel(x) for x in xs], axis=0)
    return shaping.concat(*xs, axis=axis % xs[0].ndim)


def append(x1: Any, x2: Any, axis: Any = None) -> Tensor:
    """Join two arrays."""
    return concatenate([x1, x2], axis)


def stack(x: Any, axis: int = 0) -> Tensor:
    """Join along a new axis."""
    xs = promoted(*x)
    return shaping.stack(*xs, axis=axis % (xs[0].ndim + 1))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Split at positions or into equal parts."""
    x = tensor(x)
    axis %= x.ndim
    n = x._value.shape[axis]
    if isinstance(indices_or_sections, int):
        if n % indices_or_sections:
            raise ValueError(f"split: an axis of size {n} does not divide into {indices_or_sections} equal parts.")
        sizes = [n // indices_or_sections] * indices_or_sections
    else:
        ends = [int(i) for i in np.asarray(indices_or_sections)]
        edges = [0, *(builtins.min(e if e >= 0 else e + n, n) for e in ends), n]
        sizes = [builtins.max(b - a, 0) for a, b in pairwise(edges)]
    return list(shaping.split(x, sizes=tuple(sizes), axis=axis))


def tile(x: Any, repeats: Any) -> Tensor:
    """Repeat the whole."""
    x = tensor(x)
    counts = (repeats,) if isinstance(repeats, int) else tuple(repeats)
    rank = builtins.max(len(counts), x.ndim)
    x = shaping.reshape(x, shape=(1,) * (rank - x.ndim) + x._value.shape)
    return shaping.tile(x, multiples=(1,) * (rank - len(counts)) + counts)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Repeat each slice."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    axis %= x.ndim
    counts = np.broadcast_to(np.asarray(settled(tensor(repeats))), (x._value.shape[axis],))
    return shaping.repeat(x, counts=tuple(int(c) for c in counts), axis=axis)


def flip(x: Any, axis: Any = None) -> Tensor:
    """Reverse."""
    x = tensor(x)
    return shaping.flip(x, axes=axes_of(x, axis))


def roll(x: Any, shift: Any, axis: Any = None) -> Tensor:
    """Shift around."""
    x = tensor(x)
    if axis is None:
        return shaping.reshape(roll(ravel(x), shift, 0), shape=x._value.shape)
    axes = axes_of(x, axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(int(s) for s in shift)
    return shaping.roll(x, shift=shifts, axis=axes)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Tensor:
    """Put a border around."""
    x = tensor(x)
    widths = tuple((int(a), int(b)) for a, b in np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)))
    if mode != "constant":
        if constant_values is not None:
            raise ValueError(
                f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
            )
        return shaping.mirror_pad(x, widths=widths, mode=mode)
    padded = shaping.pad(x, paddings=widths)
    if constant_values in (None, 0):
        return padded
    inside = wrap(np.pad(np.ones(x._value.shape, bool), widths))
    return selection.where(inside, padded, tensor(constant_values, name_of(x)))


def _triangle(x: Tensor, k: int) -> np.ndarray[Any, Any]:
    rows, columns = x._value.shape[-2:]
    return np.tri(rows, columns, k, dtype=np.bool_)


def tril(x: Any, k: int = 0) -> Tensor:
    """The lower triangle."""
    x = tensor(x)
    return selection.where(wrap(_triangle(x, k)), x, selection.zeros_like(x))


def triu(x: Any, k: int = 0) -> Tensor:
    """The upper triangle."""
    x = tensor(x)
    return selection.where(wrap(~_triangle(x, k - 1)), x, selection.zeros_like(x))


def diag(x: Any, k: int = 0) -> Tensor:
    """A matrix with x on a diagonal, or a diagonal of the matrix x."""
    x = tensor(x)
    if len(x.shape) not in (1, 2):
        raise ValueError(f"diag: x must have one axis or two, got shape {tuple(x.shape)}")
    return _diagonal_matrix(x, k) if len(x.shape) == 1 else diagonal(x, k)


def _diagonal_matrix(x: Tensor, k: int) -> Tensor:
    if name_of(x) == "bool":
        return cast(_matrices.diag(cast(x, "int8"), k=k), "bool")
    return _matrices.diag(x, k=k)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of two axes."""
    x = moveaxis(x, [axis1, axis2], [-2, -1])
    x = x[..., builtins.max(-offset, 0) :, builtins.max(offset, 0) :]
    return shaping.diag_part(x)


def meshgrid(*x: Any, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of a grid."""
    xs = [tensor(a) for a in x]
    order = [1, 0, *range(2, len(xs))] if indexing == "xy" and len(xs) > 1 else list(range(len(xs)))
    shape = tuple(xs[i]._value.size for i in order)
    made = []
    for i, a in enumerate(xs):
        ramp = [1] * len(xs)
        ramp[order.index(i)] = -1
        made.append(shaping.broadcast_to(shaping.reshape(a, shape=tuple(ramp)), shape=shape))
    return made


def vstack(xs: Any) -> Tensor:
    """Join as rows."""
    xs = promoted(*xs)
    return concatenate([shaping.reshape(x, shape=(1, -1)) if x.ndim < 2 else x for x in xs], 0)


def hstack(xs: Any) -> Tensor:
    """Join along the second axis, or the first of vectors."""
    xs = [shaping.reshape(x, shape=(1,)) if x.ndim == 0 else x for x in promoted(*xs)]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


def dstack(xs: Any) -> Tensor:
    """Join along the third axis."""
    made = []
    for x in promoted(*xs):
        row = shaping.reshape(x, shape=(1, -1)) if x.ndim < 2 else x
        made.append(shaping.reshape(row, shape=(*row._value.shape, 1)) if row.ndim < 3 else row)
    return concatenate(made, 2)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Split at positions, or into parts of which the first may be one longer."""
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    x = tensor(x)
    each, longer = divmod(x._value.shape[axis], indices_or_sections)
    sizes = (each + 1,) * longer + (each,) * (indices_or_sections - longer)
    return list(shaping.split(x, sizes=sizes, axis=axis % x.ndim))


def vsplit(x: Any, indices_or_sections: Any) -> list[Tensor]:
    """Split along the first axis."""
    return split(x, indices_or_sections, 0)


def hsplit(x: Any, indices_or_sections: Any) -> list[Tensor]:
    """Split along the second axis, or the first of a vector."""
    x = tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def dsplit(x: Any, indices_or_sections: Any) -> list[Tensor]:
    """Split along the third axis."""
    return split(x, indices_or_sections, 2)


def flipud(x: Any) -> Tensor:
    """Reverse the rows."""
    return flip(x, 0)


def fliplr(x: Any) -> Tensor:
    """Reverse the columns."""
    return flip(x, 1)


def rot90(array: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Turn by 90 degrees in the plane of two axes, from the first toward the second, k times."""
    x = tensor(array)
    if x.ndim < 2:
        raise ValueError(f"Input array must have at least 2 dimensions. Received: array.ndim={x.ndim}")
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    first, second = axes
    turns = k % 4
    if turns == 2:
        return flip(x, axes)
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second) if turns == 3 else x


def diagflat(x: Any, k: int = 0) -> Tensor:
    """A matrix with all elements on a diagonal."""
    return diag(ravel(x), k)
