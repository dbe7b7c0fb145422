"""`tf.random`: streams of random numbers that a seed reproduces. The numbers differ from TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import wholes
from gradtape._candidates import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from gradtape.base.dtypes import DType, as_dtype, float32, int32, int64, uint64
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import check
from gradtape.core.recorder import STATE, paused
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import elementwise as ew
from gradtape.ops import indexing, sampling
from gradtape.ops.sampling import SEEDS
from gradtape.ops.shaping import cast


def set_seed(seed: Any) -> None:
    """Set the global seed, and start its streams over.

    With a global seed a program draws the same in every run; an op's own `seed` gives it a stream of its own.

    Raises:
        ValueError: if the seed is not an integer.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> a = tf.random.normal([3])
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(a == tf.random.normal([3])))
    True
    """
    SEEDS.set(_integer(seed, "seed"))
    if STATE.capture is not None:
        STATE.capture.give_up("it sets the global seed")


def _integer(value: Any, name: str) -> int:
    found = to_tensor(value, name=name)
    if found._value.ndim or found._value.dtype.kind not in "iu":
        raise ValueError(f"{name} must be an integer, got {value!r}.")
    return int(found)


def _key(seed: Any) -> Tensor:
    """The key of the next draw of the stream of an op's seed."""
    return sampling.draw_key(None if seed is None else _integer(seed, "seed"))


def _given(seed: Any) -> Tensor:
    """The key that a seed of two integers is."""
    found = to_tensor(seed, name="seed")
    value = found._value
    if value.shape != (2,) or value.dtype.kind not in "iu":
        raise invalid(
            f"seed must have shape [2] and be of integers, got shape {list(value.shape)}, dtype {value.dtype}"
        )
    return found


def _floating(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"dtype must be floating, got {found!r}.")
    return found


def _scaled(values: Tensor, mean: Any, stddev: Any) -> Tensor:
    """values * stddev + mean, through which gradients flow to both."""
    if type(mean) is float and type(stddev) is float:
        return values if mean == 0.0 and stddev == 1.0 else ew.add(ew.multiply(values, stddev), mean)
    scale, shift = to_tensor(stddev, values.dtype, "stddev"), to_tensor(mean, values.dtype, "mean")
    return ew.add(ew.multiply(values, scale), shift)


