"""Random numbers from counter-based streams: a key determines every draw (Salmon et al., "Parallel random numbers: as
easy as 1, 2, 3", 2011). The numbers are NumPy's, not TensorFlow's.

A key is two integers. Draws are primitives of their key, so a program that is repeated takes a new key and draws again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core.cotangents import matched
from gradtape.core.kinds import discrete, primitive
from gradtape.core.recorder import STATE
from gradtape.core.tensor import Tensor
from gradtape.ops.elementwise import exp
from gradtape.ops.incomplete import igamma_slope
from gradtape.ops.selection import where
from gradtape.ops.special import lgamma, xlogy

Shape = tuple[int, ...]

ABSENT = 2**32
"""What stands for a seed that was not given: no seed of 32 bits."""


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

    def next(self, op_seed: int | None) -> tuple[int | None, Any]:
        """The number and the key of the next draw: reproducible if a seed is set anywhere, else without a number."""
        if self.seed is None and op_seed is None:
            return None, np.frombuffer(os.urandom(16), np.uint64)
        with self.lock:
            draw = self.draws.get(op_seed, 0)
            self.draws[op_seed] = draw + 1
        return draw, seeded([ABSENT if w is None else w for w in (self.seed, op_seed)] + [draw])

    def give_back(self, draws: Sequence[tuple[int | None, int | None]]) -> None:
        """Forget draws (op seed, number), so that the next ones get their numbers again."""
        with self.lock:
            for op_seed, draw in reversed(draws):
                if draw is not None and self.draws.get(op_seed) == draw + 1:
                    self.draws[op_seed] = draw


SEEDS = Seeds()


def seeded(words: Sequence[int]) -> Any:
    """A key from any number of integers."""
    sequence = np.random.SeedSequence([int(w) & 0xFFFFFFFFFFFFFFFF for w in words])
    return sequence.generate_state(2, np.uint64)


def draw_key(op_seed: int | None) -> Tensor:
    """The key of the next draw from the stream of an op's seed."""
    if STATE.capture is not None:
        return STATE.capture.draw(op_seed)
    return Tensor(SEEDS.next(op_seed)[1])


def generator(key: Any) -> np.random.Generator:
    """The generator that two integers determine."""
    return np.random.Generator(np.random.Philox(key=np.asarray(key).astype(np.uint64)))


@discrete
def seed_key(xp: Any, words: Any) -> Any:
    """The key that a vector of integers determines."""
    return seeded(words.tolist())


@discrete
def folded(xp: Any, key: Any, data: Any) -> Any:
    """Another key from a key and an integer."""
    words = xp.array(key).astype(np.uint64)
    words[1] ^= np.uint64(int(data) & 0xFFFFFFFFFFFFFFFF)
    return words


@discrete
def normals(xp: Any, key: Any, *, shape: Shape, dtype: Any) -> Any:
    """Standard normal draws."""
    return xp.asarray(generator(key).standard_normal(shape)).astype(dtype)


@discrete
def truncated_normals(xp: Any, key: Any, *, shape: Shape, dtype: Any, low: float = -2.0, high: float = 2.0) -> Any:
    """Standard normal draws, those outside [low, high] drawn again."""
    stream = generator(key)
    values = xp.asarray(stream.standard_normal(shape))
    while (outside := (values < low) | (values > high)).any():
        values[outside] = stream.standard_normal(int(outside.sum()))
    return values.astype(dtype)


@discrete
def uniforms(xp: Any, key: Any, *, shape: Shape, dtype: Any) -> Any:
    """Draws from [0, 1); in single precision for float32."""
    single = dtype == np.float32
    return xp.asarray(generator(key).random(shape, np.float32 if single else np.float64)).astype(dtype)


@discrete
def uniform_integers(xp: Any, key: Any, low: Any, high: Any, *, shape: Shape, dtype: Any) -> Any:
    """Integers of [low, high)."""
    return xp.asarray(generator(key).integers(low, high, shape, dtype=dtype))


@discrete
def uniform_bits(xp: Any, key: Any, *, shape: Shape, dtype: Any) -> Any:
    """Integers over the whole range of a dtype."""
    info = np.iinfo(dtype)
    return xp.asarray(generator(key).integers(info.min, info.max, shape, dtype=dtype, endpoint=True))


@discrete
def categories(xp: Any, key: Any, logits: Any, *, count: int, dtype: Any) -> Any:
    """Draws from rows of unnormalised log-probabilities: the largest of logits plus Gumbel noise."""
    noise = generator(key).gumbel(size=(logits.shape[0], count, logits.shape[-1]))
    return xp.argmax(xp.asarray(logits, dtype=np.float64)[:, None, :] + noise, axis=-1).astype(dtype)


def _gamma_slope(alpha: Any, out: Any) -> Any:
    """d draw / d alpha at a fixed probability P(alpha, draw): minus dP/d alpha over the density; 0 where it vanished.

    (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018.)
    """
    none = out == 0
    safe = where(none, 1, out)
    return where(none, 0, -igamma_slope(alpha, safe, order=1) * exp(safe + lgamma(alpha) - xlogy(alpha - 1, safe)))


@primitive(
    key=None,
    alpha=lambda ct, alpha, out, alpha_shape: matched(ct * _gamma_slope(alpha, out), alpha_shape),
    jvp=lambda tangents, args, out, *, shape: tangents[1] * _gamma_slope(args[1], out),
)
def gammas(xp: Any, key: Any, alpha: Any, *, shape: Shape) -> Any:
    """Gamma draws of scale 1, in double precision; `alpha` broadcasts to the shape."""
    return xp.asarray(generator(key).gamma(alpha, size=shape))


@discrete
def betas(xp: Any, key: Any, alpha: Any, beta: Any, *, shape: Shape, dtype: Any) -> Any:
    """Beta draws; the parameters broadcast to the shape."""
    return xp.asarray(generator(key).beta(alpha, beta, shape)).astype(dtype)


@discrete
def poissons(xp: Any, key: Any, rate: Any, *, shape: Shape, dtype: Any) -> Any:
    """Poisson draws; the rate broadcasts to the shape."""
    return xp.asarray(generator(key).poisson(rate, shape)).astype(dtype)


@discrete
def binomials(xp: Any, key: Any, counts: Any, probs: Any, *, shape: Shape, dtype: Any) -> Any:
    """Binomial draws; the parameters broadcast to the shape."""
    return xp.asarray(generator(key).binomial(xp.asarray(counts).astype(np.int64), probs, shape)).astype(dtype)


@discrete
def permutation(xp: Any, key: Any, *, count: int) -> Any:
    """The numbers below `count` in random order."""
    return generator(key).permutation(count)
