"""Cases of activations, softmaxes and cross entropies."""

import math

import numpy as np

from gradtape.ops import image, nn

from .opcase import OpCase

X = np.array([[-1.7, -0.4, 0.3], [0.9, 6.6, 2.2]])
LABELS = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
CLASSES = np.array([2, 0])
SCALE = np.array([0.7, -1.2])


def each(f):
    return np.vectorize(f, otypes=[float])


def softmax(x):
    e = np.array([[math.exp(v) for v in row] for row in x])
    return e / e.sum(-1, keepdims=True)


def elu(x):
    return x if x > 0 else math.expm1(x)


IMAGE = np.arange(8.0).reshape(2, 2, 2)

CASES = [
    OpCase(
        image.adjust_contrast,
        [IMAGE, 2.0],
        {},
        lambda x, f: np.stack([x[..., c] * f - x[..., c].mean() * (f - 1) for c in (0, 1)], -1),
        live=(),
    ),
    OpCase(nn.bias_add, [IMAGE, np.array([10.0, -2.0])], {}, lambda x, b: x + b),
    OpCase(nn.bias_add, [X, np.array([1.0, 2.0, 3.0])], {}, lambda x, b: x + b, label="matrix"),
    OpCase(nn.keep_sum, [X], {"axis": 1}, lambda x: np.array([[math.fsum(row)] for row in x])),
    OpCase(nn.softmax, [X], {"axis": 1}, softmax),
    OpCase(nn.softmax, [X], {"axis": 0}, lambda x: softmax(x.T).T, label="columns"),
    OpCase(nn.log_softmax, [X], {"axis": 1}, lambda x: np.log(softmax(x))),
    OpCase(nn.softmax_cross_entropy, [LABELS, X], {}, lambda y, x: (-(y * np.log(softmax(x))).sum(-1), softmax(x))),
    OpCase(
        nn.sparse_softmax_cross_entropy, [CLASSES, X], {}, lambda y, x: (-np.log(softmax(x))[[0, 1], y], softmax(x))
    ),
    OpCase(nn.scaled_error, [softmax(X), SCALE, CLASSES], {}, lambda p, s, y: (p - np.eye(3)[y]) * s[:, None]),
    OpCase(nn.at_labels, [X, CLASSES], {}, lambda x, y: np.array([x[0, 2], x[1, 0]])),
    OpCase(nn.spread_to_labels, [SCALE, CLASSES], {"size": 3}, lambda s, y: np.array([[0, 0, s[0]], [s[1], 0, 0]])),
    OpCase(nn.sigmoid_cross_entropy, [LABELS, X], {}, each(lambda y, x: math.log(1 + math.exp(x)) - x * y)),
    OpCase(nn.relu, [X], {}, each(lambda x: max(x, 0.0))),
    OpCase(nn.gate, [X, X.T.reshape(2, 3)], {}, lambda x, g: np.where(g > 0, x, 0)),
    OpCase(nn.relu6, [X], {}, each(lambda x: min(max(x, 0.0), 6.0))),
    OpCase(nn.leaky_relu, [X], {"alpha": 0.3}, each(lambda x: x if x > 0 else 0.3 * x)),
    OpCase(nn.leaky_slope, [X], {"alpha": 0.3}, each(lambda x: 1.0 if x > 0 else 0.3)),
    OpCase(nn.elu, [X], {}, each(elu)),
    OpCase(nn.selu, [X], {}, each(lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x)))),
    OpCase(nn.silu, [X], {}, each(lambda x: x / (1 + math.exp(-x)))),
    OpCase(nn.gelu, [X], {}, each(lambda x: x * math.erfc(-x / math.sqrt(2)) / 2)),
    OpCase(nn.softsign, [X], {}, each(lambda x: x / (1 + abs(x)))),
    OpCase(nn.window_sum, [np.arange(6.0)], {"radius": 1}, lambda x: np.array([1.0, 3, 6, 9, 12, 9])),
]
