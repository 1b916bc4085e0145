"""The next open item of the queue for each of several people, with few queries."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from sqlalchemy import Connection, Select, bindparam, exists, or_, select

from . import _schema as t
from ._visit import LOOK, PersonState
from .rules import Rules

SPARE = 16  # items read beyond those that will be handed out

_OWN = t.seat.alias("own")
# a seat that is leased, was answered from, or was seen openly; not one whose lease has lapsed
_TAKEN = or_(t.seat.c.until.is_(None), t.seat.c.until > t.ZERO)
_OWN_TAKEN = or_(_OWN.c.until.is_(None), _OWN.c.until > t.ZERO)

# built once: putting statements together costs more than running them
_OPEN: Select[Any] = (
    select(*LOOK, t.item.c.queue, t.item.c.said, t.item.c.held)
    .where(t.item.c.open == 1, t.item.c.queue > bindparam("behind"))
    .order_by(t.item.c.queue)
    .limit(bindparam("number"))
)
_SEATS = select(t.seat.c.item, t.seat.c.person).where(
    t.seat.c.item.in_(bindparam("items", expanding=True)), _TAKEN
)
_NEXT = _OPEN.where(
    ~exists().where(_OWN.c.item == t.item.c.id, _OWN.c.person == bindparam("who"), _OWN_TAKEN)
)


class Queue:
    """The head of the queue, kept up with what is handed out from it.

    Args:
        number: about so many items will be handed out.
    """

    def __init__(self, connection: Connection, rules: Rules, behind: int, number: int) -> None:
        size = 2 * number // rules.people + SPARE
        self._items = connection.execute(_OPEN, {"behind": behind, "number": size}).all()
        self._places = [item.queue for item in self._items]
        self._room = {item.id: rules.people - item.said - item.held for item in self._items}
        seats = connection.execute(_SEATS, {"items": list(self._room)}) if self._items else ()
        self._seats = {(seat.item, seat.person) for seat in seats}

    def next(self, who: PersonState) -> Any:
        """The next item that the person can have, now theirs; None where that was not read."""
        for item in self._items[bisect_right(self._places, who.cursor) :]:
            if self._room[item.id] > 0 and (item.id, who.id) not in self._seats:
                return item
        return None

    def take(self, item: int, who: PersonState) -> None:
        """Count an item as handed out."""
        self._seats.add((item, who.id))
        if item in self._room:
            self._room[item] -= 1


def look_up(connection: Connection, who: PersonState) -> Any:
    """The next item that the person can have, as the database says; None where there is none."""
    place = {"who": who.id, "number": 1}
    found = connection.execute(_NEXT, place | {"behind": who.cursor}).one_or_none()
    if found is None and who.cursor >= 0:
        # what opened again while they passed it; once, at the end of the queue
        who.cursor = -1
        found = connection.execute(_NEXT, place | {"behind": -1}).one_or_none()
    return found
