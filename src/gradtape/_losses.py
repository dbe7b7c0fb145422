"""The cross entropies and other losses of `tf.nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import alike, broadcast_shape, of_kind, whole, wrong_dtype
from gradtape.base.dtypes import is_differentiable
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check
from gradtape.core.tensor import Tensor
from gradtape.ops import nn as ops
from gradtape.ops.elementwise import exp, log, softplus, square
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where
from gradtape.ops.shaping import broadcast_to, cast, cast_discrete, reshape, transpose

FLOATING = "fV"
UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
"""The unsigned dtype of each size: seen as one, a negative number is larger than any count."""


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Return `-sum(labels * log(softmax(logits)))` along an axis.

    Args:
        labels: distributions, which are cast to the dtype of `logits`; their shapes broadcast.
        logits: a floating tensor of rank 1 or more.
        axis: the axis of the classes.

    Returns:
        The losses, without that axis.

    Raises:
        InvalidArgumentError: if dtypes, shapes or the axis do not fit.

    >>> import gradtape as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([0.0, 1.0], [1.0, 2.0]).numpy()
    np.float32(0.31326166)
    """
    x = of_kind(to_tensor(logits, None, "logits"), FLOATING, "SoftmaxCrossEntropyWithLogits")
    y = _cast_to(to_tensor(labels, None, "labels"), x)
    shape, own = x._value.shape, y._value.shape
    rank = len(shape)
    if not rank:
        raise invalid("softmax_cross_entropy_with_logits: logits must have at least one axis, got a scalar")
    if not -rank <= axis < rank:
        raise invalid(f"softmax_cross_entropy_with_logits: axis {axis} is not in [{-rank}, {rank})")
    if own != shape:
        both = broadcast_shape(own, shape)
        if both is None or len(own) != rank:
            raise invalid(
                f"logits and labels must be broadcastable: logits_size={list(shape)} labels_size={list(own)} "
                "[Op:SoftmaxCrossEntropyWithLogits]"
            )
        x, y = broadcast_to(x, shape=both), broadcast_to(y, shape=both)
    if axis % rank != rank - 1:
        order = (*[i for i in range(rank) if i != axis % rank], axis % rank)
        x, y = transpose(x, perm=order), transpose(y, perm=order)
    return ops.softmax_cross_entropy(y, x)[0]


def _cast_to(labels: Tensor, logits: Tensor) -> Tensor:
    """The labels in the dtype of the logits."""
    own, dtype = labels._value.dtype, logits._value.dtype
    if own == dtype:
        return labels
    if own.kind == "O":
        raise wrong_dtype(own, "SoftmaxCrossEntropyWithLogits")
    return cast(labels, dtype=dtype) if is_differentiable(own) else cast_discrete(labels, dtype=dtype)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Return `-log(softmax(logits)[label])` along the last axis.

    Args:
        labels: int32 or int64 class numbers, shape `logits.shape[:-1]`.
        logits: a floating tensor of rank 1 or more.

    Raises:
        ValueError: if the shapes do not fit.
        InvalidArgumentError: if a label is not a class number, or a dtype does not fit.

    >>> import gradtape as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[1.0, 2.0]]).numpy()
    array([0.31326166], dtype=float32)
    """
    y, x = to_tensor(labels, None, "labels"), to_tensor(logits, None, "logits")
    of_kind(x, FLOATING, "SparseSoftmaxCrossEntropyWithLogits")
    classes, shape = y._value, x._value.shape
    if classes.dtype.kind not in "iu":
        raise wrong_dtype(classes.dtype, "SparseSoftmaxCrossEntropyWithLogits")
    if not shape:
        raise ValueError("`logits` cannot be a scalar. Received logits of shape ().")
    if classes.shape != shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={classes.shape} and logits.shape={shape}"
        )
    check(_check_classes, y, shape[-1])
    return ops.sparse_softmax_cross_entropy(y, x)[0]


def _check_classes(classes: Any, count: int) -> None:
    if classes.size and not np.maximum.reduce(classes.view(UNSIGNED[classes.dtype.itemsize]), None) < count:
        flat = classes.reshape(-1)
        bad = flat[(flat < 0) | (flat >= count)][0]
        raise invalid(
            f"Received a label value of {bad} which is outside the valid range of [0, {count}).  Label values: "
            f"{' '.join(map(str, flat[:20]))} [Op:SparseSoftmaxCrossEntropyWithLogits]"
        )


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Return `-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits))`, without overflow.

    Args:
        labels: probabilities, of the shape and dtype of `logits`.
        logits: a floating tensor.

    Raises:
        ValueError: if an argument is missing or the shapes differ.

    >>> import gradtape as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [1.0]).numpy()
    array([0.31326], dtype=float32)
    """
    y, x = _labels_and_logits(labels, logits)
    return ops.sigmoid_cross_entropy(y, x)


