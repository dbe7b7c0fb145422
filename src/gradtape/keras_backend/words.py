"""Layers that number strings and integers: `StringLookup`, `IntegerLookup`, `TextVectorization`, and those that hash.

Keras writes them with TensorFlow's tables and ragged strings. Their vocabularies, settings and files are Keras' own
here; a table is a Python dictionary, and looking values up is a call of Python on arrays. Where TensorFlow is there,
Keras goes on to use it for these layers: they then take its ragged strings and are part of its input pipelines.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from functools import reduce
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
from keras.src.layers.preprocessing import (
    hashed_crossing,
    hashing,
    index_lookup,
    integer_lookup,
    string_lookup,
    text_vectorization,
)
from keras.src.layers.preprocessing.hashed_crossing import HashedCrossing
from keras.src.layers.preprocessing.hashing import Hashing
from keras.src.layers.preprocessing.index_lookup import IndexLookup
from keras.src.layers.preprocessing.text_vectorization import TextVectorization
from keras.src.utils.numerical_utils import encode_categorical_inputs

import gradtape
from gradtape.keras_backend.farmhash import combined, fingerprint
from gradtape.keras_backend.siphash import siphash
from gradtape.keras_backend.tables import Face, Rows, Table, as_bytes, as_tensor, plain

PUNCTUATION = string.punctuation.encode()
NOTHING = -1
"""The number of what takes no part in "multi_hot", "one_hot" and "count"."""


# Tables of a layer.


def _empty_table(self: IndexLookup) -> Table:
    return Table(self._key_dtype, self._value_dtype, self._default_value)


def _table_of_tokens(self: IndexLookup, tokens: Any) -> Table:
    table = _empty_table(self)
    known = plain(tokens, self.vocabulary_dtype)
    numbers = range(self._token_start_index(), self._token_start_index() + len(known))
    table.entries = dict(zip(numbers, known, strict=True) if self.invert else zip(known, numbers, strict=True))
    return table


def _table_of_file(self: IndexLookup, filename: str) -> Table:
    with open(filename, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return _table_of_tokens(self, lines if self.vocabulary_dtype == "string" else [int(line) for line in lines])


def _update_state(self: IndexLookup, data: Any) -> None:
    """Count the tokens of a batch."""
    if self._has_input_vocabulary:
        raise ValueError(
            f"Cannot adapt layer '{self.name}' after setting a static vocabulary via `vocabulary` argument or "
            "`set_vocabulary()` method."
        )
    documents = _documents(as_tensor(data, self.vocabulary_dtype))
    for document in documents:
        self.token_counts.entries.update(document)
    if self.output_mode == "tf_idf":
        for document in documents:
            self.token_document_counts.entries.update(set(document))
        self.num_documents.assign_add(len(documents))


def _documents(data: Any) -> list[list[Any]]:
    if isinstance(data, Rows):
        return data.rows
    array = data.numpy()
    return [np.ravel(row).tolist() for row in (array if array.ndim > 1 else [array])]


# Numbers of tokens, and what the layers make of them.


def _lookup(self: IndexLookup, inputs: Any) -> Any:
    """Number the inputs, or name what numbers stand for; then encode the numbers."""
    self._ensure_known_vocab_size()
    keys = as_tensor(inputs, self._key_dtype)
    found = gradtape.numpy_function(lambda x: _found(self, x), [keys], self._value_dtype)
    return _encoded(self, found)


def _found(layer: IndexLookup, keys: Any) -> Any:
    """What the table has for keys, in an array of their shape."""
    known, mask = layer.lookup_table.entries, as_bytes(layer.mask_token)
    if not known:
        raise gradtape.errors.FailedPreconditionError(
            None,
            None,
            f"{type(layer).__name__} has no vocabulary yet: pass `vocabulary`, or call `adapt` or `set_vocabulary`",
        )
    flat = np.ravel(keys).tolist()
    if layer.invert:
        values = [known.get(key, as_bytes(layer.oov_token)) for key in flat]
        if mask is not None:
            values = [mask if key == 0 else value for key, value in zip(flat, values, strict=True)]
    else:
        values = [known.get(key) for key in flat]
        if mask is not None:
            dropped = 0 if layer.output_mode == "int" else NOTHING
            values = [dropped if key == mask else value for key, value in zip(flat, values, strict=True)]
        unknown = [key for key, value in zip(flat, values, strict=True) if value is None]
        if unknown:
            others = iter(_buckets(layer, unknown))
            values = [next(others) if value is None else value for value in values]
    return np.array(values, object if layer._value_dtype == "string" else np.int64).reshape(np.shape(keys))


def _buckets(layer: IndexLookup, unknown: list[Any]) -> Iterable[int]:
    """The numbers of tokens that are not in the vocabulary."""
    count, start = layer.num_oov_indices, layer._oov_start_index()
    if count == 0:
        raise gradtape.errors.InvalidArgumentError(
            None,
            None,
            "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values "
            f"{unknown}, consider setting `num_oov_indices=1`.",
        )
    if count == 1:
        return [start] * len(unknown)
    if layer.vocabulary_dtype != "string" and getattr(layer, "oov_method", "floormod") == "floormod":
        return [start + key % count for key in unknown]
    return [start + _bucket(layer, key, count) for key in unknown]


def _bucket(layer: Any, key: Any, count: int) -> int:
    """One of so many buckets, for bytes or an integer. Layers have a salt since Keras 3.14."""
    text, salt = key if isinstance(key, bytes) else str(key).encode(), getattr(layer, "salt", None)
    return (fingerprint(text) if salt is None else siphash(text, salt)) % count


def _encoded(layer: IndexLookup, numbers: Any) -> Any:
    mode = layer.output_mode
    if mode == "int":
        return numbers
    depth = layer.max_tokens if layer.pad_to_max_tokens else layer._frozen_vocab_size
    counted = encode_categorical_inputs(numbers, "count" if mode == "tf_idf" else mode, depth, layer._value_dtype)
    if mode != "tf_idf":
        return counted
    return gradtape.cast(counted, layer.idf_weights_const.dtype) * layer.idf_weights_const


# Hashes.


def _hash(self: Hashing, inputs: Any) -> Any:
    """Put the inputs into bins by their fingerprints; then encode the numbers of the bins."""
    values = as_tensor(inputs)
    if self.output_mode == "one_hot" and values.shape[-1:] == (1,):
        values = gradtape.squeeze(values, axis=-1)
    bins = gradtape.numpy_function(lambda x: _bins(self, x), [values], "int64")
    return encode_categorical_inputs(bins, self.output_mode, self.num_bins, self.dtype)


def _bins(layer: Hashing, values: Any) -> Any:
    values = np.asarray(values, object if isinstance(values, bytes) else None)
    keys = np.ravel(values if values.dtype == object else values.astype(np.int64)).tolist()
    if layer.mask_value is None or layer.num_bins == 1:
        found = [_bucket(layer, key, layer.num_bins) for key in keys]
    else:  # bin 0 is that of the mask
        masked = np.ravel(values == as_bytes(layer.mask_value)).tolist()
        pairs = zip(keys, masked, strict=True)
        found = [0 if drop else 1 + _bucket(layer, key, layer.num_bins - 1) for key, drop in pairs]
    return np.array(found, np.int64).reshape(values.shape)


SEED = 0xDECAFCAFFE
"""What TensorFlow's crosses start from."""


