"""PLENCH's claims to which tables and pictures both speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from candidly.show.words import listed

from .judging import Finding, above, below, every, named, over_algorithms, some, spearman
from .on_pictures import COMMAND, DATA, POOR, TITLES, against, finding, loss, names
from .on_pictures import DIFFERS as ON_PICTURES
from .on_tables import (
    UNTIL,
    early_and_late,
    general,
    joined,
    lead,
    on_each,
    over_tables,
    whole,
    with_tables,
    year_of,
)
from .on_tables_criteria import RIVALS, inaccurate, upper_bound
from .shelf import Shelf, Tabular


def early(shelf: Shelf) -> Finding:
    """P2: early algorithms against the mean of the later ones, over tables and pictures."""
    tables = whole(shelf)
    pictured = shelf.of("images").exists()
    there = [table.fixed for table in tables] + ([names(shelf)] if pictured else [])
    shared = [name for name in there[0] if all(name in one for one in there)]
    first, _ = early_and_late(shared)

    def on_one(name: str, table: Tabular) -> float:
        return lead(table, name, early_and_late(table.fixed)[1])

    def pictures(name: str) -> float:
        late = early_and_late(names(shelf))[1]
        return against(shelf, name, late, "", 1).mean

    effects = {
        name: over_tables(
            tables,
            f"{name} ({year_of(name)}) minus the mean of those from after {UNTIL}",
            lambda table, name=name: on_one(name, table),
            len(first),
            [pictures(name)] if pictured else [],
        )
        for name in first
    }
    best = sorted(effects.values(), key=lambda effect: -effect.mean)[:3]
    found = general(
        tables,
        some(map(above, effects.values())),
        best,
        f"Of {len(first)} algorithms until {UNTIL} clearly above that mean are "
        f"{listed(named(effects, above) or ['none'])}, which is judged; shown are the first three. "
        f"{listed(POOR)} are left out, as in the paper's figure.",
        " --criterion CR",
    )
    return with_pictures(found) if pictured else found


def bound(shelf: Shelf) -> Finding:
    """P15: OA & ES against the other criteria, over tables and pictures."""
    tables, others = whole(shelf), {}
    if shelf.of("images").exists():
        for rival in RIVALS:
            lost = np.mean([loss(shelf, on, rival) for on in shelf.pictures.values()], axis=0)
            others[rival] = float(lost[~np.isnan(lost)].mean())
    effects = upper_bound(tables, others)
    found = general(tables, every(map(above, effects)), effects, "")
    return with_pictures(found) if others else found


def with_pictures(found: Finding) -> Finding:
    """Tables' finding to which pictures have added a data set."""
    return replace(
        found,
        data=f"{found.data}; {DATA}",
        differs=f"{found.differs}; {ON_PICTURES}",
        command=f"{found.command} && {COMMAND}",
        sets=found.sets + 1,
    )


def _cases(shelf: Shelf) -> int:
    """Tables and sets of labels of pictures that speak to P14."""
    return len(whole(shelf)) + len(TITLES) * shelf.of("images").exists()


def inaccurate_on_pictures(shelf: Shelf) -> Finding | None:
    """P14: accuracy, and what AA loses on CR."""
    if not shelf.of("images").exists():
        return None
    effects = []
    for key, labels in shelf.pictures.items():
        lost = loss(shelf, labels, "AA") - loss(shelf, labels, "CR")
        right = np.array([labels.rows[name].mean("OA & ES") for name in names(shelf)])
        effects.append(
            over_algorithms(
                f"the same correlation on {TITLES[key]} of pictures",
                len(right),
                lambda at, lost=lost, right=right: spearman(right[at], lost[at]),
                points=False,
                digits=2,
                cases=_cases(shelf),
            )
        )
    return finding(some(map(below, effects)), effects, "")


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P2": with_tables(early),
    "P14": lambda shelf: joined(
        [
            on_each(shelf, lambda table: inaccurate(table, _cases(shelf)), some),
            inaccurate_on_pictures(shelf),
        ],
        some,
    ),
    "P15": with_tables(bound),
}
