"""`tf.train`: checkpoints of variables, modules and Keras objects."""

from __future__ import annotations

import os
from typing import Any

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
    return sorted((name, list(array.shape)) for name, array in _values(ckpt_dir_or_file).items())


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """One value of a checkpoint, or of the latest one of a folder, as NumPy has it.

    Raises:
        NotFoundError: if there is none of that name.
    """
    values = _values(ckpt_dir_or_file)
    if name not in values:
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint; it has {sorted(values)}.")
    return values[name][()]


def _values(path: str) -> dict[str, Any]:
    return files.read(files.file_of(latest_checkpoint(path) or os.fspath(path)))


__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint", "list_variables", "load_variable"]
