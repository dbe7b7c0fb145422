"""Models go from Keras on TensorFlow to Keras on gradtape and back, through pickles, copies and weights."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import gradtape as tf

FILES = Path(__file__).with_name("files")


@pytest.fixture(scope="module")
def data():
    with np.load(FILES / "tensorflow.npz") as found:
        return dict(found)


@pytest.fixture(scope="module")
def model():
    return tf.keras.models.load_model(FILES / "tensorflow.keras")


def predictions(model, data):
    return model.predict([data["image"], data["words"]], verbose=0)


def test_a_model_from_tensorflow_predicts_the_same(model, data):
    np.testing.assert_allclose(predictions(model, data), data["predictions"], rtol=0, atol=1e-5)


def test_it_goes_on_training(data):
    model = tf.keras.models.load_model(FILES / "tensorflow.keras")
    assert model.optimizer.iterations.numpy() == 4
    before = model.evaluate([data["image"], data["words"]], np.array([0, 1, 2, 0]), verbose=0)
    model.fit([data["image"], data["words"]], np.array([0, 1, 2, 0]), epochs=5, verbose=0)
    assert model.evaluate([data["image"], data["words"]], np.array([0, 1, 2, 0]), verbose=0) < before


def test_weights_from_tensorflow(data):
    model = tf.keras.models.load_model(FILES / "tensorflow.keras")
    for variable in model.weights:
        variable.assign(tf.zeros_like(variable))
    assert np.ptp(predictions(model, data)) == 0
    model.load_weights(FILES / "tensorflow.weights.h5")
    np.testing.assert_allclose(predictions(model, data), data["predictions"], rtol=0, atol=1e-5)


def content(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def test_what_gradtape_writes_is_what_tensorflow_wrote(model, tmp_path):
    model.save_weights(tmp_path / "ours.weights.h5")
    ours, theirs = content(tmp_path / "ours.weights.h5"), content(FILES / "tensorflow.weights.h5")
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name].dtype == value.dtype
        np.testing.assert_array_equal(ours[name], value)


def test_keras_files_round_trip(model, data, tmp_path):
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(predictions(again, data), predictions(model, data))


def test_clones_and_copies(model, data):
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    np.testing.assert_array_equal(predictions(clone, data), predictions(model, data))


def test_a_pickle_loads_in_a_process_that_has_imported_nothing(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.set_weights([np.array([[1.0], [2.0]]), np.array([3.0])])
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    program = (
        "import pickle, sys; model = pickle.load(open(sys.argv[1], 'rb'));"
        "import numpy; print(model.predict(numpy.array([[1.0, 1.0]]), verbose=0).tolist(), 'gradtape' in sys.modules)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model.pickle")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[[6.0]] True", done.stderr
