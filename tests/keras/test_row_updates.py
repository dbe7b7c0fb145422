"""Optimizers given rows of a gradient (`IndexedSlices`) leave what they would leave, had they been given the whole."""

import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape import keras
from gradtape.ops import variable_ops

optimizers = keras.optimizers
MAKERS = {
    "SGD": optimizers.SGD,
    "momentum": lambda **options: optimizers.SGD(momentum=0.9, nesterov=True, **options),
    "Adagrad": optimizers.Adagrad,
    "RMSprop": optimizers.RMSprop,
    "centered RMSprop": lambda **options: optimizers.RMSprop(centered=True, momentum=0.5, **options),
    "Adam": optimizers.Adam,
}
OPTIONS = [
    {},
    {"clipnorm": 0.5},
    {"global_clipnorm": 0.5},
    {"clipvalue": 0.3},
    {"weight_decay": 0.1},
    {"use_ema": True, "ema_momentum": 0.5},
    {"use_ema": True, "ema_overwrite_frequency": 3},
    {"gradient_accumulation_steps": 3},
    {"loss_scale_factor": 8.0},
]
WORDS = np.array([[7, 2, 7], [3, 7, 2]])


def table(dtype="float32"):
    return keras.Variable(np.random.default_rng(0).normal(size=(9, 4)).astype(dtype), dtype=dtype)


def slices(step):
    rows = np.random.default_rng(step).normal(size=(6, 4)).astype("float32")
    return tf.IndexedSlices(tf.constant(rows), tf.constant((WORDS.ravel() + step) % 9), tf.constant([9, 4]))


def after_steps(optimizer, whole, compiled, variable):
    apply = tf.function(optimizer.apply) if compiled else optimizer.apply
    optimizer.build([variable])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(7):
            gradient = slices(step)
            apply([tf.convert_to_tensor(gradient) if whole else gradient], [variable])
    return [v.numpy() for v in (variable, *optimizer.variables)]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "captured"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", MAKERS)
def test_as_with_the_whole_gradient(name, options, compiled):
    whole, rows = (
        after_steps(MAKERS[name](learning_rate=0.1, **options), whole, compiled, table()) for whole in (True, False)
    )
    for a, b in zip(whole, rows, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop"])
def test_another_dtype(name):
    whole, rows = (after_steps(MAKERS[name](learning_rate=0.1), whole, False, table("float64")) for whole in (1, 0))
    assert rows[0].dtype == np.float64
    np.testing.assert_allclose(whole[0], rows[0], rtol=2e-5)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop"])
def test_under_a_scale_of_the_loss(name):
    made = []
    for whole in (True, False):
        optimizer, variable = optimizers.LossScaleOptimizer(MAKERS[name](learning_rate=0.1)), table()
        made.append(after_steps(optimizer, whole, False, variable)[0])
    np.testing.assert_allclose(*made, rtol=2e-5)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop"])
def test_in_a_stateless_scope(name):
    variable, optimizer = table(), MAKERS[name](learning_rate=0.1)
    before = variable.numpy()
    optimizer.build([variable])
    values = [v.value for v in optimizer.variables]
    found, _ = optimizer.stateless_apply(values, [slices(0)], [variable.value])
    np.testing.assert_array_equal(variable.numpy(), before)
    optimizer.apply([slices(0)], [variable])
    np.testing.assert_allclose(found[0].numpy(), variable.numpy(), rtol=2e-5)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop"])
def test_fit_changes_rows(name, monkeypatch):
    """The table is changed by rows, in `fit` too."""
    kept = []
    changed = variable_ops.changed
    monkeypatch.setattr(variable_ops, "changed", lambda x, *rest: kept.append(x.shape) or changed(x, *rest))
    model = keras.Sequential([keras.layers.Embedding(9, 4), keras.layers.GlobalAveragePooling1D()])
    model.build((None, 3))
    before = model.layers[0].embeddings.numpy()
    model.compile(MAKERS[name](learning_rate=0.1), "mse")
    model.fit(WORDS, np.ones((2, 4)), epochs=4, verbose=0)
    assert (9, 4) in kept
    moved = (model.layers[0].embeddings.numpy() != before).any(axis=1)
    assert sorted(np.flatnonzero(moved)) == [2, 3, 7]


def test_no_rows_at_all():
    variable = table()
    before = variable.numpy()
    nothing = tf.IndexedSlices(tf.zeros([0, 4]), tf.zeros([0], tf.int64), tf.constant([9, 4]))
    for name in ("SGD", "Adagrad", "RMSprop"):
        MAKERS[name](learning_rate=0.1).apply([nothing], [variable])
    np.testing.assert_array_equal(variable.numpy(), before)


@pytest.mark.parametrize("name", ["SGD", "Adagrad", "RMSprop"])
def test_a_row_that_is_not_there(name):
    far = tf.IndexedSlices(tf.ones([1, 4]), tf.constant([9]), tf.constant([9, 4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"9.*\[0, 9\)"):
        MAKERS[name](learning_rate=0.1).apply([far], [table()])
