"""`tf.nest`: nested structures."""

from __future__ import annotations

from gradtape.base.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
