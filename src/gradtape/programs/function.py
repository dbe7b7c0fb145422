"""`function`: TensorFlow's decorator. The first call of a signature is captured, later ones replay the program."""

from __future__ import annotations

import copy
import functools
import inspect
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor
from gradtape.programs.arguments import fitted, positional
from gradtape.programs.capture import Recording, capturing
from gradtape.programs.concrete import ConcreteFunction
from gradtape.programs.emit import GuardFailed
from gradtape.programs.explain import complaint_of, described, explained, reason_of
from gradtape.programs.journal import Journal
from gradtape.programs.method import BoundFunction
from gradtape.programs.outputs import Structure
from gradtape.programs.paths import Entry, Path
from gradtape.programs.program import Program
from gradtape.programs.retell import retell
from gradtape.programs.signature import Signature

SINGLETONS = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables "
    "for more information."
)

MOST_PATHS = 16
"""How many paths through a function are captured for one signature before it runs eagerly."""


NO_JOURNAL = Journal()
"""For programs that neither draw nor call anything, and print nothing."""


class Switch:
    """Whether functions run eagerly, as `tf.config.run_functions_eagerly` says."""

    eagerly = False


class Function:
    """A function decorated with `function`; `python_function` is the one underneath."""

    def __init__(
        self, python_function: Callable[..., Any], input_signature: Sequence[Any] | None = None, **options: Any
    ) -> None:
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._options = options
        self._entries: dict[Any, Entry] = {}
        self._quick: dict[Any, Path] = {}
        self._lock = threading.Lock()
        self._captures = 0
        self._begun: dict[int, Callable[[], Any]] = {}  # the objects whose first call there was
        own = ("__dict__",) if inspect.isroutine(python_function) else ()  # not those of a layer or a model
        functools.update_wrapper(self, python_function, updated=own)
        self.name = getattr(python_function, "__name__", type(python_function).__name__)
        try:
            self.parameters: inspect.Signature | None = inspect.signature(python_function)
        except (TypeError, ValueError):
            self.parameters = None
        self._plain = positional(self.parameters)

    # Calls.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: capture it if this signature is new, else replay.

        Raises:
            TypeError: if the arguments do not fit the function or its `input_signature`, or if it returns what cannot
                be a tensor.
            ValueError: if it makes variables in any but its first call.
        """
        return self.called(args, kwargs)

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any], owner: Any = None) -> Any:
        """Call the function, as a method if the first argument is the object `owner`."""
        if STATE.capture is not None or STATE.level is not None or Switch.eagerly:
            if self.input_signature is not None:
                args, kwargs = fitted(self, args, kwargs), {}
            return self.python_function(*args, **kwargs)
        quick = self._quick_key(args, owner) if not kwargs and not STATE.recorders else None
        path = self._quick.get(quick)
        if path is not None:
            rest = args if owner is None else args[1:]
            try:
                values = path.replay([a._value for a in rest], NO_JOURNAL)  # type: ignore[misc]
            except Exception:  # a guard, or an error: nothing has changed, and the long way finds another path
                pass
            else:
                return path.structure.pack(list(map(Tensor, values)))
        if self.input_signature is not None:
            args, kwargs = fitted(self, args, kwargs), {}
        if kwargs or len(args) != self._plain:
            args, kwargs = self.bound(args, kwargs)
        arguments = (args, kwargs)
        signature = Signature(arguments)
        entry = self._entries.get(signature.key)
        if entry is None:
            entry = self._entry(signature)
        if entry.eager or (STATE.recorders and entry.paths and entry.paths[0].program.untold):
            return self.python_function(*args, **kwargs)
        result = self._run(entry, signature, arguments, owner)
        if quick is not None:
            path = entry.paths[0] if entry.paths else None
            known = owner is None or (bool(signature.objects) and signature.objects[0] is owner)
            if known and path is not None and path.replay is not None and path.replay.plain:
                self._quick[quick] = path
                entry.quick = quick
            else:
                self._quick.pop(quick, None)
        return result

    def _quick_key(self, args: tuple[Any, ...], owner: Any) -> tuple[Any, ...] | None:
        """The key of a call with tensors alone, behind the object of a method: the most frequent one."""
        if len(args) != self._plain:
            return None
        key: list[Any] = []
        rest = args
        if owner is not None:
            key.append(id(owner))
            rest = args[1:]
        for argument in rest:
            if type(argument) is not Tensor:
                return None
            value = argument._value
            key.append(value.shape)
            key.append(value.dtype)
        return tuple(key)

    def _run(self, entry: Entry, signature: Signature, arguments: Any, owner: Any) -> Any:
        """Replay the path that fits, or capture one."""
        journal = Journal()
        told = bool(STATE.recorders)
        failed: GuardFailed | None = None
        if entry.paths:
            path: Path | None = entry.paths[0]
            tried: list[Path] = []
            while path is not None:
                try:
                    if told:
                        outputs = retell(path.program, signature.tensors, journal)
                    else:
                        replay = path.replay or path.emitted()
                        outputs = [Tensor(v) for v in replay([t._value for t in signature.tensors], journal)]
                except GuardFailed as failure:
                    journal.undo()
                    failed, guarded = failure, path
                    tried.append(path)
                    path = entry.after(path, failure, tried)
                    continue
                except Exception:
                    if journal.committed:
                        raise
                    journal.undo()  # eagerly it raises this error, or goes on in another way
                    tried.append(path)
                    path = next((p for p in entry.paths if p not in tried), None)
                    continue
                except BaseException:
                    journal.undo()
                    journal.close()
                    raise
                journal.close()
                if path is not entry.paths[0]:
                    self._first(entry, path)
                return path.structure.pack(outputs)
            if failed is not None and len(entry.paths) >= MOST_PATHS:
                complaint = complaint_of(guarded.program, failed)
                self._warn(entry, f"{complaint}; {MOST_PATHS} paths have been captured")
        reason = "its first call" if not entry.paths else "an error in another path"
        if failed is not None:
            reason = reason_of(guarded.program, failed)
        return self._captured(entry, signature, arguments, journal, owner, reason)

    def _first(self, entry: Entry, path: Path) -> None:
        """Try this path first from now on."""
        with self._lock:
            entry.paths = [path, *[p for p in entry.paths if p is not path]]

    def _warn(self, entry: Entry, reason: str) -> None:
        entry.eager = reason
        entry.paths = []
        warnings.warn(f"function {self.name!r} runs eagerly from now on: {reason}.", RuntimeWarning, stacklevel=5)

    # Captures.

    def _captured(
        self, entry: Entry, signature: Signature, arguments: Any, journal: Journal, owner: Any, reason: str
    ) -> Any:
        """Run the function and capture what it does."""
        recording, structure = self._record(signature, arguments, journal, silent=False)
        journal.close()
        result = structure.pack(structure.tensors)
        if entry.eager:  # the last call that takes up what attempts have drawn and called
            return result
        first = self._begins(owner)
        if recording.created:  # the program makes them each time: what later calls do shows only now
            if not first:
                raise ValueError(SINGLETONS)
            recording, structure = self._record(signature, arguments, Journal(journal.returned), silent=True)
            if recording.created:
                raise ValueError(SINGLETONS)
        self._keep(entry, recording, structure, reason)
        return result

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any], owner: Any = None) -> None:
        """Capture what a call would do, without a trace of it; variables may be made."""
        signature = Signature((args, kwargs))
        entry = self._entries.get(signature.key) or self._entry(signature)
        if entry.paths or entry.eager or STATE.capture is not None or Switch.eagerly:
            return
        first = self._begins(owner)
        for _ in range(2):
            recording, structure = self._record(signature, (args, kwargs), Journal(), silent=True)
            if not recording.created:
                self._keep(entry, recording, structure, "a concrete function")
                return
            if not first:
                break
        raise ValueError(SINGLETONS)

    def _begins(self, owner: Any) -> bool:
        """Whether this is the first call, of a method on this object."""
        owner = self if owner is None else owner
        known = self._begun.get(id(owner))
        if known is not None and known() is owner:
            return False
        try:
            self._begun[id(owner)] = weakref.ref(owner)
        except TypeError:
            self._begun[id(owner)] = lambda: owner
        return True

    def _record(
        self, signature: Signature, arguments: Any, journal: Journal, silent: bool
    ) -> tuple[Recording, Structure]:
        """Run the function with a recording that listens. A silent one leaves no trace, nor does an error."""
        signature = signature.fresh()
        recording = Recording(self.name, signature.tensors, journal, silent)
        args, kwargs = signature.rebuilt(arguments)
        try:
            with capturing(recording):
                self._captures += 1
                result = self.python_function(*args, **kwargs)
                structure = Structure(result, self.name)
                recording.finish(structure.tensors)
        except BaseException:
            recording.undo()
            raise
        finally:
            journal.listener = None
        if silent:
            recording.undo()
        return recording, structure

    def _keep(self, entry: Entry, recording: Recording, structure: Structure, reason: str) -> None:
        """Add a path, unless another thread has captured the same one."""
        if recording.reason:
            self._warn(entry, recording.reason)
            return
        structure.tensors = []
        path = Path(recording.finished, structure, reason)
        with self._lock:
            if not any(path.like(p) for p in entry.paths):
                entry.paths = [path, *entry.paths]

    def _entry(self, signature: Signature) -> Entry:
        reference, key = weakref.ref(self), signature.key

        def died(_: Any) -> None:
            owner = reference()
            if owner is not None:
                entry = owner._entries.pop(key, None)
                owner._quick.pop(entry.quick if entry is not None else None, None)

        with self._lock:
            return self._entries.setdefault(key, Entry(signature, died))

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return Function(copy.deepcopy(self.python_function, memo), self.input_signature, **self._options)

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self.python_function, self.input_signature)

    # Arguments.

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in the one form that equal calls share: by position where possible, with defaults."""
        if self.parameters is None:
            return args, kwargs
        try:
            found = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs} "
                f"for signature: {self.parameters}."
            ) from None
        found.apply_defaults()
        return found.args, found.kwargs

    # What it knows.

    @property
    def programs(self) -> list[Program]:
        """The programs captured so far."""
        return [path.program for entry in list(self._entries.values()) for path in entry.paths]

    @property
    def function_spec(self) -> inspect.Signature | None:
        """The parameters of the function."""
        return self.parameters

    def experimental_get_tracing_count(self) -> int:
        """How often the function has run in Python to be captured."""
        return self._captures

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The parameters of the function, and the signatures it was captured for."""
        entries = [f"  {described(entry.key)}" for entry in list(self._entries.values())]
        return "\n".join([f"{self.name}{self.parameters or ''}", *entries])

    def explain(self) -> str:
        """How many programs there are, why each was captured, what is in them, fused in them, and held at a time."""
        return explained(self.name, list(self._entries.values()))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The function for one signature, which may be given by `TensorSpec`s in the places of tensors."""
        if not args and not kwargs and self.input_signature is not None:
            args = self.input_signature
        return ConcreteFunction(self, *self.bound(args, kwargs))

    def __repr__(self) -> str:
        return f"<gradtape function {self.name!r}>"


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Decorate a function. The first call of a signature is captured as a program, later calls replay that.

    A signature is the structure, the dtypes and the shapes of tensors (NumPy arrays count as tensors), the values of
    Python's numbers and strings, and the identity of variables and other objects. Python code that goes on with the
    value of a tensor may do anything: where it would do something else, that path is captured too.

    Args:
        func: the function.
        input_signature: a `TensorSpec` (or structure of them) per argument, to which arguments are converted.
        autograph, jit_compile, reduce_retracing: accepted: there is one way to capture, for one shape each.

    Raises:
        TypeError: on a call that does not fit `input_signature`.

    >>> import gradtape as tf
    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> double(tf.constant(2.0)).numpy()
    np.float32(4.0)
    """

    def decorate(inner: Callable[..., Any]) -> Function:
        return Function(
            inner,
            input_signature,
            autograph=autograph,
            jit_compile=jit_compile,
            reduce_retracing=reduce_retracing,
        )

    return decorate if func is None else decorate(func)
