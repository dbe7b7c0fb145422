"""`keras.ops.image` over gradtape's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import backend

from gradtape import image, linalg
from gradtape._image_color import hsv_as_rgb, rgb_as_hsv
from gradtape._image_resizing import resized
from gradtape._windows import channels_first, channels_last
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import as_float, cast, name_of, numpy_dtype, promoted, tensor
from gradtape.keras_backend.missing import missing
from gradtape.keras_backend.random import normal
from gradtape.ops import convolution, elementwise, reductions, shaping
from gradtape.ops.interpolation import MODES, interpolated
from gradtape.ops.resampling import filter_weights, resampled
from gradtape.ops.windows import windows

__getattr__ = missing("image")

RESIZE_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")
ORDERS = {"nearest": 0, "bilinear": 1}
FILTERS = {
    **dict.fromkeys(("linear", "bilinear", "trilinear"), "bilinear"),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), "bicubic"),
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
}


def _one_of(value: Any, allowed: Any, name: str) -> None:
    if value not in allowed:
        raise ValueError(
            f"Invalid value for argument `{name}`. Expected of one {tuple(allowed)}. Received: {name}={value}"
        )


def _check_rank(images: Tensor) -> None:
    shape = images._value.shape
    if len(shape) not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with "
            f"shape: images.shape={shape}"
        )


def _on_batches(images: Tensor, data_format: str | None, function: Callable[[Any], Any]) -> Tensor:
    """Apply a function of `[batch, height, width, channels]` to images of either format, with or without a batch."""
    _check_rank(images)
    shape = images._value.shape
    x = images if len(shape) == 4 else shaping.reshape(images, shape=(1, *shape))
    first = backend.standardize_data_format(data_format) == "channels_first"
    out = function(channels_last(x) if first else x)
    if first:
        out = channels_first(out)
    return out if len(shape) == 4 else shaping.reshape(out, shape=out._value.shape[1:])


def _in_float(images: Tensor, function: Callable[[Any], Any]) -> Any:
    """Apply a function of floating images; the result has the dtype that they had, integers rounded and in range."""
    dtype = name_of(images)
    x = cast(as_float(images), backend.result_type(dtype, "float32"))
    made = function(x)
    if images._value.dtype.kind in "iub":
        limits = np.iinfo(images._value.dtype) if images._value.dtype.kind in "iu" else np.iinfo(np.uint8)
        made = elementwise.minimum(elementwise.maximum(elementwise.rint(made), float(limits.min)), float(limits.max))
    return cast(made, dtype)


def _colour(images: Any, data_format: str | None) -> Tensor:
    x = tensor(images)
    axis = -1 if backend.standardize_data_format(data_format) == "channels_last" else -3
    if x._value.ndim in (3, 4) and x._value.shape[axis] not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: "
            f"images.shape={x._value.shape}"
        )
    return x


def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Tensor:
    """The luma of RGB images, in their dtype."""
    x = _colour(images, data_format)
    dtype = name_of(x)

    def change(x: Any) -> Any:
        return x if x._value.shape[-1] == 1 else cast(image.rgb_to_grayscale(as_float(x)), dtype)

    return _on_batches(x, data_format, change)


def _by_channel(images: Any, data_format: str | None, function: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Apply a function of three channels to floating images."""
    x = tensor(images)
    if not backend.is_float_dtype(name_of(x)):
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={name_of(x)}")

    def change(x: Any) -> Any:
        channels = x._value.shape[-1]
        if channels != 3:
            raise ValueError(f"Input images must have 3 channels, but received images with {channels} channels.")
        return function(x[..., 0], x[..., 1], x[..., 2])

    return _on_batches(x, data_format, change)


def rgb_to_hsv(images: Any, data_format: str | None = None) -> Tensor:
    """Hue, saturation and value of RGB images."""
    return _by_channel(images, data_format, rgb_as_hsv)


