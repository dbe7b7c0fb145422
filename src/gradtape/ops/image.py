"""Operations on images, of shape [..., height, width, channels]."""

from __future__ import annotations

from typing import Any, NoReturn

from gradtape.core.batching import align, batched
from gradtape.core.kinds import primitive


def _unregistered(ct: Any) -> NoReturn:
    """TensorFlow has no gradient for this op, and programs catch that."""
    raise LookupError(
        "gradient registry has no entry for: AdjustContrastv2. Write (x - tf.reduce_mean(x, [-3, -2], "
        "keepdims=True)) * "
        "factor + mean instead: gradients flow through that."
    )


@batched(align)
@primitive(images=lambda ct: _unregistered(ct), factor=lambda ct: _unregistered(ct))
def adjust_contrast(xp: Any, images: Any, factor: Any) -> Any:
    """Move each pixel away from its channel's mean by a factor."""
    mean = xp.mean(images, axis=(-3, -2), keepdims=True)
    return (images - mean) * factor + mean
