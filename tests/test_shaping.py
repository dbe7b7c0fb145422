"""Moving, cutting, gathering, scattering, ordering and clipping."""

import numpy as np
import pytest

import gradtape as tf
from tests.derivatives import assert_derivatives

InvalidArgumentError = tf.errors.InvalidArgumentError
M = np.arange(6, dtype=np.float32).reshape(2, 3)
CUBE = np.random.default_rng(3).normal(size=(2, 3, 4))


def listed(t):
    return t.numpy().tolist()


def squares(f):
    """f, followed by what makes second derivatives of linear functions worth checking."""
    return lambda *xs: [t * t for t in tf.nest.flatten(f(*xs))]


# Values.


@pytest.mark.parametrize(
    "shape", [[3, -1], (3, 2), tf.constant([3, 2]), np.array([3, 2]), [tf.constant(3), 2], tf.TensorShape([3, 2])]
)
def test_reshape_takes_many_kinds_of_shapes(shape):
    assert listed(tf.reshape(M, shape)) == [[0, 1], [2, 3], [4, 5]]


def test_reshape_of_nothing():
    assert tf.reshape(tf.zeros([0, 3]), [-1, 3]).shape == [0, 3]
    assert tf.reshape(tf.zeros([0]), [0, -1]).shape == [0, 1]
    assert tf.reshape(7, []).shape == []
    assert listed(tf.reshape(["a", "b"], [2, 1])) == [[b"a"], [b"b"]]


def test_transpose():
    x = tf.constant(CUBE)
    assert tf.transpose(x).shape == [4, 3, 2]
    assert np.array_equal(tf.transpose(x, [-1, 0, 1]), CUBE.transpose(2, 0, 1))
    assert listed(tf.transpose([[1 + 2j]], conjugate=True)) == [[1 - 2j]]
    assert listed(tf.transpose(3)) == 3


def test_expand_and_squeeze():
    assert tf.expand_dims(M, -1).shape == [2, 3, 1]
    assert tf.expand_dims(M, 0).shape == [1, 2, 3]
    assert tf.squeeze(tf.ones([1, 2, 1])).shape == [2]
    assert tf.squeeze(tf.ones([1, 2, 1]), [0, -1]).shape == [2]
    assert tf.squeeze(tf.ones([1, 2, 1]), -1).shape == [1, 2]


def test_joining():
    f = tf.constant([1.0, 2.0])
    assert listed(tf.concat([f, [3, 4]], 0)) == [1, 2, 3, 4]
    assert tf.concat([M, tf.zeros([2, 0])], -1).shape == [2, 3]
    assert tf.concat([M], 9) is not None
    assert listed(tf.concat([["a"], ["b"]], 0)) == [b"a", b"b"]
    assert listed(tf.stack([f, f], axis=-1)) == [[1, 1], [2, 2]]
    assert listed(tf.stack([1, 2.0])) == [1, 2]
    assert tf.stack([]).shape == [0]
    assert listed(tf.stack([[1, 2], [3, 4]], axis=1)) == [[1, 3], [2, 4]]
    assert tf.stack([tf.Variable(1.0), 2.0]).shape == [2]


def test_taking_apart():
    assert [listed(t) for t in tf.unstack(M, axis=1)] == [[0, 3], [1, 4], [2, 5]]
    assert tf.unstack(tf.zeros([0, 2])) == []
    assert [listed(t) for t in tf.split(M, [1, -1], axis=1)] == [[[0], [3]], [[1, 2], [4, 5]]]
    assert [t.shape for t in tf.split(M, 3, axis=-1)] == [[2, 1]] * 3
    assert [t.shape for t in tf.split(M, tf.constant([2, 1]), axis=1)] == [[2, 2], [2, 1]]
    assert isinstance(tf.split(M, 2), list)


def test_repeating():
    assert listed(tf.tile([[1, 2]], [2, 2])) == [[1, 2, 1, 2], [1, 2, 1, 2]]
    assert tf.tile([1, 2], [0]).shape == [0]
    assert listed(tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0)) == [[1, 2], [3, 4], [3, 4]]
    assert listed(tf.repeat([[1, 2]], 2)) == [1, 1, 2, 2]
    assert listed(tf.repeat(5, 3)) == [5, 5, 5]
    assert listed(tf.broadcast_to([[1], [2]], [2, 2])) == [[1, 1], [2, 2]]


