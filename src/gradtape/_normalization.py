"""Moments, normalisation, bias, dropout and embeddings of `tf.nn`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import alike, of_kind, positive_axis, whole, wholes
from gradtape._clipping import clip_by_norm
from gradtape._gathering import gather
from gradtape.base.dtypes import float32
from gradtape.base.errors import invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import check
from gradtape.core.tensor import Tensor, raw
from gradtape.ops import elementwise as ew
from gradtape.ops import shaping as ops
from gradtape.ops.nn import bias_add as add_bias
from gradtape.ops.nn import window_sum
from gradtape.ops.reductions import reduce_mean, reduce_sum
from gradtape.ops.sampling import Shape, draw_key, uniforms
from gradtape.ops.selection import greater_equal, where

FLOATING = "fV"


class Statistics(NamedTuple):
    """What the mean and the variance are computed from."""

    count: Tensor  # type: ignore[assignment] # TensorFlow's name for it, which hides the method of tuples
    mean_ss: Tensor
    var_ss: Tensor
    shift: Any


def _axes_of(x: Any, axes: Any) -> tuple[int, ...]:
    rank = x._value.ndim
    message = f"Invalid reduction dimension: axes {axes} for input with {rank} dimension(s)"
    return tuple([positive_axis(a, rank, message) for a in wholes(axes, "axes")])


def _kept(x: Any, axis: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([1 if i in axis else n for i, n in enumerate(x._value.shape)])


def _precise(x: Any) -> Any:
    """float16 in float32, in which the moments are computed."""
    return ops.cast(x, dtype=np.dtype("float32")) if x._value.dtype == np.float16 else x


def _back(x: Any, like: Any) -> Any:
    dtype = like._value.dtype
    return x if x._value.dtype == dtype else ops.cast(x, dtype=dtype)


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return the mean and the variance over axes.

    Args:
        x: a floating tensor.
        axes: one axis or several.
        shift: accepted, without effect.
        keepdims: keep the axes with size 1.

    Raises:
        InvalidArgumentError: if an axis does not exist.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.nn.moments([1.0, 2.0], [0])]
    [np.float32(1.5), np.float32(0.25)]
    """
    value = to_tensor(x, None, "x")
    axis = _axes_of(value, axes)
    y = _precise(value)
    kept = _kept(value, axis)
    mean = reduce_mean(y, axis=axis)
    variance = reduce_mean(ew.squared_difference(y, ops.reshape(mean, shape=kept)), axis=axis)
    found = [ops.reshape(t, shape=kept) if keepdims else t for t in (mean, variance)]
    return _back(found[0], value), _back(found[1], value)


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return the mean and the variance over axes, of elements that count `frequency_weights` times.

    Args:
        x: a floating tensor.
        axes: one axis or several.
        frequency_weights: weights that broadcast to `x`.
        keepdims: keep the axes with size 1.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.nn.weighted_moments([1.0, 5.0], [0], [3.0, 1.0])]
    [np.float32(2.0), np.float32(3.0)]
    """
    value, given = alike([x, frequency_weights], "Mul")
    axis = _axes_of(value, axes)
    y, weights = _precise(value), _precise(given)
    weights = ops.broadcast_to(weights, shape=np.broadcast_shapes(y._value.shape, weights._value.shape))
    kept = _kept(y, axis)
    total = reduce_sum(weights, axis=axis)
    mean = ew.divide_no_nan(reduce_sum(weights * y, axis=axis), total)
    distance = ew.squared_difference(y, ops.reshape(mean, shape=kept))
    variance = ew.divide_no_nan(reduce_sum(weights * distance, axis=axis), total)
    found = [ops.reshape(t, shape=kept) if keepdims else t for t in (mean, variance)]
    return _back(found[0], value), _back(found[1], value)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Statistics:
    """Return the count, the sum and the sum of squares over axes, of `x - shift`, and the shift.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.nn.sufficient_statistics([1.0, 2.0], [0])[:3]]
    [np.float32(2.0), np.float32(3.0), np.float32(5.0)]
    """
    value: Any = to_tensor(x, None, "x")
    axis = _axes_of(value, axes)
    moved = value if shift is None else value - to_tensor(shift, value.dtype, "shift")
    sums = [reduce_sum(moved, axis=axis), reduce_sum(ew.square(moved), axis=axis)]
    if keepdims:
        sums = [ops.reshape(s, shape=_kept(value, axis)) for s in sums]
    count = np.prod([value._value.shape[a] for a in axis], dtype=np.int64)
    size = to_tensor(value._value.dtype.type(count))
    return Statistics(size, sums[0], sums[1], None if shift is None else to_tensor(shift, value.dtype, "shift"))


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return the mean and the variance of what `sufficient_statistics` gave.

    >>> import gradtape as tf
    >>> [t.numpy() for t in tf.nn.normalize_moments(2.0, 3.0, 5.0, None)]
    [np.float32(1.5), np.float32(0.25)]
    """
    n: Any
    first: Any
    second: Any
    n, first, second = alike([counts, mean_ss, variance_ss], "Mul")
    moved = first / n
    variance = second / n - moved * moved
    return (moved if shift is None else moved + to_tensor(shift, first.dtype, "shift")), variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """Return `(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`.

    Args:
        x: a floating tensor.
        mean: a tensor that broadcasts to it, like the next three.
        variance: the variance.
        offset: what to add, or None.
        scale: what to multiply with, or None.
        variance_epsilon: a small number.

    >>> import gradtape as tf
    >>> tf.nn.batch_normalization([3.0], 1.0, 4.0, None, 2.0, 0.0).numpy()
    array([2.], dtype=float32)
    """
    value: Any = to_tensor(x, None, "x")
    spread: Any = to_tensor(variance, value.dtype, "variance")
    center: Any = to_tensor(mean, value.dtype, "mean")
    factor = ew.rsqrt(spread + to_tensor(variance_epsilon, value.dtype, "variance_epsilon"))
    if scale is not None:
        factor = factor * to_tensor(scale, value.dtype, "scale")
    shift = -center * factor if offset is None else to_tensor(offset, value.dtype, "offset") - center * factor
    return value * factor + shift


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Return `batch_normalization` with the offset `beta` and, if asked, the scale `gamma`."""
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5, name: str | None = None
) -> Tensor:
    """Divide each element by `(bias + alpha * s) ** beta`, with s the sum of the squares of its neighbours in depth.

    Args:
        input: shape `[batch, height, width, depth]`.
        depth_radius: how far neighbours go.
        bias: an offset, above 0.
        alpha: a scale.
        beta: an exponent.

    Raises:
        InvalidArgumentError: unless the rank is 4.

    >>> import gradtape as tf
    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 2]), 1, 1.0, 1.0, 1.0).numpy().tolist()
    [[[[0.3333333432674408, 0.3333333432674408]]]]
    """
    x: Any = of_kind(to_tensor(input, None, "input"), FLOATING, "LRN")
    if x._value.ndim != 4:
        raise invalid(f"local_response_normalization: input must be 4-dimensional, got {list(x._value.shape)} [Op:LRN]")
    around = window_sum(ew.square(x), radius=int(depth_radius))
    return x * ew.power(float(bias) + float(alpha) * around, -float(beta))


lrn = local_response_normalization


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Add one number per channel.

    Args:
        value: a tensor of rank 2 or more.
        bias: a vector, one element per channel.
        data_format: "NC..." if the channels are the second axis; by default they are the last.

    Raises:
        ValueError: for another format.
        InvalidArgumentError: if there is not one element per channel.

    >>> import gradtape as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format!r}")
    x: Any
    b: Any
    x, b = alike([value, bias], "BiasAdd")
    shape = x._value.shape
    if len(shape) < 2:
        raise invalid(f"Input tensor must be at least 2D: {list(shape)} [Op:BiasAdd]")
    if b._value.ndim != 1:
        raise invalid(f"Biases must be 1D: {list(b._value.shape)} [Op:BiasAdd]")
    second = data_format is not None and data_format.startswith("NC")
    channels = shape[1] if second else shape[-1]
    if b._value.shape != (channels,):
        place = "channel" if second else "last"
        raise invalid(
            f"Must provide as many biases as the {place} dimension of the input tensor: {list(b._value.shape)} vs. "
            f"{list(shape)} [Op:BiasAdd]"
        )
    return x + ops.reshape(b, shape=(channels, *[1] * (len(shape) - 2))) if second else add_bias(x, b)


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Set elements to zero at random, and scale the others so that the expected sum stays the same.

    Args:
        x: a floating tensor.
        rate: the share of zeros, in [0, 1).
        noise_shape: the shape of the choices, which broadcast to `x`; its own shape by default.
        seed: an integer, for a stream of its own.

    Raises:
        ValueError: if the rate is not in that range, or `x` is not floating.

    >>> import gradtape as tf
    >>> tf.nn.dropout([1.0, 2.0], 0).numpy()
    array([1., 2.], dtype=float32)
    """
    number = None if seed is None else whole(seed, "seed")
    return _dropped(x, rate, noise_shape, lambda shape: _uniform(draw_key(number), shape))


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: str = "auto_select", noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return what `dropout` does, with choices that the seed alone decides.

    Args:
        x: a floating tensor.
        rate: the share of zeros, in [0, 1).
        seed: two integers.
        rng_alg: accepted, without effect.
        noise_shape: the shape of the choices.

    >>> import gradtape as tf
    >>> bool(tf.reduce_all(tf.nn.experimental.stateless_dropout(tf.ones(9), 0.5, [1, 2])
    ...                    == tf.nn.experimental.stateless_dropout(tf.ones(9), 0.5, [1, 2])))
    True
    """
    key = to_tensor(seed, None, "seed")
    if key._value.shape != (2,) or key._value.dtype.kind not in "iu":
        raise invalid(f"seed must be two integers, of shape [2], not {key.dtype.name}{list(key._value.shape)}")
    return _dropped(x, rate, noise_shape, lambda shape: _uniform(key, shape))


def _uniform(key: Tensor, shape: Shape) -> Tensor:
    return uniforms(key, shape=shape, dtype=np.dtype(np.float32))


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """Return what `dropout` does, with choices from `uniform_sampler(shape, dtype)`, numbers in [0, 1)."""

    def sample(shape: Shape) -> Any:
        return to_tensor(uniform_sampler(shape=shape, dtype=float32))

    return _dropped(x, rate, noise_shape, sample)


def _dropped(x: Any, rate: Any, noise_shape: Any, sample: Any) -> Tensor:
    value: Any = to_tensor(x, None, "x")
    if value._value.dtype.kind not in FLOATING:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x.dtype={value.dtype}, shape={value._value.shape}"
        )
    share = existing(rate)
    if np.ndim(raw(share)) or isinstance(share, bool | str | None):
        raise _bad_rate(rate)
    check(_check_rate, share)
    if not isinstance(share, Tensor) and share == 0:
        return value
    shape = value._value.shape
    wanted = shape if noise_shape is None else _noise(noise_shape, shape)
    keep = greater_equal(sample(wanted), share)
    scale = 1 / (1 - share)
    scaled = value * (to_tensor(scale, value.dtype) if not isinstance(scale, Tensor) else _back(scale, value))
    return where(keep, scaled, 0)


def _check_rate(rate: Any) -> None:
    if not 0 <= rate < 1:
        raise _bad_rate(rate)


def _bad_rate(rate: Any) -> ValueError:
    return ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")


def _noise(noise_shape: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the choices; None in it stands for the size of the tensor."""
    given = list(noise_shape) if isinstance(noise_shape, list | tuple) else list(wholes(noise_shape, "noise_shape"))
    if len(given) == len(shape):
        given = [n if g is None else g for g, n in zip(given, shape, strict=True)]
    sizes = wholes(given, "noise_shape")
    if len(sizes) > len(shape) or any(s not in (1, n) for s, n in zip(sizes[::-1], shape[::-1], strict=False)):
        raise invalid(f"dropout: noise_shape {list(sizes)} does not broadcast to {list(shape)}")
    return sizes


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """Return rows of a table. The gradient of a variable is an `IndexedSlices`.

    Args:
        params: the table, shape `[n, ...]`; or a list of tables, which count as one below the other.
        ids: int32 or int64 row numbers, of any shape.
        max_norm: scale longer rows down to this norm.

    Raises:
        InvalidArgumentError: for a row that is not there.

    >>> import gradtape as tf
    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1]).numpy()
    array([[3., 4.]], dtype=float32)
    """
    table = params
    if isinstance(params, list | tuple):
        if not params:
            raise ValueError("embedding_lookup: `params` must hold at least one table, got none.")
        table = params[0] if len(params) == 1 else ops.concat(*alike(params, "ConcatV2"), axis=0)
    found = gather(table, ids)
    if max_norm is None:
        return found
    return clip_by_norm(found, max_norm, axes=list(range(np.ndim(ids), found._value.ndim)))
