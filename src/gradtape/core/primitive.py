"""`Primitive`: an op that tells the recorders what it did, and knows its derivative rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradtape.base.errors import InvalidArgumentError
from gradtape.core.batching import Rule as BatchRule
from gradtape.core.batching import align, apply_in_batch
from gradtape.core.plan import Plan
from gradtape.core.recorder import ACTIVE, FLOATING_POINT, QUIET, STATE
from gradtape.core.rules import Rule, allowed_reads
from gradtape.core.tensor import Tensor, exact, wrap

set_floating_point, reset_floating_point = FLOATING_POINT.set, FLOATING_POINT.reset

# What NumPy raises for shapes, axes, dtypes and indices that do not fit (its own classes derive from these).
KERNEL_ERRORS = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)

ALL: list[Primitive] = []


class Primitive:
    """An atomic op: a kernel over raw values, and one derivative rule for each array argument.

    Called with raw NumPy values it returns raw values and nothing is recorded: rules are applied to those when nobody
    else listens. Called with at least one `Tensor` it returns Tensors and tells the recorders of this thread.

    Arrays are positional, static parameters keyword-only. A kernel that returns a tuple makes a tuple of Tensors.
    """

    def __init__(
        self,
        kernel: Callable[..., Any],
        rules: Mapping[str, Any],
        *,
        jvp: Callable[..., Any] | None,
        name: str,
        names: tuple[str, ...],
        variadic: bool = False,
        partials: bool = False,
        broadcasts: bool = False,
        made: Callable[[Any], Any] | None = None,
        data_shaped: bool = False,
    ) -> None:
        self.__name__ = name
        self.__doc__ = kernel.__doc__
        self.kernel = kernel
        self.names = names
        self.variadic = variadic
        self.partials = partials
        self.broadcasts = broadcasts
        self.jvp = jvp
        self.data_shaped = data_shaped  # whether the shape of the result depends on values
        self.batch: BatchRule | None = align if partials or broadcasts else None
        self.made = made or wrap_all  # a ufunc of normal values gives normal values: `Tensor` will do
        self.plans: dict[Any, Plan] = {}
        if set(rules) != set(names):
            raise TypeError(f"{name}: rules are for {sorted(rules)}, the array arguments are {sorted(names)}")
        allowed = allowed_reads(names, variadic)
        leading = 0 if partials else 1
        self.rules: dict[str, Rule | float | None] = {
            n: Rule(rule, name, n, allowed, leading) if callable(rule) else rule for n, rule in rules.items()
        }
        ALL.append(self)

    def __repr__(self) -> str:
        return f"<primitive {self.__name__}({', '.join(self.names)})>"

    def __call__(self, *args: Any, **params: Any) -> Any:
        """Run the kernel; wrap the result and tell the recorders if any argument is a Tensor."""
        if ACTIVE and STATE.level is not None:
            return apply_in_batch(self, args, params)
        for a in args:
            if type(a) is Tensor:
                break
        else:
            try:  # a rule in the walk back, which has silenced NumPy's warnings
                return self.kernel(*args, **params)
            except KERNEL_ERRORS as error:
                raise self.failure(error, list(args)) from error
        values = [a._value if type(a) is Tensor else a for a in args]
        token = set_floating_point(QUIET)
        try:
            value = self.kernel(*values, **params)
        except Exception as error:
            settle_all(args)
            if isinstance(error, KERNEL_ERRORS):
                raise self.failure(error, values) from error
            raise
        finally:
            reset_floating_point(token)
        out = self.made(value)
        for recorder in STATE.recorders:
            recorder.record(self, args, params, out)
        return out

    def failure(self, error: Exception, values: list[Any]) -> InvalidArgumentError:
        """The error for a kernel that could not run: what it got, and NumPy's reason."""
        got = ", ".join(
            f"{type(v).__name__} {v!r}" if not hasattr(v, "dtype") else f"{v.dtype}{list(v.shape)}" for v in values
        )
        return InvalidArgumentError(None, None, f"{self.__name__}({got}): {error}")

    def plan(self, live: int, count: int) -> Plan:
        """What to save and what to pull back when the arguments whose bits are set in `live` are live."""
        key = (live, count) if self.variadic else live
        found = self.plans.get(key)
        if found is None:
            found = self.plans[key] = Plan(self, live, count)
        return found


class Unary(Primitive):
    """A primitive of one array without static parameters: the same call, with less to look at."""

    def __call__(self, x: Any) -> Any:
        if ACTIVE and STATE.level is not None:
            return apply_in_batch(self, (x,), NO_PARAMS)
        if type(x) is not Tensor:
            try:
                return self.kernel(x)
            except KERNEL_ERRORS as error:
                raise self.failure(error, [x]) from error
        value = x._value
        token = set_floating_point(QUIET)
        try:
            value = self.kernel(value)
        except Exception as error:
            settle_all((x,))
            if isinstance(error, KERNEL_ERRORS):
                raise self.failure(error, [value]) from error
            raise
        finally:
            reset_floating_point(token)
        out = self.made(value)
        for recorder in STATE.recorders:
            recorder.record(self, (x,), NO_PARAMS, out)
        return out


class Binary(Primitive):
    """A primitive of two arrays without static parameters: the same call, with less to look at."""

    def __call__(self, x: Any, y: Any) -> Any:
        if ACTIVE and STATE.level is not None:
            return apply_in_batch(self, (x, y), NO_PARAMS)
        if type(x) is Tensor:
            a, b = x._value, y._value if type(y) is Tensor else y
        elif type(y) is Tensor:
            a, b = x, y._value
        else:
            try:
                return self.kernel(x, y)
            except KERNEL_ERRORS as error:
                raise self.failure(error, [x, y]) from error
        token = set_floating_point(QUIET)
        try:
            value = self.kernel(a, b)
        except Exception as error:
            settle_all((x, y))
            if isinstance(error, KERNEL_ERRORS):
                raise self.failure(error, [a, b]) from error
            raise
        finally:
            reset_floating_point(token)
        out = self.made(value)
        for recorder in STATE.recorders:
            recorder.record(self, (x, y), NO_PARAMS, out)
        return out


def settle_all(args: tuple[Any, ...]) -> None:
    """Tell a capture that an op failed for these values: the program may catch the error and go on another way."""
    if STATE.capture is not None:
        for a in args:
            if type(a) is Tensor:
                STATE.capture.settle(a, exact)


def wrap_all(value: Any) -> Any:
    """What a kernel returned as a Tensor, or a tuple as a tuple of them."""
    return tuple(map(wrap, value)) if type(value) is tuple else wrap(value)


NO_PARAMS: dict[str, Any] = {}
