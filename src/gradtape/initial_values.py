"""TensorFlow's initializers that are not Keras': callables that give a tensor of a shape and dtype."""

from __future__ import annotations

from typing import Any, Self

from gradtape.arrays import constant, fill, ones, zeros
from gradtape.base.dtypes import as_dtype, float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_shape
from gradtape.core.tensor import Tensor
from gradtape.ops.shaping import reshape
from gradtape.random import normal, uniform


class _Initializer:
    """What an initializer is made of, as a dict, and another one from that."""

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """An initializer made with these arguments."""
        return cls(**config)


class zeros_initializer(_Initializer):
    """Gives zeros.

    >>> import gradtape as tf
    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Zeros of a shape."""
        return zeros(shape, dtype)


class ones_initializer(_Initializer):
    """Gives ones."""

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Ones of a shape."""
        return ones(shape, dtype)


class constant_initializer(_Initializer):
    """Gives a value: one number for all elements, or a list or array with as many elements as the shape has.

    >>> import gradtape as tf
    >>> tf.constant_initializer([1.0, 2.0])([1, 2]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """The value in a shape. Raises InvalidArgumentError if it has another number of elements."""
        sizes = to_shape(shape)
        given = constant(self.value, None if dtype is None else as_dtype(dtype))
        if not given._value.ndim:
            return fill(sizes, given)
        count = given._value.size
        wanted = 1
        for n in sizes:
            wanted *= n
        if count not in (1, wanted):
            raise invalid(f"constant_initializer: the value has {count} elements, shape {list(sizes)} has {wanted}")
        made: Tensor = reshape(given, shape=sizes if count == wanted else ())
        return made if count == wanted else fill(sizes, made)


class random_normal_initializer(_Initializer):
    """Draws from a normal distribution.

    >>> import gradtape as tf
    >>> tf.random_normal_initializer(0.0, 0.02)([3, 3]).shape
    TensorShape([3, 3])
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Draws of a shape; always the same ones with a seed."""
        return normal(shape, self.mean, self.stddev, dtype, self.seed)


class random_uniform_initializer(_Initializer):
    """Draws from [minval, maxval)."""

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Tensor:
        """Draws of a shape."""
        return uniform(shape, self.minval, self.maxval, dtype, self.seed)


__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]
