"""Values in files: one `.npz` of NumPy per checkpoint, and a text file that says which is the latest."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradtape.base.dtypes import as_dtype
from gradtape.base.errors import DataLossError, NotFoundError

DTYPES = "dtypes.json"
STATE = "checkpoint"


def write(path: str, arrays: Mapping[str, Any]) -> None:
    """Write arrays to a file, all or nothing. Beside them it says which dtypes NumPy's format does not know."""
    foreign = {name: as_dtype(a.dtype).name for name, a in arrays.items() if a.dtype.kind in "VO"}
    stored = {name: _plain(a) for name, a in arrays.items()}
    stored[DTYPES] = np.frombuffer(json.dumps(foreign).encode(), np.uint8)
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **stored)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(draft)
        raise


def read(path: str) -> dict[str, Any]:
    """The arrays of a file. Raises DataLossError if it is none of ours, NotFoundError if there is none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        foreign = json.loads(found.pop(DTYPES).tobytes())
    except FileNotFoundError:
        raise NotFoundError(
            None,
            None,
            f"Error when restoring from checkpoint: there is no {path}.\nPlease double-check that the path is correct. "
            "You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
        ) from None
    except Exception as error:
        raise DataLossError(None, None, f"{path} is no checkpoint of gradtape, or it is damaged: {error}.") from error
    return {name: _restored(a, foreign[name]) if name in foreign else a for name, a in found.items()}


def _plain(array: Any) -> Any:
    """An array that NumPy's format knows: half precision of other kinds as bits, strings with an end mark."""
    array = np.asarray(array)
    if array.dtype.kind == "V":
        return array.view(f"u{array.dtype.itemsize}")
    return np.array([_ended(s) for s in array.flat]).reshape(array.shape) if array.dtype.kind == "O" else array


def _ended(text: Any) -> bytes:
    return (text if isinstance(text, bytes) else str(text).encode()) + b"."


def _restored(array: Any, dtype: str) -> Any:
    if dtype != "string":
        return array.view(as_dtype(dtype).as_numpy_dtype)
    out = np.empty(array.shape, object)
    for place, text in np.ndenumerate(array):
        out[place] = text[:-1]
    return out


def write_state(folder: str, latest: str | None, paths: list[str]) -> None:
    """Note in a folder which checkpoints there are, and which is the latest."""
    lines = [f'model_checkpoint_path: "{_within(folder, latest or "")}"']
    lines += [f'all_model_checkpoint_paths: "{_within(folder, path)}"' for path in paths]
    draft = os.path.join(folder, f"{STATE}.part")
    with open(draft, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(draft, os.path.join(folder, STATE))


def read_state(folder: str, name: str | None = None) -> list[str]:
    """The checkpoints that are noted in a folder, oldest first."""
    try:
        with open(os.path.join(folder, name or STATE), encoding="utf-8") as file:
            found = re.findall(r'^all_model_checkpoint_paths: "(.*)"$', file.read(), re.MULTILINE)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [path if os.path.isabs(path) else os.path.join(folder, path) for path in found]


def _within(folder: str, path: str) -> str:
    """A path as seen from a folder: both may move together."""
    return os.path.basename(path) if os.path.dirname(path) == os.path.normpath(folder) else os.path.abspath(path)


def file_of(prefix: str) -> str:
    """The file of a checkpoint."""
    return f"{prefix}.npz"
