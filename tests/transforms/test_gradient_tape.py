"""`GradientTape`: structures, lifecycle, watching, nesting, threads, memory."""

import collections
import contextlib
import copy
import gc
import threading
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.tape import WIDTH
from gradtape.transforms import gradient_tape

Pair = collections.namedtuple("Pair", "a b")


def value(x):
    return None if x is None else x.numpy().tolist()


@pytest.fixture
def recorded():
    """z = x x y with x = 2, y = 3 on a persistent tape, so dz/dx = 12 and dz/dy = 4."""
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * x * y
    return tape, z, x, y


class TestStructure:
    def test_single(self, recorded):
        tape, z, x, _ = recorded
        assert value(tape.gradient(z, x)) == 12.0

    @pytest.mark.parametrize("build", [lambda x, y: [x, y], lambda x, y: (x, y), lambda x, y: Pair(x, y)])
    def test_sequences(self, recorded, build):
        tape, z, x, y = recorded
        sources = build(x, y)
        grads = tape.gradient(z, sources)
        assert type(grads) is type(sources)
        assert [value(g) for g in grads] == [12.0, 4.0]

    def test_dict_keeps_its_order(self, recorded):
        tape, z, x, y = recorded
        grads = tape.gradient(z, {"b": [y, (x,)], "a": x})
        assert list(grads) == ["b", "a"]
        assert value(grads["b"][0]) == 4.0
        assert value(grads["b"][1][0]) == 12.0

    @pytest.mark.parametrize("empty", [[], (), {}])
    def test_empty_sources(self, recorded, empty):
        tape, z, _, _ = recorded
        assert tape.gradient(z, empty) == empty

    def test_targets_are_summed(self, recorded):
        tape, z, x, _ = recorded
        assert value(tape.gradient({"a": z, "b": [x]}, x)) == 13.0
        assert value(tape.gradient([z, z], x)) == 24.0
        assert tape.gradient([], x) is None

    def test_target_is_source(self, recorded):
        tape, z, x, _ = recorded
        assert value(tape.gradient(z, z)) == 1.0
        assert value(tape.gradient(x, x)) == 1.0

    def test_target_is_a_source_that_was_not_read(self):
        v = tf.Variable([2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            v.assign([4.0, 5.0])
        assert value(tape.gradient(v, v)) == [1.0, 1.0]
        assert tape.gradient(v, tf.Variable(1.0)) is None

    def test_views_of_a_dict(self, recorded):
        tape, z, x, y = recorded
        assert [value(g) for g in tape.gradient(z, {"b": y, "a": x}.values())] == [4.0, 12.0]

    def test_a_deep_copy_of_a_tensor_is_on_the_way(self):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = copy.deepcopy({"h": v * v})["h"] * 2.0
        assert value(tape.gradient(y, v)) == 12.0

    def test_same_source_twice(self, recorded):
        tape, z, x, _ = recorded
        assert [value(g) for g in tape.gradient(z, [x, x])] == [12.0, 12.0]

    def test_intermediate_source(self):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        assert [value(g) for g in tape.gradient(z, [x, y])] == [108.0, 18.0]

    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (None, TypeError),
            ("a", TypeError),
            (0.0, TypeError),
            (object(), TypeError),
            (iter([1]), TypeError),
            (2.0, AttributeError),
            (np.ones(2), AttributeError),
        ],
    )
    def test_foreign_sources_and_targets(self, recorded, bad, error):
        tape, z, x, _ = recorded
        with pytest.raises(error):
            tape.gradient(z, bad)
        with pytest.raises(error):
            tape.gradient(bad, x)


