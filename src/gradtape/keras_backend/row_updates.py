"""Updates of the rows that a gradient names, where the others stay as they are: a step costs what its rows cost.

Keras on TensorFlow does so in SGD without momentum, in Adagrad, and in RMSprop without momentum but for its velocities,
which decay in all rows. Optimizers that change all rows in each step take such a gradient as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers.adagrad import Adagrad
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.rmsprop import RMSprop
from keras.src.optimizers.sgd import SGD

from gradtape.core.effects import check
from gradtape.core.indexed_slices import IndexedSlices, add_rows
from gradtape.core.recorder import paused
from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.dispatch import name_of, tensor
from gradtape.ops.elementwise import sqrt
from gradtape.ops.indexing import gather_rows
from gradtape.ops.variable_ops import check_rows, with_rows

_apply = BaseOptimizer.apply
_sgd, _adagrad, _rmsprop = SGD.update_step, Adagrad.update_step, RMSprop.update_step


def apply(self: BaseOptimizer, grads: Any, trainable_variables: Any = None) -> None:
    """Update the variables. Keras divides gradients by the scale of the loss itself, which rows cannot be."""
    if self.loss_scale_factor is not None:
        grads = [tensor(g) if type(g) is IndexedSlices else g for g in grads]
    _apply(self, grads, trainable_variables)


def sgd_step(self: SGD, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Gradient descent."""
    if self.momentum != 0 or not _by_rows(gradient, variable):
        _sgd(self, gradient, variable, learning_rate)
        return
    dtype = variable.dtype
    moves = tensor(gradient.values, dtype) * tensor(learning_rate, dtype)
    variable._value.scatter_sub(IndexedSlices(moves, gradient.indices))


def adagrad_step(self: Adagrad, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Gradient descent with a rate for each element, by the sum of its squared gradients."""
    if not _by_rows(gradient, variable):
        _adagrad(self, gradient, variable, learning_rate)
        return
    sums = self._accumulators[self._get_variable_index(variable)]._value
    with paused():
        rows, where = _summed(gradient, variable)
        squares = gather_rows(sums._read(), where) + rows * rows
        sums.scatter_update(IndexedSlices(squares, where))
        _move(variable, where, rows, learning_rate, squares + self.epsilon)


def rmsprop_step(self: RMSprop, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Gradient descent with a rate for each element, by the moving average of its squared gradients."""
    if self.momentum > 0 or self.centered or not _by_rows(gradient, variable):
        _rmsprop(self, gradient, variable, learning_rate)
        return
    velocity = self._velocities[self._get_variable_index(variable)]._value
    with paused():
        rows, where = _summed(gradient, variable)
        squares = gather_rows(velocity._read(), where) * self.rho + rows * rows * (1 - self.rho)
        velocity.assign(velocity._read() * self.rho)
        velocity.scatter_update(IndexedSlices(squares, where))
        _move(variable, where, rows, learning_rate, squares + self.epsilon)


def _by_rows(gradient: Any, variable: Any) -> bool:
    return type(gradient) is IndexedSlices and isinstance(variable, KerasVariable) and not in_stateless_scope()


def _summed(gradient: IndexedSlices, variable: Any) -> tuple[Tensor, Tensor]:
    """Each row replaced by the sum of all that have its number, and the numbers."""
    rows, where = tensor(gradient.values, variable.dtype), tensor(gradient.indices)
    check(check_rows, where, variable.shape[0])
    shape = rows._value.shape
    none = wrap(np.zeros(variable.shape[0], np.int32))
    last = gather_rows(with_rows(none, where, wrap(np.arange(shape[0], dtype=np.int32)), how="update"), where)
    return gather_rows(add_rows(rows, last, shape=shape), last), where


def _move(variable: Any, where: Tensor, rows: Tensor, learning_rate: Any, squares: Tensor) -> None:
    """Move rows against their gradients, divided by the roots of the squares."""
    moves = rows * tensor(learning_rate, name_of(rows)) / sqrt(squares)
    moved = gather_rows(variable._value._read(), where) - moves
    variable._value.scatter_update(IndexedSlices(moved, where))
