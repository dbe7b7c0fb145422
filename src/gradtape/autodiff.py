"""Differentiation: `tf.GradientTape`, `tf.autodiff`, and functions with derivatives of their own."""

from __future__ import annotations

from typing import Any

from gradtape.transforms.custom import custom_gradient, grad_pass_through, recompute_grad, stop_gradient
from gradtape.transforms.forward import ForwardAccumulator
from gradtape.transforms.gradient_tape import GradientTape, UnconnectedGradients


def gradients(*args: Any, **kwargs: Any) -> None:
    """Refuse, as TensorFlow does when executing eagerly.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")


def hessians(*args: Any, **kwargs: Any) -> None:
    """Refuse, as TensorFlow does when executing eagerly.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("tf.hessians is not supported when eager execution is enabled. Use tf.GradientTape instead.")


__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "UnconnectedGradients",
    "custom_gradient",
    "grad_pass_through",
    "gradients",
    "hessians",
    "recompute_grad",
    "stop_gradient",
]
