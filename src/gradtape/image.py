"""`tf.image`."""

from __future__ import annotations

from typing import Any

from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import image


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Move each pixel away from the mean of its channel by a factor.

    Differentiating it raises LookupError, as in TensorFlow.

    Args:
        images: shape [..., height, width, channels], floating.
        contrast_factor: a scalar.

    Raises:
        InvalidArgumentError: for fewer than three axes, or a factor that is not a scalar.

    >>> import gradtape as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """
    found = to_tensor(images, name="images")
    factor = to_tensor(contrast_factor, found.dtype, "contrast_factor")
    if found._value.ndim < 3 or factor._value.ndim:
        raise invalid(
            f"adjust_contrast: images must have at least 3 axes and contrast_factor none, got shapes "
            f"{list(found._value.shape)} and {list(factor._value.shape)}"
        )
    return image.adjust_contrast(found, factor)


__all__ = ["adjust_contrast"]
