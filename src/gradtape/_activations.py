"""Softmax and the activations of `tf.nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._axes import of_kind, whole
from gradtape.base.errors import invalid
from gradtape.core.assembling import cast_discrete
from gradtape.core.convert import existing, to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import nn as ops
from gradtape.ops.elementwise import sigmoid
from gradtape.ops.shaping import concat

FLOATING = "fV"
REAL = "fViu"


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Return `exp(logits)`, normalised to sum to one along an axis.

    Args:
        logits: a floating tensor of rank 1 or more.
        axis: the axis, the last by default.

    Raises:
        InvalidArgumentError: if the dtype is not floating or the axis does not exist.

    >>> import gradtape as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _along(ops.softmax, logits, axis, "Softmax")


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Return the logarithm of `softmax`, exact also where that is tiny.

    Args:
        logits: a floating tensor of rank 1 or more.
        axis: the axis, the last by default.

    Raises:
        As `softmax`.

    >>> import gradtape as tf
    >>> tf.nn.log_softmax([0.0, 1000.0]).numpy()
    array([-1000.,     0.], dtype=float32)
    """
    return _along(ops.log_softmax, logits, axis, "LogSoftmax")


def _along(op: Primitive, logits: Any, axis: Any, label: str) -> Tensor:
    x = of_kind(to_tensor(logits, None, "logits"), FLOATING, label)
    rank = x._value.ndim
    at = -1 if axis is None else whole(axis, "axis")
    if not rank:
        raise invalid(f"{label}: logits must have at least one axis, got a scalar [Op:{label}]")
    if not -rank <= at < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={at}"
        )
    return op(x, axis=at % rank) if x._value.size else x


def relu(features: Any, name: str | None = None) -> Tensor:
    """Return `max(features, 0)`. The gradient at 0 is 0.

    Raises:
        InvalidArgumentError: unless `features` are real numbers.

    >>> import gradtape as tf
    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    return ops.relu(of_kind(to_tensor(features, None, "features"), REAL, "Relu"))


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Return `min(max(features, 0), 6)`. The gradient at 0 and at 6 is 0.

    >>> import gradtape as tf
    >>> tf.nn.relu6([-1.0, 2.0, 8.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return ops.relu6(of_kind(to_tensor(features, None, "features"), REAL, "Relu6"))


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the positive part and the negated negative part, side by side along an axis.

    >>> import gradtape as tf
    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    x: Any = of_kind(to_tensor(features, None, "features"), REAL, "Relu")
    rank = x._value.ndim
    if not -rank <= axis < rank:
        raise invalid(f"crelu: axis {axis} is not in [{-rank}, {rank})")
    return concat(ops.relu(x), ops.relu(-x), axis=axis % rank)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Return the features where they are positive, `alpha` times them elsewhere.

    >>> import gradtape as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    x = to_tensor(features, None, "features")
    if x._value.dtype.kind in "iu":
        x = cast_discrete(x, dtype=np.dtype("float32"))
    slope = existing(alpha)
    return ops.leaky_relu(of_kind(x, FLOATING, "LeakyRelu"), alpha=float(slope))


def elu(features: Any, name: str | None = None) -> Tensor:
    """Return the features where they are positive, `exp(features) - 1` elsewhere.

    >>> import gradtape as tf
    >>> tf.nn.elu([-1.0, 2.0]).numpy()
    array([-0.63212055,  2.        ], dtype=float32)
    """
    return ops.elu(of_kind(to_tensor(features, None, "features"), FLOATING, "Elu"))


def selu(features: Any, name: str | None = None) -> Tensor:
    """Return `scale * elu(features, alpha)` with the constants that keep mean 0 and variance 1 from layer to layer.

    >>> import gradtape as tf
    >>> tf.nn.selu([-1.0, 1.0]).numpy()
    array([-1.1113307,  1.050701 ], dtype=float32)
    """
    return ops.selu(of_kind(to_tensor(features, None, "features"), FLOATING, "Selu"))


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """Return `features * sigmoid(beta * features)`.

    >>> import gradtape as tf
    >>> tf.nn.silu([0.0, 1.0]).numpy()
    array([0.        , 0.7310586], dtype=float32)
    """
    x: Any = of_kind(to_tensor(features, None, "features"), FLOATING, "Silu")
    if type(beta) in (int, float) and beta == 1:
        return ops.silu(x)
    scale: Any = to_tensor(beta, x.dtype, "beta")
    return x * sigmoid(scale * x)


swish = silu


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Return `features * P(X <= features)` for a standard normal X.

    Args:
        features: a floating tensor.
        approximate: use an approximation of P by a hyperbolic tangent.

    >>> import gradtape as tf
    >>> tf.nn.gelu([-1.0, 1.0]).numpy()
    array([-0.15865526,  0.8413447 ], dtype=float32)
    """
    x = of_kind(to_tensor(features, None, "features"), FLOATING, "Gelu")
    return ops.gelu_by_tanh(x) if approximate else ops.gelu(x)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Return `features / (1 + |features|)`.

    >>> import gradtape as tf
    >>> tf.nn.softsign([-1.0, 3.0]).numpy()
    array([-0.5 ,  0.75], dtype=float32)
    """
    return ops.softsign(of_kind(to_tensor(features, None, "features"), FLOATING, "Softsign"))
