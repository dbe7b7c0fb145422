"""`tf.image`: edges, variation, and how much two images are alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._axes import alike, broadcast_shape, whole
from gradtape._casting import cast
from gradtape._image_color import convert_image_dtype
from gradtape.base.dtypes import float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import pooling
from gradtape.ops.convolution import convolve
from gradtape.ops.nn import relu
from gradtape.ops.reductions import reduce_mean, reduce_prod, reduce_sum
from gradtape.ops.shaping import mirror_pad, pad, reshape, stack
from gradtape.ops.windows import windows


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Return the differences to the pixels below and to the right; zero in the last row or column.

    Args:
        image: shape `[batch, height, width, channels]`.

    Raises:
        ValueError: for another rank.

    >>> import gradtape as tf
    >>> [t.numpy().ravel().tolist() for t in tf.image.image_gradients([[[[1.0], [3.0]]]])]
    [[0.0, 0.0], [2.0, 0.0]]
    """
    x: Any = to_tensor(image, None, "image")
    shape = x._value.shape
    if len(shape) != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {shape}.")
    none = (0, 0)
    down = pad(x[:, 1:] - x[:, :-1], paddings=(none, (0, min(1, shape[1])), none, none))
    across = pad(x[:, :, 1:] - x[:, :, :-1], paddings=(none, none, (0, min(1, shape[2])), none))
    return down, across