class TestUnconnected:
    def test_none_and_zero(self, recorded):
        tape, z, x, _ = recorded
        other = tf.Variable([1.0, 2.0])
        assert tape.gradient(z, other) is None
        assert value(tape.gradient(z, other, unconnected_gradients="zero")) == [0.0, 0.0]
        grads = tape.gradient(z, [x, other], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        assert [value(g) for g in grads] == [12.0, [0.0, 0.0]]

    @pytest.mark.parametrize("bad", ["foo", "ZERO", None, 0])
    def test_unknown_value(self, recorded, bad):
        tape, z, x, _ = recorded
        with pytest.raises(ValueError, match="unconnected_gradients"):
            tape.gradient(z, x, unconnected_gradients=bad)

    def test_integers_cut_the_chain(self):
        x = tf.Variable(2.5)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
        assert tape.gradient(y, x) is None
        assert tape.gradient(y, tf.constant(1)) is None
        assert tape.gradient(tf.constant(1), x) is None


class TestOutputGradients:
    @pytest.fixture
    def vector(self):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            z = v * v
            s = tf.reduce_sum(z)
        return tape, z, s, v

    @pytest.mark.parametrize(
        ("weights", "expected"),
        [
            (None, [2.0, 4.0]),
            ([1.0, 10.0], [2.0, 4.0]),  # a list holds one entry per target; this one has a single target
            ([[1.0, 10.0]], [2.0, 4.0]),  # flattened: the first entry, 1.0, for all of it
            (np.array([1.0, 10.0], np.float32), [2.0, 40.0]),
            (2.0, [4.0, 8.0]),
            ([None], [2.0, 4.0]),
        ],
    )
    def test_one_target(self, vector, weights, expected):
        tape, z, _, v = vector
        assert value(tape.gradient(z, v, output_gradients=weights)) == expected

    def test_several_targets(self, vector):
        tape, z, s, v = vector
        weights = [tf.constant([1.0, 10.0]), tf.constant(3.0)]
        assert value(tape.gradient([z, s], v, output_gradients=weights)) == [8.0, 52.0]
        assert value(tape.gradient([z, s], v, output_gradients=weights[:1])) == [4.0, 44.0]
        assert value(tape.gradient([z, s], v, output_gradients=[None, tf.constant(3.0)])) == [8.0, 16.0]

    @pytest.mark.parametrize(
        "bad", [tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0, 1.0]]), tf.constant([1, 2]), np.array([1.0, 2.0])]
    )
    def test_wrong_shape_or_dtype(self, vector, bad):
        tape, z, _, v = vector
        with pytest.raises(tf.errors.InvalidArgumentError, match="output_gradients"):
            tape.gradient(z, v, output_gradients=bad)
        assert value(tape.gradient(z, v)) == [2.0, 4.0]


