"""What Keras looks at outside of its backend, and what it says where gradtape cannot do what another backend can."""

import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

import gradtape as tf

K = tf.keras
L = K.layers
KERAS = tuple(map(int, K.version().split(".")[:2]))


def model_of_two():
    model = K.Sequential([K.Input((2,)), L.Dense(1)])
    model(np.ones((1, 2)))
    return model


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (
            lambda: model_of_two().export("x"),
            NotImplementedError,
            r"model\.save\('m\.keras'\)" if KERAS >= (3, 14) else "only compatible with TensorFlow",
        ),
        (
            lambda: model_of_two().export("x.onnx", format="onnx"),
            NotImplementedError,
            "only compatible with TensorFlow",
        ),
        (
            lambda: model_of_two().export("x.tflite", format="litert"),
            (ValueError, ImportError),
            "requires TensorFlow" if KERAS >= (3, 13) else "Unrecognized format",
        ),
        (
            lambda: L.TFSMLayer("x"),
            NotImplementedError,
            "with the TensorFlow .* KERAS_BACKEND=tensorflow",
        ),
        (lambda: L.JaxLayer(lambda x: x), ValueError, "only supported with the JAX or .* KERAS_BACKEND=jax"),
        (lambda: L.FlaxLayer(None), ValueError, "only supported with the JAX or .* KERAS_BACKEND=jax"),
        (lambda: L.TorchModuleWrapper(None), NotImplementedError, "only supported with the PyTorch .* keras.ops"),
        (lambda: L.BatchNormalization(synchronized=True)(np.ones((2, 2))), ValueError, "synchronized=True is only"),
        (lambda: K.callbacks.TensorBoard(profile_batch=2), ValueError, "Profiling is not yet available"),
        (lambda: K.ops.convert_to_tensor([1.0], sparse=True), ValueError, "not supported with gradtape"),
        (lambda: K.Input((2,), sparse=True), ValueError, "`sparse=True` is not supported"),
        (lambda: model_of_two().fit(np.ones((2, 2)), np.ones(2)), ValueError, r"You must call `compile\(\)`"),
        (lambda: K.distribution.initialize("a,b", 2, 0), NotImplementedError, "one device, the CPU"),
    ],
    ids=lambda x: re.sub(r"\W+", " ", x) if isinstance(x, str) else "",
)
def test_what_is_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_model_without_a_loss():
    model = model_of_two()
    model.compile("sgd")
    with pytest.raises(ValueError, match="No loss to compute"):
        model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)


@pytest.mark.skipif(find_spec("tensorflow") is not None, reason="TensorFlow is there")
@pytest.mark.parametrize(
    "make",
    [
        lambda: K.utils.timeseries_dataset_from_array(np.arange(5), None, 2),
        lambda: K.utils.split_dataset(np.arange(6), 0.5),
    ],
    ids=["timeseries_dataset_from_array", "split_dataset"],
)
def test_datasets_of_tensorflow(make):
    with pytest.raises(ImportError, match="requires the tensorflow module"):
        make()


def test_devices():
    assert (K.distribution.list_devices(), K.distribution.list_devices("gpu")) == (["cpu:0"], [])
    assert K.distribution.get_device_count() == 1


def test_dtypes_are_those_of_tensorflow():
    wide, whole = np.ones(2), np.arange(2)
    assert K.ops.convert_to_tensor(wide).dtype == tf.float64
    assert K.ops.convert_to_tensor(whole).dtype == tf.int64
    assert K.ops.add(whole, whole).dtype == tf.int64
    assert K.ops.mean(wide).dtype == tf.float64
    assert K.backend.result_type("int64") == "int64"
    for made in (K.ops.convert_to_tensor(1), K.ops.arange(3), K.ops.argmax([1, 2])):
        assert made.dtype == tf.int32
    assert K.ops.add(tf.constant(1), tf.constant(1.0)).dtype == tf.float32  # Keras promotes,
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32"):  # TensorFlow does not
        tf.add(tf.constant(1), tf.constant(1.0))


def test_floatx_is_what_layers_compute_in():
    program = (
        "import numpy as np, gradtape as tf; K = tf.keras; K.config.set_floatx('float64');"
        "layer = K.layers.Dense(2); print(layer(np.ones((1, 3))).dtype.name, layer.kernel.dtype)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["float64", "float64"]


def test_tensors_are_not_copied():
    x = tf.ones([3])
    assert K.ops.convert_to_tensor(x) is x


def test_trainable_reaches_the_tape():
    variable = K.Variable(1.0)
    variable.trainable = False
    with tf.GradientTape() as tape:
        loss = variable * 2.0
    assert tape.watched_variables() == ()
    assert tape.gradient(loss, variable) is None


def test_low_rank_adaptation():
    layer = L.Dense(3)
    layer.build((None, 4))
    layer.enable_lora(2)
    assert [v.name for v in layer.trainable_variables] == ["bias", "lora_kernel_a", "lora_kernel_b"]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(np.ones((1, 4), "float32")))
    assert all(g is not None for g in tape.gradient(loss, layer.trainable_variables))


def test_one_seed_for_all():
    draws = []
    for _ in range(2):
        K.utils.set_random_seed(3)
        draws.append([np.random.normal(), float(tf.random.normal([]))])  # noqa: NPY002
        if KERAS >= (3, 13):  # before, a seed does not reach the generator that `keras.random` has made already
            draws[-1].append(float(K.random.normal(())))
    assert draws[0] == draws[1]


def test_averaged_weights_are_swapped_in():
    class Seen(K.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.weights = self.model.get_weights()
            self.averages = [v.numpy() for v in self.model.optimizer._model_variables_moving_average]

    seen = []
    for callbacks in ([], [K.callbacks.SwapEMAWeights(swap_on_epoch=True)]):
        K.utils.set_random_seed(0)
        model = model_of_two()
        model.compile(K.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
        seen.append(Seen())
        model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=3, verbose=0, callbacks=[*callbacks, seen[-1]])
    for weight, average, swapped in zip(seen[0].weights, seen[0].averages, seen[1].weights, strict=True):
        np.testing.assert_allclose(swapped, average, rtol=1e-6)
        assert not np.allclose(swapped, weight)


def test_tensors_are_data_of_fit():
    model = model_of_two()
    model.compile("sgd", "mse")
    history = model.fit(tf.ones([6, 2]), tf.ones([6, 1]), validation_split=0.5, verbose=0).history
    assert sorted(history) == ["loss", "val_loss"]


def test_loading_in_another_process():
    """`PyDataset` with processes that start anew: what they import leads to gradtape."""
    program = """
import numpy as np, gradtape as tf
class Numbers(tf.keras.utils.PyDataset):
    def __len__(self): return 4
    def __getitem__(self, index): return np.full((2, 1), index, "float32"), np.zeros((2, 1), "float32")
if __name__ == "__main__":
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(Numbers(workers=2, use_multiprocessing=True), verbose=0)
    print("trained")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["trained"], done.stderr


def test_errors_of_layers_show_tensors():
    with pytest.raises(ValueError, match=r"inputs=tf\.Tensor\(shape=\(2, 3\), dtype=float32\)") as caught:
        model_of_two()(tf.ones([2, 3]))
    assert "ndarray" not in str(caught.value)
