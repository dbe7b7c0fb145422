"""What functions do: signatures, paths, variables, effects, errors, threads, gradients from outside."""

import copy
import gc
import pickle
import threading
import warnings
import weakref
from collections import namedtuple
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape.function.function import MOST_PATHS


def count(f):
    return f.experimental_get_tracing_count()


# Signatures.


def test_a_signature_is_structure_dtype_and_shape():
    f = tf.function(lambda x: x * 2)
    for x in (tf.constant(1.0), tf.constant(2.0), np.float32(3.0)):
        assert f(x).numpy() == x * 2
    assert count(f) == 1
    f(tf.constant(1))
    f(tf.constant([1.0]))
    f(tf.constant([2.0]))
    assert count(f) == 3


def test_python_values_count_by_value():
    f = tf.function(lambda x, n: x * n)
    x = tf.constant(2.0)
    assert [f(x, n).numpy() for n in (1, 2, 1, 2)] == [2.0, 4.0, 2.0, 4.0]
    assert count(f) == 2
    f(x, 1.0)
    f(x, True)
    assert count(f) == 4
    assert np.signbit(f(tf.constant(1.0), -0.0).numpy())
    assert not np.signbit(f(tf.constant(1.0), 0.0).numpy())


def test_equal_calls_share_a_signature():
    def g(x, y=2.0, *, z=1.0):
        return x * y + z

    f = tf.function(g)
    x = tf.constant(3.0)
    assert f(x).numpy() == f(x, 2.0).numpy() == f(x, y=2.0).numpy() == f(y=2.0, x=x, z=1.0).numpy() == 7.0
    assert count(f) == 1
    with pytest.raises(TypeError, match="missing a required argument"):
        f()


def test_nested_structures_go_in_and_out():
    Pair = namedtuple("Pair", "a b")

    @tf.function
    def f(data):
        return {"sum": data["p"].a + data["l"][0], "rest": (data["p"], [None, data["l"][1]])}

    def call(a, b):
        return f({"p": Pair(tf.constant(a), tf.constant(2.0)), "l": [tf.constant(b), tf.constant([1.0, b])]})

    call(1.0, 2.0)
    found = call(3.0, 4.0)
    assert count(f) == 1
    assert found["sum"].numpy() == 7.0
    pair, (none, rest) = found["rest"]
    assert type(pair) is Pair
    assert pair.a.numpy() == 3.0
    assert none is None
    assert rest.numpy().tolist() == [1.0, 4.0]


def test_results_become_tensors():
    f = tf.function(lambda: (1, 2.5, "a", [True], np.ones(2), tf.Variable))
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        f()
    g = tf.function(lambda: (1, 2.5, "a", [True], np.ones(2), None))
    for _ in range(2):
        one, half, text, [true], ones, none = g()
        assert (one.dtype, half.dtype, text.dtype, true.dtype, ones.dtype) == (
            tf.int32,
            tf.float32,
            tf.string,
            tf.bool,
            tf.float64,
        )
        assert none is None


def test_variables_and_objects_count_by_identity():
    f = tf.function(lambda v: v + 1.0)
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [f(a).numpy(), f(b).numpy(), f(a).numpy()] == [2.0, 3.0, 2.0]
    assert count(f) == 2

    class Box:
        def __init__(self, n):
            self.n = n

    g = tf.function(lambda box, x: x * box.n)
    one, two = Box(1.0), Box(2.0)
    assert [g(box, tf.constant(3.0)).numpy() for box in (one, two, one)] == [3.0, 6.0, 3.0]
    assert count(g) == 2


def test_methods_are_captured_per_object_and_hold_it_weakly():
    class Model:
        def __init__(self, n):
            self.v = tf.Variable(n)

        @tf.function
        def step(self, x):
            self.v.assign_add(1.0)
            return x * self.v

    a, b = Model(1.0), Model(10.0)
    assert [a.step(tf.constant(2.0)).numpy() for _ in range(3)] == [4.0, 6.0, 8.0]
    assert b.step(tf.constant(2.0)).numpy() == 22.0
    assert count(a.step) == 2
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None
    assert len(b.step.programs) == 1


