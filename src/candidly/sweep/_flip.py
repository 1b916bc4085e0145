"""How often a wrong label is a candidate, and what that makes of a covering rate (Eq. 8)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class FlipRate(NamedTuple):
    """The rate at which wrong labels are candidates, were it one constant; its standard error."""

    rate: float
    error: float
    doubt: str = ""  # why the rate may be no constant; "" without a reason


class AccuracyEstimate(NamedTuple):
    """An accuracy without a truth, and its standard error."""

    accuracy: float
    error: float


def constant_flip_rate(candidates: np.ndarray) -> FlipRate:
    """The mean of (s - 1) / (q - 1) over rows with s of q classes as candidates.

    Unbiased where the truth is always a candidate.

    Args:
        candidates: bool (n, q), q at least 2.
    """
    n, q = candidates.shape
    extra = (candidates.sum(1) - 1) / (q - 1)
    return FlipRate(float(extra.mean()), float(extra.std()) / math.sqrt(n))


def accuracy_from_covering_rate(
    covering_rate: float, flip_rate: FlipRate, n: int
) -> AccuracyEstimate:
    """Accuracy and its standard error: (CR - c) / (1 - c), from n rows; c below 1.

    The error is the binomial one of CR and that of c, taken as independent.

    Source: Wang et al., ICLR 2025, Eq. 8.

    >>> estimate = accuracy_from_covering_rate(0.9, FlipRate(0.2, 0.0), 100)
    >>> round(estimate.accuracy, 4), round(estimate.error, 4)
    (0.875, 0.0375)
    """
    rest = 1 - flip_rate.rate
    accuracy = (covering_rate - flip_rate.rate) / rest
    of_covering = math.sqrt(covering_rate * (1 - covering_rate) / n) / rest
    of_rate = (1 - covering_rate) / rest**2 * flip_rate.error
    return AccuracyEstimate(accuracy, math.hypot(of_covering, of_rate))
