"""Everybody who answers: how much, how fast, how well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, and_, case, func, select

from ...stats import share_interval
from . import _schema as t
from ._log import EXCLUDE
from .project import Project
from .rules import Rules

AT_ONCE = 10_000  # numbers of items in one query; databases take so many variables
WORRYING = 0.7  # share of known items answered rightly, below which a person is warned about


@dataclass(frozen=True)
class Standing:
    """One person, as far as their answers tell.

    Attributes:
        code, name: the person's. excluded: whether they are out of the totals.
        answers, skips: how many stand, known and repeated items included.
        fast: answers below ``Rules.fast_ms``. timed: answers and skips whose time is known.
        total_seconds: of these.
        gold, gold_right: known items answered, and how many of them rightly.
        low, high: 95 % interval of that share; NaN without any.
        repeats, repeats_same: items answered twice, and how many of them alike.
        reason: why they were left out, where somebody said so.
        warn: the interval lies below ``WORRYING``: think of leaving them out.
    """

    code: str
    name: str | None
    excluded: bool
    answers: int
    skips: int
    fast: int
    timed: int
    total_seconds: float
    gold: int
    gold_right: int
    low: float
    high: float
    repeats: int
    repeats_same: int
    reason: str | None = None

    @property
    def seconds(self) -> float | None:
        """The mean of the times that are known, or None."""
        return self.total_seconds / self.timed if self.timed else None

    @property
    def warn(self) -> bool:
        """See the attributes."""
        return self.high < WORRYING


def standings(project: Project) -> list[Standing]:
    """Everybody who may answer: how much, how fast, and how well."""
    with project.store.read() as connection:
        return standings_of(connection, project)


def standings_of(connection: Connection, project: Project) -> list[Standing]:
    """``standings`` inside a transaction."""
    rows = connection.execute(select(t.person).order_by(t.person.c.id)).all()
    gold = _gold(connection, project.golds)
    again = _repeats(connection)
    why = _reasons(connection)
    found = []
    for row in rows:
        asked, right = gold.get(row.id, (0, 0))
        repeats, same = again.get(row.id, (0, 0))
        low, high = share_interval(np.array(right), asked).tolist()
        found.append(
            Standing(
                code=row.code,
                name=row.name,
                excluded=bool(row.excluded),
                answers=row.answers,
                skips=row.skips,
                fast=row.fast,
                timed=row.timed,
                total_seconds=row.ms / 1000,
                gold=asked,
                gold_right=right,
                low=low,
                high=high,
                repeats=repeats,
                repeats_same=same,
                reason=why.get(row.id) if row.excluded else None,
            )
        )
    return found


def pace(people: Sequence[Standing], rules: Rules) -> float | None:
    """Seconds that a batch takes, by the answers so far; None where no times are known.

    >>> ann = Standing("ann", None, False, 30, 10, 0, 40, 80.0, 0, 0, 0.0, 1.0, 0, 0)
    >>> pace([ann], Rules(batch=10))
    20.0
    """
    timed = [(one.answers + one.skips, one.seconds) for one in people if one.seconds is not None]
    said = sum(number for number, _ in timed)
    if not said:
        return None
    return rules.batch * sum(number * seconds for number, seconds in timed) / said


def _gold(connection: Connection, golds: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Known items answered by each person, and how many rightly."""
    right = case((t.entry.c.choice == t.item.c.key, 1), else_=0)
    counted: dict[int, tuple[int, int]] = {}
    for start in range(0, len(golds), AT_ONCE):
        # by number: a join on item.gold would have SQLite go through all seats
        some = golds[start : start + AT_ONCE]
        rows = connection.execute(
            select(t.seat.c.person, func.count(), func.sum(right))
            .select_from(
                t.item.join(t.seat, t.seat.c.item == t.item.c.id).join(
                    t.entry, t.entry.c.id == t.seat.c.entry
                )
            )
            .where(t.seat.c.item.in_(some), t.entry.c.blind == 1, t.entry.c.choice != "skip")
            .group_by(t.seat.c.person)
        ).all()
        for person, asked, good in rows:
            before = counted.get(person, (0, 0))
            counted[person] = before[0] + int(asked), before[1] + int(good)
    return counted


def _repeats(connection: Connection) -> dict[int, tuple[int, int]]:
    """Items that each person answered twice, and how many of them alike."""
    first, again = t.seat.alias("first"), t.seat.alias("again")
    said, later = t.entry.alias("said"), t.entry.alias("later")
    alike = case((said.c.choice == later.c.choice, 1), else_=0)
    rows = connection.execute(
        select(again.c.person, func.count(), func.sum(alike))
        .select_from(
            again.join(later, later.c.id == again.c.entry)
            .join(
                first,
                and_(
                    first.c.item == again.c.item,
                    first.c.person == again.c.person,
                    first.c.repeat == 0,
                ),
            )
            .join(said, said.c.id == first.c.entry)
        )
        .where(again.c.repeat > t.ZERO, later.c.blind == 1)
        .group_by(again.c.person)
    ).all()
    return {person: (int(asked), int(good)) for person, asked, good in rows}


def _reasons(connection: Connection) -> dict[int, str | None]:
    """Of people, the last reason given for leaving them out."""
    e = t.entry.c
    rows = connection.execute(
        select(e.person, e.note).where(e.item.is_(None), e.kind == EXCLUDE).order_by(e.seq)
    ).all()
    return {row.person: row.note for row in rows}