def test_padding():
    assert listed(tf.pad([1, 2], [[1, 0]], constant_values=9)) == [9, 1, 2]
    assert listed(tf.pad([1, 2, 3], [[2, 1]], "REFLECT")) == [3, 2, 1, 2, 3, 2]
    assert listed(tf.pad([1, 2], [[1, 2]], "symmetric")) == [1, 1, 2, 2, 1]
    assert listed(tf.pad(["a"], [[0, 1]])) == [b"a", b""]
    x, c = tf.constant([1.0]), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, c])
        y = tf.pad(x, [[2, 1]], constant_values=c)
    assert [listed(g) for g in tape.gradient(y, [x, c])] == [[1], 3]


def test_turning_around():
    assert listed(tf.reverse(M, [0, 1])) == [[5, 4, 3], [2, 1, 0]]
    assert listed(tf.roll(M, [1, -1], [0, 1])) == [[4, 5, 3], [1, 2, 0]]
    assert listed(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 0], seq_axis=1)) == [[2, 1, 3], [4, 5, 6]]


def test_slicing():
    assert listed(tf.slice(M, [0, 1], [-1, 2])) == [[1, 2], [4, 5]]
    assert listed(tf.strided_slice(M, [0, 2], [2, 0], [1, -1])) == [[2, 1], [5, 4]]
    assert listed(tf.strided_slice(M, [1, 0], [2, 0], shrink_axis_mask=1, end_mask=2)) == [3, 4, 5]
    assert tf.strided_slice(M, [0, 0], [0, 2], new_axis_mask=1).shape == [1, 2, 3]
    assert listed(tf.strided_slice(M, [0, 1], [0, 2], ellipsis_mask=1)) == [[1], [4]]


def test_blocks():
    image = np.arange(16.0).reshape(1, 4, 4, 1)
    blocks = tf.space_to_batch(image, [2, 2], [[0, 0], [0, 0]])
    assert listed(blocks[3, :, :, 0]) == [[5, 7], [13, 15]]
    assert np.array_equal(tf.batch_to_space(blocks, [2, 2], [[0, 0], [0, 0]]), image)
    padded = tf.space_to_batch(image, [3, 2], [[1, 1], [0, 0]])
    assert np.array_equal(tf.batch_to_space(padded, [3, 2], [[1, 1], [0, 0]]), image)


def test_gather():
    assert listed(tf.gather(M, [[1, 0]])) == [[[3, 4, 5], [0, 1, 2]]]
    assert listed(tf.gather(M, [2, 2], axis=-1)) == [[2, 2], [5, 5]]
    assert listed(tf.gather(M, 1)) == [3, 4, 5]
    assert listed(tf.gather(M, [[0, 2], [1, 1]], batch_dims=1)) == [[0, 2], [4, 4]]
    assert tf.gather(M, []).shape == [0, 3]
    x = tf.constant(CUBE)
    batched = tf.gather(x, [[0, 1], [2, 0]], axis=2, batch_dims=1)
    assert np.array_equal(batched, np.stack([CUBE[0][:, [0, 1]], CUBE[1][:, [2, 0]]]))


def test_gather_nd():
    assert listed(tf.gather_nd(M, [[0, 1], [1, 2]])) == [1, 5]
    assert listed(tf.gather_nd(M, [[1]])) == [[3, 4, 5]]
    assert listed(tf.gather_nd(M, [[2], [0]], batch_dims=1)) == [2, 3]
    assert listed(tf.gather_nd(M, [[0, 1], [5, 5]], bad_indices_policy="IGNORE")) == [1, 0]


def test_masks():
    assert listed(tf.boolean_mask(M, [True, False])) == [[0, 1, 2]]
    assert listed(tf.boolean_mask(M, [[True, False, True], [False, False, True]])) == [0, 2, 5]
    assert listed(tf.boolean_mask(M, [False, True, True], axis=1)) == [[1, 2], [4, 5]]
    assert listed(tf.where([[1, 0], [0, 2]])) == [[0, 0], [1, 1]]
    assert listed(tf.where([True, False], [1.0, 2.0], 0)) == [1, 0]
    assert listed(tf.where([[True], [False]], [1, 2], [3, 4])) == [[1, 2], [3, 4]]
    assert listed(tf.where([True, False], "a", "b")) == [b"a", b"b"]


