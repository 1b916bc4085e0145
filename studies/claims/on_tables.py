"""PLENCH's claims, by results on tables with candidate sets: Lost, and others once they are there.

A general claim is judged over the tables, of which each counts once, by its mean over the splits.
Each finding is of ``fixed``, the methods as meant, but where the released program is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from candidly.learn.algorithms import algorithm
from candidly.show.words import listed
from candidly.stats import RandomSplits, compare_all, summarise
from candidly.stats.places import competition_ranks
from studies.reproduction.numbers import CRITERIA, Row

from .judging import (
    LEVEL,
    MARGIN,
    Effect,
    Finding,
    above,
    below,
    every,
    of_independent,
    shown,
)
from .shelf import Shelf, Tabular

POOR = ("NN", "GA")  # which the paper leaves out of its figure
EARLY = ("Forward", "SCL-EXP", "OP-W")  # of complementary labels, which the paper names
COMPLEMENTARY = ("PC", "Forward", "NN", "GA", "SCL-EXP", "SCL-NL", "L-W", "OP-W")
HOLISTIC = ("VALEN",)  # of those that were run on tables
UNTIL = 2020  # "early"
DIFFERS = (
    "not all of the paper's tables; initial weights, the order of batches, and the methods as "
    "meant (`fixed`) in place of the released program's"
)


def values(row: Row, criterion: str = "CR") -> list[float | None]:
    """Test accuracies of the chosen models, split by split."""
    return list(row.chosen[criterion].values())


def mean(row: Row, criterion: str = "CR") -> float:
    return float(np.mean([np.nan if v is None else v for v in values(row, criterion)]))


def command(table: Tabular, more: str = "") -> str:
    return f"candidly bench table studies/reproduction/results/{table.name}{more}"


def about(table: Tabular) -> str:
    facts, settings = table.facts, table.results.settings
    return (
        f"{table.title}: {len(table.fixed)} algorithms, {settings['configs']} configurations, "
        f"{settings['splits']} splits of {facts.n_test} test rows, {facts.steps:,} updates"
    )


def over_tables(
    tables: Sequence[Tabular],
    what: str,
    of: Callable[[Tabular], float],
    cases: int = 1,
    others: Sequence[float] = (),
) -> Effect:
    """The mean over tables of a number of each, by Student's t over data sets.

    Args:
        others: the same number of further data sets.
    """
    return of_independent(what, summarise([*map(of, tables), *others]), cases)


def whole(shelf: Shelf) -> list[Tabular]:
    """The tables on which every algorithm is finished."""
    return [table for table in shelf.tables if table.whole]


def general(
    tables: Sequence[Tabular], told: str, effects: Sequence[Effect], said: str, more: str = ""
) -> Finding:
    """What tables say together."""
    return Finding(
        told,
        tuple(effects),
        said,
        "; ".join(map(about, tables)),
        DIFFERS,
        " && ".join(command(table, more) for table in tables),
        len(tables),
    )


def with_tables(find: Callable[[Shelf], Finding]) -> Callable[[Shelf], Finding | None]:
    """None where no table is whole."""
    return lambda shelf: find(shelf) if whole(shelf) else None


def on_each(
    shelf: Shelf,
    one: Callable[[Tabular], Finding | None],
    join: Callable = every,
    whole: bool = True,
) -> Finding | None:
    """What every table that is there says, joined.

    Args:
        whole: leave out tables on which not every algorithm is finished.
    """
    tables = [table for table in shelf.tables if table.whole or not whole]
    return joined([one(table) for table in tables], join)


def joined(findings: Iterable[Finding | None], join: Callable = every) -> Finding | None:
    """Of several data sets; None where none of them says anything."""
    found = [finding for finding in findings if finding is not None]
    if len(found) < 2:
        return found[0] if found else None
    return Finding(
        join(finding.verdict for finding in found),
        tuple(effect for finding in found for effect in finding.effects),
        " ".join(dict.fromkeys(finding.said for finding in found)),
        "; ".join(finding.data for finding in found),
        "; ".join(dict.fromkeys(finding.differs for finding in found)),
        " && ".join(dict.fromkeys(finding.command for finding in found)),
    )


# which algorithm


def early_and_late(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Algorithms from before and from after ``UNTIL``, those that the paper leaves out aside."""
    year = {name: year_of(name) for name in names if name not in POOR}
    first = [name for name in year if year[name] <= UNTIL]
    return first, [name for name in year if name not in first]


