"""`Checkpoint`: the values of variables, saved to a file and restored from it by the names that lead to them."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

import numpy as np

from gradtape.base.dtypes import int64
from gradtape.base.errors import invalid
from gradtape.core.variable import Variable
from gradtape.train import files
from gradtape.train.objects import Tracked, is_trackable, named_variables


class Checkpoint(Tracked):
    """Saves and restores the variables of objects: variables, modules, Keras models and optimizers, lists and dicts.

    A value belongs to a path such as `model/layers/0/w`, and is restored to what has that path then. The file is an
    `.npz` of NumPy, not TensorFlow's format.

    >>> import gradtape as tf, tempfile
    >>> step = tf.Variable(1)
    >>> checkpoint = tf.train.Checkpoint(step=step)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> _ = step.assign(7)
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> step.numpy()
    np.int32(1)

    Args:
        root: an object whose own attributes are saved; what is given by keyword comes beside them.
        kwargs: the objects to save, by name.

    Raises:
        ValueError: for an object that has no variables to save.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, value in {**({} if root is None else {"root": root}), **kwargs}.items():
            if not is_trackable(value):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a variable, module, Keras object, "
                    f"list, dict, generator or iterator), got {value}."
                )
        self._root = root
        self._save_counter: Variable | None = None
        for name, value in kwargs.items():
            setattr(self, name, value)

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called; it is saved too."""
        if self._save_counter is None:
            self._save_counter = Variable(0, trainable=False, name="save_counter", dtype=int64)
        return self._save_counter

    def _variables(self) -> dict[str, Any]:
        """What there is to save now."""
        attached = {k: v for k, v in vars(self).items() if k not in ("_root", "_save_counter")}
        found = {} if self._root is None else named_variables(self._root)
        found.update(named_variables(attached))
        if self._save_counter is not None:
            found.update(named_variables({"save_counter": self._save_counter}))
        return found

    def write(self, file_prefix: str, options: Any = None) -> str:
        """Write the values to `<file_prefix>.npz`, and return the prefix."""
        prefix = os.fspath(file_prefix)
        files.write(files.file_of(prefix), {k: np.asarray(v.numpy()) for k, v in self._variables().items()})
        return prefix

    def save(self, file_prefix: str, options: Any = None) -> str:
        """Write to a numbered prefix and note in its folder that this is the latest checkpoint. Returns the prefix."""
        number = int(self.save_counter.assign_add(1))  # type: ignore[arg-type]
        path = self.write(f"{os.fspath(file_prefix)}-{number}")
        files.write_state(os.path.dirname(path) or ".", path, [path])
        return path

    def sync(self) -> None:
        """Nothing: files are complete when `save` and `write` return."""

    def read(self, save_path: str, options: Any = None) -> LoadStatus:
        """Restore what `write` wrote; see `restore`."""
        return LoadStatus(self, os.fspath(save_path))

    def restore(self, save_path: str | None, options: Any = None) -> LoadStatus:
        """Restore the values from a prefix.

        Values are given to variables that there are now, and again to those that there are when a method of the result
        is called. If some value has no variable by the time the result is dropped, there is a warning, unless
        `expect_partial` was called.

        Args:
            save_path: what `save` or `write` returned; None restores nothing.

        Returns:
            A status with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.

        Raises:
            NotFoundError: if there is no such file.
            ValueError: if a variable has another shape.
            InvalidArgumentError: if a variable has another dtype.
        """
        if save_path is not None:
            _ = self.save_counter
        return LoadStatus(self, None if save_path is None else os.fspath(save_path))


class LoadStatus:
    """What became of the values of a file."""

    def __init__(self, checkpoint: Checkpoint, path: str | None) -> None:
        self._quiet = True
        self._checkpoint, self._path = checkpoint, path
        self._left: dict[str, Any] = {} if path is None else files.read(files.file_of(path))
        self._known = frozenset(self._left)
        self._match()
        self._quiet = False

    def _match(self) -> dict[str, Any]:
        """Give values to the variables that have not got theirs; the variables that there are."""
        variables = self._checkpoint._variables()
        for name in [name for name in self._left if name in variables]:
            _assign(name, variables[name], self._left.pop(name))
        return variables

    def _unmatched(self, variables: dict[str, Any]) -> list[str]:
        return [name for name in variables if name not in self._known]

    def _something(self) -> None:
        if self._path is None:
            raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> Self:
        """Raise AssertionError unless every value has a variable and every variable a value."""
        self.assert_existing_objects_matched()
        if self._left:
            raise AssertionError(f"Values of {self._path} that no object has a variable for: {sorted(self._left)}.")
        return self

    def assert_existing_objects_matched(self) -> Self:
        """Raise AssertionError unless every variable has a value."""
        self._something()
        self._quiet = True
        if missing := self._unmatched(self._match()):
            raise AssertionError(
                f"Found {len(missing)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program: {missing}."
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        """Raise AssertionError if no variable but the counter has a value."""
        self._something()
        self._quiet = True
        variables = self._match()
        matched = [n for n in variables if n in self._known and not n.startswith("save_counter/")]
        if not matched:
            raise AssertionError(f"Nothing to load from {self._path}: no variable has a value there.")
        return self

    def expect_partial(self) -> Self:
        """Say that values without a variable are all right."""
        self._match()
        self._quiet = True
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: variables have their values already."""

    def __del__(self) -> None:
        if not self._quiet and self._left:
            warnings.warn(
                f"Values of {self._path} were not restored, since no object has a variable for them: "
                f"{sorted(self._left)}. Make the variables first (call or build the model), or call "
                "`.expect_partial()` on what `restore` returns.",
                RuntimeWarning,
                stacklevel=2,
            )


def _assign(name: str, variable: Any, value: Any) -> None:
    current = variable.numpy()
    if value.shape != np.shape(current):
        raise ValueError(
            f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with shape "
            f"{np.shape(current)} and name {variable.name}."
        )
    if value.dtype != current.dtype:
        raise invalid(f"tensor_name = {name}; expected dtype {current.dtype} does not equal original {value.dtype}")
    variable.assign(value)
