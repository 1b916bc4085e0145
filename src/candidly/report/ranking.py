"""How sure a ranking is: which algorithms are clearly ahead of which, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from ..grid import Column, Grid
from ..stats import (
    AllPairs,
    FriedmanTest,
    NemenyiGroups,
    compare_all,
    friedman,
    leader,
    nemenyi,
)
from ..sweep.records import Results
from ..sweep.select import Cell
from ._wording import in_percent, is_oracle

ALPHA = 0.05  # chance of a false winner
FEWEST = 3  # data sets, below which average ranks say nothing


def pairs_of(cells: Sequence[Cell], results: Results, metric: str = "top1") -> AllPairs | None:
    """Every pair of algorithms on the splits of one data set; None with fewer than two of them.

    Splits share rows, so the variance of differences is corrected for that (``corrected_t``), and p
    for the number of pairs (Holm).

    Args:
        cells: of one data set and criterion.
    """
    mine = [cell for cell in cells if not is_oracle(cell.algorithm) and any(cell.choices)]
    if len(mine) < 2:
        return None
    share = share_tested(results, mine[0].dataset)
    names = [cell.algorithm for cell in mine]
    return compare_all(_by_split(mine, metric), names, share, ALPHA)


def leader_of(cells: Sequence[Cell], share: float, metric: str = "top1") -> Cell | None:
    """The cell with the highest mean where its lead over each other one is beyond chance.

    Args:
        cells: of one data set and criterion; oracles are no rivals.
        share: as ``share_tested`` says.
    """
    rivals = [cell for cell in cells if not is_oracle(cell.algorithm) and any(cell.choices)]
    if len(rivals) < 2:
        return None
    found = leader(_by_split(rivals, metric), [one.algorithm for one in rivals], share, ALPHA)
    ahead = (cell for cell in rivals if found.beyond_chance and cell.algorithm == found.name)
    return next(ahead, None)


def _by_split(cells: Sequence[Cell], metric: str) -> list[list[float | None]]:
    """A row per split, a column per cell."""
    splits = sorted({split for cell in cells for split in cell.splits})
    values = [dict(zip(cell.splits, cell.values(metric))) for cell in cells]
    return [[mine.get(split) for mine in values] for split in splits]


def share_tested(results: Results, dataset: str) -> float:
    """The test rows' share of training and test rows; by the settings where rows are not known."""
    run = next(run for run in results.runs if run.dataset == dataset)
    if run.n_train:
        return run.n_test / (run.n_train + run.n_test)
    tested = float(results.settings.get("test_share") or 0.1)
    learned = (1 - tested) * (1 - float(results.settings.get("validation_share") or 0.1))
    return tested / (tested + learned)


def pairs_grid(found: AllPairs, cells: Sequence[Cell], dataset: str, metric: str = "top1") -> Grid:
    """A row for each algorithm: how many it is clearly ahead of, not apart from, behind."""
    means = {cell.algorithm: cell.summary[metric].mean for cell in cells}
    rows = []
    for name in sorted(found.names, key=lambda name: -(means[name] or 0.0)):
        counts = found.counts(name)
        told = (counts["win"], counts["tie"], counts["loss"], counts["unknown"])
        rows.append((name, in_percent(means[name]), *told))
    columns = (
        Column("algorithm", "name"),
        Column("mean", form=".2f"),
        *map(Column, ("clearly ahead of", "not told apart from", "clearly behind", "no test")),
    )
    return Grid(f"{dataset}: every pair of algorithms", columns, rows)


def pairs_text(found: AllPairs) -> str:
    """What the table of pairs rests on, and who is clearly ahead of most others."""
    splits, alpha = max((pair.test.pairs for pair in found.pairs), default=0), 100 * found.alpha
    clear = sum(pair.verdict in ("win", "loss") for pair in found.pairs)
    return (
        f"{clear:,} of {len(found.pairs):,} pairs are clearly apart, on {splits} splits: paired t "
        "tests whose variance allows for rows that splits share (Nadeau and Bengio), with Holm's "
        f"correction, so that the chance of any false difference is at most {alpha:g} %."
    )


def ranks_of(
    cells: Sequence[Cell], metric: str = "top1"
) -> tuple[FriedmanTest, NemenyiGroups] | None:
    """Average ranks over data sets, of the algorithms that have them all; None with too few.

    Args:
        cells: of one criterion.
    """
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    names = list(dict.fromkeys(c.algorithm for c in cells if not is_oracle(c.algorithm)))
    means = {(cell.algorithm, cell.dataset): cell.summary[metric].mean for cell in cells}
    whole = [name for name in names if all(means.get((name, one)) is not None for one in datasets)]
    if len(datasets) < FEWEST or len(whole) < 2:
        return None
    table = [[means[name, one] for name in whole] for one in datasets]
    return friedman(table, whole), nemenyi(table, whole, ALPHA, higher=True)


def ranks_text(found: FriedmanTest, apart: NemenyiGroups) -> str:
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
    )
