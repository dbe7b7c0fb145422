"""Recurrent layers for Keras, step by step."""

from __future__ import annotations

from typing import Any, NoReturn

from keras.src import tree

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.dispatch import promoted, tensor
from gradtape.ops import selection, shaping


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


def unstack(x: Any, axis: int = 0) -> list[Tensor]:
    """The slices along an axis."""
    x = tensor(x)
    return list(shaping.unstack(x, axis=axis % x.ndim))


def lstm(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to the generic loop."""
    raise NotImplementedError


def gru(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to the generic loop."""
    raise NotImplementedError


def bidirectional_lstm(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to the generic loop."""
    raise NotImplementedError


def bidirectional_gru(*args: Any, **kwargs: Any) -> NoReturn:
    """Leave it to the generic loop."""
    raise NotImplementedError


def cudnn_ok(*args: Any, **kwargs: Any) -> bool:
    """Whether a GPU kernel fits: there is none."""
    return False
