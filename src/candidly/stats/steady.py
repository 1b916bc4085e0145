"""How steady a ranking is when other splits or data sets had been drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..ground.arrays import door
from ._cells import Cells, check_level, complete, named
from .ranks import ranked

BLOCK = 1 << 22  # numbers at a time


@dataclass(frozen=True)
class SteadyRank:
    """One algorithm: its rank over all rows, and over rows drawn again.

    ``first`` is its share of first places over the drawn rows; who tie there share it. ``low`` and
    ``high`` bound its rank. These are None from fewer than two rows, the rank from none.
    """

    name: str
    rank: float | None
    first: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RankStability:
    """Every algorithm's ranks, and how far rankings of two halves of the rows agree.

    ``tau`` is the mean of Kendall's tau-b between two random halves, over ``halves`` of them: 1
    is the same ranking, 0 none in common. It is None from fewer than two rows, for one
    algorithm, and where a half ties everybody each time.
    """

    algorithms: tuple[SteadyRank, ...]
    tau: float | None
    halves: int  # that tau is a mean of
    resamples: int
    rows: int
    left_out: int


@door
def rank_stability(
    table: Cells,
    names: Sequence[str],
    *,
    higher: bool,
    by: str = "rank",
    level: float = 0.95,
    resamples: int = 2000,
    halves: int = 200,
    seed: int | np.random.Generator = 0,
    right: np.ndarray | None = None,
) -> RankStability:
    """Rankings over rows drawn again with replacement, and over random halves.

    Over a few rows the intervals are too narrow, as for every bootstrap; over splits of one data
    set they say what other splits would change, and not what another data set would.

    Args:
        table: (n, k), a row per split or data set, a column per algorithm; None and NaN are
            missing, and a row that lacks a value is left out.
        names: the names of the k algorithms.
        higher: whether a higher value is better.
        by: ``mean`` ranks by mean values, ``rank`` by average ranks, for data sets whose values
            have no common scale.
        level: the level of the intervals, in (0, 1).
        resamples, halves: how many are drawn, at least 1.
        seed: a whole number, or a generator, which is moved on.
        right: bool or float (n, k, m), what each of m test rows that all splits share adds to the
            values; they are drawn again, too, and halved with the splits. None where splits have
            test rows of their own. For ``by`` ``mean``.

    >>> rows = [[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.7, 0.3], [0.8, 0.7, 0.1]]
    >>> found = rank_stability(rows, ["a", "b", "c"], higher=True)
    >>> found.algorithms[2]
    SteadyRank(name='c', rank=3.0, first=0.0, low=3.0, high=3.0)
    """
    check_level(level)
    if by not in ("mean", "rank"):
        raise ValueError(f"`by` is {by!r}; choose 'mean' or 'rank'.")
    if resamples < 1 or halves < 1:
        raise ValueError(
            f"`resamples` is {resamples} and `halves` {halves}; both must be at least 1."
        )
    cells, left_out = complete(table, names)
    n, k = cells.shape
    if right is not None:
        if by != "mean":
            raise ValueError("`right` is of ranks by mean; give `by='mean'`.")
        whole = ~np.isnan(named(table, names)).any(1)
        right = np.asarray(right, np.float32)[whole] * (1 if higher else -1)
    scores = -ranked(cells, higher) if by == "rank" else cells if higher else -cells
    g = np.random.default_rng(seed)
    if n < 2:
        ranks = ranked(scores[0], True).tolist() if n else [None] * k
        rows = [SteadyRank(name, rank, None, None, None) for name, rank in zip(names, ranks)]
        return RankStability(tuple(rows), None, 0, 0, n, left_out)
    if right is None:
        drawn = _drawn_ranks(scores, resamples, g)
    else:
        drawn = _drawn_ranks_of_rows(right, resamples, g)
    best = drawn == drawn.min(1, keepdims=True)
    first = (best / best.sum(1, keepdims=True)).mean(0)
    low, high = np.quantile(
        drawn, [(1 - level) / 2, (1 + level) / 2], axis=0, method="inverted_cdf"
    )
    rank = _of_sums(scores.sum(0))
    columns = zip(names, rank.tolist(), first.tolist(), low.tolist(), high.tolist())
    half = partial(_tau_of_halves, scores) if right is None else partial(_tau_of_quarters, right)
    taus = [tau for _ in range(halves) if (tau := half(g)) is not None]
    return RankStability(
        tuple(SteadyRank(*column) for column in columns),
        float(np.mean(taus)) if taus else None,
        len(taus),
        resamples,
        n,
        left_out,
    )


def _of_sums(sums: np.ndarray) -> np.ndarray:
    """Ranks of sums of scores (..., k), 1 for the highest; what rounding tells apart ties."""
    return ranked(np.round(sums, 9), True)


def _drawn_ranks(scores: np.ndarray, resamples: int, g: np.random.Generator) -> np.ndarray:
    """Ranks (resamples, k), each from n rows drawn with replacement."""
    n, k = scores.shape
    found = np.empty((resamples, k))
    step = max(1, BLOCK // max(n, k))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        times = g.multinomial(n, np.full(n, 1 / n), size=size)
        found[start : start + size] = _of_sums(times @ scores)
    return found


def _drawn_ranks_of_rows(right: np.ndarray, resamples: int, g: np.random.Generator) -> np.ndarray:
    """The same from n splits and m test rows, each drawn with replacement."""
    n, k, m = right.shape
    found = np.empty((resamples, k))
    step = max(1, BLOCK // max(m, n * k))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        rows = g.multinomial(m, np.full(m, 1 / m), size=size).astype(np.float32)
        splits = g.multinomial(n, np.full(n, 1 / n), size=size)
        by_split = (rows @ right.reshape(n * k, m).T).reshape(size, n, k)
        found[start : start + size] = _of_sums(np.einsum("sn,snk->sk", splits, by_split) / m)
    return found


def _tau_of_quarters(right: np.ndarray, g: np.random.Generator) -> float | None:
    """The tau of two halves of the splits, each on its own half of the test rows."""
    order, rows = g.permutation(len(right)), g.permutation(right.shape[2])
    half, cut = len(order) // 2, len(rows) // 2
    quarters = ((order[:half], rows[:cut]), (order[half:], rows[cut:]))
    return _tau(*(_of_sums(right[a][:, :, b].sum(0).mean(-1)) for a, b in quarters))


def _tau_of_halves(scores: np.ndarray, g: np.random.Generator) -> float | None:
    """Kendall's tau-b between the rankings of two random halves; None where one ties everybody."""
    order = g.permutation(len(scores))
    half = len(scores) // 2
    return _tau(*(_of_sums(scores[part].sum(0)) for part in (order[:half], order[half:])))


def _tau(a: np.ndarray, b: np.ndarray) -> float | None:
    x, y = (np.sign(ranks[:, None] - ranks) for ranks in (a, b))
    untied = float((x * x).sum()) * float((y * y).sum())
    return float((x * y).sum()) / untied**0.5 if untied else None