def test_where_of_many_elements_equals_where_of_few():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 70, 80)).astype(np.float32)
    x[0, 0], y[1, 1], x[2, 2] = np.nan, np.inf, -0.0
    condition = random.random(x.shape) < 0.5
    for a, b in [(x, y), (x, 0), (0, y), (x, 2.5), (1.5, y), (x.T, y.T)]:
        chosen = condition.T if np.ndim(a) and a.strides[0] == 4 else condition
        found = tf.where(chosen, tf.constant(a, tf.float32), tf.constant(b, tf.float32)).numpy()
        assert np.array_equal(found, np.where(chosen, a, b).astype(np.float32), equal_nan=True)


def test_one_hot():
    assert listed(tf.one_hot([1, -1, 3], 3)) == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert listed(tf.one_hot([0, 1], 2, on_value=5, off_value=-1, axis=0)) == [[5, -1], [-1, 5]]
    assert tf.one_hot([0], 2).dtype == tf.float32
    assert tf.one_hot([0], 2, on_value=1).dtype == tf.int32
    assert tf.one_hot(0, 2, dtype=tf.float64).dtype == tf.float64
    assert tf.one_hot(tf.zeros([0], tf.int32), 2).shape == [0, 2]


def test_scatter():
    assert listed(tf.scatter_nd([[1], [1], [0]], [1, 2, 3], [3])) == [3, 3, 0]
    assert listed(tf.scatter_nd([[0, 1]], [7.0], [2, 2])) == [[0, 7], [0, 0]]
    assert listed(tf.scatter_nd([[5], [0]], [1, 2], [2], bad_indices_policy="IGNORE")) == [2, 0]
    v = tf.constant([1, 2, 3])
    assert listed(tf.tensor_scatter_nd_update(v, [[0], [0]], [7, 8])) == [8, 2, 3]
    assert listed(tf.tensor_scatter_nd_add(v, [[0], [0]], [7, 8])) == [16, 2, 3]
    assert listed(tf.tensor_scatter_nd_sub(v, [[2]], [1])) == [1, 2, 2]
    assert listed(tf.tensor_scatter_nd_max(v, [[0], [0], [2]], [0, 5, 1])) == [5, 2, 3]
    assert listed(tf.tensor_scatter_nd_min(v, [[0], [2]], [4, 1])) == [1, 2, 1]
    assert listed(v) == [1, 2, 3]


def test_tied_scatters_share_the_gradient():
    x, u = tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch([x, u])
        y = tf.tensor_scatter_nd_max(x, [[0], [0], [1]], u)
    third = 1 / 3
    dx, du = tape.gradient(y, [x, u])
    np.testing.assert_allclose(dx, [third, 0], rtol=1e-6)
    np.testing.assert_allclose(du, [third, third, 1], rtol=1e-6)


def test_order():
    assert listed(tf.sort([[3, 1], [2, 0]], axis=0)) == [[2, 0], [3, 1]]
    assert listed(tf.argsort([1, 1, 0], direction="DESCENDING")) == [0, 1, 2]
    assert listed(tf.searchsorted([[1, 3], [2, 4]], [[3], [9]], side="right")) == [[2], [2]]
    y, index, count = tf.unique_with_counts([b"x", b"a", b"x"], out_idx=tf.int64)
    assert listed(y) == [b"x", b"a"]
    assert listed(index) == [0, 1, 0]
    assert listed(count) == [2, 1]
    assert index.dtype == tf.int64
    assert listed(tf.sequence_mask([1, 2], 3, tf.int32)) == [[1, 0, 0], [1, 1, 0]]


