"""Streams of random numbers: reproducible, of the right distribution, differentiable in their parameters."""

import numpy as np
import pytest

import gradtape as tf

r = tf.random


def same(a, b):
    return np.array_equal(a.numpy(), b.numpy())


def test_global_seed():
    r.set_seed(7)
    first = [r.normal([4]), r.normal([4]), r.uniform([4]), r.normal([4], seed=3)]
    r.set_seed(7)
    again = [r.normal([4]), r.normal([4]), r.uniform([4]), r.normal([4], seed=3)]
    assert all(map(same, first, again))
    assert not same(first[0], first[1])
    r.set_seed(8)
    assert not same(first[0], r.normal([4]))


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda n: r.normal([n], 3.0, 2.0), 3.0, 2.0),
        (lambda n: r.uniform([n], -1.0, 3.0), 1.0, 4 / np.sqrt(12)),
        (lambda n: r.truncated_normal([n]), 0.0, 0.8796),
        (lambda n: r.stateless_normal([n], [1, 2]), 0.0, 1.0),
        (lambda n: r.gamma([n], 2.0, 0.5), 4.0, np.sqrt(8.0)),
        (lambda n: r.poisson([n], 4.0), 4.0, 2.0),
        (lambda n: r.Generator.from_seed(3).normal([n]), 0.0, 1.0),
        (lambda n: r.stateless_binomial([n], [1, 2], 10, 0.5), 5.0, np.sqrt(2.5)),
    ],
)
def test_distributions(draw, mean, deviation):
    r.set_seed(0)
    n = 20_000
    values = draw(n).numpy().astype(float)
    assert abs(values.mean() - mean) < 5 * deviation / np.sqrt(n)
    assert values.std() == pytest.approx(deviation, rel=0.05)


def test_truncation_and_limits():
    assert float(tf.reduce_max(tf.abs(r.truncated_normal([5000])))) <= 2.0
    whole = r.uniform([1000], 2, 5, tf.int32).numpy()
    assert set(whole.tolist()) == {2, 3, 4}


def test_categorical():
    r.set_seed(0)
    logits = tf.math.log([[0.25, 0.75], [1.0, 1e-30]])
    draws = r.categorical(logits, 4000)
    assert draws.dtype == tf.int64
    assert draws.numpy().mean(axis=1) == pytest.approx([0.75, 0.0], abs=0.03)


def test_shuffle_keeps_the_rows():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = r.shuffle(x)
        z = tf.reduce_sum(y * y)
    assert sorted(y.numpy().tolist()) == x.numpy().tolist()
    assert np.array_equal(tape.gradient(z, x).numpy(), 2 * x.numpy())


def test_gradients_reach_the_parameters():
    mean, deviation = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = r.stateless_normal([], [1, 2], mean, deviation)
    z = float(r.stateless_normal([], [1, 2]))
    assert [float(g) for g in tape.gradient(y, [mean, deviation])] == pytest.approx([1.0, z])


def test_generator_state():
    a = r.Generator.from_seed(5)
    b = r.Generator.from_state(a.state)
    assert same(a.normal([3]), b.normal([3]))
    before = a.normal([3])
    a.reset_from_seed(5)
    a.skip(1)
    assert same(before, a.normal([3]))
    x, y = a.split(2)
    assert not same(x.normal([3]), y.normal([3]))
    assert a.make_seeds(4).shape == (2, 4)


def test_splitting_seeds():
    seeds = r.split([1, 2], 3)
    assert seeds.shape == (3, 2)
    assert not same(r.stateless_normal([3], seeds[0]), r.stateless_normal([3], seeds[1]))
    assert not same(r.fold_in([1, 2], 3), r.fold_in([1, 2], 4))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: r.uniform([2], dtype=tf.int32), ValueError),
        (lambda: r.uniform([2], 5, 5, tf.int32), tf.errors.InvalidArgumentError),
        (lambda: r.normal([2], dtype=tf.int32), ValueError),
        (lambda: r.stateless_normal([2], seed=[1, 2, 3]), tf.errors.InvalidArgumentError),
        (lambda: r.categorical([0.0, 1.0], 2), tf.errors.InvalidArgumentError),
        (lambda: r.set_seed("a"), ValueError),
        (lambda: r.Generator(), ValueError),
    ],
)
def test_wrong_arguments(call, error):
    with pytest.raises(error):
        call()


def test_gamma_draws_keep_their_probability():
    alpha, beta = tf.Variable([0.3, 2.0, 40.0], dtype=tf.float64), tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        draws = tf.random.stateless_gamma([50, 3], [1, 2], alpha, beta)
        total = tf.reduce_sum(draws)
    slopes = tape.jacobian(draws, alpha, experimental_use_pfor=False).numpy()[:, range(3), range(3)]
    h = 1e-5
    ends = [tf.math.igamma(alpha + s * h, (draws + s * h * slopes) * beta).numpy() for s in (-1, 1)]
    np.testing.assert_allclose(ends[1] - ends[0], 0, atol=1e-12)
    np.testing.assert_allclose(tape.gradient(total, alpha), slopes.sum(0))
    np.testing.assert_allclose(tape.gradient(total, beta), -float(total) / 2.0)


def test_gradient_of_single_gamma_draws_and_in_forward_mode():
    alpha = tf.constant([0.01, 3.0])
    f = tf.function(lambda a: tf.random.stateless_gamma([20, 2], [3, 4], a))
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        draws = f(alpha)
    found = tape.gradient(draws, alpha)
    assert found.dtype == tf.float32
    assert np.isfinite(found.numpy()).all()
    with tf.autodiff.ForwardAccumulator(alpha, tf.constant([0.0, 1.0])) as accumulator:
        draws = tf.random.stateless_gamma([20, 2], [3, 4], alpha)
    moved = accumulator.jvp(draws).numpy()
    np.testing.assert_allclose(moved.sum(0), [0, float(found[1])], rtol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 7, 64, 1000])
def test_shuffled_indices_are_a_permutation(count):
    index = tf.range(count)
    found = tf.random_index_shuffle(index, [1, 2, 3], count - 1)
    assert sorted(found.numpy().tolist()) == list(range(count))
    alone = [int(tf.random_index_shuffle(i, [1, 2, 3], count - 1)) for i in range(min(count, 5))]
    assert alone == found[:5].numpy().tolist()


def test_shuffled_indices_depend_on_the_seed_and_keep_the_dtype():
    index = tf.range(100, dtype=tf.int64)
    both = tf.random_index_shuffle(index[None], [[[1, 2, 3]], [[1, 2, 4]]], tf.constant(99, tf.int64), rounds=6)
    assert both.dtype == tf.int64
    assert (both[0].numpy() != both[1].numpy()).mean() > 0.9
    assert (both[0].numpy() != np.arange(100)).mean() > 0.9
    counts = np.bincount([int(tf.random_index_shuffle(0, [5, i, 0], 3)) for i in range(400)])
    assert counts.min() > 60


@pytest.mark.parametrize(
    ("index", "seed", "top", "rounds"),
    [
        (5, [1, 2, 3], 4, 4),
        (-1, [1, 2, 3], 4, 4),
        (0, [1, 2], 4, 4),
        (0, [1, 2, 3], 4, 3),
        ([0, 1], [[1, 2, 3]] * 3, 4, 4),
    ],
)
def test_shuffled_indices_of_bad_arguments(index, seed, top, rounds):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random_index_shuffle(index, seed, top, rounds)
