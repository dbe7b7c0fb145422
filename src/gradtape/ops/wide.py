"""In which dtype sums and products of many elements are kept: half precision in single, rounded once at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

FLOAT32 = np.dtype("float32")


def accumulator(dtype: Any) -> Any:
    """float32 for dtypes of 16 bits or fewer (NumPy's kind V is bfloat16 and float8), else the dtype itself."""
    return FLOAT32 if dtype.kind == "V" or dtype.char == "e" else dtype


def rounded(value: Any, dtype: Any) -> Any:
    """What was accumulated, in the dtype of the elements."""
    return value if value.dtype is dtype else value.astype(dtype)
