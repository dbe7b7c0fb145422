"""Datasets inside of functions: each replay takes new elements."""

import numpy as np
import pytest

import gradtape as tf

D = tf.data.Dataset


def test_a_tape_over_a_loop():
    w = tf.Variable(2.0)
    data = D.from_tensor_slices([1.0, 2.0, 3.0])

    @tf.function
    def step(data):
        loss = tf.constant(0.0)
        with tf.GradientTape() as tape:
            for x in data:
                loss += x * w * w
        return tape.gradient(loss, w)

    assert [float(step(data)) for _ in range(3)] == [24.0] * 3
    assert step.experimental_get_tracing_count() == 1
    assert float(step(data.take(2))) == 12.0


def test_replays_see_new_orders_and_new_numbers_of_elements():
    lengths = iter([2, 3, 2, 4, 3])
    data = D.from_generator(lambda: range(next(lengths)), tf.int64).map(lambda x: x + 1)

    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        for x in data:
            found += x
        return found

    assert [int(total()) for _ in range(5)] == [3, 6, 3, 10, 6]
    assert total.experimental_get_tracing_count() == 3

    shuffled = D.range(20).shuffle(20, seed=1)

    @tf.function
    def order():
        return tf.stack(list(shuffled))

    first, second = order().numpy(), order().numpy()
    assert sorted(first) == sorted(second) == list(range(20))
    assert first.tolist() != second.tolist()


def test_structures_and_shapes():
    data = D.from_tensor_slices({"x": np.ones((5, 2), np.float32), "y": (np.arange(5),)}).batch(2)

    @tf.function
    def total(data):
        found = tf.constant(0.0)
        for batch in data:
            found += tf.reduce_sum(batch["x"]) + tf.cast(tf.reduce_sum(batch["y"][0]), tf.float32)
        return found

    assert [float(total(data)), float(total(data))] == [20.0, 20.0]


def test_an_iterator_goes_on_where_the_last_call_stopped():
    iterator = iter(D.range(3))

    @tf.function
    def double(iterator):
        return 2 * next(iterator)

    assert [int(double(iterator)) for _ in range(3)] == [0, 2, 4]
    with pytest.raises(StopIteration):
        double(iterator)


def test_windows_do_not_go_into_functions():
    windows = D.range(3).window(2)

    @tf.function
    def loop():
        for _ in windows:
            pass

    with pytest.raises(tf.errors.UnimplementedError, match="flat_map"):
        loop()
