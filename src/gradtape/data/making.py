"""Where datasets come from: tensors, generators, ranges, other datasets."""

from __future__ import annotations

import glob
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from gradtape.base.dtypes import DType, as_dtype, int64, string
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, raw
from gradtape.data import walks
from gradtape.data.batches import rows
from gradtape.data.counting import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, integer
from gradtape.data.randomness import Orders
from gradtape.data.structure import Element, components, element, is_dataset, joined, mapped, spec_of, without_first
from gradtape.programs.spec import TensorSpec


class Making:
    """The ways to make a dataset; see `Dataset`."""

    def __init__(self, kind: str, start: Callable[[], Iterator[Element]], spec: Callable[[], Any], count: int) -> None:
        """Make a dataset of a function that starts an iteration, one that gives the element spec, and its size."""
        self._kind, self._start, self._find_spec, self._count = kind, start, spec, count
        self._spec: Any = None

    @property
    def element_spec(self) -> Any:
        """The structure of the elements, with a spec for each component."""
        if self._spec is None:
            self._spec = self._find_spec()
        return self._spec

    def _new(self, *given: Any) -> Any:
        """A dataset made of what the constructor takes."""
        return type(self)(*given)

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset of one element.

        >>> import gradtape as tf
        >>> list(tf.data.Dataset.from_tensors(([1, 2], 3)).as_numpy_iterator())
        [(array([1, 2], dtype=int32), np.int32(3))]
        """
        found = element((tensors,))[0]
        return cls("Tensor", lambda: iter((found,)), lambda: spec_of(found), 1)

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset of the slices of tensors along their first axis.

        Args:
            tensors: a tensor, or a structure of them whose first axes have one size. Lists are tensors.

        Raises:
            ValueError: if there are none, for scalars, or if the sizes differ.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "y": [5, 6]})
        >>> next(iter(rows))["x"].numpy(), len(rows)
        (array([1, 2], dtype=int32), 2)
        """
        found = element((tensors,))[0]
        parts = components(found)
        if not parts:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        if any(part.ndim == 0 for part in parts):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        sizes = list(dict.fromkeys(part.shape[0] for part in parts))
        if len(sizes) > 1:
            raise ValueError(f"Dimensions {sizes[0]} and {sizes[1]} are not compatible")
        return cls("TensorSlice", lambda: rows(found), lambda: without_first(spec_of(found)), sizes[0])

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of what a generator function yields; each iteration calls it again.

        Args:
            generator: a function that returns an iterable, given `args` as NumPy values.
            output_types, output_shapes: a structure of dtypes, and one of shapes; or
            output_signature: a structure of `TensorSpec`s.

        Raises:
            TypeError: if `generator` is not callable, or neither dtypes nor signature are given.
            InvalidArgumentError: on iteration, for an element of another structure, dtype or shape.

        >>> import gradtape as tf
        >>> evens = tf.data.Dataset.from_generator(lambda: range(0, 6, 2), output_signature=tf.TensorSpec((), tf.int32))
        >>> list(evens.as_numpy_iterator())
        [np.int32(0), np.int32(2), np.int32(4)]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None and output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument or the "
                "`output_types` argument."
            )
        spec = output_signature
        if spec is None:
            shapes = mapped(lambda _: None, output_types) if output_shapes is None else output_shapes
            spec = _specs(output_types, shapes)
        given = [to_tensor(a).numpy() for a in args or ()]

        def start() -> Iterator[Element]:
            for found in iter(generator(*given)):
                try:
                    fitted = mapped(_fitted, spec, found)
                except (ValueError, KeyError, TypeError) as error:
                    raise invalid(
                        f"`generator` yielded an element that did not match the expected structure {spec}: it was "
                        f"{found!r} ({error})."
                    ) from error
                yield fitted

        return cls("FlatMap", start, lambda: spec, UNKNOWN_CARDINALITY)

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Self:
        """A dataset of numbers, as Python's `range`, of dtype `output_type` (int64).

        >>> import gradtape as tf
        >>> list(tf.data.Dataset.range(5, 0, -2).as_numpy_iterator())
        [np.int64(5), np.int64(3), np.int64(1)]
        """
        dtype = as_dtype(kwargs.get("output_type", int64))
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        bounds = [integer(a, "args") for a in args]
        if len(bounds) == 3 and not bounds[2]:
            raise invalid("step must be a non-zero integer.")
        numbers, kind = range(*bounds), dtype.numpy_dtype.type
        return cls("Range", lambda: map(kind, numbers), lambda: TensorSpec((), dtype), len(numbers))

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Self:
        """A dataset that counts, without end."""
        first, by, found = integer(start, "start"), integer(step, "step"), as_dtype(dtype)
        kind = found.numpy_dtype.type
        numbers = itertools.count
        return cls(
            "Counter", lambda: map(kind, numbers(first, by)), lambda: TensorSpec((), found), INFINITE_CARDINALITY
        )

    @classmethod
    def random(cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Self:
        """A dataset of random whole numbers below 2**32, without end; the same in each iteration unless told not to."""
        orders = Orders(seed, bool(rerandomize_each_iteration))

        def start() -> Iterator[Element]:
            numbers = orders.next()
            while True:
                yield from numbers.integers(0, 1 << 32, 256)

        return cls("Random", start, lambda: TensorSpec((), int64), INFINITE_CARDINALITY)

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Any:
        """A dataset of the names of the files that match a pattern, or one of several; shuffled unless told not to.

        Raises:
            InvalidArgumentError: if there are none.
        """
        patterns = np.asarray(to_tensor(file_pattern, string)._value).reshape(-1).tolist()
        found = sorted({file for pattern in patterns for file in glob.glob(pattern.decode())})
        if not found:
            raise invalid(f"No files matched pattern: {', '.join(p.decode() for p in patterns)}")
        files: Any = cls.from_tensor_slices(found)
        return files if shuffle is False else files.shuffle(len(found), seed)

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """A dataset of structures with an element of each dataset, as many as the shortest has.

        Raises:
            TypeError: without datasets, or for anything but (tuples and dicts of) datasets.

        >>> import gradtape as tf
        >>> D = tf.data.Dataset
        >>> list(D.zip(D.range(2), D.range(5, 9)).as_numpy_iterator())
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        structure = args if len(args) > 1 else args[0] if args else datasets
        sources = components(structure)
        for source in sources:
            if not is_dataset(source):
                hint = " Python `list` is not supported and you should use `tuple` instead." * isinstance(source, list)
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects"
                    f"{'.' + hint if hint else f' but encountered object of type {type(source)}.'}"
                )

        def start() -> Iterator[Element]:
            for found in zip(*[source._start() for source in sources], strict=False):
                parts = iter(found)
                yield mapped(lambda _: next(parts), structure)  # noqa: B023 - used at once

        finite = [s._count for s in sources if s._count != INFINITE_CARDINALITY]
        count = INFINITE_CARDINALITY if not finite else min(finite)
        return cls("Zip", start, lambda: mapped(lambda s: s.element_spec, structure), count)

    @classmethod
    def choose_from_datasets(cls, datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Self:
        """A dataset of elements of `datasets`, in the order of the numbers in `choice_dataset`."""
        sources = _listed(datasets)

        def start() -> Iterator[Element]:
            numbers = (int(found) for found in choice_dataset._start())
            return walks.chosen([s._start() for s in sources], numbers, stop_on_empty_dataset)

        return cls("DirectedInterleave", start, lambda: _common(sources), UNKNOWN_CARDINALITY)

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:
        """A dataset of elements of `datasets` drawn at random, by `weights` if they are given."""
        sources = _listed(datasets)
        found = [1.0] * len(sources) if weights is None else np.asarray(to_tensor(weights)._value).tolist()
        if len(found) != len(sources):
            raise ValueError(f"`weights` must have one number per dataset, got {len(found)} for {len(sources)}.")
        orders = Orders(seed, bool(rerandomize_each_iteration))

        def start() -> Iterator[Element]:
            return walks.sampled([s._start() for s in sources], found, orders.next(), stop_on_empty_dataset)

        return cls("DirectedInterleave", start, lambda: _common(sources), UNKNOWN_CARDINALITY)


def _listed(datasets: Any) -> list[Any]:
    found = list(datasets)
    if not found:
        raise ValueError("`datasets` must be a non-empty list of datasets.")
    return found


def _common(sources: list[Any]) -> Any:
    spec = sources[0].element_spec
    for source in sources[1:]:
        spec = joined(spec, source.element_spec)
    return spec


def _specs(types: Any, shapes: Any) -> Any:
    """The specs of dtypes and shapes in structures alike; a shape may be a tuple itself."""
    if isinstance(types, Mapping):
        return {key: _specs(t, None if shapes is None else shapes[key]) for key, t in types.items()}
    if isinstance(types, tuple):
        given = [None] * len(types) if shapes is None else shapes
        return tuple([_specs(t, s) for t, s in zip(types, given, strict=True)])
    return TensorSpec(shapes, types)


def _fitted(spec: Any, value: Any) -> Any:
    """The raw value, of the dtype and shape that the spec says."""
    if not isinstance(spec, TensorSpec):
        return value
    dtype: DType = spec.dtype
    try:
        found = raw(value if type(value) is Tensor and value.dtype is dtype else to_tensor(_plain(value), dtype))
    except (TypeError, ValueError):
        raise invalid(
            "TypeError: `generator` yielded an element that could not be converted to the expected type. The expected "
            f"type was {dtype.name}, but the yielded element was {value}."
        ) from None
    if not spec.shape.is_compatible_with(TensorShape(found.shape)):
        raise invalid(
            f"TypeError: `generator` yielded an element of shape {found.shape} where an element of shape {spec.shape} "
            "was expected."
        )
    return found


def _plain(value: Any) -> Any:
    """Tensors as arrays, so that another dtype can be made of them, as TensorFlow does."""
    return value.numpy() if type(value) is Tensor else value
