"""Two models on the same items: exact tests, score intervals, many pairs at once."""

from __future__ import annotations

import itertools
import statistics

import numpy as np

from ..ground.arrays import door

BLOCK = 1 << 20  # items that are counted together; below 2**24, where float32 counts exactly
HALVINGS = 60


@door
def discordant(right: np.ndarray) -> np.ndarray:
    """How often one model is right where another is wrong.

    Args:
        right: bool (R, n).

    Returns:
        int64 (R, R); entry [a, b] counts items on which a is right and b wrong.

    >>> discordant(np.array([[True, True, False], [False, True, True]]))
    array([[0, 1],
           [1, 0]])
    """
    both = np.zeros((len(right), len(right)), np.int64)
    for start in range(0, right.shape[1], BLOCK):
        part = right[:, start : start + BLOCK].astype(np.float32)
        both += (part @ part.T).astype(np.int64)
    return both.diagonal()[:, None] - both


@door
def mcnemar(b: np.ndarray, c: np.ndarray, mid: bool = False) -> np.ndarray:
    """Exact two-sided p of McNemar's test that two models are right equally often.

    Args:
        b, c: int (...), items on which only the first, only the second is right.
        mid: count half of the observed outcome's probability. Less conservative, and no longer
            guaranteed to keep its level.

    Returns:
        float64 (...), in [0, 1]; 1 where b + c = 0.

    Source: McNemar, Psychometrika 12, 1947; mid-p: Fagerland, Lydersen & Laake, BMC Medical
    Research Methodology 13:91, 2013.

    >>> float(mcnemar(5, 0)), float(mcnemar(5, 0, mid=True))
    (0.0625, 0.03125)
    """
    from scipy.special import bdtr, gammaln

    b, c = np.asarray(b), np.asarray(c)
    fewer, both = np.minimum(b, c), b + c
    p = 2 * bdtr(fewer, both, 0.5)
    if mid:
        logs = gammaln(both + 1) - gammaln(fewer + 1) - gammaln(both - fewer + 1)
        p = p - np.exp(logs - both * np.log(2))
    return np.minimum(1.0, p)


def fewest_discordant(pairs: int, alpha: float) -> int:
    """Items on which two models must differ, all one way, for the smallest Holm p to reach alpha.

    Args:
        pairs: the pairs of models that are tested together, at least 1.
        alpha: in (0, 1).

    >>> fewest_discordant(1, 0.05), fewest_discordant(45, 0.05)
    (6, 11)
    """
    return next(k for k in itertools.count(1) if pairs * 2.0 ** (1 - k) <= alpha)


@door
def difference_variance(b: np.ndarray, c: np.ndarray, n: int) -> np.ndarray:
    """Variance of a paired difference of two accuracies, (b + c - (b - c)² / n) / n²."""
    b, c = np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64)
    return (b + c - (b - c) ** 2 / max(n, 1)) / max(n, 1) ** 2


@door
def tango(b: np.ndarray, c: np.ndarray, n: int, level: float = 0.95) -> np.ndarray:
    """Tango's score interval of a paired difference of accuracies, (b - c) / n.

    Args:
        b, c: int (...), items on which only the first, only the second is right.
        n: items; NaN from none.
        level: in (0, 1).

    Returns:
        float64 (..., 2), in [-1, 1]. Unlike the usual interval it is sound for few items, and
        where one of the counts is 0.

    Source: Tango, Statistics in Medicine 17, 1998.

    >>> tango(1, 7, 21).round(3)
    array([-0.517, -0.026])
    """
    b, c = np.broadcast_arrays(np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64))
    if n == 0:
        return np.full((*b.shape, 2), np.nan)
    z = statistics.NormalDist().inv_cdf((1 + level) / 2)
    middle = (b - c) / n
    bounds = []
    for edge, sign in ((-1.0, 1), (1.0, -1)):
        inside, outside = middle, np.full(b.shape, edge)
        for _ in range(HALVINGS):
            half = (inside + outside) / 2
            accepted = sign * _score(b, c, n, half) <= z
            inside, outside = np.where(accepted, half, inside), np.where(accepted, outside, half)
        bounds.append(inside)
    return np.stack(bounds, -1)


def _score(b: np.ndarray, c: np.ndarray, n: int, difference: np.ndarray) -> np.ndarray:
    """The score statistic of a difference: (b - c - n d) over its deviation were d the truth."""
    square, linear = 2.0 * n, -b - c + (2 * n - b + c) * difference
    constant = -c * difference * (1 - difference)
    root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0))
    only_second = (root - linear) / (2 * square)
    variance = n * (2 * only_second + difference * (1 - difference))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (b - c - n * difference) / np.sqrt(np.maximum(variance, 0))
    return np.where(np.isnan(score), 0.0, score)
