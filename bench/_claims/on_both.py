"""PLENCH's claims to which tables and pictures both speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from candidly.show.words import listed

from .judging import Finding, above, below, every, named, over_algorithms, some, spearman
from .on_pictures import POOR, TITLES, against, finding, loss, names
from .on_tables import UNTIL, early, joined, on_each, year_of
from .on_tables_criteria import inaccurate, upper_bound
from .shelf import Shelf

RIVALS = ("CR", "AA", "OA")  # of OA & ES


def early_on_pictures(shelf: Shelf) -> Finding | None:
    """P2: early algorithms against the mean of the later ones."""
    if not shelf.there("image_study"):
        return None
    year = {name: year_of(name) for name in names(shelf) if name not in POOR}
    late = [name for name in year if year[name] > UNTIL]
    first = [name for name in year if year[name] <= UNTIL]
    effects = {
        name: against(shelf, f"{name}", late, f"the {len(late)} later ones on pictures", len(first))
        for name in first
    }
    best = sorted(effects.values(), key=lambda effect: -effect.mean)[:3]
    return finding(
        some(map(above, effects.values())),
        best,
        f"On pictures, of {len(first)} algorithms until {UNTIL} clearly above that mean are "
        f"{listed(named(effects, above) or ['none'])}.",
    )


def inaccurate_on_pictures(shelf: Shelf) -> Finding | None:
    """P14: accuracy, and what AA loses on CR."""
    if not shelf.there("image_study"):
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
                cases=len(TITLES),
            )
        )
    return finding(some(map(below, effects)), effects, "")


def bound_on_pictures(shelf: Shelf) -> Finding | None:
    """P15: OA & ES against the other criteria."""
    if not shelf.there("image_study"):
        return None
    effects = []
    for rival in RIVALS:
        lost = np.mean([loss(shelf, on, rival) for on in shelf.pictures.values()], axis=0)
        lost = lost[~np.isnan(lost)]
        effects.append(
            over_algorithms(
                f"pictures, OA & ES minus {rival}, mean of the algorithms",
                len(lost),
                lambda at, lost=lost: float(lost[at].mean()),
                cases=len(RIVALS),
            )
        )
    return finding(every(map(above, effects)), effects, "")


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "P2": lambda shelf: joined([on_each(shelf, early), early_on_pictures(shelf)], some),
    "P14": lambda shelf: joined(
        [on_each(shelf, inaccurate, some), inaccurate_on_pictures(shelf)], some
    ),
    "P15": lambda shelf: joined([on_each(shelf, upper_bound), bound_on_pictures(shelf)]),
}
