"""Cases of recurrent networks, against loops over steps and examples."""

import numpy as np

from gradtape.ops import recurrent as ops

from .opcase import OpCase

RNG = np.random.default_rng(0)
UNITS, BATCH, STEPS = 2, 3, 4
ALL = np.ones((STEPS, 0), bool)
SOME = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]], bool)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, state, w, bias):
    a = (state[0] @ w + bias + x).reshape(4, UNITS)
    c = sigmoid(a[1]) * state[1] + sigmoid(a[0]) * np.tanh(a[2])
    return np.stack([sigmoid(a[3]) * np.tanh(c), c])


def gru_step(x, state, w, bias):
    a, x = (state[0] @ w + bias).reshape(3, UNITS), x.reshape(3, UNITS)
    z, r = sigmoid(a[0] + x[0]), sigmoid(a[1] + x[1])
    return np.stack([z * state[0] + (1 - z) * np.tanh(x[2] + r * a[2])])


def states(step, parts):
    """The states, one example after the other."""

    def reference(rows, mask):
        w, bias = rows[:UNITS], rows[UNITS]
        first, *inputs = rows[UNITS + 1 :].reshape(STEPS + 1, BATCH, -1)
        out = np.empty((STEPS + 1, parts, BATCH, UNITS), rows.dtype)
        for b in range(BATCH):
            state = out[0, :, b] = first[b, : parts * UNITS].reshape(parts, UNITS)
            for t in range(STEPS):
                if not mask.size or mask[t, b]:
                    state = step(inputs[t][b], state, w, bias)
                out[t + 1, :, b] = state
        return out

    return reference


def recurrence(e, keep, turn, w):
    s = [e[0]]
    for t in range(len(keep)):
        product = (s[-1][0] @ w).reshape(turn.shape[2:])
        s.append(e[t + 1] + np.einsum("klbu,lbu->kbu", keep[t], s[-1]) + np.einsum("kbgu,bgu->kbu", turn[t], product))
    return np.stack(s)


def transposed(ct, keep, turn, w):
    """By the matrix of the recurrence, which is linear in e."""
    basis = np.eye(ct.size).reshape(ct.size, *ct.shape)
    return np.stack([(recurrence(e, keep, turn, w) * ct).sum() for e in basis]).reshape(ct.shape)


def normal(*shape):
    return RNG.normal(size=shape) * 0.7


def linear(parts, gates):
    return [
        normal(STEPS + 1, parts, BATCH, UNITS),
        normal(STEPS, parts, parts, BATCH, UNITS),
        normal(STEPS, parts, BATCH, gates, UNITS),
        normal(UNITS, gates * UNITS),
    ]


ROWS = UNITS + 1 + (STEPS + 1) * BATCH

CASES = [
    OpCase(op, [normal(ROWS, gates * UNITS), mask], {"batch": BATCH}, states(step, parts), label=label)
    for op, step, parts, gates in ((ops.lstm, lstm_step, 2, 4), (ops.gru, gru_step, 1, 3))
    for mask, label in ((ALL, "all"), (SOME, "masked"))
] + [
    OpCase(op, linear(parts, gates), {}, reference, label=str(parts))
    for op, reference in ((ops.push, recurrence), (ops.pull, transposed))
    for parts, gates in ((1, 3), (2, 4))
]
