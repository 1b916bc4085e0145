"""Ranks of algorithms over data sets: averages, tests that they differ, and how steady they are.

Rows that lack a value are left out and counted. Tests assume rows that are independent of each
other, as data sets are; splits of one data set share rows, and are for ``corrected_t``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..ground.arrays import door
from ._cells import Cells, check_level, complete
from .paired import holm


@door
def ranked(cells: np.ndarray, higher: bool) -> np.ndarray:
    """Ranks in each row, from 1 for the best; ties share their average.

    Args:
        cells: float (..., k), without NaN.
        higher: whether a higher value is better.

    >>> ranked(np.array([[0.5, 0.9, 0.9]]), higher=True)
    array([[3. , 1.5, 1.5]])
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(-cells if higher else cells, axis=-1), dtype=np.float64)


@dataclass(frozen=True)
class AverageRanks:
    """Average ranks in the order of the names, 1 is best; None where no row is complete."""

    names: tuple[str, ...]
    ranks: tuple[float, ...] | None
    rows: int
    left_out: int


@door
def average_ranks(table: Cells, names: Sequence[str], *, higher: bool) -> AverageRanks:
    """The mean over rows of each algorithm's rank, ties averaged.

    Args:
        table: (n, k), a row per data set, a column per algorithm; None and NaN are missing, and
            a row that lacks a value is left out.
        names: the names of the k algorithms.
        higher: whether a higher value is better.

    >>> average_ranks([[0.9, 0.8], [0.7, 0.7], [0.9, None]], ["a", "b"], higher=True)
    AverageRanks(names=('a', 'b'), ranks=(1.25, 1.75), rows=2, left_out=1)
    """
    cells, left_out = complete(table, names)
    ranks = tuple(ranked(cells, higher).mean(0).tolist()) if len(cells) else None
    return AverageRanks(tuple(names), ranks, len(cells), left_out)


@dataclass(frozen=True)
class FriedmanTest:
    """Friedman's test that all algorithms rank alike, in two forms.

    ``chi_square`` with k - 1 degrees of freedom has p ``p_chi_square``; Iman and Davenport's ``f``
    with k - 1 and (k - 1)(n - 1) has ``p_f``, and is the less conservative. All are None from
    fewer than two complete rows or two algorithms. ``f`` is infinite where all rows agree, and
    ``p_f`` then how often n rows agree in all orders by chance.
    """

    chi_square: float | None
    p_chi_square: float | None
    f: float | None
    p_f: float | None
    rows: int
    algorithms: int
    left_out: int


@door
def friedman(table: Cells, names: Sequence[str]) -> FriedmanTest:
    """Friedman's test, corrected for ties, as ``scipy.stats.friedmanchisquare`` has it.

    Args: as in ``average_ranks``; which direction is better makes no difference.

    Returns:
        Ties everywhere: both statistics 0, both p 1.

    Sources: Friedman, JASA 32, 1937; Iman and Davenport, Communications in Statistics 9, 1980.

    >>> test = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], ["a", "b", "c"])
    >>> round(test.chi_square, 3), round(test.f, 3)
    (4.5, 3.857)
    """
    from scipy.special import chdtrc, fdtrc

    cells, left_out = complete(table, names)
    n, k = cells.shape
    if n < 2 or k < 2:
        return FriedmanTest(None, None, None, None, n, k, left_out)
    ranks = ranked(cells, False)
    middle = (k + 1) / 2
    spread = float(((ranks - middle) ** 2).sum())
    if spread == 0:
        return FriedmanTest(0.0, 1.0, 0.0, 1.0, n, k, left_out)
    if k > 2:
        from scipy.stats import friedmanchisquare

        chi = float(friedmanchisquare(*cells.T).statistic)
    else:
        chi = (k - 1) * float(((ranks.sum(0) - n * middle) ** 2).sum()) / spread
    p = float(chdtrc(k - 1, chi))
    if (ranks == ranks[0]).all():
        ties = np.unique(ranks[0], return_counts=True)[1].tolist()
        logs = math.lgamma(k + 1) - sum(math.lgamma(tied + 1) for tied in ties)
        return FriedmanTest(chi, p, math.inf, math.exp(-logs * (n - 1)), n, k, left_out)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    return FriedmanTest(chi, p, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f)), n, k, left_out)


