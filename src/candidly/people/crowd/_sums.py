"""Sums that no order changes: of numbers rounded to multiples of 2^-60, added as integers.

A number is rounded once, by at most 2^-61, and everything behind that is exact: the same numbers
give the same sum, to the last bit, in any order and cut into any parts. The sum of floats rounds
at every addition, by up to the sum's own last bit, and depends on the order.

A sum is held in two int64, ``high * 2**30 + low`` multiples of 2^-60, each the sum of its half of
the numbers; so 2^32 numbers in [-1, 1] can be added before either could overflow. Numbers outside
have a third integer, their whole part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

HALF = 30  # bits of the lower half
UNIT = 2.0 ** (2 * HALF)  # how many units 1 is
LOWER = 2**HALF - 1


def halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in [-1, 1] as multiples of 2^-60, in two halves: int64, the lower not negative."""
    units = np.rint(values * UNIT).astype(np.int64)
    return units >> HALF, units & LOWER


def as_floats(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """``(high * 2**30 + low) / 2**60`` of int64 arrays, as floats.

    The nearest ones below 2^23; above, next to the nearest at most.
    """
    # where the first term is exact, as the second is, their sum is all that is rounded
    return (high + (low >> HALF)) * 2.0**-HALF + (low & LOWER) / UNIT


def with_whole(whole: Any, high: Any, low: Any) -> float:
    """The float nearest to ``whole + (high * 2**30 + low) / 2**60``, of integers of any size."""
    units = (int(whole) << 2 * HALF) + (int(high) << HALF) + int(low)
    return units / 2 ** (2 * HALF)  # Python rounds the quotient of two integers once


def sums_by(groups: np.ndarray, values: np.ndarray, number: int) -> np.ndarray:
    """The sum of each group's values.

    Args:
        groups: int (n,), in 0 ... ``number`` - 1.
        values: float64 (n,), in [-1, 1].

    Returns:
        float64 (``number``,), the sums, as floats, of the values as multiples of 2^-60.

    >>> sums_by(np.array([0, 0, 2]), np.array([0.25, 0.5, 1.0]), 3)
    array([0.75, 0.  , 1.  ])
    """
    sums = np.zeros((2, number), np.int64)
    for mine, half in zip(sums, halves(values)):
        np.add.at(mine, groups, half)
    return as_floats(*sums)


def total(values: np.ndarray) -> float:
    """The sum of finite numbers of at most 2^53, each rounded to a multiple of 2^-60.

    >>> total(np.array([1e15, 0.125, -1e15]))
    0.125
    """
    whole = np.trunc(values)
    high, low = halves(values - whole)  # a float's fraction is a float
    return with_whole(whole.astype(np.int64).sum(), high.sum(), low.sum())
