"""`tf.random_index_shuffle`: a permutation that is never written down."""

from __future__ import annotations

from typing import Any

from gradtape._axes import alike, broadcast_shape, of_kind, whole
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check
from gradtape.core.tensor import Tensor
from gradtape.ops.index_shuffle import shuffled_index

OP = "RandomIndexShuffle"


def random_index_shuffle(index: Any, seed: Any, max_index: Any, rounds: Any = 4, name: str | None = None) -> Tensor:
    """Return where each index goes in a permutation of 0, 1, ..., `max_index`. The permutations are not TensorFlow's.

    Args:
        index: integers from 0 to `max_index`, a scalar or a vector.
        seed: three integers, which determine the permutation; shape `[3]` or `[n, 3]`.
        max_index: of the dtype of `index`, a scalar or a vector.
        rounds: how thoroughly numbers are mixed; even, at least 4.

    Raises:
        InvalidArgumentError: for arguments that do not fit.

    >>> import gradtape as tf
    >>> sorted(tf.random_index_shuffle(tf.range(5), [1, 2, 3], 4).numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    x, top = (of_kind(v, "iu", OP) for v in alike((index, max_index), OP))
    words = of_kind(to_tensor(seed, None, "seed"), "iu", OP)
    if not words._value.ndim or words._value.shape[-1] != 3:
        raise invalid(
            f"seed must be three integers along the last axis, got shape {list(words._value.shape)} [Op:{OP}]"
        )
    shapes = (x._value.shape, top._value.shape, words._value.shape[:-1])
    if broadcast_shape(*shapes) is None:
        raise invalid(f"index, max_index and seed do not fit: {[list(s) for s in shapes]} [Op:{OP}]")
    count = whole(rounds, "rounds")
    if count < 4 or count % 2:
        raise invalid(f"rounds must be even and at least 4, got {count} [Op:{OP}]")
    check(_check_inside, x, top)
    return shuffled_index(x, words, top, rounds=count)


def _check_inside(index: Any, top: Any) -> None:
    if ((index < 0) | (index > top)).any():
        raise invalid(f"index must be from 0 to max_index, got {index.tolist()} and {top.tolist()} [Op:{OP}]")
