"""Control flow as functions: conditions, loops, maps and folds, run step by step; gradients flow through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.base import nest
from gradtape.base.dtypes import as_dtype
from gradtape.base.errors import InvalidArgumentError, invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import external
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.shaping import concat, getitem, stack
from gradtape.transforms.batching import vectorized


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Call one of two functions.

    Args:
        pred: a Python bool or a boolean tensor of one element.
        true_fn: called if it holds.
        false_fn: called otherwise.

    Raises:
        TypeError: if a branch is not callable.

    >>> import gradtape as tf
    >>> tf.cond(tf.constant(2.0) > 1.0, lambda: "yes", lambda: "no")
    'yes'
    """
    for label, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"{label!r} must be callable.")
    return (true_fn if existing(pred) else false_fn)()  # type: ignore[misc]


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Call the function of the first condition that holds, or `default`.

    Raises:
        TypeError: if the pairs are not pairs of a condition and a callable.
        InvalidArgumentError: if no condition holds and there is no default, or, with `exclusive`, several hold.

    >>> import gradtape as tf
    >>> tf.case([(tf.constant(False), lambda: 1)], default=lambda: 5)
    5
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"case: pred_fn_pairs must hold pairs of a condition and a callable, got {pair!r}.")
    if default is not None and not callable(default):
        raise TypeError(f"case: default must be callable, got {default!r}.")
    chosen = [fn for pred, fn in pairs if bool(existing(pred))]
    if exclusive and len(chosen) > 1:
        raise invalid(f"case: more than one condition holds: {len(chosen)} of {len(pairs)} with exclusive=True.")
    if chosen:
        return chosen[0]()
    if default is None:
        raise invalid("case: none of the conditions holds and there is no default.")
    return default()


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """Call the function of this number; one that is not there means `default`, or the function of the largest number.

    Args:
        branch_index: an int32 scalar tensor.
        branch_fns: callables, pairs of a number and a callable, or a dict of them.

    Raises:
        TypeError: if `branch_index` is not a tensor or a branch is not callable.

    >>> import gradtape as tf
    >>> tf.switch_case(tf.constant(1), [lambda: 1, lambda: 7])
    7
    """
    index = existing(branch_index)
    if not isinstance(index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not index.dtype.is_integer or index._value.ndim:
        raise TypeError(f"'branch_index' must be an integer scalar, got {index!r}")
    if isinstance(branch_fns, Mapping) or (
        branch_fns and all(isinstance(b, tuple | list) and len(b) == 2 for b in branch_fns)
    ):
        branches: dict[Any, Any] = dict(branch_fns)
    else:
        branches = dict(enumerate(branch_fns))
    if not branches or not all(callable(b) for b in branches.values()):
        raise TypeError(f"'branch_fns' must hold at least one callable and nothing else, got {branch_fns!r}")
    fallback: Any = branches[max(branches)] if default is None else default
    return branches.get(int(index), fallback)()


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeat `body` on the loop variables while `cond` holds.

    Args:
        cond: takes the loop variables, returns a bool or a boolean scalar tensor.
        body: takes the loop variables, returns them for the next step, in the same structure.
        loop_vars: a list, tuple or other structure of tensors.
        maximum_iterations: an upper limit of steps.

    Returns:
        The loop variables at the end, as tensors, in the structure of `loop_vars`.

    Raises:
        TypeError: if `cond` or `body` is not callable.
        ValueError: if there are no loop variables or `body` returns another structure.

    >>> import gradtape as tf
    >>> tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (tf.constant(0),))
    (<tf.Tensor: shape=(), dtype=int32, numpy=3>,)
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    limit = None if maximum_iterations is None else int(maximum_iterations)
    single = len(loop_vars) == 1
    state = nest.map_structure(_as_loop_value, loop_vars)
    steps = 0
    while (limit is None or steps < limit) and bool(existing(cond(*state))):
        after = body(*state)
        if single and not isinstance(after, list | tuple):
            after = (after,)
        if not nest.is_nested(after):
            raise TypeError(
                f"while_loop: body must return {len(loop_vars)} loop variables, got {type(after).__name__}."
            )
        nest.assert_same_structure(list(state), list(after))
        state = nest.pack_sequence_as(state, [_as_loop_value(v) for v in nest.flatten(after)])
        steps += 1
    return state


