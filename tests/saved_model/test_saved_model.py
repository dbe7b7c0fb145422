"""Saved models, loaded in this process and in others."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gradtape as tf


class Line(tf.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = tf.Variable(slope)
        self.history = [tf.Variable(0)]

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def __call__(self, x):
        return self.slope * x


def test_a_copy_of_its_own(tmp_path):
    line = Line(2.0)
    tf.saved_model.save(line, tmp_path / "line")
    line.slope.assign(5.0)
    loaded = tf.saved_model.load(tmp_path / "line")
    for size in (1, 3):
        assert float(tf.reduce_sum(loaded(tf.ones([size, 2])))) == 4.0 * size
    loaded.slope.assign(3.0)
    assert (float(line.slope), float(loaded.slope), loaded.signatures) == (5.0, 3.0, {})
    assert isinstance(loaded, Line)
    with tf.GradientTape() as tape:
        y = loaded(tf.ones([1, 1]))
    assert float(tape.gradient(y, loaded.slope)) == 1.0


def test_code_made_in_functions(tmp_path):
    factor = tf.Variable(2.0)

    @tf.custom_gradient
    def clipped(x):
        return x, lambda dy: tf.clip_by_norm(dy, 0.5)

    class Base(tf.Module):
        scale = 10.0

        def __init__(self):
            super().__init__()
            self.inner = lambda x: factor * x

        @property
        def twice(self):
            return 2 * self.scale

        @staticmethod
        def one():
            return 1.0

        @classmethod
        def kind(cls):
            return cls.__name__

        def factorial(self, n):
            def of(m):
                return 1 if m == 0 else m * of(m - 1)

            return of(n)

    class Derived(Base):
        def __init__(self):
            super().__init__()
            self.pair = (factor, self)

        @tf.function
        def __call__(self, x):
            return clipped(self.inner(x)) if x > 0 else x

    tf.saved_model.save(Derived(), tmp_path, options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))
    loaded = tf.saved_model.load(tmp_path)
    assert (loaded.twice, loaded.one(), loaded.kind(), loaded.factorial(4)) == (20.0, 1.0, "Derived", 24)
    assert loaded.pair[1] is loaded
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded(x)
    assert (float(y), float(tape.gradient(y, x))) == (6.0, 1.0)
    assert float(loaded(tf.constant(-3.0))) == -3.0
    loaded.pair[0].assign(4.0)
    assert float(loaded(x)) == 12.0
    assert float(factor) == 2.0


def run(folder, text):
    """What a program of its own prints."""
    path = os.pathsep.join([os.path.dirname(os.path.dirname(tf.__file__)), os.environ.get("PYTHONPATH", "")])
    file = folder / "program.py"
    file.write_text(textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, file], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_one_process_to_another(tmp_path):
    run(
        tmp_path,
        """
        import numpy as np
        import gradtape as tf

        OFFSET = tf.constant(1.0)

        def shifted(x):
            return x + OFFSET

        class Dense(tf.Module):
            def __init__(self, sizes, activation=tf.nn.relu):
                super().__init__()
                self.w = tf.Variable(tf.ones(sizes))
                self.activation = activation

            def __call__(self, x):
                return self.activation(x @ self.w)

        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.layers = [Dense([2, 3]), Dense([3, 1], shifted)]

            @tf.function
            def __call__(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x * np.float32(2)

        model = Model()
        model(tf.ones([1, 2]))
        tf.saved_model.save(model, "model", signatures=model.__call__.get_concrete_function(tf.TensorSpec([1, 2])))
        """,
    )
    printed = run(
        tmp_path,
        """
        import gradtape as tf
        print(tf.saved_model.contains_saved_model("model"))
        model = tf.saved_model.load("model")
        print(float(tf.squeeze(model(tf.ones([1, 2])))), len(model.trainable_variables), sorted(model.signatures))
        with tf.GradientTape() as tape:
            loss = model(tf.ones([4, 2]))
        print(tape.gradient(loss, model.layers[1].w).numpy().tolist())
        """,
    )
    assert printed.split("\n") == ["True", "14.0 2 ['serving_default']", "[[16.0], [16.0], [16.0]]", ""]


def test_keras_models(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
    tf.saved_model.save(model, tmp_path)
    x = np.ones((1, 2), np.float32)
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path)(x), model(x))


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="Expected a Trackable object for export"):
        tf.saved_model.save(3, tmp_path)
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path / "none")
    assert not tf.saved_model.contains_saved_model(tmp_path)
    line = Line(1.0)
    line.numbers = (n for n in range(3))
    with pytest.raises(ValueError, match=r"Line holds something that cannot be saved: .*generator"):
        tf.saved_model.save(line, tmp_path)
    assert os.listdir(tmp_path) == []
    (tmp_path / "saved_model.pickle").write_bytes(b"")
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        tf.saved_model.load(tmp_path)
