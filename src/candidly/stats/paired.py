"""Two algorithms on the same splits or data sets, and all pairs of several.

Differences are the first minus the second. What one of the two lacks is left out and counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ._cells import Cells, Values, check_level, differences, named, variance_factor


@dataclass(frozen=True)
class PairedT:
    """The mean difference, first minus second, and what chance makes of it.

    None stands for what cannot be told: the mean without pairs; the rest from fewer than two
    pairs; the interval and p where all differences are the same and not 0, as a spread of 0 over
    some splits says that values are coarse and not that there is no chance.
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
    from scipy.special import stdtr, stdtrit

    n = len(d)
    if n < 2:
        mean = float(d[0]) if n else None
        return PairedT(mean, None, None, None, None, None, None, n, left_out)
    mean = float(d.mean())
    if (d == d[0]).all():
        if d[0] == 0:
            return PairedT(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, n, left_out)
        return PairedT(float(d[0]), 0.0, 0.0, None, None, None, None, n, left_out)
    deviation = float(d.std(ddof=1))
    error = deviation * (1 / n + overlap) ** 0.5
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    statistic = mean / error
    p = min(1.0, 2 * float(stdtr(n - 1, -abs(statistic))))
    return PairedT(mean, deviation, error, mean - half, mean + half, statistic, p, n, left_out)


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


@dataclass(frozen=True)
class PairOutcome:
    """One pair of all: its test, its p after Holm's correction, and the verdict for the first.

    ``verdict`` is ``win``, ``loss`` or ``tie`` of the first, or ``unknown`` where there is no p.
    """

    first: str
    second: str
    test: PairedT
    p_holm: float | None
    verdict: str


@dataclass(frozen=True)
class AllPairs:
    """All pairs of some algorithms, in the order of their names, each pair once."""

    names: tuple[str, ...]
    pairs: tuple[PairOutcome, ...]
    tested: int  # pairs with a p, over which Holm's correction goes
    alpha: float

    def counts(self, name: str) -> dict[str, int]:
        """How often an algorithm wins, ties and loses, and how often that is unknown."""
        if name not in self.names:
            raise KeyError(f"{name!r} is not among {', '.join(self.names)}.")
        turned = {"win": "loss", "loss": "win"}
        found = dict.fromkeys(("win", "tie", "loss", "unknown"), 0)
        for pair in self.pairs:
            if pair.first == name:
                found[pair.verdict] += 1
            elif pair.second == name:
                found[turned.get(pair.verdict, pair.verdict)] += 1
        return found


@door
def compare_all(
    table: Cells,
    names: Sequence[str],
    test_share: float,
    alpha: float = 0.05,
    *,
    higher: bool = True,
) -> AllPairs:
    """Every pair of algorithms by ``corrected_t``, with Holm's correction over all that have a p.

    Args:
        table: (n, k), a row per split, a column per algorithm; None and NaN are missing. A pair
            uses the rows that both have.
        names: the names of the k algorithms.
        test_share: as in ``corrected_t``.
        alpha: the chance of any false winner that is accepted, over all pairs together.
        higher: whether a higher value is better. Differences are the first minus the second
            either way.

    Returns:
        From one algorithm: no pairs.

    >>> found = compare_all([[0.9, 0.5], [0.8, 0.5], [0.9, 0.4]], ["a", "b"], test_share=0.1)
    >>> found.pairs[0].verdict, found.counts("b")
    ('win', {'win': 0, 'tie': 0, 'loss': 1, 'unknown': 0})
    """
    check_level(alpha, "alpha")
    cells = named(table, names)
    tests = [
        (i, j, corrected_t(cells[:, i], cells[:, j], test_share, 1 - alpha))
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    known = [test.p for *_, test in tests if test.p is not None]
    adjusted = iter(holm(np.array(known)).tolist())
    pairs = []
    for i, j, test in tests:
        p = None if test.p is None else next(adjusted)
        pairs.append(PairOutcome(names[i], names[j], test, p, _verdict(test, p, alpha, higher)))
    return AllPairs(tuple(names), tuple(pairs), len(known), alpha)


def _verdict(test: PairedT, p: float | None, alpha: float, higher: bool) -> str:
    if p is None or test.difference is None:
        return "unknown"
    if p > alpha:
        return "tie"
    return "win" if (test.difference > 0) == higher else "loss"
