"""Make Keras run on gradtape: serve its "numpy" backend from this folder, without touching a file of Keras."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

SLOT = "keras.src.backend.numpy"
FOLDER = os.path.dirname(__file__)  # pathlib would take a tenth of the time of importing NumPy
SUBMODULES = ("core", "export", "image", "layer", "linalg", "math", "nn", "numpy", "random", "rnn", "trainer")
VARIABLE = "KERAS_BACKEND"


class _Backend:
    """Runs Keras' own package with its backend setting at "numpy", and puts the setting back."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self.inner.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        before = os.environ.get(VARIABLE)
        os.environ[VARIABLE] = "numpy"
        try:
            self.inner.exec_module(module)
        finally:
            if before is None:
                os.environ.pop(VARIABLE, None)
            else:
                os.environ[VARIABLE] = before
        importlib.import_module("gradtape.keras_backend.patches").apply()


class Finder:
    """Finds `keras` itself (to set its backend) and the modules of its "numpy" slot (to serve ours)."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == "keras":
            return self._keras()
        if fullname == SLOT:
            return self._file(fullname, "backend.py", package=True)
        if fullname.startswith(SLOT + "."):
            name = fullname.removeprefix(SLOT + ".")
            if name not in SUBMODULES:
                raise ModuleNotFoundError(
                    f"gradtape serves no module {name!r} of Keras' backend; it knows Keras 3.12 to 3.15.", name=fullname
                )
            return self._file(fullname, f"{name}.py", package=False)
        return None

    @staticmethod
    def _file(fullname: str, file: str, *, package: bool) -> importlib.machinery.ModuleSpec | None:
        search = [FOLDER] if package else None
        return importlib.util.spec_from_file_location(
            fullname, os.path.join(FOLDER, file), submodule_search_locations=search
        )

    @staticmethod
    def _keras() -> importlib.machinery.ModuleSpec | None:
        if os.environ.get(VARIABLE, "numpy") != "numpy":
            return None  # the user chose another backend: that is their Keras, not ours
        spec = importlib.machinery.PathFinder.find_spec("keras")
        if spec is not None and spec.loader is not None:
            _purge_half_imported()
            spec.loader = _Backend(spec.loader)  # type: ignore[assignment]
        return spec


def _purge_half_imported() -> None:
    """A failed `import keras` leaves modules behind that remember another backend: forget them."""
    for name in [n for n in sys.modules if n.startswith("keras.")]:
        del sys.modules[name]


def install() -> None:
    """Put the finder first, once. It costs nothing until Keras is imported."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def load() -> ModuleType:
    """Import Keras on gradtape and return `keras._tf_keras.keras`, what TensorFlow calls `tf.keras`.

    Raises:
        ImportError: if Keras is not installed, or runs on another backend already.
    """
    chosen = os.environ.get(VARIABLE, "numpy")
    loaded = sys.modules.get("keras")
    if loaded is None and chosen != "numpy":
        raise ImportError(
            f"tf.keras runs Keras on gradtape, but the environment variable {VARIABLE} is {chosen!r}. Unset it, "
            "or set it "
            'to "numpy".'
        )
    if loaded is not None and not runs_on_gradtape():
        raise ImportError(
            f"Keras is already running on {loaded.config.backend()!r}. Import gradtape before keras, with "
            f"{VARIABLE} unset "
            'or "numpy", to run Keras on gradtape.'
        )
    install()
    face = importlib.import_module("keras._tf_keras.keras")
    importlib.import_module("keras._tf_keras.keras.saving")  # which Keras itself leaves out
    importlib.import_module("gradtape.keras_backend.spellings").explain_in(face)
    return face


def restore(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Call what pickle found. It finds this function first, and so imports gradtape before Keras."""
    return function(*arguments)


def runs_on_gradtape() -> bool:
    """Whether the Keras that is loaded uses this backend."""
    core = sys.modules.get(f"{SLOT}.core")
    return core is not None and os.path.dirname(core.__file__ or "") == FOLDER
