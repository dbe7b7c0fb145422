"""`gradtape.testing`: check the derivatives of your own functions and custom gradients, of any order, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.base import dtypes, nest
from gradtape.core.cell import Cell
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.transforms.forward import ForwardAccumulator
from gradtape.transforms.gradient_tape import GradientTape, UnconnectedGradients

Array = np.ndarray[Any, Any]
Flat = Callable[[list[Any]], list[Tensor]]
"""A function of a list of tensors and variables that gives a list of floating or complex tensors."""

STEPS = {8: (2.0**-12, 1e-6), 4: (2.0**-6, 2e-3), 2: (2.0**-3, 1e-1)}
"""By bytes of a real number: the step that balances rounding against curvature, and the tolerance that it allows."""

MODES = ("fwd", "rev")
LOOKED_AT = 10_000
"""Up to how many elements the wrong one is searched for."""


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = MODES,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare the derivatives of `f` with finite differences, and raise an error that says which one is wrong.

    Each derivative is checked along one random direction, which costs a few calls of `f` whatever its size; the wrong
    element is searched for only if there is one. Orders above the first differentiate the derivative of each mode by
    each mode: forward over reverse and so on. Differences are central, without their error of second order.

    Args:
        f: takes the arguments, returns a tensor or a structure of them; must give the same values each time.
        args: a list or tuple with an argument each: values convertible to tensors, variables, or structures of these.
            Gradients are checked for floating and complex ones. `f` is given a variable as such, and its value is
            moved meanwhile. float64 allows far more exact checks than float32.
        order: up to which order derivatives are checked.
        modes: "fwd" for `ForwardAccumulator`, "rev" for `GradientTape`.
        atol: absolute tolerance; by default 1e-6 for float64, 2e-3 for float32 and 0.1 for half precision.
        rtol: relative tolerance; by default as `atol`.
        eps: the step of the differences; by default 2^-12 for float64, 2^-6 for float32 and 2^-3 for half precision.

    Raises:
        AssertionError: if a derivative differs; it names the argument, the element, and what was got and wanted: in
            reverse mode for the sum of the outputs times random weights, in forward mode for a random tangent.
        ValueError: if an argument of this function is wrong, if nothing can be differentiated, or if `f` gives
            different values for the same arguments.

    >>> import gradtape as tf
    >>> tf.testing.check_grads(lambda x, y: tf.sin(x) * y, [[1.0, 2.0], 3.0])
    >>> wrong = tf.custom_gradient(lambda x: (x**2, lambda dy: dy * x))
    >>> tf.testing.check_grads(wrong, [tf.constant([1.0, 2.0], tf.float64)], order=1, modes=["rev"])
    Traceback (most recent call last):
    AssertionError: check_grads: rev of f: the gradient for argument 0 is wrong at element ...: got ..., wanted ...
    """
    if not isinstance(args, list | tuple):
        raise ValueError(f"check_grads: `args` must be a list or tuple of the arguments of f, got {type(args)}.")
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"check_grads: `order` must be an integer of at least 1, got {order!r}.")
    if isinstance(modes, str) or not modes or not set(modes) <= set(MODES):
        raise ValueError(f"check_grads: `modes` must be a list with some of 'fwd' and 'rev', got {modes!r}.")
    point = _Point(args)
    try:
        _Checker(point, modes, atol, rtol, eps).check(point.flattened(f), order, "f")
    finally:
        point.at({}, 0.0)


class _Point:
    """The arguments at which derivatives are checked, flat, and the values near by."""

    def __init__(self, args: Sequence[Any]) -> None:
        self.structure = [to_tensor(a, name=f"args[{i}]") if _is_value(a) else a for i, a in enumerate(args)]
        leaves = [(f"argument {i}", arg, nest.flatten(arg)) for i, arg in enumerate(self.structure)]
        self.flat = [
            leaf if _cell(leaf) is not None else to_tensor(leaf, name=label)
            for label, _, flat in leaves
            for leaf in flat
        ]
        self.labels = [
            label + (f", tensor {k} of it," if nest.is_nested(arg) else "")
            for label, arg, flat in leaves
            for k in range(len(flat))
        ]
        self.origins = [np.array((a if _cell(a) is None else _cell(a)._tensor)._value) for a in self.flat]
        self.moving = [i for i, origin in enumerate(self.origins) if dtypes.is_differentiable(origin.dtype)]
        if not self.moving:
            raise ValueError(
                f"check_grads: no argument is floating or complex, got dtypes {[o.dtype.name for o in self.origins]}."
            )

    def flattened(self, f: Callable[..., Any]) -> Flat:
        """`f` as a function of the flat arguments that gives its differentiable outputs."""

        def flat(xs: list[Any]) -> list[Tensor]:
            outputs = [to_tensor(o) for o in nest.flatten(f(*nest.pack_sequence_as(self.structure, xs)))]
            found = [o for o in outputs if dtypes.is_differentiable(o._value.dtype)]
            if not found:
                raise ValueError(
                    f"check_grads: no output of f is floating or complex, got dtypes {[o.dtype.name for o in outputs]}."
                )
            return found

        return flat

    def at(self, directions: dict[int, Array], distance: float) -> list[Any]:
        """The arguments this far in these directions; variables hold the values from now on."""
        return [
            self._set(argument, origin + distance * directions[i] if i in directions else origin, origin.dtype)
            for i, (argument, origin) in enumerate(zip(self.flat, self.origins, strict=True))
        ]

    @staticmethod
    def _set(argument: Any, value: Array, dtype: np.dtype[Any]) -> Any:
        tensor = wrap(value.astype(dtype)[()])
        if _cell(argument) is None:
            return tensor
        _cell(argument).assign(tensor)
        return argument