def _as_loop_value(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else to_tensor(value, name="loop_vars")


def _elements(elems: Any, op: str) -> tuple[list[Tensor], int]:
    """The flat tensors to go through along their first axis, and their common length."""
    flat = [to_tensor(e, name="elems") for e in nest.flatten(elems)]
    if not flat:
        raise ValueError(f"{op}: elems must hold at least one tensor, got {elems!r}.")
    for e in flat:
        if not e._value.ndim:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    lengths = sorted({e._value.shape[0] for e in flat})
    if len(lengths) != 1:
        raise invalid(f"{op}: elems must have the same first size, got {lengths}.")
    return flat, lengths[0]


def _slice(elems: Any, flat: list[Tensor], i: int) -> Any:
    parts = [getitem(e, key=(i,)) for e in flat]
    return nest.pack_sequence_as(elems, parts) if nest.is_nested(elems) and not _is_data(elems) else parts[0]


def _is_data(elems: Any) -> bool:
    """Whether a list is meant as one tensor: it holds numbers."""
    return not any(isinstance(existing(e), Tensor | np.ndarray) for e in nest.flatten(elems))


def _prepared(elems: Any) -> Any:
    return to_tensor(elems, name="elems") if not nest.is_nested(elems) else elems


def _stacked(rows: list[Any], like: Any) -> Any:
    """The results of all steps, each leaf stacked along a new first axis."""
    columns = zip(*[[to_tensor(leaf) for leaf in nest.flatten(row)] for row in rows], strict=True)
    merged = [stack(*column, axis=0) for column in columns]
    return nest.pack_sequence_as(like, merged) if nest.is_nested(like) else merged[0]


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Apply `fn` to each slice of `elems` along the first axis, and stack the results.

    Args:
        fn: takes a slice (of the structure of `elems`), returns tensors.
        elems: a tensor of shape [n, ...] or a nested structure of them.
        fn_output_signature: the dtype (or structure of dtypes) of the results, if it is not that of `elems`; `dtype`
            is its old name.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if an element is a scalar, or the results do not have the structure promised.
        InvalidArgumentError: if a result has another dtype than promised.

    >>> import gradtape as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0])).numpy()
    array([1., 4.], dtype=float32)
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable. fn must be callable.")
    elems = _prepared(elems)
    flat, n = _elements(elems, "map_fn")
    promised = dtype if fn_output_signature is None else fn_output_signature
    template = elems if promised is None else promised
    dtypes = [e.dtype for e in flat] if promised is None else [_signature_dtype(s) for s in nest.flatten(promised)]
    rows = []
    for i in range(n):
        result = fn(_slice(elems, flat, i))
        nest.assert_same_structure(template, result, check_types=promised is None)
        for leaf, wanted in zip(nest.flatten(result), dtypes, strict=True):
            got = to_tensor(leaf).dtype
            if got is not wanted:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"TensorArray dtype is {wanted.name} but Op is trying to write dtype {got.name} "
                    "(map_fn: pass fn_output_signature if fn changes the dtype)",
                )
        rows.append(result)
    if not rows:
        empty = [
            wrap(np.zeros((0, *e._value.shape[1:]), dtype=d.numpy_dtype)) for e, d in zip(flat, dtypes, strict=False)
        ]
        return nest.pack_sequence_as(template, empty) if nest.is_nested(template) else empty[0]
    return _stacked(rows, template)


