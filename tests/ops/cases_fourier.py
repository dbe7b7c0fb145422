"""Cases of transforms of real signals and of frames; those of complex ones are beside Keras'."""

import numpy as np

from gradtape.ops import fourier

from .opcase import OpCase

X = np.array([[0.7, -1.3, 1.9, -0.6, 0.2], [1.1, 0.4, -0.8, 2.3, -1.7]])
Z = X[:, :4] + 1j * X[:, 1:]
C = {"dtypes": ("complex128",)}


def framed(x, length, step):
    starts = range(0, x.shape[-1] - length + 1, step)
    return np.stack([x[..., s : s + length] for s in starts], axis=-2)


def added(x, step, size):
    out = np.zeros((*x.shape[:-2], size + x.shape[-1]))
    for i in range(x.shape[-2]):
        out[..., i * step : i * step + x.shape[-1]] += x[..., i, :]
    return out[..., :size]


FRAMES = np.arange(12.0).reshape(2, 2, 3) / 7 - 0.4

CASES = [
    OpCase(fourier.rfftn, [X], {"axes": (1,)}, np.fft.rfft, label="odd"),
    OpCase(fourier.rfftn, [X[:, :4]], {"axes": (1,)}, np.fft.rfft, label="even"),
    OpCase(fourier.rfftn, [X], {"axes": (0, 1)}, np.fft.rfft2, label="plane"),
    OpCase(fourier.rfftn, [X], {"axes": (1, 0)}, lambda x: np.fft.rfftn(x, axes=(1, 0)), label="turned"),
    *[
        OpCase(fourier.irfftn, [Z], {"axes": (1,), "size": n}, lambda z, n=n: np.fft.irfft(z, n), label=str(n), **C)
        for n in (6, 7)
    ],
    OpCase(fourier.irfftn, [Z], {"axes": (0, 1), "size": 6}, lambda z: np.fft.irfft2(z, (2, 6)), label="plane", **C),
    *[
        OpCase(fourier.frames, [X], {"length": n, "step": s}, lambda x, n=n, s=s: framed(x, n, s), label=f"{n}-{s}")
        for n, s in ((3, 1), (2, 2), (2, 3), (5, 4))
    ],
    *[
        OpCase(
            fourier.overlap_add,
            [FRAMES],
            {"step": s, "size": n},
            lambda x, s=s, n=n: added(x, s, n),
            label=f"{s}-{n}",
        )
        for s, n in ((1, 4), (2, 5), (2, 8), (4, 7), (2, 3))
    ],
]
