"""How sure a ranking is: which algorithms are clearly ahead of which, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from ...show.grid import Column, Grid
from ...show.words import in_percent, listed
from ...stats import (
    AllPairs,
    Design,
    FriedmanTest,
    NemenyiGroups,
    RandomSplits,
    RankStability,
    beliefs_of,
    compare_all,
    friedman,
    leader,
    nemenyi,
    rank_stability,
)
from ..sweep.results import Results
from ..sweep.select import Cell
from .design import by_split

ALPHA = 0.05  # chance of a false winner
ROPE = 0.01  # of accuracy: smaller differences matter to few
FEWEST = 3  # data sets, below which average ranks say nothing


def pairs_of(cells: Sequence[Cell], results: Results, metric: str = "top1") -> AllPairs | None:
    """Every pair of algorithms on the splits of one data set; None with fewer than two of them.

    Tests are those of the design of the splits, and p is corrected for the number of pairs (Holm).

    Args:
        cells: the cells of one data set and criterion.
    """
    mine = [cell for cell in cells if not cell.oracle and any(cell.choices)]
    if len(mine) < 2:
        return None
    whole = by_split(mine, results, metric)
    return compare_all(whole.table, [cell.algorithm for cell in mine], whole.design, ALPHA)


def leader_of(cells: Sequence[Cell], results: Results, metric: str = "top1") -> Cell | None:
    """The cell with the highest mean where its lead over each other one is beyond chance.

    Args:
        cells: the cells of one data set and criterion; oracles are no rivals.
    """
    rivals = [cell for cell in cells if not cell.oracle and any(cell.choices)]
    if len(rivals) < 2:
        return None
    whole = by_split(rivals, results, metric)
    found = leader(whole.table, [one.algorithm for one in rivals], whole.design, ALPHA)
    ahead = (cell for cell in rivals if found.beyond_chance and cell.algorithm == found.name)
    return next(ahead, None)


def pairs_grid(
    found: AllPairs,
    steady: RankStability,
    cells: Sequence[Cell],
    dataset: str,
    metric: str = "top1",
) -> Grid:
    """A row for each algorithm: how many it is clearly ahead of, and how steady its rank is."""
    means = {cell.algorithm: cell.summary[metric].mean for cell in cells}
    ranks = {one.name: one for one in steady.algorithms}
    rows = []
    for name in sorted(found.names, key=lambda name: -(means[name] or 0.0)):
        counts, rank = found.counts(name), ranks[name]
        told = (counts["win"], counts["tie"], counts["loss"], counts["unknown"])
        ends = None if rank.low is None else f"{rank.low:g} to {rank.high:g}"
        rows.append((name, in_percent(means[name]), *told, ends, in_percent(rank.first)))
    columns = (
        Column("algorithm", "name"),
        Column("mean", form=".2f"),
        *map(Column, ("clearly ahead of", "not told apart from", "clearly behind", "no test")),
        Column("rank, 95 %"),
        Column("first, %", form=".0f"),
    )
    return Grid(f"{dataset}: every pair of algorithms", columns, rows)


def clear_grid(found: AllPairs, dataset: str) -> Grid:
    """A row for each pair that is clearly apart, the better one first, in points."""
    rows: list[tuple[str, str, float, str, int, float | None, float | None]] = []
    for pair in found.pairs:
        if pair.verdict not in ("win", "loss"):
            continue
        sign, test = (1 if pair.verdict == "win" else -1), pair.test
        better, worse = (pair.first, pair.second)[::sign]
        ahead, *ends = (100 * sign * (x or 0.0) for x in (test.difference, test.low, test.high))
        told = "{:.1f} to {:.1f}".format(*sorted(ends))
        rows.append((better, worse, ahead, told, test.pairs, test.p, pair.p_holm))
    rows.sort(key=lambda row: -row[2])
    columns = (
        Column("algorithm", "name"),
        Column("is ahead of", "name"),
        *(Column("points", form=".1f"), Column("95 %"), Column("splits")),
        *(Column("p", form=".2g"), Column("p, Holm", form=".2g")),
    )
    return Grid(f"{dataset}: pairs that are clearly apart", columns, rows, keys=2)


def beliefs_text(cells: Sequence[Cell], results: Results, metric: str = "top1") -> str:
    """How probable it is that the first is better than the next by more than ``ROPE``; or ''."""
    rivals = [c for c in cells if not c.oracle and c.summary[metric].mean is not None]
    if len(rivals) < 2:
        return ""
    one, other = sorted(rivals, key=lambda cell: -(cell.summary[metric].mean or 0.0))[:2]
    whole = by_split([one, other], results, metric)
    found = beliefs_of(whole.compared(0, 1), ROPE)
    if found.better is None or found.equivalent is None:
        return ""
    return (
        f"{one.algorithm} is better than {other.algorithm}, the next, by more than "
        f"{100 * ROPE:g} point with probability {found.better:.2f}, and as good within that with "
        f"{found.equivalent:.2f} (the posterior of the same t test, Corani and Benavoli)."
    )


def steadiness_of(cells: Sequence[Cell], results: Results, metric: str = "top1") -> RankStability:
    """How steady ranks by mean are when splits, and shared test rows, are drawn again."""
    mine = [cell for cell in cells if not cell.oracle and any(cell.choices)]
    names = [cell.algorithm for cell in mine]
    whole = by_split(mine, results, metric)
    return rank_stability(whole.table, names, higher=True, by="mean", right=whole.right)


def steadiness_text(steady: RankStability, design: Design) -> str:
    """How far two halves of the splits agree about the ranking; or ''."""
    if steady.tau is None:
        return ""
    left = f"; {steady.left_out} more lack a value" * (steady.left_out > 0)
    return (
        f"Ranked by one half of the {steady.rows} splits and by the other, algorithms are in the "
        f"same order to a Kendall's tau of {steady.tau:.2f} (1 is the same order, 0 none in "
        f"common{left}). The ranks below are of {_drawn_again(design)}, with replacement; "
        "of so few splits their ends are rather too near."
    )


def _drawn_again(design: Design) -> str:
    if isinstance(design, RandomSplits):
        return "splits that are drawn again"
    if design.right is None:
        return "splits that are drawn again, on the same test rows"
    return "splits and test rows that are drawn again"


def pairs_text(found: AllPairs, design: Design) -> str:
    """What the table of pairs rests on, and who is clearly ahead of most others."""
    splits, alpha = max((pair.test.pairs for pair in found.pairs), default=0), 100 * found.alpha
    clear = sum(pair.verdict in ("win", "loss") for pair in found.pairs)
    told = f"{clear:,} of {len(found.pairs):,} pairs are clearly apart, on {splits} splits"
    if not design.level_holds:
        return f"{told}: {design.how}."
    return (
        f"{told}: {design.how}, with Holm's correction, so that the chance of any false difference "
        f"is at most {alpha:g} %, over {design.covers}; {design.leaves_out} are not in it."
    )


def ranks_of(
    cells: Sequence[Cell], metric: str = "top1"
) -> tuple[FriedmanTest, NemenyiGroups, RankStability] | None:
    """Average ranks over data sets, of the algorithms that have them all; None with too few.

    Args:
        cells: the cells of one criterion.
    """
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    names = list(dict.fromkeys(c.algorithm for c in cells if not c.oracle))
    means = {(cell.algorithm, cell.dataset): cell.summary[metric].mean for cell in cells}
    whole = [name for name in names if all(means.get((name, one)) is not None for one in datasets)]
    if len(datasets) < FEWEST or len(whole) < 2:
        return None
    table = [[means[name, one] for name in whole] for one in datasets]
    steady = rank_stability(table, whole, higher=True)
    return friedman(table, whole), nemenyi(table, whole, ALPHA, higher=True), steady


def ranks_text(found: FriedmanTest, apart: NemenyiGroups, steady: RankStability) -> str:
    """What the diagram of ranks rests on."""
    tested = (
        ""
        if found.p_f is None
        else f" Friedman's test, as Iman and Davenport have it: F {found.f:.2f}, p {found.p_f:.2g}."
    )
    distance = apart.critical_difference or 0.0
    return (
        f"Average ranks over {found.rows} data sets, 1 is best.{tested} Bars join what lies within "
        f"Nemenyi's critical difference of {distance:.2f}, so cannot be told apart."
        f"{_other_data(steady)}"
    )


def _other_data(steady: RankStability) -> str:
    """What another choice of data sets would change."""
    firsts = sorted(steady.algorithms, key=lambda one: -(one.first or 0.0))[:3]
    told = [f"{one.name} in {100 * (one.first or 0.0):.0f} %" for one in firsts if one.first]
    if not told or steady.tau is None:
        return ""
    return (
        f" With data sets drawn again from these, the first place goes to {listed(told)}; by one "
        "half of them and by the other, algorithms are in the same order to a Kendall's tau of "
        f"{steady.tau:.2f}."
    )