def hsv_to_rgb(images: Any, data_format: str | None = None) -> Tensor:
    """RGB images of hue, saturation and value."""
    return _by_channel(images, data_format, hsv_as_rgb)


def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: Any = 0.0,
    data_format: str | None = None,
) -> Tensor:
    """Resize images; on the way crop or pad them to the ratio of the new sides, if asked."""
    _one_of(interpolation, RESIZE_INTERPOLATIONS, "interpolation")
    if fill_mode != "constant":
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(f"Argument `size` must be a tuple of two elements (height, width). Received: size={size}")
    target = (int(size[0]), int(size[1]))

    def change(x: Any) -> Any:
        if crop_to_aspect_ratio:
            x = _cropped(x, target)
        elif pad_to_aspect_ratio:
            x = _padded(x, target, fill_value)
        return resized(x, target, interpolation, antialias)

    x = tensor(images)
    if interpolation == "nearest":
        return _on_batches(x, data_format, change)
    return _in_float(x, lambda x: _on_batches(x, data_format, change))


def _of_ratio(height: int, width: int, target: tuple[int, int]) -> tuple[int, int]:
    """The height that fits the width, and the width that fits the height."""
    return int(float(width * target[0]) / target[1]), int(float(height * target[1]) / target[0])


def _cropped(x: Any, target: tuple[int, int]) -> Any:
    batch, height, width, channels = x._value.shape
    fit = _of_ratio(height, width, target)
    rows, columns = max(min(height, fit[0]), 1), max(min(width, fit[1]), 1)
    begin = (0, int(float(height - rows) / 2), int(float(width - columns) / 2), 0)
    return shaping.slice_nd(x, begin=begin, size=(batch, rows, columns, channels))


def _padded(x: Any, target: tuple[int, int], fill: Any) -> Any:
    _, height, width, _ = x._value.shape
    fit = _of_ratio(height, width, target)
    top, left = int(float(max(height, fit[0]) - height) / 2), int(float(max(width, fit[1]) - width) / 2)
    around = ((0, 0), (top, top), (left, left), (0, 0))
    if not top and not left:
        return x
    padded = shaping.pad(x, paddings=around)
    if not fill:
        return padded
    outside = np.pad(np.zeros(x._value.shape, x._value.dtype), around, constant_values=fill)
    return padded + tensor(outside)


def scale_and_translate(
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Tensor:
    """Resample along some axes: pixel p of an axis goes to `p * scale + translation`."""
    _one_of(method, FILTERS, "method")
    scales, shifts = np.asarray(tensor(scale)), np.asarray(tensor(translation))

    def change(x: Any) -> Any:
        for axis, factor, shift in zip(spatial_dims, scales, shifts, strict=True):
            axis = axis % x._value.ndim
            weights = filter_weights(
                x._value.shape[axis],
                int(output_shape[axis]),
                FILTERS[method],
                bool(antialias),
                x._value.dtype.char,
                float(factor),
                float(shift),
            )
            x = resampled(x, weights, axis=axis)
        return x

    return _in_float(tensor(images), change)


def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: Any = 0.0
) -> Tensor:
    """The values of an array at points between its elements; gradients flow to both."""
    x = tensor(inputs)
    points = as_float(tensor(coordinates))
    if points._value.shape[0] != x._value.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: "
            f"{x._value.shape} and coordinate leading dim of {points._value.shape[0]}"
        )
    if points._value.ndim < 2:
        raise ValueError(
            f"Invalid coordinates rank: expected at least rank 2. Received input with shape: {points._value.shape}"
        )
    _one_of(fill_mode, MODES, "fill_mode")
    _one_of(order, (0, 1), "order")
    return _in_float(x, lambda x: _sampled(x, shaping.unstack(points, axis=0), order, fill_mode, fill_value))


def _sampled(x: Any, points: Any, order: int, mode: str, fill: Any) -> Any:
    dtype = name_of(x)
    at = [cast(p, dtype) if order else p for p in points]
    return interpolated(x, at, order=order, mode=mode, fill=tensor(fill, dtype))


