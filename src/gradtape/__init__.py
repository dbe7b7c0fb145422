"""`tf.GradientTape` without TensorFlow: automatic differentiation, to any order, on NumPy.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x * x
>>> tape.gradient(y, x).numpy()
np.float32(6.0)
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from gradtape import autodiff, debugging, errors, nest
from gradtape.autodiff import (
    GradientTape,
    UnconnectedGradients,
    custom_gradient,
    grad_pass_through,
    gradients,
    hessians,
    recompute_grad,
    stop_gradient,
)
from gradtape.control import (
    TensorArray,
    case,
    cond,
    foldl,
    foldr,
    map_fn,
    numpy_function,
    py_function,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
from gradtape.debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank, print
from gradtape.keras_backend.finder import install as _install_keras_finder
from gradtape.ops import operators as _operators  # noqa: F401 - gives tensors their operators

_KERAS = ("keras", "losses", "metrics", "optimizers", "initializers")


def __getattr__(name: str) -> _Any:
    """Import Keras when `tf.keras` (or what TensorFlow takes from it) is first asked for."""
    if name in _KERAS:
        keras = _import_module("gradtape.keras")
        return keras if name == "keras" else getattr(keras, name)
    raise AttributeError(f"module 'gradtape' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_KERAS])


_install_keras_finder()

__all__ = [
    "Assert",
    "GradientTape",
    "TensorArray",
    "UnconnectedGradients",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "autodiff",
    "case",
    "cond",
    "custom_gradient",
    "debugging",
    "errors",
    "foldl",
    "foldr",
    "grad_pass_through",
    "gradients",
    "hessians",
    "map_fn",
    "nest",
    "numpy_function",
    "print",
    "py_function",
    "recompute_grad",
    "scan",
    "stop_gradient",
    "switch_case",
    "vectorized_map",
    "while_loop",
]
