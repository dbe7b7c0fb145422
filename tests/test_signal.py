"""tf.signal: values as TensorFlow 2.21 gives them, inverses, and derivatives of both orders against differences."""

import numpy as np
import pytest

import gradtape as tf

from .derivatives import assert_derivatives

X = np.array([[0.7, -1.3, 1.9, -0.6, 0.2, 0.9, -0.4, 1.6], [1.1, 0.4, -0.8, 2.3, -1.7, 0.3, 0.8, -0.5]])
Z = X[:, :5] - 1j * X[:, 3:]


@pytest.mark.parametrize(
    ("window", "wanted"),
    [
        (tf.signal.hann_window(7), [0.0, 0.25, 0.75, 1.0, 0.75, 0.25, 0.0]),
        (tf.signal.hann_window(4), [0.0, 0.5, 1.0, 0.5]),
        (tf.signal.hann_window(4, periodic=False), [0.0, 0.75, 0.75, 0.0]),
        (tf.signal.hann_window(1), [1.0]),
        (tf.signal.hamming_window(6), [0.08, 0.31, 0.77, 1.0, 0.77, 0.31]),
        (tf.signal.vorbis_window(5), [0.149436, 0.856319, 1.0, 0.856319, 0.149436]),
        (
            tf.signal.kaiser_bessel_derived_window(8),
            [0.006072, 0.388206, 0.921573, 0.999982, 0.999982, 0.921573, 0.388206, 0.006072],
        ),
        (tf.signal.kaiser_window(3), [5.277749e-05, 1.0, 5.277749e-05]),
    ],
)
def test_windows(window, wanted):
    np.testing.assert_allclose(window, wanted, atol=2e-5)
    assert window.dtype is tf.float32


FUNCTIONS = {
    "rfft": lambda x: tf.signal.rfft(x),
    "rfft cut": lambda x: tf.signal.rfft(x, [5]),
    "rfft filled": lambda x: tf.signal.rfft(x, [11]),
    "rfft2d": lambda x: tf.signal.rfft2d(x),
    "rfft3d": lambda x: tf.signal.rfft3d(x[tf.newaxis]),
    "rfftnd": lambda x: tf.signal.rfftnd(x, [3, 8], [0, 1], "ortho"),
    "stft": lambda x: tf.signal.stft(x, 4, 3, pad_end=True),
    "frame": lambda x: tf.signal.frame(x, 2, 1, axis=0),
    "overlap": lambda x: tf.signal.overlap_and_add(x, 3),
    "mdct": lambda x: tf.signal.mdct(x, 4),
    "inverse mdct": lambda x: tf.signal.inverse_mdct(x, norm="ortho"),
    "mfcc": lambda x: tf.signal.mfccs_from_log_mel_spectrograms(x),
    "shift": lambda x: tf.signal.fftshift(x),
    **{f"dct {n}": lambda x, n=n: tf.signal.dct(x, n) for n in (1, 2, 3, 4)},
    **{f"idct {n}": lambda x, n=n: tf.signal.idct(x, n, norm="ortho") for n in (2, 3, 4)},
}
COMPLEX = {
    "fft": tf.signal.fft,
    "ifft2d": tf.signal.ifft2d,
    "fftnd": lambda z: tf.signal.fftnd(z, [3, 4], norm="forward"),
    "irfft": tf.signal.irfft,
    "irfft odd": lambda z: tf.signal.irfft(z, [9]),
    "irfft2d": tf.signal.irfft2d,
    "inverse stft": lambda z: tf.signal.inverse_stft(z, 6, 3, 8),
}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_derivatives(f):
    assert_derivatives(lambda x: tf.abs(f(x)) ** 2 if f(x).dtype.is_complex else f(x) * f(x), X)


