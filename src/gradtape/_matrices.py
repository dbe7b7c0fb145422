"""Transposes, traces, diagonals, bands and other parts of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, whole, wholes
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.cotangents import conj
from gradtape.core.effects import decided
from gradtape.core.tensor import Tensor
from gradtape.ops import shaping as ops
from gradtape.ops.indexing import gather
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where

# Transposes and products.


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Return the matrices with their last two axes swapped.

    Raises:
        ValueError: if the rank is below 2.

    >>> import gradtape as tf
    >>> tf.linalg.matrix_transpose([[1, 2]]).numpy()
    array([[1],
           [2]], dtype=int32)
    """
    x = to_tensor(a, None, "a")
    if x._value.ndim < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {x._value}.")
    turned: Tensor = ops.mT(x)
    return conj(turned) if conjugate and x._value.dtype.kind == "c" else turned


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Return the conjugate transpose of the last two axes.

    >>> import gradtape as tf
    >>> tf.linalg.adjoint([[1 + 2j]]).numpy()
    array([[1.-2.j]])
    """
    return matrix_transpose(matrix, conjugate=True)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Return the cross products of vectors of three elements, along the last axis.

    Raises:
        InvalidArgumentError: if the shapes differ or the last axis does not have size 3.

    >>> import gradtape as tf
    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    x: Any
    y: Any
    x, y = alike([a, b], "Cross")
    shape = x._value.shape
    if y._value.shape != shape or not shape or shape[-1] != 3:
        raise invalid(
            f"cross: both must have one shape with 3 elements at the end, got {list(shape)} and {list(y._value.shape)}"
        )
    last = (len(shape) - 1,)

    def turned(v: Any, steps: int) -> Any:
        return ops.roll(v, shift=(-steps,), axis=last)

    return turned(x, 1) * turned(y, 2) - turned(x, 2) * turned(y, 1)


def trace(x: Any, name: str | None = None) -> Tensor:
    """Return the sum of the main diagonal of the last two axes.

    >>> import gradtape as tf
    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(5.0)
    """
    matrix = _matrix(to_tensor(x, None, "x"), "trace")
    return reduce_sum(ops.diag_part(matrix), axis=(matrix._value.ndim - 2,))


def _matrix(x: Tensor, op: str) -> Tensor:
    if x._value.ndim < 2:
        raise invalid(f"{op}: input must be at least 2-dim, received shape: {list(x._value.shape)}")
    return x


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Keep the diagonals from `num_lower` below to `num_upper` above the main one, and put zeros elsewhere.

    Args:
        input: matrices, shape `[..., m, n]`.
        num_lower: how many to keep below; negative for all.
        num_upper: how many to keep above; negative for all.

    >>> import gradtape as tf
    >>> tf.linalg.band_part(tf.ones([2, 2]), 0, -1).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    x = _matrix(to_tensor(input, None, "input"), "band_part")
    return ops.band_part(x, lower=whole(num_lower, "num_lower"), upper=whole(num_upper, "num_upper"))


# Diagonals. A band of several is laid out row by row, from the highest to the lowest.


def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Return a diagonal of matrices, or a band of them.

    Args:
        input: shape `[..., m, n]`.
        k: which diagonal: 0 is the main one, positive numbers are above it; or the lowest and the highest of a band.
        padding_value: what fills the shorter diagonals of a band.
        align: where those go: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT", for those above and below.

    Returns:
        Shape `[..., length]`, or `[..., diagonals, longest]` for a band of several.

    Raises:
        InvalidArgumentError: if a diagonal does not exist.
        ValueError: for another `align`.

    >>> import gradtape as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    x = _matrix(to_tensor(input, None, "input"), "diag_part")
    low, high = _band(k)
    if low == high == 0:
        return ops.diag_part(x)
    *lead, m, n = x._value.shape
    _check_band(low, high, m, n)
    places = _band_places(low, high, m, n, align)
    flat = ops.reshape(x, shape=(*lead, m * n))
    found = _picked(flat, places, to_tensor(padding_value, x.dtype, "padding_value"), len(lead))
    return found if low != high else ops.reshape(found, shape=(*lead, places.shape[1]))


def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with given diagonals.

    Args:
        diagonal: shape `[..., length]`, or `[..., diagonals, longest]` for a band of several.
        k: which diagonal, or the lowest and the highest of a band; see `diag_part`.
        num_rows: the height, by default as small as can be.
        num_cols: the width, by default as small as can be.
        padding_value: what fills the rest.
        align: where the shorter diagonals of a band are; see `diag_part`.

    Raises:
        InvalidArgumentError: if the diagonals do not fit.

    >>> import gradtape as tf
    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    x = to_tensor(diagonal, None, "diagonal")
    if not x._value.ndim:
        raise invalid("diagonal must be at least 1-dim, received shape: [] [Op:MatrixDiagV3]")
    low, high = _band(k)
    fill = to_tensor(padding_value, x.dtype, "padding_value")
    rows, columns = whole(num_rows, "num_rows"), whole(num_cols, "num_cols")
    *lead, longest = x._value.shape
    if low != high:
        count = lead.pop() if lead else 0
        if count != high - low + 1:
            raise invalid(f"The number of rows of `diagonal`, {count}, must be that of the diagonals, {high - low + 1}")
    if low == high == 0 and rows == columns == -1 and not decided(np.any, fill):
        return ops.diag(x, shape=(*lead, longest, longest))
    rows, columns = _extent(longest, low, high, rows, columns)
    _check_band(low, high, rows, columns)
    places = _band_places(low, high, rows, columns, align)
    if places.shape[1] != longest:
        raise invalid(f"diag: a {rows} x {columns} matrix has diagonals of length {places.shape[1]}, got {longest}")
    flat = ops.reshape(x, shape=(*lead, places.size))
    return _picked(flat, _turned_inside_out(places, rows, columns), fill, len(lead))


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Return matrices with some of their diagonals replaced.

    Args:
        input: shape `[..., m, n]`.
        diagonal: what to put there; shaped as `diag_part` gives it.
        k: which diagonal, or the lowest and the highest of a band.
        align: where the shorter diagonals of a band are; see `diag_part`.

    >>> import gradtape as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy()
    array([[7, 2],
           [3, 8]], dtype=int32)
    """
    x, values = alike([input, diagonal], "MatrixSetDiagV3")
    _matrix(x, "set_diag")
    low, high = _band(k)
    *lead, m, n = x._value.shape
    _check_band(low, high, m, n)
    length = max(min(m + min(d, 0), n - max(d, 0)) for d in range(low, high + 1))
    wanted = (*lead, length) if low == high else (*lead, high - low + 1, length)
    if values._value.shape != wanted:
        raise invalid(f"set_diag: diagonal must have the shape {list(wanted)}, got {list(values._value.shape)}")
    placed = diag(values, k=(low, high), num_rows=m, num_cols=n, align=align)
    offset = np.arange(n) - np.arange(m)[:, None]
    return where((low <= offset) & (offset <= high), placed, x)


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Return a tensor of twice the rank, with the elements where both halves of the index agree, and zeros elsewhere.

    >>> import gradtape as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    x = to_tensor(diagonal, None, "diagonal")
    shape, size = x._value.shape, x._value.size
    if not shape:
        raise invalid("Input must be at least rank 1, got 0 [Op:Diag]")
    flat = ops.diag(ops.reshape(x, shape=(size,)), shape=(size, size))
    return ops.reshape(flat, shape=(*shape, *shape))


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Return the elements of a tensor for which both halves of the index agree.

    Raises:
        InvalidArgumentError: unless the shape is twice the same.

    >>> import gradtape as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    x = to_tensor(input, None, "input")
    shape = x._value.shape
    half = len(shape) // 2
    if not shape or len(shape) % 2 or shape[:half] != shape[half:]:
        raise invalid(f"tensor_diag_part: the shape must be twice the same, got {list(shape)} [Op:DiagPart]")
    size = int(np.prod(shape[:half]))
    return ops.reshape(ops.diag_part(ops.reshape(x, shape=(size, size))), shape=shape[:half])


