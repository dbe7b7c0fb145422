"""Layers that number strings and integers. What they should give was taken from Keras on TensorFlow."""

from importlib.util import find_spec

import numpy as np
import pytest

import gradtape as tf
from gradtape.keras_backend.farmhash import fingerprint
from gradtape.keras_backend.siphash import siphash

pytestmark = pytest.mark.skipif(find_spec("tensorflow") is not None, reason="Keras uses TensorFlow for these layers")

K = tf.keras
L = K.layers
WORDS = ["b", "a", "c"]
DATA = [["a", "z"], ["c", "c"]]
TEXTS = ["The quick, Brown fox!", "jumps over  the\tlazy dog's", "", "Éa é"]


def adapted(layer, data):
    layer.adapt(data)
    return layer


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[2, 0], [3, 3]]),
        ({"mask_token": ""}, [[3, 1], [4, 4]]),
        ({"num_oov_indices": 4}, [[5, 1], [6, 6]]),
        ({"output_mode": "multi_hot"}, [[1, 0, 1, 0], [0, 0, 0, 1]]),
        ({"output_mode": "count"}, [[1, 0, 1, 0], [0, 0, 0, 2]]),
        (
            {"output_mode": "count", "max_tokens": 6, "pad_to_max_tokens": True},
            [[1, 0, 1, 0, 0, 0], [0, 0, 0, 2, 0, 0]],
        ),
        ({"output_mode": "one_hot"}, [[[0, 0, 1, 0], [1, 0, 0, 0]], [[0, 0, 0, 1], [0, 0, 0, 1]]]),
    ],
    ids=str,
)
def test_strings(options, expected):
    for given in (DATA, np.array(DATA), tf.constant(DATA)):
        found = L.StringLookup(vocabulary=WORDS, **options)(given)
        assert found.dtype == tf.int64
        assert found.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[1, 3, 0], [2, 0, 1]]),
        ({"mask_token": 0}, [[2, 4, 0], [3, 1, 2]]),
        ({"num_oov_indices": 3}, [[3, 5, 0], [4, 1, 3]]),
        ({"output_mode": "count"}, [[1, 1, 0, 1], [1, 1, 1, 0]]),
    ],
    ids=str,
)
def test_integers(options, expected):
    layer = L.IntegerLookup(vocabulary=[12, 36, 1138], **options)
    assert layer(np.array([[12, 1138, 0], [36, 7, 12]])).numpy().tolist() == expected


def test_back_to_words():
    assert L.StringLookup(vocabulary=WORDS, invert=True)([[0, 1], [3, 77]]).numpy().tolist() == [
        [b"[UNK]", b"b"],
        [b"c", b"[UNK]"],
    ]
    assert L.IntegerLookup(vocabulary=[12, 36], invert=True)([[0, 1, 2, 9]]).numpy().tolist() == [[-1, 12, 36, -1]]


def test_adapt_counts_and_breaks_ties_from_the_end():
    data = [["a", "b"], ["b", "c"], ["c", "b"], ["z", "[UNK]"]]
    assert adapted(L.StringLookup(), data).get_vocabulary() == ["[UNK]", "b", "c", "z", "a"]
    assert adapted(L.StringLookup(max_tokens=3), np.array(["a", "b", "b", "c"])).get_vocabulary() == ["[UNK]", "b", "c"]
    assert adapted(L.IntegerLookup(mask_token=3), [3, 3, 5, -1, 9]).get_vocabulary() == [3, -1, 9, 5]
    dataset = tf.data.Dataset.from_tensor_slices(["a", "b", "b"]).batch(2)
    assert adapted(L.StringLookup(), dataset).get_vocabulary(include_special_tokens=False) == ["b", "a"]


def test_inverse_document_frequencies():
    layer = adapted(L.StringLookup(output_mode="tf_idf"), [["a", "b"], ["b", "b"]])
    unknown, b, a = np.log(1 + 2 / np.array([2.5, 3.0, 2.0]))
    unknown = (a + b) / 2
    np.testing.assert_allclose(layer([["a", "z"], ["b", "b"]]).numpy(), [[unknown, 0, a], [0, 2 * b, 0]], rtol=1e-6)