class TestLifecycle:
    def test_one_set_of_gradients(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            z = x * x
        assert value(tape.gradient(z, x)) == 4.0
        for again in (tape.gradient, tape.jacobian):
            with pytest.raises(RuntimeError, match="non-persistent"):
                again(z, x)

    def test_never_entered(self):
        tape, x = tf.GradientTape(), tf.Variable(2.0)
        assert tape.watched_variables() == ()
        with pytest.raises(RuntimeError, match="non-persistent"):
            tape.gradient(x * x, x)
        with pytest.raises(AttributeError):
            tape.watch(tf.constant(1.0))
        with pytest.raises(ValueError, match="not recording"):
            tape.reset()
        with pytest.raises(RuntimeError, match="not recording"), tape.stop_recording():
            pass

    def test_a_refused_call_does_not_use_the_tape_up(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            z = x * x
        with pytest.raises(ValueError, match="foo"):
            tape.gradient(z, x, unconnected_gradients="foo")
        with pytest.raises(TypeError):
            tape.gradient(z, [None])
        assert value(tape.gradient(z, x)) == 4.0

    def test_gradient_inside_the_block(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            assert value(tape.gradient(x * x, x)) == 4.0
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            g = tape.gradient(y, x)
            assert value(tape.gradient(g, x)) == 2.0

    def test_reentry(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            z = x * x
            with pytest.raises(ValueError, match="already-active"):
                tape.__enter__()
        with tape:
            w = z * x
        assert value(tape.gradient(w, x)) == 12.0
        with tape:
            w = x * x * x
        assert value(tape.gradient(w, x)) == 12.0

    def test_stop_recording(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            z = x * x
            with tape.stop_recording():
                w = z * x
            with pytest.raises(KeyError), tape.stop_recording():
                raise KeyError
            u = z * x
        assert tape.gradient(w, x) is None
        assert value(tape.gradient(u, x)) == 12.0

    def test_reset(self):
        x, c = tf.Variable(2.0), tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            z = x * c
            tape.reset()
            w = x * c * 3.0
        assert tape.gradient(z, x) is None
        assert value(tape.gradient(w, x)) == 6.0
        assert tape.gradient(w, c) is None

    def test_reset_after_the_block(self, recorded):
        tape, z, x, _ = recorded
        tape.reset()
        assert tape.gradient(z, x) is None

    def test_exception_in_the_block(self):
        x = tf.Variable(2.0)

        def leave():
            raise KeyError

        tape = tf.GradientTape()
        with contextlib.suppress(KeyError), tape:
            z = x * x
            leave()
        w = x * x
        assert value(tape.gradient([z, w], x)) == 4.0

    def test_tapes_leave_in_any_order(self):
        x = tf.Variable(2.0)
        a, b = tf.GradientTape(), tf.GradientTape()
        a.__enter__()
        b.__enter__()
        y = x * x
        a.__exit__(None, None, None)
        z = y * x
        b.__exit__(None, None, None)
        assert a.gradient(z, x) is None
        assert value(b.gradient(z, x)) == 12.0


class TestWatch:
    def test_nested_structures(self):
        x = {"a": tf.constant(1.0), "b": (tf.constant(2.0),)}
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x["a"] * x["b"][0]
        grads = tape.gradient(y, x)
        assert (value(grads["a"]), value(grads["b"][0])) == (2.0, 1.0)

    @pytest.mark.parametrize("bad", [2.0, None, "a", np.ones(2)])
    def test_foreign_types(self, bad):
        with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
            tape.watch([tf.constant(1.0), bad])

    def test_trainable_false(self):
        x = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            y = x * x
        assert tape.gradient(y, x) is None
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.watched_variables()[0] is x
        assert value(tape.gradient(y, x)) == 6.0

    def test_watch_accessed_variables_false(self):
        x, y = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            z = x * x * y
        assert [value(g) for g in tape.gradient(z, [x, y])] == [12.0, None]
        assert len(tape.watched_variables()) == 1

    def test_watched_variables_in_the_order_they_were_made(self):
        x, y = tf.Variable(2.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y * x * x
        assert [v is w for v, w in zip(tape.watched_variables(), (x, y), strict=True)] == [True, True]

    def test_too_late(self):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)
        assert tape.gradient(y, x) is None


class TestAssignment:
    def test_reads_before_and_after_count(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
            v.assign(5.0)
            z = y + v * v
        assert value(tape.gradient(z, v)) == 14.0

    def test_assignment_carries_no_gradient(self):
        v, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            v.assign(w * w)
            y = v * v
        assert [value(g) for g in tape.gradient(y, [v, w])] == [18.0, None]

    def test_values_at_read_time(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v * v
        v.assign(10.0)
        assert value(tape.gradient(y, v)) == 12.0


class TestNesting:
    def test_higher_orders(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as c:
            c.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as a:
                    a.watch(x)
                    y = x**5
                first = a.gradient(y, x)
            second = b.gradient(first, x)
        third = c.gradient(second, x)
        assert [value(g) for g in (first, second, third)] == [80.0, 160.0, 240.0]

    def test_inner_gradient_after_the_outer_block(self):
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            y = x**4
        g = inner.gradient(y, x)
        assert outer.gradient(g, x) is None

    def test_a_tape_around_the_gradient_alone(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        with tf.GradientTape() as later:
            later.watch(x)
            g = tape.gradient(y, x)
        assert value(later.gradient(g, x)) == 2.0

    def test_several_at_once(self):
        x, y = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as a:
            p = x * y
            with tf.GradientTape() as b:
                q = p * x
        assert value(a.gradient(q, x)) == 12.0
        assert value(b.gradient(q, x)) == 6.0


class TestThreads:
    def test_other_threads_are_not_recorded(self):
        x, made = tf.Variable(2.0), []
        with tf.GradientTape() as tape:
            thread = threading.Thread(target=lambda: made.append(x * x * x))
            thread.start()
            thread.join()
        assert tape.gradient(made[0], x) is None

    def test_gradient_in_another_thread(self):
        x, found = tf.Variable(2.0), []
        with tf.GradientTape() as tape:
            y = x * x
        thread = threading.Thread(target=lambda: found.append(value(tape.gradient(y, x))))
        thread.start()
        thread.join()
        assert found == [4.0]

    def test_a_tape_in_each(self):
        x, found = tf.Variable(2.0), {}

        def work(k):
            for _ in range(50):
                with tf.GradientTape() as tape:
                    y = x**k
                found.setdefault(k, set()).add(value(tape.gradient(y, x)))

        threads = [threading.Thread(target=work, args=(float(k),)) for k in range(2, 6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert found == {2.0: {4.0}, 3.0: {12.0}, 4.0: {32.0}, 5.0: {80.0}}


class TestMemory:
    @pytest.fixture(autouse=True)
    def without_collector(self):
        gc.collect()
        gc.disable()
        yield
        gc.enable()

    def test_results_and_residuals_die_with_the_tape(self):
        x = tf.Variable(np.ones(10, np.float32))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.exp(x)
            y = tf.reduce_sum(h * h)
        tape.gradient(y, x)
        died = weakref.ref(h)
        del h, y
        assert died() is not None
        del tape
        assert died() is None

    def test_a_used_tape_frees_what_it_held(self):
        x = tf.Variable(np.ones(10, np.float32))
        with tf.GradientTape() as tape:
            h = tf.exp(x)
            y = tf.reduce_sum(h * h)
        died = weakref.ref(h)
        del h
        tape.gradient(y, x)
        assert died() is None

    def test_reset_frees(self):
        x = tf.Variable(np.ones(10, np.float32))
        with tf.GradientTape(persistent=True) as tape:
            h = tf.exp(x)
            h * h
        died = weakref.ref(h)
        del h
        tape.reset()
        assert died() is None

    def test_only_declared_residuals_are_kept(self):
        x = tf.Variable(np.ones(10, np.float32))
        with tf.GradientTape(persistent=True):
            h = x + 1.0
            died = weakref.ref(h)
            kept = tf.exp(h)
            del h
            assert died() is None
        del kept


class TestScale:
    def test_a_hundred_thousand_operations(self):
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = x * 1.0
            for _ in range(100_000):
                y = y + x
        assert value(tape.gradient(y, x)) == 100_001.0

    def test_persistent_gradients_visit_only_what_lies_between(self):
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = x * 1.0
            for _ in range(1000):
                y = y * 1.0
            a = y * y
            b = a * 3.0
        machine = tape._tape
        assert len(machine.between([b._id], y._id)) == 2 * WIDTH
        assert value(tape.gradient(b, a)) == 3.0
        assert value(tape.gradient(b, x)) == 12.0


class TestComplex:
    def test_holomorphic_gradients_are_conjugated(self):
        z, w = tf.constant(1 + 2j), tf.constant(3 - 1j)
        with tf.GradientTape() as tape:
            tape.watch([z, w])
            y = z * w
        assert [value(g) for g in tape.gradient(y, [z, w])] == [3 + 1j, 1 - 2j]

    def test_real_result(self):
        z = tf.constant(1 + 2j)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = tf.abs(z) ** 2
        assert value(tape.gradient(y, z)) == pytest.approx(2 + 4j)


class TestIndexedSlices:
    def test_gather_of_a_variable(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        with tf.GradientTape() as tape:
            y = tf.gather(v, [0, 2, 0])
        g = tape.gradient(y, v)
        assert isinstance(g, tf.IndexedSlices)
        assert value(g.indices) == [0, 2, 0]
        assert value(g.values) == [[1.0, 1.0]] * 3
        assert value(g.dense_shape) == [3, 2]
        assert value(tf.convert_to_tensor(g)) == [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]

    def test_dense_through_any_other_op(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.gather(v * 2.0, [0, 0])
        assert value(tape.gradient(y, v)) == [[4.0, 4.0], [0.0, 0.0]]

    @pytest.mark.parametrize("captured", [False, True])
    def test_rows_can_be_differentiated(self, captured):
        """Second derivatives of w sum x^3 over a row that is gathered twice: of its dense gradient, 6 w x^2."""
        v, w = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable(3.0)

        def derivatives():
            with tf.GradientTape(persistent=True) as outer:
                with tf.GradientTape() as inner:
                    y = tf.reduce_sum(tf.gather(v, [0, 0]) ** 3) * w
                g = inner.gradient(y, v)
            ahead = outer.gradient(g, w, output_gradients=tf.constant([[1.0, 0.0], [5.0, 5.0]]))
            return outer.gradient(g, w), ahead, outer.jacobian(g, [v, w]), outer.batch_jacobian(g, v)

        summed, ahead, (hessian, of_weight), rows = (tf.function(derivatives) if captured else derivatives)()
        assert (value(summed), value(ahead)) == (30.0, 6.0)
        assert value(of_weight) == [[6.0, 24.0], [0.0, 0.0]]
        expected = np.zeros((2, 2, 2, 2))
        expected[0, 0, 0, 0], expected[0, 1, 0, 1] = 36.0, 72.0
        np.testing.assert_allclose(hessian.numpy(), expected)
        np.testing.assert_allclose(rows.numpy(), np.einsum("bibj->bij", expected))

    def test_a_gradient_for_rows(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(v, [1]))
        rows = tape.gradient(y, v)
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = tf.reduce_sum(tf.convert_to_tensor(rows) ** 2)
        assert value(tape.gradient(y, rows)) == [[2.0, 2.0]]


class TestJacobian:
    def test_shapes_and_values(self):
        v, s = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = s * v
        jac = tape.jacobian(y, {"a": v, "b": (s,)})
        assert value(jac["a"]) == [[3.0, 0.0], [0.0, 3.0]]
        assert value(jac["b"][0]) == [1.0, 2.0]
        assert tape.jacobian(y, tf.Variable(1.0)) is None
        assert value(tape.jacobian(y, tf.Variable(1.0), unconnected_gradients="zero")) == [0.0, 0.0]

    def test_of_a_gradient(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as a:
            with tf.GradientTape() as b:
                y = tf.reduce_sum(x**3.0)
            g = b.gradient(y, x)
        assert value(a.jacobian(g, x)) == [[6.0, 0.0], [0.0, 12.0]]

    @pytest.mark.parametrize("bad", [[1.0], None, 1.0])
    def test_needs_one_tensor(self, recorded, bad):
        tape, _, x, _ = recorded
        with pytest.raises(AttributeError):
            tape.jacobian(bad, x)

    def test_batch(self):
        x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            t = tf.transpose(x)
        assert value(tape.batch_jacobian(y, x)) == [
            np.diag([2.0, 4.0, 6.0]).tolist(),
            np.diag([8.0, 10.0, 12.0]).tolist(),
        ]
        assert value(tape.batch_jacobian(y, tf.ones([2, 1])))[0] == [[0.0], [0.0], [0.0]]
        with pytest.raises(ValueError, match="first dimension"):
            tape.batch_jacobian(t, x)
        with pytest.raises(ValueError, match="rank at least 2"):
            tape.batch_jacobian(tf.reduce_sum(x, 1), x)


def test_opposite_infinities_of_two_reads_add_up_without_a_warning():
    v = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        y = 1.0 / v
        v.assign([-0.0, 1.0])
        z = -1.0 / v
    assert np.array_equal(tape.gradient([y, z], v).numpy(), [np.nan, 0.0], equal_nan=True)


def test_the_cost_of_a_gradient_within_a_persistent_tape_is_told_once(caplog):
    gradient_tape._given.clear()
    v = tf.Variable(2.0)
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            tape.gradient(v * v, v)
    assert len([r for r in caplog.records if "persistent" in r.message]) == 1
