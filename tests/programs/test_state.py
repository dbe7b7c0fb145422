"""Variables and random streams of functions."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.programs.function import MOST_PATHS


def count(f):
    return f.experimental_get_tracing_count()


def test_updates_are_in_order_and_reads_see_them():
    v, w = tf.Variable(1.0), tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        before = v + 0.0
        v.assign(v * x)
        v.assign_add(1.0)
        w[1].assign(v)
        w.scatter_add(tf.IndexedSlices([10.0], [0]))
        w.assign_sub([0.5, 0.5])
        return before, v + 0.0, w.read_value(), v

    found = [[t.numpy().tolist() for t in f(tf.constant(2.0))] for _ in range(3)]
    assert found == [
        [1.0, 3.0, [10.5, 2.5], 3.0],
        [3.0, 7.0, [20.0, 6.5], 7.0],
        [7.0, 15.0, [29.5, 14.5], 15.0],
    ]
    assert count(f) == 1
    assert v.numpy() == 15.0


def test_variables_are_made_in_the_first_call_only():
    class Counter:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(10.0)
            self.v.assign_add(x)
            return self.v + 0.0

    a, b = Counter(), Counter()
    assert [a(tf.constant(1.0)).numpy() for _ in range(3)] == [11.0, 12.0, 13.0]
    assert [b(tf.constant(2.0)).numpy() for _ in range(2)] == [12.0, 14.0]

    @tf.function
    def bad(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables created on the first call"):
        bad(tf.constant(1.0))

    made = []

    @tf.function
    def late(x):
        if x.shape[0] == 2:
            made.append(tf.Variable(1.0))
        return x

    late(tf.constant([1.0]))
    with pytest.raises(ValueError, match="singleton"):
        late(tf.constant([1.0, 2.0]))


def test_a_variable_of_changing_shape():
    v = tf.Variable([1.0], shape=[None])

    @tf.function
    def f():
        return tf.reduce_sum(v) / float(v._tensor.shape[0])

    for _ in range(3):
        for value in ([1.0], [2.0, 4.0]):
            v.assign(value)
            assert f().numpy() == sum(value) / len(value)
    assert count(f) == 2


def test_a_variable_of_ever_changing_shape_runs_eagerly():
    v = tf.Variable([1.0], shape=[None])
    f = tf.function(lambda: tf.reduce_sum(v))
    for n in range(1, MOST_PATHS + 1):
        v.assign(tf.ones(n))
        assert f().numpy() == n
    v.assign(tf.ones(50))
    with pytest.warns(RuntimeWarning, match="the shape of a variable keeps changing; 16 paths"):
        assert f().numpy() == 50.0
    v.assign(tf.ones(60))
    assert f().numpy() == 60.0


def test_arguments_that_are_variables_values():
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v)
    for value in (2.0, 5.0):
        v.assign(value)
        assert f(tf.convert_to_tensor(v)).numpy() == value * value
        assert f(tf.constant(1.0)).numpy() == value
    same = tf.constant([1.0, 2.0])
    g = tf.function(lambda a, b: tf.stop_gradient(a) - tf.stop_gradient(b))
    assert g(same, same).numpy().tolist() == [0.0, 0.0]
    assert g(same, same + 1.0).numpy().tolist() == [-1.0, -1.0]


def test_closures_over_tensors_are_constants():
    c = tf.constant(2.0)
    f = tf.function(lambda x: x * c)
    assert f(tf.constant(3.0)).numpy() == 6.0
    c = tf.constant(5.0)
    assert f(tf.constant(3.0)).numpy() == 6.0  # as in TensorFlow
    array = np.ones(2, np.float32)
    g = tf.function(lambda x: x * array)
    g(tf.ones(2))
    array[:] = 7.0
    assert g(tf.ones(2)).numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("seed", [None, 3])
def test_draws_are_those_of_eager_calls(seed):
    def g(x):
        return tf.random.normal([2], seed=seed) * x, tf.nn.dropout(x, 0.5, seed=seed), tf.random.shuffle([1, 2, 3])

    f = tf.function(g)
    x = tf.ones(8)[:2]
    tf.random.set_seed(4)
    eager = [[t.numpy().tolist() for t in g(x)] for _ in range(4)]
    tf.random.set_seed(4)
    assert [[t.numpy().tolist() for t in f(x)] for _ in range(4)] == eager
    assert count(f) == 1
    tf.random.set_seed(5)
    assert [t.numpy().tolist() for t in f(x)] != eager[0]


def test_a_failed_guard_gives_draws_back():
    def g(x):
        noise = tf.random.uniform([])
        return noise * 2 if noise + x > 0.5 else -noise

    f = tf.function(g)
    for seed in range(3):
        tf.random.set_seed(seed)
        eager = [g(tf.constant(0.0)).numpy() for _ in range(20)]
        tf.random.set_seed(seed)
        assert [f(tf.constant(0.0)).numpy() for _ in range(20)] == eager
    assert count(f) == 2


def test_branches_on_draws_without_a_seed_are_taken_as_often_as_they_should(monkeypatch):
    words = iter(range(10_000))
    monkeypatch.setattr("os.urandom", lambda n: next(words).to_bytes(n, "little"))
    monkeypatch.setattr("gradtape.ops.sampling.SEEDS.seed", None)

    def g():
        return tf.constant(1.0) if tf.random.uniform([]) > 0.9 else tf.constant(0.0)

    eager = [g().numpy() for _ in range(300)]
    words = iter(range(10_000))
    f = tf.function(g)
    assert [f().numpy() for _ in range(300)] == eager


def test_external_draws_come_in_order():
    def g(x):
        n = tf.random.normal([])
        m = tf.numpy_function(lambda: tf.random.normal([]).numpy(), [], tf.float32)
        return n * 2.0 + m if n * x > 0 else n - m

    f = tf.function(g)

    def all_of(h):
        tf.random.set_seed(3)
        found = [h(tf.constant(x)).numpy() for x in (1.0, -1.0, 1.0, 2.0, -3.0, 1.0) * 3]
        return [*found, tf.random.uniform([]).numpy()]

    assert all_of(f) == all_of(g)


def test_generators_are_variables():
    a, b = tf.random.Generator.from_seed(7), tf.random.Generator.from_seed(7)
    f = tf.function(lambda: a.normal([2]))
    assert [f().numpy().tolist() for _ in range(3)] == [b.normal([2]).numpy().tolist() for _ in range(3)]


def test_setting_the_seed_inside_runs_eagerly():
    @tf.function
    def f():
        tf.random.set_seed(1)
        return tf.random.normal([])

    with pytest.warns(RuntimeWarning, match="sets the global seed"):
        first = f().numpy()
    assert f().numpy() == first