def test_the_gradient_of_distinct_elements_flows_to_the_first():
    x = tf.constant([3.0, 1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = tf.unique(x)
    assert listed(tape.gradient(y, x)) == [1, 1, 0]


def test_unravel_index():
    assert listed(tf.unravel_index([5, 0], [2, 3])) == [[1, 0], [2, 0]]
    assert tf.unravel_index(tf.constant(5, tf.int64), [2, 3]).dtype == tf.int64


def test_partition_and_stitch():
    parts = tf.dynamic_partition(M, [1, 0], 3)
    assert [listed(p) for p in parts] == [[[3, 4, 5]], [[0, 1, 2]], []]
    assert listed(tf.dynamic_stitch([0, [2, 0]], [[1.0], [[2.0], [3.0]]])) == [[3], [0], [2]]


# Clipping.


def test_clip_by_value():
    assert listed(tf.clip_by_value([1, 5, 3], 2, 4)) == [2, 4, 3]
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_value(x, 1.0, 2.0)
    assert listed(tape.gradient(y, x)) == [0, 1, 1, 0]


def test_clip_by_norm():
    np.testing.assert_allclose(tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8], rtol=1e-6)
    assert listed(tf.clip_by_norm([0.3, 0.4], 1.0)) == listed(tf.constant([0.3, 0.4]))
    assert listed(tf.clip_by_norm([0.0, 0.0], 1.0)) == [0, 0]
    np.testing.assert_allclose(
        tf.clip_by_norm([[3.0, 4.0], [0.0, 1.0]], 1.0, axes=[1]), [[0.6, 0.8], [0, 1]], rtol=1e-6
    )


def test_clip_by_global_norm():
    clipped, norm = tf.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
    assert norm.numpy() == 5
    assert clipped[1] is None
    np.testing.assert_allclose([clipped[0][0], clipped[2][0]], [0.6, 0.8], rtol=1e-6)
    same, norm = tf.clip_by_global_norm([tf.zeros(2)], 1.0)
    assert listed(same[0]) == [0, 0]
    assert norm.numpy() == 0
    broken, _ = tf.clip_by_global_norm([[np.inf], [1.0]], 1.0)
    assert np.isnan(broken[1].numpy()).all()
    assert tf.linalg.global_norm([None, [3.0, 4.0]]).numpy() == 5


def rows_of(v):
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 0])
    return tape.gradient(y, v)


def test_clipping_keeps_rows_sparse():
    rows = rows_of(tf.Variable(tf.ones([3, 2])))
    assert listed(tf.clip_by_value(rows, 0.0, 0.5).values) == [[0.5, 0.5]] * 2
    assert listed(tf.clip_by_norm(rows, 1.0).values) == [[0.5, 0.5]] * 2
    clipped, norm = tf.clip_by_global_norm([rows], 1.0)
    assert isinstance(clipped[0], tf.IndexedSlices)
    assert listed(clipped[0].values) == [[0.5, 0.5]] * 2
    assert norm.numpy() == 2


# Gradients.


def test_which_gathers_give_rows():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        flat = tf.gather(v, [[0, 2], [2, 2]])
        nd = tf.gather_nd(v, [[1], [1]])
        deep = tf.gather_nd(v, [[0, 1], [0, 1]])
        across = tf.gather(v, [0, 0], axis=1)
        behind = tf.gather(v * 2.0, [0])
        kept = tf.boolean_mask(v, [True, False, True])
    rows = tape.gradient(flat, v)
    assert isinstance(rows, tf.IndexedSlices)
    assert listed(rows.indices) == [0, 2, 2, 2]
    assert rows.values.shape == [4, 2]
    assert listed(tf.convert_to_tensor(rows)) == [[1, 1], [0, 0], [3, 3]]
    assert listed(tape.gradient(nd, v).indices) == [1, 1]
    assert listed(tape.gradient(deep, v)) == [[0, 2], [0, 0], [0, 0]]
    assert listed(tape.gradient(across, v)) == [[2, 0]] * 3
    assert listed(tape.gradient(behind, v)) == [[2, 2], [0, 0], [0, 0]]
    assert listed(tape.gradient(kept, v)) == [[1, 1], [0, 0], [1, 1]]


