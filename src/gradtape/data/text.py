"""`TextLineDataset`: the lines of files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.base.dtypes import string
from gradtape.base.errors import NotFoundError
from gradtape.core.convert import to_tensor
from gradtape.data.counting import UNKNOWN_CARDINALITY
from gradtape.data.dataset import Dataset
from gradtape.data.structure import Element, is_dataset
from gradtape.programs.spec import TensorSpec


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
        filenames: a file name, a list or tensor of them, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size, num_parallel_reads: accepted; files are read one after the other.

    Raises:
        ValueError: for another compression.
        NotFoundError: on iteration, if there is no such file.

    >>> import gradtape as tf, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "lines"
    >>> _ = file.write_text("one\\ntwo")
    >>> list(tf.data.TextLineDataset(str(file)).as_numpy_iterator())
    [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise ValueError(f'`compression_type` must be "", "GZIP" or "ZLIB", got {compression_type!r}.')
        files = filenames if is_dataset(filenames) else Dataset.from_tensors(to_tensor(filenames, string))

        def start() -> Iterator[Element]:
            for found in files._start():
                for file in np.asarray(found).flat:
                    yield from _lines(file.decode(), compression_type)

        super().__init__("TextLine", start, lambda: TensorSpec((), string), UNKNOWN_CARDINALITY)

    def _new(self, *given: Any) -> Dataset:
        return Dataset(*given)  # what is made of the lines is no file any more


def _lines(file: str, compression: str | None) -> Iterator[Element]:
    try:
        with open(file, "rb") as opened:
            if compression == "GZIP":
                text: Any = gzip.GzipFile(fileobj=opened)
            elif compression == "ZLIB":
                text = zlib.decompress(opened.read()).splitlines()
            else:
                text = opened
            for line in text:
                yield np.asarray(line.removesuffix(b"\n").removesuffix(b"\r"), object)
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{file}; No such file or directory") from None