def test_sparse_tensors_and_rows_go_in_and_out():
    f = tf.function(lambda s: (tf.sparse.to_dense(s) * 2.0, tf.sparse.from_dense(tf.sparse.to_dense(s))))
    for value in (1.0, 2.0):
        dense, sparse = f(tf.SparseTensor([[0, 1]], [value], [1, 2]))
        assert dense.numpy().tolist() == [[0.0, 2.0 * value]]
        assert sparse.values.numpy().tolist() == [value]
    assert count(f) == 1
    table = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def rows(indices):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, indices) ** 2)
        return tape.gradient(y, table)

    g = tf.function(lambda slices: tf.convert_to_tensor(slices) + 0.0)
    for i in (0, 2):
        found = rows(tf.constant([i, 1]))
        assert isinstance(found, tf.IndexedSlices)
        assert found.indices.numpy().tolist() == [i, 1]
        assert found.values.numpy().ravel().tolist() == [2.0 * (i + 1), 4.0]
        assert g(found).numpy()[i] == 2.0 * (i + 1)


def test_copies_and_pickles():
    class Model(tf.Module):
        def __init__(self):
            self.v = tf.Variable(2.0)
            self.f = tf.function(abs)

        @tf.function
        def call(self, x):
            """What it does."""
            return x * self.v

    model = Model()
    x = tf.constant(-3.0)
    assert (model.call(x).numpy(), model.f(x).numpy()) == (-6.0, 3.0)
    assert (model.call.__name__, model.call.__doc__) == ("call", "What it does.")
    other = copy.deepcopy(model)
    other.v.assign(5.0)
    assert [other.call(x).numpy(), model.call(x).numpy(), other.f(x).numpy()] == [-15.0, -6.0, 3.0]
    assert pickle.loads(pickle.dumps(tf.function(abs)))(x).numpy() == 3.0


def test_partials_bound_methods_and_static_functions():
    def g(x, y):
        return x - y

    x = tf.constant(5.0)
    f = tf.function(partial(g, y=tf.constant(2.0)))
    assert [f(x).numpy(), f(x).numpy()] == [3.0, 3.0]

    class Object:
        k = 2.0

        def times(self, x):
            return x * self.k

        @staticmethod
        @tf.function
        def double(x):
            return x * 2.0

    h = tf.function(Object().times)
    assert [h(x).numpy(), h(x).numpy(), Object.double(x).numpy(), Object().double(x).numpy()] == [10.0] * 4


def test_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return x * tf.cast(n, tf.float32)

    assert f([1, 2], 3).numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="input_signature"):
        f([[1.0]], 3)
    assert f.get_concrete_function()(tf.constant([1.0]), tf.constant(2)).numpy().tolist() == [2.0]


