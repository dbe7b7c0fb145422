"""The random orders of a dataset, one per iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.tensor import raw
from gradtape.data.counting import integer
from gradtape.ops.sampling import ABSENT, SEEDS, folded, generator, seeded


class Orders:
    """Generators of random numbers: another one for each iteration, or always the same.

    A seed determines them, together with the one of `tf.random.set_seed`; without either they are arbitrary.
    """

    def __init__(self, seed: Any, again: bool) -> None:
        if seed is None:
            self._key = SEEDS.next(None)[1]
        else:
            self._key = seeded([ABSENT if SEEDS.seed is None else SEEDS.seed, integer(seed, "seed")])
        self._again = again
        self._iteration = 0

    def next(self) -> np.random.Generator:
        """The generator for the next iteration."""
        number = self._iteration
        self._iteration += self._again
        return generator(raw(folded(self._key, number)))