def lead(table: Tabular, name: str, others: Sequence[str], criterion: str = "CR") -> float:
    """An algorithm's mean accuracy minus the mean of others."""
    rivals = [mean(table.fixed[other], criterion) for other in others]
    return mean(table.fixed[name], criterion) - float(np.mean(rivals))


def year_of(name: str) -> int:
    """Of an algorithm's paper."""
    words = algorithm(name).paper.replace(",", " ").replace(".", " ").split()
    return int(next(w for w in reversed(words) if w.isdigit() and len(w) == 4))


def best_everywhere(shelf: Shelf) -> Finding:
    """P3: whether each algorithm is clearly behind another, on some table by some criterion."""
    tables, firsts, pairs = whole(shelf), [], 0
    names = [name for name in tables[0].fixed if all(name in table.fixed for table in tables)]
    behind = dict.fromkeys(names, 0)
    cases = len(tables) * len(CRITERIA)
    for table in tables:
        design = RandomSplits(table.test_share)
        for criterion in CRITERIA:
            columns = [values(table.fixed[name], criterion) for name in names]
            means = [mean(table.fixed[name], criterion) for name in names]
            firsts.append(f"{names[int(np.argmax(means))]} ({table.title}, {criterion})")
            found = compare_all(
                list(map(list, zip(*columns))), names, design, alpha=(1 - LEVEL) / cases
            )
            pairs = len(names) * (len(names) - 1) // 2
            for name in names:
                behind[name] += found.counts(name)["loss"]
    unbeaten = [name for name in names if not behind[name]]
    return general(
        tables,
        shown(not unbeaten),
        (),
        f"First by mean are {listed(firsts)}; {len(unbeaten)} of {len(names)} algorithms are "
        f"clearly behind no other on any table by any criterion (corrected t test, Holm over the "
        f"{pairs} pairs, and all {cases} cases together at 5 %), so one of these may be the best "
        "always.",
    )


def strong(shelf: Shelf) -> Finding:
    """P24: PRODEN."""
    tables = whole(shelf)

    def others(table: Tabular) -> list[str]:
        return [name for name in table.fixed if name not in (*POOR, "PRODEN")]

    effects = [
        over_tables(
            tables,
            f"PRODEN minus the mean of the others, by {criterion}",
            lambda table, by=criterion: lead(table, "PRODEN", others(table), by),
            len(CRITERIA),
        )
        for criterion in CRITERIA
    ]
    places = []
    for table in tables:
        names = list(table.fixed)
        ranks = competition_ranks(np.array([mean(table.fixed[name]) for name in names]))
        places.append(f"{ranks[names.index('PRODEN')]} on {table.title}")
    return general(
        tables,
        every(map(above, effects)),
        effects,
        f"By CR PRODEN has the places {listed(places)}. {listed(POOR)} are not among the others, "
        "so that these do not flatter it.",
    )


def against_rest(
    tables: Sequence[Tabular], names: Sequence[str], left: Sequence[str], rest: str
) -> list[Effect]:
    """Each of some algorithms minus the mean of all but those that are left out, by CR."""

    def own(table: Tabular, name: str) -> float:
        return lead(table, name, [other for other in table.fixed if other not in left])

    return [
        over_tables(
            tables,
            f"{name} minus the mean of {rest}",
            lambda table, name=name: own(table, name),
            len(names),
        )
        for name in names
    ]


def complementary(shelf: Shelf) -> Finding:
    """P25: Forward, SCL-EXP and OP-W against methods for partial labels."""
    tables = whole(shelf)
    effects = against_rest(tables, EARLY, COMPLEMENTARY, "those for partial labels")
    return general(
        tables,
        every(above(effect, -MARGIN) for effect in effects),
        effects,
        'Judged is whether each is above that mean, or less than a point below it, by CR: "well".',
        " --criterion CR",
    )


def poor(shelf: Shelf) -> Finding:
    """P21: NN and GA."""
    tables = whole(shelf)
    effects = against_rest(tables, POOR, POOR, "the others")
    return general(tables, every(map(below, effects)), effects, "By CR.", " --criterion CR")


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P3": with_tables(best_everywhere),
    "P21": with_tables(poor),
    "P24": with_tables(strong),
    "P25": with_tables(complementary),
}
