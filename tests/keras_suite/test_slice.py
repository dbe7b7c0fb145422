"""A fast slice of Keras' own suite, where there is a checkout of it: see the README here."""

import os
from pathlib import Path

import pytest

from tests.keras_suite.__main__ import CHECKOUT, run
from tests.keras_suite.plugin import reasons

SLICE = (
    "ops/core_test.py",
    "ops/linalg_test.py",
    "layers/layer_test.py",
    "layers/core/dense_test.py",
    "layers/normalization/batch_normalization_test.py",
    "losses/losses_test.py",
    "metrics/accuracy_metrics_test.py",
    "optimizers/adam_test.py",
    "models/sequential_test.py",
)


@pytest.mark.skipif(not os.environ.get(CHECKOUT), reason=f"{CHECKOUT} names no checkout of Keras")
@pytest.mark.parametrize("file", SLICE)
def test_keras_passes_its_own_tests(file):
    assert run(Path(os.environ[CHECKOUT]), "gradtape", file) == 0


def test_every_deselected_test_has_a_reason():
    found = reasons()
    assert 0 < len(found) <= 40
    assert all(found.values())
