"""`ForwardAccumulator`: forward-mode differentiation."""

from __future__ import annotations

from typing import Any, Self

from gradtape.base import dtypes, nest
from gradtape.core.cell import Cell
from gradtape.core.convert import to_tensor
from gradtape.core.forward import push_forward
from gradtape.core.primitive import Primitive
from gradtape.core.recorder import STATE, only, pop, push
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.selection import zeros_like
from gradtape.transforms.gradient_tape import UnconnectedGradients, warn_first


class ForwardAccumulator:
    """Push a tangent along with every computation: Jacobian-vector products without a tape.

    Accumulators and tapes nest either way, so forward-over-reverse gives Hessian-vector products.

    >>> import gradtape as tf
    >>> x = tf.constant(2.0)
    >>> with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(1.0)) as accumulator:
    ...     y = x * x * x
    >>> accumulator.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=12.0>

    Args:
        primals: a tensor, variable, or nested structure of them.
        tangents: the direction, of the same structure, shapes and dtypes.

    Raises:
        ValueError: if the structures or dtypes differ, or a primal is given twice.
        AttributeError: if a primal is no tensor or variable.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._recording = False
        self._tangents: dict[int, Tensor] = {}
        self._cells: dict[int, Tensor] = {}
        self._outer: tuple[Any, ...] = ()
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._watch(getattr(primal, "__gradtape_variable__", primal), tangent)

    def _watch(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, Tensor | Cell):
            raise AttributeError(
                f"ForwardAccumulator: a primal must be a tensor or a variable, got {primal!r}, which has no "
                "attribute 'dtype'."
            )
        value = primal._tensor if isinstance(primal, Cell) else primal
        if not value.dtype.is_floating:
            warn_first(5, "The dtype of the watched primal must be floating (e.g. tf.float32), got %r", value.dtype)
        direction = to_tensor(tangent, value.dtype, "tangents")
        if direction._value.shape != value._value.shape:
            raise ValueError(
                f"ForwardAccumulator: a tangent has shape {direction._value.shape}, its primal has shape "
                f"{value._value.shape}; they must be the same."
            )
        known, key = (self._cells, id(primal)) if isinstance(primal, Cell) else (self._tangents, primal._id)
        if key in known:
            raise ValueError(
                "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was intended, "
                "please sum the corresponding tangents."
            )
        if dtypes.is_differentiable(value._value.dtype):
            known[key] = direction

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._outer = STATE.recorders
        push(self)
        self._recording = True
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._recording:
            pop(self)
            self._recording = False

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Give the value of a watched variable its tangent."""
        tangent = self._cells.get(id(variable))
        if tangent is not None:
            self._tangents[tensor._id] = tangent

    def record(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Push the tangents of the arguments to the output; what that computes, only outer recorders hear of."""
        known = self._tangents
        tangents = [known.get(a._id) if type(a) is Tensor else None for a in args]
        if all(t is None for t in tangents):
            return
        outs = out if type(out) is tuple else (out,)
        if not any(dtypes.is_differentiable(o._value.dtype) for o in outs):
            return
        with only(self._outer):
            pushed = push_forward(primitive, tangents, args, params, out)
        if pushed is None:
            return
        for o, tangent in zip(outs, pushed if type(out) is tuple else (pushed,), strict=True):
            if tangent is not None:
                known[o._id] = tangent if type(tangent) is Tensor else wrap(tangent)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Return the tangent of each tensor or variable in `primals`, in the same structure.

        Raises:
            ValueError: for an unknown value of `unconnected_gradients`.
            AttributeError: for anything but tensors and variables.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        found = [self._tangent(p, zero) for p in nest.flatten(primals)]
        return nest.pack_sequence_as(primals, found) if nest.is_nested(primals) else found[0]

    def _tangent(self, primal: Any, zero: bool) -> Tensor | None:
        primal = getattr(primal, "__gradtape_variable__", primal)
        if isinstance(primal, Cell):
            found = self._cells.get(id(primal))
        elif isinstance(primal, Tensor):
            found = self._tangents.get(primal._id)
        else:
            raise AttributeError(
                f"{type(primal).__name__!r} object has no attribute '_id': jvp takes tensors and variables, got "
                f"{primal!r}."
            )
        if found is None and zero:
            return zeros_like(primal._tensor if isinstance(primal, Cell) else primal)
        return found
