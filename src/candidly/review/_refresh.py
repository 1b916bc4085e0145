"""What the standing answers about items come to, kept beside each item.

The log of entries is what counts; these columns only save counting it again. ``refresh`` reads the
seats of items afresh whenever one of them changes, so that they cannot drift.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from . import _schema as t
from .questions import SKIP, codes_of, counts_of, pattern_of, settled
from .rules import Rules

LAPSED = 0.0  # the end of a lease that is over
AT_ONCE = 400  # items; below the number of variables that databases take

_SEATS = (
    select(
        t.seat.c.item,
        t.seat.c.until,
        t.seat.c.open.label("seen_openly"),
        t.entry.c.choice,
        t.entry.c.blind,
        t.entry.c.late,
        t.person.c.excluded,
    )
    .select_from(
        t.seat.join(t.person, t.person.c.id == t.seat.c.person).outerjoin(
            t.entry, t.entry.c.id == t.seat.c.entry
        )
    )
    .where(t.seat.c.repeat == 0, t.seat.c.item.in_(bindparam("ids", expanding=True)))
)
_ITEMS = select(t.item.c.id, t.item.c.open, t.item.c.gold, t.item.c.queue).where(
    t.item.c.id.in_(bindparam("ids", expanding=True))
)
_WRITE = (
    update(t.item)
    .where(t.item.c.id == bindparam("number"))
    .values({name: bindparam(name) for name in ("said", "skipped", "held", "pattern")})
    .values({name: bindparam(name) for name in ("done", "open", "queue")})
)


def refresh(connection: Connection, rules: Rules, ids: Sequence[int]) -> None:
    """Bring the columns of these items up to date with their seats.

    An item that opens again goes to the end of the queue: people remember how far they have come
    in it, and would not look back.
    """
    for start in range(0, len(ids), AT_ONCE):
        part = list(ids[start : start + AT_ONCE])
        seats: dict[int, list[Any]] = {number: [] for number in part}
        for seat in connection.execute(_SEATS, {"ids": part}):
            seats[seat.item].append(seat)
        rows = [
            _come_to(item, seats[item.id], rules)
            for item in connection.execute(_ITEMS, {"ids": part}).all()
        ]
        if rows:
            connection.execute(_WRITE, rows)


def lock_items(connection: Connection, ids: Sequence[int]) -> None:
    """Let nobody else change these items until the transaction ends; SQLite has one writer anyway.

    In ascending order, so that two who lock several do not wait for each other.
    """
    if connection.dialect.name != "sqlite":
        chosen = select(t.item.c.id).where(t.item.c.id.in_(sorted(ids))).order_by(t.item.c.id)
        connection.execute(chosen.with_for_update()).all()


def _counts(seat: Any) -> bool:
    return bool(seat.blind and not seat.seen_openly and not seat.late and not seat.excluded)


def _come_to(item: Any, seats: Sequence[Any], rules: Rules) -> dict[str, Any]:
    """The columns of one item."""
    codes: list[int] = []
    said = skipped = held = 0
    for seat in seats:
        if seat.until and not seat.seen_openly and not seat.excluded:
            held += 1
        elif seat.choice is not None and _counts(seat):
            skipped += seat.choice == SKIP
            said += seat.choice != SKIP
            codes += codes_of(seat.choice, rules)
    pattern = pattern_of(codes)
    full = said >= rules.people
    done = full or bool(rules.adaptive and said and settled(counts_of(pattern), said, rules))
    is_open = not item.gold and not done and said + held < rules.people
    opens = is_open and not item.open
    return {
        "number": item.id,
        "said": said,
        "skipped": skipped,
        "held": held,
        "pattern": pattern,
        "done": int(done),
        "open": int(is_open),
        "queue": time.time_ns() if opens else item.queue,
    }
