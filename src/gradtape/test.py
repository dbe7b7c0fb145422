"""`tf.test`: check derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.transforms.gradient_tape import GradientTape


def compute_gradient(
    f: Callable[..., Any], x: Any, delta: float | None = None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the Jacobians of f by the tape and by central differences, to be compared.

    Args:
        f: takes as many tensors as `x` holds, returns one tensor.
        x: a list or tuple of values convertible to floating or complex tensors.
        delta: the step of the differences; by default 2^-10 (and what half precision can hold).

    Returns:
        Two tuples with a matrix of shape [size of f, size of x[i]] for each argument; real and imaginary parts count
        as two for complex arguments.

    Raises:
        ValueError: if `x` is not a list or tuple.
        AssertionError: for a dtype without derivatives.

    >>> import gradtape as tf
    >>> by_tape, by_differences = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])
    >>> by_tape[0]
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    arguments = [to_tensor(a) for a in x]
    step = 1.0 / 1024 if delta is None else delta
    for i, a in enumerate(arguments):
        if not dtypes.is_differentiable(a._value.dtype):
            raise AssertionError(f"Cannot compute gradient for unsupported type {a.dtype.name} of argument {i}")
    return (
        tuple([_by_tape(f, arguments, i) for i in range(len(arguments))]),
        tuple([_by_differences(f, arguments, i, step) for i in range(len(arguments))]),
    )


def _columns(values: Any) -> np.ndarray[Any, Any]:
    """Real numbers in a row: complex ones as real and imaginary parts in turn."""
    flat = np.ravel(values)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _by_tape(f: Callable[..., Any], arguments: list[Tensor], i: int) -> np.ndarray[Any, Any]:
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        y = f(*arguments)
    size, dtype = y._value.size, y._value.dtype
    rows = []
    for k in range(size):
        for unit in (1, 1j) if dtype.kind == "c" else (1,):
            seed = np.zeros(size, dtype=dtype)
            seed[k] = unit
            grad = tape.gradient(y, arguments[i], output_gradients=wrap(seed.reshape(y._value.shape)))
            dense = np.zeros_like(arguments[i]._value) if grad is None else to_tensor(grad)._value
            rows.append(_columns(np.array(dense)))
    return np.array(rows, dtype=rows[0].dtype) if rows else np.zeros((0, _columns(np.array(arguments[i]._value)).size))


def _by_differences(f: Callable[..., Any], arguments: list[Tensor], i: int, step: float) -> np.ndarray[Any, Any]:
    origin = np.array(arguments[i]._value)
    columns = []
    for k in range(origin.size):
        for unit in (1, 1j) if origin.dtype.kind == "c" else (1,):
            ends = []
            for sign in (1, -1):
                moved = origin.copy()
                moved.flat[k] += sign * step * unit
                changed = [*arguments[:i], wrap(moved), *arguments[i + 1 :]]
                ends.append(_columns(np.array(f(*changed)._value)))
            columns.append((ends[0] - ends[1]) / (2 * step))
    return np.array(columns).T.astype(_columns(origin).dtype)


__all__ = ["compute_gradient"]