MOVES = {
    "reshape": lambda x: tf.reshape(x, [4, -1]),
    "transpose": lambda x: tf.transpose(x, [2, 0, 1]),
    "split": lambda x: tf.split(x, [1, 2], axis=1)[0],
    "unstack": lambda x: tf.unstack(x, axis=1)[1:],
    "tile": lambda x: tf.tile(x, [2, 1, 3]),
    "repeat": lambda x: tf.repeat(x, [1, 0, 2], axis=1),
    "pad": lambda x: tf.pad(x, [[1, 0], [0, 2], [1, 1]], constant_values=2.0),
    "reflect": lambda x: tf.pad(x, [[1, 1], [2, 0], [0, 3]], "REFLECT"),
    "symmetric": lambda x: tf.pad(x, [[1, 1], [2, 0], [0, 3]], "SYMMETRIC"),
    "reverse": lambda x: tf.reverse(x, [0, 2]),
    "roll": lambda x: tf.roll(x, [1, -2], [0, 2]),
    "slice": lambda x: tf.slice(x, [0, 1, 1], [-1, 2, 2]),
    "strided_slice": lambda x: tf.strided_slice(x, [0, 0, 3], [2, 3, 0], [1, 2, -1]),
    "gather": lambda x: tf.gather(x, [[0, 1], [1, 1]]),
    "gather along": lambda x: tf.gather(x, [[0, 1], [2, 2]], axis=1),
    "gather in batches": lambda x: tf.gather(x, [[0, 1], [2, 2]], axis=2, batch_dims=1),
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]),
    "gather_nd in batches": lambda x: tf.gather_nd(x, [[0], [1]], batch_dims=1),
    "boolean_mask": lambda x: tf.boolean_mask(x, [True, False, True], axis=1),
    "sort": lambda x: tf.sort(x, axis=1, direction="DESCENDING"),
    "reverse_sequence": lambda x: tf.reverse_sequence(x, [2, 3], seq_axis=1),
    "dynamic_partition": lambda x: tf.dynamic_partition(x, [1, 0], 2),
    "space_to_batch": lambda x: tf.space_to_batch(x, [3], [[1, 2]]),
    "clip_by_value": lambda x: tf.clip_by_value(x, -0.5, 0.7),
    "clip_by_norm": lambda x: tf.clip_by_norm(x, 1.2, axes=[1]),
    "clip_by_global_norm": lambda x: tf.clip_by_global_norm([x], 1.0)[0],
}


@pytest.mark.parametrize("name", MOVES)
def test_derivatives(name):
    assert_derivatives(squares(MOVES[name]), CUBE)


PAIRS = {
    "concat": lambda x, y: tf.concat([x, y], 0),
    "stack": lambda x, y: tf.stack([x, y], -1),
    "where": lambda x, y: tf.where([[True], [False]], x, y),
    "dynamic_stitch": lambda x, y: tf.dynamic_stitch([[0, 3], [3, 1]], [x, y]),
    "update": lambda x, y: tf.tensor_scatter_nd_update(x, [[1], [1]], y),
    "add": lambda x, y: tf.tensor_scatter_nd_add(x, [[1], [1]], y),
    "sub": lambda x, y: tf.tensor_scatter_nd_sub(x, [[1], [1]], y),
    "max": lambda x, y: tf.tensor_scatter_nd_max(x, [[1], [1]], y),
    "min": lambda x, y: tf.tensor_scatter_nd_min(x, [[1], [1]], y),
}


@pytest.mark.parametrize("name", PAIRS)
def test_derivatives_of_two(name):
    assert_derivatives(squares(PAIRS[name]), CUBE[0, :2], CUBE[1, :2])


# Wrong arguments.

