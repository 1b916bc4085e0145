"""Average ranks of several algorithms over data sets, and which of them cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._cells import Cells, check_level, complete


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all algorithms rank alike.

    Attributes:
        names: of the k algorithms.
        ranks: average ranks, 1 is best; equal values share theirs.
        rows: data sets with a value of every algorithm. left_out: the others.
        chi2, p: Friedman's statistic and its p; None from fewer than 2 rows or 3 algorithms.
        f, p_f: Iman and Davenport's statistic, which is less conservative, and its p.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    rows: int
    left_out: int
    chi2: float | None = None
    p: float | None = None
    f: float | None = None
    p_f: float | None = None


@dataclass(frozen=True)
class CriticalDifference:
    """How far average ranks must lie apart, and the largest groups that do not.

    Attributes:
        distance: in ranks; None where there is none.
        groups: names by rising rank, each group of those within ``distance``; no group is inside
            another.
    """

    distance: float | None
    groups: tuple[tuple[str, ...], ...]


def friedman(table: Cells, names: Sequence[str], *, higher: bool = True) -> Friedman:
    """Average ranks, and whether they differ beyond chance.

    Rows must be independent, as data sets are, and splits of one are not.

    Args:
        table: (n, k), a row per data set, a column per algorithm; a row that lacks one of them is
            left out.
        higher: whether a higher value is better.

    Source: Friedman, JASA 32, 1937; Iman and Davenport, Communications in Statistics A 9, 1980.

    >>> found = friedman([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6]], ["a", "b", "c"])
    >>> found.ranks
    (1.25, 1.75, 3.0)
    """
    from scipy import stats

    cells, left_out = complete(table, names)
    rows, k = cells.shape
    if not rows:
        return Friedman(tuple(names), (float("nan"),) * k, 0, left_out)
    placed = stats.rankdata(-cells if higher else cells, axis=1)
    ranks = tuple(placed.mean(0).tolist())
    if rows < 2 or k < 3:
        return Friedman(tuple(names), ranks, rows, left_out)
    if (cells == cells[:, :1]).all():
        return Friedman(tuple(names), ranks, rows, left_out, 0.0, 1.0, 0.0, 1.0)
    chi2, p = stats.friedmanchisquare(*cells.T)
    room = rows * (k - 1) - chi2
    f = float("inf") if room <= 0 else (rows - 1) * chi2 / room
    p_f = float(stats.f.sf(f, k - 1, (k - 1) * (rows - 1)))
    return Friedman(tuple(names), ranks, rows, left_out, float(chi2), float(p), float(f), p_f)


def nemenyi(found: Friedman, alpha: float = 0.05) -> CriticalDifference:
    """Average ranks further apart than this differ, with chance ``alpha`` of any false difference.

    Source: Nemenyi, PhD thesis, Princeton, 1963, as in Demšar, JMLR 7, 2006.
    """
    from scipy.stats import studentized_range

    check_level(alpha, "alpha")
    k = len(found.names)
    if found.rows < 2 or k < 2:
        return CriticalDifference(None, ())
    q = float(studentized_range.isf(alpha, k, np.inf)) / 2**0.5
    distance = q * (k * (k + 1) / (6 * found.rows)) ** 0.5
    order = sorted(range(k), key=lambda one: (found.ranks[one], one))
    groups: list[list[int]] = []
    for start, first in enumerate(order):
        near = [one for one in order[start:] if found.ranks[one] - found.ranks[first] <= distance]
        if not groups or near[-1] not in groups[-1]:
            groups.append(near)
    return CriticalDifference(distance, tuple(tuple(found.names[i] for i in g) for g in groups))
