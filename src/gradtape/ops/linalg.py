"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

from gradtape.core.cotangents import matched
from gradtape.core.kinds import bilinear, primitive
from gradtape.ops.shaping import mT, transpose


@bilinear(
    a=lambda ct, b, a_shape: matched(matmul(ct, mT(b)), a_shape),
    b=lambda ct, a, b_shape: matched(matmul(mT(a), ct), b_shape),
)
def matmul(xp: Any, a: Any, b: Any) -> Any:
    """Matrix product over the last two axes; leading axes broadcast."""
    return xp.matmul(a, b)


def _split_spec(equation: str) -> tuple[list[str], str]:
    inputs, output = equation.split("->")
    return inputs.split(","), output


def _einsum_vjp(ct: Any, index: int, xs: tuple[Any, ...], xs_shapes: tuple[tuple[int, ...], ...], *, equation: str) -> Any:
    """Swap the output with the operand; labels that only the operand has are broadcast back."""
    inputs, output = _split_spec(equation)
    mine = inputs[index]
    others = [x for i, x in enumerate(xs) if i != index]
    specs = [output, *(s for i, s in enumerate(inputs) if i != index)]
    shape = xs_shapes[index]
    available = set("".join(specs))
    reachable = "".join(c for c in dict.fromkeys(mine) if c in available)
    pulled = einsum(ct, *others, equation=f"{','.join(specs)}->{reachable}")
    return _spread(pulled, reachable, mine, shape)


def _spread(x: Any, labels: str, wanted: str, shape: tuple[int, ...]) -> Any:
    """Give x the axes `wanted`: missing ones by repetition, a label that occurs twice on the diagonal."""
    unique = "".join(dict.fromkeys(wanted))
    sizes = dict(zip(wanted, shape, strict=True))
    for i, label in enumerate(unique):
        if label not in labels:
            x = expand_to(x, axis=i if i <= len(labels) else len(labels), size=sizes[label])
            labels = labels[:i] + label + labels[i:]
    x = transpose(x, perm=tuple(labels.index(c) for c in unique))
    return x if unique == wanted else on_diagonal(x, labels=unique, wanted=wanted)


@primitive(xs=_einsum_vjp)
def einsum(xp: Any, *xs: Any, equation: str) -> Any:
    """Sum of products over the labels that the output lacks; the equation has an explicit output and no ellipsis."""
    return xp.einsum(equation, *xs, optimize=len(xs) > 2 or "->" in equation)
