"""`tf.bitwise`: operations on the bits of integers."""

from __future__ import annotations

from typing import Any

from gradtape._axes import alike, of_kind
from gradtape.core.convert import to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import selection as sel

INTEGERS = "iu"


def _both(primitive: Primitive, x: Any, y: Any, op: str) -> Tensor:
    a, b = alike((x, y), op)
    out: Tensor = primitive(of_kind(a, INTEGERS, op), of_kind(b, INTEGERS, op))
    return out


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that are set in both, broadcast. Raises InvalidArgumentError unless both are integers of one dtype.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_and(6, 3).numpy()
    np.int32(2)
    """
    return _both(sel.bitwise_and, x, y, "BitwiseAnd")


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that are set in either. Arguments and errors as `bitwise_and`."""
    return _both(sel.bitwise_or, x, y, "BitwiseOr")


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that are set in one of the two. Arguments and errors as `bitwise_and`."""
    return _both(sel.bitwise_xor, x, y, "BitwiseXor")


def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x with its bits moved up by y places. Arguments and errors as `bitwise_and`.

    >>> import gradtape as tf
    >>> tf.bitwise.left_shift(1, 3).numpy()
    np.int32(8)
    """
    return _both(sel.left_shift, x, y, "LeftShift")


def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x with its bits moved down by y places, the sign kept. Arguments and errors as `bitwise_and`."""
    return _both(sel.right_shift, x, y, "RightShift")


def invert(x: Any, name: str | None = None) -> Tensor:
    """x with every bit turned. Raises InvalidArgumentError unless x is an integer.

    >>> import gradtape as tf
    >>> tf.bitwise.invert(5).numpy()
    np.int32(-6)
    """
    out: Tensor = sel.invert(of_kind(to_tensor(x, None, "x"), INTEGERS, "Invert"))
    return out


__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
