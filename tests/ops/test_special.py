"""Special functions: the error function against Python's own, the others against values that SciPy computed."""

import math

import numpy as np
import pytest

from gradtape.ops import bessel, incomplete, integrals, special


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


X = np.array([0.01, 1.0, 3.0, 30.0])
SHAPES, POINTS = np.array([0.01, 0.5, 3.0, 20.0, 150.0, 3000.0]), np.array([0.3, 4.0, 0.2, 25.0, 120.0, 3050.0])
SCIPY = [
    (
        "igamma",
        lambda: incomplete.igamma(SHAPES, POINTS),
        [
            0.9909276035782353,
            0.9953222650189527,
            0.0011484812448621328,
            0.8664251659143496,
            0.004563441304151236,
            0.8196220328026212,
        ],
    ),
    (
        "igammac",
        lambda: incomplete.igammac(SHAPES[1:], POINTS[1:]),
        [0.004677734981047276, 0.9988515187551379, 0.1335748340856504, 0.9954365586958488, 0.18037796719737875],
    ),
    (
        "betainc",
        lambda: incomplete.betainc(
            np.array([0.1, 2.0, 30.0, 500.0]), np.array([3.0, 0.5, 7.0, 900.0]), np.array([0.001, 0.9, 0.99, 0.33])
        ),
        [0.5787660330857355, 0.5414697392755851, 0.9999999352708837, 0.016179249275620606],
    ),
    (
        "zeta",
        lambda: special.zeta(np.array([1.01, 2.0, 30.0, 3.0, 4.0]), np.array([0.5, 100.0, 2.5, -1.5, -7.3])),
        [101.97709317748227, 0.010050166663333573, 1.152969168563024e-12, 0.11810202582086413, 128.16945566361377],
    ),
    (
        "polygamma",
        lambda: special.polygamma_at(np.array([1.0, 2.0, 5.0]), np.array([0.3, 4.0, 1.0])),
        [12.245364546107734, -0.0800397322451145, 122.08116743813386],
    ),
    (
        "j0",
        lambda: bessel.bessel_j(X, order=0),
        [0.9999750001562495, 0.7651976865579665, -0.2600519549019335, -0.08636798358104031],
    ),
    (
        "j1",
        lambda: bessel.bessel_j(X, order=1),
        [0.004999937500260416, 0.44005058574493355, 0.33905895852593654, -0.11875106261662305],
    ),
    (
        "y0",
        lambda: bessel.bessel_y(X, order=0),
        [-3.005455637083646, 0.08825696421567697, 0.3768500100127906, -0.11729573168666398],
    ),
    (
        "y1",
        lambda: bessel.bessel_y(X, order=1),
        [-63.67859628206067, -0.7812128213002888, 0.3246744247918001, 0.08442557066174713],
    ),
    (
        "i0",
        lambda: bessel.bessel_i(X, order=0),
        [1.0000250001562505, 1.2660658777520082, 4.880792585865024, 781672297823.9775],
    ),
    (
        "i1e",
        lambda: bessel.bessel_ie(X, order=1),
        [0.004950311047118278, 0.2079104153497085, 0.19682671329730084, 0.07191633059864755],
    ),
    (
        "k0",
        lambda: bessel.bessel_k(X, order=0),
        [4.721244730161095, 0.42102443824070823, 0.03473950438627925, 2.1324774964630563e-14],
    ),
    (
        "k1e",
        lambda: bessel.bessel_ke(X, order=1),
        [100.97864845824002, 1.636153486263258, 0.806563480128787, 0.2316541293777118],
    ),
    (
        "dawsn",
        lambda: integrals.dawsn(X),
        [0.00999933335999924, 0.5380795069127684, 0.17827103061055827, 0.016675941401059196],
    ),
    (
        "expint",
        lambda: integrals.expint(X),
        [-4.017929465426669, 1.895117816355937, 9.933832570625416, 368973209407.2738],
    ),
    (
        "fresnel_sin",
        lambda: integrals.fresnel_sin(X),
        [5.235987746754932e-07, 0.4382591473903547, 0.496312998967375, 0.4893896744421938],
    ),
    (
        "fresnel_cos",
        lambda: integrals.fresnel_cos(X),
        [0.00999999997532599, 0.779893400376823, 0.6057207892976857, 0.4999962473706099],
    ),
    (
        "spence",
        lambda: integrals.spence(X),
        [1.5886254480763753, 0.0, -1.436746366883681, -7.280084707384272],
    ),
]


@pytest.mark.parametrize(("call", "wanted"), [case[1:] for case in SCIPY], ids=[case[0] for case in SCIPY])
def test_values_of_scipy(call, wanted):
    np.testing.assert_allclose(call(), wanted, rtol=5e-14, atol=0)


ENDS = np.array([-np.inf, -2.0, 0.0, np.inf, np.nan])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # kernels are silenced by the primitives, not called raw
@pytest.mark.parametrize(
    ("function", "params", "wanted"),
    [
        (bessel.bessel_i, {"order": 1}, [-np.inf, -1.5906368546373291, 0, np.inf, np.nan]),
        (bessel.bessel_y, {"order": 0}, [-np.inf, -np.inf, -np.inf, np.nan, np.nan]),
        (bessel.bessel_ke, {"order": 1}, [np.inf, np.inf, np.inf, 0, np.nan]),
        (integrals.dawsn, {}, [0, -0.30134038892379195, 0, 0, np.nan]),
        (integrals.expint, {}, [np.nan, np.nan, -np.inf, np.inf, np.nan]),
        (integrals.fresnel_sin, {}, [-0.5, -0.34341567836369824, 0, 0.5, np.nan]),
        (integrals.spence, {}, [np.nan, np.nan, np.pi**2 / 6, np.nan, np.nan]),
    ],
)
def test_outside_and_at_the_ends(function, params, wanted):
    np.testing.assert_allclose(function(ENDS, **params), wanted, rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_ends_of_two_arguments():
    a, x = np.array([0.0, -1.0, 1.0, 1.0, 2.0, np.inf]), np.array([1.0, 1.0, -1.0, 0.0, np.inf, 2.0])
    np.testing.assert_array_equal(incomplete.igamma(a, x), [np.nan, np.nan, np.nan, 0, 1, 0])
    np.testing.assert_array_equal(incomplete.igammac(a, x), [np.nan, np.nan, np.nan, 1, 0, 1])
    s, q = np.array([1.0, 0.5, 2.0, 2.5, 3.0, 2.0]), np.array([2.0, 2.0, -1.0, -1.5, 0.0, np.inf])
    np.testing.assert_array_equal(special.zeta(s, q), [np.inf, np.nan, np.inf, np.nan, np.nan, 0])
    ends = incomplete.betainc(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), np.array([0.5, 0.0, 1.0, 1.1]))
    np.testing.assert_array_equal(ends, [np.nan, 0, 1, np.nan])