def _grid(height: int, width: int, dtype: str) -> tuple[Tensor, Tensor]:
    """The x and the y of each pixel, `[1, height, width]`."""
    y, x = np.indices((1, height, width), numpy_dtype(dtype))[1:]
    return tensor(x), tensor(y)


def _warped(x: Any, columns: Any, rows: Any, order: int, mode: str, fill: Any) -> Any:
    """Images of which each pixel is taken from where `columns` and `rows`, `[batch or 1, height, width]`, say."""
    batch, shape = x._value.shape[0], columns._value.shape[1:]
    made = [_sampled(x[i], (_part(rows, i, shape), _part(columns, i, shape)), order, mode, fill) for i in range(batch)]
    return shaping.stack(*made, axis=0)


def _part(points: Any, i: int, shape: tuple[int, ...]) -> Any:
    return shaping.reshape(points[i if points._value.shape[0] > 1 else 0], shape=shape)


def _transformed(x: Any, t: Any, order: int, mode: str, fill: Any) -> Any:
    """Images of which pixel (x, y) is that at ((t0 x + t1 y + t2) / k, (t3 x + t4 y + t5) / k), k = t6 x + t7 y + 1."""
    u, v = _grid(x._value.shape[1], x._value.shape[2], name_of(x))
    parts = [shaping.reshape(t[:, i], shape=(-1, 1, 1)) for i in range(8)]
    depth: Any = parts[6] * u + parts[7] * v + 1.0
    columns = (parts[0] * u + parts[1] * v + parts[2]) / depth
    rows = (parts[3] * u + parts[4] * v + parts[5]) / depth
    if order == 0:
        columns, rows = _rounded(columns), _rounded(rows)
    return _warped(x, columns, rows, order, mode, fill)


def _rounded(points: Any) -> Any:
    """The nearest whole number; of two the one farther from zero, as TensorFlow's transform has it."""
    return elementwise.sign(points) * elementwise.floor(abs(points) + 0.5)


def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Tensor:
    """Move the pixels of images by affine (or projective) transforms, one for all or one for each."""
    _one_of(interpolation, ORDERS, "interpolation")
    _one_of(fill_mode, MODES, "fill_mode")
    x, t = tensor(images), tensor(transform)
    if t._value.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). Received "
            f"input with shape: transform.shape={t._value.shape}"
        )
    if t._value.ndim == 1:
        t = shaping.reshape(t, shape=(1, *t._value.shape))

    def change(x: Any) -> Any:
        return _transformed(x, cast(t, name_of(x)), ORDERS[interpolation], fill_mode, fill_value)

    return _in_float(x, lambda x: _on_batches(x, data_format, change))


def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Tensor:
    """Move the pixels of images so that four points come to lie on four others."""
    _one_of(interpolation, ORDERS, "interpolation")
    x, starts, ends = tensor(images), tensor(start_points), tensor(end_points)
    _check_rank(x)
    for name, points in (("start_points", starts), ("end_points", ends)):
        if points._value.ndim not in (2, 3) or points._value.shape[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. Received shape: "
                f"{points._value.shape}"
            )
    if starts._value.shape != ends._value.shape:
        raise ValueError(
            "start_points and end_points must have the same shape. Received "
            f"start_points.shape={starts._value.shape}, end_points.shape={ends._value.shape}"
        )
    if starts._value.ndim == 2:
        starts, ends = (shaping.reshape(p, shape=(1, 4, 2)) for p in (starts, ends))
    t = compute_homography_matrix(starts, ends)

    def change(x: Any) -> Any:
        return _transformed(x, cast(t, name_of(x)), ORDERS[interpolation], "constant", fill_value)

    return _in_float(x, lambda x: _on_batches(x, data_format, change))


