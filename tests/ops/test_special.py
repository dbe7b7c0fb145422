"""The error function, against Python's own."""

import math

import numpy as np
import pytest

from gradtape.ops import special


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_values(dtype, tolerance):
    x = np.concatenate([np.linspace(-6, 6, 4001), np.linspace(-1e-3, 1e-3, 101), [1e-30, -0.0, 0.5, 1.0]]).astype(dtype)
    exact = [float(v) for v in x]
    np.testing.assert_allclose(special.erf(x), [math.erf(v) for v in exact], rtol=tolerance, atol=0)
    np.testing.assert_allclose(special.erfc(x), [math.erfc(v) for v in exact], rtol=tolerance, atol=0)


def test_the_tail_keeps_its_digits():
    x = np.linspace(6, 26, 2001)
    np.testing.assert_allclose(special.erfc(x), [math.erfc(v) for v in x], rtol=1e-14, atol=0)


def test_ends():
    x = np.array([np.inf, -np.inf, np.nan, 0.0])
    for repeats in (1, 500):  # few elements are computed one by one, many by polynomials
        many = np.tile(x, repeats)
        np.testing.assert_array_equal(special.erf(many)[:4], [1, -1, np.nan, 0])
        np.testing.assert_array_equal(special.erfc(many)[-4:], [0, 2, np.nan, 1])
    assert special.erf(np.float32(0.5)) == np.float32(math.erf(0.5))
    assert np.signbit(special.erf(np.array([-0.0]))[0])
