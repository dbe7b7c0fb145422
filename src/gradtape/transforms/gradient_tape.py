"""`GradientTape`: record what is computed, then differentiate it."""

from __future__ import annotations

import enum
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from gradtape.base import dtypes, nest
from gradtape.base.dtypes import is_differentiable
from gradtape.base.errors import InvalidArgumentError
from gradtape.core.cell import Cell
from gradtape.core.convert import densified_tensor, to_tensor
from gradtape.core.cotangents import conj
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.recorder import pop, push
from gradtape.core.tape import WATCHED, Tape
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.shaping import broadcast_to, reshape
from gradtape.transforms import jacobians
from gradtape.transforms.results import ONE, summed

logger = logging.getLogger("gradtape")

DTYPE_NUMBERS = range(1, 32)
"""What TensorFlow takes for a dtype where it wants a tensor, so that the class of its error is another."""


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` gives for a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


class VariableTape(Tape):
    """A tape that also watches variables: which were read, and the ids of the values they had."""

    __slots__ = ("explicit", "reads", "watch_accessed")

    def __init__(self, watch_accessed: bool) -> None:
        super().__init__()
        self.watch_accessed = watch_accessed
        self.reads: dict[int, tuple[Cell, list[int]]] = {}
        self.explicit: frozenset[int] = frozenset()

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Watch the value that a variable has now, if it is trainable or was watched itself."""
        key, made = id(variable), tensor._id
        known = self.reads.get(key)
        if known is None:
            if not (self.watch_accessed and variable._trainable) and key not in self.explicit:
                return
            self.reads[key] = (variable, [made])
        elif known[1][-1] == made or (made in self.live and made in known[1]):  # as a value given back
            return
        else:
            known[1].append(made)
        if made not in self.live and is_differentiable(tensor._value.dtype):
            self.live[made] = WATCHED
            self.watched.add(made)

    def watch_variable(self, variable: Cell) -> None:
        """Watch a variable, whatever it says of itself."""
        variable = variable._cell
        self.explicit |= {id(variable)}
        self.read(variable, variable._peek())

    def ids(self, source: Tensor | Cell) -> Sequence[int]:
        """The ids a source goes by: a variable has one per value that was read."""
        if type(source) is Tensor:
            return (source._id,)
        known = self.reads.get(id(source._cell))
        return () if known is None else known[1]

    def target_id(self, target: Tensor | Cell) -> int:
        """The id of a target: of a variable, that of the value read last, which this is if there was none."""
        if isinstance(target, Tensor):
            return target._id
        cell = target._cell
        return self.reads.setdefault(id(cell), (cell, [cell._tensor._id]))[1][-1]


class GradientTape:
    """Record operations for automatic differentiation.

    Reads of trainable variables are watched by themselves; other tensors with `watch`. A tape gives one set of
    gradients, or as many as asked if it is `persistent`. Tapes nest to any depth, and may be left in any order.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    __slots__ = ("__weakref__", "_persistent", "_reads", "_recording", "_tape", "_watch_accessed_variables")

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._tape: VariableTape | None = None
        self._reads: dict[int, tuple[Cell, list[int]]] = {}  # of the tape, for when that is used up
        self._recording = False

    # The context.

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._tape is None:
            self._tape = VariableTape(self._watch_accessed_variables)
            self._reads = self._tape.reads
        push(self._tape)
        self._recording = True
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if self._recording:
            pop(self._tape)  # type: ignore[arg-type]
            self._recording = False

    def _stop(self) -> None:
        pop(self._tape)  # type: ignore[arg-type]
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Record what is computed from a tensor, variable, or nested structure of them, from now on.

        Raises:
            ValueError: if there is anything else in it.
            AttributeError: if the tape has never been entered.
        """
        for item in nest.flatten(tensor):
            found = _source(item)
            if isinstance(found, IndexedSlices):
                found = found.values
            if not isinstance(found, Tensor | Cell):
                raise ValueError(
                    f"Passed in object {item} of type {type(item).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType."
                )
            if self._tape is None:
                raise AttributeError(
                    "watch: this tape is not recording; use it inside `with tf.GradientTape() as tape:`."
                )
            value = found._tensor if isinstance(found, Cell) else found
            _warn_unless_differentiable(value)
            if isinstance(found, Cell):
                self._tape.watch_variable(found)
            elif is_differentiable(value._value.dtype):
                self._tape.watch(value)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing within this block.

        Raises:
            RuntimeError: if the tape has never been entered.
            ValueError: if it is not recording now.
        """
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._resume()

    def _resume(self) -> None:
        """Go on recording, unless the tape was used up or entered again."""
        if self._tape is not None and not self._recording:
            push(self._tape)
            self._recording = True

    def reset(self) -> None:
        """Forget everything recorded and watched so far; also after the block, to free what a persistent tape holds.

        Raises:
            ValueError: if the tape has never been entered.
        """
        if self._tape is None:
            raise ValueError("Tape is not recording.")
        recording = self._recording
        if recording:
            self._stop()
        self._tape = VariableTape(self._watch_accessed_variables)
        self._reads = self._tape.reads
        if recording:
            push(self._tape)
            self._recording = True

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the variables read or watched, in the order in which they were made."""
        return tuple(sorted([v for v, _ in self._reads.values()], key=lambda v: v._order))

    # Derivatives.

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the gradient of the sum of the targets with respect to each source.

        Args:
            target: a tensor, variable, or nested structure of them, to differentiate.
            sources: a tensor, variable, or nested structure of them; the result has the same structure.
            output_gradients: one weight per target, of its shape; `None` entries and missing ones count as ones.
            unconnected_gradients: `"none"` or `"zero"`, for sources that no target depends on.

        Returns:
            A tensor of each source's shape and dtype, `IndexedSlices` for gathered rows, or None if unconnected.
            For complex values it is the conjugate of the derivative, as TensorFlow has it.

        Raises:
            RuntimeError: on the second call, unless the tape is persistent.
            TypeError, AttributeError: if a target or source is no tensor or variable.
            ValueError: for an unknown value of `unconnected_gradients`.
            InvalidArgumentError: if a weight does not fit its target.
        """
        tape = self._tape
        if tape is None:
            raise _no_tape()
        zero = unconnected_gradients is not UnconnectedGradients.NONE and _is_zero(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be "
                "differentiated, but received None."
            )
        targets = [target] if type(target) is Tensor else list(map(self._target, nest.flatten(target)))
        flat = _is_flat(sources)
        found_sources = sources if flat else [_differentiable(s, "source") for s in nest.flatten(sources)]
        weights = _weights(targets, output_gradients)
        if self._recording:
            self._leave_or_warn()
        seeds = [(tape.target_id(t), w) for t, w in zip(targets, weights, strict=True) if w is not None]
        ids = list(map(tape.ids, found_sources))
        found = tape.pull_back(seeds, set().union(*ids), self._persistent)
        results = [summed(found, of_one) for of_one in ids]
        if not self._persistent:
            self._tape = None
        if zero:
            results = [_zeros(s) if r is None else r for r, s in zip(results, found_sources, strict=True)]
        if flat:
            return results if type(sources) is list else tuple(results)
        return nest.pack_sequence_as(sources, results) if nest.is_nested(sources) else results[0]

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
        *,
        chunk: int | None = None,
    ) -> Any:
        """Return the derivative of each element of `target` with respect to each source, all in one walk back.

        Args:
            target: one tensor, of any shape.
            sources: as in `gradient`.
            unconnected_gradients: as in `gradient`.
            parallel_iterations: accepted, and makes no difference.
            experimental_use_pfor: whether to pull all rows back at once. False takes one after the other.
            chunk: how many rows to pull back at once, to bound memory; all of them unless given.

        Returns:
            Tensors of shape target.shape + source.shape, in the structure of `sources`.

        Raises:
            AttributeError: if `target` is not one tensor.
            RuntimeError, TypeError, ValueError: as `gradient` does; also for a `chunk` that is not positive.
        """
        tape = self._tape
        if tape is None:
            raise _no_tape()
        zero = _is_zero(unconnected_gradients)
        target = self._dense(target)
        value = _single(target)
        flat = [_differentiable(s, "source") for s in nest.flatten(sources)]
        rows = jacobians.rows_at_once(value.size, chunk, experimental_use_pfor)
        if self._recording:
            self._leave_or_warn()
        start = tape.target_id(_differentiable(target, "target"))
        found = jacobians.full(tape, start, value, [tape.ids(s) for s in flat], rows)
        if not self._persistent:
            self._tape = None
        results = [_shaped(rows, value, s, zero) for rows, s in zip(found, flat, strict=True)]
        return nest.pack_sequence_as(sources, results) if nest.is_nested(sources) else results[0]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
        *,
        chunk: int | None = None,
    ) -> Tensor:
        """Return the Jacobian of each row of `target` with respect to the same row of `source`.

        For shapes [b, ...target] and [b, ...source] the result has shape [b, ...target, ...source]; what crosses
        rows is summed, as in TensorFlow. An unconnected source gives zeros. The other arguments are as in `jacobian`.

        Raises:
            AttributeError: if `target` or `source` is not one tensor.
            ValueError: if a rank is below 2 or the first sizes differ.
        """
        target = self._dense(target)
        value, origin = _single(target), _single(source)
        if not value.shape:
            raise IndexError("batch_jacobian: the target is a scalar, it needs a batch axis first.")
        if value.shape[0:1] != origin.shape[0:1] and len(value.shape) > 1 and len(origin.shape) > 1:
            raise ValueError(
                f"Need first dimension of target shape ({value.shape}) and source shape ({origin.shape}) to match."
            )
        for shape in (value.shape, origin.shape):
            if len(shape) < 2:
                raise ValueError(f"Shape {shape} must have rank at least 2")
        tape = self._tape
        if tape is None:
            raise _no_tape()
        _is_zero(unconnected_gradients)
        of = _differentiable(source, "source")
        rows = jacobians.rows_at_once(value[0].size if len(value) else 0, chunk, experimental_use_pfor)
        if self._recording:
            self._leave_or_warn()
        start = tape.target_id(_differentiable(target, "target"))
        found = jacobians.per_example(tape, start, value, tape.ids(of), rows)
        if not self._persistent:
            self._tape = None
        shape = value.shape + origin.shape[1:]
        if found is None:
            return wrap(np.zeros(shape, dtype=origin.dtype))
        result: Tensor = reshape(found, shape=shape)
        return result

    # Helpers.

    def _target(self, item: Any) -> Any:
        return _differentiable(self._dense(item), "target")

    def _dense(self, target: Any) -> Any:
        """A target that is rows as a tensor, which the tape sees: the rows may be what it recorded."""
        if not isinstance(target, IndexedSlices) or self._tape is None:
            return target
        if self._recording:
            return densified_tensor(target)
        push(self._tape)
        try:
            return densified_tensor(target)
        finally:
            pop(self._tape)

    def _leave_or_warn(self) -> None:
        """A one-shot tape stops recording for good; a persistent one records its own gradient, which costs."""
        if not self._persistent:
            self._stop()
        else:
            warn_first(
                1,
                "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                "than calling it outside the context (it causes the gradient ops to be recorded on the tape, "
                "leading to "
                "increased CPU and memory usage). Only call GradientTape.gradient inside the context if you actually "
                "want to trace the gradient in order to compute higher order derivatives.",
            )


def _no_tape() -> RuntimeError:
    return RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")


def _source(item: Any) -> Any:
    """The Tensor or cell that a source stands for; a variable of Keras stands for the cell in it."""
    if type(item) is Tensor or isinstance(item, Cell):
        return item
    return getattr(item, "__gradtape_variable__", item)


def _is_flat(sources: Any) -> bool:
    """Whether this is a list or tuple of tensors and variables, the most frequent case."""
    if type(sources) is not list and type(sources) is not tuple:
        return False
    for source in sources:  # noqa: SIM110  all() of a generator takes twice as long
        if type(source) is not Tensor and not isinstance(source, Cell):
            return False
    return True


def _differentiable(item: Any, role: str) -> Any:
    """A source or target as a Tensor or cell, or TensorFlow's error for anything else."""
    found = _source(item)
    if type(found) is Tensor or isinstance(found, Cell):
        return found
    if isinstance(found, IndexedSlices):
        return found.values
    wanted = f"a {role} of a gradient must be a tensor or a variable, got {found!r}."
    if isinstance(found, np.ndarray | np.generic | type) or (isinstance(found, int | float) and found in DTYPE_NUMBERS):
        raise AttributeError(f"{type(found).__name__!r} object has no attribute '_id': {wanted}")
    raise TypeError(f"Cannot convert the argument `type_value`: {found!r} to a TensorFlow DType; {wanted}")


def _is_zero(unconnected_gradients: Any) -> bool:
    if unconnected_gradients is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}") from None


_given: Counter[str] = Counter()
"""How often each warning was given."""


def warn_first(count: int, text: str, *args: Any) -> None:
    """Warn with this text, the first times only, as it may come from a loop."""
    _given[text] += 1
    if _given[text] <= count:
        logger.warning(text, *args)


def _warn_unless_differentiable(tensor: Tensor) -> None:
    if not is_differentiable(tensor._value.dtype):
        warn_first(5, "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", tensor.dtype)


def _weights(targets: list[Any], output_gradients: Any) -> list[Any]:
    """The conjugated cotangent of each target; None for a target that is not differentiable."""
    if output_gradients is None:
        return [_weight(t, None) for t in targets]
    given = nest.flatten(output_gradients)
    given += [None] * (len(targets) - len(given))
    return [_weight(t, w) for t, w in zip(targets, given, strict=False)]


def _weight(target: Any, weight: Any) -> Any:
    value = target._value if type(target) is Tensor else target._tensor._value
    if weight is None and type(value) in ONE:
        return ONE[type(value)]
    if not is_differentiable(value.dtype):
        return None
    if weight is None:
        return np.ones(value.shape, dtype=value.dtype)[()]
    found = weight if isinstance(weight, Tensor) else to_tensor(weight, name="output_gradients")
    if found._value.dtype != value.dtype:
        raise _bad_weight(f"dtype {found.dtype.name}", f"dtype {dtypes.from_numpy(value.dtype).name}")
    if found._value.shape != value.shape:
        if found._value.ndim:
            raise _bad_weight(f"shape {found._value.shape}", f"shape {value.shape}")
        found = broadcast_to(found, shape=value.shape)
    return conj(found) if value.dtype.kind == "c" else found


def _bad_weight(got: str, wants: str) -> Exception:
    return InvalidArgumentError(
        None, None, f"output_gradients: an entry has {got}, but its target has {wants}; they must be the same."
    )


def _zeros(source: Any) -> Tensor:
    value = source._tensor._value if isinstance(source, Cell) else source._value
    if value.dtype.char == "O":
        return wrap(np.full(value.shape, b"", dtype=object))
    return wrap(np.zeros(value.shape, dtype=value.dtype))


def _single(item: Any) -> Any:
    """The value of the one tensor that Jacobians take."""
    found = _source(item)
    if isinstance(found, Cell):
        return found._tensor._value
    if isinstance(found, Tensor):
        return found._value
    raise AttributeError(
        f"{type(item).__name__!r} object has no attribute 'shape': a Jacobian needs one tensor, got {item!r}."
    )


def _shaped(rows: Tensor | None, value: Any, source: Any, zero: bool) -> Any:
    """A Jacobian from its rows, or None (or zeros) if the source is unconnected."""
    origin = source._tensor._value if isinstance(source, Cell) else source._value
    shape = value.shape + origin.shape
    if rows is not None:
        return reshape(rows, shape=shape)
    if zero or (not value.size and is_differentiable(value.dtype)):
        return wrap(np.zeros(shape, dtype=origin.dtype))
    return None
