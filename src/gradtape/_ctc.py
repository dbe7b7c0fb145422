"""`tf.nn`: connectionist temporal classification, its loss and its decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import whole
from gradtape._sparse_tensor import SparseTensor, positions
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import ctc, shaping
from gradtape.ops import nn as ops
from gradtape.ops.indexing import scatter_nd
from gradtape.ops.reductions import reduce_max, reduce_sum
from gradtape.ops.selection import where

I64 = np.dtype(np.int64)


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return minus the log-probability of sequences of labels, by A. Graves et al. (2006).

    Args:
        labels: [batch, n], int32 or int64; or a SparseTensor, whose rows are the sequences.
        logits: floating, [time, batch, classes], or [batch, time, classes] unless `logits_time_major`.
        label_length: [batch], how many labels count; not looked at if they are sparse.
        logit_length: [batch], how many time steps count.
        unique: not needed.
        blank_index: the class that stands for no label, from the end if negative; 0 by default.

    Returns:
        The losses, [batch].

    Raises:
        ValueError: for sparse labels without `blank_index`.
        InvalidArgumentError: if shapes do not fit, or a label or the blank is not a class.

    >>> import gradtape as tf
    >>> tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), [1], [2]).numpy().round(4)
    array([0.2877], dtype=float32)
    """
    x = _scores(logits, "logits", logits_time_major)
    batch, _, classes = x._value.shape
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        rows = positions(labels)
        size = (batch, int(rows[:, 1].max(initial=0)) + 1)
        marks: Any = scatter_nd(cast_discrete(labels.values, dtype=I64), rows, shape=size)
        count: Any = wrap(np.bincount(rows[:, 0], minlength=batch))
    else:
        marks = to_tensor(labels, None, "labels")
        count = to_tensor(label_length, None, "label_length")
    steps = to_tensor(logit_length, None, "logit_length")
    if marks._value.ndim != 2 or not len(marks._value) == batch == count._value.size == steps._value.size:
        raise invalid(
            f"ctc_loss: labels {list(marks._value.shape)}, label_length {list(count._value.shape)} and logit_length "
            f"{list(steps._value.shape)} must be [{batch}, n], [{batch}] and [{batch}]"
        )
    check(_check_labels, marks, classes)
    return ctc.ctc_loss(x, marks, steps, count, blank=_blank(0 if blank_index is None else blank_index, classes))


def _check_labels(labels: Any, classes: int) -> None:
    if ((labels < 0) | (labels >= classes)).any():
        raise invalid(f"ctc_loss: labels {labels.tolist()} do not all lie in [0, {classes})")


def _scores(x: Any, name: str, time_major: bool) -> Tensor:
    """[batch, time, classes]."""
    found = to_tensor(x, None, name)
    if found._value.ndim != 3 or found._value.dtype.kind not in "fV":
        raise invalid(f"{name} must be floating, of rank 3, got {found.dtype.name}{list(found._value.shape)}")
    return shaping.transpose(found, perm=(1, 0, 2)) if time_major else found


def _blank(index: Any, classes: int) -> int:
    blank = whole(index, "blank_index")
    if not -classes <= blank < classes:
        raise invalid(f"blank_index {blank} is not in [{-classes}, {classes})")
    return blank % classes


def _lengths(sequence_length: Any, batch: int, steps: int) -> Tensor:
    lengths = to_tensor(sequence_length, None, "sequence_length")
    if lengths._value.shape != (batch,):
        raise invalid(f"sequence_length must have shape [{batch}], got {list(lengths._value.shape)}")
    check(_check_lengths, lengths, steps)
    return lengths


def _check_lengths(lengths: Any, steps: int) -> None:
    if (lengths > steps).any():
        raise invalid(f"sequence_length {lengths.tolist()} must be <= {steps}")


