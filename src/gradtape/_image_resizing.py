"""`tf.image`: resizing, cropping and padding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._axes import Shape, whole, wholes
from gradtape._casting import cast
from gradtape.base.dtypes import float32
from gradtape.base.errors import OutOfRangeError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import check, settled
from gradtape.core.tensor import Tensor
from gradtape.ops.elementwise import floor, maximum
from gradtape.ops.indexing import gather as take
from gradtape.ops.resampling import FILTERS, area_weights, filter_weights, nearest_places, resampled
from gradtape.ops.selection import equal, where
from gradtape.ops.shaping import cast_discrete, pad, reshape, slice_nd


class ResizeMethod:
    """The names of the methods of `resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


METHODS = (*FILTERS, "nearest", "area")


def batch_of(image: Any, name: str = "images", message: str | None = None) -> tuple[Any, bool]:
    """Images as a batch, and whether it is one that was given without.

    Raises:
        ValueError: unless the rank is 3 or 4.
    """
    x = to_tensor(image, None, name)
    if x._value.ndim == 4:
        return x, False
    if x._value.ndim != 3:
        raise ValueError(message or f"'{name}' (shape {x._value.shape}) must have either 3 or 4 dimensions.")
    return reshape(x, shape=(1, *x._value.shape)), True


def unbatched(x: Any, single: bool) -> Any:
    """The one image of the batch, if it was given without."""
    return reshape(x, shape=x._value.shape[1:]) if single else x


def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images.

    Args:
        images: shape `[height, width, channels]`, or `[batch, height, width, channels]`.
        size: the new height and width, int32.
        method: a name in `ResizeMethod`.
        preserve_aspect_ratio: keep the ratio of height and width, within that size.
        antialias: average over what a shrunk pixel covers. "area" always does, "nearest" never.

    Returns:
        float32; with "nearest" of the dtype of the images.

    Raises:
        ValueError: for another rank, size or method.
        InvalidArgumentError: for a size of zero.

    >>> import gradtape as tf
    >>> tf.image.resize([[[0.0], [4.0]]], [1, 4]).numpy().ravel()
    array([0., 1., 3., 4.], dtype=float32)
    """
    x, single = batch_of(images, "images", "'images' must have either 3 or 4 dimensions.")
    target = _size(size)
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    if preserve_aspect_ratio:
        target = _within(x._value.shape[1:3], target)
    if 0 in target:
        raise invalid("resize: output dimensions must be positive")
    return unbatched(resized(x if method == "nearest" else cast(x, float32), target, method, antialias), single)


def resized(x: Any, size: Shape, method: str, antialias: bool) -> Any:
    """Resize a batch of floating images (of any dtype for "nearest"); the smaller side first."""
    height, width = x._value.shape[1:3]
    if (height, width) == size and method in ("nearest", "bilinear", "bicubic", "area"):
        return x
    if method == "nearest":
        rows, columns = nearest_places(height, size[0]), nearest_places(width, size[1])
        return take(take(x, rows, axis=1), columns, axis=2)
    dtype = x._value.dtype
    wide = dtype if dtype.char in "fd" else np.dtype("float32")
    rows, columns = (
        area_weights(n, m, wide.char) if method == "area" else filter_weights(n, m, method, bool(antialias), wide.char)
        for n, m in zip((height, width), size, strict=True)
    )
    made = resampled(x, rows.astype(dtype, copy=False), axis=1)
    return resampled(made, columns.astype(dtype, copy=False), axis=2)


def _size(size: Any) -> Shape:
    found = settled(to_tensor(size, None, "size"))
    if found.shape != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if found.dtype.kind != "i":
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if found.min() < 0:
        raise ValueError(f"Dimension {found.min()} must be >= 0")
    return (int(found[0]), int(found[1]))


def _within(now: Shape, size: Shape) -> Shape:
    """The largest size with the same ratio, rounded, computed in float32 as TensorFlow does."""
    single = np.float32
    factor = min(single(size[0]) / single(now[0]), single(size[1]) / single(now[1]))
    height, width = (int(np.round(factor * single(n))) for n in now)
    return height, width


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR, antialias: bool = False
) -> Tensor:
    """Resize images to fit within a size, keeping their ratio, and put zeros around them.

    Raises:
        ValueError: for another rank or method, or a target that is not positive.

    >>> import gradtape as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4)[..., 0].numpy()
    array([[0., 1., 1., 0.],
           [0., 1., 1., 0.]], dtype=float32)
    """
    x, single = batch_of(image, "image")
    height, width = _positive(target_height, "target_height"), _positive(target_width, "target_width")
    now = x._value.shape[1:3]
    ratio = max(now[1] / width, now[0] / height)
    fitted = [n / ratio for n in now]
    top, left = (max(0, math.floor((t - f) / 2)) for t, f in zip((height, width), fitted, strict=True))
    made = resize(x, [math.floor(f) for f in fitted], method, antialias=antialias)
    return unbatched(_padded(made, top, left, height, width), single)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Crop images to a size around their middle, and put zeros around them where they are smaller.

    Raises:
        ValueError: for another rank, or a target that is not positive.

    >>> import gradtape as tf
    >>> tf.image.resize_with_crop_or_pad([[[1.0], [2.0], [3.0]]], 1, 1).numpy().ravel()
    array([2.], dtype=float32)
    """
    x, single = batch_of(image, "image")
    target = _positive(target_height, "target_height"), _positive(target_width, "target_width")
    now = x._value.shape[1:3]
    begin = [max(0, (n - t) // 2) for n, t in zip(now, target, strict=True)]
    around = [max(0, (t - n) // 2) for n, t in zip(now, target, strict=True)]
    size = [min(n, t) for n, t in zip(now, target, strict=True)]
    middle = _cropped(x, begin[0], begin[1], size[0], size[1])
    return unbatched(_padded(middle, around[0], around[1], *target), single)


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Crop images to the fraction in the middle of both sides.

    Raises:
        ValueError: for fewer than 3 or more than 4 axes, or a fraction outside (0, 1].

    >>> import gradtape as tf
    >>> tf.image.central_crop(tf.reshape(tf.range(4.0), [1, 4, 1]), 0.5).numpy().ravel()
    array([1., 2.], dtype=float32)
    """
    fraction = float(to_tensor(central_fraction, None, "central_fraction"))
    if not 0 < fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    given = to_tensor(image, None, "image")
    if given._value.ndim < 3:
        raise ValueError(f"'image' (shape {given._value.shape}) must be at least three-dimensional.")
    x, single = batch_of(given, "image")
    begin = [int((n - n * fraction) / 2) for n in x._value.shape[1:3]]
    return unbatched(_cropped(x, *begin, *[n - 2 * b for n, b in zip(x._value.shape[1:3], begin, strict=True)]), single)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Crop images to the box of a size that starts at the offsets.

    Raises:
        ValueError: for another rank, or a box that is empty or not within the image.

    >>> import gradtape as tf
    >>> tf.image.crop_to_bounding_box(tf.reshape(tf.range(4.0), [2, 2, 1]), 1, 0, 1, 2).numpy().ravel()
    array([2., 3.], dtype=float32)
    """
    x, single = batch_of(image, "image")
    top, left = _from_zero(offset_height, "offset_height"), _from_zero(offset_width, "offset_width")
    height, width = _positive(target_height, "target_height"), _positive(target_width, "target_width")
    for n, begin, size, side in zip(
        x._value.shape[1:3], (top, left), (height, width), ("height", "width"), strict=True
    ):
        if begin + size > n:
            raise ValueError(f"{side} must be >= target + offset.")
    return unbatched(_cropped(x, top, left, height, width), single)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Put zeros around images: so many above and to the left as the offsets say, and others up to a size.

    Raises:
        ValueError: for another rank, or a size that the image does not fit in.

    >>> import gradtape as tf
    >>> tf.image.pad_to_bounding_box([[[5.0]]], 0, 1, 1, 3).numpy().ravel()
    array([0., 5., 0.], dtype=float32)
    """
    x, single = batch_of(image, "image")
    top, left = _from_zero(offset_height, "offset_height"), _from_zero(offset_width, "offset_width")
    height, width = whole(target_height, "target_height"), whole(target_width, "target_width")
    for n, before, size, side in zip(
        x._value.shape[1:3], (top, left), (height, width), ("height", "width"), strict=True
    ):
        if before + n > size:
            raise ValueError(f"{side} must be <= target - offset")
    return unbatched(_padded(x, top, left, height, width), single)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cut boxes out of images, and resize each to one size. Gradients flow to the images, and bilinear to the boxes.

    Args:
        image: shape `[batch, height, width, channels]`.
        boxes: shape `[n, 4]`: y1, x1, y2, x2, where 0 is the middle of the first pixel and 1 that of the last.
        box_indices: shape `[n]`: which image.
        crop_size: the height and width of the crops.
        method: "bilinear" or "nearest".
        extrapolation_value: what there is outside the image.

    Returns:
        shape `[n, crop height, crop width, channels]`, float32.

    Raises:
        ValueError: for another method.
        InvalidArgumentError: for shapes that do not fit.
        OutOfRangeError: for an image that is not there.

    >>> import gradtape as tf
    >>> tf.image.crop_and_resize([[[[0.0], [4.0]]]], [[0.0, 0.25, 0.0, 0.75]], [0], [1, 2]).numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"crop_and_resize: method must be 'bilinear' or 'nearest', got {method!r}")
    x = cast(to_tensor(image, None, "image"), float32)
    corners: Any = to_tensor(boxes, float32, "boxes")
    which = to_tensor(box_indices, None, "box_indices")
    count = which._value.size
    size = wholes(crop_size, "crop_size")
    if x._value.ndim != 4:
        raise invalid(f"crop_and_resize: image must be 4-D, got shape {list(x._value.shape)} [Op:CropAndResize]")
    if corners._value.shape != (count, 4) or which._value.ndim != 1:
        raise invalid(
            f"crop_and_resize: boxes must have the shape [n, 4] and box_indices [n], got {list(corners._value.shape)} "
            f"and {list(which._value.shape)} [Op:CropAndResize]"
        )
    if len(size) != 2 or min(size) < 1:
        raise invalid(f"crop_and_resize: crop_size must be two positive numbers, got {list(size)} [Op:CropAndResize]")
    batch, height, width, _ = x._value.shape
    check(_exist, which, batch)
    rows = _samples(corners[:, 0:1], corners[:, 2:3], height, size[0])
    columns = _samples(corners[:, 1:2], corners[:, 3:4], width, size[1])
    made = resampled(take(x, which, axis=0), _hats(rows, height, method), axis=1)
    made = resampled(made, _hats(columns, width, method), axis=2)
    outside = _outside(rows, height, (count, size[0], 1, 1)) | _outside(columns, width, (count, 1, size[1], 1))
    return where(outside, np.float32(extrapolation_value), made)


def _exist(numbers: Any, batch: int) -> None:
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < batch:
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size) [Op:CropAndResize]")


def _samples(first: Any, last: Any, n: int, size: int) -> Any:
    """Where the pixels of a crop lie between the pixels of the image, `[boxes, size]`."""
    if size == 1:
        return (first + last) * (0.5 * (n - 1))
    step = (last - first) * ((n - 1) / (size - 1))
    return first * float(n - 1) + step * np.arange(size, dtype=np.float32)


def _hats(at: Any, n: int, method: str) -> Any:
    """Weights of the pixels of the image, `[boxes, size, n]`: by their distance, or one for the nearest."""
    if method == "nearest":
        here = equal(reshape(floor(at + 0.5), shape=(*at._value.shape, 1)), np.arange(n, dtype=np.float32))
        return cast_discrete(here, dtype=np.dtype(np.float32))
    apart = abs(reshape(at, shape=(*at._value.shape, 1)) - np.arange(n, dtype=np.float32))
    return maximum(1.0 - apart, np.float32(0))


def _outside(at: Any, n: int, shape: Shape) -> Any:
    return reshape((at < 0) | (at > n - 1), shape=shape)


def _cropped(x: Any, top: int, left: int, height: int, width: int) -> Any:
    batch, _, _, channels = x._value.shape
    return slice_nd(x, begin=(0, top, left, 0), size=(batch, height, width, channels))


def _padded(x: Any, top: int, left: int, height: int, width: int) -> Any:
    _, rows, columns, _ = x._value.shape
    return pad(x, paddings=((0, 0), (top, height - top - rows), (left, width - left - columns), (0, 0)))


def _positive(value: Any, name: str) -> int:
    number = whole(value, name)
    if number < 1:
        raise ValueError(f"{name} must be > 0.")
    return number


def _from_zero(value: Any, name: str) -> int:
    number = whole(value, name)
    if number < 0:
        raise ValueError(f"{name} must be >= 0.")
    return number
