"""Permutations of the numbers up to a limit, each computed alone: a Feistel network, walked until it falls inside.

(Black and Rogaway, "Ciphers with arbitrary finite domains", 2002; the mixing function is Steele, Lea and Flood's
SplitMix of 2014.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.kinds import discrete

WORD = np.uint64


def _mixed(x: Any) -> Any:
    x = x + WORD(0x9E3779B97F4A7C15)
    x = (x ^ (x >> WORD(30))) * WORD(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> WORD(27))) * WORD(0x94D049BB133111EB)
    return x ^ (x >> WORD(31))


def _network(x: Any, keys: list[Any], width: Any) -> Any:
    """A permutation of the numbers of twice as many bits as `width`."""
    mask = (WORD(1) << width) - WORD(1)
    left, right = x >> width, x & mask
    for key in keys:
        left, right = right, left ^ (_mixed(right ^ key) & mask)
    return left << width | right


@discrete
def shuffled_index(xp: Any, index: Any, seed: Any, top: Any, *, rounds: int) -> Any:
    """Where each index goes in the permutation of 0 ... top that three integers (the last axis of `seed`) determine."""
    words = [xp.asarray(seed[..., i]).astype(WORD) for i in range(3)]
    x, limit, *words = (xp.atleast_1d(v) for v in xp.broadcast_arrays(index.astype(WORD), top.astype(WORD), *words))
    bits = xp.ceil(xp.log2(limit.astype(np.float64) + 2)).astype(np.int64)
    width = xp.maximum((bits + 1) // 2, 1).astype(WORD)
    key = _mixed(_mixed(_mixed(words[0]) ^ words[1]) ^ words[2])
    keys = [_mixed(key + WORD(r)) for r in range(rounds)]
    out = _network(x, keys, width)
    while (outside := out > limit).any():
        out[outside] = _network(out[outside], [k[outside] for k in keys], width[outside])
    shape = np.broadcast_shapes(index.shape, top.shape, seed.shape[:-1])
    return out.reshape(shape).astype(index.dtype)