def _cross(self: HashedCrossing, inputs: Any) -> Any:
    """Put what the inputs have in one place into one bin; then encode the numbers of the bins."""
    self._check_at_least_two_inputs(inputs)
    values = [as_tensor(x) for x in inputs]
    self._check_input_shape_and_type(values)
    bins = gradtape.numpy_function(lambda *arrays: _crossed(arrays, self.num_bins), values, "int64")
    return encode_categorical_inputs(bins, self.output_mode, self.num_bins, self.dtype)


def _crossed(arrays: Any, count: int) -> Any:
    rows = zip(*(np.ravel(np.asarray(x, object)).tolist() for x in arrays), strict=True)
    found = [reduce(combined, map(_feature, row), SEED) % count for row in rows]
    return np.array(found, np.int64).reshape(np.shape(arrays[0]))


def _feature(key: Any) -> int:
    return fingerprint(key) if isinstance(key, bytes) else int(key)


# Texts.


def _preprocess(self: TextVectorization, inputs: Any) -> Any:
    """The tokens of each text, in rows; without a split a string tensor."""
    texts = as_tensor(inputs, "string").numpy()
    return _tokens(self, texts)


def _tokens(layer: TextVectorization, texts: Any) -> Any:
    texts = _standardized(layer._standardize, np.asarray(texts, object))
    split = layer._split
    if split is None:
        return (
            as_tensor(texts, "string") if layer._ngrams is None else Rows(_ngrams(_documents(as_tensor(texts)), layer))
        )
    if texts.ndim > 1 and texts.shape[-1] != 1:
        raise ValueError(
            "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape dimension "
            f"must be 1. Received: inputs.shape={texts.shape} with rank={texts.ndim}"
        )
    flat = np.ravel(texts)
    if split == "whitespace":
        rows = [text.split() for text in flat]
    elif split == "character":
        rows = [[c.encode() for c in text.decode("utf-8", "replace")] for text in flat]
    else:
        rows = [[as_bytes(token) for token in row] for row in split(np.array([text.decode() for text in flat]))]
    return Rows(rows if layer._ngrams is None else _ngrams(rows, layer))


