"""Wrong calls: each gives TensorFlow's class of error, and a text that names the argument or what it got."""

import numpy as np
import pytest

import gradtape as tf

Invalid = tf.errors.InvalidArgumentError
M = tf.ones([2, 3])
V = tf.constant([1.0, 2.0])
I = tf.constant([1, 2])  # noqa: E741


def used_tape():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    return tape.gradient(y, x)


def with_tape(f):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return f(tape, y, x)


def custom(rule):
    f = tf.custom_gradient(lambda x: (x * x, rule))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


ROWS = [
    # Tapes.
    ("used tape", used_tape, RuntimeError, "non-persistent"),
    ("tape never entered", lambda: tf.GradientTape().gradient(V, V), RuntimeError, "non-persistent"),
    ("watch before entry", lambda: tf.GradientTape().watch(V), AttributeError, "not recording"),
    ("watch a float", lambda: with_tape(lambda t, y, x: t.watch(2.0)), ValueError, r"2\.0 of type 'float'"),
    ("watch an array", lambda: with_tape(lambda t, y, x: t.watch(np.ones(2))), ValueError, "'ndarray'"),
    ("no target", lambda: with_tape(lambda t, y, x: t.gradient(None, x)), TypeError, "target"),
    ("number as target", lambda: with_tape(lambda t, y, x: t.gradient(1.0, x)), AttributeError, "target.*1.0"),
    ("array as source", lambda: with_tape(lambda t, y, x: t.gradient(y, np.ones(2))), AttributeError, "source"),
    (
        "None in sources",
        lambda: with_tape(lambda t, y, x: t.gradient(y, [x, None])),
        TypeError,
        "source.*None|None.*source",
    ),
    ("string as source", lambda: with_tape(lambda t, y, x: t.gradient(y, "x")), TypeError, "'x'"),
    ("unknown unconnected", lambda: with_tape(lambda t, y, x: t.gradient(y, x, None, "foo")), ValueError, "'foo'"),
    (
        "weight of wrong shape",
        lambda: with_tape(lambda t, y, x: t.gradient(y, x, tf.ones([3]))),
        Invalid,
        r"\(3,\).*\(2,\)",
    ),
    ("weight of wrong dtype", lambda: with_tape(lambda t, y, x: t.gradient(y, x, I)), Invalid, "int32.*float32"),
    ("jacobian of a list", lambda: with_tape(lambda t, y, x: t.jacobian([y], x)), AttributeError, "list"),
    ("batch_jacobian rank", lambda: with_tape(lambda t, y, x: t.batch_jacobian(y, x)), ValueError, "rank at least 2"),
    ("reset unentered", lambda: tf.GradientTape().reset(), ValueError, "not recording"),
    ("tangent of wrong shape", lambda: tf.autodiff.ForwardAccumulator(V, tf.ones([3])), ValueError, r"\(3,\).*\(2,\)"),
    ("tangents of another structure", lambda: tf.autodiff.ForwardAccumulator([V], V), ValueError, "structure"),
    ("two gradients for one argument", lambda: custom(lambda dy: (dy, dy)), ValueError, "1 gradients, but returned 2"),
    ("gradient of wrong shape", lambda: custom(lambda dy: tf.ones([2])), ValueError, r"argument 0 has shape \(2,\)"),
    ("no pair from custom_gradient", lambda: tf.custom_gradient(lambda x: x)(V), TypeError, "pair"),
    # Dtypes.
    ("add mixed", lambda: V + I, Invalid, "float tensor but is a int32 tensor"),
    ("matmul mixed", lambda: tf.matmul(M, tf.ones([3, 2], tf.float64)), Invalid, "float tensor but is a double"),
    ("concat mixed", lambda: tf.concat([V, I], 0), Invalid, "float.*int32"),
    ("sin of integers", lambda: tf.sin(I), Invalid, "int32.*Sin"),
    ("logical and of numbers", lambda: tf.logical_and(V, V), Invalid, "bool.*float"),
    ("sum of booleans", lambda: tf.reduce_sum([True]), Invalid, "bool.*Sum"),
    ("any of numbers", lambda: tf.reduce_any([1]), Invalid, "bool tensor but is a int32"),
    ("float into int", lambda: tf.constant(1.5, tf.int32), TypeError, "1.5.*int32"),
    ("tensor to another dtype", lambda: tf.convert_to_tensor(V, tf.int32), ValueError, "int32.*float32"),
    ("unknown dtype", lambda: tf.zeros([2], "float33"), TypeError, "float33"),
    ("None as tensor", lambda: tf.convert_to_tensor(None), ValueError, "None"),
    ("object as tensor", lambda: tf.constant(object()), ValueError, "object"),
    ("ragged list", lambda: tf.constant([[1], [1, 2]]), ValueError, "non-rectangular"),
    ("mixed list", lambda: tf.constant([1, "a"]), ValueError, "mixed types"),
    ("integer division by zero", lambda: I // 0, Invalid, "division by zero"),
    ("variance of integers", lambda: tf.math.reduce_variance(I), TypeError, "int32"),
    # Shapes.
    ("add shapes", lambda: M + V, Invalid, r"\[2, 3\].*\[2\]|\[2,3\].*\[2\]"),
    ("matmul shapes", lambda: tf.matmul(M, M), Invalid, "2, ?3"),
    ("matmul of vectors", lambda: tf.matmul(V, V), Invalid, "ndims must be >= 2|rank"),
    ("reshape", lambda: tf.reshape(M, [4]), Invalid, "6.*4"),
    ("reshape two unknown", lambda: tf.reshape(M, [-1, -1]), Invalid, "-1|one input"),
    ("broadcast", lambda: tf.broadcast_to(V, [3]), Invalid, r"\[2\].*\[3\]"),
    ("concat shapes", lambda: tf.concat([M, tf.ones([1, 2])], 0), Invalid, "[Dd]imension|shape"),
    ("concat nothing", lambda: tf.concat([], 0), Invalid, "at least one"),
    ("stack shapes", lambda: tf.stack([V, tf.ones([3])]), Invalid, "shape"),
    ("split", lambda: tf.split(V, 3), Invalid, "3|split"),
    ("squeeze", lambda: tf.squeeze(M, 0), Invalid, "[Dd]im|squeeze"),
    ("transpose", lambda: tf.transpose(M, [0, 0]), Invalid, "0|perm"),
    ("einsum labels", lambda: tf.einsum("ij,jk->ik", M, V), (Invalid, ValueError), "rank|dimension|label|ij,jk"),
    ("zeros of negative size", lambda: tf.zeros([-1]), Invalid, "-1"),
    ("zeros of float size", lambda: tf.zeros([2.0]), TypeError, "2.0"),
    (
        "softmax cross entropy",
        lambda: tf.nn.softmax_cross_entropy_with_logits(V, M),
        (Invalid, ValueError),
        "shape|logits",
    ),
    ("add_n", lambda: tf.add_n([V, M]), Invalid, "same size and shape"),
    ("add_n of nothing", lambda: tf.add_n([]), ValueError, "at least one"),
    # Axes and indices.
    ("sum axis", lambda: tf.reduce_sum(M, 2), Invalid, "dimension.*2 for input with 2"),
    ("sum axis twice", lambda: tf.reduce_sum(M, [0, 0]), Invalid, "duplicate dimension: 0"),
    ("sum axis float", lambda: tf.reduce_sum(M, 1.0), TypeError, "1.0"),
    ("argmax axis", lambda: tf.argmax(V, 1), Invalid, r"\[-1, 1\), but got 1"),
    ("argmax of nothing", lambda: tf.argmax(tf.zeros([0])), Invalid, "empty"),
    ("cumsum axis", lambda: tf.cumsum(V, 1), Invalid, r"\[-1, 1\), but got 1"),
    ("index", lambda: V[5], Invalid, "index 5 of dimension 0"),
    ("too many indices", lambda: V[0, 0], Invalid, "only 1 dims"),
    ("float index", lambda: V[1.0], TypeError, "1.0"),
    ("step of zero", lambda: V[::0], Invalid, "non-zero"),
    ("item assignment", lambda: V.__setitem__(0, 1.0), (TypeError, AttributeError), "."),
    ("gather", lambda: tf.gather(V, [5]), Invalid, r"indices\[0\] = 5 is not in \[0, 2\)"),
    ("gather_nd", lambda: tf.gather_nd(M, [[2, 0]]), Invalid, r"\[2, 0\]"),
    ("scatter_nd", lambda: tf.scatter_nd([[5]], [1], [3]), Invalid, r"\[5\].*\[3\]"),
    ("boolean mask", lambda: tf.boolean_mask(M, [True, False, True]), ValueError, r"\(2,\).*\(3,\)"),
    ("top_k", lambda: tf.math.top_k(V, 5), Invalid, "Had 2, needed 5"),
    ("slice", lambda: tf.slice(M, [0, 1], [2, 9]), Invalid, "9"),
    ("len of a scalar", lambda: len(tf.constant(1.0)), TypeError, "Scalar tensor"),
    ("truth of a vector", lambda: bool(V), ValueError, "ambiguous"),
    # Variables and modules.
    ("no initial value", lambda: tf.Variable(), ValueError, "initial_value"),
    ("assign shape", lambda: tf.Variable(V).assign([1.0]), ValueError, r"\(2,\).*\(1,\)"),
    ("assign_add shape", lambda: tf.Variable(V).assign_add(1.0), Invalid, r"\[2\].*\[\]"),
    ("assign dtype", lambda: tf.Variable(V).assign(I), ValueError, "float32.*int32"),
    (
        "scatter row",
        lambda: tf.Variable(V).scatter_add(tf.IndexedSlices(V, tf.constant([0, 5]))),
        Invalid,
        r"indices\[1\] = 5",
    ),
    ("constraint", lambda: tf.Variable(1.0, constraint=3), ValueError, "constraint"),
    ("module name", lambda: tf.Module(name="a b"), ValueError, "'a b'"),
    # Structures and control flow.
    ("map_structure", lambda: tf.nest.map_structure(lambda a, b: a, [1, 2], [3]), ValueError, "structure"),
    ("pack_sequence_as", lambda: tf.nest.pack_sequence_as([1, 2], [3]), ValueError, "2 atoms.*1 items"),
    ("cond", lambda: tf.cond(True, 1, 2), TypeError, "true_fn"),
    ("while_loop", lambda: tf.while_loop(lambda i: True, 3, [0]), TypeError, "body"),
    ("map_fn of a scalar", lambda: tf.map_fn(lambda a: a, tf.constant(1)), ValueError, "not scalars"),
    ("switch_case", lambda: tf.switch_case(1, [lambda: 1]), TypeError, "branch_index"),
    ("assert", lambda: tf.debugging.assert_equal(1, 2), Invalid, "x == y did not hold"),
    ("check_numerics", lambda: tf.debugging.check_numerics([np.nan], "loss"), Invalid, "loss.*NaN"),
    # Random numbers and optimizers.
    ("uniform integers", lambda: tf.random.uniform([2], dtype=tf.int32), ValueError, "maxval"),
    ("seed", lambda: tf.random.stateless_normal([2], [1]), Invalid, r"seed.*\[1\]"),
    ("no gradients", lambda: tf.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))]), ValueError, "gradient"),
]


@pytest.mark.parametrize(("call", "error", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_error(call, error, text):
    with pytest.raises(error, match=text):
        call()
