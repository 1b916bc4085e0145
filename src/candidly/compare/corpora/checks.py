"""What must hold of every build's noise, looked up in what is about to be written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .files import EventTable, Pool
from .noise import SOURCES, SUB, Events, share


class Defect(RuntimeError):
    """A build is not what it says it is: a defect of candidly, or of a step of one's own."""


def check_mixed(events: Events, rates: Mapping[float, np.ndarray]) -> None:
    """Every source has each rate, and what is replaced at one rate is at a higher one, alike.

    Args:
        rates: by rate, the row of the pool in place of each event, -1 where it stays.

    Raises:
        Defect: it is not so.
    """
    before = None
    for rate in sorted(rates):
        origin = rates[rate]
        for source, name in enumerate(SOURCES):
            mine = events.event_source == source
            count, wanted = int((origin[mine] >= 0).sum()), share(rate, int(mine.sum()))
            _hold(count == wanted, f"{count} of {name} are replaced at {rate:g}, not {wanted}")
        if before is not None:
            there = before >= 0
            _hold((origin[there] == before[there]).all(), f"rate {rate:g} does not hold the lower")
        before = origin


def check_replaced(events: Events, origin: np.ndarray) -> None:
    """No event of the pool is used twice, and sub-categories are taken for their siblings.

    Raises:
        Defect: it is not so.
    """
    there = origin >= 0
    used = origin[there]
    _hold(len(np.unique(used)) == len(used), "an event of the pool is in two places")
    sub = there & (events.event_source == SUB)
    above = events.parents[events.labels[sub]]
    _hold((events.pool_parents[origin[sub]] == above).all(), "a replacement is of another parent")


def check_texts(parts: Mapping[str, EventTable], pool: Pool) -> None:
    """No text is in two parts, or in a part and in the pool.

    Raises:
        Defect: it is not so.
    """
    seen: dict[str, str] = dict.fromkeys(pool.texts.tolist(), "the pool")
    _hold(len(seen) == len(pool.texts), "a text is twice in the pool")
    for name, table in parts.items():
        for text in table.texts.tolist():
            _hold(text not in seen, f"{text!r} is in {name} and in {seen.get(text)}")
            seen[text] = name


def _hold(what: bool, otherwise: str) -> None:
    if not what:
        raise Defect(
            f"{otherwise}. This is a defect of candidly, or of a step of your own; please report "
            "it."
        )
