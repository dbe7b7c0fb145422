"""What cannot be served through Keras' backend slot: small changes to Keras after it is imported."""

from __future__ import annotations

import keras
from keras.src.utils import backend_utils


def _set_backend(backend: str) -> None:
    """Refuse any backend but ours: the tensors, variables and layers that exist could not follow."""
    if backend != "numpy":
        raise RuntimeError(
            f"keras.config.set_backend({backend!r}): this Keras runs on gradtape, and one process can run Keras on one "
            f"backend only. Start a new process with KERAS_BACKEND={backend} and without importing gradtape."
        )


def apply() -> None:
    """Make the changes."""
    backend_utils.set_backend = keras.config.set_backend = _set_backend