def test_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"all inputs should be in vocabulary.*\[b'z'\]"):
        L.StringLookup(vocabulary=WORDS, num_oov_indices=0)(DATA)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"StringLookup has no vocabulary yet"):
        L.StringLookup()(DATA)
    with pytest.raises(ValueError, match=r"Cannot adapt layer 'string_lookup.*' after setting a static vocabulary"):
        L.StringLookup(vocabulary=WORDS).adapt(["b"])
    with pytest.raises(ValueError, match="at least one repeated term"):
        L.StringLookup(vocabulary=["a", "a"])
    with pytest.raises(ValueError, match="should have an integer or string dtype"):
        L.HashedCrossing(3)((np.array([1.0]), np.array([2])))
    with pytest.raises(ValueError, match="inputs should have equal shape"):
        L.HashedCrossing(3)((np.array([1]), np.array([1, 2])))
    with pytest.raises(ValueError, match="input rank must be 1 or the last shape dimension must be 1"):
        L.TextVectorization(vocabulary=["a"])([["a", "b"]])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[4, 3, 2, 1], [2, 1, 0, 0]]),
        ({"output_sequence_length": 3}, [[4, 3, 2], [2, 1, 0]]),
        ({"output_sequence_length": 5}, [[4, 3, 2, 1, 0], [2, 1, 0, 0, 0]]),
        ({"standardize": None}, [[1, 3, 2, 1], [2, 1, 0, 0]]),
        ({"standardize": "lower"}, [[1, 3, 2, 1], [2, 1, 0, 0]]),
        ({"standardize": "strip_punctuation"}, [[1, 3, 2, 1], [2, 1, 0, 0]]),
        ({"split": None}, [1, 1]),
        ({"output_mode": "multi_hot"}, [[1, 1, 1, 1], [1, 1, 0, 0]]),
        ({"output_mode": "count"}, [[1, 1, 1, 1], [1, 1, 0, 0]]),
        ({"output_mode": "count", "max_tokens": 5, "pad_to_max_tokens": True}, [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]),
    ],
    ids=str,
)
def test_texts(options, expected):
    layer = L.TextVectorization(vocabulary=["and", "fire", "earth"], **options)
    assert layer(["Earth, fire and\twind.", "and  wind"]).numpy().tolist() == expected


def test_texts_taken_apart_by_functions():
    layer = L.TextVectorization(
        vocabulary=["B", "A"], standardize=np.char.upper, split=lambda texts: [text.split("/") for text in texts]
    )
    assert layer(["a/b/a", "c"]).numpy().tolist() == [[3, 2, 3], [1, 0, 0]]


def test_vocabularies_of_texts():
    assert adapted(L.TextVectorization(max_tokens=5), TEXTS).get_vocabulary() == ["", "[UNK]", "the", "é", "Éa"]
    characters = adapted(L.TextVectorization(split="character", max_tokens=6), np.array(TEXTS))
    assert characters.get_vocabulary() == ["", "[UNK]", " ", "o", "e", "u"]
    pairs = adapted(L.TextVectorization(ngrams=2), ["a b c", "b c"])
    assert pairs.get_vocabulary() == ["", "[UNK]", "c", "b c", "b", "a b", "a"]


def test_texts_in_a_captured_function():
    layer = L.TextVectorization(vocabulary=["the", "dog"])
    number = tf.function(layer)
    assert number(tf.constant(["The dog"])).numpy().tolist() == [[2, 3]]
    assert number(tf.constant(["cat of the house"])).numpy().tolist() == [[1, 1, 2, 1]]


def test_texts_in_a_dataset():
    layer = L.TextVectorization(vocabulary=["the", "dog"], output_sequence_length=3)
    found = tf.data.Dataset.from_tensor_slices(["the dog", "a dog"]).batch(2).map(layer)
    assert [batch.tolist() for batch in found.as_numpy_iterator()] == [[[2, 3, 0], [1, 3, 0]]]


