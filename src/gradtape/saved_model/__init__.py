"""`tf.saved_model`: a model in a folder, with its code, for another process.

The folder holds a pickle of the object and of the code it needs, not TensorFlow's protocol buffers. The same version
of Python loads it, and loading runs what is in it: load only what you trust.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from typing import Any

from gradtape.base.errors import DataLossError
from gradtape.core.module import Module
from gradtape.saved_model.by_value import Pickler
from gradtape.version import VERSION

FILE = "saved_model.pickle"


class SaveOptions:
    """Accepted by `save`: all is saved, derivatives of your own too."""

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.experimental_custom_gradients = experimental_custom_gradients


class LoadOptions:
    """Accepted by `load`; it makes no difference."""

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint


def save(obj: Any, export_dir: str, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Save a module or Keras model to a folder: its variables, its attributes and the code of its methods.

    Args:
        obj: the object.
        export_dir: the folder, which is made if need be.
        signatures: a function, or a dict of them, that the loaded object has as `signatures`.

    Raises:
        ValueError: for anything but a module or Keras model, or if something in it cannot be pickled.

    >>> import gradtape as tf, tempfile
    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec(None)])
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Line(), folder)
    >>> tf.saved_model.load(folder)(tf.constant(2.0)).numpy()
    np.float32(6.0)
    """
    if not isinstance(obj, Module) and not any(k.__module__.startswith("keras.") for k in type(obj).__mro__):
        raise ValueError(f"Expected a Trackable object for export (a tf.Module or a Keras model), got {obj}.")
    if callable(signatures):
        signatures = {"serving_default": signatures}
    folder = os.fspath(export_dir)
    os.makedirs(folder, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            pickle.dump({"gradtape": VERSION, "python": _python()}, file)
            Pickler(file).dump((obj, dict(signatures or {})))
        os.replace(draft, os.path.join(folder, FILE))
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        os.remove(draft)
        raise ValueError(f"{type(obj).__name__} holds something that cannot be saved: {error}") from error


def load(export_dir: str, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Load what `save` wrote: an object with the same attributes and methods.

    Raises:
        OSError: if the folder holds no saved model.
        DataLossError: if it was saved by another version of Python, or is damaged.
    """
    path = os.path.join(os.fspath(export_dir), FILE)
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {path}")
    try:
        with open(path, "rb") as file:
            about = pickle.load(file)
            if about["python"] != _python():
                raise DataLossError(
                    None, None, f"{path} holds code of Python {about['python']}, which {_python()} cannot run."
                )
            obj, signatures = pickle.load(file)
    except (pickle.UnpicklingError, EOFError) as error:
        raise DataLossError(None, None, f"{path} is damaged: {error}") from error
    obj.signatures = signatures
    return obj


def contains_saved_model(export_dir: str) -> bool:
    """Whether a folder holds a saved model."""
    return os.path.exists(os.path.join(os.fspath(export_dir), FILE))


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


__all__ = ["LoadOptions", "SaveOptions", "contains_saved_model", "load", "save"]