@pytest.mark.parametrize("f", COMPLEX.values(), ids=COMPLEX)
def test_derivatives_of_complex_signals(f):
    assert_derivatives(f, Z)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_cosine_transforms_are_inverse(n, norm):
    if n == 1 and norm:
        with pytest.raises(ValueError, match="Type-I"):
            tf.signal.dct(X, n, norm=norm)
        return
    factor = 1 if norm else 2 * (X.shape[1] - (n == 1))
    np.testing.assert_allclose(tf.signal.idct(tf.signal.dct(X, n, norm=norm), n, norm=norm), X * factor, rtol=1e-10)


def test_dct_by_its_definition():
    k, m = np.arange(8)[:, None], np.arange(8)
    matrix = 2 * np.cos(np.pi * k * (2 * m + 1) / 16)
    np.testing.assert_allclose(tf.signal.dct(X), X @ matrix.T, rtol=1e-12, atol=1e-12)


def test_stft_and_its_inverse():
    x = np.random.default_rng(0).normal(size=(2, 64))
    spectrogram = tf.signal.stft(x, 16, 4)
    window = tf.signal.inverse_stft_window_fn(4)
    again = tf.signal.inverse_stft(spectrogram, 16, 4, window_fn=window)
    np.testing.assert_allclose(again[:, 16:-16], x[:, 16:-16], rtol=1e-9)
    framed = np.stack([x[:, s : s + 16] for s in range(0, 49, 4)], 1) * tf.signal.hann_window(16).numpy()
    np.testing.assert_allclose(spectrogram, np.fft.rfft(framed), rtol=1e-6, atol=1e-6)


def test_mdct_and_its_inverse():
    x = np.random.default_rng(0).normal(size=64)
    for norm in (None, "ortho"):
        again = tf.signal.inverse_mdct(tf.signal.mdct(x, 16, norm=norm), norm=norm)
        np.testing.assert_allclose(again[8:-8], x[8:-8], rtol=1e-6)


def test_mel_weights():
    weights = tf.signal.linear_to_mel_weight_matrix()
    assert weights.shape == (129, 20)
    np.testing.assert_allclose(weights[60, 13:15], [0.910189, 0.089811], atol=2e-5)
    assert float(tf.reduce_sum(weights)) == pytest.approx(110.80084, rel=1e-5)


def test_frames_at_the_end():
    np.testing.assert_array_equal(
        tf.signal.frame([1, 2, 3, 4, 5], 3, 2, pad_end=True, pad_value=9), [[1, 2, 3], [3, 4, 5], [5, 9, 9]]
    )
    assert tf.signal.frame([1.0, 2.0], 3, 1).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.signal.fft(X), "FFT"),
        (lambda: tf.signal.rfft(Z), "RFFT"),
        (lambda: tf.signal.rfft(1.0), "rank at least 1"),
        (lambda: tf.signal.rfft(X, [4, 4]), "fft_length"),
        (lambda: tf.signal.rfft(X, [0]), "fft_length"),
        (lambda: tf.signal.frame(X, 0, 1), "frame_length"),
        (lambda: tf.signal.frame(X, 2, 1, axis=5), "axis 5"),
        (lambda: tf.signal.overlap_and_add(X, 0), "frame_step"),
        (lambda: tf.signal.fftnd(Z, axes=[0, 0]), "axes"),
    ],
)
def test_bad_arguments(call, error):
    with pytest.raises(tf.errors.InvalidArgumentError, match=error):
        call()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.signal.dct(X, 5), "Types I"),
        (lambda: tf.signal.dct(X, norm="x"), "normalization"),
        (lambda: tf.signal.dct(X, n=0), "positive"),
        (lambda: tf.signal.overlap_and_add([1.0], 1), "rank 2"),
        (lambda: tf.signal.hann_window(4, dtype=tf.int32), "floating point"),
        (lambda: tf.signal.mdct(X, 6), "multiple of 4"),
        (lambda: tf.signal.fftnd(Z, norm="x"), "norm"),
        (lambda: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=9e3), "lower_edge_hertz"),
        (lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=9e3), "Nyquist"),
    ],
)
def test_bad_values(call, error):
    with pytest.raises(ValueError, match=error):
        call()
