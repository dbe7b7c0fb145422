"""Shapes, dtypes, nested structures and errors. Expectations are TensorFlow's."""

import collections

import numpy as np
import pytest

import gradtape as tf

Pair = collections.namedtuple("Pair", "a b")
nest = tf.nest
Shape = tf.TensorShape


class TestNest:
    @pytest.mark.parametrize(
        ("structure", "flat"),
        [
            (1, [1]),
            ([], []),
            ([1, [2, (3,)]], [1, 2, 3]),
            ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
            (Pair(1, {"x": 2}), [1, 2]),
            ("text", ["text"]),
            (None, [None]),
        ],
    )
    def test_flatten_and_pack(self, structure, flat):
        assert nest.flatten(structure) == flat
        assert nest.pack_sequence_as(structure, flat) == structure

    def test_views_of_dicts_are_lists(self):
        given = {"b": 1, "a": [2]}
        assert nest.flatten(given.values()) == [1, 2]
        assert nest.map_structure(str, given.values()) == ["1", ["2"]]
        assert nest.pack_sequence_as(given.items(), [1, 2, 3, 4]) == [(1, 2), (3, [4])]
        assert nest.flatten(given.keys()) == ["b", "a"]

    def test_packing_keeps_types(self):
        packed = nest.pack_sequence_as({"p": Pair(0, 0), "o": collections.OrderedDict(z=0, y=0)}, [1, 2, 3, 4])
        assert packed == {"p": Pair(3, 4), "o": collections.OrderedDict(z=2, y=1)}
        assert (type(packed["p"]), list(packed["o"])) == (Pair, ["z", "y"])

    def test_map(self):
        assert nest.map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}]) == [11, {"a": 22}]

    @pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([1], 1), ({"a": 1}, {"b": 1})])
    def test_other_structures_are_refused(self, a, b):
        with pytest.raises(ValueError, match="structure"):
            nest.assert_same_structure(a, b)

    def test_other_types_are_refused_if_asked(self):
        with pytest.raises(TypeError):
            nest.assert_same_structure([1], (1,))
        nest.assert_same_structure([1], (1,), check_types=False)

    def test_too_few_to_pack(self):
        with pytest.raises(ValueError, match="Structure had 2 atoms, but flat_sequence had 1 items"):
            nest.pack_sequence_as([1, 2], [1])


class TestShapes:
    def test_equality_and_parts(self):
        shape = Shape([2, None, 3])
        assert shape == [2, None, 3]
        assert (shape.rank, shape[0], shape[1:].as_list(), len(shape)) == (3, 2, [None, 3], 3)
        assert str(shape) == "(2, None, 3)"
        assert repr(shape) == "TensorShape([2, None, 3])"
        assert not shape.is_fully_defined()

    @pytest.mark.parametrize(("a", "b"), [([2, None], [None, 3]), ([2, 3], [2, 3]), (None, [2, 3])])
    def test_merging(self, a, b):
        assert Shape(a).is_compatible_with(b)
        assert Shape(a).merge_with(b).as_list() == [2, 3]

    def test_shapes_that_do_not_fit(self):
        with pytest.raises(ValueError, match="not compatible"):
            Shape([2, 3]).merge_with([2, 4])
        with pytest.raises(ValueError, match="rank"):
            Shape([2, 3]).assert_has_rank(3)

    def test_unknown(self):
        shape = Shape(None)
        assert (shape.rank, bool(shape), str(shape)) == (None, False, "<unknown>")
        with pytest.raises(ValueError, match="unknown rank"):
            len(shape)

    def test_sizes(self):
        assert Shape([2, 3]).num_elements() == 6
        assert Shape([]).num_elements() == 1
        assert Shape([2]).concatenate([3, None]).as_list() == [2, 3, None]
        with pytest.raises(ValueError, match=">= 0"):
            Shape([-1])
        with pytest.raises(TypeError, match="Dimension value must be integer"):
            Shape([2.5])


class TestDtypes:
    @pytest.mark.parametrize(
        ("given", "name"),
        [("float32", "float32"), (np.int64, "int64"), (float, "float32"), (bool, "bool"), (np.dtype("f2"), "float16")],
    )
    def test_conversion(self, given, name):
        assert tf.as_dtype(given).name == name
        assert tf.as_dtype(given) is tf.as_dtype(name)

    def test_properties(self):
        assert (tf.float32.is_floating, tf.int8.is_integer, tf.complex64.is_complex, tf.bool.is_bool) == (True,) * 4
        assert (tf.uint8.is_unsigned, tf.int8.min, tf.int8.max, tf.float64.size) == (True, -128, 127, 8)
        assert tf.complex128.real_dtype == tf.float64
        assert (tf.float32 == np.float32, tf.float32 == "float32", tf.float32 != tf.float64) == (True, True, True)
        assert repr(tf.float32) == "tf.float32"

    @pytest.mark.parametrize("given", ["float33", object(), "nothing"])
    def test_unknown(self, given):
        with pytest.raises(TypeError, match="Cannot convert"):
            tf.as_dtype(given)


class TestErrors:
    def test_codes_and_messages(self):
        error = tf.errors.InvalidArgumentError(None, None, "what went wrong")
        assert (error.message, error.error_code, error.op, error.node_def) == ("what went wrong", 3, None, None)
        assert isinstance(error, tf.errors.OpError)

    @pytest.mark.parametrize(
        ("name", "code"),
        [("NotFoundError", 5), ("OutOfRangeError", 11), ("UnimplementedError", 12)],
    )
    def test_classes(self, name, code):
        error = getattr(tf.errors, name)(None, None, "text")
        assert (error.error_code, str(error)) == (code, "text")
