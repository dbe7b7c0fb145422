"""Counts of values in bins of equal width."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, of_kind, whole
from gradtape.base.dtypes import as_dtype, int32
from gradtape.base.errors import invalid
from gradtape.core.effects import check
from gradtape.core.tensor import Tensor
from gradtape.ops import sets


def _checked(values: Any, value_range: Any, nbins: Any, dtype: Any, op: str) -> tuple[Tensor, Tensor, dict[str, Any]]:
    x, edges = alike((values, value_range), op)
    of_kind(x, "fViu", op)
    count, wanted = whole(nbins, "nbins"), as_dtype(dtype).numpy_dtype
    if edges._value.shape != (2,):
        raise invalid(f"value_range should be a vector of 2 elements, got shape {list(edges._value.shape)} [Op:{op}]")
    if count < 1:
        raise invalid(f"nbins should be a positive number, but got '{count}' [Op:{op}]")
    if wanted not in (np.int32, np.int64):
        raise invalid(f"dtype must be int32 or int64, got {as_dtype(dtype)!r} [Op:{op}]")
    check(_check_values, x, edges, op)
    return x, edges, {"count": count, "dtype": wanted}


def _check_values(x: Any, edges: Any, op: str) -> None:
    if not edges[0] < edges[1]:
        raise invalid(f"value_range should satisfy value_range[0] < value_range[1], but got {edges.tolist()} [Op:{op}]")
    if np.isnan(x).any():
        raise invalid(f"Histogram values must not contain NaN [Op:{op}]")


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """The number of the bin that each value falls into; what is outside of the range counts to the nearest bin.

    Args:
        values: real numbers of any shape.
        value_range: the lower end of the first and the upper end of the last bin, of the same dtype.
        nbins: how many bins of equal width there are.
        dtype: int32 or int64.

    Raises:
        InvalidArgumentError: for NaN, for a range that is empty, or without bins.

    >>> import gradtape as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 1, 4], dtype=int32)
    """
    x, edges, params = _checked(values, value_range, nbins, dtype, "histogram_fixed_width_bins")
    out: Tensor = sets.bins(x, edges[0], edges[1], **params)
    return out


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """How many values fall into each of some bins of equal width. Arguments and errors as `histogram_fixed_width_bins`.

    >>> import gradtape as tf
    >>> tf.histogram_fixed_width([-1.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([1, 1, 0, 0, 1], dtype=int32)
    """
    x, edges, params = _checked(values, value_range, nbins, dtype, "HistogramFixedWidth")
    out: Tensor = sets.bin_counts(x, edges, **params)
    return out
