"""What cannot be served through Keras' backend slot: small changes to Keras after it is imported."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import keras
from keras.src import tree
from keras.src.backend import get_keras_mask, set_keras_mask
from keras.src.callbacks.tensorboard import TensorBoard
from keras.src.distribution import distribution_lib
from keras.src.layers.preprocessing import discretization, normalization
from keras.src.optimizers.adagrad import Adagrad
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.rmsprop import RMSprop
from keras.src.optimizers.sgd import SGD
from keras.src.saving.keras_saveable import KerasSaveable
from keras.src.trainers.trainer import Trainer
from keras.src.utils import backend_utils, rng_utils, traceback_utils
from keras.src.utils.module_utils import tensorflow

import gradtape
from gradtape.core.tensor import Tensor
from gradtape.keras_backend import distribution, row_updates, updating, words
from gradtape.keras_backend.finder import restore
from gradtape.keras_backend.refusals import explain_layers
from gradtape.keras_backend.rnn import with_zeros
from gradtape.keras_backend.spellings import explain_methods


def _set_backend(backend: str) -> None:
    """Refuse any backend but ours: the tensors, variables and layers that exist could not follow."""
    if backend != "numpy":
        raise RuntimeError(
            f"keras.config.set_backend({backend!r}): this Keras runs on gradtape, and one process can run Keras on one "
            f"backend only. Start a new process with KERAS_BACKEND={backend} and without importing gradtape."
        )


_reduce = KerasSaveable.__reduce__


def _reduce_through_gradtape(self: Any) -> Any:
    """Pickle models so that loading one imports gradtape before Keras, in a process that has imported neither."""
    return restore, _reduce(self)


_format_argument_value = traceback_utils.format_argument_value


def _name_tensors(value: Any) -> str:
    """How a layer's errors show an argument: Tensors as on TensorFlow, not as arrays of NumPy."""
    if isinstance(value, Tensor):
        return f"tf.Tensor(shape={value.shape}, dtype={value.dtype.name})"
    return _format_argument_value(value)


def _set_mask_metadata(self: Any, inputs: Any, outputs: Any, previous_mask: Any) -> None:
    """Put a layer's masks on its outputs. Before Keras 3.14 it does not where the backend is called "numpy"."""
    flat = tree.flatten(outputs)
    if any(get_keras_mask(output) is None for output in flat):
        for output, mask in zip(flat, tree.flatten(self.compute_mask(inputs, previous_mask)), strict=False):
            if mask is not None and get_keras_mask(output) is None:
                set_keras_mask(output, mask)


def _get_metrics_result(self: Any) -> dict[str, Any]:
    """The values of the metrics. Before Keras 3.14 they are numbers, which would tie a captured step to one batch."""
    found = {}
    for metric in self.metrics:
        result = metric.result()
        found.update(result if isinstance(result, dict) else {metric.name: result})
    return found


def _with_tensorflow(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The method of the TensorBoard callback; an import that fails in it says who asks for what."""

    @functools.wraps(method)
    def explained(self: Any) -> Any:
        try:
            return method(self)
        except ImportError as error:
            raise ImportError(
                f"The TensorBoard callback writes its files with TensorFlow's `tf.summary`, and {error.name!r} is not "
                "installed. Install it with `pip install tensorflow tensorboard`; gradtape stays the backend. Without "
                "it, keras.callbacks.CSVLogger writes the same numbers to a text file."
            ) from error

    return explained


def _set_seeds(seed: int) -> None:
    """The part of `keras.utils.set_random_seed` that is about `tf.random`: ours, and TensorFlow's if it is there."""
    gradtape.random.set_seed(seed)
    if tensorflow.available:
        tensorflow.random.set_seed(seed)


def apply() -> None:
    """Make the changes."""
    if tuple(map(int, keras.__version__.split(".")[:2])) < (3, 14):
        keras.Layer._set_mask_metadata = _set_mask_metadata
        Trainer.get_metrics_result = _get_metrics_result
    backend_utils.set_backend = keras.config.set_backend = _set_backend
    KerasSaveable.__reduce__ = _reduce_through_gradtape
    BaseOptimizer._backend_apply_gradients = updating.apply_gradients
    BaseOptimizer.apply = row_updates.apply
    SGD.update_step = row_updates.sgd_step
    Adagrad.update_step = row_updates.adagrad_step
    RMSprop.update_step = row_updates.rmsprop_step
    TensorBoard.summary = property(_with_tensorflow(TensorBoard.summary.fget))
    TensorBoard._configure_embeddings = _with_tensorflow(TensorBoard._configure_embeddings)
    for layer in (keras.layers.LSTM, keras.layers.GRU):
        layer.inner_loop = with_zeros(layer.inner_loop)
    discretization.tf = normalization.tf = gradtape  # their `adapt` asks whether it is given a `tf.data.Dataset`
    words.serve()
    distribution_lib.distribution_lib = distribution
    rng_utils.tf = SimpleNamespace(available=True, random=SimpleNamespace(set_seed=_set_seeds))
    traceback_utils.format_argument_value = _name_tensors
    explain_layers()
    explain_methods(keras.Model, BaseOptimizer)
