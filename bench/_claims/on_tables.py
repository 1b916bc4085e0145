"""PLENCH's claims, by results on tables with candidate sets: Lost, and others once they are there.

Where several tables are there, a claim holds if it holds on each, and does not if it does not on
any; each finding is of ``fixed``, the methods as meant, but where the released program is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from _reproduction.numbers import CRITERIA, Row
from _reproduction.words import minus
from candidly.compare.stability._ranks import competition_ranks, correlation
from candidly.learn.algorithms import algorithm
from candidly.show.words import listed
from candidly.stats import RandomSplits, compare_all

from .judging import (
    MARGIN,
    Finding,
    above,
    averaged,
    below,
    every,
    over_splits,
    shown,
    some,
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
    return f"candidly bench table bench/results/{table.name}{more}"


def about(table: Tabular) -> str:
    facts, settings = table.facts, table.results.settings
    return (
        f"{table.title}: {len(table.fixed)} algorithms, {settings['configs']} configurations, "
        f"{settings['splits']} splits of {facts.n_test} test rows, {facts.steps:,} updates"
    )


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
        " ".join(finding.said for finding in found),
        "; ".join(finding.data for finding in found),
        "; ".join(dict.fromkeys(finding.differs for finding in found)),
        " && ".join(dict.fromkeys(finding.command for finding in found)),
    )


# which algorithm


def early(table: Tabular) -> Finding:
    """P2, and the part of P1 that tables can speak to."""
    year = {name: year_of(name) for name in table.fixed if name not in POOR}
    names = list(year)
    late = [name for name in names if year[name] > UNTIL]
    against = averaged(values(table.fixed[name]) for name in late)
    first = [name for name in names if year[name] <= UNTIL]
    effects = {
        name: over_splits(
            f"{table.title}, {name} ({year[name]}) minus the mean of the {len(late)} later ones",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(first),
        )
        for name in first
    }
    ahead = {
        name: sum(mean(table.fixed[name]) > mean(table.fixed[other]) for other in late)
        for name in first
    }
    most = max(ahead, key=lambda name: ahead[name])
    linked = correlation(
        np.array([float(year[name]) for name in names]),
        np.array([mean(table.fixed[name]) for name in names]),
    )
    return Finding(
        some(above(effect) for effect in effects.values()),
        tuple(effects[name] for name in sorted(first, key=lambda n: -effects[n].mean)[:3]),
        f"By means {most} is ahead of {ahead[most]} of the {len(late)} algorithms from after "
        f"{UNTIL}; the year and the accuracy go together with a Spearman correlation of "
        f"{minus(linked.value, 2)} (p {linked.p:.2f}). {listed(POOR)} are left out, as in the "
        "paper's figure.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


def year_of(name: str) -> int:
    """Of an algorithm's paper."""
    words = algorithm(name).paper.replace(",", " ").replace(".", " ").split()
    return int(next(w for w in reversed(words) if w.isdigit() and len(w) == 4))


def best_everywhere(table: Tabular) -> Finding:
    """P3: whether each algorithm is clearly behind another by some criterion."""
    names = list(table.fixed)
    firsts, clear = {}, {}
    for criterion in CRITERIA:
        columns = [values(table.fixed[name], criterion) for name in names]
        means = [mean(table.fixed[name], criterion) for name in names]
        firsts[criterion] = names[int(np.argmax(means))]
        pairs = compare_all(list(map(list, zip(*columns))), names, RandomSplits(table.test_share))
        for name in names:
            clear[name] = clear.get(name, 0) + pairs.counts(name)["loss"]
    unbeaten = [name for name in names if not clear[name]]
    told = ", ".join(f"{name} by {criterion}" for criterion, name in firsts.items())
    return Finding(
        shown(not unbeaten),
        (),
        f"{table.title}: first by mean are {told}; {len(unbeaten)} of {len(names)} algorithms are "
        f"clearly behind no other by any criterion (corrected t test, Holm over all "
        f"{len(names) * (len(names) - 1) // 2} pairs, 5 %), so one of these may be the best "
        "always.",
        about(table),
        DIFFERS,
        command(table),
    )


def strong(table: Tabular) -> Finding:
    """P24: PRODEN."""
    others = [name for name in table.fixed if name not in (*POOR, "PRODEN")]
    effects = {
        criterion: over_splits(
            f"{table.title}, PRODEN minus the mean of the {len(others)} others, by {criterion}",
            values(table.fixed["PRODEN"], criterion),
            averaged(values(table.fixed[name], criterion) for name in others),
            table.test_share,
            len(CRITERIA),
        )
        for criterion in CRITERIA
    }
    names = list(table.fixed)
    places = [
        f"{competition_ranks(np.array([mean(table.fixed[n], c) for n in names]))[at]} by {c}"
        for at in [names.index("PRODEN")]
        for c in CRITERIA
    ]
    return Finding(
        every(above(effect) for effect in effects.values()),
        tuple(effects.values()),
        f"Of {len(names)} algorithms PRODEN has the places {listed(places)}. {listed(POOR)} are "
        "not among the others, so that these do not flatter it.",
        about(table),
        DIFFERS,
        command(table),
    )


def complementary(table: Tabular) -> Finding:
    """P25: Forward, SCL-EXP and OP-W against methods for partial labels."""
    rivals = [name for name in table.fixed if name not in COMPLEMENTARY]
    against = averaged(values(table.fixed[name]) for name in rivals)
    effects = {
        name: over_splits(
            f"{table.title}, {name} minus the mean of the {len(rivals)} for partial labels",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(EARLY),
        )
        for name in EARLY
    }
    return Finding(
        every(above(effect, -MARGIN) for effect in effects.values()),
        tuple(effects.values()),
        'Judged is whether each is above that mean, or less than a point below it, by CR: "well".',
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


def poor(table: Tabular) -> Finding:
    """P21: NN and GA."""
    others = [name for name in table.fixed if name not in POOR]
    against = averaged(values(table.fixed[name]) for name in others)
    effects = [
        over_splits(
            f"{table.title}, {name} minus the mean of the {len(others)} others",
            values(table.fixed[name]),
            against,
            table.test_share,
            len(POOR),
        )
        for name in POOR
    ]
    return Finding(
        every(below(effect) for effect in effects),
        tuple(effects),
        "By CR.",
        about(table),
        DIFFERS,
        command(table, " --criterion CR"),
    )


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P3": lambda shelf: on_each(shelf, best_everywhere),
    "P21": lambda shelf: on_each(shelf, poor),
    "P24": lambda shelf: on_each(shelf, strong),
    "P25": lambda shelf: on_each(shelf, complementary),
}