def _standardized(how: Any, texts: Any) -> Any:
    if callable(how):
        return as_tensor(np.asarray(how(np.char.decode(texts.astype(np.bytes_), "utf-8"))), "string").numpy()
    if how is not None and "lower" in how:
        texts = _each(bytes.lower, texts)
    if how is not None and "strip_punctuation" in how:
        texts = _each(lambda text: text.translate(None, PUNCTUATION), texts)
    return texts


def _each(function: Any, texts: Any) -> Any:
    changed = np.empty(texts.size, object)
    changed[:] = [function(text) for text in texts.flat]
    return changed.reshape(texts.shape)


def _ngrams(rows: list[list[bytes]], layer: TextVectorization) -> list[list[bytes]]:
    """Runs of tokens with spaces between them, the shorter ones first."""
    return [[b" ".join(row[i : i + n]) for n in layer._ngrams for i in range(len(row) - n + 1)] for row in rows]


def _vectorize(self: TextVectorization, inputs: Any) -> Any:
    """Number the tokens of texts; rows are filled up with zeros."""
    self._lookup_layer._ensure_known_vocab_size()
    numbers = gradtape.numpy_function(lambda x: _numbers(self, x), [as_tensor(inputs, "string")], "int64")
    return _encoded(self._lookup_layer, numbers)


def _numbers(layer: TextVectorization, texts: Any) -> Any:
    lookup, length = layer._lookup_layer, layer._output_sequence_length
    tokens = _tokens(layer, texts)
    if not isinstance(tokens, Rows):
        found = _found(lookup, tokens.numpy())
        if length is None:
            return found
        found = np.atleast_1d(found)
        filled = np.zeros((*found.shape[:-1], length), np.int64)
        filled[..., : found.shape[-1]] = found[..., :length]
        return filled
    rows = [_found(lookup, np.array(row, object)) for row in tokens.rows]
    width = max(map(len, rows), default=0) if length is None else length
    filled = np.full((len(rows), width), 0 if lookup.output_mode == "int" else NOTHING, np.int64)
    for place, row in zip(filled, rows, strict=True):
        place[: len(row)] = row[:width]
    return filled if np.ndim(texts) else filled[0]


def serve() -> None:
    """Let the layers use tables of ours, unless they find TensorFlow."""
    if find_spec("tensorflow") is not None:
        return
    face = Face("tf")
    for module in (hashed_crossing, hashing, index_lookup, integer_lookup, string_lookup, text_vectorization):
        module.tf = face
    for module in (index_lookup, text_vectorization):
        module.tf_utils = SimpleNamespace(ensure_tensor=as_tensor)
    IndexLookup._uninitialized_lookup_table = _empty_table
    IndexLookup._lookup_table_from_tokens = _table_of_tokens
    IndexLookup._lookup_table_from_file = _table_of_file
    IndexLookup.update_state = _update_state
    IndexLookup.call = integer_lookup.IntegerLookup.call = string_lookup.StringLookup.call = _lookup
    Hashing.call = _hash
    HashedCrossing.call = _cross
    TextVectorization._preprocess = _preprocess
    TextVectorization.call = _vectorize
