"""Linear algebra for Keras."""

from __future__ import annotations

from typing import Any

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float
from gradtape.keras_backend.missing import missing
from gradtape.ops import elementwise, reductions, shaping

__getattr__ = missing("linalg")


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The Euclidean norm (or 1, 2, inf along one axis)."""
    x = as_float(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % x.ndim for a in axes)
    if ord in (None, "fro", "euclidean") or (ord == 2 and len(axes) == 1):
        out = reductions.euclidean_norm(x, axis=axes)
    elif ord == 1 and len(axes) == 1:
        out = reductions.reduce_sum(elementwise.absolute(x), axis=axes)
    elif ord == float("inf") and len(axes) == 1:
        out = reductions.reduce_max(elementwise.absolute(x), axis=axes)
    else:
        raise NotImplementedError(f"gradtape does not implement keras.ops.norm with ord={ord!r} over axes {axes} yet.")
    if keepdims:
        out = shaping.reshape(out, shape=reductions.kept(tuple(x.shape), axes))
    return out
