"""Datasets against what TensorFlow's give: elements, specs, sizes, errors. Orders are our own."""

import numpy as np
import pytest

import gradtape as tf

D = tf.data.Dataset


def listed(dataset):
    """The elements as nested lists."""
    return tf.nest.map_structure(lambda a: np.asarray(a).tolist(), list(dataset.as_numpy_iterator()))


def fills(last):
    return D.range(1, last).map(lambda n: tf.fill([n], n))


CASES = [
    (lambda: D.from_tensors(([1, 2], 3)), [([1, 2], 3)]),
    (lambda: D.from_tensor_slices([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (lambda: D.from_tensor_slices(([1, 2], {"a": [3, 4]})), [(1, {"a": 3}), (2, {"a": 4})]),
    (lambda: D.from_tensor_slices([]), []),
    (lambda: D.range(5, 0, -2), [5, 3, 1]),
    (lambda: D.counter(3, 2).take(3), [3, 5, 7]),
    (lambda: D.zip(D.range(3), D.range(2)), [(0, 0), (1, 1)]),
    (lambda: D.zip({"a": D.range(2)}), [{"a": 0}, {"a": 1}]),
    (lambda: D.range(3).map(lambda x: (x, x * x)).map(lambda x, y: x + y), [0, 2, 6]),
    (lambda: D.range(2).map(lambda x: [x, 7]), [(0, 7), (1, 7)]),
    (lambda: D.range(6).filter(lambda x: x % 2 == 0), [0, 2, 4]),
    (lambda: D.range(6).take_while(lambda x: x < 2), [0, 1]),
    (lambda: D.range(4).scan(np.int64(0), lambda s, x: (s + x, s)), [0, 0, 1, 3]),
    (lambda: D.range(2).enumerate(5), [(5, 0), (6, 1)]),
    (lambda: D.from_tensor_slices([2, 1, 2]).unique(), [2, 1]),
    (lambda: D.from_tensor_slices(["b", "a", "b"]).unique().batch(2), [[b"b", b"a"]]),
    (lambda: D.range(3).take(-1), [0, 1, 2]),
    (lambda: D.range(3).skip(-1), []),
    (lambda: D.range(3).skip(1), [1, 2]),
    (lambda: D.range(10).shard(3, 1), [1, 4, 7]),
    (lambda: D.range(2).repeat(2), [0, 1, 0, 1]),
    (lambda: D.range(2).repeat().take(3), [0, 1, 0]),
    (lambda: D.range(0).repeat(), []),
    (lambda: D.range(2).concatenate(D.range(1)), [0, 1, 0]),
    (lambda: D.range(5).batch(2), [[0, 1], [2, 3], [4]]),
    (lambda: D.range(5).batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
    (lambda: D.range(5).batch(2).rebatch(4), [[0, 1, 2, 3], [4]]),
    (lambda: fills(4).padded_batch(2), [[[1, 0], [2, 2]], [[3, 3, 3]]]),
    (lambda: fills(3).padded_batch(2, padded_shapes=[4], padding_values=-1), [[[1, -1, -1, -1], [2, 2, -1, -1]]]),
    (lambda: D.from_tensor_slices(([[1, 2], [3, 4]], [[5, 6], [7, 8]])).unbatch(), [(1, 5), (2, 6), (3, 7), (4, 8)]),
    (
        lambda: D.range(7).window(3, 1, 2).flat_map(lambda w: w.batch(3)).take(4),
        [[0, 2, 4], [1, 3, 5], [2, 4, 6], [3, 5]],
    ),
    (lambda: D.range(5).window(2, drop_remainder=True).flat_map(lambda w: w.batch(2)), [[0, 1], [2, 3]]),
    (lambda: D.range(7).window(2, shift=3).flat_map(lambda w: w.batch(2)), [[0, 1], [3, 4], [6]]),
    (lambda: D.range(4).flat_map(D.range), [0, 0, 1, 0, 1, 2]),
    (
        lambda: D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4),
        [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5],
    ),
    (lambda: D.range(5).interleave(D.range, cycle_length=2, block_length=3), [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]),
    (lambda: D.choose_from_datasets([D.range(3), D.range(5, 8)], D.range(2).repeat(2)), [0, 5, 1, 6]),
    (lambda: D.range(3).prefetch(tf.data.AUTOTUNE).cache().apply(lambda d: d.take(2)), [0, 1]),
    (lambda: D.from_tensor_slices(["a", "b"]).repeat(2).batch(3), [[b"a", b"b", b"a"], [b"b"]]),
]


@pytest.mark.parametrize(("make", "wanted"), CASES, ids=range(len(CASES)))
def test_elements_each_time(make, wanted):
    dataset = make()
    assert listed(dataset) == wanted
    assert listed(dataset) == wanted


@pytest.mark.parametrize(
    ("make", "spec", "count"),
    [
        (lambda: D.range(10).batch(3), tf.TensorSpec([None], tf.int64), 4),
        (lambda: D.range(10).batch(3, True), tf.TensorSpec([3], tf.int64), 3),
        (lambda: D.range(4).batch(2).batch(2), tf.TensorSpec([None, None], tf.int64), 1),
        (lambda: D.range(4).batch(2).map(lambda x: tf.cast(x, tf.float32)), tf.TensorSpec([None], tf.float32), 2),
        (lambda: D.range(4).batch(2).map(tf.reduce_sum), tf.TensorSpec([], tf.int64), 2),
        (lambda: D.range(3).map(lambda x: np.ones(int(x) + 1)[:1]), tf.TensorSpec([1], tf.float64), 3),
        (lambda: fills(4).padded_batch(2), tf.TensorSpec([None, None], tf.int64), 2),
        (lambda: D.range(4).batch(2).unbatch(), tf.TensorSpec([], tf.int64), tf.data.UNKNOWN_CARDINALITY),
        (lambda: D.range(4).repeat(), tf.TensorSpec([], tf.int64), tf.data.INFINITE_CARDINALITY),
        (lambda: D.range(4).filter(lambda x: x > 1), tf.TensorSpec([], tf.int64), tf.data.UNKNOWN_CARDINALITY),
        (lambda: D.range(4).flat_map(D.range), tf.TensorSpec([], tf.int64), tf.data.UNKNOWN_CARDINALITY),
        (lambda: D.range(3, output_type=tf.int32), tf.TensorSpec([], tf.int32), 3),
    ],
)
def test_spec_and_cardinality(make, spec, count):
    dataset = make()
    assert dataset.element_spec == spec
    assert int(dataset.cardinality()) == count


BY_LENGTH = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]


def buckets(count=6, limits=(3, 5), sizes=(2, 2, 2), **options):
    rows = D.from_generator(lambda: BY_LENGTH[:count], tf.int64, tf.TensorShape([None]))
    return rows.bucket_by_sequence_length(len, limits, sizes, **options)


def test_buckets_by_length():
    last = [[7, 8, 9, 10, 11, 0], [13, 14, 15, 16, 19, 20]]
    assert listed(buckets()) == [[[1, 2, 3, 4], [5, 6, 7, 0]], last, [[0, 0], [21, 22]]]
    full = listed(buckets(4, (3, 6), pad_to_bucket_boundary=True))
    assert full == [[[1, 2, 3, 4, 0], [5, 6, 7, 0, 0]], [[0, 0]], [[7, 8, 9, 10, 11]]]
    assert listed(buckets(4, (3, 6), (1, 1, 1), no_padding=True)) == [[row] for row in BY_LENGTH[:4]]
    assert buckets().element_spec == tf.TensorSpec([None, None], tf.int64)
    with pytest.raises(ValueError, match="must be shorter than the greatest"):
        listed(buckets(pad_to_bucket_boundary=True))
    with pytest.raises(ValueError, match="must equal"):
        buckets(sizes=(2, 2))


def test_windows_by_key():
    def grouped(**size):
        return D.range(10).group_by_window(lambda x: x % 3, lambda k, w: w.batch(5).map(lambda v: v + 100 * k), **size)

    assert listed(grouped(window_size=2)) == [[0, 3], [101, 104], [202, 205], [6, 9], [107], [208]]
    by_key = listed(grouped(window_size_func=lambda key: key + 1))
    assert by_key == [[0], [3], [101, 104], [6], [202, 205, 208], [9], [107]]
    with pytest.raises(ValueError, match="must be specified"):
        grouped()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size"):
        listed(grouped(window_size=0))
    with pytest.raises(TypeError, match="`reduce_func` must return"):
        listed(D.range(2).group_by_window(lambda x: x, lambda k, w: k, window_size=1))


def test_lists_of_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text("")
    wanted = [str(tmp_path / name).encode() for name in ("a.txt", "b.txt")]
    assert listed(D.list_files(str(tmp_path / "*.txt"), shuffle=False)) == wanted
    assert sorted(listed(D.list_files([str(tmp_path / "a*"), str(tmp_path / "b*")], seed=1))) == wanted
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched"):
        D.list_files(str(tmp_path / "*.png"))


def test_a_spec_is_found_without_a_trace():
    seen = tf.Variable(0)
    dataset = D.range(3).map(lambda x: (seen.assign_add(1), x)[1])
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    assert int(seen) == 0
    assert len(list(dataset)) == 3
    assert int(seen) == 3


def test_functions_that_are_no_use_for_zeros_are_asked_about_the_first_element():
    dataset = D.range(2, 4).map(lambda x: tf.ones([4 // int(x)]))
    assert dataset.element_spec == tf.TensorSpec([2], tf.float32)


def test_shuffles_repeat_by_seed():
    data = D.range(50).shuffle(50, seed=3)
    once, again = listed(data), listed(data)
    assert sorted(once) == sorted(again) == list(range(50))
    assert once != again
    assert [listed(D.range(50).shuffle(50, seed=3)) for _ in range(2)] == [once, once]
    assert listed(data.repeat(2))[:50] != once
    kept = D.range(50).shuffle(50, seed=3, reshuffle_each_iteration=False)
    assert listed(kept) == listed(kept) == once


def test_shuffles_repeat_by_the_global_seed():
    def orders():
        tf.random.set_seed(5)
        return [listed(D.range(20).shuffle(20)), listed(D.range(20).shuffle(20))]

    first, second = orders()
    assert first != second
    assert orders() == [first, second]
    tf.random.set_seed(6)
    assert listed(D.range(20).shuffle(20)) != first


def test_a_small_buffer_keeps_elements_near():
    order = listed(D.range(100).shuffle(4, seed=0))
    assert sorted(order) == list(range(100))
    assert order != sorted(order)
    assert all(found < place + 4 for place, found in enumerate(order))


def test_random_numbers():
    numbers = D.random(seed=4).take(300)
    assert listed(numbers) == listed(numbers) == listed(D.random(seed=4).take(300))
    assert len(set(listed(numbers))) > 290
    assert numbers.element_spec == tf.TensorSpec([], tf.int64)
    fresh = D.random(seed=4, rerandomize_each_iteration=True).take(3)
    assert listed(fresh) != listed(fresh)


def test_samples_come_by_weight():
    sources = [D.from_tensors(0).repeat(), D.from_tensors(1).repeat()]
    drawn = listed(D.sample_from_datasets(sources, [0.9, 0.1], seed=1).take(200))
    assert 5 < sum(drawn) < 50
    assert sorted(listed(D.sample_from_datasets([D.range(3), D.range(2)], seed=1))) == [0, 0, 1, 1, 2]


def test_generators():
    made = []

    def numbers(stop):
        made.append(stop)
        yield from ((i, [i] * 2) for i in range(stop))

    signature = (tf.TensorSpec((), tf.int32), tf.TensorSpec((2,), tf.float32))
    data = D.from_generator(numbers, output_signature=signature, args=(2,))
    assert listed(data) == listed(data) == [(0, [0.0, 0.0]), (1, [1.0, 1.0])]
    assert len(made) == 2
    assert data.element_spec == signature
    shaped = D.from_generator(lambda: [[1], [1, 2]], tf.int64, tf.TensorShape([None]))
    assert listed(shaped) == [[1], [1, 2]]


def test_cache_runs_what_is_before_it_once():
    calls = []
    data = D.range(3).map(lambda x: (calls.append(1), x)[1]).cache()
    next(iter(data))
    assert listed(data) == listed(data) == [0, 1, 2]
    assert len(calls) == 4


def test_reduce():
    assert int(D.range(5).reduce(np.int64(0), lambda s, x: s + x)) == 10
    state = D.zip(D.range(3), D.range(3)).reduce((np.int64(0), np.int64(1)), lambda s, xy: (s[0] + xy[0], s[1]))
    assert tuple(map(int, state)) == (3, 1)


def test_iterators():
    iterator = iter(D.range(2))
    assert iterator.element_spec == tf.TensorSpec([], tf.int64)
    assert [int(x) for x in iterator] == [0, 1]
    assert next(iterator, None) is None
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    assert int(D.range(1).get_single_element()) == 0


def test_elements_cannot_change_what_is_stored():
    array = np.zeros(3)
    data = D.from_tensor_slices(array)
    array[:] = 1
    got = next(data.batch(3).as_numpy_iterator())
    got[:] = 2
    assert listed(data) == [0, 0, 0]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: D.from_tensor_slices(([1, 2, 3], [1, 2])), ValueError, "Dimensions 3 and 2 are not compatible"),
        (lambda: D.from_tensor_slices(3), ValueError, "rank >= 1"),
        (lambda: D.from_tensor_slices(()), ValueError, "should not be empty"),
        (lambda: D.from_generator(3, tf.int32), TypeError, "`generator` must be a Python callable"),
        (lambda: D.from_generator(lambda: [1]), TypeError, "output signature"),
        (lambda: list(D.from_generator(lambda: ["a"], tf.int32)), tf.errors.InvalidArgumentError, "element was a"),
        (
            lambda: list(D.from_generator(lambda: [[1, 2]], tf.int32, ())),
            tf.errors.InvalidArgumentError,
            r"shape \(2,\)",
        ),
        (lambda: list(D.from_generator(lambda: [1], (tf.int32,))), tf.errors.InvalidArgumentError, "structure"),
        (lambda: D.range(), ValueError, "between 1 and 3"),
        (lambda: D.range(1, 2, 0), tf.errors.InvalidArgumentError, "non-zero"),
        (lambda: D.range(2.5), TypeError, "must be an integer, got 2.5"),
        (lambda: D.zip(), TypeError, "at least one dataset"),
        (lambda: D.zip(3), TypeError, "<class 'int'>"),
        (lambda: D.zip([D.range(1)]), TypeError, "use `tuple` instead"),
        (lambda: D.range(3).map(3), ValueError, "must be a callable"),
        (lambda: list(D.range(3).map(lambda x: None)), tf.errors.InvalidArgumentError, "at least one tensor"),
        (lambda: list(D.range(3).filter(lambda x: x)), ValueError, "`tf.bool` scalar"),
        (lambda: list(D.range(3).filter(lambda x: [True])), ValueError, "`tf.bool` scalar"),
        (lambda: D.range(3).batch(0), tf.errors.InvalidArgumentError, "Batch size must be greater than zero"),
        (lambda: D.range(3).batch(2.5), TypeError, "must be an integer"),
        (lambda: list(fills(3).batch(2)), tf.errors.InvalidArgumentError, r"shape \[1\] and element 1 had shape \[2\]"),
        (lambda: list(fills(3).padded_batch(2, [1])), tf.errors.DataLossError, "smaller size"),
        (lambda: fills(3).padded_batch(2, [None], 1.5), TypeError, "tf.float32 does not match type tf.int64"),
        (lambda: D.range(3).unbatch(), ValueError, "scalar components"),
        (lambda: list(D.from_tensors(([1, 2], [1])).unbatch()), ValueError, "Encountered both 2 and 1"),
        (lambda: D.range(3).shuffle(0), tf.errors.InvalidArgumentError, "buffer_size must be greater"),
        (lambda: D.range(3).shuffle(3, seed=0.5), TypeError, "`seed`"),
        (lambda: D.range(3).prefetch(-2), tf.errors.InvalidArgumentError, "buffer_size must be >= 0"),
        (lambda: D.range(3).shard(3, 3), tf.errors.InvalidArgumentError, "between 0 and 2"),
        (lambda: D.range(3).shard(0, 0), tf.errors.InvalidArgumentError, "greater than zero"),
        (lambda: D.range(3).window(0), tf.errors.InvalidArgumentError, "Window size must be greater than zero"),
        (lambda: list(D.range(3).flat_map(lambda x: x)), TypeError, "must return a `tf.data.Dataset`"),
        (lambda: D.range(3).interleave(D.range, 0), tf.errors.InvalidArgumentError, "cycle_length"),
        (lambda: D.range(3).concatenate(D.from_tensors(1.5)), TypeError, "Incompatible dataset elements"),
        (lambda: D.range(3).concatenate(3), TypeError, "must be a `tf.data.Dataset`"),
        (
            lambda: D.range(3).reduce(np.int64(0), lambda s, x: (s, x)),
            tf.errors.InvalidArgumentError,
            "initial_state=1",
        ),
        (lambda: D.range(3).apply(lambda d: 3), TypeError, "`transformation_func`"),
        (lambda: D.range(3).cache("file"), tf.errors.UnimplementedError, "in memory"),
        (lambda: D.range(3).get_single_element(), tf.errors.InvalidArgumentError, "more than one"),
        (lambda: len(D.range(3).repeat()), TypeError, "infinite"),
        (lambda: len(D.range(3).filter(lambda x: True)), TypeError, "unknown"),
        (lambda: D.sample_from_datasets([D.range(3)], [1.0, 2.0]), ValueError, "`weights`"),
        (lambda: D.choose_from_datasets([], D.range(1)), ValueError, "`datasets`"),
    ],
)
def test_errors(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_what_functions_do_is_not_recorded():
    w = tf.Variable(2.0)
    data = D.from_tensor_slices([1.0, 2.0]).map(lambda x: x * w)
    with tf.GradientTape() as tape:
        total = tf.add_n([x * w for x in data])
    assert float(tape.gradient(total, w)) == 6.0


def test_batches_of_strings_hold_bytes():
    [batch] = D.from_tensor_slices(["b", "a"]).batch(2)
    assert [type(text) for text in batch.numpy()] == [bytes, bytes]
