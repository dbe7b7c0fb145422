"""Variables and what holds them: `Variable`, `Module`, `name_scope`, `IndexedSlices`."""

from __future__ import annotations

from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.module import Module
from gradtape.core.name_scope import get_current_name_scope, name_scope
from gradtape.core.variable import Variable, VariableSynchronization
from gradtape.core.variable import VariableAggregationV2 as VariableAggregation
from gradtape.ops import variable_ops as _variable_ops  # noqa: F401 - gives variables their methods

__all__ = [
    "IndexedSlices",
    "Module",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "get_current_name_scope",
    "name_scope",
]