def test_a_model_from_texts_to_numbers(tmp_path):
    words = adapted(L.TextVectorization(output_sequence_length=4), TEXTS)
    inputs = K.Input((1,), dtype="string")
    model = K.Model(inputs, L.Embedding(words.vocabulary_size(), 2)(words(inputs)))
    before = model(tf.constant([["the fox"]])).numpy()
    assert before.shape == (1, 4, 2)
    model.save(tmp_path / "m.keras")
    again = K.models.load_model(tmp_path / "m.keras")
    np.testing.assert_array_equal(again(tf.constant([["the fox"]])).numpy(), before)


SIZES = [
    "a",
    "b",
    "",
    "twenty-four bytes of it.",
    "forty bytes: more than two times sixteen",
    "more than sixty-four bytes, so that the loop takes them in by blocks of 64 each",
]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [5, 2, 6, 3, 1, 2]),
        ({"mask_value": ""}, [4, 5, 0, 5, 5, 4]),
        ({"output_mode": "count"}, [0, 1, 2, 1, 0, 1, 1]),
        ({"salt": 1}, [0, 3, 0, 1, 5, 4]),
        ({"salt": [3, 2**61]}, [4, 3, 5, 0, 3, 2]),
        ({"salt": 1, "mask_value": ""}, [1, 4, 0, 2, 5, 6]),
    ],
    ids=str,
)
def test_hashes(options, expected):
    assert L.Hashing(7, **options)(SIZES).numpy().tolist() == expected


def test_hashes_of_integers():
    assert L.Hashing(7)(np.array([[1, -2], [3, 40000]])).numpy().tolist() == [[5, 0], [2, 3]]
    layer = L.IntegerLookup(vocabulary=[1], num_oov_indices=4)
    layer.oov_method = "farmhash"  # since Keras 3.15
    assert layer([[1, 2, 3, -4]]).numpy().tolist() == [[4, 3, 1, 2]]


def test_salted_numbers_of_the_unknown():
    layer = L.StringLookup(vocabulary=["b"], num_oov_indices=5)
    layer.salt = [1, 1]  # since Keras 3.14
    assert layer(SIZES).numpy().tolist() == [0, 5, 2, 1, 0, 3]


@pytest.mark.parametrize("shape", [(5,), (5, 1)])
def test_crosses(shape):
    letters, numbers = np.array(list("ABABA")).reshape(shape), np.array([101, 101, 101, 102, 102]).reshape(shape)
    bins = [1, 4, 1, 1, 3]
    for given in ((letters, numbers), (tf.constant(letters), tf.constant(numbers))):
        found = L.HashedCrossing(5)(given)
        assert found.dtype == tf.int64
        assert found.numpy().tolist() == np.reshape(bins, shape).tolist()
    found = L.HashedCrossing(5, output_mode="one_hot")((letters, numbers))
    assert found.dtype == tf.float32
    assert found.numpy().tolist() == np.eye(5)[bins].tolist()


def test_crosses_of_more_than_two():
    assert L.HashedCrossing(1000)((np.array(-3, "int32"), np.array(7))).numpy() == 959
    three = L.HashedCrossing(17)((np.array(["a", ""]), np.array([1, -1]), np.array(["x", "y"])))
    assert three.numpy().tolist() == [14, 14]


def test_crosses_in_a_model():
    letters, numbers = K.Input((1,), dtype="string"), K.Input((1,), dtype="int64")
    model = K.Model([letters, numbers], L.HashedCrossing(10, output_mode="one_hot")((letters, numbers)))
    assert model.output_shape == (None, 10)
    found = model([tf.constant([["A"], ["B"]]), tf.constant([[101], [101]])])
    assert found.numpy().argmax(axis=-1).tolist() == [1, 4]


def test_siphash():
    """The example of the paper: 15 bytes 0, 1, ..., and 16 such bytes for the keys."""
    key = 0x0706050403020100, 0x0F0E0D0C0B0A0908
    assert siphash(bytes(range(15)), key) == 0xA129CA6149BE45E5


def test_fingerprints():
    found = [fingerprint(text.encode()) % (10**9 + 7) for text in SIZES]
    assert found == [384735799, 907992913, 912170738, 836387741, 467215926, 445085085]
