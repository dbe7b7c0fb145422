"""`tf.image`: colour spaces, dtypes of images, and adjustments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._axes import of_kind
from gradtape._casting import cast, saturate_cast
from gradtape.base.dtypes import as_dtype, float16, float32
from gradtape.base.errors import FailedPreconditionError, invalid
from gradtape.core.convert import existing, to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import image as image_ops
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import reduce_mean
from gradtape.ops.selection import equal, where
from gradtape.ops.shaping import getitem, reshape, stack, tile

GRAYSCALE = ((0.2989,), (0.5870,), (0.1140,))
YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
FROM_YIQ = ((1, 1, 1), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049))
YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
FROM_YUV = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """Convert images to another dtype and scale them: from [0, 1] where floating, up to the maximum where integer.

    Args:
        image: real.
        dtype: floating or integer.
        saturate: put values that do not fit at the ends of the range.

    Raises:
        AttributeError: for another dtype.

    >>> import gradtape as tf
    >>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8).numpy()
    array([  0, 127, 255], dtype=uint8)
    """
    x: Any = to_tensor(image, None, "image")
    wanted, have = as_dtype(dtype), x.dtype
    if not (wanted.is_floating or wanted.is_integer) or not (have.is_floating or have.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if wanted == have:
        return x
    into = saturate_cast if saturate else cast
    if have.is_floating:
        return cast(x, wanted) if wanted.is_floating else into(x * (wanted.max + 0.5), wanted)
    if wanted.is_floating:
        return cast(x, wanted) * (1.0 / have.max)
    if have.max > wanted.max:
        return into(x // ((int(have.max) + 1) // (int(wanted.max) + 1)), wanted)
    return into(x, wanted) * ((int(wanted.max) + 1) // (int(have.max) + 1))


def _adjusted(image: Any, change: Any, name: str = "image") -> Tensor:
    """Apply a change of floating images to images of any dtype."""
    x: Any = to_tensor(image, None, name)
    if x.dtype.is_floating:
        return change(x)
    return convert_image_dtype(change(convert_image_dtype(x, float32)), x.dtype, saturate=True)


def _number(value: Any, like: Any, name: str) -> Any:
    """A number in the dtype of images, whichever dtype it has as a tensor."""
    found = existing(value)
    return cast(found, like.dtype) if isinstance(found, Tensor) else to_tensor(found, like.dtype, name)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Return the luma of images `[..., 3]`, shape `[..., 1]`.

    Raises:
        InvalidArgumentError: unless the last axis has 3 elements.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 0.0]]]).numpy().round(4)
    array([[[0.8859]]], dtype=float32)
    """
    x: Any = to_tensor(images, None, "images")
    if x.dtype.is_floating:
        return _mixed(x, GRAYSCALE, "rgb_to_grayscale")
    made = _mixed(convert_image_dtype(x, float32), GRAYSCALE, "rgb_to_grayscale")
    return convert_image_dtype(made, x.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Repeat the one channel of images `[..., 1]` three times.

    Raises:
        ValueError: for one axis, or more than one channel.

    >>> import gradtape as tf
    >>> tf.image.grayscale_to_rgb([[[0.5]]]).numpy()
    array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """
    x = to_tensor(images, None, "images")
    shape = x._value.shape
    if len(shape) < 2:
        raise ValueError(f"A grayscale image (shape {shape}) must be at least two-dimensional.")
    if shape[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return tile(x, multiples=(*[1] * (len(shape) - 1), 3))


def rgb_to_yiq(images: Any) -> Tensor:
    """Return the images `[..., 3]` in YIQ.

    Raises:
        TypeError: for integers.
        InvalidArgumentError: unless the last axis has 3 elements.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().round(3)
    array([[[0.299, 0.596, 0.212]]], dtype=float32)
    """
    return _mixed(_floating(images, YIQ), YIQ, "rgb_to_yiq")


def yiq_to_rgb(images: Any) -> Tensor:
    """Return YIQ images as RGB. Raises as `rgb_to_yiq`."""
    return _mixed(_floating(images, FROM_YIQ), FROM_YIQ, "yiq_to_rgb")


def rgb_to_yuv(images: Any) -> Tensor:
    """Return the images `[..., 3]` in YUV. Raises as `rgb_to_yiq`.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().round(3)
    array([[[ 0.299, -0.147,  0.615]]], dtype=float32)
    """
    return _mixed(_floating(images, YUV), YUV, "rgb_to_yuv")


def yuv_to_rgb(images: Any) -> Tensor:
    """Return YUV images as RGB. Raises as `rgb_to_yiq`."""
    return _mixed(_floating(images, FROM_YUV), FROM_YUV, "yuv_to_rgb")


def _floating(images: Any, matrix: Any) -> Any:
    x = to_tensor(images, None, "images")
    if not x.dtype.is_floating:
        raise TypeError(f"Cannot convert {[list(row) for row in matrix]} to EagerTensor of dtype {x.dtype.name}")
    return x


def _mixed(x: Any, matrix: Any, label: str) -> Any:
    """New channels, each a weighted sum of the three."""
    shape = x._value.shape
    if not shape or shape[-1] != 3:
        raise invalid(f"{label}: images must have 3 channels along their last axis, got shape {list(shape)}")
    weights = np.array(matrix, dtype=x._value.dtype)
    made = matmul(reshape(x, shape=(-1, 3)), weights)
    return reshape(made, shape=(*shape[:-1], weights.shape[1]))


def _channels(images: Any, label: str) -> list[Any]:
    x = of_kind(to_tensor(images, None, "images"), "fV", label)
    if not x._value.ndim or x._value.shape[-1] != 3:
        raise FailedPreconditionError(
            None, None, f"input must have 3 channels but input has shape {list(x._value.shape)} [Op:{label}]"
        )
    return [getitem(x, key=(..., i)) for i in range(3)]


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Return the images `[..., 3]` as hue in [0, 1), saturation and value.

    Raises:
        InvalidArgumentError: unless they are floating.
        FailedPreconditionError: unless the last axis has 3 elements.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_hsv([[[0.0, 0.5, 0.0]]]).numpy().round(4)
    array([[[0.3333, 1.    , 0.5   ]]], dtype=float32)
    """
    return rgb_as_hsv(*_channels(images, "RGBToHSV"))


def rgb_as_hsv(r: Any, g: Any, b: Any) -> Any:
    """Hue, saturation and value, stacked along a new last axis. Where there is no hue or saturation, it is 0."""
    value = ew.maximum(ew.maximum(r, g), b)
    spread = value - ew.minimum(ew.minimum(r, g), b)
    colourless, red, green = equal(spread, 0), equal(r, value), equal(g, value)
    safe = where(colourless, 1, spread)
    turn = where(red, (g - b) / safe, where(green, (b - r) / safe + 2, (r - g) / safe + 4)) / 6
    turn = where(turn < 0, turn + 1, turn)
    hue = where(colourless, 0, turn)
    black = value <= 0
    saturation = where(black, 0, spread / where(black, 1, value))
    return stack(hue, saturation, value, axis=hue._value.ndim)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Return images of hue, saturation and value as RGB. Raises as `rgb_to_hsv`.

    >>> import gradtape as tf
    >>> tf.image.hsv_to_rgb([[[0.5, 1.0, 0.8]]]).numpy()
    array([[[0. , 0.8, 0.8]]], dtype=float32)
    """
    return hsv_as_rgb(*_channels(images, "HSVToRGB"))


def hsv_as_rgb(h: Any, s: Any, v: Any) -> Any:
    """RGB, stacked along a new last axis: each colour is full within a sixth of a turn of its hue, and then fades."""
    zero, one = (np.asarray(n, h._value.dtype)[()] for n in (0, 1))
    sixths = h * 6
    full = [abs(sixths - 3) - 1, 2 - abs(sixths - 2), 2 - abs(sixths - 4)]
    parts = [ew.minimum(ew.maximum(f, zero), one) for f in full]
    return stack(*[((1 - s) + s * part) * v for part in parts], axis=h._value.ndim)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Add a number to images; integers are scaled to [0, 1] meanwhile, and stay within their range.

    >>> import gradtape as tf
    >>> tf.image.adjust_brightness(tf.constant([[[10, 250]]], tf.uint8), 0.1).numpy()
    array([[[ 35, 255]]], dtype=uint8)
    """
    return _adjusted(image, lambda x: x + _number(delta, x, "delta"))


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Return `gain * image ** gamma`; integers are scaled to [0, 1] meanwhile, and stay within their range.

    Raises:
        ValueError: if gamma is negative.

    >>> import gradtape as tf
    >>> tf.image.adjust_gamma([[[0.5]]], 2.0, 3.0).numpy().ravel()
    array([0.75], dtype=float32)
    """
    if float(to_tensor(gamma, None, "gamma")) < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _adjusted(image, lambda x: _number(gain, x, "gain") * x ** _number(gamma, x, "gamma"))


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Move each pixel away from the mean of its channel by a factor.

    Differentiating it raises LookupError, as in TensorFlow.

    Args:
        images: shape `[..., height, width, channels]`. Integers are scaled to [0, 1] meanwhile, and stay within range.
        contrast_factor: a scalar.

    Raises:
        InvalidArgumentError: for fewer than three axes, or a factor that is not a scalar.

    >>> import gradtape as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """
    found = to_tensor(images, None, "images")
    factor = _number(contrast_factor, found if found.dtype.is_floating else cast(found, float32), "contrast_factor")
    if found._value.ndim < 3 or factor._value.ndim:
        raise invalid(
            f"adjust_contrast: images must have at least 3 axes and contrast_factor none, got shapes "
            f"{list(found._value.shape)} and {list(factor._value.shape)}"
        )
    return _adjusted(found, lambda x: image_ops.adjust_contrast(x, factor), "images")


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Turn the hue of RGB images by a fraction of a full turn.

    Raises:
        ValueError: for a delta outside [-1, 1].
        FailedPreconditionError: unless the last axis has 3 elements.

    >>> import gradtape as tf
    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 1 / 3).numpy().round(4).ravel()
    array([0., 1., 0.], dtype=float32)
    """
    if not -1 <= float(to_tensor(delta, None, "delta")) <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    return turned_hue(image, delta)


def turned_hue(image: Any, delta: Any) -> Tensor:
    """`adjust_hue` by a fraction that is known to be one."""

    def change(x: Any) -> Any:
        hsv = rgb_as_hsv(*_channels(x, "AdjustHue"))
        hue = hsv[..., 0] + _number(delta, x, "delta")
        return hsv_as_rgb(hue - ew.floor(hue), hsv[..., 1], hsv[..., 2])

    return _adjusted(image, change)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Multiply the saturation of RGB images with a factor; it stays within [0, 1].

    Raises:
        FailedPreconditionError: unless the last axis has 3 elements.

    >>> import gradtape as tf
    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().ravel()
    array([1., 0., 0.], dtype=float32)
    """

    def change(x: Any) -> Any:
        hsv = rgb_as_hsv(*_channels(x, "AdjustSaturation"))
        zero, one = (np.asarray(n, x._value.dtype)[()] for n in (0, 1))
        scaled = hsv[..., 1] * _number(saturation_factor, x, "saturation_factor")
        return hsv_as_rgb(hsv[..., 0], ew.minimum(ew.maximum(scaled, zero), one), hsv[..., 2])

    return _adjusted(image, change)


def per_image_standardization(image: Any) -> Tensor:
    """Scale each image `[..., height, width, channels]` to mean 0 and variance 1.

    The standard deviation counts as at least `1 / sqrt(number of elements)`, so that an even image becomes zeros.

    Returns:
        float16 for float16, else float32.

    Raises:
        ValueError: for fewer than three axes.

    >>> import gradtape as tf
    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    x: Any = to_tensor(image, None, "image")
    if x._value.ndim < 3:
        raise ValueError(f"'image' (shape {x._value.shape}) must be at least three-dimensional.")
    if x.dtype != float16:
        x = cast(x, float32)
    shape = x._value.shape
    axes = tuple(range(len(shape) - 3, len(shape)))
    kept = (*shape[:-3], 1, 1, 1)
    centred = x - reshape(reduce_mean(x, axis=axes), shape=kept)
    variance = reshape(reduce_mean(ew.square(centred), axis=axes), shape=kept)
    least = np.asarray(1 / max(1, math.prod(shape[-3:])), x._value.dtype)[()]
    return centred / ew.sqrt(ew.maximum(variance, least))
