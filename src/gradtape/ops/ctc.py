"""Connectionist temporal classification: what a sequence of labels costs when blanks and repetitions are left out.

A. Graves et al., "Connectionist Temporal Classification" (2006). The labels y_1 ... y_n are written with blanks around
each, b y_1 b ... y_n b; alpha_t(s) is the log-probability of all ways to be at place s of that at time t.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from gradtape.core.kinds import discrete
from gradtape.core.rules import shape_of
from gradtape.ops.indexing import gather_nd
from gradtape.ops.nn import log_softmax
from gradtape.ops.places import along_axis
from gradtape.ops.reductions import reduce_logsumexp
from gradtape.ops.selection import where
from gradtape.ops.shaping import broadcast_to, reshape, roll, stack

NEVER = -1e30
"""The logarithm of a probability of zero: finite, so that differences of two of them are not NaN."""


def ctc_loss(logits: Any, labels: Any, logit_length: Any, label_length: Any, *, blank: int) -> Any:
    """-log of the probability of the labels.

    Args:
        logits: [batch, time, classes].
        labels: [batch, n], integers.
        logit_length: [batch], how many time steps count.
        label_length: [batch], how many labels count.
        blank: the class that stands for no label.
    """
    batch, steps, _ = shape_of(logits)
    spots = with_blanks(labels, blank=blank)
    _, width = shape_of(spots)
    emitted = _picked(
        log_softmax(logits, axis=2), broadcast_to(reshape(spots, shape=(batch, 1, width)), shape=(batch, steps, width))
    )
    alpha = where(np.arange(width) < 2, emitted[:, 0], NEVER)
    jumps = may_jump(labels)
    for t in range(1, steps):
        step = where(np.arange(width) > 0, roll(alpha, shift=(1,), axis=(1,)), NEVER)
        jump = where(jumps, roll(alpha, shift=(2,), axis=(1,)), NEVER)
        ways = reduce_logsumexp(stack(alpha, step, jump, axis=0), axis=(0,))
        alpha = where(reshape(logit_length > t, shape=(batch, 1)), ways + emitted[:, t], alpha)
    ends = reshape(label_length, shape=(batch, 1)) * 2 - np.arange(2)
    return -reduce_logsumexp(where(ends >= 0, _picked(alpha, ends), NEVER), axis=(1,))


def _picked(x: Any, positions: Any) -> Any:
    """Elements at positions of the last axis, which may repeat."""
    shape = shape_of(x)
    return gather_nd(x, along_axis(positions, shape=shape, axis=len(shape) - 1))


@discrete
def with_blanks(xp: Any, labels: Any, *, blank: int) -> Any:
    """The labels [batch, n] with a blank before, between and behind them: [batch, 2n + 1]."""
    out = xp.full((labels.shape[0], 2 * labels.shape[1] + 1), blank, labels.dtype)
    out[:, 1::2] = labels
    return out


@discrete
def may_jump(xp: Any, labels: Any) -> Any:
    """Whether a place may follow the one two before: if both are labels, and different ones."""
    out = xp.zeros((labels.shape[0], 2 * labels.shape[1] + 1), bool)
    out[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    return out


@discrete
def greedy_path(xp: Any, scores: Any, length: Any, *, blank: int, merge: bool) -> Any:
    """The best class at each time step without blanks (and repetitions), filled up with -1: [batch, time], int32."""
    best = xp.argmax(scores, axis=2)
    kept = (best != blank) & (xp.arange(best.shape[1]) < length[:, None])
    if merge:
        kept[:, 1:] &= best[:, 1:] != best[:, :-1]
    out = xp.full(best.shape, -1, xp.int32)
    for row, labels, mask in zip(out, best, kept, strict=True):
        row[: xp.count_nonzero(mask)] = labels[mask]
    return out


@discrete
def best_paths(xp: Any, scores: Any, length: Any, *, blank: int, width: int, count: int) -> Any:
    """The `count` best sequences of labels that a search which keeps `width` of them at each step finds.

    Args:
        scores: log-probabilities [batch, time, classes].
        length: [batch].

    Returns:
        The sequences [batch, count, time], int32, filled up with -1, and the logarithms of their probabilities.
    """
    batch, steps, _ = scores.shape
    paths = xp.full((batch, count, steps), -1, xp.int32)
    values = xp.full((batch, count), -xp.inf, scores.dtype)
    for i in range(batch):
        for k, (labels, value) in enumerate(_search(scores[i, : max(int(length[i]), 1)], blank, width)[:count]):
            paths[i, k, : len(labels)] = labels
            values[i, k] = value
    return paths, values


def _search(scores: Any, blank: int, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Sequences of labels with the log-probabilities that they end in a blank, and in their last label."""
    beam: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}
    for step in scores:
        ends: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [-np.inf, -np.inf])
        for labels, (in_blank, in_label) in beam.items():
            total = np.logaddexp(in_blank, in_label)
            here = ends[labels]
            here[0] = np.logaddexp(here[0], total + step[blank])
            if labels:
                here[1] = np.logaddexp(here[1], in_label + step[labels[-1]])
            for label, score in enumerate(step):
                if label != blank:
                    longer = ends[(*labels, label)]
                    before = in_blank if labels and label == labels[-1] else total
                    longer[1] = np.logaddexp(longer[1], before + score)
        ranked = sorted(ends.items(), key=lambda item: (-np.logaddexp(item[1][0], item[1][1]), item[0]))
        beam = {labels: (blanks, last) for labels, (blanks, last) in ranked[:width]}
    return [(labels, float(np.logaddexp(ends[0], ends[1]))) for labels, ends in beam.items()]