def compute_homography_matrix(start_points: Any, end_points: Any) -> Tensor:
    """The eight numbers of the projective transforms that take the end points to the start points, `[n, 8]`."""
    starts, ends = promoted(as_float(start_points), as_float(end_points))
    dtype = name_of(starts)
    wide = backend.result_type(dtype, "float32")
    starts, ends = cast(starts, wide), cast(ends, wide)
    u, v = starts[..., 0], starts[..., 1]
    x, y = ends[..., 0], ends[..., 1]
    one, zero = x * 0.0 + 1.0, x * 0.0
    # u (g x + h y + 1) = a x + b y + c and v (g x + h y + 1) = d x + e y + f, for each of the four points.
    first = shaping.stack(x, y, one, zero, zero, zero, -u * x, -u * y, axis=2)
    second = shaping.stack(zero, zero, zero, x, y, one, -v * x, -v * y, axis=2)
    count = u._value.shape[0]
    matrix = shaping.reshape(shaping.stack(first, second, axis=2), shape=(count, 8, 8))
    target = shaping.reshape(shaping.stack(u, v, axis=2), shape=(count, 8, 1))
    return cast(shaping.reshape(linalg.solve(matrix, target), shape=(count, 8)), dtype)


def gaussian_blur(
    images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: str | None = None
) -> Tensor:
    """Average with Gaussian weights over a window, of `(width, height)`; outside there are zeros."""
    spread = as_float(tensor(sigma))
    width, height = (int(n) for n in np.asarray(tensor(kernel_size)))

    def change(x: Any) -> Any:
        for axis, size in ((0, height), (1, width)):
            x = _averaged(x, _bell(size, cast(spread[1 - axis], name_of(x))), axis)
        return x

    return _in_float(tensor(images), lambda x: _on_batches(x, data_format, change))


def _bell(size: int, sigma: Any) -> Any:
    """Gaussian weights that sum to one."""
    at = np.arange(size, dtype=sigma._value.dtype) - (size - 1) / 2
    weights = elementwise.exp(elementwise.square(at / sigma) * -0.5)
    return weights / reductions.reduce_sum(weights, axis=(0,))


def _averaged(x: Any, weights: Any, axis: int) -> Any:
    """Each channel convolved with weights along the height (axis 0) or the width, zeros outside."""
    channels, size = x._value.shape[-1], weights._value.shape[0]
    window = (size, 1) if axis == 0 else (1, size)
    filters = shaping.tile(shaping.reshape(weights, shape=(*window, 1, 1)), multiples=(1, 1, 1, channels))
    g = windows(x._value.shape[1:3], window, (1, 1), (1, 1), "SAME")
    return convolution.convolve(x, filters, windows=g, groups=channels)


def elastic_transform(
    images: Any,
    alpha: Any = 20.0,
    sigma: Any = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: Any = 0.0,
    seed: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """Move the pixels of images by smooth random distances."""
    _one_of(interpolation, ORDERS, "interpolation")
    _one_of(fill_mode, MODES, "fill_mode")
    size = int(6 * float(tensor(sigma))) | 1

    def change(x: Any) -> Any:
        batch, height, width, _ = x._value.shape
        dtype = name_of(x)
        draws = normal((batch, height, width, 2), 0.0, sigma, dtype, seed)
        smooth = gaussian_blur(draws, (size, size), (float(tensor(sigma)),) * 2, "channels_last")
        moves: Any = smooth * tensor(alpha, dtype)
        u, v = _grid(height, width, dtype)
        return _warped(x, u + moves[..., 0], v + moves[..., 1], ORDERS[interpolation], fill_mode, fill_value)

    return _in_float(tensor(images), lambda x: _on_batches(x, data_format, change))


def sobel_edges(images: Any, data_format: str | None = None) -> Tensor:
    """Sobel's derivatives down and across, along a new last axis."""
    x = tensor(images)
    if data_format == "channels_first":
        return shaping.transpose(image.sobel_edges(channels_last(x)), perm=(0, 3, 1, 2, 4))
    return image.sobel_edges(x)
