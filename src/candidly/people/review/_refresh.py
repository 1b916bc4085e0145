"""Recomputes each item's cached counts from its answers.

The log of entries is what counts; these columns only save counting it again. ``refresh`` reads the
seats of items afresh whenever one of them changes, so that they cannot drift.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, and_, bindparam, select, update

from . import _schema as t
from .questions import SKIP, pattern_of
from .rules import Rules, codes_of, settled

LAPSED = 0.0  # the end of a lease that is over
BESIDE = 1e18  # that of one which takes nobody's place: others have all of them, and who takes an
# answer back is not told so
AT_ONCE = 400  # items; below the number of variables that databases take

_SEATS = (
    select(
        t.item.c.id,
        t.item.c.open,
        t.item.c.gold,
        t.item.c.queue,
        t.item.c.given,
        t.item.c.guessed,
        t.seat.c.until,
        t.seat.c.open.label("seen_openly"),
        t.entry.c.choice,
        t.entry.c.blind,
        t.entry.c.late,
        t.person.c.excluded,
    )
    .select_from(
        t.item.outerjoin(t.seat, and_(t.seat.c.item == t.item.c.id, t.seat.c.repeat == t.ZERO))
        .outerjoin(t.person, t.person.c.id == t.seat.c.person)
        .outerjoin(t.entry, t.entry.c.id == t.seat.c.entry)
    )
    .where(t.item.c.id.in_(bindparam("ids", expanding=True)))
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
        seats: dict[int, list[Any]] = {}
        for seat in connection.execute(_SEATS, {"ids": part}):
            seats.setdefault(seat.id, []).append(seat)
        connection.execute(_WRITE, [_come_to(found, rules) for found in seats.values()])


def _counts(seat: Any) -> bool:
    return bool(seat.blind and not seat.seen_openly and not seat.late and not seat.excluded)


def _come_to(seats: Sequence[Any], rules: Rules) -> dict[str, Any]:
    """The columns of one item, from its seats; from a row without a seat where it has none."""
    codes: list[int] = []
    said = skipped = held = 0
    for seat in seats:
        if seat.until and seat.until < BESIDE and not seat.seen_openly and not seat.excluded:
            held += 1
        elif seat.choice is not None and _counts(seat):
            skipped += seat.choice == SKIP
            said += seat.choice != SKIP
            codes += codes_of(seat.choice, rules)
    counts = Counter(codes)
    full = said >= rules.people
    item = seats[0]
    same = item.given == item.guessed
    done = full or bool(rules.adaptive and said and settled(counts, said, rules, same))
    is_open = not item.gold and not done and said + held < rules.people
    opens = is_open and not item.open
    return {
        "number": item.id,
        "said": said,
        "skipped": skipped,
        "held": held,
        "pattern": pattern_of(counts),
        "done": int(done),
        "open": int(is_open),
        "queue": time.time_ns() if opens else item.queue,
    }
