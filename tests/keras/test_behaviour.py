"""What Keras asks of a backend beside its functions: scopes, seeds, masks, casts, remat, preprocessing layers."""

import sys

import numpy as np
import pytest

import gradtape as tf

K = tf.keras


@pytest.mark.parametrize("options", [{}, {"write_graph": False, "update_freq": "batch"}], ids=["graph", "no graph"])
def test_tensorboard_says_what_it_needs(options, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    monkeypatch.setitem(sys.modules, "tensorflow.summary", None)
    model = K.Sequential([K.Input((1,)), K.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ImportError, match=r"TensorBoard callback.*tf\.summary.*pip install tensorflow tensorboard"):
        model.fit(np.ones((2, 1)), np.ones(2), verbose=0, callbacks=[K.callbacks.TensorBoard(tmp_path, **options)])


def test_preprocessing_without_tensorflow():
    images = np.arange(48.0, dtype="float32").reshape(1, 4, 4, 3)
    assert K.layers.Rescaling(0.5, 1.0)(images).numpy()[0, 0, 0].tolist() == [1.0, 1.5, 2.0]
    normalize = K.layers.Normalization(axis=-1)
    normalize.adapt(images)
    np.testing.assert_allclose(normalize(images).numpy().mean((0, 1, 2)), 0.0, atol=1e-6)
    assert K.layers.CategoryEncoding(3, output_mode="multi_hot")(np.array([[0, 2]])).numpy().tolist() == [[1, 0, 1]]
    assert K.layers.Discretization([1.0, 3.0])(np.array([0.0, 2.0, 5.0])).numpy().tolist() == [0, 1, 2]
    assert K.layers.Resizing(2, 2)(images).shape == (1, 2, 2, 3)
    assert K.layers.CenterCrop(2, 2)(images).numpy()[0, 0, 0].tolist() == [15.0, 16.0, 17.0]
    flipped = K.layers.RandomFlip("horizontal", seed=1)(images, training=True).numpy()
    assert sorted(flipped.ravel()) == images.ravel().tolist()
    assert K.layers.RandomRotation(0.1, seed=1)(images, training=True).shape == images.shape


def test_stateless_scopes_hold_assignments_back():
    variable = K.Variable(1.0)
    with K.StatelessScope(state_mapping=[(variable, K.ops.convert_to_tensor(5.0))]) as scope:
        assert variable.value.numpy() == 5.0
        variable.assign(7.0)
        assert variable.value.numpy() == 7.0
    assert variable.numpy() == 1.0
    assert scope.get_current_value(variable).numpy() == 7.0


def test_stateless_calls():
    layer = K.layers.BatchNormalization()
    layer.build((None, 2))
    x = np.array([[1.0, 2.0], [3.0, 6.0]], "float32")
    _, state = layer.stateless_call(layer.trainable_variables, layer.non_trainable_variables, x, training=True)
    np.testing.assert_allclose(state[0].numpy(), [0.02, 0.04], rtol=1e-5)
    assert layer.moving_mean.numpy().tolist() == [0.0, 0.0]


def test_seeds_determine_draws():
    draw = K.random.normal((3,), seed=7).numpy()
    assert draw.tolist() == K.random.normal((3,), seed=7).numpy().tolist()
    generator = K.random.SeedGenerator(7)
    first, second = (K.random.uniform((3,), seed=generator).numpy() for _ in range(2))
    assert first.tolist() != second.tolist()
    again = K.random.SeedGenerator(7)
    assert first.tolist() == K.random.uniform((3,), seed=again).numpy().tolist()
    assert again.state.numpy().tolist() == [7, 1]


def test_masks_pass_through_layers():
    words = np.array([[1, 2, 0, 0], [3, 0, 0, 0]])
    embedded = K.layers.Embedding(4, 2, mask_zero=True)(words)
    assert embedded._keras_mask.numpy().tolist() == [[True, True, False, False], [True, False, False, False]]
    pooled = K.layers.GlobalAveragePooling1D()(embedded).numpy()
    np.testing.assert_allclose(pooled[1], embedded.numpy()[1, 0], rtol=1e-6)


def test_autocast():
    layer = K.layers.Dense(2, dtype="mixed_float16")
    out = layer(np.ones((1, 3), "float32"))
    assert (out.dtype, layer.kernel.dtype) == (tf.float16, "float32")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.cast(layer(np.ones((1, 3), "float32")), tf.float32))
    assert tape.gradient(loss, layer.kernel).dtype == tf.float32


def test_float64_is_not_demoted():
    layer = K.layers.Dense(2, dtype="float64")
    assert layer(np.ones((1, 3))).dtype == tf.float64
    assert K.ops.convert_to_tensor(np.int64(3)).dtype == tf.int64
    assert K.ops.add(np.int64(2**40), np.int64(1)).numpy() == 2**40 + 1


def test_remat_computes_again():
    calls = []

    def square(x):
        calls.append(1)
        return x * x

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = K.remat(square)(x)
    assert (float(y), float(tape.gradient(y, x)), len(calls)) == (9.0, 6.0, 2)


def test_a_function_of_a_newer_keras_is_refused_by_name():
    from keras.src import backend

    for module in (backend.core, backend.nn, backend.math, backend.linalg, backend.image, backend.random):
        with pytest.raises(NotImplementedError, match=r"keras\.backend\.\w+\.brand_new"):
            module.brand_new(1)


def test_generators_in_threads():
    class Numbers(K.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return np.full((2, 1), index, "float32"), np.full((2, 1), 2.0 * index, "float32")

    K.utils.set_random_seed(0)  # from some starts the loss overshoots at first
    model = K.Sequential([K.Input((1,)), K.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(Numbers(workers=2), epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]


def test_errors_in_layers_keep_their_class_and_say_where():
    class Square(tf.keras.layers.Layer):
        def call(self, x):
            return tf.matmul(x, x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)when calling Square.*Matrix size-incompatible"):
        Square()(tf.ones([2, 3]))
