"""Recurrent networks: LSTM and GRU over all time steps at once, and the linear recurrence behind their derivatives.

S. Hochreiter, J. Schmidhuber, "Long short-term memory" (1997); K. Cho et al., "Learning phrase representations using
RNN encoder-decoder" (2014), in the form of cuDNN, where the reset gate comes after the product.

A state is made of `parts` vectors, [parts, batch, units], of which the first is the output h. What a gradient flows to
is one array of rows of gates * units numbers, so that the walk back runs once for all of it:

| rows | hold |
|---|---|
| units | the recurrent weights w, which h is multiplied with |
| 1 | the recurrent bias, which is added to that |
| batch | the first state, its parts side by side |
| steps * batch | the inputs as the gates see them |

The mask [steps, batch] says which steps count; elsewhere the state stays. [steps, 0] says that all do. Any axes may
come before these. Each walk back computes the gates of all steps anew, from the states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from gradtape.core.batching import batched
from gradtape.core.cotangents import concat, together
from gradtape.core.kinds import primitive
from gradtape.core.rules import dtype_of, shape_of
from gradtape.ops.elementwise import sigmoid, tanh
from gradtape.ops.linalg import matmul
from gradtape.ops.reductions import reduce_sum
from gradtape.ops.selection import where, zeros_like
from gradtape.ops.shaping import mT, reshape, stack

# The linear recurrence: s[0] = e[0] and s[t] = e[t] + keep[t] s[t-1] + turn[t] (h[t-1] w), h the first part of s.


def _gates(s: Any, w: Any, gates: int) -> Any:
    """h w for all steps: [steps, batch, gates, units]."""
    *lead, steps, _, batch, units = shape_of(s)
    rows = matmul(reshape(s[..., 0, :, :], shape=(*lead, steps * batch, units)), w)
    return reshape(rows, shape=(*lead, steps, batch, gates, units))


def _before(s: Any) -> Any:
    return s[..., :-1, :, :, :]


def _after(s: Any) -> Any:
    return s[..., 1:, :, :, :]


def _sensitivity(turn: Any, late: Any) -> Any:
    """The cotangents of h w at all steps, given those of the states after them: [steps, batch, gates, units]."""
    return reduce(add, [turn[..., k, :, :, :] * late[..., k, :, None, :] for k in range(shape_of(late)[-3])])


def _keep_ct(early: Any, late: Any) -> Any:
    return _after(late)[..., :, None, :, :] * _before(early)[..., None, :, :, :]


def _turn_ct(early: Any, late: Any, w: Any, turn: Any) -> Any:
    product = _gates(_before(early), w, shape_of(turn)[-2])
    return _after(late)[..., :, :, None, :] * product[..., None, :, :, :]


def _w_ct(early: Any, turn: Any, late: Any) -> Any:
    return _weights_ct(_before(early), _sensitivity(turn, _after(late)))


def _weights_ct(before: Any, sensitivity: Any) -> Any:
    """The cotangent of w, given that of h w."""
    *lead, steps, batch, gates, units = shape_of(sensitivity)
    h = reshape(before[..., 0, :, :], shape=(*lead, steps * batch, units))
    return matmul(mT(h), reshape(sensitivity, shape=(*lead, steps * batch, gates * units)))


@batched(together())
@primitive(
    e=lambda ct, keep, turn, w: pull(ct, keep, turn, w),
    keep=lambda ct, keep, turn, w, out: _keep_ct(out, pull(ct, keep, turn, w)),
    turn=lambda ct, keep, turn, w, out: _turn_ct(out, pull(ct, keep, turn, w), w, turn),
    w=lambda ct, keep, turn, w, out: _w_ct(out, turn, pull(ct, keep, turn, w)),
)
def push(xp: Any, e: Any, keep: Any, turn: Any, w: Any) -> Any:
    """The states of the linear recurrence.

    Args:
        e: [steps + 1, parts, batch, units].
        keep: [steps, parts (after), parts (before), batch, units].
        turn: [steps, parts, batch, gates, units].
        w: [units, gates * units].
    """
    out = xp.array(e)
    states, keeps, turns = xp.moveaxis(out, -4, 0), xp.moveaxis(keep, -5, 0), xp.moveaxis(turn, -5, 0)
    shape = (*turn.shape[:-5], 1, *turn.shape[-3:])
    for s, following, m, d in zip(states[:-1], states[1:], keeps, turns, strict=True):
        product = xp.matmul(s[..., 0, :, :], w).reshape(shape)
        following += (m * s[..., None, :, :, :]).sum(axis=-3) + (d * product).sum(axis=-2)
    return out


@batched(together())
@primitive(
    ct=lambda ct, keep, turn, w: push(ct, keep, turn, w),
    keep=lambda ct, keep, turn, w, out: _keep_ct(push(ct, keep, turn, w), out),
    turn=lambda ct, keep, turn, w, out: _turn_ct(push(ct, keep, turn, w), out, w, turn),
    w=lambda ct, keep, turn, w, out: _w_ct(push(ct, keep, turn, w), turn, out),
)
def pull(xp: Any, ct: Any, keep: Any, turn: Any, w: Any) -> Any:
    """The transpose of `push` in e: from the end, the cotangent of each state with all that follows from it."""
    out = xp.array(ct)
    states, keeps, turns = xp.moveaxis(out, -4, 0), xp.moveaxis(keep, -5, 0), xp.moveaxis(turn, -5, 0)
    back = w.swapaxes(-1, -2)
    flat = (*turn.shape[:-5], turn.shape[-3], -1)
    for before, s, m, d in zip(states[-2::-1], states[:0:-1], keeps[::-1], turns[::-1], strict=True):
        for k in range(s.shape[-3]):
            before += m[..., k, :, :, :] * s[..., k, None, :, :]
        before[..., 0, :, :] += xp.matmul(_sensitivity(d, s).reshape(flat), back)
    return out


# What LSTM and GRU share.


def _parted(rows: Any, batch: int, parts: int) -> tuple[Any, Any, Any, Any]:
    """The recurrent weights and bias, the first state [parts, batch, units] and the inputs by gates, of the rows."""
    *lead, count, width = shape_of(rows)
    units = width // GATES[parts]
    first = [rows[..., units + 1 : units + 1 + batch, k * units : (k + 1) * units] for k in range(parts)]
    steps = (count - units - 1) // batch - 1
    x = reshape(rows[..., units + 1 + batch :, :], shape=(*lead, steps, batch, GATES[parts], units))
    bias = reshape(rows[..., units, :], shape=(*lead, 1, 1, GATES[parts], units))
    return rows[..., :units, :], bias, first, x


GATES = {1: 3, 2: 4}
"""The number of gates for each number of parts: that of GRU, and that of LSTM."""


def _states(xp: Any, rows: Any, mask: Any, batch: int, parts: int, step: Callable[..., None]) -> Any:
    """All states, by `step(gates of the state before, inputs, state before, state after)`, which fills in the last."""
    w, bias, first, x = _parted(rows, batch, parts)
    *lead, steps, _, _, units = x.shape
    out = xp.empty((*lead, steps + 1, parts, batch, units), x.dtype)
    states, inputs = xp.moveaxis(out, -4, 0), xp.moveaxis(x, -4, 0)
    for k in range(parts):
        states[0][..., k, :, :] = first[k]
    product = xp.empty((*lead, batch, w.shape[-1]), x.dtype)
    gates = product.reshape(inputs.shape[1:])
    stays = ~xp.moveaxis(mask, -2, 0)[..., None, :, None] if mask.shape[-1] else None
    for t in range(steps):
        before, after = states[t], states[t + 1]
        xp.matmul(before[..., 0, :, :], w, out=product)
        xp.add(gates, bias[..., 0, :, :, :], out=gates)
        step(xp, gates, inputs[t], before, after)
        if stays is not None:
            xp.copyto(after, before, where=stays[t])
    return out


def _logistic_into(xp: Any, x: Any) -> None:
    """sigmoid(x) in place: where exp overflows, the result is right."""
    xp.negative(x, out=x)
    xp.exp(x, out=x)
    xp.add(x, 1, out=x)
    xp.reciprocal(x, out=x)


def _stacked(*arrays: Any, behind: int) -> Any:
    """Stacked along a new axis, behind which this many axes come."""
    return stack(*arrays, axis=len(shape_of(arrays[0])) - behind)


def _walk_back(ct: Any, out: Any, w: Any, mask: Any, keep: Any, turn: Any, x_turn: Any) -> Any:
    """The cotangent of the rows, given the links of the linear recurrence, and those from the inputs to the states."""
    if shape_of(mask)[-1]:
        here = mask[..., None, None, :, None]
        stay = np.eye(shape_of(keep)[-3], dtype=dtype_of(keep))[:, :, None, None]
        own = x_turn is turn
        keep, turn = where(here, keep, stay), where(mask[..., None, :, None, None], turn, 0)
        x_turn = turn if own else where(mask[..., None, :, None, None], x_turn, 0)
    late = pull(ct, keep, turn, w)
    gates_ct = _sensitivity(turn, _after(late))
    x_ct = gates_ct if x_turn is turn else _sensitivity(x_turn, _after(late))
    *lead, steps, batch, gates, units = shape_of(x_ct)
    axis, width = len(lead), gates * units
    first = [late[..., 0, k, :, :] for k in range(shape_of(late)[-3])]
    padding = [zeros_like(first[0])] * (gates - len(first))
    return concat(
        _weights_ct(_before(out), gates_ct),
        reshape(reduce_sum(gates_ct, axis=(axis, axis + 1)), shape=(*lead, 1, width)),
        concat(*first, *padding, axis=axis + 1),
        reshape(x_ct, shape=(*lead, steps * batch, width)),
        axis=axis,
    )


def _lstm_vjp(ct: Any, rows: Any, mask: Any, out: Any, *, batch: int) -> Any:
    w, bias, _, x = _parted(rows, batch, 2)
    before = _before(out)
    a = _gates(before, w, 4) + bias + x
    c = before[..., 1, :, :]
    enter, forget, show = (sigmoid(a[..., k, :]) for k in (0, 1, 3))
    new = tanh(a[..., 2, :])
    seen = tanh(forget * c + enter * new)
    of_c = [new * enter * (1 - enter), c * forget * (1 - forget), enter * (1 - new * new)]
    into_h = show * (1 - seen * seen)
    none = zeros_like(c)
    of_h = [*[into_h * d for d in of_c], seen * show * (1 - show)]
    keep = [_stacked(none, none, behind=2), _stacked(into_h * forget, forget, behind=2)]
    turn = _stacked(_stacked(*of_h, behind=1), _stacked(*of_c, none, behind=1), behind=3)
    return _walk_back(ct, out, w, mask, _stacked(*keep, behind=2), turn, turn)


@batched(together())
@primitive(rows=_lstm_vjp, mask=None)
def lstm(xp: Any, rows: Any, mask: Any, *, batch: int) -> Any:
    """The states (h, c) of a long short-term memory: [steps + 1, 2, batch, units]. Gates: enter, forget, new, show."""

    def step(xp: Any, a: Any, x: Any, before: Any, after: Any) -> None:
        xp.add(a, x, out=a)
        new = xp.tanh(a[..., 2, :])
        _logistic_into(xp, a)
        h, c = after[..., 0, :, :], after[..., 1, :, :]
        xp.multiply(a[..., 1, :], before[..., 1, :, :], out=c)
        new *= a[..., 0, :]
        c += new
        xp.tanh(c, out=h)
        h *= a[..., 3, :]

    return _states(xp, rows, mask, batch, 2, step)


def _gru_vjp(ct: Any, rows: Any, mask: Any, out: Any, *, batch: int) -> Any:
    w, bias, _, x = _parted(rows, batch, 1)
    before = _before(out)
    a = _gates(before, w, 3) + bias
    h = before[..., 0, :, :]
    hold, reset = (sigmoid(a[..., k, :] + x[..., k, :]) for k in (0, 1))
    recalled = a[..., 2, :]
    new = tanh(x[..., 2, :] + reset * recalled)
    let = 1 - hold
    of_new = let * (1 - new * new)
    of_gates = [(h - new) * hold * let, of_new * recalled * reset * (1 - reset)]
    turn = _stacked(*of_gates, of_new * reset, behind=1)
    x_turn = _stacked(*of_gates, of_new, behind=1)
    return _walk_back(
        ct, out, w, mask, hold[..., None, None, :, :], turn[..., None, :, :, :], x_turn[..., None, :, :, :]
    )


@batched(together())
@primitive(rows=_gru_vjp, mask=None)
def gru(xp: Any, rows: Any, mask: Any, *, batch: int) -> Any:
    """The states (h,) of gated recurrent units: [steps + 1, 1, batch, units]. Gates: hold, reset, new."""

    def step(xp: Any, a: Any, x: Any, before: Any, after: Any) -> None:
        gates = a[..., :2, :] + x[..., :2, :]
        _logistic_into(xp, gates)
        new = a[..., 2, :] * gates[..., 1, :]
        new += x[..., 2, :]
        xp.tanh(new, out=new)
        h = after[..., 0, :, :]
        xp.subtract(before[..., 0, :, :], new, out=h)
        h *= gates[..., 0, :]
        h += new

    return _states(xp, rows, mask, batch, 1, step)
