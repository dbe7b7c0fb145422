"""Checkpoints: what is saved, what is restored, and what is said about the rest."""

import os

import numpy as np
import pytest

import gradtape as tf


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)
        self.rows = [tf.Variable(1), {"a": tf.Variable([True, False])}]
        self.rate = 0.1


def names_in(path):
    return [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)]


def test_save_and_restore(tmp_path):
    model, step = Model(), tf.Variable(1, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, step=step)
    path = checkpoint.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1")
    assert names_in(path) == ["model/rows/0", "model/rows/1/a", "model/w", "save_counter", "step"]
    model.w.assign(9.0)
    model.rows[1]["a"].assign([False, False])
    step.assign(5)
    checkpoint.restore(path).assert_consumed().assert_existing_objects_matched()
    assert (float(model.w), int(step), model.rows[1]["a"].numpy().tolist()) == (2.0, 1, [True, False])
    other = Model()
    tf.train.Checkpoint(model=other).restore(path).expect_partial()
    assert float(other.w) == 2.0


def test_the_latest_is_noted(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0.0))
    assert tf.train.latest_checkpoint(tmp_path) is None
    checkpoint.save(tmp_path / "a")
    second = checkpoint.save(tmp_path / "a")
    assert tf.train.latest_checkpoint(tmp_path) == second == str(tmp_path / "a-2")
    assert int(checkpoint.save_counter) == 2
    assert tf.train.load_variable(tmp_path, "save_counter/.ATTRIBUTES/VARIABLE_VALUE") == 2
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    assert tf.train.latest_checkpoint(moved) == str(moved / "a-2")


def test_paths_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0.0))
    assert checkpoint.write("plain") == "plain"
    assert checkpoint.save("numbered") == "numbered-1"
    assert os.path.samefile(tf.train.latest_checkpoint(".") + ".npz", "numbered-1.npz")


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64, tf.int8, tf.bool, tf.complex64])
def test_dtypes(tmp_path, dtype):
    v = tf.Variable(tf.cast([0.0, 1.0], dtype))
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tmp_path / "c")
    v.assign(tf.zeros_like(v))
    checkpoint.read(path).assert_consumed()
    assert v.dtype == dtype
    assert np.asarray(v.numpy()).astype(complex).tolist() == [0, 1]


def test_strings(tmp_path):
    v = tf.Variable([b"a\0", b""])
    path = tf.train.Checkpoint(v=v).write(tmp_path / "c")
    v.assign(["x", "y"])
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    assert v.numpy().tolist() == [b"a\0", b""]


def test_objects_that_share_a_variable_and_rings(tmp_path):
    model = Model()
    model.again, model.me = model.w, model
    path = tf.train.Checkpoint(model).write(tmp_path / "c")
    assert names_in(path) == ["again", "rows/0", "rows/1/a"]


def test_what_is_not_restored_is_said(tmp_path):
    path = tf.train.Checkpoint(model=Model(), step=tf.Variable(1)).write(tmp_path / "c")
    with pytest.raises(AssertionError, match=r"no object has a variable for: \['step/"):
        tf.train.Checkpoint(model=Model()).read(path).assert_consumed()
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        tf.train.Checkpoint(model=Model(), other=tf.Variable(1)).read(path).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Nothing to load"):
        tf.train.Checkpoint(other=tf.Variable(1)).read(path).assert_nontrivial_match()
    status = tf.train.Checkpoint(model=Model()).read(path)
    with pytest.warns(RuntimeWarning, match="were not restored"):
        status.__del__()
    status.expect_partial()
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        tf.train.Checkpoint(v=tf.Variable(1)).restore(None).assert_consumed()


def test_variables_that_come_later_are_restored_when_the_status_is_asked(tmp_path):
    path = tf.train.Checkpoint(model=Model()).write(tmp_path / "c")
    late = tf.Module()
    status = tf.train.Checkpoint(model=late).read(path)
    late.w = tf.Variable(0.0)
    status.expect_partial()
    assert float(late.w) == 2.0


