"""What stands in the log beside answers: an answer taken back, a note, a look, an exclusion.

Like answers, they are appended, and sending one again changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select, update

from . import _schema as t
from ._events import PROGRAM, add_event
from ._log import EXCLUDE, INCLUDE, NOTE, OPEN, UNDO, add, check_id, check_same, check_text, count
from ._refresh import BESIDE, refresh
from ._visit import PersonState, visit
from .project import Person, Project


def undo(project: Project, person: Person, id: str) -> int | None:
    """Takes back the person's last answer that stands, by an entry with this ``id``.

    Its item is handed out to them again, before all others; one that they had opened is so still.
    So is one of which the answer had come too late, as others have its places: they are not to
    learn that, and what they say of it is too late again, unless a place has become free.

    Returns:
        The item's number, or None when there was nothing to take back.

    Raises:
        ValueError: an ``id`` that cannot be one.
    """
    check_id(id)

    def work(connection: Connection) -> int | None:
        with visit(connection, project, person) as who:
            return _undo(connection, project, who, id)

    return project.store.write(work)


def _undo(connection: Connection, project: Project, who: PersonState, id: str) -> int | None:
    done = connection.execute(select(t.entry).where(t.entry.c.id == id)).one_or_none()
    if done is not None:
        check_same(done, who.id, UNDO)
        return int(done.item)
    seat = connection.execute(
        select(t.seat, t.entry.c.ms, t.entry.c.choice, t.entry.c.late)
        .join(t.entry, t.entry.c.id == t.seat.c.entry)
        .where(t.seat.c.person == who.id)
        .order_by(t.seat.c.turn.desc(), t.entry.c.seq.desc())
        .limit(1)
    ).one_or_none()
    if seat is None:
        return None
    add(connection, who, id=id, kind=UNDO, item=seat.item, repeat=seat.repeat, target=seat.entry)
    beside = seat.late and not seat.open  # its place is another's; an opened item takes no place
    until = BESIDE if beside else who.now + project.rules.lease_s
    connection.execute(update(t.seat).where(*_place(seat)).values(entry=None, until=until))
    refresh(connection, project.rules, [seat.item])
    count(project, who, [seat], -1)
    return int(seat.item)


def note(project: Project, person: Person, id: str, item: int, text: str) -> None:
    """Adds a remark about an item.

    Raises:
        ValueError: an ``id`` that cannot be one, no such item, or a text that is too long.
    """
    check_id(id)
    check_text(text)
    _once(project, person, NOTE, id=id, item=item, note=text)


def look(project: Project, person: Person, id: str, item: int, repeat: int = 0) -> None:
    """Says that the person has seen an item with its label and guess.

    They cannot answer it blind any more; what they say of it is kept out of the totals.

    Args:
        repeat: see ``Task``; of an item that they have answered before.

    Raises:
        ValueError: an ``id`` that cannot be one, or no such item.
    """
    check_id(id)
    _once(project, person, OPEN, id=id, item=item, repeat=repeat, blind=0)


def exclude(
    project: Project,
    person: Person,
    id: str,
    back: bool = False,
    reason: str | None = None,
    by: str = PROGRAM,
) -> None:
    """Leaves a person's answers out of the totals from now on; with ``back`` takes them in again.

    The answers stay in the log.

    Args:
        by: who wants that, for ``events``.

    Raises:
        ValueError: an ``id`` that cannot be one.
    """
    check_id(id)
    check_text(reason)
    _once(project, person, INCLUDE if back else EXCLUDE, by, id=id, note=reason)


def _once(project: Project, person: Person, kind: str, by: str = PROGRAM, **values: Any) -> None:
    """An entry of a kind that is no answer, and what follows from it, unless it is there."""

    def work(connection: Connection) -> None:
        with visit(connection, project, person) as who:
            _once_here(connection, project, who, kind, values, by)

    project.store.write(work)


def _once_here(
    connection: Connection,
    project: Project,
    who: PersonState,
    kind: str,
    values: Mapping[str, Any],
    by: str,
) -> None:
    done = connection.execute(select(t.entry).where(t.entry.c.id == values["id"])).one_or_none()
    if done is not None:
        check_same(done, who.id, kind)
        return
    item: Any = values.get("item")
    known = select(t.item.c.id).where(t.item.c.id == item)
    if item is not None and connection.execute(known).first() is None:
        raise ValueError(f"there is no item {item}.")
    add(connection, who, kind=kind, **values)
    if kind == OPEN:
        _open_seat(connection, who, item, values["repeat"])
        refresh(connection, project.rules, [item])
    elif kind in (EXCLUDE, INCLUDE):
        refresh(connection, project.rules, _shut_out(connection, who, kind == EXCLUDE))
        what = "left out" if kind == EXCLUDE else "taken in again"
        add_event(connection, who.now, by, what, who.code, reason=values["note"])


def _open_seat(connection: Connection, who: PersonState, item: int, repeat: int) -> None:
    place = (t.seat.c.item == item, t.seat.c.person == who.id, t.seat.c.repeat == repeat)
    seat = connection.execute(select(t.seat).where(*place)).one_or_none()
    if seat is None:
        new = insert(t.seat).values(item=item, person=who.id, repeat=repeat, flip=0, open=1)
        connection.execute(new)
    elif seat.entry is None:
        connection.execute(update(t.seat).where(*place).values(open=1, until=None))


def _shut_out(connection: Connection, who: PersonState, out: bool) -> list[int]:
    """Count the person or not, and the items that this is about."""
    connection.execute(update(t.person).where(t.person.c.id == who.id).values(excluded=int(out)))
    items = select(t.seat.c.item).where(t.seat.c.person == who.id).distinct()
    return sorted(connection.execute(items).scalars())


def _place(seat: Any) -> list[Any]:
    return [t.seat.c[name] == getattr(seat, name) for name in ("item", "person", "repeat")]
