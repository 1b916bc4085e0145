"""Two result sets side by side: what changed beyond noise, as values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...ground.names import folded
from ...ground.spec import halves
from ...stats import Design, OneTestSet, RandomSplits, holm, ranked, summarise
from ..sweep.counts import examples
from ..sweep.results import Results
from ..sweep.select import Cell, cells
from .design import Model, design_of, right_of, with_right

ALPHA = 0.05
NOT_STATED = "not stated"  # what chose the models of a table
MARGIN = 0.01  # a difference below one point is of no importance
Place = tuple[str, str, str]  # criterion, data set, algorithm


@dataclass(frozen=True)
class SideEntry:
    """One number of a side: its mean, the mean's standard error, and what is behind it.

    ``values`` are by split, ``models`` the key and step of what was chosen; a paper's table has
    neither. ``splits`` is None where nobody said how many there were. ``warm_ups`` counts models
    that lie before their method's own stage.
    """

    mean: float | None
    error: float | None
    splits: int | None
    state: str = "complete"
    oracle: bool = False  # its algorithm is told the truth
    values: Mapping[int, float | None] = field(default_factory=dict)
    models: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    warm_ups: int = 0


@dataclass(frozen=True)
class ResultSet:
    """A result set: its numbers by place, and by data set what must agree for splits to be paired.

    ``divided`` is empty for a paper's table, whose models were ``chosen`` by something of its own,
    where that is said; ``designs`` say by data set what its splits have in
    common, and ``right`` which test rows a model predicted right, bool (rows,), where that counts.
    """

    name: str
    entries: Mapping[Place, SideEntry]
    divided: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    designs: Mapping[str, Design] = field(default_factory=dict)
    right: Mapping[Model, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    chosen: str = ""


@dataclass(frozen=True)
class Change:
    """One algorithm on one data set, A and B, the difference B - A and what chance makes of it.

    ``verdict``: ``changed`` where p, after Holm's correction over all of the criterion, is at most
    0.05; ``same`` where both chose the very same models, or every split has the same value, or the
    whole interval lies within the margin; else ``cannot be told``. Ranks are among what both sides
    have, 1 is best, oracles aside.
    """

    criterion: str
    dataset: str
    algorithm: str
    a: SideEntry
    b: SideEntry
    paired: bool
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None = None
    verdict: str = "cannot be told"
    rank_a: float | None = None
    rank_b: float | None = None


@dataclass(frozen=True)
class Changes:
    """All that two sides have in common under some criteria, and what only one has.

    ``how`` and ``covers`` say in words how paired splits are tested, and what intervals cover;
    ``chosen`` by what each side's models were chosen, where that is not the row's criterion.
    """

    names: tuple[str, str]
    rows: tuple[Change, ...]
    only_a: tuple[Place, ...]
    only_b: tuple[Place, ...]
    margin: float
    notes: tuple[str, ...] = ()
    how: str = ""
    covers: str = ""
    chosen: tuple[str, str] = ("", "")


def side_of(
    results: Results,
    name: str,
    criteria: Sequence[str],
    metric: str = "top1",
    variant: str | None = None,
) -> ResultSet:
    """The numbers of a directory; of one variant alone, under the algorithms' names without it."""
    entries = {}
    found = cells(results, criteria)
    for cell in found:
        base, own = halves(cell.algorithm)
        if variant is not None and (own or "fixed") != variant:
            continue
        label = cell.algorithm if variant is None else base
        entries[cell.criterion, cell.dataset, label] = _entry(cell, metric)
    datasets = list(dict.fromkeys(run.dataset for run in examples(results)))
    rule = tuple(results.settings.get(key) for key in ("split", "test_share"))
    divided = {
        one: (results.fingerprints[one], *rule) for one in datasets if one in results.fingerprints
    }
    designs = {one: design_of(results, one, metric) for one in datasets}
    right: dict[Model, np.ndarray] = {}
    for dataset, design in designs.items():
        if isinstance(design, OneTestSet) and design.rows is not None:
            mine = [choice for cell in found if cell.dataset == dataset for choice in cell.choices]
            models = [[(choice.key, choice.step) for choice in mine if choice]]
            right |= right_of(results, models, design.rows)
    return ResultSet(name, entries, divided, designs, right, results.notes)


