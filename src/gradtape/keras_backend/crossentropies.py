"""Cross entropies. Of probabilities that came out of softmax or sigmoid they are computed from what went in there."""

from __future__ import annotations

import warnings
from typing import Any

from keras.src import backend

from gradtape import nn as tf_nn
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, clipped, name_of, numpy_dtype, tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, reductions, shaping


def remember(logits: Tensor, probabilities: Tensor) -> Tensor:
    """Note what probabilities were computed from, where Keras' own activations note it."""
    probabilities._keras_logits = logits
    return probabilities


def _logits(output: Any, from_logits: bool, function: str, activation: str) -> tuple[Tensor, bool]:
    """The logits behind probabilities where they are known: a probability that rounds to 0 or 1 has no gradient."""
    logits = getattr(output, "_keras_logits", None)
    if logits is None:
        return as_float(output), from_logits
    if from_logits:
        warnings.warn(
            f'"`{function}` received `from_logits=True`, but the `output` argument was produced by a {activation} '
            "activation and thus does not represent logits. Was this intended?",
            stacklevel=4,
        )
    return as_float(logits), True


def _targets(target: Any, output: Tensor) -> Tensor:
    return tensor(target, name_of(output))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """-sum(target log(output)) along an axis, output normalised first unless it holds logits."""
    output, from_logits = _logits(output, from_logits, "categorical_crossentropy", "Softmax")
    target = _targets(target, output)
    if target._value.shape != output._value.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if output.ndim < 1:
        raise ValueError("Arguments `target` and `output` must be at least rank 1.")
    axis %= output.ndim
    if from_logits:
        log_prob = tf_nn.log_softmax(output, axis)
    else:
        total = shaping.reshape(
            reductions.reduce_sum(output, axis=(axis,)), shape=reductions.kept(output._value.shape, (axis,))
        )
        log_prob = _safe_log(output / total)
    return -reductions.reduce_sum(target * log_prob, axis=(axis,))


def _safe_log(probability: Tensor) -> Tensor:
    fuzz = backend.epsilon()
    return ew.log(clipped(probability, fuzz, 1.0 - fuzz))


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """The cross entropy for classes given as integers."""
    output, from_logits = _logits(output, from_logits, "sparse_categorical_crossentropy", "Softmax")
    target = tensor(target, "int32")
    shape = target._value.shape
    if len(shape) == output.ndim and shape[-1] == 1:
        target = shaping.reshape(target, shape=shape[:-1])
        shape = shape[:-1]
    if output.ndim < 1:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}")
    if (
        shape != (*output._value.shape[:axis], *output._value.shape[axis % output.ndim + 1 :])
        and len(shape) != output.ndim - 1
    ):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    axis %= output.ndim
    if from_logits and axis == output.ndim - 1:
        return tf_nn.sparse_softmax_cross_entropy_with_logits(target, output)
    hot = indexing.one_hot(
        target, depth=output._value.shape[axis], on=1, off=0, axis=axis, dtype=numpy_dtype(name_of(output))
    )
    return categorical_crossentropy(hot, output, from_logits, axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """-target log(output) - (1 - target) log(1 - output), elementwise."""
    output, from_logits = _logits(output, from_logits, "binary_crossentropy", "Sigmoid")
    target = _targets(target, output)
    if target._value.shape != output._value.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if from_logits:
        return tf_nn.sigmoid_cross_entropy_with_logits(target, output)
    fuzz = backend.epsilon()
    output = clipped(output, fuzz, 1.0 - fuzz)
    return -(target * ew.log(output) + (1.0 - target) * ew.log(1.0 - output))
