"""`tf.image`: adjustments by chance. The numbers differ from TensorFlow's; a seed reproduces them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import whole, wholes
from gradtape._image_color import adjust_brightness, adjust_contrast, adjust_saturation, turned_hue
from gradtape._image_geometry import at_least_3d
from gradtape._image_resizing import batch_of, unbatched
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops.indexing import gather
from gradtape.ops.sampling import draw_key, uniform_integers, uniforms
from gradtape.ops.selection import where
from gradtape.ops.shaping import flip


def _key(seed: Any) -> Tensor:
    """The key of the next draw of the stream of an op's seed."""
    return draw_key(None if seed is None else whole(seed, "seed"))


def _given(seed: Any) -> Tensor:
    """The key that a seed of two integers is."""
    key = to_tensor(seed, None, "seed")
    if key._value.shape != (2,) or key._value.dtype.kind not in "iu":
        raise invalid(f"seed must be two integers, of shape [2], not {key.dtype.name}{list(key._value.shape)}")
    return key


def _between(key: Tensor, low: float, high: float) -> Any:
    """A number from [low, high)."""
    return uniforms(key, shape=(), dtype=np.dtype(np.float32)) * (high - low) + low


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Return `adjust_brightness` with a number from `[-max_delta, max_delta)`.

    Raises:
        ValueError: if max_delta is negative.

    >>> import gradtape as tf
    >>> tf.image.random_brightness([[[0.5]]], 0.0).numpy()
    array([[[0.5]]], dtype=float32)
    """
    return _brightened(image, max_delta, _key(seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Return `random_brightness` with a number that the seed, two integers, alone decides."""
    return _brightened(image, max_delta, _given(seed))


def _brightened(image: Any, max_delta: float, key: Tensor) -> Tensor:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, _between(key, -max_delta, max_delta))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Return `adjust_contrast` with a factor from `[lower, upper)`.

    Raises:
        ValueError: if `upper <= lower` or `lower < 0`.

    >>> import gradtape as tf
    >>> tf.image.random_contrast(tf.ones([2, 2, 1]), 0.2, 0.5)[0, 0].numpy()
    array([1.], dtype=float32)
    """
    return adjust_contrast(image, _factor(lower, upper, _key(seed)))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Return `random_contrast` with a factor that the seed, two integers, alone decides."""
    return adjust_contrast(image, _factor(lower, upper, _given(seed)))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Return `adjust_saturation` with a factor from `[lower, upper)`. Raises as `random_contrast`."""
    return adjust_saturation(image, _factor(lower, upper, _key(seed)))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Return `random_saturation` with a factor that the seed, two integers, alone decides."""
    return adjust_saturation(image, _factor(lower, upper, _given(seed)))


def _factor(lower: float, upper: float, key: Tensor) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return _between(key, lower, upper)


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Return `adjust_hue` with a number from `[-max_delta, max_delta)`.

    Raises:
        ValueError: unless max_delta is in [0, 0.5].

    >>> import gradtape as tf
    >>> tf.image.random_hue(tf.ones([1, 1, 3]), 0.5).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    return _turned(image, max_delta, _key(seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Return `random_hue` with a number that the seed, two integers, alone decides."""
    return _turned(image, max_delta, _given(seed))


def _turned(image: Any, max_delta: float, key: Tensor) -> Tensor:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return turned_hue(image, _between(key, -max_delta, max_delta))


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Mirror images along their width, each with a chance of one half.

    Raises:
        ValueError: unless there are 3 or 4 axes.

    >>> import gradtape as tf
    >>> tf.image.random_flip_left_right(tf.ones([1, 2, 1])).shape
    TensorShape([1, 2, 1])
    """
    return _perhaps_flipped(image, 2, _key(seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Return `random_flip_left_right` with choices that the seed, two integers, alone decides."""
    return _perhaps_flipped(image, 2, _given(seed))


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Mirror images along their height, each with a chance of one half. Raises as `random_flip_left_right`."""
    return _perhaps_flipped(image, 1, _key(seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Return `random_flip_up_down` with choices that the seed, two integers, alone decides."""
    return _perhaps_flipped(image, 1, _given(seed))


def _perhaps_flipped(image: Any, axis: int, key: Tensor) -> Tensor:
    x, single = batch_of(at_least_3d(image), "image")
    draws: Any = uniforms(key, shape=(x._value.shape[0], 1, 1, 1), dtype=np.dtype(np.float32))
    chosen = draws < 0.5
    return unbatched(where(chosen, flip(x, axes=(axis,)), x), single)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """Return a block of this size from anywhere in a tensor.

    Raises:
        InvalidArgumentError: unless the size fits within the tensor.

    >>> import gradtape as tf
    >>> tf.image.random_crop(tf.ones([4, 4, 3]), [2, 3, 3]).shape
    TensorShape([2, 3, 3])
    """
    return _cropped(value, size, _key(seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """Return `random_crop` from where the seed, two integers, alone decides."""
    return _cropped(value, size, _given(seed))


def _cropped(value: Any, size: Any, key: Tensor) -> Tensor:
    x = to_tensor(value, None, "value")
    block = wholes(size, "size")
    shape = x._value.shape
    if len(block) != len(shape) or any(b > n or b < 0 for b, n in zip(block, shape, strict=True)):
        raise invalid(f"Need value.shape >= size, got {list(shape)} {list(block)}")
    room = np.array([n - b + 1 for n, b in zip(shape, block, strict=True)], np.int64)
    begin: Any = uniform_integers(key, 0, room, shape=(len(room),), dtype=np.dtype(np.int64))
    for axis, size_here in enumerate(block):
        if room[axis] > 1:
            x = gather(x, begin[axis] + np.arange(size_here), axis=axis)
    return x
