"""How Keras comes to run on gradtape, and what happens when it cannot."""

import os
import subprocess
import sys

import pytest


def run(program, **environment):
    env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"} | environment
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=env, capture_output=True, text=True, timeout=120
    )


def printed(program, **environment):
    done = run(program, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_lazy():
    names = "('keras', 'scipy', 'h5py', 'tensorflow', 'torch', 'jax', 'ml_dtypes', 'gradtape.programs')"
    program = f"import sys, gradtape; print([m for m in {names} if m in sys.modules])"
    assert printed(program) == "[]"


def test_types_that_numpy_lacks_are_known_when_they_first_come():
    program = (
        "import sys, ml_dtypes, numpy as np, gradtape as tf; from gradtape.base.dtypes import is_differentiable as d;"
        "print(d(np.dtype(ml_dtypes.bfloat16)), d(np.dtype(ml_dtypes.int4)), "
        "tf.as_dtype(ml_dtypes.bfloat16) is tf.bfloat16, tf.constant(np.ones(1, ml_dtypes.float8_e5m2)).dtype.name, "
        "tf.bfloat16.size, tf.as_dtype('bfloat16').is_floating, tf.bfloat16 == np.dtype(ml_dtypes.bfloat16))"
    )
    assert printed(program) == "True False True float8_e5m2 2 True True"
    assert printed("import gradtape as tf; print(tf.bfloat16.max, tf.cast(1.5, tf.bfloat16).dtype.name)") == (
        "3.38953e+38 bfloat16"
    )


def test_tf_keras_is_keras():
    program = (
        "import gradtape as tf, keras;"
        "print(tf.keras.__name__, keras.config.backend(), tf.keras.layers.Dense is keras.layers.Dense,"
        "tf.keras.saving.load_model is keras.saving.load_model)"
    )
    assert printed(program) == "keras._tf_keras.keras numpy True True"


def test_aliases():
    program = (
        "import gradtape as tf; print(tf.losses is tf.keras.losses, tf.metrics is tf.keras.metrics, "
        "tf.optimizers is tf.keras.optimizers, tf.initializers is tf.keras.initializers)"
    )
    assert printed(program) == "True True True True"


def test_keras_imported_after_gradtape_runs_on_it():
    assert printed("import gradtape, keras; print(type(keras.ops.ones(2)).__module__)") == "gradtape.core.tensor"


def test_no_optional_package_is_needed():
    names = "('scipy', 'tensorflow', 'torch', 'jax')"
    program = f"import sys, gradtape as tf; tf.keras; print([m for m in {names} if m in sys.modules])"
    assert printed(program) == "[]"


def test_the_environment_is_left_alone():
    assert printed("import os, gradtape as tf; tf.keras; print(os.environ.get('KERAS_BACKEND'))") == "None"
    assert (
        printed("import os, gradtape as tf; tf.keras; print(os.environ['KERAS_BACKEND'])", KERAS_BACKEND="numpy")
        == "numpy"
    )


def test_another_backend_chosen():
    done = run("import gradtape as tf; print(tf.constant(1.0) + 1); tf.keras", KERAS_BACKEND="torch")
    assert "tf.Tensor(2.0" in done.stdout
    assert "KERAS_BACKEND is 'torch'" in done.stderr.splitlines()[-1]


def test_keras_runs_on_another_backend_already():
    program = (
        "import sys, types; keras = types.ModuleType('keras'); keras.config = "
        "types.SimpleNamespace(backend=lambda: 'jax');"
        "sys.modules['keras'] = keras; import gradtape as tf; tf.Variable(1.0); tf.keras"
    )
    last = run(program).stderr.splitlines()[-1]
    assert "already running on 'jax'" in last
    assert "Import gradtape before keras" in last


def test_a_failed_import_is_forgotten():
    program = (
        "import sys, types; sys.modules['keras.src'] = types.ModuleType('keras.src');"
        "import gradtape as tf; print(tf.keras.config.backend())"
    )
    assert printed(program) == "numpy"


def test_set_backend_refuses():
    last = run("import gradtape as tf; tf.keras.config.set_backend('jax')").stderr.splitlines()[-1]
    assert "one process can run Keras on one backend" in last
    assert printed("import gradtape as tf; tf.keras.config.set_backend('numpy'); print('ok')") == "ok"


@pytest.fixture(scope="module")
def tf():
    import gradtape

    return gradtape


def test_symbolic_and_eager_mix(tf):
    x = tf.keras.Input((2,))
    y = tf.constant([1.0, 2.0]) + x
    assert y.shape == (None, 2)
    model = tf.keras.Model(x, y)
    assert model(tf.ones([1, 2])).numpy().tolist() == [[2.0, 3.0]]


def test_functions_refuse_symbolic_tensors(tf):
    with pytest.raises(ValueError, match="KerasTensor cannot be used as input to a TensorFlow function"):
        tf.square(tf.keras.Input((2,)))


def test_export_says_what_to_do(tf):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    with pytest.raises(NotImplementedError, match=r"model\.save|only compatible with TensorFlow"):
        model.export("unused")


def test_unknown_functions_are_named(tf):
    import keras

    with pytest.raises(NotImplementedError, match=r"numpy\.does_not_exist"):
        keras.src.backend.numpy.does_not_exist(1)
