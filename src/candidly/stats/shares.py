"""Intervals of shares."""

from __future__ import annotations

import statistics

import numpy as np

from ..ground.arrays import door

FEW = 40  # below so many items a share's interval is the exact one


@door
def wilson(right: np.ndarray, of: np.ndarray | int, level: float = 0.95) -> np.ndarray:
    """Wilson's intervals of shares.

    Args:
        right: int (...), in 0..of.
        of: int (...) or one number; where it is 0 the interval is NaN.
        level: in (0, 1).

    Returns:
        float64 (..., 2), in [0, 1].

    >>> wilson(np.array(5), 10).round(4)
    array([0.2366, 0.7634])
    """
    z = statistics.NormalDist().inv_cdf((1 + level) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        of = np.asarray(of, dtype=np.float64)
        share = np.asarray(right) / of
        middle = share + z**2 / (2 * of)
        reach = z * np.sqrt(share * (1 - share) / of + z**2 / (4 * of**2))
        bounds = np.stack([middle - reach, middle + reach], -1) / (1 + z**2 / of)[..., None]
    return np.clip(bounds, 0, 1)


@door
def clopper_pearson(right: np.ndarray, of: np.ndarray | int, level: float = 0.95) -> np.ndarray:
    """Exact intervals of shares, which hold their level for every share; as ``wilson`` otherwise.

    Source: Clopper and Pearson, Biometrika 26, 1934.

    >>> clopper_pearson(np.array(0), 18).round(4)
    array([0.    , 0.1853])
    """
    from scipy.special import betaincinv

    right, of = np.broadcast_arrays(np.asarray(right), np.asarray(of))
    tail = (1 - level) / 2
    low = np.where(right > 0, betaincinv(np.where(right > 0, right, 1), of - right + 1, tail), 0.0)
    high = np.where(
        right < of, betaincinv(right + 1, np.where(right < of, of - right, 1), 1 - tail), 1.0
    )
    return np.where((of > 0)[..., None], np.stack([low, high], -1), np.nan)


@door
def share_interval(right: np.ndarray, of: np.ndarray | int, level: float = 0.95) -> np.ndarray:
    """Wilson's interval; from fewer than 40 items the exact one. As ``wilson`` otherwise."""
    few = np.broadcast_to(np.asarray(of) < FEW, np.shape(right))
    exact, usual = clopper_pearson(right, of, level), wilson(right, of, level)
    return np.where(few[..., None], exact, usual)
