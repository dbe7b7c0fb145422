"""`tf.linalg`: products, norms, diagonals, and the classical decompositions and solvers."""

from __future__ import annotations

from gradtape._clipping import global_norm
from gradtape._products import einsum, matmul, matvec, tensordot

__all__ = ["einsum", "global_norm", "matmul", "matvec", "tensordot"]
