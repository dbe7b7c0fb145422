"""Choosing, ordering, searching and counting elements, for `keras.ops`."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from keras.src.backend.common.dtypes import result_type

from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.arranging import pad, ravel
from gradtape.keras_backend.dispatch import as_float, axes_of, cast, name_of, numpy_dtype, promoted, tensor
from gradtape.keras_backend.making import linspace
from gradtape.ops import indexing, numpy_only, places, reductions, selection, shaping


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """x1 where the condition holds and x2 elsewhere; without them, the positions where it holds."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    x1, x2 = promoted(x1, x2)
    return selection.where(tensor(condition, "bool"), x1, x2)


def take(x: Any, indices: Any, axis: Any = None) -> Tensor:
    """Slices at positions along an axis; negative positions count from the end."""
    x, positions = tensor(x), tensor(indices)
    if axis is None:
        x, axis = ravel(x), 0
    axis %= x.ndim
    if positions._value.dtype.kind != "u":
        positions = selection.where(positions < 0, positions + x._value.shape[axis], positions)
    return indexing.gather_rows(x, positions) if axis == 0 else indexing.gather(x, positions, axis=axis)


def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Tensor:
    """One element per position along an axis; other axes broadcast."""
    x, positions = tensor(x), tensor(indices)
    if axis is None:
        x, positions, axis = ravel(x), ravel(positions), 0
    axis %= x.ndim
    if x._value.shape != positions._value.shape:  # other axes of size 1 are repeated
        sizes = zip(x._value.shape, positions._value.shape, strict=True)
        shape = tuple(m if i == axis or n == 1 else n for i, (n, m) in enumerate(sizes))
        positions = shaping.broadcast_to(positions, shape=shape)
    return indexing.gather_nd(x, places.along_axis(positions, shape=x._value.shape, axis=axis))


def nonzero(x: Any) -> tuple[Tensor, ...]:
    """Positions of what is not zero, one array per axis."""
    x = tensor(x)
    return tuple(cast(p, "int32") for p in shaping.unstack(indexing.nonzero(x), axis=1))


def _along(x: Any, axis: int | None) -> tuple[Tensor, int]:
    """The array and the axis to sort along; flattened for None, and if it has no axes."""
    x = tensor(x)
    return (ravel(x), 0) if axis is None or x.ndim == 0 else (x, axis % x.ndim)


def argsort(x: Any, axis: Any = -1) -> Tensor:
    """The order of the elements, int32."""
    x, axis = _along(x, axis)
    return indexing.argsort(x, axis=axis, descending=False)


def sort(x: Any, axis: Any = -1) -> Tensor:
    """In ascending order."""
    x, axis = _along(x, axis)
    return indexing.take_along(x, indexing.argsort(x, axis=axis, descending=False), axis=axis)


def size(x: Any) -> int:
    """The number of elements."""
    return int(tensor(x)._value.size)


def ndim(x: Any) -> int:
    """The number of axes."""
    return tensor(x).ndim


def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether two are near each other."""
    a, b = promoted(x1, x2)
    return selection.is_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether all are near each other."""
    close = isclose(x1, x2, rtol, atol, equal_nan)
    return reductions.reduce_all(close, axis=axes_of(close, None))


def argpartition(x: Any, kth: Any, axis: int = -1) -> Tensor:
    """An order with smaller elements before that of place `kth` and larger ones behind: the sorted one."""
    return argsort(x, axis)


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Tensor:
    """Where values belong in an ordered vector."""
    ordered, sought = promoted(sorted_sequence, values)
    if ordered.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. You can use `keras.ops.vectorized_map` to extend it to "
            f"N-D sequences. Received: sorted_sequence.shape={ordered.shape}"
        )
    return indexing.searchsorted(ordered, sought, side=side, dtype=np.dtype("int32"))


def digitize(x: Any, bins: Any) -> Tensor:
    """The number of the bin each element is in; the edges go up, or down."""
    edges, sought = promoted(bins, x)
    if decided(_goes_down, edges):
        below = indexing.searchsorted(shaping.flip(edges, axes=(0,)), sought, side="right", dtype=np.dtype("int32"))
        return edges._value.shape[0] - below
    return indexing.searchsorted(edges, sought, side="right", dtype=np.dtype("int32"))


def _goes_down(edges: Any) -> bool:
    return bool(edges.size) and bool(edges[0] > edges[-1])


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element of x1 is in x2 (or is not)."""
    found = numpy_only.is_among(*promoted(x1, x2))
    return selection.logical_not(found) if invert else found


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Tensor:
    """How often each whole number occurs, or the sums of their weights; of a matrix, row by row."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with gradtape")
    x = tensor(x)
    dtype = "int32" if weights is None else result_type(name_of(x), name_of(tensor(weights)))
    amounts = wrap(np.ones(x._value.shape, numpy_dtype(dtype))) if weights is None else tensor(weights, dtype)
    size = builtins.max(decided(_count, x), int(minlength or 0))
    rows = x._value.shape[:-1]
    return indexing.scatter_nd(amounts, places.row_places(cast(x, "int64")), shape=(*rows, size))


def _count(numbers: Any) -> int:
    return int(np.max(numbers)) + 1 if np.size(numbers) else 0


def histogram(x: Any, bins: int = 10, range: Any = None) -> tuple[Tensor, Tensor]:
    """How many elements are in each of equal bins, and the edges of these; the last bin holds its upper edge too."""
    x = ravel(as_float(x))
    if range is None:
        low, high = (reduce(x, axis=(0,)) for reduce in (reductions.reduce_min, reductions.reduce_max))
    else:
        low, high = (tensor(float(r), name_of(x)) for r in range)
    flat = low == high
    low, high = selection.where(flat, low - 0.5, low), selection.where(flat, high + 0.5, high)
    edges = linspace(low, high, int(bins) + 1)
    number = indexing.searchsorted(edges, x, side="right", dtype=np.dtype("int64")) - 1
    number = selection.where(x == high, int(bins) - 1, number)
    number = selection.where(x > high, -1, number)
    return cast(places.segment_sizes(number, count=int(bins)), "int32"), edges


def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The distinct elements (or slices along an axis) in order; with a size cut to it or filled up."""
    x = tensor(x)
    rows, along = (ravel(x), 0) if axis is None else (x, axis % x.ndim)
    first, inverse, counts = numpy_only.distinct(rows, axis=along)
    if size is not None:
        missing = builtins.max(size - first._value.shape[0], 0)
        first, counts = first[:size], shaping.pad(counts[:size], paddings=((0, missing),))
    values = indexing.gather(rows, first, axis=along)
    if size is not None and missing:
        widths = [(0, missing if i == along else 0) for i in builtins.range(rows.ndim)]
        values = pad(values, widths, constant_values=0 if fill_value is None else fill_value)
        first = pad(first, [(0, missing)], constant_values=1)
    inverse = shaping.reshape(inverse, shape=x._value.shape) if axis is None else inverse
    wanted = ((first, return_index), (inverse, return_inverse), (counts, return_counts))
    extras = [cast(extra, "int32") for extra, asked in wanted if asked]
    return (values, *extras) if extras else values


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """The positions along each axis of elements with these numbers in row-major order."""
    indices = tensor(indices)
    sizes = tuple(int(n) for n in shape)
    return tuple(shaping.unstack(places.unravelled(indices, sizes=sizes), axis=0))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Elements of the first choice whose condition holds."""
    *choices, out = promoted(*choicelist, default)
    for condition, choice in reversed([*zip(condlist, choices, strict=True)]):
        out = selection.where(tensor(condition, "bool"), choice, out)
    return out
