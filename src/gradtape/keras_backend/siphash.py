"""SipHash-2-4, by which TensorFlow spreads strings over buckets that depend on a key.

J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF" (2012), https://www.aumasson.jp/siphash/siphash.pdf.
"""

from __future__ import annotations

ALL = 2**64 - 1
START = b"somepseu", b"dorandom", b"lygenera", b"tedbytes"


def siphash(text: bytes, key: tuple[int, int]) -> int:
    """A number below 2**64 that depends on every byte and on two 64-bit keys.

    >>> siphash(b"tape", (1, 2))
    15895562883386447562
    """
    a, b, c, d = (int.from_bytes(word) ^ key[k % 2] & ALL for k, word in enumerate(START))
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        a, b, c, d = _round(*_round(a, b, c, d ^ word))
        a ^= word
    c ^= 255
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a, c = a + b & ALL, c + d & ALL
    b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
    a, c = _turned(a, 32) + d & ALL, c + b & ALL
    return a, _turned(b, 17) ^ c, _turned(c, 32), _turned(d, 21) ^ a


def _turned(x: int, by: int) -> int:
    """Turned to the left."""
    return (x << by | x >> (64 - by)) & ALL
