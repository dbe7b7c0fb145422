"""Matrix products and their like for `keras.ops`."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from keras.src.backend import config
from keras.src.backend.common.dtypes import result_type

from gradtape import linalg as tf_linalg
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.arranging import expand_dims, moveaxis, ravel, squeeze, stack
from gradtape.keras_backend.dispatch import as_float, cast, name_of, promoted, tensor
from gradtape.keras_backend.elementwise import conj
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, linalg, reductions, shaping


def _summable(*xs: Any) -> list[Tensor]:
    """Arrays of one dtype; if all are int8, in int32, in which their products are summed."""
    tensors = [tensor(x) if hasattr(x, "dtype") else x for x in xs]
    int8 = all(type(x) is Tensor and name_of(x) == "int8" for x in tensors)
    return [cast(x, "int32") for x in tensors] if int8 else promoted(*tensors)


def matmul(x1: Any, x2: Any) -> Tensor:
    """Matrix product; vectors as NumPy has it."""
    x1, x2 = _summable(x1, x2)
    if x1.ndim >= 2 and x2.ndim >= 2:
        return linalg.matmul(x1, x2)
    if x1.ndim == 1 and x2.ndim == 1:
        return reductions.reduce_sum(x1 * x2, axis=(0,))
    if x1.ndim == 1:
        return squeeze(linalg.matmul(expand_dims(x1, 0), x2), -2)
    return squeeze(linalg.matmul(x1, expand_dims(x2, -1)), -1)


def dot(x1: Any, x2: Any) -> Tensor:
    """NumPy's dot product."""
    x1, x2 = promoted(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return x1 * x2
    return tensordot(x1, x2, axes=[[x1.ndim - 1], [builtins.max(x2.ndim - 2, 0)]])


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Tensor:
    """Sum of products over pairs of axes, as one matrix product."""
    x1, x2 = promoted(x1, x2)
    if isinstance(axes, int):
        left, right = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    left, right = [a % x1.ndim for a in left], [a % x2.ndim for a in right]
    rest1 = [a for a in range(x1.ndim) if a not in left]
    rest2 = [a for a in range(x2.ndim) if a not in right]
    shape1, shape2 = x1._value.shape, x2._value.shape
    inner = reductions.count(shape1, tuple(left))
    a = shaping.reshape(
        shaping.transpose(x1, perm=(*rest1, *left)),
        shape=(-1 if inner else reductions.count(shape1, tuple(rest1)), inner),
    )
    b = shaping.reshape(
        shaping.transpose(x2, perm=(*right, *rest2)),
        shape=(inner, -1 if inner else reductions.count(shape2, tuple(rest2))),
    )
    return shaping.reshape(linalg.matmul(a, b), shape=(*(shape1[i] for i in rest1), *(shape2[i] for i in rest2)))


def vdot(x1: Any, x2: Any) -> Tensor:
    """Product of the conjugate of one with the other, flattened."""
    x1, x2 = promoted(x1, x2)
    return dot(conj(ravel(x1)), ravel(x2))


def inner(x1: Any, x2: Any) -> Tensor:
    """Sum of products over the last axes."""
    x1, x2 = promoted(x1, x2)
    return x1 * x2 if x1.ndim == 0 or x2.ndim == 0 else tensordot(x1, x2, axes=[[-1], [-1]])


def outer(x1: Any, x2: Any) -> Tensor:
    """All products of two flattened arrays."""
    x1, x2 = promoted(x1, x2)
    return shaping.reshape(x1, shape=(-1, 1)) * shaping.reshape(x2, shape=(1, -1))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """Einstein's summation."""
    from gradtape.linalg import einsum as tf_einsum  # the face parses ellipses and implicit outputs

    return tf_einsum(subscripts, *_summable(*operands))


def cross(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    """The vector product of vectors of three elements, or of two, which lie in a plane."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = promoted(x1, x2)
    a, b = moveaxis(x1, axisa, -1), moveaxis(x2, axisb, -1)
    sizes = a._value.shape[-1], b._value.shape[-1]
    if not {*sizes} <= {2, 3}:
        raise ValueError(
            "Both `x1` and `x2` must have 2 or 3 elements along their axis. "
            f"Received: x1.shape={x1.shape}, x2.shape={x2.shape}"
        )
    p, q = ([v[..., i] for i in range(n)] for v, n in zip((a, b), sizes, strict=True))
    third = p[0] * q[1] - p[1] * q[0]
    if sizes == (2, 2):
        return third
    if sizes[0] == 2:
        first, second = p[1] * q[2], -(p[0] * q[2])
    elif sizes[1] == 2:
        first, second = -(p[2] * q[1]), p[2] * q[0]
    else:
        first, second = p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2]
    return moveaxis(stack([first, second, third], -1), -1, axisc)


def kron(x1: Any, x2: Any) -> Tensor:
    """A copy of x2 for each element of x1, times that."""
    x1, x2 = promoted(x1, x2)
    rank = builtins.max(x1.ndim, x2.ndim)
    sizes1, sizes2 = ((1,) * (rank - x.ndim) + x._value.shape for x in (x1, x2))
    left = shaping.reshape(x1, shape=tuple(n for m in sizes1 for n in (m, 1)))
    right = shaping.reshape(x2, shape=tuple(n for m in sizes2 for n in (1, m)))
    return shaping.reshape(left * right, shape=tuple(m * n for m, n in zip(sizes1, sizes2, strict=True)))


def correlate(x1: Any, x2: Any, mode: str = "valid") -> Tensor:
    """Products of x1 with x2 moved along it: where they overlap whole, where their centres do, or at all."""
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"`mode` must be 'valid', 'same' or 'full'. Received: mode={mode!r}")
    x1, x2 = promoted(x1, x2)
    name = name_of(x1)
    dtype = "float64" if name == "int64" else name if name in ("bfloat16", "float16", "float64") else "float32"
    x1, x2 = cast(x1, dtype), cast(x2, dtype)
    swapped = x1._value.shape[0] < x2._value.shape[0]
    a, b = (x2, x1) if swapped else (x1, x2)
    n, m = a._value.shape[0], b._value.shape[0]
    padded = shaping.pad(a, paddings=((m - 1, m - 1),))
    places = np.arange(n + m - 1)[:, None] + np.arange(m)
    out = matmul(indexing.gather(padded, places, axis=0), b)
    begin, size = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    if swapped:
        out = shaping.flip(out, axes=(0,))
        begin = n + m - 1 - begin - size if mode != "same" else m // 2
    return shaping.slice_nd(out, begin=(begin,), size=(size,))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Rows of powers of each element, the highest first."""
    x = tensor(x)
    dtype = name_of(x)
    wide = cast(x, result_type(dtype, config.floatx()))
    exponents = np.arange(x._value.shape[0] if N is None else N)
    order = exponents if increasing else exponents[::-1]
    powers = ew.power(shaping.reshape(wide, shape=(-1, 1)), tensor(order, name_of(wide)))
    return cast(powers, result_type(dtype))


def slogdet(x: Any) -> tuple[Tensor, Tensor]:
    """The sign of the determinant, and the logarithm of its absolute value."""
    sign, logarithm = tf_linalg.slogdet(as_float(x))
    return sign, logarithm
