"""Recurrent layers for Keras: LSTM and GRU as one primitive each, anything else step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from keras.src import tree

from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import FLOATS, cast, name_of, promoted, tensor
from gradtape.ops import linalg, recurrent, scans, selection, shaping
from gradtape.ops.nn import bias_add


def _time_first(x: Tensor) -> Tensor:
    return shaping.transpose(x, perm=(1, 0, *range(2, x.ndim)))


def rnn(
    step_function: Any,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple[Any, Any, Any]:
    """Call `step_function(input, states) -> (output, states)` for each time step.

    Inputs are [batch, time, ...] ([time, batch, ...] if `time_major`). Where the mask of shape [batch, time] is false,
    the states stay as they were, and the output repeats (or is zero with `zero_output_for_mask`).

    Returns:
        The last output, all outputs (the last alone unless `return_all_outputs`) and the final states.
    """
    inputs = tree.map_structure(tensor, inputs)
    if not time_major:
        inputs = tree.map_structure(_time_first, inputs)
    steps = tree.flatten(inputs)[0]._value.shape[0]
    order = range(steps - 1, -1, -1) if go_backwards else range(steps)
    masks = None if mask is None else _mask_steps(tensor(mask, "bool"), time_major)
    states = tuple(initial_states)
    extra = tuple(constants or ())
    outputs: list[Any] = []
    previous: Any = None
    for t in order:
        output, new_states = step_function(tree.map_structure(lambda x, t=t: x[t], inputs), states + extra)
        new_states = tuple(new_states)[: len(states)] if extra else tuple(new_states)
        if masks is not None:
            if previous is None:
                previous = tree.map_structure(selection.zeros_like, output)
            here = masks[t]
            held = tree.map_structure(selection.zeros_like, output) if zero_output_for_mask else previous
            output = tree.map_structure(lambda new, old, m=here: _where(m, new, old), output, held)
            new_states = tree.map_structure(lambda new, old, m=here: _where(m, new, old), new_states, states)
        states, previous = new_states, output
        outputs.append(output)
    kept = outputs if return_all_outputs else outputs[-1:]
    stacked = tree.map_structure(lambda *rows: shaping.stack(*promoted(*rows), axis=0), *kept)
    if not time_major:
        stacked = tree.map_structure(_time_first, stacked)
    return previous, stacked, states


def _mask_steps(mask: Tensor, time_major: bool) -> list[Tensor]:
    if mask.ndim == 3 and mask._value.shape[-1] == 1:
        mask = mask[..., 0]
    return list(shaping.unstack(mask, axis=0 if time_major else 1))


def _where(mask: Tensor, new: Any, old: Any) -> Tensor:
    new = tensor(new)
    return selection.where(shaping.reshape(mask, shape=(-1, *[1] * (new.ndim - 1))), new, tensor(old))


def with_zeros(inner_loop: Callable[..., Any]) -> Callable[..., Any]:
    """An LSTM's or GRU's loop, with zeros for steps that are masked if the layer asks: `lstm` and `gru` do not hear."""

    def loop(self: Any, sequences: Any, initial_state: Any, mask: Any, training: bool = False) -> Any:
        last, outputs, states = inner_loop(self, sequences, initial_state, mask, training)
        if mask is not None and self.zero_output_for_mask:
            steps = _mask_steps(tensor(tree.flatten(mask)[0], "bool"), False)[:: -1 if self.go_backwards else 1]
            here = shaping.stack(*steps[-outputs._value.shape[1] :], axis=1)
            outputs = selection.where(here[:, :, None], outputs, 0)
            last = outputs[:, -1]
        return last, outputs, states

    return loop


def unstack(x: Any, axis: int = 0) -> list[Tensor]:
    """The slices along an axis."""
    x = tensor(x)
    return list(shaping.unstack(x, axis=axis % x.ndim))


def lstm(
    inputs: Any,
    initial_state_h: Any,
    initial_state_c: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
) -> tuple[Any, Any, list[Any]]:
    """Run a long short-term memory over inputs [batch, time, features].

    Returns:
        The last output, all outputs (the last alone unless `return_sequences`), [batch, time, units], and both states.

    Raises:
        NotImplementedError: for other activations than the usual ones and mixed dtypes; Keras then goes step by step.
    """
    _check_usual(activation, recurrent_activation, unroll)
    weights = kernel, recurrent_kernel, None, bias
    return _run(
        recurrent.lstm, inputs, (initial_state_h, initial_state_c), mask, weights, return_sequences, go_backwards
    )


def gru(
    inputs: Any,
    initial_state: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    reset_after: bool = True,
) -> tuple[Any, Any, list[Any]]:
    """Run gated recurrent units, as `lstm`; `reset_after=False` goes step by step, too."""
    _check_usual(activation, recurrent_activation, unroll or not reset_after)
    biases = (None, None) if bias is None else shaping.unstack(tensor(bias), axis=0)
    weights = kernel, recurrent_kernel, *biases
    return _run(recurrent.gru, inputs, (initial_state,), mask, weights, return_sequences, go_backwards)


def _check_usual(activation: Any, recurrent_activation: Any, otherwise: bool) -> None:
    from keras.src import activations

    if otherwise or activation is not activations.tanh or recurrent_activation is not activations.sigmoid:
        raise NotImplementedError


def _run(
    op: Primitive, inputs: Any, states: Any, mask: Any, weights: Any, return_sequences: bool, go_backwards: bool
) -> tuple[Any, Any, list[Any]]:
    given: list[Any] = [None if array is None else tensor(array) for array in (inputs, *weights, *states)]
    dtypes = {name_of(array) for array in given if array is not None}
    batch, steps, features = given[0]._value.shape
    if len(dtypes) > 1 or not dtypes <= {*FLOATS} or not batch * steps:
        raise NotImplementedError
    own = dtypes.pop()
    wide = "float64" if own == "float64" else "float32"  # half precision is rounded once, at the end
    given = [None if array is None else cast(array, wide) for array in given]
    x, kernel, recurrent_kernel, input_bias, bias, *states = given
    counted = None if mask is None else shaping.stack(*_mask_steps(tensor(mask, "bool"), False), axis=0)
    x = _time_first(x)
    if go_backwards:
        x = shaping.flip(x, axes=(0,))
        counted = None if counted is None else shaping.flip(counted, axes=(0,))
    x = linalg.matmul(shaping.reshape(x, shape=(-1, features)), kernel)
    if input_bias is not None:
        x = bias_add(x, input_bias)
    rows = _rows(recurrent_kernel, bias, states, x)
    out = op(rows, np.ones((steps, 0), bool) if counted is None else counted, batch=batch)
    outputs = out[1:, 0] if return_sequences or counted is not None else out[-1:, 0]
    if counted is not None:  # before the first step that counts the output is zero, whatever the state
        begun = scans.cumsum(tensor(counted, "int32"), axis=0, exclusive=False, reverse=False) > 0
        outputs = selection.where(shaping.reshape(begun, shape=(steps, batch, 1)), outputs, 0)
    outputs = cast(outputs if return_sequences else outputs[-1:], own)
    return outputs[-1], _time_first(outputs), [cast(out[-1, k], own) for k in range(len(states))]


def _rows(recurrent_kernel: Tensor, bias: Any, states: Sequence[Tensor], x: Tensor) -> Tensor:
    """What `ops.recurrent` takes: weights, bias, first state and inputs as rows of one array."""
    (units, width), batch = recurrent_kernel._value.shape, states[0]._value.shape[0]
    dtype = x._value.dtype
    bias = np.zeros((1, width), dtype) if bias is None else shaping.reshape(bias, shape=(1, width))
    padding = np.zeros((batch, width - len(states) * units), dtype)
    return shaping.concat(recurrent_kernel, bias, shaping.concat(*states, padding, axis=1), x, axis=0)


def bidirectional_lstm(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to two layers."""
    raise NotImplementedError


def bidirectional_gru(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to two layers."""
    raise NotImplementedError


def cudnn_ok(*args: Any, **kwargs: Any) -> bool:
    """Whether a GPU kernel fits: there is none."""
    return False