def test_errors(tmp_path):
    v = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(v=v).write(tmp_path / "c")
    with pytest.raises(ValueError, match=r"shape \(2,\) .* variable with shape \(\)"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(v=tf.Variable([1, 2])).read(path)
    with pytest.raises(tf.errors.NotFoundError, match="check that the path"):
        tf.train.Checkpoint(v=v).restore(tmp_path / "none")
    with pytest.raises(ValueError, match="expecting a to be a trackable object"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found"):
        tf.train.load_variable(path, "w")
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(tf.errors.DataLossError, match="no checkpoint of gradtape"):
        tf.train.Checkpoint(v=v).read(tmp_path / "bad")


def test_manager(tmp_path):
    v = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for i in range(3):
        v.assign(i)
        manager.save()
    assert [os.path.basename(p) for p in manager.checkpoints] == ["ckpt-2", "ckpt-3"]
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "ckpt-2.npz", "ckpt-3.npz"]
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(7)), tmp_path, max_to_keep=2)
    assert again.checkpoints == manager.checkpoints
    assert again.restore_or_initialize() == manager.latest_checkpoint
    assert int(again.checkpoint.v) == 2
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="step_counter"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1, checkpoint_interval=2)


def test_manager_by_steps(tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), tmp_path, None, step_counter=step, checkpoint_interval=2
    )
    saved = []
    for i in range(4):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False]
    assert manager.save(check_interval=False) is not None


def test_keras_models_and_optimizers(tmp_path):
    def made():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(0.1)
        model.compile(optimizer, "mse")
        return model, optimizer, tf.train.Checkpoint(model=model, optimizer=optimizer)

    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model, _, checkpoint = made()
    model.fit(x, y, epochs=3, verbose=0)
    path = checkpoint.save(tmp_path / "k")
    wanted = model.fit(x, y, epochs=2, verbose=0).history["loss"]
    other, optimizer, again = made()
    optimizer.build(other.trainable_variables)
    again.restore(path).assert_consumed()
    assert other.fit(x, y, epochs=2, verbose=0).history["loss"] == pytest.approx(wanted)


def test_keras_layers_by_attribute(tmp_path):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = tf.keras.layers.Dense(2)
            self.rest = [tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
            self.scale = tf.Variable(1.0)

        def call(self, x):
            for layer in (self.first, *self.rest):
                x = layer(x)
            return self.scale * x

    net, other = Net(), Net()
    x = tf.ones([1, 3])
    wanted = net(x)
    path = tf.train.Checkpoint(net=net).write(tmp_path / "c")
    names = names_in(path)
    assert len(names) == len(net.weights) + 1
    assert {"net/first/kernel", "net/first/bias", "net/scale"} < set(names)
    status = tf.train.Checkpoint(net=other).read(path)
    other(x)
    status.assert_consumed()
    np.testing.assert_array_equal(other(x), wanted)
    bias = tf.Variable([5.0, 5.0])
    part = tf.train.Checkpoint(first=tf.train.Checkpoint(bias=bias))
    tf.train.Checkpoint(net=part).read(path).expect_partial()
    np.testing.assert_array_equal(bias, net.first.bias)


def test_iterators_and_generators(tmp_path):
    numbers, generator = iter(tf.data.Dataset.range(9)), tf.random.Generator.from_seed(1)
    checkpoint = tf.train.Checkpoint(numbers=numbers, generator=generator)
    assert [int(next(numbers)) for _ in range(2)] == [0, 1]
    generator.normal([])
    path = checkpoint.write(tmp_path / "c")
    assert names_in(path) == ["generator/state", "numbers/position"]
    wanted = int(next(numbers)), float(generator.normal([]))
    tf.function(lambda: next(numbers))()
    checkpoint.read(path).assert_consumed()
    assert (int(next(numbers)), float(generator.normal([]))) == wanted


def test_readers(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    reader = tf.train.load_checkpoint(checkpoint.write(tmp_path / "c"))
    name = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.get_variable_to_shape_map() == {name: [2]}
    assert reader.get_variable_to_dtype_map() == {name: tf.float32}
    assert reader.has_tensor(name)
    assert reader.get_tensor(name).tolist() == [1.0, 2.0]
