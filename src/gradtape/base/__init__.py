"""Errors, dtypes, shapes, nests: what everything else stands on. Imports NumPy and the standard library only."""