def _entry(cell: Cell, metric: str) -> SideEntry:
    values = dict(zip(cell.splits, cell.values(metric)))
    models = {c.split: (c.key, c.step) for c in cell.choices if c is not None}
    found = summarise(list(values.values()))
    told = (found.mean, found.standard_error, found.count, cell.state, cell.oracle)
    return SideEntry(*told, values, models, cell.warm_ups)


def compare_sides(
    a: ResultSet, b: ResultSet, margin: float = MARGIN, alpha: float = ALPHA
) -> Changes:
    """Every place that both sides have, in the order of A.

    Splits are paired where both have the same data, divided the same way, and at least two splits
    in common, and tested by what the splits have in common. Else both standard errors are combined.

    Raises:
        ValueError: a margin below 0.
    """
    if not margin >= 0:
        raise ValueError(f"the margin is {margin}; give a share of at least 0, such as 0.01.")
    a, b = _spelled_like(a, b), _spelled_like(b, a)
    both = [place for place in a.entries if place in b.entries]
    rows = [_change(place, a, b, alpha) for place in both]
    rows = [
        row
        for criterion in dict.fromkeys(r.criterion for r in rows)
        for row in _judged([r for r in rows if r.criterion == criterion], margin, alpha)
    ]
    designs = [_design(a, b, one) for one in dict.fromkeys(row.dataset for row in rows)]
    return Changes(
        (a.name, b.name),
        tuple(_with_ranks(rows)),
        tuple(place for place in a.entries if place not in b.entries),
        tuple(place for place in b.entries if place not in a.entries),
        margin,
        tuple(dict.fromkeys((*a.notes, *b.notes))),
        "; ".join(dict.fromkeys(design.how for design in designs)),
        "; ".join(dict.fromkeys(design.covers for design in designs)),
        (a.chosen, b.chosen),
    )


def _spelled_like(paper: ResultSet, other: ResultSet) -> ResultSet:
    """A paper's table with the other side's spelling where only case and punctuation differ."""
    if paper.divided:
        return paper
    known = {tuple(map(folded, place)): place for place in other.entries}
    entries: dict[Place, SideEntry] = {}
    for place, entry in paper.entries.items():
        like = known.get(tuple(map(folded, place)), place)
        entries[place if like in paper.entries else like] = entry
    return replace(paper, entries=entries)


def _change(place: Place, a: ResultSet, b: ResultSet, alpha: float) -> Change:
    dataset = place[1]
    first, second = a.entries[place], b.entries[place]
    divided = a.divided.get(dataset)
    shared = sorted(
        split
        for split in first.values.keys() & second.values.keys()
        if first.values[split] is not None and second.values[split] is not None
    )
    if divided is not None and divided == b.divided.get(dataset) and shared:
        sides = second, first
        table = np.array([[side.values[split] for side in sides] for split in shared], np.float64)
        design = a.designs[dataset]
        if isinstance(design, OneTestSet):
            # by side: two directories may have trained the same trial to other numbers
            right: dict[Model, np.ndarray] = {}
            models: list[list[Model | None]] = [[] for _ in shared]
            for name, its, side in (("B", b, second), ("A", a, first)):
                for row, split in zip(models, shared):
                    key, step = side.models.get(split, ("", 0))
                    row.append((f"{name} {key}", step))
                    if (key, step) in its.right:
                        right[f"{name} {key}", step] = its.right[key, step]
            design = with_right(design, models, right)
        test = design.compared(table, 0, 1, 1 - alpha)
        return Change(*place, first, second, True, test.difference, test.low, test.high, test.p)
    known = _design(a, b, dataset)
    return Change(*place, first, second, False, *unpaired(first, second, known, alpha))


