"""Arguments of convolution and pooling: formats, strides, padding; images brought to `[batch, *spatial, channels]`."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from gradtape._axes import Shape, wholes
from gradtape.base.errors import invalid
from gradtape.core.tensor import Tensor
from gradtape.ops.shaping import reshape, transpose


def channels_last(x: Any) -> Any:
    """[batch, *spatial, channels] of [batch, channels, *spatial]."""
    rank = x._value.ndim
    return transpose(x, perm=(0, *range(2, rank), 1))


def channels_first(x: Any) -> Any:
    """[batch, channels, *spatial] of [batch, *spatial, channels]."""
    rank = x._value.ndim
    return transpose(x, perm=(0, rank - 1, *range(1, rank - 1)))


def is_channels_first(data_format: Any, rank: int, label: str) -> bool:
    """Whether the format has the channels behind the batch. Raises InvalidArgumentError for an unknown one."""
    axes = "DHW"[-rank:]
    allowed = ("N" + axes + "C", "NC" + axes)
    if data_format is not None and data_format not in allowed:
        raise invalid(f"{label}: data_format must be {allowed[0]!r} or {allowed[1]!r}, got {data_format!r}")
    return data_format == allowed[1]


class Images(NamedTuple):
    """Images with one batch axis and the channels last, and how to give a result the form that they had."""

    x: Any
    first: bool
    batch: Shape

    def back(self, out: Any) -> Tensor:
        """The result in the format of the images, with their batch axes."""
        out = channels_first(out) if self.first else out
        return out if len(self.batch) == 1 else reshape(out, shape=(*self.batch, *out._value.shape[1:]))


def images_of(x: Tensor, rank: int, data_format: Any, label: str, name: str = "input") -> Images:
    """Bring images to one batch axis and the channels last."""
    first = is_channels_first(data_format, rank, label)
    shape = x._value.shape
    if len(shape) < rank + 2:
        raise invalid(f"{label}: {name} must be {rank + 2}-dimensional, got shape {list(shape)} [Op:{label}]")
    batch = shape[: -rank - 1]
    if len(batch) > 1:
        x = reshape(x, shape=(prod(batch), *shape[-rank - 1 :]))
    return Images(channels_last(x) if first else x, first, batch)


def ranked(x: Tensor, rank: int, name: str, label: str) -> None:
    """Check the rank. Raises InvalidArgumentError."""
    if x._value.ndim != rank:
        raise invalid(f"{label}: {name} must be {rank}-dimensional, got shape {list(x._value.shape)} [Op:{label}]")


def spatial(value: Any, name: str, rank: int, first: bool, label: str) -> Shape:
    """One positive number for each spatial axis, from one number, as many as axes, or one for each axis of all."""
    numbers = wholes(value, name)
    if len(numbers) == 1:
        numbers *= rank
    elif len(numbers) == rank + 2:
        channel = numbers[1] if first else numbers[-1]
        if (numbers[0], channel) != (1, 1):
            raise invalid(f"{label}: {name} must be 1 along batch and channels, got {list(numbers)} [Op:{label}]")
        numbers = numbers[2:] if first else numbers[1:-1]
    if len(numbers) != rank or min(numbers) < 1:
        raise invalid(f"{label}: {name} must be 1, {rank} or {rank + 2} positive numbers, got {value!r} [Op:{label}]")
    return numbers


def padding_of(padding: Any, rank: int, first: bool, label: str) -> Any:
    """ "SAME", "VALID", or a pair for each spatial axis from a pair for each axis of all."""
    if isinstance(padding, str):
        if padding in ("SAME", "VALID"):
            return padding
        raise invalid(f"{label}: padding must be 'SAME' or 'VALID', or a list of pairs, got {padding!r} [Op:{label}]")
    pairs = tuple(wholes(pair, "padding") for pair in padding)
    if len(pairs) != rank + 2 or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise invalid(f"{label}: padding must be {rank + 2} pairs of numbers from 0 on, got {padding!r} [Op:{label}]")
    if any(pairs[0]) or any(pairs[1 if first else -1]):
        raise invalid(f"{label}: padding must be 0 along batch and channels, got {padding!r} [Op:{label}]")
    return pairs[2:] if first else pairs[1:-1]
