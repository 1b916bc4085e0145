"""Softmax of a row in place, where most of the time goes: three times as fast as with ``np.exp``.

A loop that calls the C library's exponential is not vectorised; one that computes it by a
polynomial is.
"""

from __future__ import annotations

import numpy as np

from ...ground.compiled import compiler

compiled = compiler(fastmath={"reassoc", "contract", "nsz"})

PER_LOG = 1.4426950408889634  # 1 / ln 2
LOG_HIGH, LOG_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is ln 2
LOWEST = -700.0  # logarithm, of which an exponential is a normal number
BIAS, FRACTION = 1023, 52  # of a float64: its exponent's bias, and its fraction's bits


def room(q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What ``softmax`` works in: a row, float64 (q,), and powers of two, as bits and as numbers."""
    bits = np.empty(q, np.int64)
    return np.empty(q), bits, bits.view(np.float64)


@compiled
def softmax(h, bits, powers):
    """Logits to probabilities, to 2e-15 of each.

    Args:
        h: float64 (q,), in place.
        bits, powers: the same memory as int64 and as float64, (q,).
    """
    q = len(h)
    top = -np.inf
    for k in range(q):
        top = max(top, h[k])
    for k in range(q):  # exp(x) = 2^n exp(r), |r| <= ln 2 / 2: Taylor's polynomial of degree 12
        x = max(h[k] - top, LOWEST)
        n = np.floor(x * PER_LOG + 0.5)
        r = (x - n * LOG_HIGH) - n * LOG_LOW
        p = 1 / 479001600
        p = p * r + 1 / 39916800
        p = p * r + 1 / 3628800
        p = p * r + 1 / 362880
        p = p * r + 1 / 40320
        p = p * r + 1 / 5040
        p = p * r + 1 / 720
        p = p * r + 1 / 120
        p = p * r + 1 / 24
        p = p * r + 1 / 6
        p = p * r + 0.5
        p = p * r + 1.0
        h[k] = p * r + 1.0
        bits[k] = np.int64(np.int32(n) + BIAS) << FRACTION
    mass = 0.0
    for k in range(q):
        h[k] *= powers[k]
        mass += h[k]
    for k in range(q):
        h[k] /= mass
