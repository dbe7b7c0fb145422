"""Exporting models."""

from typing import Any, NoReturn

TEXT = (
    "`export_saved_model` only currently supports the tensorflow, jax and torch backends. "
    "gradtape cannot export models to TensorFlow's SavedModel, ONNX or LiteRT. Save the model with "
    "model.save('m.keras') "
    "and load it with Keras on TensorFlow or PyTorch to export it there."
)


class NumpyExportArchive:
    """Refuses, with the way out."""

    def track(self, resource: Any) -> NoReturn:
        raise NotImplementedError(TEXT)

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(TEXT)

    def track_and_add_endpoint(self, name: str, resource: Any, input_signature: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(TEXT)