@dataclass(frozen=True)
class NemenyiGroups:
    """Algorithms from the best average rank on, and which of them cannot be told apart.

    ``groups`` are the longest runs whose average ranks lie less than the critical difference
    apart, of two algorithms at least; an algorithm may be in several. From fewer than two complete
    rows the critical difference is None, and all are one group.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...] | None
    critical_difference: float | None
    groups: tuple[tuple[str, ...], ...]
    alpha: float
    rows: int
    left_out: int


@lru_cache(maxsize=64)
def _studentized(k: int, alpha: float) -> float:
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, k, np.inf))


@door
def nemenyi(
    table: Cells, names: Sequence[str], alpha: float = 0.05, *, higher: bool
) -> NemenyiGroups:
    """Nemenyi's test: average ranks differ where they are the critical difference apart.

    It is q sqrt(k (k + 1) / 6n), with q the studentized range's quantile for k groups and
    infinitely many degrees of freedom, over sqrt(2). Args as in ``average_ranks``; alpha is the
    chance of any false difference, in (0, 1).

    Source: Demšar, JMLR 7, 2006.

    >>> found = nemenyi([[3, 2, 1]] * 8, ["a", "b", "c"], higher=True)
    >>> round(found.critical_difference, 3), found.groups
    (1.172, (('a', 'b'), ('b', 'c')))
    """
    check_level(alpha, "alpha")
    cells, left_out = complete(table, names)
    n, k = cells.shape
    if n < 2 or k < 2:
        average = average_ranks(table, names, higher=higher).ranks
        order = np.argsort(average, kind="stable").tolist() if average else range(k)
        ordered = tuple(names[j] for j in order)
        ranks = tuple(average[j] for j in order) if average else None
        groups = (ordered,) if k > 1 else ()
        return NemenyiGroups(ordered, ranks, None, groups, alpha, n, left_out)
    means = ranked(cells, higher).mean(0)
    order = np.argsort(means, kind="stable")
    ordered, means = tuple(names[j] for j in order), means[order]
    critical = _studentized(k, alpha) * math.sqrt(k * (k + 1) / (12 * n))
    runs: list[tuple[int, int]] = []
    for start in range(k):
        end = int(np.searchsorted(means, means[start] + critical))  # the first one too far away
        if end - start > 1 and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    found = tuple(ordered[start:end] for start, end in runs)
    return NemenyiGroups(ordered, tuple(means.tolist()), critical, found, alpha, n, left_out)


@dataclass(frozen=True)
class RankPair:
    """Two algorithms: their average ranks' difference, first minus second, and its p.

    Below 0 the first one ranks better. The two p are None from fewer than two complete rows.
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True)
class ConoverTest:
    """All pairs, each once, in the order of the names."""

    pairs: tuple[RankPair, ...]
    rows: int
    left_out: int


@door
def conover(table: Cells, names: Sequence[str], *, higher: bool) -> ConoverTest:
    """Conover's t tests of all pairs of rank sums, with Holm's correction.

    With A the sum of squared ranks and R the rank sums, the difference of two sums has variance
    2 (n A - sum of R²) / ((n - 1)(k - 1)), and (n - 1)(k - 1) degrees of freedom. More powerful
    than Nemenyi's, and meant for after a Friedman test that rejects. Args as in ``average_ranks``.

    Returns:
        Where all rows agree, the variance is 0, and p is the sign test's: 2^(1 - n) for
        algorithms that differ and 1 for those that tie. Ties everywhere: p 1.

    Source: Conover, Practical Nonparametric Statistics, 3rd edition, 1999, section 5.8.

    >>> test = conover([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]], list("abc"), higher=False)
    >>> [round(pair.p, 3) for pair in test.pairs]
    [0.214, 0.032, 0.214]
    """
    from scipy.special import stdtr

    cells, left_out = complete(table, names)
    n, k = cells.shape
    places = list(itertools.combinations(range(k), 2))
    if n < 2:
        none = tuple(RankPair(names[i], names[j], None, None, None) for i, j in places)
        return ConoverTest(none, n, left_out)
    ranks = ranked(cells, higher)
    sums = ranks.sum(0)
    gaps = np.array([sums[i] - sums[j] for i, j in places])
    if (ranks == ranks[0]).all():
        p = np.where(gaps == 0, 1.0, 2.0 ** (1 - n))
    else:
        free = (n - 1) * (k - 1)
        variance = 2 * (n * (ranks**2).sum() - (sums**2).sum()) / free
        p = 2 * stdtr(free, -np.abs(gaps) / math.sqrt(variance))
    adjusted = holm(p)
    pairs = tuple(
        RankPair(names[i], names[j], float(gap) / n, float(one), float(all_))
        for (i, j), gap, one, all_ in zip(places, gaps, p, adjusted)
    )
    return ConoverTest(pairs, n, left_out)
