"""`OpCase`: one primitive at one point, and everything that must hold of it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradtape.core.forward import push_forward
from gradtape.core.indexed_slices import IndexedSlices, densified
from gradtape.core.primitive import Primitive
from gradtape.core.recorder import paused, pop, push
from gradtape.core.tape import Tape
from gradtape.core.tensor import Tensor, raw, wrap

TOLERANCE = {"float64": 1e-10, "float32": 2e-5, "complex128": 1e-10}
"""Relative tolerance of values and of identities that hold exactly, by dtype."""

DIFFERENCES = 2e-6
"""Relative tolerance of central differences in float64."""


@dataclass(frozen=True)
class OpCase:
    """A primitive, arguments in the right domain and away from ties, and a reference of its value.

    Attributes:
        op: the primitive.
        args: its arrays, in float64 where a gradient flows to them.
        params: its static parameters.
        reference: computes the value (or a tuple of values) independently from the arrays; None compares with the
            kernel on raw arrays, for kernels that are NumPy's own functions.
        live: the positions that a gradient flows to; by default the floating and complex arguments with a rule.
        orders: up to which order derivatives are checked.
        dtypes: the dtypes it is checked in.
        symmetric: whether the matrices, and directions in which they move, are symmetric.
        free: outputs whose derivative is not unique (the phase of eigenvectors) and so not checked.
        label: what tells cases of one primitive apart.
    """

    op: Primitive
    args: Sequence[Any]
    params: dict[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None
    live: tuple[int, ...] | None = None
    orders: int = 2
    dtypes: tuple[str, ...] = ("float64", "float32")
    symmetric: bool = False
    free: tuple[int, ...] = ()
    label: str = ""

    def __str__(self) -> str:
        return f"{self.op.__name__}{'-' + self.label if self.label else ''}"

    def positions(self) -> tuple[int, ...]:
        """The positions that a gradient flows to."""
        if self.live is not None:
            return self.live
        rules = [self.op.rules[self.op.names[0 if self.op.variadic else i]] for i in range(len(self.args))]
        return tuple(
            i
            for i, (a, rule) in enumerate(zip(self.args, rules, strict=True))
            if rule is not None and np.asarray(a).dtype.kind in "fc"
        )

    def arrays(self, dtype: str) -> list[Any]:
        """The arguments, the floating ones in this dtype."""
        return [
            np.asarray(a).astype(dtype)[()]
            if np.asarray(a).dtype.kind in "fc" and np.dtype(dtype).kind == np.asarray(a).dtype.kind
            else np.asarray(a)[()]
            for a in self.args
        ]


def outputs(value: Any) -> tuple[Any, ...]:
    return value if type(value) is tuple else (value,)


def random_like(rng: np.random.Generator, value: Any) -> Any:
    """A random array of the shape and dtype of a value; zero where no gradient flows."""
    value = np.asarray(value)
    if value.dtype.kind not in "fc":
        return None
    made = rng.normal(size=value.shape)
    if value.dtype.kind == "c":
        made = made + 1j * rng.normal(size=value.shape)
    return made.astype(value.dtype)[()]


def direction(case: OpCase, rng: np.random.Generator, value: Any) -> Any:
    """A direction in which an argument may move."""
    made = random_like(rng, value)
    return (made + np.swapaxes(made, -1, -2)) / 2 if case.symmetric else made


def inner(a: Any, b: Any) -> float:
    """The pairing that transposes preserve: the real part of the plain (not conjugated) product."""
    return float(np.sum(np.asarray(a) * np.asarray(b)).real)


def apply(case: OpCase, arrays: Sequence[Any]) -> tuple[Any, ...]:
    return outputs(case.op(*[wrap(np.array(a)) for a in arrays], **case.params))


def vjp(case: OpCase, arrays: Sequence[Any], cts: Sequence[Any], live: Sequence[int]) -> list[Any]:
    """The cotangents of the live arguments, dense and raw; None where unconnected."""
    tensors = [wrap(np.array(a)) for a in arrays]
    found, _ = pulled(case, tensors, [None if c is None else wrap(np.array(c)) for c in cts], live)
    return [None if f is None else raw(f) for f in found]


def pulled(case: OpCase, tensors: list[Tensor], cts: Sequence[Any], live: Sequence[int]) -> tuple[list[Any], Tape]:
    tape = Tape()
    for i in live:
        tape.watch(tensors[i])
    push(tape)
    try:
        out = outputs(case.op(*tensors, **case.params))
    finally:
        pop(tape)
    seeds = [(o._id, c) for o, c in zip(out, cts, strict=True) if c is not None]
    found = tape.pull_back(seeds, {tensors[i]._id for i in live}, False)
    return [_dense(found.get(tensors[i]._id)) for i in live], tape


def _dense(ct: Any) -> Any:
    return densified(ct) if type(ct) is IndexedSlices else ct


def jvp(case: OpCase, arrays: Sequence[Any], tangents: dict[int, Any]) -> list[Any]:
    """The tangents of the outputs, raw; None where nothing flows."""
    tensors = [wrap(np.array(a)) for a in arrays]
    out = case.op(*tensors, **case.params)
    moved = [wrap(np.array(tangents[i])) if i in tangents else None for i in range(len(arrays))]
    with paused():
        pushed = push_forward(case.op, moved, tuple(tensors), case.params, out)
    pushed = pushed if type(out) is tuple else (pushed,)
    if pushed is None:
        return [None for _ in outputs(out)]
    return [None if p is None else raw(p) for p in pushed]


def differences(
    f: Callable[[Sequence[Any]], Sequence[Any]], arrays: Sequence[Any], tangents: dict[int, Any]
) -> list[Any]:
    """Central differences of f along a direction, with the error of second order removed (Richardson)."""

    def along(h: float) -> list[Any]:
        ends = []
        for sign in (1, -1):
            moved = [a + sign * h * tangents[i] if i in tangents else a for i, a in enumerate(arrays)]
            ends.append(f(moved))
        return [None if p is None else (p - m) / (2 * h) for p, m in zip(*ends, strict=True)]

    h = 1e-4
    near, far = along(h), along(2 * h)
    return [None if n is None else (4 * n - w) / 3 for n, w in zip(near, far, strict=True)]


def values(case: OpCase) -> Callable[[Sequence[Any]], list[Any]]:
    """The op as a function of raw arrays, outputs without derivative as None."""

    def f(arrays: Sequence[Any]) -> list[Any]:
        made = enumerate(apply(case, arrays))
        return [np.asarray(o._value) if o._value.dtype.kind in "fc" and k not in case.free else None for k, o in made]

    return f


def assert_close(got: Any, want: Any, tolerance: float, what: str) -> None:
    scale = max(1.0, float(np.max(np.abs(np.asarray(want)), initial=0.0)))
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=tolerance, atol=tolerance * scale, err_msg=what)
