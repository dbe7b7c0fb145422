"""Products of matrices and tensors."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from gradtape.core.batching import align, batched
from gradtape.core.cotangents import matched
from gradtape.core.kinds import bilinear, linear
from gradtape.core.rules import shape_of
from gradtape.ops.shaping import mT, reshape
from gradtape.ops.threads import product

BLAS = "fdFD"
"""The dtypes that NumPy multiplies fast: letters of `dtype.char`."""

LARGE = 1 << 15
"""From how many elements of the first matrix on threads may be worth while."""


def _rows(x: Any) -> Any:
    """The matrix of all rows of a stack of matrices."""
    shape = shape_of(x)
    return reshape(x, shape=(-1, shape[-1])) if len(shape) > 2 else x


def _matmul_a(ct: Any, b: Any, a_shape: tuple[int, ...]) -> Any:
    return matched(matmul(ct, mT(b)), a_shape)


def _matmul_b(ct: Any, a: Any, b_shape: tuple[int, ...]) -> Any:
    """Where one matrix served a whole stack, one product of all its rows sums over the stack."""
    if len(b_shape) == 2:
        return matmul(mT(_rows(a)), _rows(ct))
    return matched(matmul(mT(a), ct), b_shape)


@batched(align)
@bilinear(a=_matmul_a, b=_matmul_b)
def matmul(xp: Any, a: Any, b: Any) -> Any:
    """Matrix product over the last two axes; leading axes broadcast."""
    dtype = a.dtype
    if a.ndim == 2 and dtype.char in BLAS:
        return a @ b if a.size < LARGE or b.ndim != 2 else product(a, b)
    if dtype.char not in BLAS and dtype.kind in "fV":  # half precision: sums in float32, as fast as float32
        return xp.matmul(a.astype(xp.float32), b.astype(xp.float32)).astype(dtype)
    if a.ndim > 2 and b.ndim == 2 and a.size:  # one product of all rows instead of one per matrix
        return xp.matmul(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])
    return xp.matmul(a, b)


# Einstein's summation, one pair at a time.


def _swapped(ct: Any, other: Any, *, labels: tuple[str, str, str], mine: int) -> Any:
    a, b, out = labels
    return contract(ct, other, labels=(out, b, a) if mine == 0 else (out, a, b))


@bilinear(
    a=lambda ct, b, *, labels: _swapped(ct, b, labels=labels, mine=0),
    b=lambda ct, a, *, labels: _swapped(ct, a, labels=labels, mine=1),
)
def contract(xp: Any, a: Any, b: Any, *, labels: tuple[str, str, str]) -> Any:
    """Sum of products: `labels` has one letter per axis of a, of b and of the result.

    No letter occurs twice in an operand, and each letter occurs in at least two of the three. So a product of matrices
    does the work, and the transpose is the same op with the operand and the result swapped.
    """
    order_a, order_b, order_out, both, rows, summed = _layout(*labels)
    a, b = a.transpose(order_a), b.transpose(order_b)
    lead, tall, deep, wide = (
        a.shape[:both],
        a.shape[both : both + rows],
        a.shape[both + rows :],
        b.shape[both + summed :],
    )
    depth = prod(deep)
    product = matmul.kernel(a.reshape(*lead, prod(tall), depth), b.reshape(*lead, depth, prod(wide)))
    return product.reshape((*lead, *tall, *wide)).transpose(order_out)


@lru_cache(maxsize=1024)
def _layout(in_a: str, in_b: str, out: str) -> tuple[Any, ...]:
    """How to turn the operands to stacks of matrices, and the product to the result; how many axes are which."""
    both = [c for c in in_a if c in in_b and c in out]
    summed = [c for c in in_a if c in in_b and c not in out]
    rows = [c for c in in_a if c not in in_b]
    columns = [c for c in in_b if c not in in_a]
    order_a = [in_a.index(c) for c in (*both, *rows, *summed)]
    order_b = [in_b.index(c) for c in (*both, *summed, *columns)]
    made = [*both, *rows, *columns]
    return order_a, order_b, [made.index(c) for c in out], len(both), len(rows), len(summed)


def _diagonals_view(xp: Any, x: Any, labels: str) -> Any:
    unique = "".join(dict.fromkeys(labels))
    return xp.einsum(f"{labels}->{unique}", x)


@linear(x=lambda ct, x_shape, *, labels: put_diagonals(ct, labels=labels, shape=x_shape))
def take_diagonals(xp: Any, x: Any, *, labels: str) -> Any:
    """The diagonal of the axes that bear the same letter, at the place of the first of them."""
    return _diagonals_view(xp, x, labels)


@linear(x=lambda ct, *, labels, shape: take_diagonals(ct, labels=labels))
def put_diagonals(xp: Any, x: Any, *, labels: str, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with x on that diagonal: the transpose of `take_diagonals`."""
    out = xp.zeros(shape, dtype=x.dtype)
    _diagonals_view(xp, out, labels)[...] = x
    return out
