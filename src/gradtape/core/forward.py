"""Push tangents forward through one application of a primitive, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape.core.cotangents import matched, strong_product, widened
from gradtape.core.recorder import STATE, only
from gradtape.core.rules import shape_of
from gradtape.core.tape import Tape
from gradtape.core.tensor import Tensor, raw

if TYPE_CHECKING:
    from gradtape.core.primitive import Primitive


def push_forward(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any
) -> Any:
    """The tangent of `out` (a tuple where that is one), given one tangent or None per argument; None if none flows."""
    if primitive.jvp is None:
        return transposed(primitive, tangents, args, params, out)
    tangent = primitive.jvp(primitive, tangents, args, params, out, strong_product)
    if tangent is None or type(out) is tuple:
        return tangent
    return widened(tangent, shape_of(out))


def transposed(
    primitive: Primitive, tangents: list[Any], args: tuple[Any, ...], params: dict[str, Any], out: Any
) -> Any:
    """The jvp as the transpose of the vjp: the vjp is linear in its cotangent, so pull the tangents back through it.

    Recording the vjp at any cotangent (zero, here) and pulling a tangent back gives J dx (Townsend, "A new trick for
    calculating Jacobian vector products", 2017).
    """
    mask = sum(1 << i for i, tangent in enumerate(tangents) if tangent is not None)
    plan = primitive.plan(mask, len(args))
    if not plan.pulls:
        return None
    several = type(out) is tuple
    outs = out if several else (out,)
    dummies = tuple([Tensor(np.zeros(o._value.shape, o._value.dtype)[()]) for o in outs])
    tape = Tape()
    for dummy in dummies:
        tape.watch(dummy)
    saved = plan.collect(args, out) if plan.collect else args
    given = [t for t in tangents if t is not None]
    with only((*STATE.recorders, tape)):
        pulled = [pull(dummies if several else dummies[0], saved, params) for _, _, pull in plan.pulls]
        if plan.broadcasts:
            pulled = [matched(p, shape_of(args[i])) for p, (_, i, _) in zip(pulled, plan.pulls, strict=True)]
    seeds = [(p._id, given[k]) for p, (k, _, _) in zip(pulled, plan.pulls, strict=True) if type(p) is Tensor]
    found = tape.pull_back(seeds, {d._id for d in dummies}, False)
    result = tuple([_tensor(found.get(d._id)) for d in dummies])
    return result if several else result[0]


def _tensor(value: Any) -> Any:
    return None if value is None else value if type(value) is Tensor else Tensor(raw(value))
