"""Samplers of classes, which `tf.nn` and `tf.random` share. The draws are not TensorFlow's; a seed reproduces them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import whole
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, settled
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import elementwise as ew
from gradtape.ops.candidates import class_draws
from gradtape.ops.indexing import gather
from gradtape.ops.sampling import draw_key

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


class Candidates(NamedTuple):
    """The classes drawn [num_sampled], and how often the true ones and those are expected among them."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class AccidentalHits(NamedTuple):
    """The examples, the places of the candidates that are true classes of theirs, and minus the largest number."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def _true(true_classes: Any, num_true: Any, limit: int | None = None) -> Tensor:
    found = to_tensor(true_classes, None, "true_classes")
    n = whole(num_true, "num_true")
    if found._value.ndim != 2 or found._value.shape[1] != n:
        raise invalid(f"true_classes must have shape [batch, {n}] (num_true), got {list(found._value.shape)}")
    if limit is not None:
        check(_check_classes, found, limit)
    return found


def _check_classes(classes: Any, limit: int) -> None:
    if ((classes < 0) | (classes >= limit)).any():
        raise invalid(f"true_classes {classes.tolist()} do not all lie in [0, {limit})")


def _drawn(true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, shares: Any, seed: Any) -> Candidates:
    """Draw, and expect a class of share p to come n p times, or 1 - (1 - p)^n times if it can come only once."""
    true = _true(true_classes, num_true, len(shares))
    count = whole(num_sampled, "num_sampled")
    if unique and count > np.count_nonzero(shares):
        raise invalid(f"Sampler's range is too small: {count} of {np.count_nonzero(shares)} classes")
    key = draw_key(None if seed is None else whole(seed, "seed"))
    share = shares / shares.sum()
    found, tries = class_draws(key, share, count=count, unique=bool(unique))
    if unique:
        expected = -ew.expm1(cast_discrete(tries, dtype=F64) * np.log1p(-np.minimum(share, 1 - 1e-16)))
    else:
        expected = wrap(share * count)
    single = cast_discrete(expected, dtype=F32)
    return Candidates(found, gather(single, true, axis=0), gather(single, found, axis=0))


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draw classes of [0, range_max), all alike.

    Args:
        true_classes: [batch, num_true], int64.
        num_true: how many true classes an example has.
        num_sampled: how many to draw.
        unique: whether a class can come only once.
        range_max: how many classes there are.
        seed: reproduces the draws.

    Raises:
        InvalidArgumentError: if shapes do not fit, a true class is none, or there are too few for unique ones.

    >>> import gradtape as tf
    >>> tf.random.uniform_candidate_sampler([[1]], 1, 4, False, 5).true_expected_count.numpy()
    array([[0.8]], dtype=float32)
    """
    shares = np.ones(whole(range_max, "range_max"))
    return _drawn(true_classes, num_true, num_sampled, unique, shares, seed)


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draw classes by Zipf's law: class k with a share of log((k + 2) / (k + 1)) / log(range_max + 1).

    Args and errors are those of `uniform_candidate_sampler`.
    """
    places = np.arange(whole(range_max, "range_max"))
    return _drawn(true_classes, num_true, num_sampled, unique, np.log1p(1 / (places + 1)), seed)


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: Any = 0,
    num_shards: Any = 1,
    shard: Any = 0,
    unigrams: Sequence[float] = (),
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draw classes with given shares.

    Args and errors are those of `uniform_candidate_sampler`, and:
        vocab_file: a file with a line per class, its share behind the last comma; or
        unigrams: the shares.
        distortion: the power that shares are taken to.
        num_reserved_ids: so many classes come first, and are never drawn.
        num_shards: draw only classes of which the number
        shard: has this remainder.
    """
    if bool(vocab_file) == bool(len(unigrams)):
        raise invalid("fixed_unigram_candidate_sampler: give one of vocab_file and unigrams")
    if vocab_file:
        lines = Path(vocab_file).read_text(encoding="utf-8").splitlines()
        unigrams = [float(line.rpartition(",")[2]) for line in lines if line.strip()]
    given = np.asarray(unigrams, F64) ** distortion
    shares = np.concatenate([np.zeros(whole(num_reserved_ids, "num_reserved_ids")), given])
    n = whole(range_max, "range_max")
    if len(shares) != n:
        raise invalid(f"range_max is {n}, but there are {len(shares)} classes")
    shares[np.arange(n) % whole(num_shards, "num_shards") != whole(shard, "shard")] = 0
    return _drawn(true_classes, num_true, num_sampled, unique, shares, seed)


def all_candidate_sampler(
    true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, seed: Any = None, name: str | None = None
) -> Candidates:
    """All classes of [0, num_sampled), each expected once."""
    true, n = _true(true_classes, num_true), whole(num_sampled, "num_sampled")
    return Candidates(wrap(np.arange(n, dtype=np.int64)), wrap(np.ones(true._value.shape, F32)), wrap(np.ones(n, F32)))


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: Any, seed: Any = None, name: str | None = None
) -> AccidentalHits:
    """Where candidates are true classes.

    Args:
        true_classes: [batch, num_true].
        sampled_candidates: [num_sampled].
        num_true: how many true classes an example has.

    Returns:
        Examples (int32), places of candidates (int64), and the lowest float32 for each.

    >>> import gradtape as tf
    >>> tf.nn.compute_accidental_hits([[1, 2], [3, 4]], [4, 1], 2).ids.numpy()
    array([1, 0])
    """
    true, sampled = settled(_true(true_classes, num_true)), settled(to_tensor(sampled_candidates, None, "sampled"))
    if sampled.ndim != 1:
        raise invalid(f"sampled_candidates must be a vector, got shape {list(sampled.shape)}")
    last = {int(c): place for place, c in enumerate(sampled)}
    hits = [(i, last[int(c)]) for i, row in enumerate(true) for c in row if int(c) in last]
    rows, places = np.array(hits, np.int64).reshape(-1, 2).T
    weights = np.full(len(rows), np.finfo(F32).min, F32)
    return AccidentalHits(wrap(rows.astype(np.int32)), wrap(places), wrap(weights))
