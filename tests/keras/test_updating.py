"""Optimizers' updates are captured after a few calls: the same numbers as step by step, whatever the settings."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape import keras
from gradtape.keras_backend import updating

optimizers = keras.optimizers
NAMES = sorted(
    n
    for n, c in vars(optimizers).items()
    if isinstance(c, type)
    and issubclass(c, optimizers.Optimizer)
    and n not in ("Optimizer", "LossScaleOptimizer", "MultiOptimizer")
)


def variables():
    rng = np.random.default_rng(0)
    return [keras.Variable(rng.normal(size=s).astype("float32"), name=n) for n, s in {"a": (3, 4), "b": (4,)}.items()]


def trained(monkeypatch, make, captured, steps=9, gradients=None, between=None):
    """The values of all variables after some steps, and how many updates were captured."""
    if not captured:
        monkeypatch.setattr(updating, "MOST_CAPTURES", 0)
    optimizer, weights = make(), variables()
    rng = np.random.default_rng(1)
    for step in range(steps):
        found = [tf.constant(rng.normal(size=w.shape).astype("float32")) for w in weights]
        optimizer.apply(gradients(step, found) if gradients else found, weights)
        if between:
            between(step, optimizer)
    monkeypatch.undo()
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    known = updating._known[inner]
    return [v.numpy() for v in (*weights, *optimizer.variables)], known.captures


def agree(monkeypatch, make, captures=1, **options):
    step_by_step, none = trained(monkeypatch, make, False, **options)
    replayed, times = trained(monkeypatch, make, True, **options)
    assert none == 0
    assert times == captures
    for a, b in zip(step_by_step, replayed, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_every_optimizer(name, monkeypatch):
    agree(monkeypatch, lambda: getattr(optimizers, name)(0.01))


@pytest.mark.parametrize(
    "options",
    [
        {"clipnorm": 0.5},
        {"global_clipnorm": 0.5},
        {"clipvalue": 0.3},
        {"weight_decay": 0.1},
        {"use_ema": True, "ema_momentum": 0.5},
        {"use_ema": True, "ema_overwrite_frequency": 3},
        {"gradient_accumulation_steps": 3},
        {"loss_scale_factor": 8.0},
        {"learning_rate": optimizers.schedules.CosineDecay(0.1, 5, warmup_target=0.2, warmup_steps=3)},
        {"learning_rate": optimizers.schedules.PiecewiseConstantDecay([2, 5], [0.1, 0.05, 0.01])},
        {"learning_rate": optimizers.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)},
    ],
    ids=",".join,
)
def test_settings(options, monkeypatch):
    agree(monkeypatch, lambda: optimizers.Adam(**{"learning_rate": 0.01, **options}))


def test_a_setting_that_changes_is_followed(monkeypatch):
    def between(step, optimizer):
        optimizer.learning_rate = 0.1 / (step + 1)  # a variable
        if step == 5:
            optimizer.clipnorm = 0.1

    agree(monkeypatch, lambda: optimizers.SGD(0.1, momentum=0.9), captures=2, between=between)


def test_a_setting_that_keeps_changing(monkeypatch):
    def between(step, optimizer):
        optimizer.momentum = 1 / (step + 1)

    agree(monkeypatch, lambda: optimizers.SGD(0.1, momentum=0.9), captures=8, steps=20, between=between)


def test_the_scale_of_losses(monkeypatch):
    def gradients(step, found):
        return [g * np.float32(np.inf) if step == 4 else g * 16.0 for g in found]

    agree(
        monkeypatch,
        lambda: optimizers.LossScaleOptimizer(optimizers.Adam(0.01), initial_scale=16.0, dynamic_growth_steps=3),
        gradients=gradients,
    )


def test_gradients_of_rows_and_missing_ones(monkeypatch):
    def rows(step, found):
        slices = tf.IndexedSlices(found[0][:2], tf.constant([2, step % 3]), tf.constant([3, 4]))
        return [slices, found[1] if step % 2 else None]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(monkeypatch, lambda: optimizers.Adam(0.01), captures=2, gradients=rows)


def test_users_optimizers_run_each_time():
    calls = []

    class Mine(optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            calls.append(1)
            super().update_step(gradient, variable, learning_rate)

    optimizer, weights = Mine(0.1), variables()
    for _ in range(6):
        optimizer.apply([tf.ones(w.shape) for w in weights], weights)
    assert len(calls) == 12


def test_nothing_keeps_an_optimizer_alive():
    optimizer, weights = optimizers.Adam(0.1), variables()
    for _ in range(5):
        optimizer.apply([tf.ones(w.shape) for w in weights], weights)
    assert updating._known[optimizer].captures == 1
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


def test_updates_under_a_tape():
    optimizer, weights = optimizers.SGD(0.5), variables()
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weights[1] * weights[1])
            optimizer.apply([tf.ones(w.shape) for w in weights], weights)
        before = weights[1].numpy() + 0.5
        np.testing.assert_allclose(tape.gradient(loss, weights[1]), 2 * before, rtol=1e-6)