def _signature_dtype(signature: Any) -> Any:
    return as_dtype(getattr(signature, "dtype", signature))


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """Apply `fn` to each slice of `elems` along the first axis, to all of them at once, and stack what it returns.

    Each operation inside is done once for all slices. Tapes may be inside (gradients of each slice) and outside.
    Random numbers are drawn once, the same for all slices.

    Args:
        fn: a function of one slice, structured as `elems`; it returns a nested structure of tensors.
        elems: a nested structure of tensors whose first sizes agree.
        fallback_to_while_loop: whether to take one slice after the other, as `map_fn` does, if `fn` asks for a value
            that slices differ in: `if x > 0:` does, `tf.where` and `tf.cond` of what is the same for all do not.
        warn: whether to log that.

    Raises:
        ValueError, InvalidArgumentError: as `map_fn` does for its elements; also, without fallback, if `fn` asks for
            such a value.

    >>> import gradtape as tf
    >>> tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([ 5., 25.], dtype=float32)
    """
    elems = _prepared(elems)
    flat, n = _elements(elems, "vectorized_map")
    return vectorized(fn, elems, flat, n, fall_back=fallback_to_while_loop, warn=warn)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Fold `fn(accumulator, slice)` over the slices of `elems` and stack every accumulator.

    Without `initializer` the first slice is the first accumulator. `reverse` starts at the end.

    Raises:
        TypeError, ValueError: as `map_fn` does.

    >>> import gradtape as tf
    >>> tf.scan(lambda a, x: a * x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 2., 6.], dtype=float32)
    """
    states = _folded(fn, elems, initializer, "scan", reverse)
    return _stacked(states[::-1] if reverse else states, states[0])


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Fold `fn(accumulator, slice)` over the slices of `elems` from the first to the last.

    >>> import gradtape as tf
    >>> tf.foldl(lambda a, x: a - x, tf.constant([1.0, 2.0, 3.0])).numpy()
    np.float32(-4.0)
    """
    return _folded(fn, elems, initializer, "foldl", False)[-1]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Fold `fn(accumulator, slice)` over the slices of `elems` from the last to the first.

    >>> import gradtape as tf
    >>> tf.foldr(lambda a, x: a - x, tf.constant([1.0, 2.0, 3.0])).numpy()
    np.float32(0.0)
    """
    return _folded(fn, elems, initializer, "foldr", True)[-1]


def _folded(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, op: str, reverse: bool) -> list[Any]:
    """All accumulators in the order they were made."""
    if not callable(fn):
        raise TypeError(f"{fn} is not callable. Please provide a callable function.")
    elems = _prepared(elems)
    flat, n = _elements(elems, op)
    order = list(range(n))[::-1] if reverse else list(range(n))
    states = []
    if initializer is None:
        if not order:
            raise ValueError(f"{op}: elems has no slice to start from; pass an initializer.")
        state = _slice(elems, flat, order.pop(0))
        states.append(state)
    else:
        state = nest.map_structure(to_tensor, initializer)
    for i in order:
        made = fn(state, _slice(elems, flat, i))
        if nest.is_nested(made) or nest.is_nested(state):
            nest.assert_same_structure(state, made)
        state = nest.map_structure(to_tensor, made)
        states.append(state)
    return states or [state]


class TensorArray:
    """A list of tensors that is written and read by number.

    >>> import gradtape as tf
    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> array.stack().numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype)
        self._items: list[Tensor | None] = [None] * int(size or 0)
        self._dynamic = bool(dynamic_size)
        self._element_shape = element_shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes it longer."""
        return self._dynamic

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements, int32."""
        return wrap(np.int32(len(self._items)))

    def _position(self, index: Any, writing: bool) -> int:
        i = int(index)
        if i < 0 or (i >= len(self._items) and not (writing and self._dynamic)):
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray: index {i} is out of range for {len(self._items)} elements"
                + (" and the array is not resizeable." if writing else "."),
            )
        return i

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Return one element. Raises InvalidArgumentError if it is out of range or was never written."""
        i = self._position(index, False)
        found = self._items[i]
        if found is None:
            raise invalid(f"TensorArray: element {i} was read before it was written.")
        return found

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Set one element and return the array. Raises InvalidArgumentError for another dtype or out of range."""
        i = self._position(index, True)
        found = to_tensor(value, None if isinstance(existing(value), Tensor) else self._dtype)
        if found.dtype is not self._dtype:
            raise invalid(f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {found.dtype.name}")
        self._items.extend([None] * (i + 1 - len(self._items)))
        self._items[i] = found
        return self

    def stack(self, name: str | None = None) -> Tensor:
        """Return all elements along a new first axis; what was never written is zero."""
        return self._joined(range(len(self._items)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the elements of these numbers along a new first axis."""
        return self._joined(np.asarray(to_tensor(indices).numpy()).ravel().tolist())

    def _joined(self, positions: Sequence[int]) -> Tensor:
        known = next((item for item in self._items if item is not None), None)
        if known is None:
            if self._items:
                raise invalid("TensorArray: no element was written, so their shape is not known.")
            return wrap(np.zeros((0,), dtype=self._dtype.numpy_dtype))
        zero = wrap(np.zeros(known._value.shape, dtype=self._dtype.numpy_dtype))
        found: Tensor = stack(*[self._items[i] if self._items[i] is not None else zero for i in positions], axis=0)
        return found

    def concat(self, name: str | None = None) -> Tensor:
        """Return all elements joined along their first axis."""
        from_items = [item for item in self._items if item is not None]
        if not from_items:
            raise invalid("TensorArray: there is nothing to concatenate.")
        found: Tensor = concat(*from_items, axis=0)
        return found

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Set all elements to the slices of `value` along its first axis."""
        whole = to_tensor(value, None if isinstance(existing(value), Tensor) else self._dtype)
        self._items = [getitem(whole, key=(i,)) for i in range(len(whole))]
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Set the elements of these numbers to the slices of `value`."""
        whole = to_tensor(value, None if isinstance(existing(value), Tensor) else self._dtype)
        for row, i in enumerate(np.asarray(to_tensor(indices).numpy()).ravel().tolist()):
            self.write(i, getitem(whole, key=(row,)))
        return self

    def identity(self) -> TensorArray:
        """Return the array."""
        return self

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> None:
        """Refuse: gradients of arrays flow by themselves. Raises NotImplementedError."""
        raise NotImplementedError("TensorArray.grad is not needed: gradients flow through write, read and stack.")

    def close(self, name: str | None = None) -> None:
        """Drop the elements."""
        self._items = []


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Call a Python function on tensors; gradients flow through the ops it uses.

    Args:
        func: takes the tensors of `inp`, returns values convertible to `Tout`; without it, a decorator is returned.
        inp: a list of tensors.
        Tout: a dtype, a list of dtypes, or an empty list for no result.

    >>> import gradtape as tf
    >>> tf.py_function(lambda a: a + 1, [tf.constant(1.0)], tf.float32).numpy()
    np.float32(2.0)
    """
    if func is None:
        return lambda inner: lambda *args: py_function(inner, args, Tout)
    capture = STATE.capture
    inputs = [to_tensor(i) for i in inp]
    if capture is None:
        return _outputs(func(*inputs), Tout)
    if len(STATE.recorders) > 1:
        capture.give_up("py_function is called where something else listens: its derivative may differ each time")
        return _outputs(func(*inputs), Tout)
    return _external(lambda *values: func(*map(Tensor, values)), inputs, Tout)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function on NumPy arrays; no gradient flows through it.

    >>> import gradtape as tf
    >>> tf.numpy_function(lambda a: a + 1, [tf.constant(1.0)], tf.float32).numpy()
    np.float32(2.0)
    """
    if func is None:
        return lambda inner: lambda *args: numpy_function(inner, args, Tout)
    return _external(lambda *values: func(*[Tensor(v).numpy() for v in values]), [to_tensor(i) for i in inp], Tout)


def _external(call: Callable[..., Any], inputs: Sequence[Tensor], Tout: Any) -> Any:
    """What a function of raw values returns, as Tensors that no gradient flows to."""
    several = isinstance(Tout, list | tuple)

    def run(*values: Any) -> Any:
        made = _outputs(call(*values), Tout)
        return tuple([m._value for m in made]) if several else made._value

    found = external(run, *inputs)
    return list(found) if several else found


def _outputs(returned: Any, Tout: Any) -> Any:
    if isinstance(Tout, list | tuple):
        if not Tout:
            return []
        values = returned if isinstance(returned, list | tuple) else [returned]
        if len(values) != len(Tout):
            raise invalid(f"py_function: func returned {len(values)} values, but Tout names {len(Tout)}.")
        return [_output(v, d) for v, d in zip(values, Tout, strict=True)]
    return _output(returned, Tout)


def _output(value: Any, dtype: Any) -> Tensor:
    wanted = as_dtype(getattr(dtype, "dtype", dtype))
    found = existing(value)
    if not isinstance(found, Tensor):
        return (
            to_tensor(found, None if isinstance(found, np.ndarray | np.generic) else wanted)
            if not _other(found, wanted)
            else _refuse(found, wanted)
        )
    return found if found.dtype is wanted else _refuse(found._value, wanted)


def _other(value: Any, wanted: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.dtype != wanted.numpy_dtype


def _refuse(value: Any, wanted: Any) -> Tensor:
    raise invalid(f"py_function: func returned dtype {value.dtype}, but Tout says {wanted.name}.")


__all__ = [
    "TensorArray",
    "case",
    "cond",
    "foldl",
    "foldr",
    "map_fn",
    "numpy_function",
    "py_function",
    "scan",
    "switch_case",
    "vectorized_map",
    "while_loop",
]
