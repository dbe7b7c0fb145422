"""`tf.train`: checkpoints of variables, modules and Keras objects."""

from __future__ import annotations

import os
from typing import Any

from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.errors import NotFoundError
from gradtape.train import files
from gradtape.train.checkpoint import Checkpoint
from gradtape.train.manager import CheckpointManager


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint in a folder, for `Checkpoint.restore`; None if there is none."""
    found = files.read_state(os.fspath(checkpoint_dir), latest_filename)
    return found[-1] if found and os.path.exists(files.file_of(found[-1])) else None


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """The names and shapes in a checkpoint, or in the latest one of a folder, in order of the names.

    Raises:
        NotFoundError: if there is none.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """One value of a checkpoint, or of the latest one of a folder, as NumPy has it.

    Raises:
        NotFoundError: if there is none of that name.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


class CheckpointReader:
    """The values of one checkpoint, by name."""

    def __init__(self, path: str) -> None:
        self._values = _values(path)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of the values."""
        return {name: list(array.shape) for name, array in self._values.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of the values."""
        return {name: as_dtype(array.dtype) for name, array in self._values.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a value of that name."""
        return tensor_str in self._values

    def get_tensor(self, tensor_str: str) -> Any:
        """One value, as NumPy has it. Raises NotFoundError if there is none of that name."""
        if tensor_str not in self._values:
            raise NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint; it has {sorted(self._values)}.")
        return self._values[tensor_str][()]


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """The values in a checkpoint, or in the latest one of a folder. Raises NotFoundError if there is none."""
    return CheckpointReader(ckpt_dir_or_file)


def _values(path: str) -> dict[str, Any]:
    return files.read(files.file_of(latest_checkpoint(path) or os.fspath(path)))


__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
