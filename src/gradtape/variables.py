"""Variables and what holds them."""

from __future__ import annotations

from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.variable import Variable

__all__ = ["IndexedSlices", "Variable"]