def _band(k: Any) -> tuple[int, int]:
    numbers = wholes(k, "k")
    if len(numbers) not in (1, 2) or numbers[0] > numbers[-1]:
        raise invalid(f"k must be one number, or the lowest and the highest of a band, got {list(numbers)}")
    return numbers[0], numbers[-1]


def _check_band(low: int, high: int, m: int, n: int) -> None:
    for d, label in ((low, "lower"), (high, "upper")):
        if not -m < d < n and not (d == 0 and m * n == 0):
            raise invalid(f"{label}_diag_index must be between -{m - 1} and {n - 1}, got {d}, for a {m} x {n} matrix")


def _extent(longest: int, low: int, high: int, rows: int, columns: int) -> tuple[int, int]:
    """The least height and width of a matrix with these diagonals, unless they are given."""
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    return (least_rows if rows == -1 else rows), (least_columns if columns == -1 else columns)


def _band_places(low: int, high: int, m: int, n: int, align: str) -> Any:
    """For each diagonal from the highest to the lowest, the places of its elements in the flat matrix; -1 pads."""
    if align not in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        raise ValueError(f"align must be RIGHT_LEFT, LEFT_RIGHT, LEFT_LEFT or RIGHT_RIGHT, got {align!r}")
    above, below = align.split("_")
    diagonals = []
    for d in range(high, low - 1, -1):
        i = np.arange(max(-d, 0), min(m, n - d))
        diagonals.append((i * n + i + d, (above if d >= 0 else below) == "RIGHT"))
    longest = max(len(places) for places, _ in diagonals)
    rows = []
    for places, right in diagonals:
        padding = np.full(longest - len(places), -1)
        rows.append(np.concatenate([padding, places] if right else [places, padding]))
    return np.stack(rows)


def _turned_inside_out(places: Any, m: int, n: int) -> Any:
    """For each element of an m x n matrix, the place in the flat band that goes there; -1 where none does."""
    out = np.full(m * n, -1)
    flat = places.reshape(-1)
    out[flat[flat >= 0]] = np.flatnonzero(flat >= 0)
    return out.reshape(m, n)


def _picked(flat: Any, places: Any, fill: Any, axis: int) -> Any:
    """Elements of the last axis at these places, and `fill` at -1."""
    found = gather(flat, np.maximum(places, 0), axis=axis)
    return found if places.min(initial=0) >= 0 else where(places >= 0, found, fill)