def _labels_and_logits(labels: Any, logits: Any) -> list[Tensor]:
    for label, value in (("labels", labels), ("logits", logits)):
        if value is None:
            raise ValueError(f"Both `labels` and `logits` must be provided. `{label}` is None.")
    x = of_kind(to_tensor(logits, None, "logits"), FLOATING, "Log1p")
    y = alike([labels, x], "Mul", x.dtype)[0]
    if x._value.shape != y._value.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({x._value.shape} vs {y._value.shape})."
        )
    return [y, x]


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """Return the sigmoid cross entropy with the positive part weighted by `pos_weight`.

    Raises:
        As `sigmoid_cross_entropy_with_logits`.

    >>> import gradtape as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.0], [1.0], 2.0).numpy()
    array([0.62652], dtype=float32)
    """
    y: Any
    x: Any
    y, x = _labels_and_logits(labels, logits)
    weight: Any = to_tensor(pos_weight, x.dtype, "pos_weight")
    return (1 - y) * x + (1 + (weight - 1) * y) * softplus(-x)


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Return half the sum of the squares.

    >>> import gradtape as tf
    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    x = of_kind(to_tensor(t, None, "t"), FLOATING, "L2Loss")
    return reduce_sum(square(x), axis=tuple(range(x._value.ndim))) / 2


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """Return `exp(log_input) - log_input * targets`, the negative log likelihood of Poisson's law up to a constant.

    Args:
        targets: counts, of the shape and dtype of `log_input`.
        log_input: logarithms of the expected counts.
        compute_full_loss: add Stirling's approximation of the constant, for targets above 1.

    Raises:
        ValueError: if the shapes differ.

    >>> import gradtape as tf
    >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    x: Any = of_kind(to_tensor(log_input, None, "log_input"), FLOATING, "Exp")
    y: Any = alike([targets, x], "Mul", x.dtype)[0]
    if x._value.shape != y._value.shape:
        raise ValueError(
            f"`log_input` and `targets` must have the same shape, received ({x._value.shape} vs {y._value.shape})."
        )
    loss = exp(x) - x * y
    if not compute_full_loss:
        return loss
    counted = (y >= 0) & (y <= 1)
    safe = where(counted, 1, y)
    stirling = y * log(safe) - y + 0.5 * log(2 * np.pi * safe)
    return loss + where(counted, 0, stirling)


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """Return the weighted sum of losses per example, divided by the size of the global batch.

    Args:
        per_example_loss: a tensor of rank 1 or more.
        sample_weight: weights that broadcast to it.
        global_batch_size: the number of examples in all, by default those at hand.

    Raises:
        ValueError: if the loss is a scalar.
        TypeError: if the batch size is not an integer.

    >>> import gradtape as tf
    >>> tf.nn.compute_average_loss([1.0, 3.0]).numpy()
    np.float32(2.0)
    """
    losses: Any = to_tensor(per_example_loss, None, "per_example_loss")
    if not losses._value.ndim:
        raise ValueError("Expecting an input of rank 1 or greater: per_example_loss is a scalar.")
    size = losses._value.shape[0] if global_batch_size is None else whole(global_batch_size, "global_batch_size")
    if size < 0:
        raise ValueError(f"global_batch_size must be non-negative, got {size}.")
    if sample_weight is not None:
        weights: Any = to_tensor(sample_weight, losses.dtype, "sample_weight")
        extra = losses._value.ndim - weights._value.ndim
        if weights._value.ndim and extra > 0:
            weights = reshape(weights, shape=(*weights._value.shape, *[1] * extra))
        losses = losses * weights
    return reduce_sum(losses, axis=tuple(range(losses._value.ndim))) / size


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Return the sum of a regularization loss. There is one replica, so nothing is scaled.

    >>> import gradtape as tf
    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    losses = to_tensor(regularization_loss, None, "regularization_loss")
    return reduce_sum(losses, axis=tuple(range(losses._value.ndim)))
