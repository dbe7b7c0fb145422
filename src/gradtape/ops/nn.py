"""Softmax, the cross entropies and the activations."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from gradtape.core.batching import align, batched, plus_one, rewriting
from gradtape.core.cotangents import together
from gradtape.core.kinds import elementwise, linear, primitive, symmetric
from gradtape.core.rules import shape_of
from gradtape.ops.elementwise import add, exp, minimum, sigmoid, tanh
from gradtape.ops.selection import LARGE, mask_into, vanish, where, within
from gradtape.ops.shaping import broadcast_to, reshape, sum_to
from gradtape.ops.special import erfc
from gradtape.ops.threads import PART, in_parts, spread_lightly

# Softmax. All along one axis.


@batched(rewriting(axis=plus_one))
@linear(x=lambda ct, x_shape, *, axis: broadcast_to(ct, shape=x_shape))
def keep_sum(xp: Any, x: Any, *, axis: int) -> Any:
    """Sum over an axis, which stays with size 1."""
    return xp.add.reduce(x, axis=axis, keepdims=True)


def _shifted(xp: Any, x: Any, axis: int) -> Any:
    """x less its maximum along the axis, in row-major order."""
    return xp.subtract(x, xp.maximum.reduce(x, axis=axis, keepdims=True), order="C")


def softmax_vjp(ct: Any, out: Any, axis: int) -> Any:
    """The Jacobian diag(p) - p pᵀ, applied to the cotangent."""
    weighted = ct * out
    return weighted - out * keep_sum(weighted, axis=axis)


@batched(rewriting(axis=plus_one))
@symmetric(x=lambda ct, out, *, axis: softmax_vjp(ct, out, axis))
def softmax(xp: Any, x: Any, *, axis: int) -> Any:
    """exp(x), normalised to sum to one along an axis; shifted by the maximum, so that it cannot overflow."""
    e = _shifted(xp, x, axis)
    xp.exp(e, out=e)
    e *= 1 / xp.add.reduce(e, axis=axis, keepdims=True)
    return e


def _log_softmax_jvp(tangents: list[Any], args: tuple[Any, ...], out: Any, *, axis: int) -> Any:
    return tangents[0] - keep_sum(exp(out) * tangents[0], axis=axis)


@batched(rewriting(axis=plus_one))
@primitive(x=lambda ct, out, *, axis: ct - exp(out) * keep_sum(ct, axis=axis), jvp=_log_softmax_jvp)
def log_softmax(xp: Any, x: Any, *, axis: int) -> Any:
    """log(softmax(x)), without taking the logarithm of anything small."""
    shifted = _shifted(xp, x, axis)
    return shifted - xp.log(xp.add.reduce(xp.exp(shifted), axis=axis, keepdims=True))


# Cross entropies of logits along the last axis. Each gives the loss and, for the way back, the probabilities.


def _expanded(ct: Any) -> Any:
    return reshape(ct, shape=(*shape_of(ct), 1))


def _entropy_logits(cts: tuple[Any, Any], labels: Any, out: tuple[Any, Any]) -> Any:
    """p (sum of the labels) - labels: the sum is 1 where the labels are a distribution."""
    ct, p_ct = cts
    p = out[1]
    through = None if p_ct is None else softmax_vjp(p_ct, p, len(shape_of(p)) - 1)
    if ct is None:
        return through
    direct = _expanded(ct) * (p * keep_sum(labels, axis=len(shape_of(p)) - 1) - labels)
    return direct if through is None else direct + through


def _entropy_labels(cts: tuple[Any, Any], logits: Any) -> Any:
    return None if cts[0] is None else -_expanded(cts[0]) * log_softmax(logits, axis=len(shape_of(logits)) - 1)


def _dots(xp: Any, a: Any, b: Any) -> Any:
    """The dot products of rows."""
    return xp.einsum("...i,...i->...", a, b) if a.dtype.char in "fd" else xp.add.reduce(a * b, axis=-1)


@batched(together())
@primitive(labels=_entropy_labels, logits=_entropy_logits)
def softmax_cross_entropy(xp: Any, labels: Any, logits: Any) -> tuple[Any, Any]:
    """-sum(labels log p) and p = softmax(logits). A label of zero counts nothing, even where p is zero."""
    shifted = _shifted(xp, logits, -1)
    p = xp.exp(shifted)
    total = xp.add.reduce(p, axis=-1, keepdims=True)
    p *= 1 / total
    log_total = xp.log(total[..., 0])
    loss = log_total * xp.add.reduce(labels, axis=-1) - _dots(xp, labels, shifted)
    if not xp.isfinite(loss).all():
        terms = labels * (log_total[..., None] - shifted)
        loss = xp.add.reduce(xp.where(labels == 0, xp.zeros((), terms.dtype), terms), axis=-1)
    return loss, p


def _sparse_logits(cts: tuple[Any, Any], labels: Any, out: tuple[Any, Any]) -> Any:
    ct, p_ct = cts
    p = out[1]
    through = None if p_ct is None else softmax_vjp(p_ct, p, len(shape_of(p)) - 1)
    if ct is None:
        return through
    direct = scaled_error(p, ct, labels)
    return direct if through is None else direct + through


@batched(together())
@primitive(labels=None, logits=_sparse_logits)
def sparse_softmax_cross_entropy(xp: Any, labels: Any, logits: Any) -> tuple[Any, Any]:
    """-log p[label] and p = softmax(logits)."""
    shifted = _shifted(xp, logits, -1)
    picked = shifted.reshape(-1)[_flat_places(xp, labels, shifted.shape[-1])].reshape(labels.shape)
    xp.exp(shifted, out=shifted)
    total = xp.add.reduce(shifted, axis=-1, keepdims=True)
    shifted *= 1 / total
    return xp.log(total[..., 0]) - picked, shifted


def _scaled_error_jvp(tangents: list[Any], args: tuple[Any, ...], out: Any) -> Any:
    p, scale, labels = args
    dp, ds, _ = tangents
    terms = [dp * _expanded(scale)] if dp is not None else []
    terms += [scaled_error(p, ds, labels)] if ds is not None else []
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


@batched(together())
@primitive(
    p=lambda ct, scale: ct * _expanded(scale),
    scale=lambda ct, p, labels: (
        reshape(keep_sum(ct * p, axis=len(shape_of(p)) - 1), shape=shape_of(p)[:-1]) - at_labels(ct, labels)
    ),
    labels=None,
    jvp=_scaled_error_jvp,
)
def scaled_error(xp: Any, p: Any, scale: Any, labels: Any) -> Any:
    """(p - one_hot(labels)) scale: the gradient of the sparse cross entropy."""
    out = xp.multiply(p, scale[..., None], order="C")
    out.reshape(-1)[_flat_places(xp, labels, out.shape[-1])] -= scale.reshape(-1)
    return out


def _flat_places(xp: Any, labels: Any, size: int) -> Any:
    """Where in the flattened rows of this size the elements are that the labels name."""
    flat = labels.reshape(-1)
    return xp.arange(0, len(flat) * size, size) + flat


@batched(together())
@linear(x=lambda ct, labels, x_shape: spread_to_labels(ct, labels, size=x_shape[-1]), labels=None)
def at_labels(xp: Any, x: Any, labels: Any) -> Any:
    """The element of each row that its label names."""
    return x.reshape(-1)[_flat_places(xp, labels, x.shape[-1])].reshape(labels.shape)


@batched(together())
@linear(x=lambda ct, labels, *, size: at_labels(ct, labels), labels=None)
def spread_to_labels(xp: Any, x: Any, labels: Any, *, size: int) -> Any:
    """Rows of zeros with an element at the place that the label names: the transpose of `at_labels`."""
    out = xp.zeros((*x.shape, size), dtype=x.dtype)
    out.reshape(-1)[_flat_places(xp, labels, size)] = x.reshape(-1)
    return out


@elementwise(labels=lambda logits: -logits, logits=lambda labels, logits: sigmoid(logits) - labels)
def sigmoid_cross_entropy(xp: Any, labels: Any, logits: Any) -> Any:
    """max(x, 0) - x z + log(1 + exp(-|x|)), which cannot overflow."""
    zero = xp.zeros((), logits.dtype)
    return xp.maximum(logits, zero) - logits * labels + xp.log1p(xp.exp(-xp.abs(logits)))


# Activations.


def _bias_add_batch(primitive: Any, size: int, flags: Any, args: list[Any], params: dict[str, Any]) -> Any:
    """A vector for each example is no longer one for all rows: broadcast it."""
    return align(add if flags[1] else primitive, size, flags, args, params)


@batched(_bias_add_batch)
@linear(x=1, bias=lambda ct, bias_shape: sum_to(ct, shape=bias_shape))
def bias_add(xp: Any, x: Any, bias: Any) -> Any:
    """A vector, added to each row of the last axis: to several rows at once, for the sake of longer ones."""
    n = bias.shape[0]
    if x.ndim < 3 or n > SHORT or not x.flags.c_contiguous:
        return x + bias
    rows, row = x.reshape(-1, x.shape[-2] * n), xp.tile(bias, x.shape[-2])
    out = xp.empty_like(rows)
    step = max(1, PART // max(1, row.size))
    spread_lightly(
        lambda i: xp.add(rows[i * step : (i + 1) * step], row, out=out[i * step : (i + 1) * step]),
        -(-len(rows) // step),
    )
    return out.reshape(x.shape)


SHORT = 64
"""Up to how many elements a row is worth being joined with others."""


@batched(align)
@symmetric(x=lambda ct, out: gate(ct, out))
def relu(xp: Any, x: Any) -> Any:
    """max(x, 0); the gradient at 0 is 0."""
    zero = x.dtype.type(0)
    if x.size < LARGE:
        return xp.maximum(x, zero)
    out = xp.empty_like(x)
    if not in_parts(lambda x, out: xp.maximum(x, zero, out=out), x, out):
        xp.maximum(x, zero, out=out)
    return out


@elementwise(x=lambda gate: within(gate, high=None), gate=lambda x: vanish(x))
def gate(xp: Any, x: Any, gate: Any) -> Any:
    """x where the gate is positive, zero elsewhere, even if x is infinite there."""
    if x.size < LARGE or x.shape != gate.shape:
        return where.kernel(gate > 0, x, 0)
    out = xp.empty_like(x)
    if not in_parts(lambda x, gate, out: mask_into(gate > 0, x, out), x, gate, out):
        mask_into(gate > 0, x, out)
    return out


@elementwise(x=lambda out: within(out, high=6))
def relu6(xp: Any, x: Any) -> Any:
    """min(max(x, 0), 6); the gradient at 0 and at 6 is 0."""
    return xp.minimum(xp.maximum(x, x.dtype.type(0)), x.dtype.type(6))


@elementwise(x=lambda x: vanish(x))
def leaky_slope(xp: Any, x: Any, *, alpha: float) -> Any:
    """One where x is positive, alpha elsewhere."""
    return where.kernel(x > 0, x.dtype.type(1), x.dtype.type(alpha))


@elementwise(x=lambda x, *, alpha: leaky_slope(x, alpha=alpha))
def leaky_relu(xp: Any, x: Any, *, alpha: float) -> Any:
    """x where it is positive, alpha x elsewhere."""
    scaled = x * x.dtype.type(alpha)
    return xp.maximum(x, scaled) if alpha <= 1 else xp.minimum(x, scaled)


@elementwise(x=lambda x: exp(-relu(-x)))
def elu(xp: Any, x: Any) -> Any:
    """x where it is positive, exp(x) - 1 elsewhere."""
    zero = x.dtype.type(0)
    return xp.maximum(x, zero) + xp.expm1(xp.minimum(x, zero))


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


@elementwise(x=lambda x: where(x < 0, SELU_SCALE * SELU_ALPHA * exp(minimum(x, 0)), SELU_SCALE))
def selu(xp: Any, x: Any) -> Any:
    """elu with the scale and slope that keep mean 0 and variance 1 from layer to layer."""
    zero, scale, tail = (x.dtype.type(c) for c in (0, SELU_SCALE, SELU_SCALE * SELU_ALPHA))
    return scale * xp.maximum(x, zero) + tail * xp.expm1(xp.minimum(x, zero))


@elementwise(x=lambda x: silu_slope(x))
def silu(xp: Any, x: Any) -> Any:
    """x sigmoid(x)."""
    return x * sigmoid.kernel(x)


def silu_slope(x: Any) -> Any:
    """s + x s (1 - s), with 1 - s as the sigmoid of -x."""
    s = sigmoid(x)
    return s + x * s * sigmoid(-x)


def normal_cdf(x: Any) -> Any:
    """The distribution function of the standard normal law."""
    return erfc(x * -SQRT_HALF) * 0.5


def _gelu_slope(x: Any) -> Any:
    return normal_cdf(x) + x * exp(x * x * -0.5) * (SQRT_HALF / sqrt(pi))


SQRT_HALF = sqrt(0.5)


@elementwise(x=_gelu_slope)
def gelu(xp: Any, x: Any) -> Any:
    """x times the probability that a standard normal number is less than x."""
    return x * erfc.kernel(x * x.dtype.type(-SQRT_HALF)) * x.dtype.type(0.5)


def gelu_by_tanh(x: Any) -> Any:
    """The approximation of gelu by a hyperbolic tangent."""
    return x * 0.5 * (1 + tanh((x + x * x * x * 0.044715) * sqrt(2 / pi)))


@elementwise(x=lambda x: 1 / ((1 + abs(x)) * (1 + abs(x))))
def softsign(xp: Any, x: Any) -> Any:
    """x / (1 + |x|)."""
    return x / (1 + xp.abs(x))


@batched(align)
@linear(x=lambda ct, *, radius: window_sum(ct, radius=radius))
def window_sum(xp: Any, x: Any, *, radius: int) -> Any:
    """Sums over the neighbours along the last axis, up to `radius` away on both sides; its own transpose."""
    out = x.copy()
    for step in range(1, min(radius, x.shape[-1] - 1) + 1):
        out[..., step:] += x[..., :-step]
        out[..., :-step] += x[..., step:]
    return out
