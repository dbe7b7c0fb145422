"""`Dataset`: a function that starts an iteration over elements, and what is known of them beforehand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from gradtape.base.dtypes import int64
from gradtape.base.errors import UnimplementedError, invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor
from gradtape.data import counting, walks
from gradtape.data.counting import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, check_callable, integer, positive
from gradtape.data.grouping import Grouping
from gradtape.data.iterator import NumpyIterator, iterate
from gradtape.data.randomness import Orders
from gradtape.data.structure import (
    DatasetSpec,
    Element,
    components,
    element,
    is_dataset,
    joined,
    mapped,
    spec_of,
)
from gradtape.data.tracing import traced
from gradtape.programs.spec import TensorSpec


class Dataset(Grouping):
    """A sequence of elements, which are made when an iteration asks for them.

    Elements are tensors, or tuples and dicts of them. Each method gives another dataset. Functions of yours run in
    Python for each element; no tape hears of what they do.

    >>> import gradtape as tf
    >>> data = tf.data.Dataset.range(5).map(lambda x: 2 * x).batch(2)
    >>> data
    <_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>
    >>> list(data.as_numpy_iterator())
    [array([0, 2]), array([4, 6]), array([8])]
    """

    def __repr__(self) -> str:
        return f"<_{self._kind}Dataset element_spec={self.element_spec}>"

    def __iter__(self) -> Any:
        return iterate(self)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if self._count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if self._count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return self._count

    def cardinality(self) -> Tensor:
        """The number of elements, or `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        return to_tensor(self._count, int64)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Iterate over elements with NumPy arrays in the places of tensors."""
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element. Raises InvalidArgumentError if there is none or more."""
        found = list(itertools.islice(iter(self), 2))
        if len(found) != 1:
            raise invalid("Dataset had more than one element." if found else "Dataset was empty.")
        return found[0]

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """What a function makes of this dataset. Raises TypeError if it is no dataset."""
        made = transformation_func(self)
        if not is_dataset(made):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    def _same(self, kind: str, start: Callable[[], Iterator[Element]], count: int) -> Dataset:
        """A dataset of elements like these."""
        return Dataset(kind, start, lambda: self.element_spec, count)

    # One element after the other.

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """What a function makes of each element; the parts of a tuple are its arguments.

        Args:
            map_func: the function. It returns tensors, or a tuple, list or dict of them.
            num_parallel_calls, deterministic: accepted; elements are made in order.

        Raises:
            ValueError: if `map_func` is not callable.

        >>> import gradtape as tf
        >>> pairs = tf.data.Dataset.range(3).map(lambda x: (x, x * x)).map(lambda x, y: {"sum": x + y})
        >>> list(pairs.as_numpy_iterator())
        [{'sum': np.int64(0)}, {'sum': np.int64(2)}, {'sum': np.int64(6)}]
        """
        check_callable(map_func)
        return Dataset(
            "Map",
            lambda: walks.map_elements(self._start(), map_func),
            lambda: traced(map_func, self.element_spec, lambda: next(self._start())),
            self._count,
        )

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a predicate gives true. Raises ValueError on iteration if it gives no scalar bool."""
        check_callable(predicate)
        return self._same("Filter", lambda: walks.filter_elements(self._start(), predicate), UNKNOWN_CARDINALITY)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first one for which a predicate gives false."""
        check_callable(predicate)
        return self._same("TakeWhile", lambda: walks.take_while(self._start(), predicate), UNKNOWN_CARDINALITY)

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The outputs of a function (state, element) -> (new state, output)."""
        check_callable(scan_func)
        state = element((initial_state,))[0]

        def start() -> Iterator[Element]:
            return walks.scan_elements(self._start(), state, scan_func)

        def spec() -> Any:
            both = (spec_of(state), self.element_spec)
            return traced(lambda *given: scan_func(*given)[1], both, lambda: (state, next(self._start())))

        return Dataset("Scan", start, spec, self._count)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number (int64) and an element."""
        return Dataset.zip(Dataset.counter(start), self)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once; they are scalars."""
        return self._same("Unique", lambda: walks.unique_elements(self._start()), UNKNOWN_CARDINALITY)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state, where a function (state, element) gives the next one.

        Raises:
            InvalidArgumentError: if the new state has another structure.

        >>> import gradtape as tf
        >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda state, x: state + x).numpy()
        np.int64(10)
        """
        check_callable(reduce_func)
        state = mapped(to_tensor, tuple(initial_state) if type(initial_state) is list else initial_state)
        count = len(components(state))
        for found in self:
            made = reduce_func(state, found)
            made = mapped(to_tensor, tuple(made) if type(made) is list else made)
            if len(components(made)) != count:
                raise invalid(
                    "The number of components of the initial state and the reduce function output does not match. "
                    f"(initial_state={count}, output={len(components(made))})."
                )
            state = made
        return state

    # Which elements, and in which order.

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all for -1."""
        wanted = integer(count, "count")
        stop = None if wanted < 0 else wanted
        return self._same("Take", lambda: itertools.islice(self._start(), stop), counting.first(self._count, wanted))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements after the first `count`; none for -1."""
        skipped = integer(count, "count")
        left = counting.after(self._count, skipped)
        return self._same(
            "Skip", lambda: itertools.islice(self._start(), skipped, None) if skipped >= 0 else iter(()), left
        )

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element from number `index` on. Raises InvalidArgumentError for bad numbers."""
        shards, first = integer(num_shards, "num_shards"), integer(index, "index")
        if shards <= 0:
            raise invalid(f"Number of shards must be greater than zero (currently num_shards = {shards}).")
        if not 0 <= first < shards:
            raise invalid(f"Index must be between 0 and {shards - 1} (currently index = {first}).")
        count = self._count if self._count < 0 else max(-(-(self._count - first) // shards), 0)
        return self._same("Shard", lambda: itertools.islice(self._start(), first, None, shards), count)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times; without end for None or -1."""
        times = None if count is None or integer(count, "count") < 0 else integer(count, "count")
        return self._same("Repeat", lambda: walks.repeated(self._start, times), counting.times(self._count, times))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> Dataset:
        """The elements in random order.

        Args:
            buffer_size: from among how many elements the next one is drawn: all for a perfect shuffle.
            seed: with it (or `tf.random.set_seed`) programs repeat their orders.
            reshuffle_each_iteration: whether each iteration has another order.

        Raises:
            InvalidArgumentError: if `buffer_size` is not positive.

        >>> import gradtape as tf
        >>> data = tf.data.Dataset.range(6).shuffle(6, seed=1)
        >>> sorted(data.as_numpy_iterator()) == list(range(6)), list(data.take(0))
        (True, [])
        """
        size = integer(buffer_size, "buffer_size")
        if size <= 0 and size != UNKNOWN_CARDINALITY:
            raise invalid(f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}.")
        orders = Orders(seed, reshuffle_each_iteration is not False)
        held = None if size == UNKNOWN_CARDINALITY else size
        return self._same("Shuffle", lambda: walks.shuffled(self._start(), held, orders.next()), self._count)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another. Raises TypeError if they are of other kinds."""
        if not is_dataset(dataset):
            raise TypeError(f"`dataset` must be a `tf.data.Dataset` object. Got {type(dataset)}.")
        try:
            common = joined(self.element_spec, dataset.element_spec)
            alike = all(map(_alike, components(self.element_spec), components(dataset.element_spec)))
        except (KeyError, TypeError, ValueError):
            alike = False
        if not alike:
            raise TypeError(f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}")
        return Dataset(
            "Concatenate",
            lambda: itertools.chain(self._start(), dataset._start()),
            lambda: common,
            counting.plus(self._count, dataset._count),
        )

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The same elements, which are kept in memory once an iteration has seen them all.

        Raises:
            UnimplementedError: for a file name.
        """
        if filename:
            raise UnimplementedError(None, None, f"cache({filename!r}): elements are kept in memory only; use cache().")
        return self._same("Cache", walks.Cache(self._start), self._count)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements: nothing is made ahead of time. Raises InvalidArgumentError for a size below -1."""
        if integer(buffer_size, "buffer_size") < -1:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        return self._same("Prefetch", self._start, self._count)

    # Datasets of datasets.

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function makes of each element, one dataset after the other.

        >>> import gradtape as tf
        >>> list(tf.data.Dataset.range(4).flat_map(tf.data.Dataset.range).as_numpy_iterator())
        [np.int64(0), np.int64(0), np.int64(1), np.int64(0), np.int64(1), np.int64(2)]
        """
        return self._flattened("FlatMap", "flat_map", map_func, 1, 1)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Blocks of elements, in turn, of the datasets that a function makes of each element.

        Args:
            map_func: the function; raises TypeError on iteration if it returns no dataset.
            cycle_length: how many datasets take turns; 2 by default (TensorFlow: the number of processors).
            block_length: how many elements each gives in its turn; 1 by default.

        Raises:
            InvalidArgumentError: if a length is not positive.
        """
        cycle = 2 if cycle_length in (None, counting.AUTOTUNE) else positive(cycle_length, "cycle_length")
        block = 1 if block_length is None else positive(block_length, "block_length")
        return self._flattened("Interleave", "interleave", map_func, cycle, block)

    def _flattened(self, kind: str, name: str, function: Callable[..., Any], cycle: int, block: int) -> Dataset:
        check_callable(function)

        def spec() -> Any:
            found = traced(function, self.element_spec, lambda: next(self._start()))
            if not isinstance(found, DatasetSpec):
                raise TypeError(f"`map_func` of `{name}` must return a `tf.data.Dataset` object.")
            return found.element_spec

        return Dataset(
            kind,
            lambda: walks.interleaved(self._start(), function, cycle, block, name),
            spec,
            UNKNOWN_CARDINALITY if self._count else 0,
        )


def _alike(one: Any, two: Any) -> bool:
    """Whether components of two specs may be of one dataset."""
    if isinstance(one, TensorSpec) and isinstance(two, TensorSpec):
        return one.dtype is two.dtype and one.shape.rank == two.shape.rank
    return type(one) is type(two)
