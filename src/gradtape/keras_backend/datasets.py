"""Our datasets as data for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keras.src.trainers.data_adapters import data_adapter_utils, raise_unsupported_arg
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

from gradtape.data.counting import INFINITE_CARDINALITY
from gradtape.data.dataset import Dataset
from gradtape.data.structure import components


class DatasetAdapter(DataAdapter):
    """A dataset of batches `x`, `(x, y)` or `(x, y, sample_weight)`."""

    def __init__(self, dataset: Dataset, class_weight: Any) -> None:
        self._dataset, self._class_weight = dataset, class_weight

    def _elements(self) -> Iterator[Any]:
        for found in self._dataset:
            if self._class_weight is None:
                yield found
                continue
            x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(found)
            if sample_weight is not None:
                raise ValueError(
                    "You cannot `class_weight` and `sample_weight` at the same time: the dataset gives sample weights."
                )
            yield x, y, data_adapter_utils.class_weight_to_sample_weights(y, self._class_weight)

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, as Tensors."""
        return self._elements()

    @property
    def builtin_prefetch(self) -> bool:
        """Whether batches are made ahead of time."""
        return False

    @property
    def num_batches(self) -> int | None:
        """How many batches there are, if that is known."""
        count = self._dataset._count
        return count if count >= 0 else None

    @property
    def batch_size(self) -> int | None:
        """The number of examples in a batch, if they all have as many."""
        spec = components(self._dataset.element_spec)[0]
        return spec.shape[0] if spec.shape.rank else None

    @property
    def has_partial_batch(self) -> bool | None:
        """Not known beforehand."""
        return None

    @property
    def partial_batch_size(self) -> int | None:
        """Not known beforehand."""
        return None


def epochs_of(x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, **options: Any) -> Any:
    """Keras' iterator over epochs, which our datasets are made known to.

    Raises:
        ValueError: for targets, sample weights or a shuffle of batches beside a dataset, which gives those itself; and
            for an endless one without a number of steps.
    """
    if isinstance(x, Dataset):
        if y is not None:
            raise_unsupported_arg("y", "the targets", "tf.data.Dataset")
        if sample_weight is not None:
            raise_unsupported_arg("sample_weights", "the sample weights", "tf.data.Dataset")
        if x._count == INFINITE_CARDINALITY and not options.get("steps_per_epoch"):
            raise ValueError(
                "When passing an infinitely repeating tf.data.Dataset, you must specify how many steps to draw "
                "(`steps_per_epoch`, `validation_steps` or `steps`)."
            )
        x, class_weight = DatasetAdapter(x, class_weight), None
    return EpochIterator(x=x, y=y, sample_weight=sample_weight, class_weight=class_weight, **options)
