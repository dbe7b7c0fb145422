"""`keras.ops.nn`: activations, losses and normalisation over gradtape's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.common import standardize_dtype

from gradtape import nn as tf_nn
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.convolution import (  # noqa: F401  Keras looks for them here
    adaptive_average_pool,
    adaptive_max_pool,
    average_pool,
    conv,
    conv_transpose,
    depth_to_space,
    depthwise_conv,
    fold,
    max_pool,
    separable_conv,
    space_to_depth,
    unfold,
)
from gradtape.keras_backend.crossentropies import (  # noqa: F401
    binary_crossentropy,
    categorical_crossentropy,
    remember,
    sparse_categorical_crossentropy,
)
from gradtape.keras_backend.dispatch import as_float, cast, clipped, name_of, numpy_dtype, promoted, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import ctc, indexing, reductions, scans, selection, shaping
from gradtape.ops import elementwise as ew

__getattr__ = missing("nn")


def relu(x: Any) -> Tensor:
    """max(x, 0)."""
    return tf_nn.relu(tensor(x))


def relu6(x: Any) -> Tensor:
    """min(max(x, 0), 6)."""
    return tf_nn.relu6(tensor(x))


def sigmoid(x: Any) -> Tensor:
    """1 / (1 + exp(-x))."""
    x = as_float(x)
    return remember(x, ew.sigmoid(x))


def sparse_sigmoid(x: Any) -> Tensor:
    """A line between -1 and 1, 0 and 1 outside."""
    return (clipped(as_float(x), -1.0, 1.0) + 1.0) * 0.5


def tanh(x: Any) -> Tensor:
    """Hyperbolic tangent."""
    return ew.tanh(as_float(x))


def tanh_shrink(x: Any) -> Tensor:
    """x - tanh(x)."""
    x = as_float(x)
    return x - ew.tanh(x)


def softplus(x: Any) -> Tensor:
    """log(1 + exp(x))."""
    return ew.softplus(as_float(x))


def softsign(x: Any) -> Tensor:
    """x / (1 + |x|)."""
    return tf_nn.softsign(as_float(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """Move toward 0 by the threshold."""
    x = as_float(x)
    return selection.where(x > threshold, x - threshold, selection.where(x < -threshold, x + threshold, 0))


def hard_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """0 within the threshold."""
    x = as_float(x)
    return selection.where(ew.absolute(x) > threshold, x, 0)


def sparse_plus(x: Any) -> Tensor:
    """0, a parabola and then x."""
    x = as_float(x)
    return selection.where(x <= -1.0, 0, selection.where(x < 1.0, ew.square(x + 1.0) * 0.25, x))


def silu(x: Any) -> Tensor:
    """x sigmoid(x)."""
    return tf_nn.silu(as_float(x))


def squareplus(x: Any, b: float = 4) -> Tensor:
    """(x + sqrt(x^2 + b)) / 2."""
    x = as_float(x)
    return (x + ew.sqrt(ew.square(x) + float(b))) * 0.5


def log_sigmoid(x: Any) -> Tensor:
    """log(sigmoid(x))."""
    return ew.log_sigmoid(as_float(x))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Tensor:
    """x, and a smaller slope below 0."""
    return tf_nn.leaky_relu(as_float(x), float(negative_slope))


def hard_sigmoid(x: Any) -> Tensor:
    """relu6(x + 3) / 6."""
    return tf_nn.relu6(as_float(x) + 3.0) / 6.0


def hard_silu(x: Any) -> Tensor:
    """x hard_sigmoid(x)."""
    x = as_float(x)
    return x * hard_sigmoid(x)


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """x, and alpha (exp(x) - 1) below 0."""
    x = as_float(x)
    out = tf_nn.elu(x)
    return out if alpha == 1 else selection.where(x > 0, out, out * float(alpha))


def selu(x: Any) -> Tensor:
    """Scaled elu that normalises itself."""
    return tf_nn.selu(as_float(x))


def gelu(x: Any, approximate: bool = True) -> Tensor:
    """x times the normal distribution function."""
    return tf_nn.gelu(as_float(x), approximate)


def celu(x: Any, alpha: float = 1.0) -> Tensor:
    """Continuously differentiable elu."""
    x = as_float(x)
    zero = selection.zeros_like(x)
    return ew.maximum(x, zero) + ew.expm1(ew.minimum(x, zero) / float(alpha)) * float(alpha)


def glu(x: Any, axis: int = -1) -> Tensor:
    """One half times the sigmoid of the other."""
    x = as_float(x)
    if x._value.shape[axis] % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={x.shape} with axis={axis}")
    half = x._value.shape[axis] // 2
    first, second = shaping.split(x, sizes=(half, half), axis=axis % x.ndim)
    return first * ew.sigmoid(second)


def hard_tanh(x: Any) -> Tensor:
    """Limit to [-1, 1]."""
    return clipped(as_float(x), -1.0, 1.0)


def threshold(x: Any, threshold: float, default_value: float) -> Tensor:
    """x above the threshold, the default elsewhere."""
    x = as_float(x)
    return selection.where(x > threshold, x, tensor(default_value, name_of(x)))


def softmax(x: Any, axis: Any = -1) -> Tensor:
    """exp(x) normalised to sum to one along an axis, or over all of them."""
    x = as_float(x)
    if axis is None:
        return remember(x, shaping.reshape(tf_nn.softmax(shaping.reshape(x, shape=(-1,))), shape=x._value.shape))
    return remember(x, tf_nn.softmax(x, axis))


def log_softmax(x: Any, axis: Any = -1) -> Tensor:
    """log(softmax(x))."""
    x = as_float(x)
    if axis is None:
        return shaping.reshape(tf_nn.log_softmax(shaping.reshape(x, shape=(-1,))), shape=x._value.shape)
    return tf_nn.log_softmax(x, axis)


# Encodings.


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Tensor:
    """Ones at the classes, nothing for classes outside."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with gradtape")
    x = tensor(x)
    wanted = numpy_dtype("float32" if dtype is None else standardize_dtype(dtype))
    if x._value.dtype.kind not in "iu":
        x = cast(x, "int64")
    return indexing.one_hot(x, depth=num_classes, on=1, off=0, axis=axis % (x.ndim + 1), dtype=wanted)


