"""Which public names of TensorFlow gradtape has, and why it lacks the others."""

from pathlib import Path

import pytest

import gradtape as tf

HERE = Path(__file__).parent
MISSING = HERE / "missing.txt"


def names(path):
    """The names in a file, one a line; lines that start with '#' are comments."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def has(name):
    value = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
        if value is None:
            return part == "newaxis"
    return True


TENSORFLOW, LISTED = names(HERE / "tensorflow.txt"), names(MISSING)


def test_what_is_missing_is_listed_with_its_reason():
    lacking = [name for name in TENSORFLOW if not has(name)]
    assert sorted(set(lacking) - set(LISTED)) == [], "add them to missing.txt, under the reason"


def test_what_is_listed_is_missing():
    assert sorted(name for name in LISTED if has(name)) == [], "they are there now: take them out of missing.txt"
    assert sorted(set(LISTED) - set(TENSORFLOW)) == [], "TensorFlow has no such names"
    assert len(set(LISTED)) == len(LISTED)


def test_every_group_has_a_reason():
    for group in MISSING.read_text(encoding="utf-8").strip().split("\n\n"):
        assert group.startswith("# ")


@pytest.mark.parametrize("name", ["tf.math.abs", "tf.linalg.sqrtm", "tf.newaxis", "tf.GradientTape"])
def test_names_that_are_there_are_found(name):
    assert name in TENSORFLOW
    assert has(name)


@pytest.mark.parametrize("name", ["tf.math.nothing", "tf.nothing.at_all"])
def test_names_that_are_not_there_are_not_found(name):
    assert not has(name)
