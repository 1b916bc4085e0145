"""Sums of floats without rounding: the same bits in any order, and for any way of cutting the rows.

A float is a whole number times a power of 2. It is added to a long integer per class, whose unit
is the smallest float; the integer lies in limbs of 32 bits, each in an int64. Only the mean is
rounded.
"""

from __future__ import annotations

import numpy as np

from ._kernels import compiled

LIMB = 32  # bits
KINDS = {  # bits of the fraction, least exponent, limbs: up to 2**32 numbers below 2
    np.dtype(np.float32): (23, 149, 6),
    np.dtype(np.float64): (52, 1074, 35),
}


def exact_means(given: np.ndarray, values: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """How many rows each class has, and the mean of their values, rounded once.

    Args:
        given: int (n,), classes 0..m-1; rows below 0 take no part.
        values: float32 or float64 (n,), finite, in (-2, 2).

    Returns:
        int64 (m,), and float64 (m,), NaN for a class without rows.

    >>> exact_means(np.array([0, 0, 1, -1]), np.array([0.5, 0.25, 1.0, 0.7]), 2)[1]
    array([0.375, 1.   ])
    """
    fraction, unit, limbs = KINDS[values.dtype]
    counts, sums = np.zeros(m, np.int64), np.zeros((m, limbs), np.int64)
    whole = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
    _add(given, whole, fraction, counts, sums)
    means = np.full(m, np.nan)
    for k in np.flatnonzero(counts).tolist():
        total = sum(limb << (LIMB * place) for place, limb in enumerate(sums[k].tolist()))
        means[k] = total / (int(counts[k]) << unit)  # Python rounds a quotient of integers once
    return counts, means


@compiled
def _add(given, bits, fraction, counts, sums):
    """Add the numbers with these bits to the limbs of their classes.

    A limb holds 2**31 additions of up to 2**32 before it could overflow; it is carried long before.
    """
    one = np.int64(1)
    low = (one << 32) - one
    mask = (one << fraction) - one
    exponents = (one << (8 if fraction == 23 else 11)) - one
    sign = 8 + fraction if fraction == 23 else 11 + fraction
    since = 0
    for i in range(len(given)):
        k = given[i]
        if k < 0:
            continue
        counts[k] += 1
        word = np.uint64(bits[i])
        raised = np.int64((word >> np.uint64(fraction)) & np.uint64(exponents))
        mantissa = np.int64(word & np.uint64(mask))
        if raised:
            mantissa |= one << fraction
            raised -= 1
        if mantissa == 0:
            continue
        place, shift = raised >> 5, raised & 31
        factor = -1 if (word >> np.uint64(sign)) & np.uint64(1) else 1
        first = (mantissa & low) << shift  # below 2**63: 32 and 31 bits
        second = (mantissa >> 32) << shift  # below 2**52
        sums[k, place] += factor * (first & low)
        middle = (first >> 32) + (second & low)
        sums[k, place + 1] += factor * middle
        sums[k, place + 2] += factor * (second >> 32)
        since += 1
        if since == 1 << 28:
            _carry(sums)
            since = 0
    _carry(sums)


@compiled
def _carry(sums):
    """Bring limbs but the last into 0..2**32 - 1 by carrying to the next."""
    for k in range(sums.shape[0]):
        for place in range(sums.shape[1] - 1):
            over = sums[k, place] >> 32  # rounds down, so that what stays is not negative
            sums[k, place] -= over << 32
            sums[k, place + 1] += over
