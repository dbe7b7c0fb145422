"""FarmHash's 64-bit fingerprint, by which TensorFlow spreads strings over buckets.

The function is Google's `farmhash::Fingerprint64` (Geoff Pike, https://github.com/google/farmhash); it never changes.
"""

from __future__ import annotations

K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
ALL = 2**64 - 1


def fingerprint(text: bytes) -> int:
    """A number below 2**64 that depends on every byte.

    >>> fingerprint(b"tape")
    4431764969755088170
    """
    size = len(text)
    if size <= 16:
        return _to_16(text, size)
    if size <= 32:
        return _to_32(text, size)
    return _to_64(text, size) if size <= 64 else _longer(text, size)


def combined(first: int, second: int) -> int:
    """The fingerprint of two, by which TensorFlow crosses features (`FingerprintCat64`).

    >>> combined(1, 2) == combined(2, 1)
    False
    """
    factor = 0xC6A4A7935BD1E995
    both = (first ^ factor ^ _mixed(second * factor) * factor & ALL) * factor
    return _mixed(_mixed(both) * factor)


def _word(text: bytes, at: int, width: int = 8) -> int:
    at %= len(text)
    return int.from_bytes(text[at : at + width], "little")


def _turned(x: int, by: int) -> int:
    x &= ALL
    return (x >> by | x << (64 - by)) & ALL


def _mixed(x: int) -> int:
    x &= ALL
    return x ^ x >> 47


def _joined(u: int, v: int, factor: int) -> int:
    a = _mixed((u ^ v) * factor)
    return _mixed((v ^ a) * factor) * factor & ALL


def _to_16(text: bytes, size: int) -> int:
    factor = K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + K2 & ALL, _word(text, -8)
        c, d = _turned(b, 37) * factor + a & ALL, (_turned(a, 25) + b) * factor & ALL
        return _joined(c, d, factor)
    if size >= 4:
        return _joined(size + (_word(text, 0, 4) << 3), _word(text, -4, 4), factor)
    if size:
        y, z = text[0] + (text[size >> 1] << 8), size + (text[-1] << 2)
        return _mixed(y * K2 ^ z * K0) * K2 & ALL
    return K2


def _to_32(text: bytes, size: int) -> int:
    factor = K2 + size * 2
    a, b = _word(text, 0) * K1, _word(text, 8)
    c, d = _word(text, -8) * factor, _word(text, -16) * K2
    u, v = _turned(a + b, 43) + _turned(c, 30) + d, a + _turned(b + K2, 18) + c
    return _joined(u & ALL, v & ALL, factor)


def _to_64(text: bytes, size: int) -> int:
    factor = K2 + size * 2
    a, b = _word(text, 0) * K2, _word(text, 8)
    c, d = _word(text, -8) * factor, _word(text, -16) * K2
    y = _turned(a + b, 43) + _turned(c, 30) + d & ALL
    z = _joined(y, a + _turned(b + K2, 18) + c & ALL, factor)
    e, f = _word(text, 16) * factor, _word(text, 24)
    g, h = (y + _word(text, -32)) * factor, (z + _word(text, -24)) * factor
    u, v = _turned(e + f, 43) + _turned(g, 30) + h, e + _turned(f + a, 18) + g
    return _joined(u & ALL, v & ALL, factor)


def _longer(text: bytes, size: int) -> int:
    x, y = 81 * K2 + _word(text, 0), 81 * K1 + 113 & ALL
    z = _mixed(y * K2 + 113) * K2
    v = w = (0, 0)
    end = (size - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(text, at, K1, (x, y, z), v, (w[0], w[1]), 1)
    factor = K1 + ((z & 0xFF) << 1)
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first, v[1])
    x, y, z, v, w = _round(text, size - 64, factor, (x, y, z), v, (first + v[0], w[1]), 9)
    left = _joined(v[0], w[0], factor) + _mixed(y) * K0 + z
    return _joined(left & ALL, _joined(v[1], w[1], factor) + x & ALL, factor)


Pair = tuple[int, int]


def _round(
    text: bytes, at: int, factor: int, state: tuple[int, int, int], v: Pair, w: Pair, times: int
) -> tuple[int, int, int, Pair, Pair]:
    """Take 64 bytes in."""
    x, y, z = state
    x = _turned(x + y + v[0] + _word(text, at + 8), 37) * factor
    y = _turned(y + v[1] + _word(text, at + 48), 42) * factor
    x ^= w[1] * times
    y += v[0] * times + _word(text, at + 40)
    z = _turned(z + w[0], 33) * factor
    v = _half(text, at, v[1] * factor, x + w[0])
    w = _half(text, at + 32, z + w[1], y + _word(text, at + 16))
    return z & ALL, y & ALL, x & ALL, v, w


def _half(text: bytes, at: int, a: int, b: int) -> Pair:
    """Take 32 bytes in."""
    a += _word(text, at)
    last = _word(text, at + 24)
    b = _turned(b + a + last, 21)
    c = a
    a += _word(text, at + 8) + _word(text, at + 16)
    b += _turned(a, 44)
    return a + last & ALL, b + c & ALL
