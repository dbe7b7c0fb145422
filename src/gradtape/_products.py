"""Products of matrices and tensors."""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from gradtape._axes import alike, wholes
from gradtape.base import dtypes
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.cotangents import conj
from gradtape.core.tensor import Tensor
from gradtape.ops.einsum import einsum as contract_all
from gradtape.ops.linalg import contract
from gradtape.ops.operators import matrix_product
from gradtape.ops.shaping import cast, cast_discrete, mT, reshape


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices: the last two axes; leading axes broadcast.

    Args:
        a: shape `[..., m, k]`.
        b: shape `[..., k, n]`, of the same dtype.
        transpose_a: swap the last two axes of `a` first.
        transpose_b: swap the last two axes of `b` first.
        adjoint_a: swap them and take the complex conjugate.
        adjoint_b: swap them and take the complex conjugate.
        a_is_sparse: accepted, without effect, like `b_is_sparse`, `grad_a` and `grad_b`.
        output_type: the dtype of the result, by default that of the operands.

    Raises:
        InvalidArgumentError: if a rank is below 2, or sizes or dtypes do not fit.
        ValueError: if an operand is to be both transposed and adjoint.

    >>> import gradtape as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    if transpose_a and adjoint_a:
        raise _twice("a", transpose_a, adjoint_a)
    if transpose_b and adjoint_b:
        raise _twice("b", transpose_b, adjoint_b)
    if not (type(a) is type(b) is Tensor):
        a, b = alike([a, b], "MatMul", strict=False)
    a = _turned(a, 0, transpose_a, adjoint_a)
    b = _turned(b, 1, transpose_b, adjoint_b)
    product: Tensor = matrix_product(a, b)
    return product if output_type is None else _as(product, output_type)


def _twice(operand: str, transpose: bool, adjoint: bool) -> ValueError:
    return ValueError(
        f"Only one of `transpose_{operand}` and `adjoint_{operand}` can be True. Received "
        f"`transpose_{operand}`={transpose}, `adjoint_{operand}`={adjoint}."
    )


def _turned(x: Tensor, position: int, transpose: bool, adjoint: bool) -> Tensor:
    if not (transpose or adjoint):
        return x
    if x._value.ndim < 2:
        raise invalid(f"In[{position}] ndims must be >= 2: {x._value.ndim} [Op:MatMul]")
    turned: Tensor = mT(x)
    return conj(turned) if adjoint and x._value.dtype.kind == "c" else turned


def _as(x: Tensor, dtype: Any) -> Tensor:
    wanted = dtypes.as_dtype(dtype).numpy_dtype
    if x._value.dtype == wanted:
        return x
    return (cast if dtypes.is_differentiable(wanted) else cast_discrete)(x, dtype=wanted)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices with vectors; leading axes broadcast.

    Args:
        a: shape `[..., m, n]`.
        b: shape `[..., n]`, of the same dtype.
        transpose_a: swap the last two axes of `a` first.
        adjoint_a: swap them and take the complex conjugate.

    Raises:
        As `matmul`.

    >>> import gradtape as tf
    >>> tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0]).numpy()
    array([11.], dtype=float32)
    """
    a, b = alike([a, b], "MatMul")
    if not b._value.ndim:
        raise invalid("matvec: b must have at least one axis, got shape [] [Op:MatMul]")
    product = matmul(a, reshape(b, shape=(*b._value.shape, 1)), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return reshape(product, shape=product._value.shape[:-1])


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sum products over pairs of axes of two tensors.

    Args:
        a: a tensor.
        b: a tensor of the same dtype.
        axes: a number n, for the last n axes of `a` and the first n of `b`; or two lists of axes, one for each.

    Returns:
        The axes of `a` that are left, then those of `b`.

    Raises:
        ValueError: if `axes` is something else, or names an axis that does not exist.
        InvalidArgumentError: if sizes or dtypes do not fit.

    >>> import gradtape as tf
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1).numpy()
    np.float32(11.0)
    """
    x, y = alike([to_tensor(a, None, "a"), to_tensor(b, None, "b")], "MatMul")
    shape, other = x._value.shape, y._value.shape
    mine, theirs = _pairs(axes, len(shape), len(other))
    if any(shape[i] != other[j] for i, j in zip(mine, theirs, strict=True)):
        raise invalid(
            f"Matrix size-incompatible: In[0]: {list(shape)}, In[1]: {list(other)}, over the axes {list(mine)} and "
            f"{list(theirs)} [Op:MatMul]"
        )
    letters = iter(string.ascii_letters)
    labels = [next(letters) for _ in shape]
    matching = dict(zip(theirs, [labels[i] for i in mine], strict=True))
    others = [matching.get(j) or next(letters) for j in range(len(other))]
    out = [c for i, c in enumerate(labels) if i not in mine] + [c for j, c in enumerate(others) if j not in theirs]
    return contract(x, y, labels=("".join(labels), "".join(others), "".join(out)))


