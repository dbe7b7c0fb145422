"""What Keras' layers of words use of TensorFlow: tables, ragged strings, and the names of a module."""

from __future__ import annotations

from collections import Counter
from os import path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from keras.src import backend

import gradtape
from gradtape.core.tensor import Tensor


class Table:
    """What Keras uses of TensorFlow's tables: bytes or integers, and what each stands for."""

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any = 0) -> None:
        self.dtypes, self.default = (key_dtype, value_dtype), default_value
        self.entries: dict[Any, Any] = Counter()

    def size(self) -> Tensor:
        """How many entries there are."""
        return gradtape.constant(len(self.entries), "int64")

    def export(self) -> tuple[Tensor, Tensor]:
        """All keys, and their values."""
        both = (list(self.entries), list(self.entries.values()))
        return as_tensor(both[0], self.dtypes[0]), as_tensor(both[1], self.dtypes[1])

    def lookup(self, keys: Any) -> Tensor:
        """The values of keys."""
        return as_tensor([self.entries.get(key, self.default) for key in plain(keys)], self.dtypes[1])

    def remove(self, keys: Any) -> None:
        """Forget keys."""
        for key in plain(keys):
            self.entries.pop(key, None)


class Rows:
    """Strings, a list of them for each text: what TensorFlow holds in a ragged tensor."""

    def __init__(self, rows: list[list[bytes]]) -> None:
        self.rows = rows


class Face(ModuleType):
    """gradtape as the `tf` of the modules of these layers, with the names that are only theirs."""

    available = True
    RaggedTensor = Rows
    lookup = SimpleNamespace(experimental=SimpleNamespace(MutableHashTable=Table))
    io = SimpleNamespace(gfile=SimpleNamespace(exists=path.exists, join=path.join))
    compat = SimpleNamespace(as_text=lambda x, encoding="utf-8": x.decode(encoding) if isinstance(x, bytes) else x)

    def __getattr__(self, name: str) -> Any:
        return getattr(gradtape, name)


def as_tensor(x: Any, dtype: Any = None) -> Any:
    """A Tensor of this dtype; rows stay as they are."""
    if isinstance(x, Rows):
        return x
    if isinstance(x, list | tuple):
        return gradtape.convert_to_tensor(x, dtype) if x else gradtape.zeros([0], dtype)
    found = gradtape.convert_to_tensor(backend.convert_to_numpy(x) if isinstance(x, backend.Variable) else x)
    return found if dtype is None or found.dtype == dtype else gradtape.cast(found, dtype)


def plain(x: Any, dtype: Any = None) -> list[Any]:
    """The elements, as bytes or Python integers."""
    found: list[Any] = np.ravel(as_tensor(x, dtype).numpy()).tolist()
    return found


def as_bytes(x: Any) -> Any:
    """A string as bytes, and anything else as it is."""
    return x.encode() if isinstance(x, str) else x