def multi_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Tensor:
    """Ones at all the classes of each row."""
    x = tensor(x)
    reduction = 1 if x.ndim > 1 else 0
    hot = one_hot(x, num_classes, -1, dtype, sparse)
    return reductions.reduce_max(hot, axis=(reduction,))


# Normalisation.


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes; half precision is computed in float32."""
    if synchronized:
        raise NotImplementedError("Argument synchronized=True is not supported with gradtape.")
    x = tensor(x)
    half = name_of(x) in ("float16", "bfloat16")
    wide = cast(x, "float32") if half else as_float(x)
    chosen = tuple(a % x.ndim for a in ((axes,) if isinstance(axes, int) else axes))
    kept = reductions.kept(x._value.shape, chosen)
    mean = shaping.reshape(reductions.reduce_mean(wide, axis=chosen), shape=kept)
    variance = shaping.reshape(reductions.reduce_mean(ew.square(wide - mean), axis=chosen), shape=kept)
    if not keepdims:
        shape = tuple(n for i, n in enumerate(x._value.shape) if i not in chosen)
        mean, variance = shaping.reshape(mean, shape=shape), shaping.reshape(variance, shape=shape)
    if half:
        info = np.finfo(np.float16) if name_of(x) == "float16" else None
        if info is not None:
            mean, variance = (clipped(v, float(info.min), float(info.max)) for v in (mean, variance))
        mean, variance = cast(mean, name_of(x)), cast(variance, name_of(x))
    return mean, variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Tensor:
    """Scale and shift x by its statistics, which lie along one axis."""
    x = tensor(x)
    shape = [1] * x.ndim
    shape[axis] = -1

    def along(value: Any) -> Tensor:
        return shaping.reshape(tensor(value, name_of(x)), shape=tuple(shape))

    factor = ew.rsqrt(along(variance) + float(epsilon))
    if scale is not None:
        factor = factor * along(scale)
    shift = -along(mean) * factor
    if offset is not None:
        shift = shift + along(offset)
    return x * factor + shift


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Tensor:
    """softmax(query key^T scale) value, for [batch, time, heads, features]."""
    if flash_attention:
        raise ValueError("Flash attention is not supported with gradtape.")
    query, key, value = (as_float(x) for x in promoted(query, key, value))
    if query.ndim != 4:
        raise ValueError(f"`dot_product_attention` only supports 4D inputs. Received: query.shape={query.shape}")
    scale = 1.0 / float(np.sqrt(query._value.shape[-1])) if scale is None else float(scale)
    q, k, v = (shaping.transpose(x, perm=(0, 2, 1, 3)) for x in (query, key, value))
    logits = (q @ shaping.mT(k)) * scale
    if attn_logits_soft_cap is not None:
        logits = ew.tanh(logits / float(attn_logits_soft_cap)) * float(attn_logits_soft_cap)
    if bias is not None:
        logits = logits + tensor(bias, name_of(logits))
    if is_causal:
        causal = wrap(np.tri(*logits._value.shape[-2:], dtype=bool))
        mask = causal if mask is None else selection.logical_and(causal, tensor(mask, "bool"))
    if mask is not None:
        lowest = float(np.finfo(np.float16 if name_of(logits) == "float16" else np.float32).min) * 0.7
        logits = selection.where(tensor(mask, "bool"), logits, lowest)
    weights = tf_nn.softmax(logits, -1)
    return shaping.transpose(weights @ v, perm=(0, 2, 1, 3))


def sparsemax(x: Any, axis: int = -1) -> Tensor:
    """The point nearest to x whose elements are not negative and sum to one: most are exactly zero."""
    x = as_float(x)
    axis %= x.ndim
    size = x._value.shape[axis]
    ordered = indexing.take_along(x, indexing.argsort(x, axis=axis, descending=True), axis=axis)
    sums = scans.cumsum(ordered, axis=axis, exclusive=False, reverse=False)
    ranks = tensor(np.arange(1, size + 1).reshape([-1 if i == axis else 1 for i in range(x.ndim)]), name_of(x))
    inside = ordered * ranks > sums - 1.0
    kept = reductions.kept(x._value.shape, (axis,))
    number = shaping.reshape(reductions.reduce_sum(cast(inside, name_of(x)), axis=(axis,)), shape=kept)
    total = shaping.reshape(reductions.reduce_sum(selection.where(inside, ordered, 0), axis=(axis,)), shape=kept)
    return tf_nn.relu(x - (total - 1.0) / number)


def psnr(x1: Any, x2: Any, max_val: Any) -> Tensor:
    """The ratio of the largest value to the error, in decibels."""
    x1, x2 = (as_float(x) for x in promoted(x1, x2))
    if x1._value.shape != x2._value.shape:
        raise ValueError(f"Input shapes {x1.shape} and {x2.shape} must match for PSNR calculation. ")
    error = reductions.reduce_mean(ew.squared_difference(x1, x2), axis=tuple(range(x1.ndim)))
    top = tensor(max_val, name_of(x2))
    return (ew.log(top) * 20.0 - ew.log(error) * 10.0) / float(np.log(10.0))


# Sequences of labels.


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Tensor:
    """-log of the probability of each row of labels, from logits [batch, time, classes]; `mask_index` is the blank."""
    output = as_float(output)
    output = cast(output, backend.result_type(name_of(output), "float32"))
    labels, label_length, length = (tensor(x, "int32") for x in (target, target_length, output_length))
    return ctc.ctc_loss(output, labels, length, label_length, blank=mask_index)


def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int | None = 0,
) -> tuple[Tensor, Tensor]:
    """The most probable rows of labels [paths, batch, time], filled up with -1, and their scores [batch, paths]."""
    x = as_float(inputs)
    x = cast(x, backend.result_type(name_of(x), "float32"))
    lengths = tensor(sequence_lengths, "int32")
    blank = x._value.shape[2] - 1 if mask_index is None else mask_index
    if strategy == "greedy":
        path = ctc.greedy_path(x, lengths, blank=blank, merge=merge_repeated)
        inside = np.arange(x._value.shape[1]) < shaping.reshape(lengths, shape=(-1, 1))
        best = selection.where(inside, reductions.reduce_max(x, axis=(2,)), 0)
        score = -reductions.reduce_sum(best, axis=(1,))
        return shaping.reshape(path, shape=(1, *path._value.shape)), shaping.reshape(score, shape=(-1, 1))
    if strategy == "beam_search":
        shares = tf_nn.log_softmax(x, -1)
        paths, scores = ctc.best_paths(shares, lengths, blank=blank, width=beam_width, count=top_paths)
        return shaping.transpose(paths, perm=(1, 0, 2)), scores
    raise ValueError(f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.")
