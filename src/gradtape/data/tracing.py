"""The spec of what a user's function makes, found without an element: by calling it with zeros, unnoticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core.tensor import wrap
from gradtape.data.structure import Element, aside, call, element, joined, mapped, spec_of
from gradtape.programs.capture import Recording, capturing
from gradtape.programs.journal import Journal


def traced(function: Callable[..., Any], spec: Any, first: Callable[[], Element]) -> Any:
    """The spec of a function's results for elements of a spec; sizes that follow unknown ones are unknown.

    A function that has no use for zeros is asked about the first element.
    """
    try:
        return joined(*[aside(_tried, function, spec, size) for size in (2, 3)])
    except Exception:
        return spec_of(element(call(function, first())))


def _tried(function: Callable[..., Any], spec: Any, size: int) -> Any:
    """The spec of the results for zeros, with `size` for unknown sizes, and without a trace of the call."""

    def blank(part: Any) -> Any:
        sizes = [size if s is None else s for s in part.shape.as_list()]
        numpy_dtype = part.dtype.numpy_dtype
        return wrap(np.full(sizes, b"" if numpy_dtype.char == "O" else 0, numpy_dtype))

    given = mapped(blank, spec)
    recording = Recording("element_spec", [], Journal(), silent=True)
    try:
        with capturing(recording):
            return spec_of(element(function(*given) if type(given) is tuple else function(given)))
    finally:
        recording.undo()
