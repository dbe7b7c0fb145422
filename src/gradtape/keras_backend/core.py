"""Tensors, variables, casts, scopes and control flow for Keras."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, dtypes, standardize_dtype
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope, get_stateless_scope
from keras.src.backend.common.symbolic_scope import SymbolicScope

from gradtape.core.convert import existing
from gradtape.core.effects import settled
from gradtape.core.recorder import paused
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable as GradtapeVariable
from gradtape.keras_backend.dispatch import cast as cast_tensor
from gradtape.keras_backend.dispatch import name_of, numpy_dtype, promoted, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import indexing, shaping
from gradtape.transforms.custom import custom_gradient, recompute_grad
from gradtape.transforms.custom import stop_gradient as stop
from gradtape.transforms.shapes import filled, shapes_only

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True

# Keras keeps 64-bit dtypes only on TensorFlow; gradtape does what TensorFlow does.
dtypes.BIT64_TO_BIT32_DTYPE.update({name: name for name in ("int64", "uint64", "float64", "complex128")})
dtypes.PYTHON_DTYPES_MAP.update({int: "int32", "int": "int64", complex: "complex128"})

__getattr__ = missing("core")


class Variable(KerasVariable):
    """A Keras variable whose value is held by a gradtape variable, which tapes watch."""

    @property
    def __gradtape_variable__(self) -> Any:
        return self._value

    def __gradtape_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return tensor(self.value, None if dtype is None else standardize_dtype(dtype))

    def _initialize(self, value: Any) -> None:
        self._value = GradtapeVariable(
            convert_to_tensor(value, self._dtype), trainable=self._trainable, name=self._name
        )

    def _direct_assign(self, value: Any) -> None:
        self._value._rebind(tensor(value, self._dtype), False)

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Tensor:
        return convert_to_tensor(value, dtype=dtype)

    @property
    def value(self) -> Any:
        scope = get_stateless_scope()
        if scope is not None or self._value is None:
            found = KerasVariable.value.fget(self)
            return found._read() if isinstance(found, GradtapeVariable) else found
        return self._maybe_autocast(self._value._read())

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        if self._value is not None:
            self._value._trainable = self._trainable

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(settled(tensor(self.value)), dtype=dtype)

    def __len__(self) -> int:
        return len(self.value)

    def __deepcopy__(self, memo: Any) -> Any:
        copied = self.__class__.__new__(self.__class__)
        memo[id(self)] = copied
        copied.__dict__.update(self.__dict__)
        if self._value is not None:
            copied._value = GradtapeVariable(self._value._peek(), trainable=self._trainable, name=self._name)
        return copied


def convert_to_tensor(x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None) -> Tensor:
    """Return a Tensor; sparse and ragged ones do not exist here."""
    if sparse:
        raise ValueError("`sparse=True` is not supported with gradtape")
    if ragged:
        raise ValueError("`ragged=True` is not supported with gradtape")
    return tensor(x, None if dtype is None else standardize_dtype(dtype))


def convert_to_numpy(x: Any) -> Any:
    """Return a NumPy array of anything array-like."""
    if isinstance(x, KerasVariable):
        x = x.value
    found = existing(x)
    return np.array(settled(found) if isinstance(found, Tensor) else found)


def is_tensor(x: Any) -> bool:
    """Whether this is a value of the backend."""
    return isinstance(x, Tensor | GradtapeVariable)


def shape(x: Any) -> tuple[int, ...]:
    """Return the shape as a tuple."""
    return tuple(x.shape)


def cast(x: Any, dtype: Any) -> Tensor:
    """Return x in another dtype."""
    return cast_tensor(tensor(x), standardize_dtype(dtype))


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """Call one of two functions."""
    return true_fn() if bool(existing(pred)) else false_fn()


def vectorized_map(function: Any, elements: Any) -> Any:
    """Apply a function to each slice along the first axis."""
    if isinstance(elements, list | tuple):
        elements = [tensor(e) for e in elements]
        results = [function([e[i] for e in elements]) for i in range(len(elements[0]))]
    else:
        results = [function(e) for e in tensor(elements)]
    return tree.map_structure(lambda *rows: shaping.stack(*promoted(*rows), axis=0), *results)


# Sizes that stand for an unknown one while shapes are inferred; two tries tell which axes depend on it.
_PROBES = ((5, 7), (83, 89))


def compute_output_spec(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """Infer shapes and dtypes by running `fn` on stand-ins without elements, twice if a size is unknown."""
    unknown = any(isinstance(x, KerasTensor) and None in x.shape for x in tree.flatten((args, kwargs)))
    with StatelessScope(), SymbolicScope(), paused(), shapes_only():
        for last, sizes in enumerate(_PROBES, 1):
            try:
                outputs = [_run_on_stand_ins(fn, args, kwargs, size) for size in (sizes if unknown else sizes[:1])]
            except Exception:
                if last == len(_PROBES) or not unknown:
                    raise
            else:
                break
    return tree.map_structure(_spec, *outputs)


def _run_on_stand_ins(fn: Any, args: Any, kwargs: Any, size: int) -> Any:
    def stand_in(x: Any) -> Any:
        if not isinstance(x, KerasTensor):
            return x
        return wrap(filled(tuple([size if n is None else n for n in x.shape]), numpy_dtype(x.dtype)))

    args, kwargs = tree.map_structure(stand_in, (args, kwargs))
    return fn(*args, **kwargs)


def _spec(*seen: Any) -> Any:
    first = seen[0]
    if not isinstance(first, Tensor):
        return first
    sizes = zip(*[x._value.shape for x in seen], strict=True)
    return KerasTensor([n[0] if len(set(n)) == 1 else None for n in sizes], name_of(first))


def map(f: Any, xs: Any) -> Any:
    """Apply `f` to each slice of `xs` along the first axis."""
    return scan(lambda _, x: ((), f(x)), (), xs)[1]


def scan(
    f: Any, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False, unroll: Any = 1
) -> tuple[Any, Any]:
    """Thread a carry through `f(carry, x) -> (carry, y)` and stack the y."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    xs = tree.map_structure(tensor, xs) if xs is not None else None
    n = int(length) if length is not None else len(tree.flatten(xs)[0])
    carry = tree.map_structure(tensor, init)
    blank = tree.map_structure(lambda x: wrap(np.zeros_like(x._value)), carry)
    ys: list[Any] = []
    for i in reversed(range(n)) if reverse else range(n):
        carry, y = f(carry, None if xs is None else tree.map_structure(lambda x, i=i: x[i], xs))
        ys.append(blank if y is None else y)
    stacked = tree.map_structure(lambda *rows: shaping.stack(*promoted(*rows), axis=0), *(ys[::-1] if reverse else ys))
    return carry, stacked