def sobel_edges(image: Any) -> Tensor:
    """Return Sobel's derivatives down and across, shape `[batch, height, width, channels, 2]`.

    Args:
        image: floating, shape `[batch, height, width, channels]`, 2 by 2 or larger; mirrored beyond its borders.

    Raises:
        InvalidArgumentError: for another rank, or a smaller image.

    >>> import gradtape as tf
    >>> tf.image.sobel_edges(tf.reshape(tf.range(9.0), [1, 3, 3, 1]))[0, 1, 1, 0].numpy()
    array([24.,  8.], dtype=float32)
    """
    x = to_tensor(image, None, "image")
    shape = x._value.shape
    if len(shape) != 4 or min(shape[1:3]) < 2:
        raise invalid(f"sobel_edges: image must be 4-D, 2 by 2 pixels or larger, got shape {list(shape)}")
    down = np.outer([-1, 0, 1], [1, 2, 1])
    filters = np.stack([down, down.T], -1).astype(x._value.dtype)
    seen = mirror_pad(x, widths=((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    return reshape(_each_channel(seen, filters), shape=(*shape, 2))


def _each_channel(x: Any, filters: Any) -> Any:
    """Convolve each channel with filters `[height, width, count]`, without padding."""
    channels = x._value.shape[-1]
    tiled = np.tile(filters[:, :, None, :], (1, 1, 1, channels))
    g = windows(x._value.shape[1:3], filters.shape[:2], (1, 1), (1, 1), "VALID")
    return convolve(x, tiled, windows=g, groups=channels)


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Return the sum of the absolute differences of neighbouring pixels, for each image.

    Args:
        images: shape `[height, width, channels]`, or `[batch, height, width, channels]`.

    Raises:
        ValueError: for another rank.

    >>> import gradtape as tf
    >>> tf.image.total_variation([[[1.0], [3.0], [2.0]]]).numpy()
    np.float32(3.0)
    """
    x: Any = to_tensor(images, None, "images")
    rank = x._value.ndim
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes = tuple(range(rank - 3, rank))
    down, across = x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]
    return reduce_sum(ew.absolute(down), axis=axes) + reduce_sum(ew.absolute(across), axis=axes)


def _pair(a: Any, b: Any, max_val: Any, label: str) -> tuple[Any, Any, Any]:
    """Two images and the largest value there can be, as float32."""
    x, y = alike([a, b], label)
    for value in (x, y):
        if value._value.ndim < 3:
            raise ValueError(f"{label}: images must have at least 3 axes, got shape {list(value._value.shape)}")
    if x._value.shape[-3:] != y._value.shape[-3:] or broadcast_shape(x._value.shape[:-3], y._value.shape[:-3]) is None:
        raise invalid(f"{label}: Incompatible shapes: {list(x._value.shape)} vs. {list(y._value.shape)}")
    largest = cast(to_tensor(max_val, None, "max_val"), x.dtype)
    return tuple(convert_image_dtype(v, float32) for v in (x, y, largest))  # type: ignore[return-value]


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Return the peak signal-to-noise ratio of images `[..., height, width, channels]`, in decibels.

    Args:
        a, b: two images, or batches of them.
        max_val: the largest value less the smallest that there can be.

    Raises:
        InvalidArgumentError: for shapes that do not fit.

    >>> import gradtape as tf
    >>> tf.image.psnr(tf.zeros([1, 1, 1]), tf.ones([1, 1, 1]) / 10, 1.0).numpy().round(3)
    np.float32(20.0)
    """
    x, y, largest = _pair(a, b, max_val, "psnr")
    error = ew.squared_difference(x, y)
    rank = error._value.ndim
    mean = reduce_mean(error, axis=tuple(range(rank - 3, rank)))
    return (20 / math.log(10)) * ew.log(largest) - (10 / math.log(10)) * ew.log(mean)


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: Any = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Return the structural similarity of images `[..., height, width, channels]`, 1 if they are equal.

    By Wang, Bovik, Sheikh and Simoncelli (2004): means, variances and covariances are those under a Gaussian window.

    Args:
        img1, img2: two images, or batches of them, not smaller than the window.
        max_val: the largest value less the smallest that there can be.
        filter_size, filter_sigma: the size of the window, and the standard deviation of the Gaussian.
        k1, k2: small numbers, which steady the quotients.
        return_index_map: return the similarity of each place instead of their mean.

    Raises:
        InvalidArgumentError: for shapes that do not fit.

    >>> import gradtape as tf
    >>> tf.image.ssim(tf.ones([11, 11, 1]), tf.ones([11, 11, 1]), 1.0).numpy()
    np.float32(1.0)
    """
    x, y, largest = _pair(img1, img2, max_val, "ssim")
    luminance, contrast = _similarity(x, y, largest, filter_size, filter_sigma, k1, k2)
    each = luminance * contrast
    if return_index_map:
        return reduce_mean(each, axis=(each._value.ndim - 1,))
    return reduce_mean(_over_places(each), axis=(each._value.ndim - 3,))


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: Any = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Return the structural similarity over several scales: a product of powers, one for each halving of the size.

    By Wang, Simoncelli and Bovik (2003). The contrast counts at each scale, the luminance at the last alone.

    Args:
        power_factors: the exponent of each scale.
        Others as in `ssim`.

    Raises:
        InvalidArgumentError: for shapes that do not fit, and for images that get smaller than the window.

    >>> import gradtape as tf
    >>> tf.image.ssim_multiscale(tf.ones([32, 32, 1]), tf.ones([32, 32, 1]), 1.0, (0.5, 0.5)).numpy()
    np.float32(1.0)
    """
    x, y, largest = _pair(img1, img2, max_val, "ssim_multiscale")
    scores = []
    for scale in range(len(power_factors)):
        if scale:
            x, y = _halved(x), _halved(y)
        luminance, contrast = _similarity(x, y, largest, filter_size, filter_sigma, k1, k2)
        last = scale == len(power_factors) - 1
        scores.append(relu(_over_places(luminance * contrast if last else contrast)))
    stacked = stack(*scores, axis=scores[0]._value.ndim)
    rank = stacked._value.ndim
    powers = ew.power(stacked, np.asarray(power_factors, np.float32))
    return reduce_mean(reduce_prod(powers, axis=(rank - 1,)), axis=(rank - 2,))


def _over_places(each: Any) -> Any:
    rank = each._value.ndim
    return reduce_mean(each, axis=(rank - 3, rank - 2))


def _similarity(x: Any, y: Any, largest: Any, filter_size: Any, sigma: Any, k1: float, k2: float) -> tuple[Any, Any]:
    """The luminance and the contrast of each window of two images."""
    size = whole(filter_size, "filter_size")
    if min(x._value.shape[-3:-1]) < size:
        raise invalid(f"ssim: images must be at least {size} by {size} pixels, got shape {list(x._value.shape)}")
    weights = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / float(sigma)) ** 2)
    window = np.outer(weights, weights)
    filters = (window / window.sum())[:, :, None].astype(x._value.dtype)

    def mean(z: Any) -> Any:
        shape = z._value.shape
        made = _each_channel(reshape(z, shape=(-1, *shape[-3:])), filters)
        return reshape(made, shape=(*shape[:-3], *made._value.shape[1:]))

    c1, c2 = ew.square(largest * k1), ew.square(largest * k2)
    mean_x, mean_y = mean(x), mean(y)
    product, squares = mean_x * mean_y * 2.0, ew.square(mean_x) + ew.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    contrast = (mean(x * y) * 2.0 - product + c2) / (mean(ew.square(x) + ew.square(y)) - squares + c2)
    return luminance, contrast


def _halved(x: Any) -> Any:
    """Means over 2 by 2 pixels; of an odd side the last pixel counts twice."""
    shape = x._value.shape
    flat = reshape(x, shape=(-1, *shape[-3:]))
    odd = [n % 2 for n in shape[-3:-1]]
    if any(odd):
        flat = mirror_pad(flat, widths=((0, 0), (0, odd[0]), (0, odd[1]), (0, 0)), mode="symmetric")
    made = pooling.avg_pool(flat, windows=windows(flat._value.shape[1:3], (2, 2), (2, 2), (1, 1), "VALID"))
    return reshape(made, shape=(*shape[:-3], *made._value.shape[1:]))
