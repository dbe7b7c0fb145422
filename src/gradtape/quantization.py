"""`tf.quantization`: training with the rounding of a quantised network (`fake_quant_*`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.base.dtypes import float32
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import quantization as ops
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where
from gradtape.transforms.custom import custom_gradient


def _checked_bits(num_bits: Any, narrow_range: Any, op: str) -> dict[str, Any]:
    if not 2 <= num_bits <= 16:
        raise invalid(f"num_bits must be between 2 and 16, inclusive, got {num_bits} [Op:{op}]")
    return {"bits": int(num_bits), "narrow": bool(narrow_range)}


def _ends(x: Tensor, low: Any, high: Any, per_channel: bool, op: str) -> tuple[Tensor, Tensor]:
    ends = to_tensor(low, float32, "min"), to_tensor(high, float32, "max")
    if per_channel and not x._value.ndim:
        raise invalid(f"inputs must have at least one axis [Op:{op}]")
    wanted = x._value.shape[-1:] if per_channel else ()
    for end, name in zip(ends, ("min", "max"), strict=True):
        if end._value.shape != wanted:
            raise invalid(f"`{name}` must have shape {list(wanted)}, got {list(end._value.shape)} [Op:{op}]")
    return ends


def _gradients(ct: Any, x: Any, low: Any, high: Any, params: dict[str, Any]) -> tuple[Any, Any, Any]:
    """What flows to values on the grid, and to the end that the others were moved to."""
    side = ops.side_of_grid(x, low, high, **params)
    kept = len(low.shape)
    axes = tuple(range(len(ct.shape) - kept))
    parts = [where(side == s, ct, np.float32(0)) for s in (0, -1, 1)]
    return parts[0], reduce_sum(parts[1], axis=axes), reduce_sum(parts[2], axis=axes)


@custom_gradient
def _fake_quant(x: Tensor, low: Tensor, high: Tensor, **params: Any) -> Any:
    out = ops.on_grid(x, low, high, **params)
    return out, lambda ct: _gradients(ct, x, low, high, params)


def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """Round to a grid of `2^num_bits` points from `min` to `max`, moved so that zero is one of them.

    Values outside take the nearest end. Gradients pass where values are inside, as if nothing were rounded.

    Args:
        inputs: float32, of any shape.
        min: the lower end.
        max: the upper end.
        num_bits: 2 to 16.
        narrow_range: use one point less, at the lower end.

    Raises:
        InvalidArgumentError: for an empty range or another number of bits.

    >>> import gradtape as tf
    >>> tf.quantization.fake_quant_with_min_max_args([-7.0, 0.5], num_bits=4).numpy()
    array([-6.4,  0.8], dtype=float32)
    """
    x, low, high, params = _of_numbers(inputs, min, max, num_bits, narrow_range, "FakeQuantWithMinMaxArgs")
    out: Tensor = _fake_quant(x, low, high, **params)
    return out


def _of_numbers(
    inputs: Any, low: float, high: float, num_bits: int, narrow_range: bool, op: str
) -> tuple[Tensor, Tensor, Tensor, dict[str, Any]]:
    params = _checked_bits(num_bits, narrow_range, op)
    if not low < high:
        raise invalid(f"min has to be smaller than max, was: {low} >= {high} [Op:{op}]")
    ends = wrap(np.float32(low)), wrap(np.float32(high))
    return to_tensor(inputs, float32, "inputs"), *ends, params


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args` with respect to its inputs: `gradients` where these are inside."""
    x, low, high, params = _of_numbers(inputs, min, max, num_bits, narrow_range, "FakeQuantWithMinMaxArgsGradient")
    return _gradients(to_tensor(gradients, float32, "gradients"), x, low, high, params)[0]


def _of_tensors(
    inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool, per_channel: bool
) -> tuple[Tensor, Tensor, Tensor, dict[str, Any]]:
    op = "FakeQuantWithMinMaxVarsPerChannel" if per_channel else "FakeQuantWithMinMaxVars"
    x = to_tensor(inputs, float32, "inputs")
    return x, *_ends(x, low, high, per_channel, op), _checked_bits(num_bits, narrow_range, op)


def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """As `fake_quant_with_min_max_args`, with ends that are scalar tensors: the gradients of values outside go to them.

    >>> import gradtape as tf
    >>> tf.quantization.fake_quant_with_min_max_vars([3.0], 0.0, 1.0).numpy()
    array([1.], dtype=float32)
    """
    x, low, high, params = _of_tensors(inputs, min, max, num_bits, narrow_range, False)
    out: Tensor = _fake_quant(x, low, high, **params)
    return out


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with ends of their own for each index of the last axis.

    Raises:
        InvalidArgumentError: if `min` or `max` do not have the length of the last axis.
    """
    x, low, high, params = _of_tensors(inputs, min, max, num_bits, narrow_range, True)
    out: Tensor = _fake_quant(x, low, high, **params)
    return out


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars` with respect to inputs, `min` and `max`."""
    operands = _of_tensors(inputs, min, max, num_bits, narrow_range, False)
    return _gradients(to_tensor(gradients, float32, "gradients"), *operands)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars_per_channel` with respect to inputs, `min` and `max`."""
    operands = _of_tensors(inputs, min, max, num_bits, narrow_range, True)
    return _gradients(to_tensor(gradients, float32, "gradients"), *operands)


__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
]
