"""`CheckpointManager`: a folder with the last few checkpoints."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

from gradtape.train import files
from gradtape.train.checkpoint import Checkpoint


class CheckpointManager:
    """Saves a checkpoint to a folder again and again, and deletes the oldest.

    Args:
        checkpoint: what to save.
        directory: the folder.
        max_to_keep: how many to keep; all for None.
        keep_checkpoint_every_n_hours: keep one for good that often.
        checkpoint_name: what files are called.
        step_counter, checkpoint_interval: save only if this variable has gone up by that much since the last time.
        init_fn: a function for `restore_or_initialize` to call where there is nothing to restore.

    Raises:
        ValueError: if `max_to_keep` is not positive, or an interval comes without a counter.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory = checkpoint, os.fspath(directory)
        self._most, self._hours, self._init = max_to_keep, keep_checkpoint_every_n_hours, init_fn
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._counter, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        self._kept = [p for p in files.read_state(self._directory) if os.path.exists(files.file_of(p))]
        self._last_for_good = time.time()

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """The steps between two checkpoints."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The latest checkpoint."""
        return self._kept[-1] if self._kept else None

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Save, and delete what is too old. Returns the path, or None if the interval has not passed yet.

        Args:
            checkpoint_number: the number in the file's name; by default how often the checkpoint was saved.
        """
        if self._interval is not None:
            step = int(self._counter)
            if check_interval and self._last_step is not None and step < self._last_step + self._interval:
                return None
            self._last_step = step
        count = int(self._checkpoint.save_counter.assign_add(1))  # type: ignore[arg-type]
        path = self._checkpoint.write(
            f"{self._prefix}-{count if checkpoint_number is None else int(checkpoint_number)}"
        )
        self._kept = [*[p for p in self._kept if p != path], path]
        while self._most is not None and len(self._kept) > self._most:
            self._drop(self._kept.pop(0))
        files.write_state(self._directory, path, self._kept)
        return path

    def _drop(self, path: str) -> None:
        """Delete a checkpoint, unless it is time to keep one for good."""
        if self._hours is not None and time.time() - self._last_for_good >= 3600 * self._hours:
            self._last_for_good = time.time()
            return
        with contextlib.suppress(FileNotFoundError):
            os.remove(files.file_of(path))

    def sync(self) -> None:
        """Nothing: files are complete when `save` returns."""

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its path; without one call `init_fn` and return None."""
        path = self.latest_checkpoint
        if path is not None:
            self._checkpoint.restore(path)
        elif self._init is not None:
            self._init()
        return path
