"""Derivatives that users write themselves, and derivatives that are recomputed instead of remembered."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.base import nest
from gradtape.base.dtypes import is_differentiable
from gradtape.core.batching import differs
from gradtape.core.cell import Cell
from gradtape.core.convert import existing, to_tensor
from gradtape.core.cotangents import broadcast_to, conj
from gradtape.core.effects import detached
from gradtape.core.primitive import NO_PARAMS, Primitive
from gradtape.core.recorder import STATE, only, pop, push
from gradtape.core.tensor import Tensor, raw, wrap
from gradtape.ops.selection import zeros_like
from gradtape.transforms.gradient_tape import GradientTape


class VariableWatcher:
    """A recorder that only notes which trainable variables are read."""

    def __init__(self) -> None:
        self.found: dict[int, Cell] = {}

    def record(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Ignore what is computed."""

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Note a variable."""
        if variable._trainable:
            self.found.setdefault(id(variable), variable)


class CustomCall:
    """One call of a function with a derivative of its own, as the tape sees a primitive."""

    broadcasts = False
    transparent = False
    jvp = None
    careful: Any = None

    def __init__(self, name: str, vjp: Callable[[tuple[Any, ...]], Sequence[Any]], inputs: tuple[Any, ...]) -> None:
        self.__name__ = name
        self.plans: dict[int, CustomCall] = {}
        self.pulls: Any = ()
        self.vjp = vjp
        self.inputs = inputs
        self.last: tuple[Any, Sequence[Any]] | None = None

    def plan(self, live: int, count: int) -> CustomCall:
        """Return itself, with a pull for each live argument."""
        positions = [i for i in range(count) if live >> i & 1]
        self.pulls = self.careful = tuple((k, i, self._pull(i)) for k, i in enumerate(positions))
        return self

    def pulls_with(self, product: Any) -> Any:
        """The same pulls: there is no product of the engine's in them."""
        return self.pulls

    def collect(self, args: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        """Save the outputs, for the zeros of those without a cotangent."""
        return out if type(out) is tuple else (out,)

    def unpack(self, saved: tuple[Any, ...]) -> list[Any]:
        """The raw values of what was saved."""
        return [s._value for s in saved]

    def _pull(self, position: int) -> Callable[[Any, Any, Any], Any]:
        last = position

        def pull(ct: Any, saved: Any, params: Any) -> Any:
            if self.last is None or self.last[0] is not ct:
                self.last = (ct, self._gradients(ct, saved))
            grads = self.last[1]
            if last == self.pulls[-1][1]:
                self.last = None
            return grads[position]

        return pull

    def _gradients(self, ct: Any, saved: Any) -> list[Any]:
        """Call the user's function with TensorFlow's gradients: Tensors, conjugated back, zeros where missing."""
        cts = ct if type(ct) is tuple else (ct,)
        traced = bool(STATE.recorders)
        given = [_conj(_tensor(zeros_like(s) if c is None else c)) for c, s in zip(cts, saved, strict=True)]
        grads = self.vjp(tuple(given))
        return [self._checked(g, i, traced) for i, g in enumerate(grads)]

    def _checked(self, grad: Any, position: int, traced: bool) -> Any:
        """One gradient that the user's function returned, fitted to its argument."""
        argument = self.inputs[position]
        if grad is None or type(argument) is not Tensor:
            return None
        found = existing(grad)
        found = (
            found
            if isinstance(found, Tensor)
            else to_tensor(found, argument.dtype, f"{self.__name__}: gradient {position}")
        )
        value, wanted = found._value, argument._value
        if value.dtype != wanted.dtype:
            raise ValueError(
                f"{self.__name__}: the gradient for argument {position} has dtype {found.dtype.name}, the argument has "
                f"dtype {argument.dtype.name}; they must be the same."
            )
        if value.shape != wanted.shape:
            if value.ndim:
                raise ValueError(
                    f"{self.__name__}: the gradient for argument {position} has shape {value.shape}, the argument has "
                    f"shape {wanted.shape}; they must be the same."
                )
            found = broadcast_to(found, shape=wanted.shape)
        found = _conj(found)
        return found if traced else raw(found)


def _tensor(value: Any) -> Tensor:
    return value if type(value) is Tensor else wrap(value)


def _conj(value: Tensor) -> Tensor:
    return conj(value) if value._value.dtype.kind == "c" else value


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorate a function that returns its value and the function of its gradient.

    The gradient function takes one upstream gradient per output and returns one gradient per positional argument (a
    single one need not be in a list; `None` means nothing flows). If the function reads trainable variables other than
    its arguments, the gradient function must accept `variables=` and return a second list with a gradient for each.
    It is differentiated in turn for higher orders. In forward mode its transpose is used.

    >>> import gradtape as tf
    >>> @tf.custom_gradient
    ... def double(x):
    ...     return 2 * x, lambda dy: dy * 100.0
    >>> x = tf.Variable(1.0)
    >>> with tf.GradientTape() as tape:
    ...     y = double(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(100.0)

    Raises:
        TypeError: if the function does not return a pair of a value and a callable, or reads variables that the
            gradient function cannot take.
        ValueError: when differentiating, if the number or shapes of the gradients do not fit.
    """
    return custom_gradient if f is None else Bind(f)


class Bind:
    """A function with a gradient of its own; as a method it is bound, so that the object is no argument of it."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        functools.update_wrapper(self, f)

    def __get__(self, instance: Any, owner: type | None = None) -> Bind:
        return self if instance is None else Bind(functools.partial(self._f, instance))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; tapes record its gradient in the place of what it does inside."""
        return _call(self._f, args, kwargs)


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if STATE.level is not None and STATE.level.heard:  # who listens outside would hear what f does inside
        raise differs("a custom gradient")
    name = getattr(f, "__name__", "custom_gradient")
    watcher = VariableWatcher()
    push(watcher)
    try:
        returned = f(*args, **kwargs)
    finally:
        pop(watcher)
    if not isinstance(returned, tuple | list) or len(returned) != 2 or not callable(returned[1]):
        raise TypeError(
            f"custom_gradient: {name} must return a pair (value, gradient function), got "
            f"{type(returned).__name__}: {returned!r}."
        )
    result, grad_fn = returned
    flat = nest.flatten(args)
    arguments = {id(_cell(a)) for a in flat}
    variables = [v for key, v in watcher.found.items() if key not in arguments]
    takes_variables = _takes_variables(grad_fn)
    if variables and not takes_variables:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{variables}"
        )
    outputs = tuple([detached(to_tensor(r)) for r in nest.flatten(result)])
    if STATE.recorders:
        inputs = tuple([_argument(a) for a in flat] + [v._read() for v in variables])
        vjp = functools.partial(_user_vjp, grad_fn, len(flat), variables)
        call = CustomCall(name, vjp, inputs)
        for recorder in STATE.recorders:
            recorder.record(call, inputs, NO_PARAMS, outputs)  # type: ignore[arg-type]
    return nest.pack_sequence_as(result, outputs) if nest.is_nested(result) else outputs[0]


def _cell(argument: Any) -> Any:
    return getattr(argument, "__gradtape_variable__", argument)


def _argument(argument: Any) -> Any:
    found = existing(argument)
    return found if isinstance(found, Tensor) else None


def _moves(argument: Any) -> bool:
    """Whether a gradient can flow to an argument."""
    found = _argument(argument)
    return found is not None and is_differentiable(found._value.dtype)


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _user_vjp(grad_fn: Callable[..., Any], count: int, variables: list[Any], cts: tuple[Any, ...]) -> Sequence[Any]:
    """The gradients for the flat arguments and then the variables, counted."""
    for_variables: Sequence[Any] = ()
    if variables:
        returned = _called(grad_fn, cts, variables=variables)
        if not isinstance(returned, tuple | list) or len(returned) != 2:
            raise TypeError(
                "custom_gradient: a grad_fn that takes variables must return a pair (gradients, gradients of "
                "variables), "
                f"got {returned!r}."
            )
        grads, for_variables = returned
        if not isinstance(for_variables, tuple | list):
            raise TypeError(
                "custom_gradient: the gradients of variables must be a list with one for each, got "
                f"{type(for_variables).__name__}."
            )
        if len(for_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn. "
                f"It returned {len(for_variables)} for the {len(variables)} variables "
                f"{[v.name for v in variables]}."
            )
    else:
        grads = _called(grad_fn, cts)
    flat = [grads] if not isinstance(grads, tuple | list) else nest.flatten(list(grads))
    if len(flat) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned {len(flat)} instead."
        )
    return [*flat, *for_variables]


def _called(grad_fn: Callable[..., Any], cts: tuple[Any, ...], **options: Any) -> Any:
    """Call the user's gradient function; if it cannot take that many gradients, say what it gets."""
    try:
        return grad_fn(*cts, **options)
    except TypeError as error:
        if not _fits(grad_fn, cts, options):
            raise TypeError(
                f"custom_gradient: the gradient function gets one gradient for each output, {len(cts)} here"
                f"{' and variables=' if options else ''}: {error}"
            ) from None
        raise


def _fits(grad_fn: Callable[..., Any], cts: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a function takes these arguments."""
    try:
        inspect.signature(grad_fn).bind(*cts, **options)
    except TypeError:
        return False
    except ValueError:  # a function without a signature
        pass
    return True


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` without memory: its inner values are dropped, and computed again when a gradient is asked for.

    Gradients for variables that `f` reads flow too, and to any order.

    >>> import gradtape as tf
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.recompute_grad(lambda x: x * x * x)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        def forgetful(*args: Any) -> Any:
            with only(tuple(r for r in STATE.recorders if isinstance(r, VariableWatcher))):
                result = f(*args, **kwargs)

            def grad(*cts: Any, variables: Sequence[Any] = ()) -> Any:
                inputs = [a for a in nest.flatten(args) if _moves(a)]
                with GradientTape(watch_accessed_variables=False) as tape:
                    tape.watch([*inputs, *variables])
                    again = f(*args, **kwargs)
                found = tape.gradient(again, [*inputs, *variables], output_gradients=list(cts))
                found_inputs = iter(found[: len(inputs)])
                slots = [next(found_inputs) if _moves(a) else None for a in nest.flatten(args)]
                return (slots, found[len(inputs) :]) if variables else slots

            return result, grad

        forgetful.__name__ = getattr(f, "__name__", "recompute_grad")
        return _call(forgetful, args, {})

    return decorated


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` with the gradient of the identity (the straight-through estimator).

    Its outputs must be as many as its arguments: the gradient of each output goes to the argument in its place. None
    flows to variables that `f` reads.

    Raises:
        ValueError: when differentiating, if the outputs are not as many as the arguments, or of other shapes.

    >>> import gradtape as tf
    >>> x = tf.Variable(1.3)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        def straight(*args: Any) -> Any:
            def grad(*cts: Any, variables: Sequence[Any] = ()) -> Any:
                return (cts, [None] * len(variables)) if variables else cts

            return f(*args, **kwargs), grad

        straight.__name__ = getattr(f, "__name__", "grad_pass_through")
        return _call(straight, args, {})

    return decorated


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Return the value, as a constant to every tape.

    >>> import gradtape as tf
    >>> tf.stop_gradient([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return detached(to_tensor(input, name="input"))
