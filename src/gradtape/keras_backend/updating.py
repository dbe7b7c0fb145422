"""The updates of Keras' optimizers: captured once, and replayed on arrays without Keras' look-ups for each product."""

from __future__ import annotations

import weakref
from typing import Any

from keras.src.backend.common import KerasVariable
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.schedules.learning_rate_schedule import LearningRateSchedule

from gradtape.core.recorder import STATE
from gradtape.programs.function import function

EAGER_CALLS = 2
"""How many updates run step by step before one is captured: an optimizer may live for fewer."""

MOST_CAPTURES = 8
"""How often an optimizer whose settings change is captured again before it runs step by step."""

_in_python = BaseOptimizer._backend_apply_gradients
_known: weakref.WeakKeyDictionary[BaseOptimizer, Updates] = weakref.WeakKeyDictionary()


class Updates:
    """The captured updates of one optimizer, one for each list of variables, for the settings that it has."""

    def __init__(self) -> None:
        self.settings: list[Any] = []
        self.captures = 0
        self.calls: dict[tuple[int, ...], int] = {}
        self.functions: dict[tuple[int, ...], Any] = {}

    def of(self, optimizer: BaseOptimizer, variables: list[Any]) -> Any:
        """The function of the gradients that updates these variables, or None if it is too early or in vain."""
        key = tuple(map(id, variables))
        found = self.functions.get(key)
        settings = _settings(optimizer)
        if len(settings) != len(self.settings) or any(a is not b for a, b in zip(settings, self.settings, strict=True)):
            self.settings = settings
            self.functions.clear()
            found = None
        if found is None and self.captures < MOST_CAPTURES:
            calls = self.calls[key] = self.calls.get(key, 0) + 1
            if calls > EAGER_CALLS:
                self.captures += 1
                found = self.functions[key] = _captured(weakref.ref(optimizer), variables)
        return found


def _settings(optimizer: BaseOptimizer) -> list[Any]:
    """All that an update is computed from, besides variables and gradients."""
    settings = list(vars(optimizer).values())
    rate = optimizer._learning_rate
    return [*settings, *vars(rate).values()] if isinstance(rate, LearningRateSchedule) else settings


def _captured(optimizer: weakref.ref[BaseOptimizer], variables: list[Any]) -> Any:
    def update(*gradients: Any) -> None:
        _in_python(optimizer(), list(gradients), variables)

    return function(update)


def _is_keras_own(optimizer: BaseOptimizer) -> bool:
    """Whether no Python of the user's takes part, which would have to run each time."""
    rate = optimizer._learning_rate
    parts = [optimizer] if isinstance(rate, KerasVariable) else [optimizer, rate]
    return all(type(part).__module__.startswith("keras.src.") for part in parts)


def apply_gradients(self: BaseOptimizer, grads: Any, trainable_variables: Any) -> None:
    """Clip the gradients, decay and update the variables, and average them: what Keras writes, replayed."""
    if STATE.recorders or STATE.level is not None or in_stateless_scope() or not _is_keras_own(self):
        _in_python(self, grads, trainable_variables)
        return
    known = _known.get(self)
    if known is None:
        known = _known[self] = Updates()
    update = known.of(self, list(trainable_variables))
    if update is None:
        _in_python(self, grads, trainable_variables)
    else:
        update(*grads)