def _design(a: ResultSet, b: ResultSet, dataset: str) -> Design:
    """The design of a data set; of two tables of papers nobody knows what splits share."""
    return a.designs.get(dataset) or b.designs.get(dataset) or RandomSplits(0.0)


def unpaired(
    first: SideEntry, second: SideEntry, design: Design, alpha: float = ALPHA
) -> tuple[float | None, float | None, float | None, float | None]:
    """Difference, interval and p of two means whose splits have nothing to do with each other.

    Welch's test of second - first, with the variance that each side's mean has by the design.
    Where the number of splits is not known, an error counts as exact.
    """
    from scipy.special import stdtr, stdtrit

    if first.mean is None or second.mean is None:
        return None, None, None, None
    difference = second.mean - first.mean
    if first.error is None or second.error is None:
        return difference, None, None, None
    variances = [
        design.variance(entry.mean, entry.error, entry.splits or 0)
        for entry in (first, second)
        if entry.mean is not None and entry.error is not None
    ]
    if any(variance is None for variance in variances):
        return difference, None, None, None
    total = sum(variance or 0.0 for variance in variances)
    if total == 0:
        return difference, None, None, None
    parts = [
        (variance or 0.0) ** 2 / (entry.splits - 1)
        for variance, entry in zip(variances, (first, second))
        if entry.splits is not None and entry.splits > 1
    ]
    freedom = total**2 / sum(parts) if sum(parts) else np.inf
    freedom = min(freedom, 1e9)
    half = float(stdtrit(freedom, 1 - alpha / 2)) * total**0.5
    p = min(1.0, 2 * float(stdtr(freedom, -abs(difference) / total**0.5)))
    return difference, difference - half, difference + half, p


def _judged(rows: Sequence[Change], margin: float, alpha: float) -> list[Change]:
    adjusted = iter(holm(np.array([row.p for row in rows if row.p is not None])).tolist())
    judged = [replace(row, p_holm=None if row.p is None else next(adjusted)) for row in rows]
    return [replace(row, verdict=_verdict(row, margin, alpha)) for row in judged]


def _verdict(row: Change, margin: float, alpha: float) -> str:
    if row.a.models and row.a.models == row.b.models and row.a.values == row.b.values:
        return "same"
    if row.p_holm is None or row.low is None or row.high is None:
        return "cannot be told"
    if row.p_holm <= alpha:
        return "changed"
    return "same" if -margin <= row.low and row.high <= margin else "cannot be told"


def _with_ranks(rows: Sequence[Change]) -> list[Change]:
    found = list(rows)
    groups: dict[tuple[str, str], list[int]] = {}
    for number, row in enumerate(rows):
        told = row.a.oracle or row.b.oracle
        if not told and row.a.mean is not None and row.b.mean is not None:
            groups.setdefault((row.criterion, row.dataset), []).append(number)
    for places in groups.values():
        means = np.array([[rows[k].a.mean, rows[k].b.mean] for k in places], dtype=float).T
        before, after = ranked(np.round(means, 12), higher=True)
        for k, old, new in zip(places, before.tolist(), after.tolist()):
            found[k] = replace(rows[k], rank_a=old, rank_b=new)
    return found


def crossings(rows: Sequence[Change]) -> tuple[int, int]:
    """Pairs of algorithms whose order differs between A and B, and all pairs; ties do not cross.

    Args:
        rows: the rows of one data set and criterion.
    """
    there = [row for row in rows if row.rank_a is not None and row.rank_b is not None]
    pairs = list(itertools.combinations(there, 2))
    turned = sum(
        ((x.rank_a or 0) - (y.rank_a or 0)) * ((x.rank_b or 0) - (y.rank_b or 0)) < 0
        for x, y in pairs
    )
    return turned, len(pairs)
