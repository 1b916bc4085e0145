"""A consensus held against items whose label is known, beside the majority on the same items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.numbers import count_of
from ...show.grid import Column, Grid

if TYPE_CHECKING:
    from ._consensus import Consensus

ALPHA = 0.05


@dataclass(frozen=True)
class KnownItems:
    """How often a consensus and the majority are right where the label is known.

    Attributes:
        by: the way to the consensus. n: items whose label is known.
        right, majority: on how many of them the consensus, and the majority, is right.
        only, only_majority: on how many one of the two alone is right.
        interval, majority_interval: of the two shares, 95 %.
        difference: of the shares, consensus minus majority, with Tango's interval.
        p: of McNemar's exact test.
    """

    by: str
    n: int
    right: int
    majority: int
    only: int
    only_majority: int
    interval: tuple[float, float]
    majority_interval: tuple[float, float]
    difference: tuple[float, float, float]
    p: float

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def known_items(found: Consensus, known: np.ndarray, by: str) -> KnownItems:
    """Compare a consensus with what is known of its items.

    Args:
        known: int (n,), the class of each item of ``found.answers``; -1 where it is not known.
        by: the name of the way to the consensus.

    Raises:
        ValueError: nothing is known.
    """
    from ...stats import share_interval
    from ...stats.pairs import mcnemar, tango
    from ._majority import majority

    rows = np.flatnonzero(known >= 0)
    if not len(rows):
        raise ValueError("no item has a known label.")
    usual = majority(found.answers).labels
    mine, theirs = found.labels[rows] == known[rows], usual[rows] == known[rows]
    n, only, other = len(rows), int((mine & ~theirs).sum()), int((theirs & ~mine).sum())

    def bounds(right: np.ndarray) -> tuple[float, float]:
        low, high = share_interval(right.sum(), n).tolist()
        return low, high

    low, high = tango(np.array(only), np.array(other), n).tolist()
    return KnownItems(
        by=by,
        n=n,
        right=int(mine.sum()),
        majority=int(theirs.sum()),
        only=only,
        only_majority=other,
        interval=bounds(mine),
        majority_interval=bounds(theirs),
        difference=((only - other) / n, low, high),
        p=float(mcnemar(np.array(only), np.array(other))),
    )


def known_parts(about: KnownItems) -> Iterator[Grid | str]:
    """A table of both, and a sentence on their difference; of the majority itself no sentence."""
    columns = (
        Column("consensus by", "name"),
        Column("right", form=","),
        Column("of", form=","),
        Column("share", form=".1%"),
        Column("95 % from", form=".1%"),
        Column("to", form=".1%"),
    )
    rows = [(about.by, about.right, about.n, about.right / about.n, *about.interval)]
    if about.by != "majority":
        share = about.majority / about.n
        rows.append(("majority", about.majority, about.n, share, *about.majority_interval))
    yield Grid("Items whose label is known", columns, rows)
    if about.by != "majority":
        yield difference(about)


def difference(about: KnownItems) -> str:
    """What the known items say of the consensus beside the majority."""
    if not about.only + about.only_majority:
        return f"{about.by} and majority are right on the same {count_of(about.right, 'item')}."
    gain, low, high = (f"{100 * value:+.1f}" for value in about.difference)
    if about.p > ALPHA:
        verdict = "these items do not tell the two apart"
    else:
        verdict = f"{about.by if about.difference[0] > 0 else 'majority'} is better"
    return (
        f"{about.by} alone is right on {about.only:,}, majority alone on {about.only_majority:,}:"
        f" {gain} points (95 % interval {low} to {high}; McNemar's exact p {about.p:.3f});"
        f" {verdict}."
    )
