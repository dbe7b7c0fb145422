"""Random numbers for Keras: a seed of two integers determines each draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed

from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.dispatch import numpy_dtype, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import selection

__getattr__ = missing("random")


def _generator(seed: Any) -> np.random.Generator:
    """A counter-based generator keyed by the two integers of a seed."""
    key = np.asarray(tensor(draw_seed(seed))._value).astype(np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


def _made(values: Any, dtype: Any) -> Tensor:
    return wrap(np.asarray(values).astype(numpy_dtype(floatx() if dtype is None else dtype)))


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Normal distribution."""
    return _made(_generator(seed).normal(np.asarray(mean), np.asarray(stddev), tuple(shape)), dtype)


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Uniform distribution on [minval, maxval)."""
    return _made(_generator(seed).uniform(np.asarray(minval), np.asarray(maxval), tuple(shape)), dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Integers of [minval, maxval)."""
    return _made(_generator(seed).integers(np.asarray(minval), np.asarray(maxval), tuple(shape)), dtype)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Normal distribution, what lies beyond two deviations drawn again."""
    generator = _generator(seed)
    values = generator.standard_normal(tuple(shape))
    while (outside := np.abs(values) > 2).any():
        values[outside] = generator.standard_normal(int(outside.sum()))
    return _made(values * np.asarray(stddev) + np.asarray(mean), dtype)


def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Tensor:
    """Draws from rows of unnormalised log-probabilities, by the largest of logits plus Gumbel noise."""
    scores = np.asarray(tensor(logits)._value)
    noise = _generator(seed).gumbel(size=(scores.shape[0], num_samples, scores.shape[-1]))
    return _made(np.argmax(scores[:, None, :] + noise, axis=-1), dtype)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Tensor:
    """Zero a share of the elements and scale the others up."""
    x = tensor(inputs)
    shape = (
        x._value.shape
        if noise_shape is None
        else tuple(n if m is None else m for m, n in zip(noise_shape, x._value.shape, strict=True))
    )
    if rate >= 1:
        return selection.zeros_like(x)
    keep = wrap(np.asarray(_generator(seed).random(shape) >= rate))
    return selection.where(keep, x / (1.0 - float(rate)), 0)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    """Permute the slices along an axis."""
    x = tensor(x)
    order = _generator(seed).permutation(x._value.shape[axis])
    return wrap(np.take(x._value, order, axis=axis))


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Gamma distribution."""
    return _made(_generator(seed).gamma(np.asarray(alpha), size=tuple(shape)), dtype)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Binomial distribution."""
    n = np.asarray(counts).astype(np.int64)
    return _made(_generator(seed).binomial(n, np.asarray(probabilities), tuple(shape)), dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Beta distribution."""
    return _made(_generator(seed).beta(np.asarray(alpha), np.asarray(beta), tuple(shape)), dtype)


__all__ = ["SeedGenerator", "draw_seed", "make_default_seed"]
