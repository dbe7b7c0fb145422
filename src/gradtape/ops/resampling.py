"""Weights of resampling along one axis: row i holds what each of n elements counts in element i of the result.

Multiplied with images, as matrices, they resize them; all derivatives are those of `matmul`. Pixel j lies at j + 0.5,
and the result's pixel i at `(i + 0.5) / scale - translation / scale`, as in Pillow and TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from gradtape.core.rules import shape_of
from gradtape.ops.linalg import matmul
from gradtape.ops.shaping import reshape

Filter = Callable[[Any], Any]


def _triangle(x: Any) -> Any:
    return np.maximum(0, 1 - np.abs(x))


def _cubic(b: float, c: float) -> Filter:
    """Mitchell and Netravali's family of piecewise cubics; Keys' is b = 0, c = 1/2."""

    def weights(x: Any) -> Any:
        x = np.abs(x)
        near = ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)) / 6
        far = ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
        return np.where(x < 1, near, np.where(x < 2, far, 0))

    return weights


def _lanczos(radius: int) -> Filter:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0)


def _gaussian(x: Any) -> Any:
    return np.where(np.abs(x) < 1.5, np.exp(-2 * x * x), 0)  # a standard deviation of 1/2, cut off at three of them


FILTERS: dict[str, Filter] = {
    "bilinear": _triangle,
    "bicubic": _cubic(0, 0.5),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": _gaussian,
    "mitchellcubic": _cubic(1 / 3, 1 / 3),
}


@lru_cache(maxsize=256)
def filter_weights(
    n: int, size: int, method: str, antialias: bool, dtype: str, scale: float | None = None, translation: float = 0.0
) -> Any:
    """Weights of a filter around each sample, normalised to sum to one; with `antialias` as wide as a shrinking needs.

    Samples outside the image have no weights.
    """
    step = n / size if scale is None else 1 / scale
    at = (np.arange(size)[:, None] + 0.5) * step - translation * step
    if method == "bicubic" and scale is None and not antialias:
        at = _in_steps(n, size)
    width = max(step, 1.0) if antialias else 1.0
    weights = FILTERS[method]((np.arange(n) + 0.5 - at) / width)
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) > 1e-30, weights / np.where(total == 0, 1, total), 0)
    return np.where((at >= 0) & (at <= n), weights, 0).astype(dtype)


def _in_steps(n: int, size: int) -> Any:
    """Where samples lie for TensorFlow's kernel of this one method: it looks weights up for 1024 places in a pixel."""
    middle = (np.arange(size, dtype=np.float32)[:, None] + np.float32(0.5)) * (np.float32(n) / np.float32(size))
    return np.rint((middle - np.float32(0.5)) * 1024).astype(float) / 1024 + 0.5


@lru_cache(maxsize=256)
def area_weights(n: int, size: int, dtype: str) -> Any:
    """Element i is the mean over the i-th of `size` equal parts of the axis."""
    edges = np.arange(size + 1)[:, None] * (n / size)
    covered = np.minimum(edges[1:], np.arange(n) + 1) - np.maximum(edges[:-1], np.arange(n))
    return (np.maximum(covered, 0) / (n / size)).astype(dtype)


@lru_cache(maxsize=256)
def nearest_places(n: int, size: int) -> Any:
    """The element whose pixel covers each sample."""
    return np.minimum(np.floor((np.arange(size) + 0.5) * (n / size)), n - 1).astype(np.int64)


def resampled(x: Any, weights: Any, *, axis: int) -> Any:
    """Resample along an axis. Weights may have a leading batch axis, which then is that of x."""
    shape = shape_of(x)
    batched = len(shape_of(weights)) > 2
    lead = shape[:1] if batched else (prod(shape[:axis]),)
    middle = shape[1:axis] if batched else ()
    if prod(middle) != 1:  # one matrix for all that is in front of the axis
        weights = reshape(weights, shape=(*shape_of(weights)[:1], 1, *shape_of(weights)[1:]))
        lead = (*lead, prod(middle))
    made = matmul(weights, reshape(x, shape=(*lead, shape[axis], prod(shape[axis + 1 :]))))
    return reshape(made, shape=(*shape[:axis], shape_of(weights)[-2], *shape[axis + 1 :]))
