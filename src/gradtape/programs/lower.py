"""Expressions of raw NumPy for applications of primitives: what a kernel would do, without the call of the kernel."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import tape
from gradtape.ops import linalg, nn, reductions, shaping
from gradtape.programs.program import Apply, Program

UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.neg: np.negative,
    operator.eq: np.equal,
    operator.ne: np.not_equal,
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
}
"""What operators of Python do to arrays."""

INFIX: dict[Any, str] = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/"}

SIGNS: dict[np.ufunc, str] = {UFUNCS[operation]: sign for operation, sign in INFIX.items()}


def ufunc_of(instruction: Apply) -> np.ufunc | None:
    """The ufunc that an application to arrays comes to, if it is one with a single result."""
    kernel = instruction.primitive.kernel
    found = kernel if isinstance(kernel, np.ufunc) else UFUNCS.get(kernel)
    return found if found is not None and found.nout == 1 and not instruction.params else None


def expression(program: Program, instruction: Apply, args: Sequence[str]) -> str | None:
    """Python's own expression for an application, or None if there is none."""
    kernel = instruction.primitive.kernel
    rule = EXPRESSIONS.get(instruction.primitive)
    if rule is not None:
        return rule(program, instruction, args)
    if kernel in INFIX and len(args) == 2:
        return f"{args[0]} {INFIX[kernel]} {args[1]}"
    return None


def _matmul(program: Program, instruction: Apply, args: Sequence[str]) -> str | None:
    a, b = (program.shapes.get(s) for s in instruction.args)
    if a is None or b is None or len(a.shape) != 2 or len(b.shape) != 2 or a.dtype.char not in linalg.BLAS:
        return None
    if a.shape[0] * a.shape[1] >= linalg.LARGE:  # the kernel may do it in parts
        return None
    return f"{args[0]} @ {args[1]}"


EXPRESSIONS: dict[Any, Callable[[Program, Apply, Sequence[str]], str | None]] = {
    linalg.matmul: _matmul,
    shaping.mT: lambda program, instruction, args: f"{args[0]}.mT",
    shaping.reshape: lambda program, instruction, args: f"{args[0]}.reshape({instruction.params['shape']!r})",
    shaping.identity: lambda program, instruction, args: args[0],
}

NEW = frozenset(
    (
        linalg.matmul,
        nn.gate,
        nn.relu,
        nn.scaled_error,
        nn.softmax_cross_entropy,
        nn.sparse_softmax_cross_entropy,
        reductions.reduce_max,
        reductions.reduce_mean,
        reductions.reduce_min,
        reductions.reduce_sum,
        tape.any_nan,
    )
)
"""Primitives whose kernels never give views."""
