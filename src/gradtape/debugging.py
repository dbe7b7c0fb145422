"""`tf.debugging`, `tf.print` and `tf.Assert`: look at values and stop at wrong ones."""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gradtape.base import nest
from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import check, effect
from gradtape.core.tensor import Tensor


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless the condition is true.

    Args:
        condition: a boolean scalar.
        data: a list of tensors to show in the error.

    Raises:
        InvalidArgumentError: if the condition is false.
    """
    check(_check_condition, existing(condition), *[to_tensor(d) for d in data])


def _check_condition(condition: Any, *data: Any) -> None:
    if not condition:
        shown = "\n".join(map(str, data))
        raise invalid(f"Expected '{to_tensor(condition)}' to be true. Summarized data: {shown}")


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Return the tensor, or raise if it holds a NaN or an infinity. The gradient flows through.

    Raises:
        InvalidArgumentError: starting with `message`, if a value is not finite.

    >>> import gradtape as tf
    >>> tf.debugging.check_numerics([1.0], "loss").numpy()
    array([1.], dtype=float32)
    """
    found = to_tensor(tensor, name="tensor")
    if not found.dtype.is_floating and not found.dtype.is_complex:
        raise invalid(f"check_numerics: the tensor must be floating, got dtype {found.dtype.name}.")
    check(_check_finite, found, message)
    return found


def _check_finite(value: Any, message: str) -> None:
    kinds = [word for word, test in (("NaN", np.isnan), ("Inf", np.isinf)) if bool(test(value).any())]
    if kinds:
        raise invalid(f"{message} : Tensor had {' and '.join(kinds)} values [Op:CheckNumerics]")


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """Return x, or raise InvalidArgumentError if it holds a NaN or an infinity."""
    return check_numerics(x, message)


def _compare(
    symbol: str, test: Callable[[Any, Any], Any], x: Any, y: Any, message: str | None, summarize: int | None
) -> None:
    first = to_tensor(x, name="x")
    found = existing(y)
    second = found if isinstance(found, Tensor) else to_tensor(found, first.dtype, "y")
    if first._value.dtype != second._value.dtype:
        raise invalid(f"x has dtype {first.dtype.name} and y has dtype {second.dtype.name}; they must be the same.")
    check(_check_comparison, first, second, symbol, test, message, 3 if summarize is None else summarize)


def _check_comparison(
    first: Any, second: Any, symbol: str, test: Callable[[Any, Any], Any], message: str | None, n: int
) -> None:
    try:
        holds = test(first, second)
    except ValueError:
        raise invalid(f"x has shape {first.shape} and y has shape {second.shape}; they do not broadcast.") from None
    if not np.all(holds):
        lead = f"{message}\n" if message else ""
        raise invalid(
            f"{lead}Condition x {symbol} y did not hold.\n"
            f"First {min(n, first.size)} elements of x:\n{np.ravel(first)[:n]}\n"
            f"First {min(n, second.size)} elements of y:\n{np.ravel(second)[:n]}"
        )


def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x == y elementwise, broadcast."""
    _compare("==", operator.eq, x, y, message, summarize)


def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x != y elementwise, broadcast."""
    _compare("!=", operator.ne, x, y, message, summarize)


def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x < y elementwise, broadcast."""
    _compare("<", operator.lt, x, y, message, summarize)


def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x <= y elementwise, broadcast."""
    _compare("<=", operator.le, x, y, message, summarize)


def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x > y elementwise, broadcast."""
    _compare(">", operator.gt, x, y, message, summarize)


def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless x >= y elementwise, broadcast."""
    _compare(">=", operator.ge, x, y, message, summarize)


