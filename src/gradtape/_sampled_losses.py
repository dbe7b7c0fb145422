"""Losses over very many classes, of which only some are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import whole
from gradtape._candidates import log_uniform_candidate_sampler
from gradtape._losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from gradtape._normalization import embedding_lookup
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import shaping
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import reduce_any, reduce_sum
from gradtape.ops.selection import where


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """The noise-contrastive estimate of a loss over many classes, by M. Gutmann and A. Hyvärinen (2010).

    Args:
        weights: [num_classes, width], or a list of parts of that.
        biases: [num_classes].
        labels: [batch, num_true], int64.
        inputs: [batch, width].
        num_sampled: how many classes to draw.
        num_classes: how many there are.
        num_true: how many true classes an example has.
        sampled_values: what a candidate sampler returned; `log_uniform_candidate_sampler` is asked by default.
        remove_accidental_hits: leave out drawn classes that are true ones.

    Returns:
        The losses, [batch].

    Raises:
        InvalidArgumentError: if shapes do not fit.
    """
    logits, targets = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    return reduce_sum(sigmoid_cross_entropy_with_logits(targets, logits), axis=(1,))


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross entropy of the true classes among drawn ones. Args, result and errors as in `nce_loss`."""
    logits, targets = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(targets, logits)


def _sampled(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any,
    sampled_values: Any,
    remove_hits: bool,
    seed: Any = None,
) -> tuple[Any, Any]:
    """Logits of the true and of the drawn classes, less the logarithms of their expected counts; and targets."""
    x, true = to_tensor(inputs, None, "inputs"), to_tensor(labels, None, "labels")
    n = whole(num_true, "num_true")
    if x._value.ndim != 2 or true._value.shape != (len(x._value), n):
        raise invalid(
            f"inputs must be [batch, width] and labels [batch, {n}], got {list(x._value.shape)} and "
            f"{list(true._value.shape)}"
        )
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(true, n, num_sampled, True, num_classes, seed)
    drawn, true_count, drawn_count = (to_tensor(v, None, "sampled_values") for v in sampled_values)
    batch, width = x._value.shape
    flat = shaping.reshape(true, shape=(batch * n,))
    ids = shaping.concat(flat, cast_discrete(drawn, dtype=flat._value.dtype), axis=0)
    rows, offsets = embedding_lookup(weights, ids), embedding_lookup(biases, ids)
    if rows._value.shape[1:] != (width,):
        raise invalid(f"weights must be [num_classes, {width}], as inputs are, got rows {list(rows._value.shape[1:])}")
    own = shaping.reshape(rows[: batch * n], shape=(batch, n, width))
    true_logits = reduce_sum(own * shaping.reshape(x, shape=(batch, 1, width)), axis=(2,))
    true_logits = true_logits + shaping.reshape(offsets[: batch * n], shape=(batch, n))
    logits = matmul(x, shaping.transpose(rows[batch * n :], perm=(1, 0))) + offsets[batch * n :]
    if remove_hits:
        hits = shaping.reshape(true, shape=(batch, n, 1)) == cast_discrete(drawn, dtype=true._value.dtype)
        logits = where(reduce_any(hits, axis=(1,)), float(np.finfo(np.float32).min), logits)
    true_logits = true_logits - ew.log(_as(true_count, x))
    logits = logits - ew.log(_as(drawn_count, x))
    dtype = x._value.dtype
    targets = np.concatenate(
        [np.full(true_logits._value.shape, 1 / n, dtype), np.zeros(logits._value.shape, dtype)], axis=1
    )
    return shaping.concat(true_logits, logits, axis=1), targets


def _as(x: Tensor, like: Tensor) -> Any:
    return x if x._value.dtype == like._value.dtype else shaping.cast(x, dtype=like._value.dtype)
