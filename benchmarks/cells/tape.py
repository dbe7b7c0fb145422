"""The cost of one operation: recorded, and pulled back."""

from __future__ import annotations

import statistics
import time
from functools import partial
from importlib import import_module

import numpy as np

from cells.cell import Cell, Measurement, Step, timed

PEERS = ("gradtape", "torch", "tensorflow", "autograd")
SHORT, LONG = 1_000, 100_000
FACTOR = 0.99999


def product(framework: str) -> Step:
    """c = a * b on scalars with a fresh tape, and its two gradients."""
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        a, b = tf.Variable(3.0), tf.Variable(2.0)

        def step():
            with tf.GradientTape() as tape:
                c = a * b
            return tape.gradient(c, [a, b])[0]

    elif framework == "torch":
        torch = import_module("torch")
        a, b = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)

        def step():
            return torch.autograd.grad(a * b, [a, b])[0]

    elif framework in ("jax", "autograd"):
        gradient = import_module(framework).grad(lambda a, b: a * b, (0, 1))
        a, b = (import_module("jax.numpy").float32(v) if framework == "jax" else np.float32(v) for v in (3.0, 2.0))

        def step():
            return gradient(a, b)[0]

    else:
        a, b, one = np.float32(3.0), np.float32(2.0), np.float32(1.0)

        def step():
            return (a * b, one * b, one * a)[1]

    return step


def chain(framework: str, *, length: int, side: int = 0, both: bool = False) -> Step:
    """y = y * c, `length` times on scalars or side x side arrays, and dy/dx; with `both`, y = y * x."""
    value = np.full((side, side) if side else (), FACTOR, dtype=np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        x, c = tf.constant(value), tf.constant(value)

        def step():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y, factor = x, x if both else c
                for _ in range(length):
                    y = y * factor
            gradient = tape.gradient(y, x)
            return gradient[0, 0] if side else gradient

    elif framework == "torch":
        torch = import_module("torch")
        x, c = torch.tensor(value, requires_grad=True), torch.tensor(value)
        ones = torch.ones_like(c)

        def step():
            y, factor = x, x if both else c
            for _ in range(length):
                y = y * factor
            (gradient,) = torch.autograd.grad(y, x, ones)
            return gradient[0, 0] if side else gradient

    elif framework == "autograd":
        c = value if side else value[()]

        def function(x):
            y, factor = x, x if both else c
            for _ in range(length):
                y = y * factor
            return y

        gradient_of = import_module("autograd").elementwise_grad(function)

        def step():
            gradient = gradient_of(c)
            return gradient[0, 0] if side else gradient

    else:
        c = value if side else value[()]
        one = np.ones_like(c)

        def step():
            powers, ct, total = [c], one, one * 0
            for _ in range(length):
                powers.append(powers[-1] * c)
            for i in reversed(range(length)):
                if both:
                    total = total + ct * powers[i]
                ct = ct * c
            gradient = total + ct if both else ct
            return gradient[0, 0] if side else gradient

    return step


def depth_ratio(framework: str) -> Measurement:
    """The cost of an op on a tape of 100,000 over that on a tape of 1,000, measured in turn in one process."""
    short, long = chain(framework, length=SHORT), chain(framework, length=LONG)
    check = float(long())
    ratios = []
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(LONG // SHORT):
            short()
        between = time.perf_counter()
        long()
        ratios.append((time.perf_counter() - between) / (between - started))
    return Measurement(statistics.median(ratios), check)


CELLS = (
    Cell("a*b, new tape, two gradients", "µs", ("numpy", "jax", *PEERS), timed(product)),
    *(
        Cell(name, "µs/op", frameworks, timed(partial(chain, **options), options["length"]))
        for name, frameworks, options in (
            ("chain of 1,000", ("numpy", *PEERS), {"length": SHORT}),
            ("chain of 1,000, both live", ("numpy", *PEERS), {"length": SHORT, "both": True}),
            ("chain of 1,000, 8x8", ("numpy", *PEERS), {"length": SHORT, "side": 8}),
            ("chain of 100,000", PEERS, {"length": LONG}),
        )
    ),
    Cell("per op: 100,000 / 1,000 deep", "ratio", PEERS, depth_ratio),
)