def assert_negative(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless all of x is negative."""
    assert_less(x, 0, message, summarize)


def assert_positive(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError unless all of x is positive."""
    assert_greater(x, 0, message, summarize)


def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless nothing in x is negative."""
    assert_greater_equal(x, 0, message, summarize)


def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError unless nothing in x is positive."""
    assert_less_equal(x, 0, message, summarize)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise InvalidArgumentError unless |x - y| <= atol + rtol |y|; both default to ten times the dtype's epsilon."""
    first = to_tensor(x, name="x")
    dtype = first._value.dtype
    tolerance = 10 * float(np.finfo(dtype).eps) if dtype.kind in "fc" else 0.0
    r, a = (tolerance if t is None else float(t) for t in (rtol, atol))
    _compare("~=", lambda p, q: np.abs(p - q) <= a + r * np.abs(q), first, y, message, summarize)


def _rank(x: Any) -> tuple[Tensor, int]:
    found = to_tensor(x, name="x")
    return found, int(found._value.ndim)


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless x has this rank."""
    found, have = _rank(x)
    if have != int(rank):
        raise ValueError(
            f"{message or ''}. Tensor x must have rank {int(rank)}.  Received rank {have}, shape {found.shape}".lstrip(
                ". "
            )
        )


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError if x has a smaller rank."""
    found, have = _rank(x)
    if have < int(rank):
        raise ValueError(
            f"{message or ''}. Tensor x must have rank at least {int(rank)}.  Received rank {have}, shape "
            f"{found.shape}".lstrip(". ")
        )


def assert_rank_in(x: Any, ranks: Iterable[Any], message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless x has one of these ranks."""
    found, have = _rank(x)
    wanted = tuple(int(r) for r in ranks)
    if have not in wanted:
        raise ValueError(
            f"{message or ''}. Tensor x must have rank in {wanted}.  Received rank {have}, shape {found.shape}".lstrip(
                ". "
            )
        )


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> Tensor:
    """Return the tensor. Raises ValueError unless its rank is 0."""
    found, have = _rank(tensor)
    if have:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {found.shape}.")
    return found


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless the tensor has this dtype."""
    found, wanted = to_tensor(tensor, name="tensor"), as_dtype(tf_type)
    if found.dtype is not wanted:
        raise TypeError(f"{message or ''}. tensor must be of type {wanted!r}; got {found.dtype!r}".lstrip(". "))


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless x has an integer dtype."""
    found = to_tensor(x, name="x")
    if not found.dtype.is_integer:
        raise TypeError(f"{message or ''}. Expected x to have an integer dtype, got {found.dtype!r}".lstrip(". "))


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """Return the common floating dtype (float32 if nothing is given). Raises ValueError if there is none."""
    found = None if dtype is None else as_dtype(dtype)
    for tensor in tensors or ():
        have = to_tensor(tensor).dtype
        if found is not None and have is not found:
            raise ValueError(f"assert_same_float_dtype: expected dtype {found.name}, got {have.name}.")
        found = have
    found = found or as_dtype("float32")
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found.name}.")
    return found


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError for tensors, arrays, strings, and whatever cannot be iterated over."""
    if isinstance(existing(values), Tensor | np.ndarray | str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be a proper iterable, got {type(values).__name__}.")


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Check shapes with symbols: equal symbols must have equal sizes, `...` stands for any number of leading axes.

    Args:
        shapes: pairs of a tensor and its shape (sizes, symbols, None for any), or a dict of references to them.

    Raises:
        ValueError: if a shape does not fit.

    >>> import gradtape as tf
    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("n", "m")), (tf.ones([3]), ("m",))])
    """
    pairs = list(shapes.items() if isinstance(shapes, Mapping) else shapes)
    sizes: dict[Any, int] = {}
    for tensor, wanted in pairs:
        have = to_tensor(tensor.deref() if hasattr(tensor, "deref") else tensor)._value.shape
        symbols = [wanted] if isinstance(wanted, str | int) else list(wanted)
        skip = len(have) - (len(symbols) - 1) if symbols[:1] in ([...], ["..."]) else 0
        if skip:
            symbols, dims = symbols[1:], have[skip:]
        else:
            dims = have
        if len(symbols) != len(dims):
            raise ValueError(
                f"{message or ''}Tensor of shape {have} must have rank {len(symbols)}, shape {tuple(symbols)}."
            )
        for axis, (symbol, size) in enumerate(zip(symbols, dims, strict=True)):
            if symbol is None or symbol == ".":
                continue
            expected = symbol if isinstance(symbol, int) else sizes.setdefault(symbol, size)
            if expected != size:
                raise ValueError(
                    f"{message or ''}Specified {'explicitly' if isinstance(symbol, int) else f'as {symbol!r}'}.  "
                    "Tensor "
                    f"dimension {axis} must have size {expected}.  Received size {size}, shape {have}"
                )


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers."""
    found = existing(tensor)
    return isinstance(found, Tensor) and found.dtype.is_numeric