def _normal(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    found = _floating(dtype).numpy_dtype
    return _scaled(sampling.normals(key, shape=wholes(shape, "shape"), dtype=found), mean, stddev)


def _truncated(key: Tensor, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    found = _floating(dtype).numpy_dtype
    return _scaled(sampling.truncated_normals(key, shape=wholes(shape, "shape"), dtype=found), mean, stddev)


def _check_limits(low: Any, high: Any) -> None:
    if np.any(np.asarray(low) >= np.asarray(high)):
        raise invalid(f"Need minval < maxval, got {low} >= {high}")


def _uniform(key: Tensor, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    found, size = as_dtype(dtype), wholes(shape, "shape")
    if found.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {found!r}")
        low, high = (to_tensor(v, found, n) for v, n in ((minval, "minval"), (maxval, "maxval")))
        check(_check_limits, low, high)
        return sampling.uniform_integers(key, low, high, shape=size, dtype=found.numpy_dtype)
    if not found.is_floating:
        raise ValueError(f"dtype must be floating or an integer type, got {found!r}.")
    values = sampling.uniforms(key, shape=size, dtype=found.numpy_dtype)
    if maxval is None:
        maxval = 1.0
    low = to_tensor(minval, found, "minval")
    return ew.add(ew.multiply(values, ew.subtract(to_tensor(maxval, found, "maxval"), low)), low)


def _bits(key: Tensor, shape: Any, dtype: DType) -> Tensor:
    return sampling.uniform_bits(key, shape=wholes(shape, "shape"), dtype=dtype.numpy_dtype)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution.

    Args:
        shape: the shape of the result, to which `mean` and `stddev` broadcast; gradients flow to them.
        seed: an integer for a stream of its own.

    Raises:
        ValueError: for a dtype that is not floating.

    >>> import gradtape as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _normal(_key(seed), shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Draws from a normal distribution; what lies beyond two deviations is drawn again. Arguments as `normal`."""
    return _truncated(_key(seed), shape, mean, stddev, dtype)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Draws from [minval, maxval), of floating or integer dtype.

    Raises:
        ValueError: for integers without `maxval`.
        InvalidArgumentError: for integers if minval is not below maxval.

    >>> import gradtape as tf
    >>> tf.random.uniform([4], maxval=3, dtype=tf.int32).dtype
    tf.int32
    """
    return _uniform(_key(seed), shape, minval, maxval, dtype)


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices along the first axis in random order; gradients flow.

    >>> import gradtape as tf
    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    found = to_tensor(value, name="value")
    if not found._value.ndim:
        return found
    order = sampling.permutation(_key(seed), count=found._value.shape[0])
    return indexing.gather(found, order, axis=0)


def _categories(key: Tensor, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    found = to_tensor(logits, name="logits")
    if found._value.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {list(found._value.shape)}")
    return sampling.categories(
        key, found, count=_integer(num_samples, "num_samples"), dtype=as_dtype(dtype).numpy_dtype
    )


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Draws of class numbers from rows of unnormalised log-probabilities.

    Args:
        logits: shape [rows, classes].
        num_samples: how many draws per row.

    Returns:
        Integers (int64 unless `dtype` says otherwise) of shape [rows, num_samples].

    Raises:
        InvalidArgumentError: if the logits are not a matrix.
    """
    return _categories(_key(seed), logits, num_samples, int64 if dtype is None else dtype)


def _gamma(key: Tensor, shape: Any, alpha: Any, beta: Any, dtype: DType, whole_shape: bool) -> Tensor:
    a = to_tensor(alpha, None if isinstance(existing(alpha), Tensor) else dtype, "alpha")
    b = to_tensor(np.ones((), a._value.dtype) if beta is None else beta, a.dtype, "beta")
    size = wholes(shape, "shape")
    out = size if whole_shape else size + np.broadcast_shapes(a._value.shape, b._value.shape)
    double = np.dtype(np.float64)
    draws = sampling.gammas(key, cast(a, dtype=double), shape=out)
    return cast(draws / cast(b, dtype=double), dtype=a._value.dtype)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Draws from gamma distributions, of shape `shape` + that of alpha and beta broadcast.

    Gradients flow to alpha and beta: how a draw moves with them if its probability stays.

    >>> import gradtape as tf
    >>> tf.random.gamma([5], alpha=2.0).shape
    TensorShape([5])
    """
    return _gamma(_key(seed), shape, alpha, beta, _floating(dtype), whole_shape=False)


def poisson(shape: Any, lam: Any, dtype: Any = float32, seed: Any = None, name: str | None = None) -> Tensor:
    """Draws from Poisson distributions, of shape `shape` + that of `lam`."""
    rate = to_tensor(lam, name="lam")
    size = wholes(shape, "shape") + rate._value.shape
    return sampling.poissons(_key(seed), rate, shape=size, dtype=as_dtype(dtype).numpy_dtype)


# Stateless: the seed, two integers, determines the draw.


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draws from a normal distribution that `seed` (two integers) determines.

    Raises:
        InvalidArgumentError: for a seed of another shape.

    >>> import gradtape as tf
    >>> a, b = (tf.random.stateless_normal([2], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    return _normal(_given(seed), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """As `truncated_normal`, determined by `seed`."""
    return _truncated(_given(seed), shape, mean, stddev, dtype)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """As `uniform`, determined by `seed`; for integers, None for both limits means the whole range."""
    found = as_dtype(dtype)
    if found.is_integer and minval is None and maxval is None:
        return _bits(_given(seed), shape, found)
    return _uniform(_given(seed), shape, minval, maxval, dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Tensor:
    """As `categorical`, determined by `seed`."""
    return _categories(_given(seed), logits, num_samples, dtype)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Draws from gamma distributions, of the whole shape `shape`, determined by `seed`. Gradients as of `gamma`."""
    return _gamma(_given(seed), shape, alpha, beta, _floating(dtype), whole_shape=True)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None) -> Tensor:
    """Draws from Poisson distributions, of the whole shape `shape`, determined by `seed`."""
    rate, size = to_tensor(lam, name="lam"), wholes(shape, "shape")
    return sampling.poissons(_given(seed), rate, shape=size, dtype=as_dtype(dtype).numpy_dtype)


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Draws from binomial distributions, of the whole shape `shape`, determined by `seed`."""
    return _binomial(_given(seed), shape, counts, probs, output_dtype)


def _binomial(key: Tensor, shape: Any, counts: Any, probs: Any, dtype: Any) -> Tensor:
    n, p = to_tensor(counts, name="counts"), to_tensor(probs, name="probs")
    return sampling.binomials(key, n, p, shape=wholes(shape, "shape"), dtype=as_dtype(dtype).numpy_dtype)


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds of a seed, shape [num, 2].

    >>> import gradtape as tf
    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    found = _given(seed)
    return _bits(found, (_integer(num, "num"), 2), found.dtype)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed from a seed and an integer, shape [2]."""
    found = _given(seed)
    number = to_tensor(data, name="data")
    if number._value.ndim or number._value.dtype.kind not in "iu":
        raise ValueError(f"data must be an integer, got {data!r}.")
    return _bits(sampling.folded(found, number), (2,), found.dtype)


class Generator:
    """A stream of random numbers with a state of its own, kept in a variable.

    >>> import gradtape as tf
    >>> a, b = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
    >>> bool(tf.reduce_all(a.normal([3]) == b.normal([3])))
    True
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None):
            raise ValueError("Generator: give either `copy_from` or `state`; `Generator.from_seed(seed)` makes one.")
        if copy_from is not None:
            state = copy_from.state
        self._state = Variable(_state(state), trainable=False, name="StateVar")

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Make one from a seed."""
        return cls(state=[_integer(seed, "seed"), 0, 0])

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """Make one from the state of another."""
        return cls(state=state)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any = None) -> Generator:
        """Make one from a key and a counter of two integers."""
        return cls(state=[_integer(key, "key"), *np.ravel(to_tensor(counter).numpy()).tolist()][:3])

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Make one that differs in every run."""
        return cls(state=[int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1), 0, 0])

    @property
    def state(self) -> Variable:
        """The variable with the state: key and counter."""
        return self._state

    @property
    def key(self) -> Tensor:
        """The part of the state that never changes."""
        return self._state._peek()[0]

    @property
    def algorithm(self) -> int:
        """The number of the algorithm in TensorFlow: 1, Philox."""
        return 1

    def _key(self) -> Tensor:
        """The key of the next draw; the counter goes on by one."""
        state = self._state._peek()
        self.skip(1)
        return sampling.seed_key(state)

    def skip(self, delta: Any) -> Tensor:
        """Advance the counter as `delta` draws would."""
        steps = to_tensor([0, delta, 0], int64, "delta")
        with paused():
            state = self._state._peek() + steps
        self._state._rebind(state, False)
        return state

    def reset(self, state: Any) -> None:
        """Set the state."""
        self._state._rebind(_state(state), False)

    def reset_from_seed(self, seed: Any) -> None:
        """Start over from a seed."""
        self.reset([_integer(seed, "seed"), 0, 0])

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Start over from a key and a counter."""
        self.reset([_integer(key, "key"), *np.ravel(to_tensor(counter).numpy()).tolist()][:3])

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Draws from a normal distribution."""
        return _normal(self._key(), shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Draws from a normal distribution within two deviations."""
        return _truncated(self._key(), shape, mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Draws from [minval, maxval)."""
        return _uniform(self._key(), shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Tensor:
        """Integers over the whole range of the dtype."""
        return _bits(self._key(), shape, as_dtype(dtype))

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None) -> Tensor:
        """Draws from binomial distributions."""
        return _binomial(self._key(), shape, counts, probs, dtype)

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Seeds for the stateless functions, shape [2, count], int64."""
        return _bits(self._key(), (2, _integer(count, "count")), int64)

    def split(self, count: int = 1) -> list[Generator]:
        """New generators with streams of their own."""
        return [Generator(state=[int(k), 0, 0]) for k in _bits(self._key(), (count,), int64)]


def _state(state: Any) -> Tensor:
    found = to_tensor(state._peek() if isinstance(state, Variable) else state, name="state")
    value = found._value
    if value.ndim != 1 or value.dtype.kind not in "iu" or value.size < 3:
        raise ValueError(f"Generator: a state is a vector of 3 integers, got shape {value.shape}, dtype {value.dtype}.")
    with paused():
        return cast_discrete(found[:3], dtype=int64.numpy_dtype)


class _Global:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """Return the generator that programs share, made when first asked for."""
    if _Global.generator is None:
        seed = SEEDS.seed
        _Global.generator = Generator.from_non_deterministic_state() if seed is None else Generator.from_seed(seed)
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replace the generator that programs share."""
    _Global.generator = generator


__all__ = [
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
