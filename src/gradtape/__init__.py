"""`tf.GradientTape` without TensorFlow: automatic differentiation, to any order, on NumPy.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x * x
>>> tape.gradient(y, x).numpy()
np.float32(6.0)
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from gradtape import version
from gradtape.keras_backend.finder import install as _install_keras_finder
from gradtape.ops import operators, variable_ops  # noqa: F401 - give tensors and variables their operators
from gradtape.ops.numpy_protocol import FUNCTIONS as _FUNCTIONS

if _TYPE_CHECKING:
    from gradtape import (
        autodiff,
        bitwise,
        config,
        data,
        debugging,
        dtypes,
        errors,
        image,
        linalg,
        math,
        nest,
        nn,
        quantization,
        random,
        saved_model,
        sets,
        signal,
        sparse,
        test,
        testing,
        train,
    )
    from gradtape._histogram import histogram_fixed_width, histogram_fixed_width_bins
    from gradtape._index_shuffle import random_index_shuffle
    from gradtape._matrix_functions import matrix_square_root
    from gradtape._raw_windows import conv, extract_volume_patches
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
        is_symbolic_tensor,
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
    from gradtape.compilation import TensorSpec, function, init_scope
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
    from gradtape.initial_values import (
        constant_initializer,
        ones_initializer,
        random_normal_initializer,
        random_uniform_initializer,
        zeros_initializer,
    )
    from gradtape.linalg import eig, eigvals, einsum, matmul, norm, tensordot
    from gradtape.math import (
        abs,
        acos,
        acosh,
        add,
        add_n,
        argmax,
        argmin,
        asin,
        asinh,
        atan,
        atan2,
        atanh,
        complex,
        cos,
        cosh,
        cumsum,
        divide,
        equal,
        exp,
        floor,
        greater,
        greater_equal,
        less,
        less_equal,
        logical_and,
        logical_not,
        logical_or,
        maximum,
        minimum,
        multiply,
        negative,
        not_equal,
        pow,
        realdiv,
        reduce_all,
        reduce_any,
        reduce_logsumexp,
        reduce_max,
        reduce_mean,
        reduce_min,
        reduce_prod,
        reduce_sum,
        round,
        scalar_mul,
        sigmoid,
        sign,
        sin,
        sinh,
        sqrt,
        square,
        subtract,
        tan,
        tanh,
        truediv,
        truncatediv,
        truncatemod,
    )
    from gradtape.shaping import (
        argsort,
        batch_to_space,
        boolean_mask,
        broadcast_to,
        clip_by_global_norm,
        clip_by_norm,
        clip_by_value,
        concat,
        dynamic_partition,
        dynamic_stitch,
        expand_dims,
        gather,
        gather_nd,
        one_hot,
        pad,
        parallel_stack,
        repeat,
        required_space_to_batch_paddings,
        reshape,
        reverse,
        reverse_sequence,
        roll,
        scatter_nd,
        searchsorted,
        sequence_mask,
        slice,
        sort,
        space_to_batch,
        space_to_batch_nd,
        split,
        squeeze,
        stack,
        strided_slice,
        tensor_scatter_nd_add,
        tensor_scatter_nd_max,
        tensor_scatter_nd_min,
        tensor_scatter_nd_sub,
        tensor_scatter_nd_update,
        tile,
        transpose,
        unique,
        unique_with_counts,
        unravel_index,
        unstack,
        where,
    )
    from gradtape.signal import fftnd, ifftnd, irfftnd, rfftnd
    from gradtape.sparse import SparseTensor
    from gradtape.variables import (
        IndexedSlices,
        Module,
        Variable,
        VariableAggregation,
        VariableSynchronization,
        get_current_name_scope,
        name_scope,
    )

__version__ = version.VERSION

_MODULES = frozenset(
    [
        "autodiff",
        "bitwise",
        "config",
        "data",
        "debugging",
        "dtypes",
        "errors",
        "image",
        "linalg",
        "math",
        "nest",
        "nn",
        "quantization",
        "random",
        "saved_model",
        "sets",
        "signal",
        "sparse",
        "test",
        "testing",
        "train",
    ]
)

_KERAS = frozenset(["keras", "losses", "metrics", "optimizers", "initializers"])

_NAMES = {
    "arrays": """
        DType Tensor TensorShape as_dtype bitcast broadcast_dynamic_shape broadcast_static_shape cast constant
        control_dependencies convert_to_tensor device ensure_shape executing_eagerly eye fill get_logger
        get_static_value group identity identity_n inside_function is_symbolic_tensor is_tensor linspace
        meshgrid newaxis no_op ones ones_like range rank saturate_cast shape shape_n size zeros zeros_like
    """,
    "shaping": """
        argsort batch_to_space boolean_mask broadcast_to clip_by_global_norm clip_by_norm clip_by_value concat
        dynamic_partition dynamic_stitch expand_dims gather gather_nd one_hot pad parallel_stack repeat
        required_space_to_batch_paddings reshape reverse reverse_sequence roll scatter_nd searchsorted
        sequence_mask slice sort space_to_batch space_to_batch_nd split squeeze stack strided_slice
        tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub
        tensor_scatter_nd_update tile transpose unique unique_with_counts unravel_index unstack where
    """,
    "math": """
        abs acos acosh add add_n argmax argmin asin asinh atan atan2 atanh complex cos cosh cumsum divide equal
        exp floor greater greater_equal less less_equal logical_and logical_not logical_or maximum minimum
        multiply negative not_equal pow realdiv reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean
        reduce_min reduce_prod reduce_sum round scalar_mul sigmoid sign sin sinh sqrt square subtract tan tanh
        truediv truncatediv truncatemod
    """,
    "linalg": """
        eig eigvals einsum matmul norm tensordot
    """,
    "_histogram": """
        histogram_fixed_width histogram_fixed_width_bins
    """,
    "_index_shuffle": """
        random_index_shuffle
    """,
    "_matrix_functions": """
        matrix_square_root
    """,
    "_raw_windows": """
        conv extract_volume_patches
    """,
    "control": """
        TensorArray case cond foldl foldr map_fn numpy_function py_function scan switch_case vectorized_map
        while_loop
    """,
    "variables": """
        IndexedSlices Module Variable VariableAggregation VariableSynchronization get_current_name_scope name_scope
    """,
    "autodiff": """
        GradientTape UnconnectedGradients custom_gradient grad_pass_through gradients hessians recompute_grad
        stop_gradient
    """,
    "debugging": """
        Assert assert_equal assert_greater assert_less assert_rank print
    """,
    "dtypes": """
        bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64 int8 qint16
        qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
    """,
    "signal": """
        fftnd ifftnd irfftnd rfftnd
    """,
    "compilation": """
        TensorSpec function init_scope
    """,
    "sparse": """
        SparseTensor
    """,
    "initial_values": """
        constant_initializer ones_initializer random_normal_initializer random_uniform_initializer
        zeros_initializer
    """,
}

_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    """Import the module of a name when it is first asked for: programs wait only for what they use."""
    if name in _WHERE:
        value = getattr(_import_module(f"gradtape.{_WHERE[name]}"), name)
    elif name in _MODULES:
        value = _import_module(f"gradtape.{name}")
    elif name in _KERAS:
        keras = _import_module("gradtape.keras")
        return keras if name == "keras" else getattr(keras, name)
    else:
        raise AttributeError(f"module 'gradtape' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE, *_MODULES, *_KERAS})


_FUNCTIONS.fill = lambda: _import_module("gradtape._numpy_functions")
_install_keras_finder()

__all__ = [
    "Assert",
    "DType",
    "GradientTape",
    "IndexedSlices",
    "Module",
    "SparseTensor",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "batch_to_space",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "conv",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "extract_volume_patches",
    "eye",
    "fftnd",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "ifftnd",
    "image",
    "init_scope",
    "inside_function",
    "int8",
    "int16",
    "int32",
    "int64",
    "irfftnd",
    "is_symbolic_tensor",
    "is_tensor",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "map_fn",
    "math",
    "matmul",
    "matrix_square_root",
    "maximum",
    "meshgrid",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_op",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "pad",
    "parallel_stack",
    "pow",
    "print",
    "py_function",
    "qint8",
    "qint16",
    "qint32",
    "quantization",
    "quint8",
    "quint16",
    "random",
    "random_index_shuffle",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "rfftnd",
    "roll",
    "round",
    "saturate_cast",
    "saved_model",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "sets",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "sparse",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "test",
    "testing",
    "tile",
    "train",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variant",
    "vectorized_map",
    "version",
    "where",
    "while_loop",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]
