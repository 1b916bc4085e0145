"""Models compared in pairs on the same items: one test, one interval, with groups and weights.

What is drawn by chance is a unit: an item, or a group of items. Of a pair, each unit has a weighted
sum of differences. Were both equally good, every such sum could as well have the other sign
(Fisher's randomisation test of pairs): the statistic is the sum of the sums over the root of the
sum of their squares. Where all sums are equally large this is McNemar's exact test.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np

from ...stats.pairs import discordant, mcnemar, tango
from ...stats.shares import share_interval
from ._scores import Scores

BLOCK = 1 << 16  # units that are summed together
NOTHING = 1e-12  # of the squares of two models: below this share they are the same


@dataclass(frozen=True, eq=False)
class PairedModels:
    """All pairs; (R, R) each, [a, b] is the first minus the second.

    Attributes:
        difference: in the scores' own unit. p: two-sided, of each pair alone.
        error: the standard error of the difference.
        differing: units on which the two differ.
        units: how many units there are.
    """

    scores: Scores
    mean: np.ndarray  # (R,)
    difference: np.ndarray
    p: np.ndarray
    error: np.ndarray
    differing: np.ndarray
    units: int
    _sums: _Sums
    _wins: np.ndarray | None

    def intervals(self, level: float) -> np.ndarray:
        """Of the differences of all pairs, each at this level: float64 (R, R, 2)."""
        if self._wins is not None:
            one = self.scores.highest - self.scores.lowest
            return one * tango(self._wins, self._wins.T, self.scores.n, level)
        sums = self._sums
        between = self.scores.highest - self.scores.lowest
        bounds = _solved(
            sums.total[:, None] - sums.total,
            sums.squares + 2 * between**2,  # an item more for each of the two
            sums.crossed[:, None] - sums.crossed,
            sums.weights + 2,
            sums.weight + 2,
            level,
        )
        return np.clip(bounds, -between, between)

    def own_errors(self) -> np.ndarray:
        """Standard errors of each model's own mean: float64 (R,)."""
        sums = self._sums
        away = self.mean - (self.scores.lowest + self.scores.highest) / 2
        spread = sums.own - 2 * away * sums.crossed + away**2 * sums.weights
        return np.sqrt(np.maximum(spread, 0) * self.units / max(self.units - 1, 1)) / sums.weight

    def own_intervals(self, level: float) -> np.ndarray:
        """Of each model's own mean: float64 (R, 2)."""
        scores, sums = self.scores, self._sums
        low, high = scores.lowest, scores.highest
        if self._wins is not None:
            right = np.rint(((self.mean - low) / (high - low)) * scores.n).astype(np.int64)
            return low + (high - low) * share_interval(right, scores.n, level)
        middle = (low + high) / 2  # one item more at each end of the range
        bounds = _solved(
            sums.total - middle * sums.weight,
            sums.own + 2 * ((high - low) / 2) ** 2,
            sums.crossed,
            sums.weights + 2,
            sums.weight + 2,
            level,
        )
        return np.clip(middle + bounds, low, high)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Over units, of weighted sums of scores x and sums of weights w.

    ``total``: of x (R,). ``own``: of squares of x less the middle of the range (R,). ``squares``:
    of squared differences of two models (R, R). ``crossed``: of (x less the middle) times w (R,).
    ``weights``: of w². ``weight``: of w.
    """

    total: np.ndarray
    own: np.ndarray
    squares: np.ndarray
    crossed: np.ndarray
    weights: float
    weight: float


def compare(scores: Scores) -> PairedModels:
    """Every pair of models, and every model."""
    values, weight = by_unit(scores)
    sums = _sums(values, weight, (scores.lowest + scores.highest) / 2)
    mean = sums.total / sums.weight
    difference = np.subtract.outer(mean, mean)
    wins = None
    if scores.right_or_wrong:
        wins = discordant(scores.values == scores.highest)
        p, differing = mcnemar(wins, wins.T), wins + wins.T
    else:
        differing = _differing(values)
        p = _signs(sums, differing)
    # of the differences less their mean
    crossed = np.subtract.outer(sums.crossed, sums.crossed)
    spread = sums.squares - 2 * difference * crossed + difference**2 * sums.weights
    units = len(weight)
    error = np.sqrt(np.maximum(spread, 0) * units / max(units - 1, 1)) / sums.weight
    return PairedModels(scores, mean, difference, p, error, differing, units, sums, wins)


def by_unit(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of scores (R, units), and sums of weights (units,)."""
    if not scores.grouped:
        plain = bool((scores.weight == 1).all())
        return (scores.values if plain else scores.values * scores.weight), scores.weight
    values = np.stack(
        [np.bincount(scores.group, row * scores.weight, scores.groups) for row in scores.values]
    )
    return values, np.bincount(scores.group, scores.weight, scores.groups)


def _sums(values: np.ndarray, weight: np.ndarray, middle: float) -> _Sums:
    models = len(values)
    products, own, crossed = np.zeros((models, models)), np.zeros(models), np.zeros(models)
    for start in range(0, len(weight), BLOCK):
        part, w = values[:, start : start + BLOCK], weight[start : start + BLOCK]
        less = part - middle * w
        own += (less**2).sum(1)
        crossed += less @ w
        apart = part - part.mean(0)  # differences stay, and digits with them
        products += apart @ apart.T
    diagonal = products.diagonal()
    squares = diagonal[:, None] + diagonal - 2 * products
    squares[squares <= NOTHING * (diagonal[:, None] + diagonal)] = 0
    return _Sums(
        values.sum(1), own, squares, crossed, float((weight**2).sum()), float(weight.sum())
    )


def _differing(values: np.ndarray) -> np.ndarray:
    """Units on which two models differ: int64 (R, R)."""
    models, units = values.shape
    found = np.zeros((models, models), np.int64)
    for start in range(0, units, BLOCK):
        part = np.ascontiguousarray(values[:, start : start + BLOCK])
        for r in range(models - 1):
            found[r, r + 1 :] += (part[r + 1 :] != part[r]).sum(1)
    return found + found.T


def _signs(sums: _Sums, differing: np.ndarray) -> np.ndarray:
    """Two-sided p of the randomisation of signs, by its normal limit.

    It is never below what the best of all signs would have, 2^(1 - units that differ).
    """
    from scipy.special import ndtr

    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.abs(np.subtract.outer(sums.total, sums.total)) / np.sqrt(sums.squares)
    least = 2.0 ** (1.0 - np.minimum(differing, 1000))
    return np.where(sums.squares > 0, np.minimum(1, np.maximum(2 * ndtr(-z), least)), 1.0)


def _solved(
    total: np.ndarray,
    squares: np.ndarray,
    crossed: np.ndarray,
    weights: float,
    weight: float,
    level: float,
) -> np.ndarray:
    """Means that the test of signs would not reject; infinite where there are too few units.

    Those d with (T - d W)² ≤ z² Σ (x - d w)²: between the roots of a quadratic.
    """
    z2 = statistics.NormalDist().inv_cdf((1 + level) / 2) ** 2
    a = weight**2 - z2 * weights
    if a <= 0:
        return np.stack([np.full(total.shape, -np.inf), np.full(total.shape, np.inf)], -1)
    b = total * weight - z2 * crossed
    c = total**2 - z2 * squares
    root = np.sqrt(np.maximum(b * b - a * c, 0))
    return np.stack([(b - root) / a, (b + root) / a], -1)
