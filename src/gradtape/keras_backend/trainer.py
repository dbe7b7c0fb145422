"""`fit`, `evaluate` and `predict` for Keras models: each step is captured once and replayed, unless `run_eagerly`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from keras.src import backend, optimizers, tree
from keras.src import callbacks as callbacks_module
from keras.src.backend import config
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.losses import loss as loss_module
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

from gradtape.core.tensor import Tensor
from gradtape.keras_backend.datasets import epochs_of
from gradtape.keras_backend.dispatch import name_of, tensor
from gradtape.programs.function import function
from gradtape.transforms.gradient_tape import GradientTape


def _batch(data: Any) -> Any:
    """The arrays of a batch as Tensors."""
    return tree.map_structure(lambda x: x if x is None else tensor(x), data)


def _size(x: Any) -> int:
    """How many examples there are; optional inputs may be None."""
    return next(leaf for leaf in tree.flatten(x) if leaf is not None).shape[0]


class NumpyTrainer(base_trainer.Trainer):
    """Trains with a `GradientTape`."""

    def __init__(self) -> None:
        super().__init__()
        self.train_function: Any = None
        self.test_function: Any = None
        self.predict_function: Any = None

    def train_step(self, data: Any) -> Any:
        """One step of gradient descent on a batch (x, y, sample_weight)."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True) if self._call_has_training_arg else self(x)
            loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            self._loss_tracker.update_state(loss_module.unscale_loss_for_distribution(loss), sample_weight=_size(x))
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        weights = self.trainable_weights
        if weights:
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """Loss and metrics of a batch."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False) if self._call_has_training_arg else self(x)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._loss_tracker.update_state(loss_module.unscale_loss_for_distribution(loss), sample_weight=_size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The model's output for a batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self(x, training=False) if self._call_has_training_arg else self(x)

    def make_train_function(self, force: bool = False) -> Any:
        """Set `train_function`, which takes a list of batches."""
        if self.train_function is None or force:
            self.train_function = self._over(self.train_step)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """Set `test_function`, which takes a list of batches."""
        if self.test_function is None or force:
            self.test_function = self._over(self.test_step)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """Set `predict_function`, which takes a list of batches and joins their outputs."""
        if self.predict_function is None or force:
            step = self._compiled(self.predict_step)

            def predict(batches: Any) -> Any:
                outputs = [step(_batch(data)) for data in batches]
                return tree.map_structure(
                    lambda *parts: np.concatenate([backend.convert_to_numpy(p) for p in parts]), *outputs
                )

            self.predict_function = predict
        return self.predict_function

    def _compiled(self, step: Any) -> Any:
        """A step as a function that is captured, if the model was not compiled with `run_eagerly`."""
        return step if self.run_eagerly else function(step)

    def _over(self, step: Any) -> Any:
        compiled = self._compiled(step)

        def over(batches: Any) -> Any:
            logs = None
            for data in batches:
                logs = compiled(_batch(data))
            return logs

        return over

    def _symbolic_build(self, iterator: Any = None, data_batch: Any = None) -> None:
        """Create all variables of model, losses and metrics from the shapes of one batch.

        A step of the user's own need not call the model, or its loss: where that fails, the first step creates them.
        """
        try:
            self._build_from_shapes(iterator, data_batch)
        except Exception:
            if type(self).train_step is NumpyTrainer.train_step:
                raise
            return
        if self.optimizer is not None and not self.optimizer.built:
            self.optimizer.build(self.trainable_variables)
        self._post_build()

    def _build_from_shapes(self, iterator: Any, data_batch: Any) -> None:
        unbuilt = not all(layer.built for layer in self._flatten_layers())
        metrics_unbuilt = self._compile_metrics is not None and not self._compile_metrics.built
        loss_unbuilt = self._compile_loss is not None and not self._compile_loss.built
        if unbuilt or metrics_unbuilt or loss_unbuilt:
            if data_batch is None:
                for _, _, data in iterator:
                    data_batch = data[0]
                    break
            symbols = tree.map_structure(
                lambda v: KerasTensor(v._value.shape, name_of(v)) if isinstance(v, Tensor) else v, _batch(data_batch)
            )
            x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(symbols)
            try:
                y_pred = (
                    backend.compute_output_spec(self, x, training=False)
                    if self._call_has_training_arg
                    else backend.compute_output_spec(self, x)
                )
            except Exception as error:
                if not unbuilt:
                    raise
                raise RuntimeError(
                    "Unable to automatically build the model. Please build it yourself before calling "
                    "fit/evaluate/predict. "
                    "A model is 'built' when its variables have been created and its `self.built` attribute is True. "
                    f"Usually, calling the model on a batch of data is the right way to build it. ({error})"
                ) from error
            if metrics_unbuilt:
                backend.compute_output_spec(self.compute_metrics, x, y, y_pred, sample_weight=sample_weight)
            if loss_unbuilt:
                backend.compute_output_spec(
                    self._compute_loss, x, y, y_pred, sample_weight=sample_weight, training=False
                )

    @staticmethod
    def _limited(epochs: int) -> int:
        """The number of epochs, or the most that `keras.config.set_max_epochs` allows."""
        most = config.max_epochs()
        if not most or most >= epochs:
            return epochs
        warnings.warn(f"Limiting epochs to {most}", stacklevel=3)
        return most

    def _callbacks(self, callbacks: Any, verbose: Any, epochs: int, steps: Any) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return callbacks_module.CallbackList(
            callbacks,
            add_history=True,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=steps,
            model=self,
        )

    @traceback_utils.filter_traceback
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: Any = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: Any = None,
        validation_steps: Any = None,
        validation_batch_size: Any = None,
        validation_freq: int = 1,
    ) -> Any:
        """Train for a number of epochs; returns the history of the logs."""
        self._assert_compile_called("fit")
        epochs = self._limited(epochs)
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        val_x = val_y = val_sample_weight = None
        if validation_data is not None:
            val_x, val_y, val_sample_weight = data_adapter_utils.unpack_x_y_sample_weight(validation_data)
        iterator = epochs_of(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
        )
        self._symbolic_build(iterator=iterator)
        iterator.reset()
        callbacks = self._callbacks(callbacks, verbose, epochs, iterator.num_batches)
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        training_logs: Any = None
        logs: Any = {}
        for epoch in range(self._initial_epoch or initial_epoch, epochs):  # a callback may have restored one
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            with iterator.catch_stop_iteration():
                for begin_step, end_step, data in iterator:
                    callbacks.on_train_batch_begin(begin_step)
                    logs = self.train_function(data)
                    callbacks.on_train_batch_end(end_step, logs)
                    if self.stop_training:
                        break
            epoch_logs = dict(self._get_metrics_result_or_logs(logs))
            if validation_data is not None and self._should_eval(epoch, validation_freq):
                if self._eval_epoch_iterator is None:
                    self._eval_epoch_iterator = epochs_of(
                        x=val_x,
                        y=val_y,
                        sample_weight=val_sample_weight,
                        batch_size=validation_batch_size or batch_size,
                        steps_per_execution=self.steps_per_execution,
                        steps_per_epoch=validation_steps,
                        shuffle=False,
                    )
                val_logs = self.evaluate(
                    x=val_x,
                    y=val_y,
                    sample_weight=val_sample_weight,
                    batch_size=validation_batch_size or batch_size,
                    steps=validation_steps,
                    callbacks=callbacks,
                    return_dict=True,
                    _use_cached_eval_dataset=True,
                )
                epoch_logs.update({f"val_{name}": value for name, value in val_logs.items()})
            callbacks.on_epoch_end(epoch, epoch_logs)
            training_logs = epoch_logs
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=training_logs)
        return self.history

    @traceback_utils.filter_traceback
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: Any = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: Any = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Loss and metrics over the data."""
        self._assert_compile_called("evaluate")
        cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        iterator: Any = (
            self._eval_epoch_iterator
            if cached
            else epochs_of(
                x=x,
                y=y,
                sample_weight=sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                shuffle=False,
                steps_per_execution=self.steps_per_execution,
            )
        )
        self._symbolic_build(iterator=iterator)
        iterator.reset()
        callbacks = self._callbacks(callbacks, verbose, 1, iterator.num_batches)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        logs: Any = {}
        self.reset_metrics()
        for begin_step, end_step, data in iterator:
            callbacks.on_test_batch_begin(begin_step)
            logs = self.test_function(data)
            callbacks.on_test_batch_end(end_step, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(
        self, x: Any, batch_size: Any = None, verbose: Any = "auto", steps: Any = None, callbacks: Any = None
    ) -> Any:
        """The model's outputs as NumPy arrays."""
        iterator = epochs_of(
            x=x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            shuffle=False,
            steps_per_execution=self.steps_per_execution,
        )
        callbacks = self._callbacks(callbacks, verbose, 1, iterator.num_batches)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        outputs = []
        for begin_step, end_step, data in iterator:
            callbacks.on_predict_batch_begin(begin_step)
            outputs.append(self.predict_function(data))
            callbacks.on_predict_batch_end(end_step, {"outputs": outputs[-1]})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        return tree.map_structure(lambda *parts: np.concatenate(parts), *outputs)

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """One step on one batch."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    f"Arguments `sample_weight` and `class_weight` cannot be specified at the same time. Received: "
                    f"sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        return self._on_batch(self.make_train_function, (x, y, sample_weight), return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """Loss and metrics of one batch."""
        self._assert_compile_called("test_on_batch")
        return self._on_batch(self.make_test_function, (x, y, sample_weight), return_dict)

    def _on_batch(self, make: Any, data: Any, return_dict: bool) -> Any:
        self._symbolic_build(data_batch=data)
        self.reset_metrics()
        logs = pythonify_logs(make()([data]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch."""
        return self.make_predict_function()([(x,)])
