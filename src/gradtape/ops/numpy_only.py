"""Functions that NumPy has and TensorFlow lacks, for `keras.ops`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.kinds import data_shaped, discrete, elementwise, ufunc
from gradtape.ops.elementwise import divide_no_nan

hypot = ufunc(np.hypot, x=lambda x, out: divide_no_nan(x, out), y=lambda y, out: divide_no_nan(y, out))
cbrt = ufunc(np.cbrt, x=lambda out: 1 / (out * out * 3))
gcd = ufunc(np.gcd, x=None, y=None)
lcm = ufunc(np.lcm, x=None, y=None)
nextafter = ufunc(np.nextafter, x=None, y=None)
heaviside = ufunc(np.heaviside, x=None, y=None)
signbit = ufunc(np.signbit, x=None)


# The spherical Bessel functions; their derivatives are those of the orders beside them.


def _spherical_slope(x: Any, *, order: int) -> Any:
    """j_n' = (n j_(n-1) - (n + 1) j_(n+1)) / (2n + 1): no division by x, so that it holds at 0."""
    above = spherical_bessel(x, order=order + 1) * ((order + 1) / (2 * order + 1))
    return spherical_bessel(x, order=order - 1) * (order / (2 * order + 1)) - above if order else -above


@elementwise(x=_spherical_slope)
def spherical_bessel(xp: Any, x: Any, *, order: int) -> Any:
    """The spherical Bessel function j_n: sin(x) / x, and what its derivatives are made of.

    Near 0 the power series, further out the recurrence j_(n+1) = (2n + 1) / x j_n - j_(n-1), which is stable there.
    """
    wide = xp.asarray(x).astype(xp.float64)
    square, far = wide * wide, xp.abs(wide) > order + 1
    near = xp.where(far, 0, square)
    term = total = xp.where(far, 0, wide) ** order / np.prod(np.arange(1.0, 2 * order + 2, 2))
    for k in range(1, 24 + order):
        term = term * near / (-2.0 * k * (2 * order + 2 * k + 1))
        total = total + term
    safe = xp.where(far, wide, 1)
    before, here = xp.cos(safe) / safe, xp.sin(safe) / safe
    for n in range(order):
        before, here = here, (2 * n + 1) / safe * here - before
    return xp.where(far, here, total).astype(x.dtype)


# Membership and order.


@discrete
def is_among(xp: Any, x: Any, values: Any) -> Any:
    """Whether each element is one of the values."""
    return xp.isin(x, values)


@data_shaped
def distinct(xp: Any, x: Any, *, axis: int) -> Any:
    """The distinct slices along an axis, in order: where they first occur, the number of each slice, their counts."""
    _, first, inverse, counts = xp.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    return first, inverse.reshape(-1), counts


@discrete
def exchanges(xp: Any, order: Any, *, steps: int) -> Any:
    """The first exchanges that make a permutation, and where the rows that they put in order are in the permutation.

    Exchange i is given by the row that row i is exchanged with, as LAPACK counts pivots.
    """
    rows = order.reshape(-1, order.shape[-1])
    pivots, found = xp.empty((len(rows), steps), xp.int32), xp.empty_like(rows)
    for k, places in enumerate(rows):
        now = list(range(len(places)))
        for i, place in enumerate(places[:steps]):
            at = now.index(place)
            pivots[k, i], now[at], now[i] = at, now[i], now[at]
        found[k] = xp.argsort(places)[now]
    return pivots.reshape(*order.shape[:-1], steps), found.reshape(order.shape)
