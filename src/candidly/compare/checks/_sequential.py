"""Checking items in random order, and stopping as soon as it is sure which model is better.

Items have values in [-1, 1] and are drawn without replacement, so the population's size enters:
what is still to come has a mean that shrinks or grows with what was seen. The sequences hold at
all times together, so one may look after every item.

Source: Waudby-Smith & Ramdas, NeurIPS 2020 (sampling without replacement), and Journal of the Royal
Statistical Society B 86, 2024 (betting); planning numbers: Serfling, Annals of Statistics 2, 1974.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...ground.arrays import door

MOST = 0.75  # share of the capital that may be lost by one bet
ROUNDING = 1e-9  # of an item: sums of fractions are not exact


def planning_number(mean: float, size: int, alpha: float = 0.05) -> int | None:
    """About how many checks show that the mean is not 0, by Hoeffding and Serfling.

    q = 2 ln(2 / alpha) / mean², times 1 - q / size: the number that solves both.

    Args:
        mean: expected mean of the values, in [-1, 1].
        size: items in all.
        alpha: in (0, 1).

    Returns:
        In 0..size; None where the mean is 0. The betting sequence often needs fewer.

    >>> planning_number(0.2, 10_000), planning_number(0.2, 100)
    (182, 65)
    """
    if mean == 0:
        return None
    endless = 2 * math.log(2 / alpha) / mean**2
    return math.ceil(endless * size / (endless + size))


class SequentialTest(NamedTuple):
    """p of two hypotheses about a population's total, valid whenever one looks.

    Attributes:
        not_above: float64 (t,), that the total is at most the bound; small speaks for more.
        not_below: float64 (t,), that it is at least the bound.
    """

    not_above: np.ndarray
    not_below: np.ndarray


@door
def evidence(values: np.ndarray, size: int, bound: float = 0) -> SequentialTest:
    """After each value, how sure it is on which side of ``bound`` the population's total lies.

    Both p are doubled, so that either may be held against alpha.

    Args:
        values: (t,), in [-1, 1]: the first t items of a random order.
        size: the size of the population.
        bound: in [-size, size].
    """
    values = _checked(values, size, np.abs(values).max(initial=0) <= 1, "between -1 and 1")
    capitals = [(up[0], down[0]) for up, down in _capitals(values, size, np.array([bound]))]
    p = 2 * np.exp(-np.maximum.accumulate(np.reshape(capitals, (len(values), 2)), axis=0))
    return SequentialTest(*np.minimum(1, p.T))


@door
def confidence_sequence(values: np.ndarray, size: int, alpha: float = 0.05) -> np.ndarray:
    """Intervals of the population's mean, after each value, that hold all together.

    Args:
        values: int (t,), in -1, 0, 1: the first t items of a random order.
        size: the size of the population, at least t.
        alpha: the chance that any of the intervals misses.

    Returns:
        float64 (t, 2), in [-1, 1], never growing; one point when t = size.
    """
    totals = np.arange(-size, size + 1)
    possible, bounds = np.ones(len(totals), bool), np.empty((len(values), 2))
    most, left = math.log(2 / alpha), totals
    values = _checked(values, size, np.isin(values, (-1, 0, 1)).all(), "-1, 0 or 1")
    for t, (up, down) in enumerate(_capitals(values, size, totals)):
        possible &= (up < most) & (down < most)
        # where it misses the truth, which is rare, nothing may be left in the end
        left = totals[possible] if possible.any() else left
        bounds[t] = left[0], left[-1]
    return bounds / size


def _checked(values: np.ndarray, size: int, fit: np.bool | bool, what: str) -> np.ndarray:
    values = np.asarray(values)
    if len(values) > size or not fit:
        raise ValueError(f"{len(values)} values of {size} items: they must be {what}.")
    return values


def _capitals(
    values: np.ndarray, size: int, totals: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Logarithms of the capital that bets on more, and on less, than each supposed total.

    Were the supposed total right, either capital would be a martingale: a bet is fixed before the
    value is seen, and is fair given the mean that the total leaves for the rest. Values and totals
    are moved to [0, 1] and sums of such, which floats hold exactly where values are -1, 0 or 1.
    """
    whole = (totals + size) / 2
    up, down = np.zeros(len(totals)), np.zeros(len(totals))
    sum_, squares, mean, spread = 0.0, 0.0, 0.5, 0.25
    for seen, value in enumerate(values):
        x = (float(value) + 1) / 2
        rest = np.clip((whole - sum_) / (size - seen), 0, 1)
        ahead = mean - rest
        bet = ahead / (spread + ahead**2)  # what grows fastest if the past is like the future
        with np.errstate(divide="ignore", invalid="ignore"):
            up = up + np.log1p(np.clip(bet, 0, MOST / rest) * (x - rest))
            down = down + np.log1p(-np.clip(-bet, 0, MOST / (1 - rest)) * (x - rest))
        sum_ += x
        mean = (0.5 + sum_) / (seen + 2)
        squares += (x - mean) ** 2
        spread = (0.25 + squares) / (seen + 2)
        # a total that is ruled out by what was seen is beaten by any bet
        up[whole < sum_ - size * ROUNDING] = np.inf
        down[whole - sum_ > size - seen - 1 + size * ROUNDING] = np.inf
        yield up, down