def test_concrete_functions():
    traced = []

    @tf.function
    def f(x, n=2):
        traced.append(1)
        return {"y": x * n}

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), n=3)
    assert traced == [1]
    assert concrete(tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [3.0, 6.0]
    assert concrete(x=tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [3.0, 6.0]
    assert traced == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="wants TensorSpec"):
        concrete(tf.constant([1.0]))
    with pytest.raises(TypeError, match="takes 1 tensors, got 2"):
        concrete(tf.constant([1.0]), tf.constant([1.0]))


# Paths.


def test_branches_are_captured_once_each():
    @tf.function
    def f(x):
        if x > 0:
            return x * 2
        return -x

    assert [f(tf.constant(v)).numpy() for v in (1.0, -3.0, 2.0, -4.0, 5.0)] == [2.0, 3.0, 4.0, 4.0, 10.0]
    assert count(f) == 2


def test_loops_of_any_length():
    @tf.function
    def f(x):
        n = 0
        while x > 1:
            x = x / 2
            n += 1
        return n

    values = [1.0, 2.0, 8.0, 3.0, 100.0, 2.0, 8.0]
    assert [f(tf.constant(v)).numpy() for v in values] == [0, 1, 3, 2, 7, 1, 3]
    assert count(f) == 5


def test_every_exit_is_a_guard():
    exits = [
        bool,
        int,
        float,
        complex,
        str,
        repr,
        lambda t: f"{t:.2f}",
        lambda t: t.numpy().item(),
        lambda t: np.asarray(t).tolist(),
        lambda t: np.array([t, 1.0])[0],
        lambda t: t.__reduce__()[1][0],
    ]
    for leave in exits:
        f = tf.function(lambda t, leave=leave: tf.constant(str(leave(t))))
        for v in (1.5, 0.0, 1.5, -2.25):
            eager = str(leave(tf.constant(v)))
            assert f(tf.constant(v)).numpy().decode() == eager
        assert count(f) in (2, 3)
    g = tf.function(lambda n: tf.constant(list(range(n))) if n > 0 else tf.constant([-1]))
    assert [g(tf.constant(n)).numpy().tolist() for n in (2, 0, 3, 2)] == [[0, 1], [-1], [0, 1, 2], [0, 1]]


def test_too_many_paths_run_eagerly_and_say_why():
    @tf.function
    def f(x):
        return tf.constant(float(x) + 1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(MOST_PATHS):
            assert f(tf.constant(float(i))).numpy() == i + 1.0
    with pytest.warns(RuntimeWarning, match=r"test_semantics.py:\d+ reads a value that keeps changing"):
        assert f(tf.constant(99.0)).numpy() == 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(tf.constant(100.0)).numpy() == 101.0
    assert "runs eagerly" in f.explain()


def test_shapes_that_depend_on_values():
    @tf.function
    def f(x):
        positive = tf.boolean_mask(x, x > 0)
        return tf.reduce_mean(positive), tf.where(x > 0)

    for v in ([1.0, -1.0, 3.0], [-2.0, 4.0, 5.0], [1.0, 2.0, 3.0], [5.0, -1.0, -1.0]):
        mean, places = f(tf.constant(v))
        kept = [x for x in v if x > 0]
        assert mean.numpy() == np.float32(sum(kept) / len(kept))
        assert places.numpy().ravel().tolist() == [i for i, x in enumerate(v) if x > 0]
    assert count(f) == 3


def test_a_constant_condition_needs_no_guard():
    @tf.function
    def f(x):
        for i in tf.range(3):
            if i > 0:
                x = x * tf.cast(i, tf.float32)
        return x

    assert [f(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [2.0, 4.0]
    assert not f.programs[0].guards
    assert len(f.programs[0].instructions) == 2


# Variables.


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

    assert f().numpy() == 1.0
    v.assign([2.0, 4.0])
    assert f().numpy() == 3.0


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


# Randomness.


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


# Effects.


def test_effects_happen_at_every_call_and_python_effects_when_capturing():
    log, lines = [], []

    @tf.function
    def f(x):
        log.append("python")
        tf.print("x is", x, {"b": [x, 1]}, output_stream=lines.append)
        y = tf.numpy_function(lambda a: (lines.append("called"), a * 2)[1], [x], tf.float32)
        tf.print("y is", y, output_stream=lines.append)
        return y

    assert [f(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [2.0, 4.0]
    assert log == ["python"]
    assert lines[:3] == ["x is 1 {'b': [1, 1]}", "called", "y is 2"]
    assert sorted(lines[3:]) == ["called", "x is 2 {'b': [2, 1]}", "y is 4"]


def test_an_external_call_happens_once_also_if_a_guard_fails():
    calls = []

    @tf.function
    def f(x):
        y = tf.numpy_function(lambda a: (calls.append(1), a + 1)[1], [x], tf.float32)
        return y * 2 if y > 0 else y

    assert [f(tf.constant(v)).numpy() for v in (1.0, -3.0, 2.0, -4.0)] == [4.0, -2.0, 6.0, -3.0]
    assert len(calls) == 4


def test_errors_are_the_eager_ones_and_leave_no_trace():
    v = tf.Variable(1.0)

    def g(x):
        v.assign_add(1.0)
        noise = tf.random.uniform([])
        y = tf.linalg.cholesky(x)
        tf.debugging.assert_less(tf.reduce_max(y), 10.0, message="too large")
        return y + noise

    f = tf.function(g)
    good, bad, large = tf.eye(2), -tf.eye(2), tf.eye(2) * 400.0
    f(good)
    for x in (bad, large):
        with pytest.raises(tf.errors.InvalidArgumentError) as eager:
            g(x)
        v.assign(2.0)
        tf.random.set_seed(1)
        with pytest.raises(tf.errors.InvalidArgumentError) as replayed:
            f(x)
        assert str(replayed.value) == str(eager.value)
        assert v.numpy() == 2.0
        draw = tf.random.uniform([]).numpy()
        tf.random.set_seed(1)
        assert draw == tf.random.uniform([]).numpy()
    assert len(f.programs) == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(g)(bad)
    assert v.numpy() == 2.0


def test_errors_that_the_function_catches():
    def g(x):
        try:
            y = tf.linalg.cholesky(x)
        except tf.errors.InvalidArgumentError:
            y = tf.zeros_like(x)
        try:
            tf.debugging.assert_less(tf.reduce_max(y), 10.0)
        except tf.errors.InvalidArgumentError:
            y = y / 100.0
        return y + x

    f = tf.function(g)
    good, bad, large = tf.eye(2), -tf.eye(2), tf.eye(2) * 400.0
    for x in (good, bad, large, good * 2.0, large, bad, bad * 2.0, large * 4.0, good):
        assert np.array_equal(f(x).numpy(), g(x).numpy())
    assert count(f) == 5


def test_an_error_is_raised_from_the_users_own_line():
    @tf.function
    def f(x):
        return tf.linalg.cholesky(x)

    f(tf.eye(2))
    f(tf.eye(2))
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(-tf.eye(2))
    assert any(entry.path == Path(__file__) and "cholesky" in str(entry.statement) for entry in error.traceback)
    assert len(f.programs) == 1


# Functions in functions, in threads, of themselves.


def test_functions_within_functions_are_inlined():
    @tf.function
    def inner(x):
        return x * 2

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1)

    assert [outer(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [6.0, 10.0]
    assert (count(outer), count(inner)) == (1, 0)


def test_recursion():
    @tf.function
    def f(n):
        return n if n < 2 else f(n - 1) + f(n - 2)

    assert [f(tf.constant(n)).numpy() for n in (5, 7, 5)] == [5, 13, 5]


def test_threads():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        y = x
        for _ in range(5):
            y = tf.tanh(y * 0.5 + x) if y[0] < 0.3 else y * 0.9
        return y, v + y

    xs = [tf.constant(np.random.default_rng(i).normal(size=50), tf.float32) for i in range(40)]
    eager = [f.python_function(x)[0].numpy() for x in xs]
    wrong = []

    def work():
        for _ in range(5):
            for x, y in zip(xs, eager, strict=True):
                if not np.array_equal(f(x)[0].numpy(), y):
                    wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_run_functions_eagerly():
    calls = []
    f = tf.function(lambda x: (calls.append(1), x)[1])
    f(tf.constant(1.0))
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1.0))
    assert len(calls) == 3


# Gradients from outside.


def test_outer_tapes_to_any_order():
    v = tf.Variable(2.0)

    def g(x):
        y = x * x * v
        return y * x if y > 0 else -y

    f = tf.function(g)
    for _ in range(2):
        for value in (3.0, -3.0):
            x = tf.constant(value)

            def all_of(h, x=x):
                with tf.GradientTape() as outer:
                    outer.watch(x)
                    with tf.GradientTape(persistent=True) as inner:
                        inner.watch(x)
                        y = h(x)
                    first = inner.gradient(y, x)
                return [y, first, inner.gradient(y, v), outer.gradient(first, x)]

            assert [t.numpy() for t in all_of(f)] == [t.numpy() for t in all_of(g)]
    assert count(f) == 1


def test_jacobians_forward_mode_and_maps_go_through():
    def g(x):
        return tf.sin(x) * tf.reduce_sum(x)

    f = tf.function(g)
    x, t = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 0.5, -1.0])
    f(x)

    def jacobian(h):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = h(x)
        return tape.jacobian(y, x).numpy()

    def jvp(h):
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = h(x)
        return acc.jvp(y).numpy()

    assert np.array_equal(jacobian(f), jacobian(g))
    assert np.array_equal(jvp(f), jvp(g))
    rows = tf.stack([x, x + 1.0])
    assert np.array_equal(tf.vectorized_map(f, rows).numpy(), tf.vectorized_map(g, rows).numpy())
    assert count(f) == 1


def test_maps_and_jacobians_inside():
    def g(x):
        rows = tf.vectorized_map(lambda r: r * 2.0 if tf.reduce_sum(r) > 0 else -r, x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return rows, tape.batch_jacobian(y, x)

    f = tf.function(g)
    x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    for value in (x, x + 1.0, -x - 5.0, x - 1.0 + 2.0):
        for found, eager in zip(f(value), g(value), strict=True):
            assert np.array_equal(found.numpy(), eager.numpy())
    assert count(f) == 2


def test_a_gradient_of_the_users_own_under_an_outer_tape():
    @tf.custom_gradient
    def clipped(x):
        y = tf.exp(x)
        return y, lambda d: d * y * 10.0

    f = tf.function(lambda x: clipped(x) * 2.0)
    for value in (0.0, 1.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert np.isclose(tape.gradient(y, x).numpy(), 20.0 * np.exp(value))


def test_updates_under_an_outer_tape():
    v = tf.Variable(3.0)

    def g(x):
        y = x * v
        v.assign_add(1.0)
        return y * v

    f = tf.function(g)
    for _ in range(3):
        before = v.numpy()
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        grads = tape.gradient(y, [x, v])
        assert y.numpy() == 2.0 * before * (before + 1)
        assert [g.numpy() for g in grads] == [before * (before + 1), 2.0 * (before + 1) + 2.0 * before]
        assert v.numpy() == before + 1


def test_what_a_failed_guard_told_an_outer_tape_does_not_count():
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def f(x):
        v.assign(x)
        return v * tf.reduce_sum(tf.boolean_mask(x, x > 0))

    for value in ([0.0, 0.0], [0.0, 0.5], [0.0, 0.0]):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            y = f(x)
        assert tape.gradient(y, v).numpy().tolist() == [sum(value)] * 2


# What it says of itself.


def test_explain_and_pretty():
    v = tf.Variable(1.0, name="rate")

    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0:
            v.assign_add(1.0)
        return x * v

    f(tf.constant([1.0, 2.0]))
    f(tf.constant([-1.0, -2.0]))
    said = f.explain()
    assert "f: 1 signature(s), 2 program(s)" in said
    assert "truth is True in" in said
    assert "truth is False in" in said
    assert "test_semantics.py" in said
    shown = f.programs[-1].pretty()
    assert "program f(%0: float32[2])" in shown
    assert "assign rate:0" in shown
    assert "guard truth" in shown


def test_nothing_large_stays_alive():
    f = tf.function(lambda x: tf.reduce_sum(tf.exp(x)))
    x = tf.constant(np.ones(100_000))
    gc.collect()
    gc.disable()
    try:
        array = x._value
        f(x)
        f(x)
        seen = weakref.ref(x)
        owner = weakref.ref(array)
        del x, array
        assert seen() is None
        assert owner() is None
    finally:
        gc.enable()


def test_long_programs():
    n = 30_000

    @tf.function
    def f(x):
        for _ in range(n):
            x = x + 1.0
        return x

    for v in (0.0, 1.0):
        assert f(tf.constant(v)).numpy() == n + v
    assert len(f.programs[0].instructions) == n
