"""`tf.GradientTape` without TensorFlow: automatic differentiation, to any order, on NumPy.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x * x
>>> tape.gradient(y, x).numpy()
np.float32(6.0)
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from gradtape import autodiff, debugging, dtypes, errors, nest
from gradtape.arrays import (
    DType,
    Tensor,
    TensorShape,
    as_dtype,
    bitcast,
    broadcast_dynamic_shape,
    broadcast_static_shape,
    cast,
    constant,
    control_dependencies,
    convert_to_tensor,
    device,
    ensure_shape,
    executing_eagerly,
    eye,
    fill,
    get_logger,
    get_static_value,
    group,
    identity,
    identity_n,
    inside_function,
    is_tensor,
    linspace,
    meshgrid,
    newaxis,
    no_op,
    ones,
    ones_like,
    range,
    rank,
    saturate_cast,
    shape,
    shape_n,
    size,
    zeros,
    zeros_like,
)
from gradtape.autodiff import (
    GradientTape,
    UnconnectedGradients,
    custom_gradient,
    grad_pass_through,
    gradients,
    hessians,
    recompute_grad,
    stop_gradient,
)
from gradtape.control import (
    TensorArray,
    case,
    cond,
    foldl,
    foldr,
    map_fn,
    numpy_function,
    py_function,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
from gradtape.debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank, print
from gradtape.dtypes import (
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from gradtape.keras_backend.finder import install as _install_keras_finder
from gradtape.ops import operators as _operators  # noqa: F401 - gives tensors their operators

_KERAS = ("keras", "losses", "metrics", "optimizers", "initializers")


def __getattr__(name: str) -> _Any:
    """Import Keras when `tf.keras` (or what TensorFlow takes from it) is first asked for."""
    if name in _KERAS:
        keras = _import_module("gradtape.keras")
        return keras if name == "keras" else getattr(keras, name)
    raise AttributeError(f"module 'gradtape' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_KERAS])


_install_keras_finder()

__all__ = [
    "Assert",
    "DType",
    "GradientTape",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "UnconnectedGradients",
    "as_dtype",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "autodiff",
    "bfloat16",
    "bitcast",
    "bool",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "case",
    "cast",
    "complex64",
    "complex128",
    "cond",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "custom_gradient",
    "debugging",
    "device",
    "double",
    "dtypes",
    "ensure_shape",
    "errors",
    "executing_eagerly",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "foldl",
    "foldr",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "group",
    "half",
    "hessians",
    "identity",
    "identity_n",
    "inside_function",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_tensor",
    "linspace",
    "map_fn",
    "meshgrid",
    "nest",
    "newaxis",
    "no_op",
    "numpy_function",
    "ones",
    "ones_like",
    "print",
    "py_function",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "range",
    "rank",
    "recompute_grad",
    "resource",
    "saturate_cast",
    "scan",
    "shape",
    "shape_n",
    "size",
    "stop_gradient",
    "string",
    "switch_case",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
    "vectorized_map",
    "while_loop",
    "zeros",
    "zeros_like",
]
