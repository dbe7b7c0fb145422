"""Cases of scans."""

import math

import numpy as np

from gradtape.ops import scans as ops

from .opcase import OpCase

FLAT = np.array([0.7, -1.3, 1.9, -0.6])
ZEROS = np.array([2.0, 0.0, 3.0, -1.5])


def prefix(combine, start, exclusive, reverse):
    def reference(x):
        out, total = [], start
        for v in x[::-1] if reverse else x:
            before, total = total, combine(total, float(v))
            out.append(before if exclusive else total)
        return np.array(out[::-1] if reverse else out)

    return reference


def scans(op, x, combine, start, **options):
    return [
        OpCase(
            op,
            [x],
            {"axis": 0, "exclusive": e, "reverse": r},
            prefix(combine, start, e, r),
            label=f"{e}-{r}{options.get('label', '')}",
        )
        for e in (False, True)
        for r in (False, True)
    ]


def recurrence(c, f, reverse):
    b = []
    steps = list(zip(c, f, strict=True))
    for term, factor in reversed(steps) if reverse else steps:
        b.append(term + (factor * b[-1] if b else 0.0))
    return np.array(b[::-1] if reverse else b)


def running_logsumexp(x):
    return np.array([math.log(sum(map(math.exp, x[: i + 1]))) for i in range(len(x))])


CASES = [
    *scans(ops.cumsum, FLAT, lambda a, b: a + b, 0.0),
    *scans(ops.cumprod, FLAT, lambda a, b: a * b, 1.0),
    *scans(ops.cumprod, ZEROS, lambda a, b: a * b, 1.0, label="-zero"),
    *[
        OpCase(
            ops.recurrence,
            [FLAT, ZEROS + 0.3],
            {"axis": 0, "reverse": r},
            lambda c, f, r=r: recurrence(c, f, r),
            label=str(r),
        )
        for r in (False, True)
    ],
    OpCase(
        ops.recurrence,
        [np.stack([FLAT, ZEROS], axis=1), np.stack([ZEROS, FLAT], axis=1)],
        {"axis": 0, "reverse": False},
        lambda c, f: np.stack([recurrence(c[:, i], f[:, i], False) for i in range(2)], axis=1),
        label="matrix",
    ),
    OpCase(ops.shifted, [FLAT], {"axis": 0, "by": 1}, lambda x: np.array([0.0, *x[:-1]]), label="up"),
    OpCase(ops.shifted, [FLAT], {"axis": 0, "by": -1}, lambda x: np.array([*x[1:], 0.0]), label="down"),
    OpCase(ops.cumulative_logsumexp, [FLAT], {"axis": 0}, running_logsumexp),
]
