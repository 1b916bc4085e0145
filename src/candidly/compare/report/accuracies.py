"""The figure that leads a data set: accuracies with intervals, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import sqrt

from ...show.intervals import ForestPoint, ForestRow, forest_plot
from ...show.pieces import Figure
from ...stats import AllPairs, Design
from ..sweep.results import Results
from ..sweep.select import METRICS, Cell
from .design import by_split
from .ranking import pairs_of

LEVEL = 0.95


def accuracies_figure(cells: Sequence[Cell], results: Results, metric: str) -> Figure | None:
    """Means with intervals, the highest first; bars join what no test tells apart.

    Args:
        cells: the cells of one data set and criterion. Oracles are drawn in ink and in no bar.

    Returns:
        None where no cell has a value.
    """
    there = [cell for cell in cells if cell.summary[metric].mean is not None]
    if not there:
        return None
    there.sort(key=lambda cell: -(cell.summary[metric].mean or 0.0))
    there.sort(key=lambda cell: not cell.oracle)  # above, so that bars join rivals alone
    design = by_split(there, results, metric).design
    oracles = sum(cell.oracle for cell in there)
    names = [cell.algorithm for cell in there[oracles:]]
    found = pairs_of(there, results, metric) if design.level_holds else None
    groups = [] if found is None else alike_runs(names, found)
    rows = [ForestRow(c.algorithm, [_point(c, metric, design)], c.oracle) for c in there]
    known = any(row.estimates[0].low is not None for row in rows if row.estimates[0])
    told = f"{100 * LEVEL:.0f} % intervals of each algorithm alone." if known else ""
    if groups:
        told += " A bar at the right joins algorithms of which no test tells two apart."
    criterion, dataset = there[0].criterion, there[0].dataset
    about = METRICS[metric].about
    draw = partial(
        forest_plot,
        rows,
        f"{dataset}: mean {about}, chosen by {criterion}",
        f"{about} (%)",
        groups=[(first + oracles, last + oracles) for first, last in groups],
    )
    return Figure(f"Mean {about}, chosen by {criterion}", told.strip(), draw)


def alike_runs(names: Sequence[str], found: AllPairs) -> list[tuple[int, int]]:
    """Runs of neighbours, first and last, no two of which are clearly apart; none within another.

    Args:
        names: in the order of their means.
        found: all pairs of them.
    """
    apart = {
        frozenset((pair.first, pair.second))
        for pair in found.pairs
        if pair.verdict in ("win", "loss")
    }
    runs: list[tuple[int, int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and not any(
            frozenset((names[k], names[last + 1])) in apart for k in range(first, last + 1)
        ):
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _point(cell: Cell, metric: str, design: Design) -> ForestPoint | None:
    """A mean in percent and its interval by Student's t; no ends where its error is not known."""
    from scipy.stats import t

    one = cell.summary[metric]
    if one.mean is None:
        return None
    variance = None
    if one.standard_error is not None:
        variance = design.variance(one.mean, one.standard_error, one.count)
    if variance is None:
        return ForestPoint(100 * one.mean)
    reach = float(t.ppf((1 + LEVEL) / 2, one.count - 1)) * sqrt(variance)
    low, high = max(0.0, one.mean - reach), min(1.0, one.mean + reach)
    return ForestPoint(100 * one.mean, 100 * low, 100 * high)
