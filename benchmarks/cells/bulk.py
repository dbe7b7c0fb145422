"""Many rows at once: Jacobians, Hessians, and the nested tapes of a physics-informed network.

As they are, and captured: in a `tf.function` or under `jax.jit`; PyTorch is the same both times.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from itertools import pairwise

import numpy as np

from cells.cell import Cell, Step, timed

FRAMEWORKS = ("gradtape", "torch", "tensorflow", "jax")
NARROW, WIDE, EXAMPLES, FEATURES, SIDE, POINTS = 64, 128, 64, 16, 100, 1000
RATE = 1e-3


def weights(*widths: int) -> list[np.ndarray]:
    """Matrices of a network without biases, the same for every framework."""
    rng = np.random.default_rng(0)
    return [(rng.normal(size=pair) / pair[0] ** 0.5).astype(np.float32) for pair in pairwise(widths)]


def jacobian(framework: str, *, captured: bool) -> Step:
    """64 outputs of a 64-128-64 tanh net, in its 64 inputs."""
    w1, w2 = weights(NARROW, WIDE, NARROW)
    x = np.random.default_rng(1).normal(size=(1, NARROW)).astype(np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        x, w1, w2 = tf.constant(x), tf.constant(w1), tf.constant(w2)

        def of(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.tanh(x @ w1) @ w2
            return tape.jacobian(y, x)

        of = tf.function(of) if captured else of

        def step():
            return of(x)[0, 0, 0, 0]

    elif framework == "torch":
        torch = import_module("torch")
        x, w1, w2 = torch.tensor(x), torch.tensor(w1), torch.tensor(w2)
        of = torch.func.jacrev(lambda v: torch.tanh(v @ w1) @ w2)

        def step():
            return of(x)[0, 0, 0, 0]

    else:
        jax = import_module("jax")
        jnp = jax.numpy
        of = jax.jacrev(lambda v: jnp.tanh(v @ w1) @ w2)
        of = jax.jit(of) if captured else of
        x = jnp.array(x)

        def step():
            return of(x)[0, 0, 0, 0].block_until_ready()

    return step


def batch_jacobian(framework: str) -> Step:
    """16 outputs of each of 64 examples, in the example's 16 inputs."""
    (w,) = weights(FEATURES, FEATURES)
    x = np.random.default_rng(1).normal(size=(EXAMPLES, FEATURES)).astype(np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        x, w = tf.constant(x), tf.constant(w)

        def step():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.tanh(x @ w)
            return tape.batch_jacobian(y, x)[0, 0, 0]

    elif framework == "torch":
        torch = import_module("torch")
        x, w = torch.tensor(x), torch.tensor(w)
        of = torch.func.vmap(torch.func.jacrev(lambda v: torch.tanh(v @ w)))

        def step():
            return of(x)[0, 0, 0]

    else:
        jax = import_module("jax")
        of = jax.vmap(jax.jacrev(lambda v: jax.numpy.tanh(v @ w)))

        def step():
            return of(x)[0, 0, 0].block_until_ready()

    return step


def hessian(framework: str, *, captured: bool) -> Step:
    """The 100 x 100 Hessian of the sum of tanh(x A)^2."""
    (a,) = weights(SIDE, SIDE)
    x = np.random.default_rng(1).normal(size=(1, SIDE)).astype(np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        x, a = tf.constant(x), tf.constant(a)

        def of(x):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = tf.reduce_sum(tf.tanh(x @ a) ** 2)
                g = inner.gradient(y, x)
            return outer.jacobian(g, x)

        of = tf.function(of) if captured else of

        def step():
            return of(x)[0, 0, 0, 0]

    elif framework == "torch":
        torch = import_module("torch")
        x, a = torch.tensor(x), torch.tensor(a)
        of = torch.func.jacrev(torch.func.grad(lambda v: torch.sum(torch.tanh(v @ a) ** 2)))

        def step():
            return of(x)[0, 0, 0, 0]

    else:
        jax = import_module("jax")
        jnp = jax.numpy
        of = jax.jacrev(jax.grad(lambda v: jnp.sum(jnp.tanh(v @ a) ** 2)))
        of = jax.jit(of) if captured else of
        x = jnp.array(x)

        def step():
            return of(x)[0, 0, 0, 0].block_until_ready()

    return step


def physics(framework: str, *, captured: bool) -> Step:
    """A step of a 2-50-50-1 tanh net at 1000 points: u_t = u_xx, by nested tapes, SGD by hand."""
    arrays = weights(2, 50, 50, 1)
    points = np.random.default_rng(1).uniform(size=(2, POINTS, 1)).astype(np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        t, x = tf.constant(points[0]), tf.constant(points[1])
        params = [tf.Variable(w) for w in arrays]
        w1, w2, w3 = params

        def step():
            with tf.GradientTape() as tape:
                with tf.GradientTape() as second:
                    second.watch(x)
                    with tf.GradientTape() as first:
                        first.watch([t, x])
                        u = tf.tanh(tf.tanh(tf.concat([t, x], 1) @ w1) @ w2) @ w3
                    u_t, u_x = first.gradient(u, [t, x])
                u_xx = second.gradient(u_x, x)
                loss = tf.reduce_mean((u_t - u_xx) ** 2)
            for p, g in zip(params, tape.gradient(loss, params), strict=True):
                p.assign_sub(RATE * g)
            return loss

        return tf.function(step) if captured else step

    if framework == "jax":
        return physics_with_jax(points, arrays)

    torch = import_module("torch")
    t, x = (torch.tensor(p, requires_grad=True) for p in points)
    params = [torch.tensor(w, requires_grad=True) for w in arrays]
    w1, w2, w3 = params

    def step():
        u = torch.tanh(torch.tanh(torch.cat([t, x], 1) @ w1) @ w2) @ w3
        u_t, u_x = torch.autograd.grad(u.sum(), [t, x], create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
        loss = ((u_t - u_xx) ** 2).mean()
        gradients = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, gradients, strict=True):
                p.sub_(g, alpha=RATE)
        return loss.detach()

    return step


def physics_with_jax(points: np.ndarray, arrays: list[np.ndarray]) -> Step:
    """The same under `jax.jit`, reverse mode throughout but for the second derivative along x."""
    jax = import_module("jax")
    jnp = jax.numpy
    t, x = jnp.array(points[0]), jnp.array(points[1])
    params = [jnp.array(w) for w in arrays]

    def loss_of(params, t, x):
        w1, w2, w3 = params
        ones = jnp.ones_like(x)

        def u(t, x):
            return jnp.tanh(jnp.tanh(jnp.concatenate([t, x], 1) @ w1) @ w2) @ w3

        def u_x(t, x):
            return jax.grad(lambda v: jnp.sum(u(t, v)))(x)

        u_t = jax.grad(lambda v: jnp.sum(u(v, x)))(t)
        _, u_xx = jax.jvp(lambda v: u_x(t, v), (x,), (ones,))
        return jnp.mean((u_t - u_xx) ** 2)

    @jax.jit
    def stepped(params, t, x):
        loss, gradients = jax.value_and_grad(loss_of)(params, t, x)
        return loss, [p - RATE * g for p, g in zip(params, gradients, strict=True)]

    def step():
        nonlocal params
        loss, params = stepped(params, t, x)
        return loss.block_until_ready()

    return step


CELLS = (
    Cell("jacobian of 64 outputs, 64-128-64", "µs", FRAMEWORKS, timed(partial(jacobian, captured=False))),
    Cell("batch_jacobian 64 x 16", "µs", FRAMEWORKS, timed(batch_jacobian)),
    Cell("hessian 100 x 100", "µs", FRAMEWORKS, timed(partial(hessian, captured=False))),
    Cell(
        "physics-informed step, 1000 points",
        "µs",
        ("gradtape", "torch", "tensorflow"),
        timed(partial(physics, captured=False)),
    ),
    Cell("jacobian 64 x 64, captured", "µs", FRAMEWORKS, timed(partial(jacobian, captured=True))),
    Cell("hessian 100 x 100, captured", "µs", FRAMEWORKS, timed(partial(hessian, captured=True))),
    Cell("physics-informed step, captured", "µs", FRAMEWORKS, timed(partial(physics, captured=True))),
)
