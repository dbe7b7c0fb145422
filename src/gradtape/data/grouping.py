"""Elements grouped: batches, padded batches, windows, and windows by key."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape.base.dtypes import int64
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.data import batches, counting, walks
from gradtape.data.counting import UNKNOWN_CARDINALITY, check_callable, positive
from gradtape.data.making import Making
from gradtape.data.structure import DatasetSpec, Element, components, mapped, with_first, without_first
from gradtape.programs.spec import TensorSpec


class Grouping(Making):
    """The ways to group elements; see `Dataset`."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Elements stacked along a new first axis; the last batch may be smaller, unless `drop_remainder`.

        Raises:
            InvalidArgumentError: if the size is not positive, or, on iteration, for elements of other shapes.
        """
        size, whole = positive(batch_size, "Batch size"), bool(drop_remainder)
        return self._new(
            "Batch",
            lambda: batches.batched(self._start(), size, whole),
            lambda: with_first(self.element_spec, size if whole else None),
            counting.parts(self._count, size, whole),
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Elements of several shapes, filled up and stacked.

        Args:
            batch_size: how many go together.
            padded_shapes: a structure of shapes to fill up to. Sizes of None, and of no shape at all, are the largest
                of the batch.
            padding_values: a structure of scalars of the components' dtypes to fill with; one serves for all. Zeros
                (empty strings) by default.

        Raises:
            TypeError: for a padding value of another dtype.
            DataLossError: on iteration, for an element that is larger than its shape.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n)).padded_batch(3)
        >>> next(rows.as_numpy_iterator())
        array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])
        """
        size, whole, spec = positive(batch_size, "Batch size"), bool(drop_remainder), self.element_spec
        if padded_shapes is None:
            shapes = mapped(lambda s: TensorShape([None] * s.shape.rank) if s.shape.rank is not None else s.shape, spec)
        else:
            shapes = mapped(lambda _, s: TensorShape([s] if isinstance(s, int) else s), spec, padded_shapes)
        if not isinstance(padding_values, tuple | dict):
            padding_values = mapped(lambda _: padding_values, spec)
        fillings = mapped(_filling, spec, padding_values)
        first = TensorShape([size if whole else None])
        return self._new(
            "PaddedBatch",
            lambda: batches.padded(self._start(), size, whole, shapes, fillings),
            lambda: mapped(lambda s, shape: TensorSpec(first.concatenate(shape), s.dtype), spec, shapes),
            counting.parts(self._count, size, whole),
        )

    def unbatch(self, name: str | None = None) -> Any:
        """The rows of the elements. Raises ValueError for scalars, and on iteration if there are not equally many."""
        if any(s.shape.rank == 0 for s in components(self.element_spec)):
            raise ValueError("Cannot unbatch an input with scalar components.")
        count = UNKNOWN_CARDINALITY
        sizes = [s.shape[0] for s in components(self.element_spec) if s.shape.rank is not None]
        if self._count >= 0 and sizes and sizes[0] is not None:
            count = self._count * int(sizes[0])
        return self._new(
            "Unbatch", lambda: batches.unbatched(self._start()), lambda: without_first(self.element_spec), count
        )

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Any:
        """The rows of the elements in batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Any:
        """Datasets of up to `size` elements that are `stride` apart, each beginning `shift` elements later.

        >>> import gradtape as tf
        >>> windows = tf.data.Dataset.range(6).window(3, shift=2)
        >>> [list(w.as_numpy_iterator()) for w in windows.take(2)]
        [[np.int64(0), np.int64(1), np.int64(2)], [np.int64(2), np.int64(3), np.int64(4)]]
        """
        width = positive(size, "Window size")
        step = width if shift is None else positive(shift, "Window shift")
        apart, whole = positive(stride, "Window stride"), bool(drop_remainder)

        def start() -> Iterator[Element]:
            specs = components(self.element_spec)
            for found in walks.windows(self._start(), width, step, apart, whole):
                columns = zip(*map(components, found), strict=True)
                made = iter([self._variant(column, spec) for column, spec in zip(columns, specs, strict=True)])
                yield mapped(lambda _: next(made), self.element_spec)  # noqa: B023 - used at once

        count = UNKNOWN_CARDINALITY if self._count > 0 else self._count
        return self._new("Window", start, lambda: mapped(DatasetSpec, self.element_spec), count)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """The elements of the datasets that a function makes of a key and a dataset of elements with that key.

        Args:
            key_func: gives the key of an element, an integer.
            reduce_func: gives a dataset for a key (an int64 tensor) and up to a window of elements with that key.
            window_size: how many elements go together.
            window_size_func: gives that for a key.

        Raises:
            ValueError: unless one of the two sizes is given.
            InvalidArgumentError: on iteration, if a size is not positive.

        >>> import gradtape as tf
        >>> odd_and_even = tf.data.Dataset.range(7).group_by_window(
        ...     key_func=lambda x: x % 2, reduce_func=lambda key, window: window.batch(2), window_size=2)
        >>> list(odd_and_even.as_numpy_iterator())
        [array([0, 2]), array([1, 3]), array([4, 6]), array([5])]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        check_callable(key_func)
        check_callable(reduce_func)

        def size(key: int) -> int:
            found = window_size if window_size_func is None else window_size_func(to_tensor(key, int64))
            return positive(found, "Window size")

        def reduced(key: int, found: list[Element]) -> Any:
            return reduce_func(to_tensor(key, int64), self._variant(found, self.element_spec))

        def spec() -> Any:
            first = next(self._start())
            return reduced(walks.key_of(key_func, first), [first]).element_spec

        return self._new(
            "GroupByWindow",
            lambda: walks.grouped(self._start(), key_func, reduced, size),
            spec,
            UNKNOWN_CARDINALITY,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Padded batches of elements of like lengths.

        Args:
            element_length_func: gives the length of an element.
            bucket_boundaries: the lengths at which the next bucket begins.
            bucket_batch_sizes: how many elements make a batch, for each bucket: one more than there are boundaries.
            padded_shapes, padding_values, drop_remainder: as for `padded_batch`.
            pad_to_bucket_boundary: fill up to the greatest length of the bucket, not of the batch.
            no_padding: batch elements as they are.

        Raises:
            ValueError: if there is another number of sizes, or an element has no boundary to be padded to.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        limits = [counting.integer(b, "bucket_boundaries") for b in bucket_boundaries]

        def bucket(*found: Any) -> int:
            return bisect.bisect_right(limits, int(element_length_func(*found)))

        def batch(key: Any, window: Any) -> Any:
            number = int(key)
            size = bucket_batch_sizes[number]
            if no_padding:
                return window.batch(size, drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                if number == len(limits):
                    raise ValueError(
                        "When `pad_to_bucket_boundary=True`, elements must be shorter than the greatest of "
                        f"`bucket_boundaries`, {limits[-1]}."
                    )
                spec, most = self.element_spec, limits[number] - 1
                given = mapped(lambda s: s.shape, spec) if shapes is None else shapes
                shapes = mapped(lambda _, sizes: [most if n is None else n for n in sizes], spec, given)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, batch, window_size_func=lambda key: bucket_batch_sizes[int(key)])

    def _variant(self, values: Sequence[Any], spec: Any) -> Any:
        """A dataset of values that are there."""
        return self._new("Variant", lambda: iter(values), lambda: spec, len(values))


def _filling(spec: Any, value: Any) -> Any:
    """What to fill a component up with, of its dtype."""
    if value is None:
        return b"" if spec.dtype.name == "string" else 0
    found = to_tensor(value) if type(value) is not int and type(value) is not float else _number(value, spec)
    if found.dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {found.dtype!r} does not match type "
            f"{spec.dtype!r} of the corresponding input component."
        )
    return found._value


def _number(value: Any, spec: Any) -> Tensor:
    """A Python number in the component's dtype where it fits."""
    try:
        return to_tensor(value, spec.dtype)
    except TypeError:
        return to_tensor(value)
