"""`tf.function` and what describes its arguments."""

from __future__ import annotations

from gradtape.function.function import Function, TensorSpec, function

__all__ = ["Function", "TensorSpec", "function"]
