"""Peak memory of a deep elementwise model: exp(h + b), twenty times, on arrays of 1 MiB, and its gradient."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from cells.cell import Cell, Measurement, Step

DEPTH, SIDE = 20, 512
KIB = 1024


def model(framework: str, side: int) -> Step:
    """The step for side x side arrays; it returns one number of the gradient with respect to b."""
    start, bias = np.zeros((side, side), np.float32), np.full((side,), -1.0, np.float32)
    if framework in ("gradtape", "tensorflow"):
        tf = import_module(framework)
        x, b = tf.constant(start), tf.Variable(bias)

        def step():
            with tf.GradientTape() as tape:
                h = x
                for _ in range(DEPTH):
                    h = tf.exp(h + b)
            return tape.gradient(h, b)[0]

    elif framework == "torch":
        torch = import_module("torch")
        x, b, ones = torch.tensor(start), torch.tensor(bias, requires_grad=True), torch.ones(())

        def step():
            h = x
            for _ in range(DEPTH):
                h = torch.exp(h + b)
            return torch.autograd.grad(h, b, ones.expand_as(h))[0][0]

    elif framework in ("jax", "autograd"):
        xp = import_module(f"{framework}.numpy")
        x, b = xp.array(start), xp.array(bias)

        def total(b):
            h = x
            for _ in range(DEPTH):
                h = xp.exp(h + b)
            return xp.sum(h)

        gradient = import_module(framework).grad(total)

        def step():
            return gradient(b)[0]

    else:

        def step():
            hs = [start]
            for _ in range(DEPTH):
                h = hs[-1] + bias
                hs.append(np.exp(h, out=h))
            ct, total = np.ones_like(start), np.zeros_like(bias)
            while len(hs) > 1:
                ct *= hs.pop()
                total += ct.sum(axis=0)
            return total[0]

    return step


def peak(framework: str) -> Measurement:
    """Bytes by which one step raises the peak of the process; a small step before it loads what loads late.

    Linux only: elsewhere a process cannot reset its peak.
    """
    model(framework, 8)()
    step = model(framework, SIDE)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    check = float(step())
    return Measurement(peak_memory() - before, check)


def peak_memory() -> int:
    """The largest resident size since the last reset."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * KIB


CELLS = (
    Cell(
        "peak of 20 x exp(h + b), 1 MiB", "MiB", ("gradtape", "numpy", "torch", "tensorflow", "jax", "autograd"), peak
    ),
)
