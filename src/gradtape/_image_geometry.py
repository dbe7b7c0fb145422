"""`tf.image`: turning and flipping images, and cutting patches out of them."""

from __future__ import annotations

from typing import Any

from gradtape._axes import of_kind, whole, wholes
from gradtape._convolution import windows_over
from gradtape._image_resizing import batch_of, unbatched
from gradtape._windows import ranked
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import shaping
from gradtape.ops.pooling import to_patches


def flip_left_right(image: Any) -> Tensor:
    """Mirror images `[..., height, width, channels]` along their width.

    Raises:
        ValueError: unless there are 3 or 4 axes.

    >>> import gradtape as tf
    >>> tf.image.flip_left_right([[[1.0], [2.0]]]).numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    return _flipped(image, 1)


def flip_up_down(image: Any) -> Tensor:
    """Mirror images `[..., height, width, channels]` along their height. Raises as `flip_left_right`."""
    return _flipped(image, 0)


def _flipped(image: Any, axis: int) -> Tensor:
    x, single = batch_of(at_least_3d(image), "image")
    return unbatched(shaping.flip(x, axes=(axis + 1,)), single)


def at_least_3d(image: Any) -> Tensor:
    """The image as a tensor. Raises ValueError for fewer than three axes."""
    x = to_tensor(image, None, "image")
    if x._value.ndim < 3:
        raise ValueError(f"'image' (shape {x._value.shape}) must be at least three-dimensional.")
    return x


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Turn images by k right angles, counter-clockwise.

    Raises:
        TypeError: unless k is whole.
        ValueError: unless there are 3 or 4 axes.

    >>> import gradtape as tf
    >>> tf.image.rot90([[[1.0], [2.0]]])[..., 0].numpy()
    array([[2.],
           [1.]], dtype=float32)
    """
    x, single = batch_of(at_least_3d(image), "image")
    turns = whole(k, "k") % 4
    if turns == 2:
        x = shaping.flip(x, axes=(1, 2))
    elif turns == 1:
        x = shaping.transpose(shaping.flip(x, axes=(2,)), perm=(0, 2, 1, 3))
    elif turns == 3:
        x = shaping.flip(shaping.transpose(x, perm=(0, 2, 1, 3)), axes=(2,))
    return unbatched(x, single)


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Swap the height and the width of images.

    Raises:
        ValueError: unless there are 3 or 4 axes.

    >>> import gradtape as tf
    >>> tf.image.transpose(tf.ones([2, 3, 1])).shape
    TensorShape([3, 2, 1])
    """
    x, single = batch_of(at_least_3d(image), "image")
    return unbatched(shaping.transpose(x, perm=(0, 2, 1, 3)), single)


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """Lay the elements of each window of images side by side.

    Args:
        images: shape `[batch, height, width, channels]`.
        sizes: `[1, height, width, 1]` of the windows.
        strides: `[1, down, across, 1]`.
        rates: `[1, down, across, 1]`: with 2, every second element is taken.
        padding: "VALID" or "SAME", with zeros.

    Returns:
        shape `[batch, places, places, height * width * channels]`.

    Raises:
        InvalidArgumentError: for arguments that do not fit.

    >>> import gradtape as tf
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.image.extract_patches(x, [1, 1, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")[0, :, 0].numpy()
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """
    label = "ExtractImagePatches"
    x = of_kind(to_tensor(images, None, "images"), "fViub", label)
    ranked(x, 4, "images", label)
    window = wholes(sizes, "sizes")
    if len(window) != 4 or (window[0], window[3]) != (1, 1) or min(window) < 1:
        raise invalid(f"{label}: sizes must be [1, height, width, 1], got {sizes!r} [Op:{label}]")
    g = windows_over(x._value.shape[1:3], window[1:3], False, strides, padding, rates, 2, label)
    return to_patches(x, windows=g)
