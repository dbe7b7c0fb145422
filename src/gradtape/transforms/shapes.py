"""Running a program for the shapes and dtypes of its results alone.

Inside of `shapes_only()` the elements of large arrays mean nothing: each is one number, repeated without memory. An
elementwise op computes that one number, a matrix product or convolution none at all. Small arrays stay exact, for
programs compute shapes and positions with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from gradtape.core.batching import Level, align
from gradtape.core.cotangents import concat
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import raw
from gradtape.ops import sampling
from gradtape.ops.convolution import convolve, unconvolve
from gradtape.ops.linalg import contract, matmul
from gradtape.ops.nn import log_softmax, softmax
from gradtape.ops.pooling import avg_pool, max_pool
from gradtape.ops.reductions import (
    euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from gradtape.ops.scans import cumsum
from gradtape.ops.shaping import flip, reshape, roll

SMALL = 1024
"""Up to how many elements arrays stay exact."""


def filled(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of zeros that takes no memory."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def _product_shape(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    a, b = args
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: shapes {list(a.shape)} and {list(b.shape)} do not fit")
    return (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])


def _contracted(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    sizes: dict[str, int] = {}
    for labels, value in zip(params["labels"], args, strict=False):
        for label, size in zip(labels, value.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                raise ValueError(f"axis {label!r} has sizes {sizes[label]} and {size}")
    return tuple([sizes[label] for label in params["labels"][2]])


def _reduced(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    return tuple([n for i, n in enumerate(args[0].shape) if i not in params["axis"]])


def _joined(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    axis = params["axis"]
    first, *others = [(a.shape[:axis], a.shape[axis + 1 :]) for a in args]
    if any(other != first for other in others):
        raise ValueError(f"shapes {[list(a.shape) for a in args]} do not fit along axis {axis}")
    return (*first[0], sum(a.shape[axis] for a in args), *first[1])


def _reshaped(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    shape, size = params["shape"], prod(args[0].shape)
    known = prod([n for n in shape if n >= 0])
    if list(shape).count(-1) > 1 or (size != known if -1 not in shape else not known or size % known):
        raise ValueError(f"cannot reshape {list(args[0].shape)} into {list(shape)}")
    return tuple([size // known if n < 0 else n for n in shape])


def _same(args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
    return args[0].shape


SHAPES: dict[Primitive, Callable[[list[Any], dict[str, Any]], tuple[int, ...]]] = {
    matmul: _product_shape,
    contract: _contracted,
    convolve: lambda args, p: (args[0].shape[0], *p["windows"].places, args[1].shape[-1]),
    unconvolve: lambda args, p: (args[0].shape[0], *p["windows"].sizes, args[1].shape[-2] * p["groups"]),
    max_pool: lambda args, p: (args[0].shape[0], *p["windows"].places, args[0].shape[-1]),
    avg_pool: lambda args, p: (args[0].shape[0], *p["windows"].places, args[0].shape[-1]),
    **dict.fromkeys((reduce_sum, reduce_mean, reduce_max, reduce_min, reduce_prod), _reduced),
    **dict.fromkeys((reduce_logsumexp, euclidean_norm), _reduced),
    concat: _joined,
    reshape: _reshaped,
    **dict.fromkeys((softmax, log_softmax, cumsum, flip, roll), _same),
}
"""The shapes of the results of costly ops whose dtype is that of their first argument."""

DRAWS = {sampling.normals, sampling.uniforms, sampling.truncated_normals, sampling.uniform_integers}


class _Shapes(Level):
    """What `STATE.level` asks for each application of a primitive."""

    __slots__ = ()

    def apply(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        values = [raw(a) for a in args]
        if sum(np.size(v) for v in values) <= SMALL and primitive not in DRAWS:
            out = primitive.kernel(*values, **params)
        elif primitive in SHAPES:
            return filled(SHAPES[primitive](values, params), values[0].dtype)
        elif primitive.partials or primitive.broadcasts:
            shape = np.broadcast_shapes(*[np.shape(v) for v in values])
            one = primitive.kernel(*[v[(slice(1),) * np.ndim(v)] if np.ndim(v) else v for v in values], **params)
            return np.broadcast_to(one, shape)
        elif primitive in DRAWS:
            return filled(params["shape"], params["dtype"])
        elif primitive.batch is align and len(values) == 1:
            return _first_rows(primitive, values[0], params)
        else:
            out = primitive.kernel(*values, **params)
        return tuple(map(_light, out)) if type(out) is tuple else _light(out)


def _first_rows(primitive: Primitive, x: Any, params: dict[str, Any]) -> Any:
    """Of an op on the last axes, which treats those before as a batch: that of the first entry of the batch."""
    batch = max(x.ndim - 2, 0)
    one = primitive.kernel(x[(slice(1),) * batch], **params)
    return np.broadcast_to(one, (*x.shape[:batch], *one.shape[batch:]))


def _light(value: Any) -> Any:
    """The same, or one of its elements repeated if it is large."""
    if np.size(value) <= SMALL:
        return value
    return np.broadcast_to(value[(slice(1),) * value.ndim], value.shape)


@contextmanager
def shapes_only() -> Iterator[None]:
    """Run a block in which large arrays have shapes and dtypes, but no elements that mean anything."""
    with _Shapes(0, _never).entered():
        yield


def _never(*args: Any) -> Any:
    raise NotImplementedError