WRONG = [
    (lambda: tf.reshape(M, [4]), InvalidArgumentError, "6 values, but the requested shape has 4"),
    (lambda: tf.reshape(M, [-1, 4]), InvalidArgumentError, "multiple of 4"),
    (lambda: tf.reshape(M, [-1, -1]), InvalidArgumentError, "Only one input size may be -1, not both 0 and 1"),
    (lambda: tf.reshape(M, [-2, 3]), InvalidArgumentError, "Size 0 must be non-negative, not -2"),
    (lambda: tf.reshape(M, 6.0), TypeError, "6.0"),
    (lambda: tf.reshape(M, None), ValueError, "None"),
    (lambda: tf.reshape(M, "a"), InvalidArgumentError, "string"),
    (lambda: tf.transpose(M, [0]), InvalidArgumentError, "vector of size 2"),
    (lambda: tf.transpose(M, [0, 0]), InvalidArgumentError, "1 is missing"),
    (lambda: tf.transpose(M, [0, 5]), InvalidArgumentError, "5 is out of range"),
    (lambda: tf.expand_dims(M, 4), InvalidArgumentError, "dim index 4 for tensor with 2 dimensions"),
    (lambda: tf.squeeze(M, 0), InvalidArgumentError, r"Can not squeeze dim\[0\]"),
    (lambda: tf.squeeze(M, 5), InvalidArgumentError, "dim index 5"),
    (lambda: tf.concat([M, M], 2), InvalidArgumentError, r"range \[-2, 2\), but got 2"),
    (lambda: tf.concat([M, M[0]], 0), InvalidArgumentError, "Ranks of all input tensors should match"),
    (lambda: tf.concat([M, M[:, :2]], 0), InvalidArgumentError, "Dimension 1 in both shapes must be equal"),
    (lambda: tf.concat([tf.ones(2), tf.constant([1])], 0), InvalidArgumentError, "expected to be a float tensor"),
    (lambda: tf.concat([[1], [2.0]], 0), TypeError, "2.0"),
    (lambda: tf.concat([1, 2], 0), InvalidArgumentError, "scalars"),
    (lambda: tf.concat([], 0), InvalidArgumentError, "at least one"),
    (lambda: tf.stack([M, M], 4), ValueError, r"not in range \[-3, 3\)"),
    (lambda: tf.stack([tf.ones(2), tf.ones(3)]), InvalidArgumentError, "Shapes of all inputs must match"),
    (lambda: tf.unstack(M, num=3), InvalidArgumentError, "must equal 3"),
    (lambda: tf.unstack(1), ValueError, "range"),
    (lambda: tf.split(M, 4), InvalidArgumentError, "evenly divide"),
    (lambda: tf.split(M, 0), InvalidArgumentError, "at least minimum 1"),
    (lambda: tf.split(M, [1, 2]), InvalidArgumentError, "Determined shape"),
    (lambda: tf.split(M, 2, axis=2), InvalidArgumentError, "split_dim"),
    (lambda: tf.tile(M, 2), InvalidArgumentError, "1-D"),
    (lambda: tf.tile(M, [2]), InvalidArgumentError, "length 2 but got length 1"),
    (lambda: tf.tile(M, [-1, 1]), InvalidArgumentError, r"multiples\[0\] >= 0, but got -1"),
    (lambda: tf.repeat(M, [1, 2, 3], axis=0), ValueError, "2 and 3 are not compatible"),
    (lambda: tf.repeat([1], [-1]), InvalidArgumentError, "negative"),
    (lambda: tf.pad(M, [[1, 1]]), InvalidArgumentError, "paddings"),
    (lambda: tf.pad(M, [1, 1]), InvalidArgumentError, "2 columns"),
    (lambda: tf.pad([1], [[-1, 0]]), InvalidArgumentError, "non-negative: -1 0"),
    (lambda: tf.pad([1, 2], [[2, 0]], "REFLECT"), InvalidArgumentError, "less than"),
    (lambda: tf.pad([1, 2], [[1, 0]], "foo"), ValueError, "FOO"),
    (lambda: tf.reverse(M, 0), InvalidArgumentError, "1-dimension"),
    (lambda: tf.reverse(M, [2]), InvalidArgumentError, "out of valid range"),
    (lambda: tf.roll(M, 1, 2), InvalidArgumentError, "axis 2 is out of range"),
    (lambda: tf.roll(M, [1, 2], [0]), InvalidArgumentError, "same size"),
    (lambda: tf.broadcast_to(M, [3]), InvalidArgumentError, r"Incompatible shapes: \[2, 3\] vs. \[3\]"),
    (lambda: tf.slice(M, [0, 1], [2, 9]), InvalidArgumentError, r"size\[1\] in \[0, 2\], but got 9"),
    (lambda: tf.slice(M, [0, 4], [1, 1]), InvalidArgumentError, r"begin\[1\]"),
    (lambda: tf.slice(M, [0], [1]), InvalidArgumentError, "of size 2"),
    (lambda: tf.strided_slice(M, [0], [1], [0]), InvalidArgumentError, r"strides\[0\] must be non-zero"),
    (lambda: tf.gather(M, [5]), InvalidArgumentError, r"indices\[0\] = 5 is not in \[0, 2\)"),
    (lambda: tf.gather(M, -1), InvalidArgumentError, r"indices = -1 is not in \[0, 2\)"),
    (lambda: tf.gather(M, [[0], [7]], axis=1), InvalidArgumentError, r"indices\[1,0\] = 7"),
    (lambda: tf.gather(M, [0.0]), InvalidArgumentError, "float32"),
    (lambda: tf.gather(M, [0], axis=2), InvalidArgumentError, "at least rank 3 but is rank 2"),
    (lambda: tf.gather(M, [[0]], batch_dims=1), InvalidArgumentError, "should be equal"),
    (lambda: tf.gather_nd(M, [[3, 0]]), InvalidArgumentError, r"\[3, 0\] does not index into param shape \[2,3\]"),
    (lambda: tf.gather_nd(M, [[0, 0, 0]]), InvalidArgumentError, "innermost dimension"),
    (lambda: tf.boolean_mask(M, [True, False, True]), ValueError, "incompatible"),
    (lambda: tf.boolean_mask(M, True), ValueError, "scalar"),
    (lambda: tf.where([True], M), ValueError, "both be non-None"),
    (lambda: tf.where(tf.constant([1]), 1, 2), InvalidArgumentError, "bool"),
    (lambda: tf.where([True, False], tf.ones(3), 0.0), InvalidArgumentError, "must be broadcastable"),
    (lambda: tf.where([True], tf.ones(1), tf.ones(1, tf.int32)), InvalidArgumentError, "float tensor but is a int32"),
    (lambda: tf.one_hot([0.0], 3), InvalidArgumentError, "float32"),
    (lambda: tf.one_hot([0], -1), InvalidArgumentError, "non-negative"),
    (lambda: tf.one_hot([0], 3, on_value=5, off_value=1.5), TypeError, "does not match"),
    (lambda: tf.one_hot([0], 3, axis=2), InvalidArgumentError, "axis"),
    (lambda: tf.scatter_nd([[5]], [1], [3]), InvalidArgumentError, r"\[5\] does not index into shape \[3\]"),
    (lambda: tf.scatter_nd([[0]], [1, 2], [3]), InvalidArgumentError, "updates"),
    (lambda: tf.tensor_scatter_nd_update([1], [[0, 0]], [1]), InvalidArgumentError, "rank"),
    (lambda: tf.tensor_scatter_nd_add(tf.ones(2), [[0]], tf.constant([1])), InvalidArgumentError, "float tensor"),
    (lambda: tf.sort([1], direction="x"), ValueError, "direction=x"),
    (lambda: tf.sort([True]), InvalidArgumentError, "bool"),
    (lambda: tf.sort([1], axis=1), InvalidArgumentError, "axis 1"),
    (lambda: tf.searchsorted([1], [1], side="up"), ValueError, "side"),
    (lambda: tf.unique([[1]]), InvalidArgumentError, "1D"),
    (lambda: tf.unravel_index(6, [2, 3]), InvalidArgumentError, "out of bound"),
    (lambda: tf.reverse_sequence(M, [9, 0], seq_axis=1), InvalidArgumentError, "seq_lengths"),
    (lambda: tf.dynamic_partition(M, [0, 5], 2), InvalidArgumentError, r"partitions\[1\] = 5"),
    (lambda: tf.dynamic_stitch([[0]], [[1.0, 2.0]]), InvalidArgumentError, "data"),
    (lambda: tf.space_to_batch(tf.ones([1, 3, 1]), [2], [[0, 0]]), InvalidArgumentError, "not divisible"),
    (lambda: tf.clip_by_value(tf.ones(2), tf.ones(3), 2.0), InvalidArgumentError, "Incompatible shapes"),
    (lambda: tf.clip_by_value([1], 2.5, 3), TypeError, "2.5"),
    (lambda: tf.clip_by_norm([1], 1), InvalidArgumentError, "int32"),
    (lambda: tf.clip_by_global_norm(tf.ones(2), 1.0), TypeError, "sequence"),
]


@pytest.mark.parametrize("index", range(len(WRONG)))
def test_wrong_arguments(index):
    call, error, words = WRONG[index]
    with pytest.raises(error, match=words):
        call()
