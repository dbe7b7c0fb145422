"""Names that Keras 2 had and Keras 3 has not: asking for one says what it is called now."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NoReturn

LOSSES = {
    "mean_squared_error": "MSE",
    "mean_absolute_error": "MAE",
    "mean_absolute_percentage_error": "MAPE",
    "mean_squared_logarithmic_error": "MSLE",
    "log_cosh": "logcosh",
    "cosine_proximity": "cosine_similarity",
    "huber_loss": "huber",
}
OPTIMIZERS = "Adadelta Adafactor Adagrad Adam Adamax AdamW Ftrl Lion Nadam RMSprop SGD"
MODULES: dict[str, Mapping[str, str]] = {
    "losses": LOSSES,
    "metrics": LOSSES | {"accuracy": "Accuracy"},
    "layers": {"CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU"},
    "optimizers": {name.lower(): name for name in OPTIMIZERS.split()},
}
METHODS = {
    "predict_classes": "np.argmax(model.predict(x), axis=-1)",
    "predict_proba": "model.predict(x)",
    "fit_generator": "model.fit(generator)",
    "evaluate_generator": "model.evaluate(generator)",
    "predict_generator": "model.predict(generator)",
}


def explain_in(face: ModuleType) -> None:
    """Explain the old names in the modules of `tf.keras`."""
    for name, renamed in MODULES.items():
        module = getattr(face, name)
        module.__getattr__ = _explaining(f"tf.keras.{name}", renamed)


def _explaining(module: str, renamed: Mapping[str, str]) -> Callable[[str], Any]:
    def __getattr__(name: str) -> NoReturn:
        now = f": it is called {module}.{renamed[name]} in Keras 3" if name in renamed else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{now}")

    return __getattr__


def explain_methods(model: type, optimizer: type) -> None:
    """Explain old methods of models, and what was the learning rate of optimizers."""
    for name, now in METHODS.items():
        setattr(model, name, _gone(f"Model.{name}", now))
    optimizer.lr = _gone("Optimizer.lr", "optimizer.learning_rate")  # type: ignore[attr-defined]
    original = optimizer.__init__  # type: ignore[misc]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if "lr" in kwargs:
            raise ValueError(f"{type(self).__name__}: the argument `lr` is called `learning_rate` in Keras 3.")
        original(self, *args, **kwargs)

    __init__.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    optimizer.__init__ = __init__  # type: ignore[misc]


def _gone(name: str, now: str) -> property:
    def read(self: Any) -> NoReturn:
        raise AttributeError(f"{name} does not exist in Keras 3: use {now}")

    return property(read)
