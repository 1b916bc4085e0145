"""Who leads a table, and whether chance could have made the lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ..ground.numbers import count_of
from ._cells import Cells, check_level, named, rounded
from .designs import Design
from .paired import PairedT


@dataclass(frozen=True)
class Lead:
    """The leader minus another algorithm, over the splits that both have."""

    over: str
    test: PairedT
    beyond_chance: bool


@dataclass(frozen=True)
class Leader:
    """The algorithm with the best mean, and what is known of its leads.

    ``name`` and ``mean`` are None where nobody has a value. ``beyond_chance`` says whether every
    lead is, and decides what stands bold in a table; ``why`` is one sentence about it. ``without``
    names the algorithms that have no value, which nobody can lead. ``least_splits`` is the number
    of splits of the lead that rests on the fewest, None where there is no lead.
    """

    name: str | None
    mean: float | None
    beyond_chance: bool
    why: str
    leads: tuple[Lead, ...]
    splits: int
    least_splits: int | None
    without: tuple[str, ...]


@door
def leader(
    table: Cells,
    names: Sequence[str],
    design: Design,
    alpha: float = 0.05,
    *,
    higher: bool = True,
) -> Leader:
    """The algorithm with the best mean; its lead over each other one by the design's test.

    A lead is beyond chance where the two-sided p is at most alpha and the difference favours the
    leader. As every lead must be, no correction for their number is needed: where several are
    equally good, the leader must beat the others of them, too.

    Args:
        table: (n, k), a row per split, a column per algorithm; None and NaN are missing. A mean
            is over the splits that an algorithm has, a lead over those that both have.
        names: of the k algorithms. Of equal means the first one leads, and its lead is none.
        design: what the rows have in common: ``RandomSplits`` or ``OneTestSet``.
        alpha: in (0, 1).
        higher: whether a higher value is better.

    >>> from candidly.stats import RandomSplits
    >>> rows = [[0.91, 0.85, 0.6], [0.92, 0.87, 0.5], [0.90, 0.85, 0.6]]
    >>> found = leader(rows, ["a", "b", "c"], RandomSplits(0.1))
    >>> found.name, found.beyond_chance, found.why
    ('a', True, 'a leads each of 2 others beyond chance over 3 splits.')
    """
    check_level(alpha, "alpha")
    cells = named(table, names)
    counts = (~np.isnan(cells)).sum(0)
    without = tuple(name for name, count in zip(names, counts) if not count)
    if not counts.any():
        return Leader(None, None, False, "Nobody has a value.", (), 0, None, without)
    means = np.full(len(names), np.nan)
    some = counts > 0
    means[some] = rounded(np.nansum(cells[:, some], 0) / counts[some])
    best = int(np.nanargmax(means) if higher else np.nanargmin(means))
    leads = []
    for k in np.flatnonzero(some).tolist():
        if k == best:
            continue
        test = design.compared(cells, best, k, 1 - alpha)
        ahead = test.difference is not None and (test.difference > 0) == higher
        beyond = ahead and test.p is not None and test.p <= alpha
        level = bool(means[k] == means[best])
        leads.append(Lead(names[k], test, beyond and not level))
    beyond = bool(leads) and all(lead.beyond_chance for lead in leads)
    splits = int(counts[best])
    least = min((lead.test.pairs for lead in leads), default=None)
    why = _why(names[best], leads, least, alpha, design)
    return Leader(
        names[best], float(means[best]), beyond, why, tuple(leads), splits, least, without
    )


def _why(name: str, leads: list[Lead], least: int | None, alpha: float, design: Design) -> str:
    if least is None:
        return f"{name} is the only algorithm with values, so there is nobody to lead."
    over = count_of(least, "split")
    if least != max(lead.test.pairs for lead in leads):
        over = f"{least} or more splits"
    open_ = [lead.over for lead in leads if not lead.beyond_chance]
    if not open_:
        others = f"each of {len(leads)} others" if len(leads) > 1 else leads[0].over
        return f"{name} leads {others} beyond chance over {over}."
    unknown = [lead.over for lead in leads if not lead.test.told]
    if unknown:
        takes = (
            "it takes two splits that both have, and differences that are not all the same"
            if design.level_holds
            else f"there are {design.how}"
        )
        whom = _few(unknown)
        return f"Whether {name} leads {whom} beyond chance cannot be told from {over}: {takes}."
    return f"The lead of {name} over {_few(open_)} could be chance at {alpha:.0%}, over {over}."


def _few(names: list[str]) -> str:
    """Names in a sentence, the first three outright."""
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
