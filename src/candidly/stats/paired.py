"""Two algorithms on the same splits or data sets.

Differences are the first minus the second. What one of the two lacks is left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ._cells import Values, check_level, differences, variance_factor

MOST_FREE = 1e9  # degrees of freedom; with more the t distribution is the normal one


@dataclass(frozen=True)
class PairedT:
    """The mean difference, first minus second, and what chance makes of it.

    None stands for what cannot be told: the mean without pairs; the rest from fewer than two
    pairs; the interval and p where all differences are the same and not 0, as a spread of 0 over
    some splits says that values are coarse and not that there is no chance. ``freedom`` are the
    degrees of freedom of the standard error.
    """

    difference: float | None
    standard_deviation: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    statistic: float | None
    p: float | None
    pairs: int
    left_out: int
    freedom: float | None = None

    @property
    def told(self) -> bool:
        """Whether there is a p."""
        return self.p is not None


@door
def corrected_t(first: Values, second: Values, test_share: float, level: float = 0.95) -> PairedT:
    """Two-sided t test of ``first - second`` over random splits of one data set.

    Training sets of random splits overlap, so that differences are alike, and the usual test finds
    winners among equals. The variance of the mean is taken as s² (1/n + n_test/n_train) instead
    of s²/n, with n - 1 degrees of freedom.

    Args:
        first, second: a value per split, in the same order; None and NaN are missing.
        test_share: n_test / (n_test + n_train), in [0, 1); 0 is the usual paired test.
        level: the level of the interval, in (0, 1).

    Returns:
        All differences 0: difference 0, interval (0, 0), p 1.

    Raises:
        ValueError: lengths differ, a value is infinite, a share or a level is out of bounds.

    Source: Nadeau and Bengio, Machine Learning 52, 2003.

    >>> test = corrected_t([0.9, 0.8, 0.9, 0.8], [0.8, 0.8, 0.7, None], test_share=0.1)
    >>> round(test.difference, 3), round(test.p, 3), test.pairs, test.left_out
    (0.1, 0.272, 3, 1)
    """
    check_level(level)
    factor = variance_factor(1, test_share) - 1
    d, left_out = differences(first, second)
    return _t_of(d, factor, left_out, level)


def _t_of(d: np.ndarray, overlap: float, left_out: int, level: float) -> PairedT:
    n = len(d)
    if n < 2:
        mean = float(d[0]) if n else None
        return PairedT(mean, None, None, None, None, None, None, n, left_out)
    if (d == d[0]).all():
        if d[0] == 0:
            return t_of(0.0, 0.0, 0.0, n - 1, n, left_out, level)
        return PairedT(float(d[0]), 0.0, 0.0, None, None, None, None, n, left_out)
    mean, deviation = float(d.mean()), float(d.std(ddof=1))
    return t_of(mean, deviation, deviation**2 * (1 / n + overlap), n - 1, n, left_out, level)


def t_of(
    mean: float,
    deviation: float,
    variance: float,
    freedom: float,
    pairs: int,
    left_out: int,
    level: float,
) -> PairedT:
    """The t test of a mean whose variance is known with so many degrees of freedom.

    Without variance a mean of 0 has p 1, and of another nothing can be told.
    """
    from scipy.special import stdtr, stdtrit

    if variance == 0:
        if mean == 0:
            return PairedT(0.0, deviation, 0.0, 0.0, 0.0, 0.0, 1.0, pairs, left_out, freedom)
        return PairedT(mean, deviation, 0.0, None, None, None, None, pairs, left_out, freedom)
    error, freedom = variance**0.5, min(freedom, MOST_FREE)
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    statistic = mean / error
    p = min(1.0, 2 * float(stdtr(freedom, -abs(statistic))))
    low, high = mean - half, mean + half
    return PairedT(mean, deviation, error, low, high, statistic, p, pairs, left_out, freedom)


def equivalent(test: PairedT, margin: float) -> float | None:
    """p of two one-sided t tests that a difference is within ``margin``: the larger of the two.

    A difference that is not significant is not shown to be small; this shows it. p is at most alpha
    where the interval of level 1 - 2 alpha lies within plus and minus ``margin``.

    Args:
        margin: the largest difference that does not matter, above 0, in the differences' units.

    Returns:
        None where the test has no standard error.

    Raises:
        ValueError: a margin that is not above 0.

    Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.

    >>> round(equivalent(corrected_t([0.90, 0.81, 0.9], [0.9, 0.8, 0.905], 0), 0.05), 4)
    0.0041
    """
    from scipy.special import stdtr

    if not margin > 0:
        raise ValueError(f"margin is {margin!r}; it is a difference above 0.")
    if test.difference is None or test.standard_error is None or test.freedom is None:
        return None
    if test.standard_error == 0:
        return 0.0 if abs(test.difference) < margin else 1.0
    far = (margin - abs(test.difference)) / test.standard_error
    return float(stdtr(test.freedom, -far))


@dataclass(frozen=True)
class SignedRanks:
    """Wilcoxon's signed-rank test: sums of ranks, and how often which value was the higher.

    ``for_first`` is the sum of ranks of the differences above 0, ``for_second`` of those below;
    ranks of zeros are halved between them. p is None from fewer than two pairs.
    """

    for_first: float
    for_second: float
    p: float | None
    first_higher: int
    second_higher: int
    equal: int
    left_out: int


@door
def wilcoxon(first: Values, second: Values) -> SignedRanks:
    """Two-sided signed-rank test that the differences, first minus second, lie evenly about 0.

    It is for values of independent data sets; over splits that share rows it finds winners among
    equals. p comes from ``scipy.stats.wilcoxon``, which computes it exactly for few pairs without
    ties and zeros, and ranks of zeros are halved (Demšar, JMLR 7, 2006).

    Returns:
        All differences 0: p 1.

    >>> test = wilcoxon([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.8, 0.6, 0.4, 0.2, 0.0, None])
    >>> test.for_first, test.for_second, test.p, test.left_out
    (15.0, 0.0, 0.0625, 1)
    """
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as scipys

    d, left_out = differences(first, second)
    ranks = rankdata(np.abs(d))
    zeros = float(ranks[d == 0].sum()) / 2
    up, down = float(ranks[d > 0].sum()) + zeros, float(ranks[d < 0].sum()) + zeros
    p: float | None = None
    if len(d) >= 2:
        p = float(scipys(d, zero_method="zsplit").pvalue) if d.any() else 1.0
    above, below = int((d > 0).sum()), int((d < 0).sum())
    return SignedRanks(up, down, p, above, below, len(d) - above - below, left_out)


@door
def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p: reject where it is at most alpha, and alpha holds for all together.

    Args:
        p: float (k,), in [0, 1].

    Source: Holm, Scandinavian Journal of Statistics 6, 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(np.asarray(p)[order] * factors))
    return adjusted