def _paths(found: Any) -> SparseTensor:
    """Sequences that are filled up with -1."""
    spots = np.argwhere(found >= 0)
    shape = (len(found), int(spots[:, 1].max(initial=-1)) + 1)
    return SparseTensor(spots, found[tuple(spots.T)].astype(np.int64), shape)


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list[SparseTensor], Tensor]:
    """Take the best class at each time step, leave out repetitions and blanks.

    Args:
        inputs: logits [time, batch, classes].
        sequence_length: [batch], how many time steps count.
        merge_repeated: whether one class several times in a row counts once.
        blank_index: the class that stands for no label, the last by default.

    Returns:
        One sparse tensor of the classes, int64, in a list; and minus the sums of the best logits, [batch, 1].

    Raises:
        InvalidArgumentError: if shapes do not fit, or the blank is not a class.

    >>> import gradtape as tf
    >>> tf.nn.ctc_greedy_decoder([[[1.0, 0.0]], [[3.0, 0.0]]], [2])[0][0].values.numpy()
    array([0])
    """
    x = _scores(inputs, "inputs", time_major=True)
    batch, steps, classes = x._value.shape
    lengths = _lengths(sequence_length, batch, steps)
    blank = _blank(-1 if blank_index is None else blank_index, classes)
    path = settled(ctc.greedy_path(x, lengths, blank=blank, merge=bool(merge_repeated)))
    counts = np.arange(steps) < shaping.reshape(lengths, shape=(batch, 1))
    best = where(counts, reduce_max(x, axis=(2,)), 0)
    return [_paths(path)], -shaping.reshape(reduce_sum(best, axis=(1,)), shape=(batch, 1))


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: Any = 100, top_paths: Any = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Search for the most probable sequences of classes; the last class is the blank.

    Args:
        inputs: logits [time, batch, classes].
        sequence_length: [batch], how many time steps count.
        beam_width: how many sequences are followed.
        top_paths: how many are returned.

    Returns:
        A sparse tensor of classes, int64, for each path, the best first; and their log-probabilities
        [batch, top_paths].

    Raises:
        InvalidArgumentError: if shapes do not fit, or `top_paths` is more than `beam_width`.
    """
    x = _scores(inputs, "inputs", time_major=True)
    batch, steps, classes = x._value.shape
    width, count = whole(beam_width, "beam_width"), whole(top_paths, "top_paths")
    if count > width:
        raise invalid(f"requested more paths than the beam width: {count} > {width}")
    scores = ops.log_softmax(x, axis=2)
    lengths = _lengths(sequence_length, batch, steps)
    paths, values = ctc.best_paths(scores, lengths, blank=classes - 1, width=width, count=count)
    found = settled(paths)
    return [_paths(found[:, k]) for k in range(count)], values


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The distinct labels of each row, filled up with 0, and for each label which of them it is (int32).

    Raises:
        InvalidArgumentError: if `labels` is no matrix.
    """
    rows = settled(to_tensor(labels, None, "labels"))
    if rows.ndim != 2:
        raise invalid(f"ctc_unique_labels: labels must be a matrix, got shape {list(rows.shape)}")
    found, places = np.zeros(rows.shape, np.int64), np.zeros(rows.shape, np.int32)
    for i, row in enumerate(rows):
        _, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(first)
        found[i, : len(first)] = row[first[order]]
        places[i] = np.argsort(order)[inverse]
    return wrap(found), wrap(places)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Rows without labels that equal the one before, filled up with 0, and how long they are.

    Raises:
        InvalidArgumentError: unless labels are [batch, n] and lengths [batch].
    """
    marks = to_tensor(labels, None, "labels")
    rows, lengths = settled(marks), settled(to_tensor(seq_length, None, "seq_length"))
    if rows.ndim != 2 or lengths.shape != rows.shape[:1]:
        raise invalid(
            f"collapse_repeated: labels {list(rows.shape)} and seq_length {list(lengths.shape)} must be [batch, n] "
            "and [batch]"
        )
    kept = np.arange(rows.shape[1]) < lengths[:, None]
    kept[:, 1:] &= rows[:, 1:] != rows[:, :-1]
    counts = kept.sum(axis=1)
    out = np.zeros((len(rows), counts.max(initial=0)), rows.dtype)
    out[np.arange(out.shape[1]) < counts[:, None]] = rows[kept]
    return wrap(out), wrap(counts.astype(lengths.dtype))
