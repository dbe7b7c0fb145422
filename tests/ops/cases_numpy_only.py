"""Cases of what NumPy has and TensorFlow lacks, of Fourier transforms, and of labels without blanks."""

import math

import numpy as np

from gradtape.ops import ctc, fourier, numpy_only

from .opcase import OpCase

PLANE = np.array([[0.5, -1.5, 2.0], [1.2, 0.3, -0.7]])
OTHER = np.array([[1.5, 0.4, -0.6], [-0.9, 2.0, 0.8]])
COMPLEX = PLANE + 1j * OTHER
NUMBERS = np.array([[3, 1, 3], [0, 2, 1]])


def discrete(op, args, params=None, reference=None, label=""):
    return OpCase(op, args, params or {}, reference, live=(), dtypes=("float64",), label=label)


def spherical(order):
    """x^n / (2n + 1)!! times the sum of (-x^2 / 2)^k / (k! (2n + 3) (2n + 5) ... (2n + 2k + 1))."""
    return lambda x: np.vectorize(
        lambda v: series(v**order / double(order), -v * v / 2, lambda k: 2 * order + 2 * k + 1)
    )(x)


def modified(order):
    """(x / 2)^n / n! times the sum of (x^2 / 4)^k / (k! (n + 1) ... (n + k))."""
    start = math.factorial(order)
    return lambda x: np.vectorize(lambda v: series((v / 2) ** order / start, v * v / 4, lambda k: order + k))(x)


def double(order):
    return math.prod(range(1, 2 * order + 2, 2))


def series(term, step, factor):
    terms = [term]
    for k in range(1, 60):
        terms.append(terms[-1] * step / (k * factor(k)))
    return math.fsum(terms)


CASES = [
    OpCase(numpy_only.hypot, (PLANE, OTHER)),
    OpCase(numpy_only.cbrt, (PLANE,)),
    *[
        OpCase(
            numpy_only.spherical_bessel,
            (np.array([0.0, 0.3, -1.1, 2.5, 7.0]),),
            {"order": n},
            spherical(n),
            dtypes=("float64",),
            label=str(n),
        )
        for n in (0, 1, 3)
    ],
    discrete(numpy_only.gcd, (np.array([12, 18, 7]), np.array([8, 27, 0])), None, lambda a, b: [4, 9, 7]),
    discrete(numpy_only.lcm, (np.array([4, 6, 7]), np.array([6, 9, 0])), None, lambda a, b: [12, 18, 0]),
    discrete(numpy_only.nextafter, (PLANE, OTHER)),
    discrete(numpy_only.heaviside, (PLANE, OTHER), None, lambda x, y: [[1, 0, 1], [1, 1, 0]]),
    discrete(numpy_only.signbit, (np.array([-0.0, 0.0, -2.0]),), None, lambda x: [True, False, True]),
    discrete(numpy_only.is_among, (NUMBERS, np.array([1, 3])), None, lambda x, v: [[1, 1, 1], [0, 0, 1]]),
    discrete(numpy_only.distinct, (NUMBERS,), {"axis": 1}, lambda x: ([1, 0, 2], [1, 0, 2], [1, 1, 1])),
    discrete(numpy_only.exchanges, (np.array([2, 0, 1]),), {"steps": 1}, lambda order: ([2], [0, 2, 1])),
    OpCase(fourier.fft, (COMPLEX,), {"axes": (1,)}, lambda x: np.fft.fft(x), label="rows"),
    OpCase(fourier.fft, (COMPLEX,), {"axes": (0, 1)}, lambda x: np.fft.fft2(x), label="plane"),
    OpCase(fourier.ifft, (COMPLEX,), {"axes": (1,)}, lambda x: np.fft.ifft(x)),
    discrete(ctc.with_blanks, (NUMBERS,), {"blank": 9}, lambda x: [[9, 3, 9, 1, 9, 3, 9], [9, 0, 9, 2, 9, 1, 9]]),
    discrete(
        ctc.may_jump,
        (np.array([[1, 1, 2], [1, 2, 0]]),),
        None,
        lambda x: [[0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1, 0]],
    ),
    discrete(
        ctc.greedy_path,
        (np.eye(3)[[[1, 1, 0, 2], [2, 0, 2, 1]]], np.array([4, 3])),
        {"blank": 0, "merge": True},
        lambda s, n: [[1, 2, -1, -1], [2, 2, -1, -1]],
    ),
    discrete(
        ctc.best_paths,
        (np.log([[[0.6, 0.4], [0.6, 0.4]]]), np.array([2])),
        {"blank": 0, "width": 4, "count": 2},
        lambda s, n: ([[[1, -1], [-1, -1]]], [[np.log(0.64), np.log(0.36)]]),
    ),
]
