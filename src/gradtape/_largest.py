"""The k largest or smallest elements, which TensorFlow finds approximately on accelerators."""

from __future__ import annotations

from typing import Any

from gradtape._axes import of_kind, positive_axis, whole
from gradtape.base.dtypes import int32
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.ops import indexing, shaping


def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, largest first, and where they are. They are exact, whatever is asked for.

    Args:
        operand: real numbers.
        k: how many.
        reduction_dimension: the axis.
        recall_target: accepted, without effect, like `reduction_input_size_override` and `aggregate_to_topk`.

    Returns:
        values, through which gradients flow, and int32 indices, both with k along the axis.

    Raises:
        InvalidArgumentError: for a scalar, another axis, or if there are fewer than k elements.

    >>> import gradtape as tf
    >>> tf.math.approx_max_k([1.0, 3.0, 2.0], 2)[0].numpy()
    array([3., 2.], dtype=float32)
    """
    return _extreme(operand, k, reduction_dimension, True)


def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The k smallest elements along an axis, smallest first, and where they are. All else as `approx_max_k`.

    >>> import gradtape as tf
    >>> tf.math.approx_min_k([1.0, 3.0, 2.0], 2)[1].numpy()
    array([0, 2], dtype=int32)
    """
    return _extreme(operand, k, reduction_dimension, False)


def _extreme(operand: Any, k: Any, dimension: Any, largest: bool) -> tuple[Tensor, Tensor]:
    x = of_kind(to_tensor(operand, None, "operand"), "fViu", "ApproxTopK")
    shape = x._value.shape
    axis = positive_axis(
        whole(dimension, "reduction_dimension"),
        len(shape),
        f"reduction_dimension must be an axis of the operand of shape {list(shape)}, got {dimension} [Op:ApproxTopK]",
    )
    count = whole(k, "k")
    if not 0 <= count <= shape[axis]:
        raise invalid(f"k must be from 0 to {shape[axis]}, the size of axis {axis}, got {count} [Op:ApproxTopK]")
    key = (slice(None),) * axis + (slice(count),)
    order = shaping.getitem(indexing.argsort(x, axis=axis, descending=largest), key=key)
    return indexing.take_along(x, order, axis=axis), cast_discrete(order, dtype=int32.numpy_dtype)
