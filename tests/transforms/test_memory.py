"""What stays alive, in bytes: residuals of deep models, and what recomputation frees."""

import gc
import tracemalloc

import numpy as np
import pytest

import gradtape as tf

MIB = 2**20


@pytest.fixture(autouse=True)
def traced():
    gc.collect()
    tracemalloc.start()
    yield
    tracemalloc.stop()


def bytes_of(f):
    """What f keeps alive in its result, and its peak, above what there was before."""
    f()  # loads and plans what is made once
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    kept = f()
    after, peak = tracemalloc.get_traced_memory()
    del kept
    return after - before, peak - before


class TestResiduals:
    X = tf.zeros([512, 512])
    B = tf.Variable(-tf.ones([512]))

    def deep(self):
        h = self.X
        with tf.GradientTape() as tape:
            for _ in range(20):
                h = tf.exp(h + self.B)
        return tape, h

    def test_twenty_exponentials_keep_twenty_arrays(self):
        kept, peak = bytes_of(self.deep)
        assert 19.5 * MIB < kept < 20.5 * MIB
        assert peak < 21.5 * MIB

    def test_a_gradient_needs_no_more_than_a_few_arrays_besides(self):
        def step():
            tape, h = self.deep()
            return tape.gradient(h, self.B)

        kept, peak = bytes_of(step)
        assert kept < 0.1 * MIB
        assert peak < 23.5 * MIB


class TestRecomputation:
    WEIGHTS = tuple([tf.Variable(np.eye(128, dtype=np.float32)) for _ in range(20)])
    X = tf.ones([1024, 128])

    def gradients(self, wrap, depth):
        """A net of 20 layers, each `depth` of them wrapped together."""

        def block(weights):
            def f(h):
                for w in weights:
                    h = tf.tanh(h @ w)
                return h

            return wrap(f)

        h = self.X
        with tf.GradientTape() as tape:
            for start in range(0, 20, depth):
                h = block(self.WEIGHTS[start : start + depth])(h)
            loss = tf.reduce_mean(h * h)
        return tape.gradient(loss, self.WEIGHTS)

    @pytest.mark.parametrize("depth", [2, 5])
    def test_it_cuts_the_peak_of_twenty_layers_at_least_by_half(self, depth):
        _, plain = bytes_of(lambda: self.gradients(lambda f: f, depth))
        _, recomputed = bytes_of(lambda: self.gradients(tf.recompute_grad, depth))
        assert recomputed < plain / 2

    def test_the_numbers_are_the_same(self):
        for a, b in zip(self.gradients(lambda f: f, 5), self.gradients(tf.recompute_grad, 5), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
