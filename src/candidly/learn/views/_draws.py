"""What random words become: numbers of a view, for each picture of a batch.

Everything happens on the host, in integers and float64, so that a view draws the same whatever
device makes it. What a device needs of it is sent without waiting for what the device still does;
the host's memory is copied at once, so that it may be freed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# block -> random words, uint32 (m, 4), of each picture; blocks (k, 1) -> (k, m, 4)
Draw = Callable[[int | np.ndarray], np.ndarray]


def unit(words: np.ndarray) -> np.ndarray:
    """Words, uint32 (...), as numbers in [0, 1): multiples of 2**-32, float64 (...)."""
    return words * 2.0**-32


def between(words: np.ndarray, low: float, high: float) -> np.ndarray:
    """Words as numbers in [low, high), float64 (...)."""
    return low + (high - low) * unit(words)


def below(words: np.ndarray, number: int | np.ndarray) -> np.ndarray:
    """Words as whole numbers in [0, number), int64 (...); each as likely to within 2**-32 of it."""
    return (words.astype(np.int64) * number) >> 32


def heads(words: np.ndarray) -> np.ndarray:
    """Words as the toss of a coin, bool (...)."""
    return words >> 31 == 1