def associative_scan(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """All prefixes of an associative function along an axis, one step after the other."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [tensor(e) for e in tree.flatten(elems)]
    sizes = [e.shape[axis] for e in flat]
    if len(set(sizes)) != 1:
        raise ValueError(
            f"Array inputs to associative_scan must have the same first dimension. (saw: {[e.shape for e in flat]})"
        )

    def part(i: int) -> Any:
        keys = [(builtins.slice(None),) * (axis % e.ndim) + (builtins.slice(i, i + 1),) for e in flat]
        return tree.pack_sequence_as(elems, [e[k] for e, k in zip(flat, keys, strict=True)])

    order = range(sizes[0] - 1, -1, -1) if reverse else range(sizes[0])
    states: list[Any] = []
    for i in order:
        states.append(part(i) if not states else f(states[-1], part(i)))
    if reverse:
        states.reverse()
    return tree.map_structure(lambda *xs: shaping.concat(*promoted(*xs), axis=axis % xs[0].ndim), *states)


def scatter(indices: Any, values: Any, shape: Any) -> Tensor:
    """Zeros with values added at the positions that the last axis of `indices` spells."""
    return indexing.scatter_nd(tensor(values), tensor(indices), shape=tuple(shape))


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Tensor:
    """Return `inputs` with slices replaced, or combined by "add", "max", "min" or "mul"."""
    inputs = tensor(inputs)
    updates, where = tensor(updates, name_of(inputs)), tensor(indices)
    known = {None: indexing.nd_update, "add": indexing.nd_add, "max": indexing.nd_max, "min": indexing.nd_min}
    if reduction == "mul":
        for part in _rounds(settled(where)):
            factors = indexing.gather(updates, part, axis=0)
            place = indexing.gather(where, part, axis=0)
            inputs = indexing.nd_update(inputs, place, indexing.gather_nd(inputs, place) * factors)
        return inputs
    if reduction not in known:
        raise ValueError(f"Unsupported reduction: {reduction}")
    return known[reduction](inputs, where, updates)


def _rounds(places: Any) -> Iterator[Any]:
    """Numbers of rows, in parts in which no place occurs twice."""
    left = np.arange(len(places))
    while left.size:
        _, first = np.unique(places[left], axis=0, return_index=True)
        yield left[first]
        left = np.delete(left, first)


def _begins(start_indices: Any, inputs: Any, shape: Any) -> tuple[int, ...]:
    given = start_indices if isinstance(start_indices, list | tuple) else settled(tensor(start_indices))
    starts = [int(s) for s in given]
    return tuple(max(0, min(s, n - m)) for s, n, m in zip(starts, inputs.shape, shape, strict=True))


def slice(inputs: Any, start_indices: Any, shape: Any) -> Tensor:
    """Return the block of this shape that starts there."""
    if len(start_indices) != len(shape):
        raise ValueError(
            "Length of `start_indices` must match length of `shape`. "
            f"Received: start_indices={start_indices}, shape={shape}"
        )
    inputs = tensor(inputs)
    size = tuple(int(n) for n in shape)
    return shaping.slice_nd(inputs, begin=_begins(start_indices, inputs, size), size=size)


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Tensor:
    """Return `inputs` with the block that starts there replaced."""
    inputs = tensor(inputs)
    updates = tensor(updates, name_of(inputs))
    size = tuple(updates.shape)
    begin = _begins(start_indices, inputs, size)
    grid = np.stack(np.meshgrid(*[np.arange(b, b + n) for b, n in zip(begin, size, strict=True)], indexing="ij"), -1)
    return indexing.nd_update(inputs, grid, updates)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Call the branch of this number, clipped to those there are."""
    return branches[max(0, min(int(tensor(index)), len(branches) - 1))](*operands)


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: int | None = None) -> Any:
    """Repeat `body` while `cond` holds."""
    several = isinstance(loop_vars, tuple | list)
    state = tree.map_structure(tensor, tuple(loop_vars) if several else (loop_vars,))
    steps = 0
    while (maximum_iterations is None or steps < maximum_iterations) and bool(existing(cond(*state))):
        after = body(*state)
        state = tuple(after) if isinstance(after, list | tuple) else (after,)
        steps += 1
    return state if several else state[0]


def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    """Repeat `body_fun(i, value)` for i from lower to upper."""
    value = init_val
    for i in range(int(lower), int(upper)):
        value = body_fun(i, value)
    return value


def stop_gradient(variable: Any) -> Tensor:
    """Return the value as a constant."""
    return stop(tensor(variable))


def unstack(x: Any, num: int | None = None, axis: int = 0) -> list[Tensor]:
    """Return the slices along an axis."""
    x = tensor(x)
    return list(shaping.unstack(x, axis=axis % x.ndim))


def random_seed_dtype() -> str:
    """The dtype of seeds."""
    return "uint32"


def remat(f: Any) -> Any:
    """Return `f` without memory of its inner values: they are computed again for the gradient."""
    return recompute_grad(f)


@contextlib.contextmanager
def device_scope(device_name: str) -> Iterator[None]:
    """Accept any device: there is one."""
    yield


__all__ = ["custom_gradient"]
