"""A pytest plug-in that runs Keras' own test-suite on gradtape: `-p tests.keras_suite.plugin`; see the README here.

Nothing of the Keras checkout is changed. The plug-in is imported before Keras, so that the finder is in place. It takes
away the marks that skip tests because "NumPy cannot train", and deselects what `deselected.txt` lists, with reasons.

The environment variable `GRADTAPE_SUITE_NAME` is the name of the backend for `keras.src.testing`. With "gradtape",
the default, `run_layer_test` trains each layer, which it leaves out for a backend that is called "numpy".
"""

from __future__ import annotations

import os
import types
from pathlib import Path

import pytest

import gradtape  # noqa: F401  installs the finder

DESELECTED = Path(__file__).with_name("deselected.txt")
WIDTHS = ("NumpyDtypeTest", "VariableOpsDTypeTest", "DtypesTest")
UNTRAINABLE = "Trainer not implemented"


class _Renamed:
    """Keras' backend package with another name, for the module that asks whether it is "numpy"."""

    def __init__(self, package, name):
        self._package, self._name = package, name

    def __getattr__(self, attribute):
        return getattr(self._package, attribute)

    def backend(self):
        return self._name


def pytest_configure(config):
    from keras.src.testing import test_case

    name = os.environ.get("GRADTAPE_SUITE_NAME", "gradtape")
    if name not in ("gradtape", "numpy"):
        raise pytest.UsageError(f"GRADTAPE_SUITE_NAME must be 'gradtape' or 'numpy', got {name!r}")
    _drop_annotations()
    if name == "gradtape":
        test_case.backend = _Renamed(test_case.backend, name)


def _drop_annotations():
    """The suite compares signatures for names, order and defaults, but Keras' own have no annotations."""
    from keras.src import backend

    for module in (backend.core, backend.numpy, backend.nn, backend.math, backend.linalg, backend.image):
        for function in vars(module).values():
            if isinstance(function, types.FunctionType):
                function.__annotations__ = {}


def _name_a_device(trainer_test):
    """Keras' dataset asks for the CPU by the backend's name, and knows those that train only: say TensorFlow's."""
    asks = trainer_test.TestPyDataset.__getitem__
    known = asks.__globals__ | {"backend": _Renamed(trainer_test.backend, "tensorflow")}
    trainer_test.TestPyDataset.__getitem__ = types.FunctionType(asks.__code__, known)


def reasons():
    """The deselected tests and why: each reason is a line that starts with '#', followed by the ends of test ids."""
    found, reason = {}, None
    for line in DESELECTED.read_text().splitlines():
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            found[line.strip()] = reason
    return found


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    known = reasons()
    for module in {item.module for item in items if item.module.__name__.endswith("trainers.trainer_test")}:
        _name_a_device(module)
    for item in items:
        item.own_markers = [
            m for m in item.own_markers if not (m.name == "skipif" and UNTRAINABLE in m.kwargs.get("reason", ""))
        ]
    dropped = [item for item in items if any(item.nodeid.endswith(end) for end in known)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]


@pytest.fixture(autouse=True)
def _widths(request):
    """Keep to 32 bits where the suite expects what JAX does without 64: pairs of uint32 and a signed integer.

    The suite leaves these pairs out on TensorFlow, whose behaviour gradtape has.
    """
    if request.cls is None or request.cls.__name__ not in WIDTHS or "uint32" not in request.node.name:
        yield
        return
    from keras.src.backend.common import dtypes

    wide = dict(dtypes.BIT64_TO_BIT32_DTYPE)
    dtypes.BIT64_TO_BIT32_DTYPE.update(int64="int32", uint64="uint32")
    dtypes._least_upper_bound.cache_clear() if hasattr(dtypes._least_upper_bound, "cache_clear") else None
    yield
    dtypes.BIT64_TO_BIT32_DTYPE.update(wide)
