"""Layers that hold a program of another library, which gradtape cannot differentiate: what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn

from keras import layers

RUN_BY: dict[str, tuple[type[Exception], str, str]] = {
    "JaxLayer": (ValueError, "jax", "JAX or Tensorflow"),
    "FlaxLayer": (ValueError, "jax", "JAX or Tensorflow"),
    "TFSMLayer": (NotImplementedError, "tensorflow", "TensorFlow"),
    "TorchModuleWrapper": (NotImplementedError, "torch", "PyTorch"),
}
"""For each layer the error that Keras raises, how to ask for a backend that runs it, and all backends that do."""


def explain_layers() -> None:
    """Let these layers say what to do, instead of naming the backend that they found, or a library that is missing."""
    for name, (error, choice, backends) in RUN_BY.items():
        text = (
            f"{name} is only supported with the {backends} backend, and this Keras runs on gradtape. Write the layer "
            f"with gradtape or keras.ops, or start a new process with KERAS_BACKEND={choice} and without importing "
            "gradtape."
        )
        getattr(layers, name).__new__ = _refusing(error, text)


def _refusing(error: type[Exception], text: str) -> Any:
    def __new__(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise error(text)

    return __new__
