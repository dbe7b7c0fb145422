"""`tf.math.special`, and the incomplete gamma and beta functions and zeta of `tf.math`."""

from __future__ import annotations

from typing import Any

from gradtape._axes import alike, of_kind
from gradtape.core.convert import to_tensor
from gradtape.core.primitive import Primitive
from gradtape.core.tensor import Tensor
from gradtape.ops import bessel, incomplete, integrals
from gradtape.ops import special as ops

FLOATING = "fV"


def _unary(primitive: Primitive, x: Any, op: str, **params: Any) -> Tensor:
    out: Tensor = primitive(of_kind(to_tensor(x, name="x"), FLOATING, op), **params)
    return out


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised lower incomplete gamma function: the integral of t^(a-1) exp(-t) from 0 to x, over gamma(a).

    Gradients flow to both arguments, to any order.

    Args:
        a: float; positive, elsewhere the result is NaN.
        x: of the same dtype, not negative; the shapes broadcast.

    >>> import gradtape as tf
    >>> tf.math.igamma(1.0, 2.0).numpy()
    np.float32(0.86466473)
    """
    p, q = alike((a, x), "Igamma")
    out: Tensor = incomplete.igamma(of_kind(p, FLOATING, "Igamma"), q)
    return out


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised upper incomplete gamma function, 1 - igamma(a, x), exact where that is tiny. Args as `igamma`.

    >>> import gradtape as tf
    >>> tf.math.igammac(1.0, 2.0).numpy()
    np.float32(0.13533528)
    """
    p, q = alike((a, x), "Igammac")
    out: Tensor = incomplete.igammac(of_kind(p, FLOATING, "Igammac"), q)
    return out


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function: the integral of t^(a-1) (1-t)^(b-1) from 0 to x, over beta(a, b).

    Gradients flow to x only, as in TensorFlow.

    Args:
        a: float; positive, elsewhere the result is NaN.
        b: as `a`.
        x: of [0, 1], elsewhere the result is NaN; the shapes of the three broadcast.

    >>> import gradtape as tf
    >>> tf.math.betainc(1.0, 2.0, 0.5).numpy()
    np.float32(0.75)
    """
    p, q, r = alike((a, b, x), "Betainc")
    out: Tensor = incomplete.betainc(of_kind(p, FLOATING, "Betainc"), q, r)
    return out


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of (q + k)^-x over k = 0, 1, ...

    Gradients flow to q only, as in TensorFlow.

    Args:
        x: float, above 1; NaN below, infinite at 1.
        q: of the same dtype; negative for whole x only. The shapes broadcast.

    >>> import gradtape as tf
    >>> tf.math.zeta(2.0, 1.0).numpy()
    np.float32(1.644934)
    """
    s, point = alike((x, q), "Zeta")
    out: Tensor = ops.zeta(of_kind(s, FLOATING, "Zeta"), point)
    return out


def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0.

    >>> import gradtape as tf
    >>> tf.math.bessel_i0([0.0, 1.0]).numpy()
    array([1.       , 1.2660658], dtype=float32)
    """
    return _unary(bessel.bessel_i, x, "BesselI0", order=0)


def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1."""
    return _unary(bessel.bessel_i, x, "BesselI1", order=1)


def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0, times exp(-|x|)."""
    return _unary(bessel.bessel_ie, x, "BesselI0e", order=0)


def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1, times exp(-|x|)."""
    return _unary(bessel.bessel_ie, x, "BesselI1e", order=1)


def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 0."""
    return _unary(bessel.bessel_j, x, "BesselJ0", order=0)


def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 1."""
    return _unary(bessel.bessel_j, x, "BesselJ1", order=1)


def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 0, for x > 0; minus infinity elsewhere."""
    return _unary(bessel.bessel_y, x, "BesselY0", order=0)


def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 1, for x > 0; minus infinity elsewhere."""
    return _unary(bessel.bessel_y, x, "BesselY1", order=1)


def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 0, for x > 0; infinite elsewhere."""
    return _unary(bessel.bessel_k, x, "BesselK0", order=0)


def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 1, for x > 0; infinite elsewhere."""
    return _unary(bessel.bessel_k, x, "BesselK1", order=1)


def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 0, times exp(x), for x > 0; infinite elsewhere."""
    return _unary(bessel.bessel_ke, x, "BesselK0e", order=0)


def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 1, times exp(x), for x > 0; infinite elsewhere."""
    return _unary(bessel.bessel_ke, x, "BesselK1e", order=1)


def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    return _unary(integrals.dawsn, x, "Dawsn")


def expint(x: Any, name: str | None = None) -> Tensor:
    """The exponential integral Ei(x), for x > 0; NaN for x < 0."""
    return _unary(integrals.expint, x, "Expint")


def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's cosine integral: of cos(pi t^2 / 2) from 0 to x."""
    return _unary(integrals.fresnel_cos, x, "FresnelCos")


def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's sine integral: of sin(pi t^2 / 2) from 0 to x."""
    return _unary(integrals.fresnel_sin, x, "FresnelSin")


def spence(x: Any, name: str | None = None) -> Tensor:
    """Spence's function: minus the integral of log(t) / (t - 1) from 1 to x, for x >= 0; NaN elsewhere."""
    return _unary(integrals.spence, x, "Spence")