class _Checker:
    """Compares the derivatives of functions at one point with their differences."""

    def __init__(
        self, point: _Point, modes: Sequence[str], atol: float | None, rtol: float | None, eps: float | None
    ) -> None:
        self.point, self.modes = point, modes
        self.atol, self.rtol, self.eps = atol, rtol, eps
        self.random = np.random.default_rng(0)

    def check(self, f: Flat, order: int, name: str) -> None:
        """Check the derivatives of f, and then those of its derivatives."""
        point = self.point
        outputs = _wide(f(point.at({}, 0.0)))
        if not all(map(_same, outputs, _wide(f(point.at({}, 0.0))))):
            raise ValueError(f"check_grads: {name} gives different values for the same arguments.")
        directions = {i: self._direction(point.origins[i]) for i in point.moving}
        weights = [self._direction(o._value) for o in f(point.at({}, 0.0))]
        for mode in self.modes:
            derivative = _forward(f, point.moving, directions) if mode == "fwd" else _reverse(f, point.moving, weights)
            check = self._check_forward if mode == "fwd" else self._check_reverse
            check(f, derivative, directions, weights, f"{mode} of {name}")
            if order > 1:
                self.check(derivative, order - 1, f"{mode} of {name}")

    def _direction(self, like: Any) -> Array:
        made = self.random.normal(size=like.shape)
        made = made + 1j * self.random.normal(size=like.shape) if like.dtype.kind == "c" else made
        return np.asarray(made).astype(like.dtype)

    def _slope(self, f: Flat, directions: dict[int, Array]) -> tuple[list[Array], float, float]:
        """The derivative of f by differences, and the absolute and relative tolerance for it."""
        point = self.point
        dtypes_met = [point.origins[i].dtype for i in point.moving] + [o._value.dtype for o in f(point.at({}, 0.0))]
        step, tolerance = STEPS[min(d.itemsize // (2 if d.kind == "c" else 1) for d in dtypes_met)]
        step = self.eps or step
        ends = {k: _wide(f(point.at(directions, k * step))) for k in (-2, -1, 1, 2)}
        slopes = [
            (8 * (b - a) - (d - c)) / (12 * step) for a, b, c, d in zip(*(ends[k] for k in (-1, 1, -2, 2)), strict=True)
        ]
        point.at({}, 0.0)
        return slopes, tolerance if self.atol is None else self.atol, tolerance if self.rtol is None else self.rtol

    def _check_reverse(
        self, f: Flat, derivative: Flat, directions: dict[int, Array], weights: list[Array], name: str
    ) -> None:
        moving = self.point.moving
        grads = dict(zip(moving, _wide(derivative(self.point.at({}, 0.0))), strict=True))

        def compared(along: dict[int, Array]) -> tuple[float, float, float]:
            """What the gradient says, what differences say, and by how much more than allowed they differ."""
            slopes, atol, rtol = self._slope(f, along)
            got = sum(_inner(grads[i], d) for i, d in along.items())
            want = sum(_inner(w, s) for w, s in zip(weights, slopes, strict=True))
            size = max(abs(want), *(float(np.linalg.norm(np.ravel(grads[i] * d))) for i, d in along.items()))
            return got, want, _excess(got, want, atol + rtol * size)

        got, want, excess = compared(directions)
        if excess <= 0:
            return
        sized = sum(self.point.origins[i].size for i in moving)
        found = []
        for i in moving if sized <= LOOKED_AT else []:
            for index, unit in _units(self.point.origins[i]):
                g, w, e = compared({i: unit})
                found.append((e, self.point.labels[i], index, g, w))
        worst = max(found, default=(0.0, "", (), 0.0, 0.0), key=lambda one: one[0])
        if worst[0] <= 0:
            raise AssertionError(
                f"check_grads: {name}: the gradient is wrong along a random direction: got {got:.6}, wanted {want:.6}"
            )
        _, label, index, g, w = worst
        raise AssertionError(
            f"check_grads: {name}: the gradient for {label} is wrong at element {list(index)}: got {g:.6}, "
            f"wanted {w:.6}"
        )

    def _check_forward(
        self, f: Flat, derivative: Flat, directions: dict[int, Array], weights: list[Array], name: str
    ) -> None:
        here = self.point.at({}, 0.0)
        together = self._worst(f, _wide(derivative(here)), directions)
        if together[0] <= 0:
            return
        alone = []
        for i in self.point.moving:
            along = {i: directions[i]}
            tangents = _wide(_forward(f, [i], along)(self.point.at({}, 0.0)))
            alone.append((*self._worst(f, tangents, along), self.point.labels[i]))
        _, output, index, got, want, label = max(alone, key=lambda one: one[0])
        if not any(one[0] > 0 for one in alone):
            _, output, index, got, want = together
            label = "all arguments together"
        raise AssertionError(
            f"check_grads: {name}: the tangent for {label} is wrong at element {list(index)} of output {output}: "
            f"got {got:.6}, wanted {want:.6}"
        )

    def _worst(self, f: Flat, tangents: list[Array], directions: dict[int, Array]) -> tuple[float, int, Any, Any, Any]:
        """The element of the outputs whose tangent differs most: excess, output, index, got and wanted."""
        slopes, atol, rtol = self._slope(f, directions)
        found: list[tuple[float, int, Any, Any, Any]] = []
        for k, (got, want) in enumerate(zip(tangents, slopes, strict=True)):
            if want.size:
                excess = _excess(got, want, atol + rtol * np.max(np.abs(want)))
                index = np.unravel_index(np.argmax(excess), want.shape)
                found.append((float(excess[index]), k, tuple(map(int, index)), got[index], want[index]))
        return max(found, default=(0.0, 0, (), 0.0, 0.0), key=lambda one: one[0])


def _reverse(f: Flat, moving: list[int], weights: list[Array]) -> Flat:
    """The gradients of the outputs of f with these weights."""

    def gradients(xs: list[Any]) -> list[Tensor]:
        sources = [xs[i] for i in moving]
        with GradientTape() as tape:
            tape.watch(sources)
            outputs = f(xs)
        seeds = [wrap(w[()]) for w in weights]
        zero = UnconnectedGradients.ZERO
        return [
            to_tensor(g) for g in tape.gradient(outputs, sources, output_gradients=seeds, unconnected_gradients=zero)
        ]

    return gradients


def _forward(f: Flat, moving: list[int], directions: dict[int, Array]) -> Flat:
    """The tangents of the outputs of f when the arguments move in these directions."""

    def tangents(xs: list[Any]) -> list[Tensor]:
        primals = [xs[i] for i in moving]
        with ForwardAccumulator(primals, [wrap(directions[i][()]) for i in moving]) as accumulator:
            outputs = f(xs)
        return [to_tensor(t) for t in accumulator.jvp(outputs, unconnected_gradients=UnconnectedGradients.ZERO)]

    return tangents


def _is_value(arg: Any) -> bool:
    """Whether an argument is one value: lists are structures only if there is more than numbers in them."""
    return not (nest.is_nested(arg) or _cell(arg) is not None) or (
        isinstance(arg, list | tuple) and all(isinstance(a, int | float | complex) for a in nest.flatten(arg))
    )


def _cell(argument: Any) -> Any:
    """The variable that an argument is, or None."""
    found = getattr(argument, "__gradtape_variable__", argument)
    return found if isinstance(found, Cell) else None


def _wide(tensors: Sequence[Tensor]) -> list[Array]:
    """The values in double precision, to compute with."""
    return [np.asarray(t._value).astype(np.complex128 if t.dtype.is_complex else np.float64) for t in tensors]


def _same(a: Array, b: Array) -> bool:
    return np.array_equal(a, b, equal_nan=True)


def _inner(a: Array, b: Array) -> float:
    """How far the gradient a says that the loss moves in the direction b."""
    return float(np.sum((np.conj(a) * b).real))


def _excess(got: Any, want: Any, allowed: Any) -> Any:
    """By how much more than allowed two numbers differ; infinitely if only one of them is no number."""
    return np.nan_to_num(np.abs(got - want) - allowed, nan=np.inf)


def _units(origin: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Each element's index, and the direction in which it alone moves: complex ones also in the imaginary."""
    for index in np.ndindex(origin.shape):
        for unit in (1, 1j) if origin.dtype.kind == "c" else (1,):
            direction = np.zeros_like(origin)
            direction[index] = unit
            yield index, direction


__all__ = ["check_grads"]
