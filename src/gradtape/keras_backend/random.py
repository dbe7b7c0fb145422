"""Random numbers for Keras: a seed of two integers determines each draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import cast, numpy_dtype, tensor
from gradtape.keras_backend.missing import missing
from gradtape.ops import sampling, selection
from gradtape.ops.indexing import gather

__getattr__ = missing("random")


FLOAT64 = np.dtype(np.float64)


def _key(seed: Any) -> Tensor:
    """The two integers of a seed, which determine a draw."""
    return tensor(draw_seed(seed))


def _size(shape: Any) -> tuple[int, ...]:
    return tuple(map(int, shape))


def _dtype(dtype: Any) -> Any:
    return numpy_dtype(floatx() if dtype is None else dtype)


def _between(values: Tensor, scale: Any, shift: Any, dtype: Any) -> Tensor:
    """values * scale + shift in double precision, then in the dtype wanted."""
    factor, start = tensor(scale, "float64"), tensor(shift, "float64")
    return cast(values * factor + start, floatx() if dtype is None else dtype)


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Normal distribution."""
    return _between(sampling.normals(_key(seed), shape=_size(shape), dtype=FLOAT64), stddev, mean, dtype)


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Uniform distribution on [minval, maxval)."""
    low = tensor(minval, "float64")
    values = sampling.uniforms(_key(seed), shape=_size(shape), dtype=FLOAT64)
    return _between(values, tensor(maxval, "float64") - low, low, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Integers of [minval, maxval)."""
    key, low, high = _key(seed), tensor(minval, "int64"), tensor(maxval, "int64")
    draws = sampling.uniform_integers(key, low, high, shape=_size(shape), dtype=np.dtype(np.int64))
    return cast(draws, dtype)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    """Normal distribution, what lies beyond two deviations drawn again."""
    return _between(sampling.truncated_normals(_key(seed), shape=_size(shape), dtype=FLOAT64), stddev, mean, dtype)


def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Tensor:
    """Draws from rows of unnormalised log-probabilities, by the largest of logits plus Gumbel noise."""
    return sampling.categories(_key(seed), tensor(logits), count=num_samples, dtype=_dtype(dtype))


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
    keep = sampling.uniforms(_key(seed), shape=shape, dtype=FLOAT64) >= float(rate)
    return selection.where(keep, x / (1.0 - float(rate)), 0)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    """Permute the slices along an axis."""
    x = tensor(x)
    order = sampling.permutation(_key(seed), count=x._value.shape[axis])
    return gather(x, order, axis=axis % x._value.ndim)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Gamma distribution."""
    return cast(
        sampling.gammas(_key(seed), tensor(alpha, "float64"), shape=_size(shape)), floatx() if dtype is None else dtype
    )


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Binomial distribution."""
    n, p = tensor(counts, "int64"), tensor(probabilities, "float64")
    return sampling.binomials(_key(seed), n, p, shape=_size(shape), dtype=_dtype(dtype))


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Beta distribution."""
    a, b = tensor(alpha, "float64"), tensor(beta, "float64")
    return sampling.betas(_key(seed), a, b, shape=_size(shape), dtype=_dtype(dtype))


__all__ = ["SeedGenerator", "draw_seed", "make_default_seed"]