def _text(value: Any, summarize: int) -> str:
    """A tensor as `tf.print` shows it: without commas, the middle left out beyond `summarize` at each end."""
    array = np.asarray(value)
    if array.dtype.kind == "O":
        shown: Any = {"object": lambda b: f'"{b.decode()}"'}
        return np.array2string(array, formatter=shown) if array.ndim else str(array.item().decode())
    if array.ndim == 0:
        return _number(array[()])
    with np.printoptions(
        threshold=sys.maxsize if summarize < 0 else 2 * summarize, edgeitems=summarize if summarize >= 0 else 3
    ):
        plain: Any = {"all": _number}
        return np.array2string(array, formatter=plain)


def _number(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "1" if value else "0"
    if isinstance(value, np.floating):
        return (
            f"{float(value):.9g}"
            if value.dtype.itemsize > 4
            else np.format_float_positional(value, unique=True, trim="-")
            if 1e-4 <= abs(value) < 1e8 or value == 0
            else f"{value:.9g}"
        )
    return str(value)


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors and other values to standard error (or `output_stream`).

    Args:
        inputs: tensors, structures of them, and Python objects.
        kwargs: `output_stream` (sys.stderr, sys.stdout, a logging function, or "file://path"), `summarize` (how many
            elements to show at each end, 3; -1 for all), `sep` (" "), `end` (newline), `name`.

    Raises:
        ValueError: for an unknown keyword or output stream.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {sorted(kwargs)}")
    if not (isinstance(stream, str) and stream.startswith("file://")) and not callable(
        getattr(stream, "write", stream)
    ):
        raise ValueError(f"Unsupported output stream {stream!r}: give a stream, a logging function or 'file://PATH'.")
    leaves = [existing(leaf) for item in inputs for leaf in nest.flatten(item)]
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

    def show(*values: Any) -> None:
        for place, value in zip(places, values, strict=True):
            leaves[place] = Tensor(value)
        rest = iter(leaves)
        items = [nest.map_structure(lambda _: next(rest), item) for item in inputs]
        _write(sep.join([_shown(item, summarize) for item in items]) + end, stream)

    effect(show, *[leaves[i] for i in places])


def _write(text: str, stream: Any) -> None:
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
    elif hasattr(stream, "write"):
        builtins.print(text, end="", file=stream, flush=True)
    else:
        stream(text.removesuffix("\n"))


def _shown(item: Any, summarize: int) -> str:
    found = existing(item)
    if isinstance(found, Tensor):
        return _text(found._value, summarize)
    if isinstance(found, np.ndarray | np.generic):
        return _text(found, summarize)
    if nest.is_nested(found) and any(isinstance(existing(leaf), Tensor) for leaf in nest.flatten(found)):
        return str(nest.map_structure(lambda leaf: _Bare(_shown(leaf, summarize)), found))
    return str(found)


class _Bare:
    """A text that shows itself without quotes inside containers."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def enable_traceback_filtering() -> None:
    """Accepted: tracebacks are always whole."""


def disable_traceback_filtering() -> None:
    """Accepted: tracebacks are always whole."""


def is_traceback_filtering_enabled() -> bool:
    """Whether library frames are hidden in tracebacks: never."""
    return False


__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "print",
]
