"""`tf.data`: pipelines of examples, in Python.

Elements are made one after the other when they are asked for; `prefetch` and parallel calls change nothing. Functions
given to `map` and its like run in Python for each element, outside of tapes and captures.
"""

from gradtape.data.counting import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from gradtape.data.dataset import Dataset
from gradtape.data.iterator import Iterator, NumpyIterator
from gradtape.data.structure import DatasetSpec
from gradtape.data.text import TextLineDataset

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "Iterator",
    "NumpyIterator",
    "TextLineDataset",
]
