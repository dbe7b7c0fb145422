"""Lines of files."""

import gzip
import zlib

import pytest

import gradtape as tf

LINES = [b"one", b"", b"zwei \xc3\xa9", b"3"]


@pytest.mark.parametrize(
    ("kind", "pack"), [(None, bytes), ("", bytes), ("GZIP", gzip.compress), ("ZLIB", zlib.compress)]
)
def test_lines(tmp_path, kind, pack):
    (tmp_path / "a").write_bytes(pack(b"one\r\n\nzwei \xc3\xa9\n3"))
    data = tf.data.TextLineDataset(str(tmp_path / "a"), compression_type=kind)
    assert list(data.as_numpy_iterator()) == list(data.as_numpy_iterator()) == LINES
    assert data.element_spec == tf.TensorSpec([], tf.string)
    assert int(data.take(2).batch(2).unbatch().reduce(0, lambda n, _: n + 1)) == 2
    assert next(data.batch(4).as_numpy_iterator()).tolist() == LINES


def test_several_files(tmp_path):
    names = [str(tmp_path / name) for name in "ab"]
    for name in names:
        with open(name, "w") as file:
            file.write(f"in {name[-1]}\n")
    wanted = [b"in a", b"in b"]
    assert list(tf.data.TextLineDataset(names).as_numpy_iterator()) == wanted
    files = tf.data.Dataset.from_tensor_slices(names)
    assert list(tf.data.TextLineDataset(files).as_numpy_iterator()) == wanted
    assert list(files.interleave(tf.data.TextLineDataset).as_numpy_iterator()) == wanted


def test_errors(tmp_path):
    with pytest.raises(ValueError, match="`compression_type`"):
        tf.data.TextLineDataset("a", compression_type="ZIP")
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        list(tf.data.TextLineDataset(str(tmp_path / "none")))
