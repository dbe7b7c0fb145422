"""NumPy's functions that move elements of tensors, written in tf's. See `_numpy_functions`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape import shaping
from gradtape.core.convert import existing, to_integers
from gradtape.core.tensor import Tensor
from gradtape.ops.numpy_protocol import Function, axes_of, raw_values, tensors


def one(a: Any) -> Tensor:
    """The only tensor argument."""
    [x] = tensors([a])
    return x


def flat(a: Any) -> Tensor:
    return shaping.reshape(a, [-1])


def reshape(a: Any, shape: Any = None, *, newshape: Any = None) -> Tensor:
    return shaping.reshape(a, newshape if shape is None else shape)


def transpose(a: Any, axes: Any = None) -> Tensor:
    x = one(a)
    return shaping.transpose(x, None if axes is None else axes_of(axes, x._value.ndim))


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    x = one(a)
    rank = x._value.ndim
    sources, places = axes_of(source, rank), axes_of(destination, rank)
    rest = [i for i in range(rank) if i not in sources]
    for place, i in sorted(zip(places, sources, strict=True)):
        rest.insert(place, i)
    return shaping.transpose(x, rest)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    x = one(a)
    order = list(range(x._value.ndim))
    i, j = axes_of((axis1,), len(order))[0], axes_of((axis2,), len(order))[0]
    order[i], order[j] = j, i
    return shaping.transpose(x, order)


def expand_dims(a: Any, axis: Any) -> Tensor:
    x = one(a)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    rank = x._value.ndim + len(axes)
    places = axes_of(axes, rank)
    return x[tuple([None if i in places else slice(None) for i in range(rank)])]


def at_least(rank: int) -> Function:
    """Add axes as NumPy does: in front, but a vector lies in the middle of three axes and a matrix before the last."""

    def grown(a: Any) -> Tensor:
        x = one(a)
        have = x._value.ndim
        if have >= rank:
            return x
        return (
            x[..., None]
            if (have, rank) == (2, 3)
            else x[None, :, None]
            if (have, rank) == (1, 3)
            else (x[(None,) * (rank - have) + (...,)])
        )

    def call(*arys: Any) -> Any:
        made = [grown(a) for a in tensors(arys)]
        return made[0] if len(made) == 1 else tuple(made)

    return call


def sequence(arrays: Any) -> list[Tensor]:
    found = existing(arrays)
    return tensors(list(found) if isinstance(found, Tensor) else arrays)


def concatenate(arrays: Any, axis: Any = 0) -> Tensor:
    parts = sequence(arrays)
    return shaping.concat([flat(p) for p in parts], 0) if axis is None else shaping.concat(parts, axis)


def vstack(tup: Any) -> Tensor:
    return shaping.concat([at_least(2)(x) for x in sequence(tup)], 0)


def hstack(tup: Any) -> Tensor:
    parts = [at_least(1)(x) for x in sequence(tup)]
    return shaping.concat(parts, 0 if parts[0]._value.ndim == 1 else 1)


def dstack(tup: Any) -> Tensor:
    return shaping.concat([at_least(3)(x) for x in sequence(tup)], 2)


def column_stack(tup: Any) -> Tensor:
    columns = [at_least(1)(x) for x in sequence(tup)]
    return shaping.concat([x[:, None] if x._value.ndim == 1 else x for x in columns], 1)


def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    return concatenate([arr, values], axis)


def split_at(ary: Any, indices_or_sections: Any, axis: int = 0, *, even: bool = False) -> list[Tensor]:
    x = one(ary)
    size = x._value.shape[axes_of((axis,), x._value.ndim)[0]]
    if isinstance(indices_or_sections, int | np.integer):
        ways = int(indices_or_sections)
        if ways < 1 or (even and size % ways):
            raise ValueError(f"numpy.split of a tensor: {size} elements cannot be split into {ways} equal parts.")
        sizes = [size // ways + (i < size % ways) for i in range(ways)]
    else:
        ends = [min(n if n >= 0 else max(n + size, 0), size) for n in to_integers(indices_or_sections, "indices")]
        sizes = [max(b - a, 0) for a, b in zip([0, *ends], [*ends, size], strict=True)]
    return shaping.split(x, sizes, axis)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    return split_at(ary, indices_or_sections, axis, even=True)


def flip(m: Any, axis: Any = None) -> Tensor:
    x = one(m)
    return shaping.reverse(x, axes_of(axis, x._value.ndim))


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    x = one(a)
    return shaping.reshape(shaping.roll(flat(x), shift, 0), x.shape) if axis is None else shaping.roll(x, shift, axis)


def tile(A: Any, reps: Any) -> Tensor:
    x, times = one(A), to_integers(reps, "reps")
    extra = len(times) - x._value.ndim
    return shaping.tile(x[(None,) * extra + (...,)], (1,) * -extra + times)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    return shaping.repeat(a, repeats, axis)


def pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Tensor:
    x = one(array)
    widths = np.broadcast_to(np.asarray(raw_values(pad_width)), (x._value.ndim, 2)).tolist()
    return shaping.pad(x, widths, mode, constant_values)


def broadcast_arrays(*args: Any) -> tuple[Tensor, ...]:
    found = tensors(args)
    shape = np.broadcast_shapes(*[x._value.shape for x in found])
    return tuple([shaping.broadcast_to(x, shape) for x in found])
