"""`tf.function` and what describes its arguments."""

from __future__ import annotations

from gradtape.function.function import Function, function
from gradtape.function.spec import TensorSpec

__all__ = ["Function", "TensorSpec", "function"]
