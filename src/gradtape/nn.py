"""`tf.nn`: activations, cross entropies, normalisation, embeddings, convolution and pooling."""

from __future__ import annotations

from types import SimpleNamespace

from gradtape._activations import (
    crelu,
    elu,
    gelu,
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
from gradtape._normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    dropout,
    embedding_lookup,
    general_dropout,
    local_response_normalization,
    lrn,
    moments,
    normalize_moments,
    stateless_dropout,
    sufficient_statistics,
    weighted_moments,
)
from gradtape._norms import l2_normalize
from gradtape._slicing import space_to_batch
from gradtape._windows import avg_pool2d, conv1d, conv2d, max_pool2d
from gradtape.math import in_top_k, sigmoid, softplus, tanh, top_k, zero_fraction

experimental = SimpleNamespace(general_dropout=general_dropout, stateless_dropout=stateless_dropout)
"""Dropout with choices that a seed, or a function of the user's, decides."""

__all__ = [
    "avg_pool2d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "compute_average_loss",
    "conv1d",
    "conv2d",
    "crelu",
    "dropout",
    "elu",
    "embedding_lookup",
    "experimental",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool2d",
    "moments",
    "normalize_moments",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]
