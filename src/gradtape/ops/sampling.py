"""Random numbers from counter-based streams: a key determines every draw (Salmon et al., "Parallel random numbers: as
easy as 1, 2, 3", 2011). The numbers are NumPy's, not TensorFlow's."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from gradtape.base.dtypes import DType
from gradtape.core.tensor import Tensor, wrap

Shape = tuple[int, ...]


class Seeds:
    """The global seed, and how many draws there were since it was set: together with an op's seed the key of a draw."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seed: int | None = None
        self.draws: dict[int | None, int] = {}

    def set(self, seed: int) -> None:
        """Start over from a seed."""
        with self.lock:
            self.seed = seed
            self.draws = {}

    def stream(self, op_seed: int | None) -> np.random.Generator:
        """The generator of the next draw: reproducible if a seed is set anywhere."""
        if self.seed is None and op_seed is None:
            return np.random.Generator(np.random.Philox())
        with self.lock:
            draw = self.draws.get(op_seed, 0)
            self.draws[op_seed] = draw + 1
        words = [2**32 if w is None else int(w) & 0xFFFFFFFFFFFFFFFF for w in (self.seed, op_seed)]
        return np.random.Generator(np.random.Philox(np.random.SeedSequence([*words, draw])))


SEEDS = Seeds()


def keyed(seed: Any) -> np.random.Generator:
    """The generator that two integers determine."""
    return np.random.Generator(np.random.Philox(key=np.asarray(seed).astype(np.uint64)))


def made(values: Any, dtype: DType) -> Tensor:
    """Draws as a Tensor of a dtype."""
    return wrap(np.asarray(values).astype(dtype.numpy_dtype))


def truncated_normal(stream: np.random.Generator, shape: Shape, low: float = -2.0, high: float = 2.0) -> Any:
    """Standard normal draws, those outside [low, high] drawn again."""
    values = np.asarray(stream.standard_normal(shape))
    while (outside := (values < low) | (values > high)).any():
        values[outside] = stream.standard_normal(int(outside.sum()))
    return values


def uniform_integers(stream: np.random.Generator, shape: Shape, low: Any, high: Any, dtype: DType) -> Any:
    """Integers of [low, high)."""
    return stream.integers(low, high, shape, dtype=dtype.numpy_dtype)


def uniform_bits(stream: np.random.Generator, shape: Shape, dtype: DType) -> Any:
    """Integers over the whole range of a dtype."""
    info = np.iinfo(dtype.numpy_dtype)
    return stream.integers(info.min, info.max, shape, dtype=dtype.numpy_dtype, endpoint=True)


def categorical(stream: np.random.Generator, logits: Any, count: int) -> Any:
    """Draws from rows of unnormalised log-probabilities: the largest of logits plus Gumbel noise."""
    noise = stream.gumbel(size=(logits.shape[0], count, logits.shape[-1]))
    return np.argmax(np.asarray(logits, dtype=np.float64)[:, None, :] + noise, axis=-1)