def _pairs(axes: Any, rank: int, other: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    axes = existing(axes)
    axes = axes.numpy() if isinstance(axes, Tensor) else axes
    if not hasattr(axes, "__len__"):
        [n] = wholes(axes, "axes")
        if n < 0:
            raise ValueError(f"`axes` must be at least 0. Received: axes={n}.")
        if n > min(rank, other):
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of a, {rank}, or b, {other}: {n}."
            )
        return tuple(range(rank - n, rank)), tuple(range(n))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received: axes={axes!r}.")
    mine, theirs = wholes(axes[0], "axes[0]"), wholes(axes[1], "axes[1]")
    if len(mine) != len(theirs):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(mine)} != {len(theirs)}.")
    return _inside(mine, rank, "a"), _inside(theirs, other, "b")


def _inside(axes: tuple[int, ...], rank: int, operand: str) -> tuple[int, ...]:
    for i in axes:
        if not -rank <= i < rank:
            raise ValueError(f"`axes` for `{operand}` must be in [{-rank}, {rank}). Received: {i}.")
    return tuple([i % rank for i in axes])


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sum products over the labels of axes that the result lacks (Einstein's summation).

    Args:
        equation: such as "ij,jk->ik": one letter per axis. `...` stands for axes that broadcast. Without `->`, the
            result has the letters that occur once, in alphabetical order. A letter twice in an operand is a diagonal.
        inputs: tensors of one dtype.
        kwargs: `optimize` and `name` are accepted, without effect.

    Raises:
        ValueError: if the equation is malformed or does not have one term per input.
        InvalidArgumentError: if a rank or a size does not fit.

    >>> import gradtape as tf
    >>> tf.einsum("ij,jk->ik", [[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    if unknown := set(kwargs) - {"optimize", "name"}:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(sorted(unknown))}. Valid ones: name, optimize."
        )
    if not isinstance(equation, str):
        raise ValueError(f"einsum: the equation must be a string, got {equation!r}.")
    xs = alike(inputs, "Einsum", strict=False)
    labels, output, dots = _labels(equation, tuple([x._value.ndim for x in xs]))
    _check_sizes(labels, xs, dots)
    return contract_all(xs, labels, output)


_ELLIPSIS = "".join(filter(str.isalpha, map(chr, range(0x100, 0x180))))
"""The letters that stand for the axes of an ellipsis."""


@lru_cache(maxsize=512)
def _labels(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str, str]:
    """One letter per axis of each input and of the output, and the letters that stand for the ellipsis."""
    terms, output = _terms(equation)
    if len(terms) != len(ranks):
        raise ValueError(f"Got {len(ranks)} arguments for equation {equation!r}, expecting {len(terms)}.")
    counts = [_ellipsis_rank(t, rank, i) for i, (t, rank) in enumerate(zip(terms, ranks, strict=True))]
    dots = _ELLIPSIS[: max(counts)]
    labels = tuple([t.replace("...", dots[len(dots) - n :]) for t, n in zip(terms, counts, strict=True)])
    if output is None:
        everything = "".join(terms).replace("...", "")
        output = "..." + "".join(sorted(c for c in set(everything) if everything.count(c) == 1))
    output = output.replace("...", dots)
    _check_output(output, labels, equation)
    return labels, output, dots


def _terms(equation: str) -> tuple[list[str], str | None]:
    """The terms of the inputs, and that of the output if there is one."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for term in [*terms, right]:
        bare = term.replace("...", "", 1)
        if not all(c in string.ascii_letters for c in bare):
            raise ValueError(f"einsum: {term!r} in the equation {equation!r} must be letters, with at most one '...'.")
    return terms, right if arrow else None


def _ellipsis_rank(term: str, rank: int, index: int) -> int:
    """How many axes the ellipsis stands for."""
    named = len(term.replace("...", ""))
    if (rank < named) if "..." in term else (rank != named):
        raise invalid(f"Expected input {index} to have rank {named} but got: {rank}, for the term {term!r} [Op:Einsum]")
    return rank - named


def _check_output(output: str, labels: Sequence[str], equation: str) -> None:
    known = set("".join(labels))
    for c in output:
        if c not in known:
            raise ValueError(f"einsum: the output of {equation!r} has the label {c!r}, which no input has.")
        if output.count(c) > 1:
            raise ValueError(f"einsum: the output of {equation!r} has the label {c!r} more than once.")


def _check_sizes(labels: Sequence[str], xs: list[Tensor], dots: str) -> None:
    """Check that a label has one size wherever it occurs; those of an ellipsis may also be 1."""
    sizes: dict[str, int] = {}
    for term, x in zip(labels, xs, strict=True):
        for axis, (c, n) in enumerate(zip(term, x._value.shape, strict=True)):
            known = sizes.setdefault(c, n)
            if known != n:
                if c not in dots or 1 not in (known, n):
                    raise invalid(
                        f"Expected dimension {known} at axis {axis} of the input shaped {list(x._value.shape)} but got "
                        f"dimension {n} [Op:Einsum]"
                    )
                sizes[c] = max(known, n)
