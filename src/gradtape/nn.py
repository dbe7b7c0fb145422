"""`tf.nn`: activations, cross entropies, normalisation, embeddings."""

from __future__ import annotations

from gradtape._activations import (
    crelu,
    elu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softsign,
    swish,
)
from gradtape._losses import (
    compute_average_loss,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)

__all__ = [
    "compute_average_loss",
    "crelu",
    "elu",
    "l2_loss",
    "leaky_relu",
    "log_poisson_loss",
    "log_softmax",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "weighted_cross_entropy_with_logits",
]
