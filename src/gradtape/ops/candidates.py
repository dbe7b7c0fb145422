"""Classes drawn at random, for losses over very many of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.kinds import discrete
from gradtape.ops.sampling import generator


@discrete
def class_draws(xp: Any, key: Any, shares: Any, *, count: int, unique: bool) -> Any:
    """Numbers of classes that have these shares, int64, and how many draws it took: more than `count` if unique."""
    stream, totals = generator(key), xp.cumsum(shares)
    limit = totals[-1]
    drawn = xp.zeros(0, np.int64)
    while True:
        more = xp.searchsorted(totals, stream.random(max(2 * count, 16)) * limit, side="right")
        drawn = xp.concatenate([drawn, more])
        if not unique:
            return drawn[:count], xp.int64(count)
        _, first = xp.unique(drawn, return_index=True)
        if len(first) >= count:
            places = xp.sort(first)[:count]
            return drawn[places], xp.int64(places[-1] + 1 if count else 0)
