"""The log: answers, and what takes them back, appended and never overwritten.

Every entry has an id that its client made. Sending it again changes nothing, so a client that does
not know whether it was heard repeats itself until it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from . import _schema as t
from ._refresh import LAPSED
from ._visit import SEATS, Visit, visit
from .assign import Task, check_ahead, take_next
from .project import Person, Project
from .questions import SKIP, codes_of

ID = re.compile(r"[A-Za-z0-9._:-]{8,80}")
LONGEST = 2000  # characters
UNDO, NOTE, OPEN, EXCLUDE, INCLUDE = "undo", "note", "open", "exclude", "include"
ANSWER = "answer"

# built once: putting statements together costs more than running them
_THERE = select(t.entry).where(t.entry.c.id.in_(bindparam("ids", expanding=True)))
_ASKED = SEATS.where(
    t.seat.c.person == bindparam("who"), t.seat.c.item.in_(bindparam("items", expanding=True))
)
_SAID = (
    update(t.seat)
    .where(
        t.seat.c.item == bindparam("number"),
        t.seat.c.person == bindparam("who"),
        t.seat.c.repeat == bindparam("again"),
    )
    .values(entry=bindparam("said"), until=None)
)
_ADD = insert(t.entry)


@dataclass(frozen=True)
class Reply:
    """What a person says about an item.

    Attributes:
        id: made by the client, different for every reply: 8 to 80 letters, digits and . _ : -
        item, repeat: of the task. choice: in its normal form, see ``Task.choice``; or ``skip``.
        ms: time taken, or None. note: free text, or None.
        examples: numbers of the examples shown, as text. interface: version of the screen.
    """

    id: str
    item: int
    choice: str
    repeat: int = 0
    ms: float | None = None
    note: str | None = None
    examples: str | None = None
    interface: str | None = None


def answer(project: Project, person: Person, replies: Sequence[Reply]) -> list[str]:
    """Adds answers, all or none; when this returns they are on disk. The ids of what is there.

    An answer after its lease ended, about an item that is full by now, stays in the log and out
    of the totals.

    Raises:
        ValueError: an answer that the question does not have, about an item that the person was
            not asked about or has answered, an id that stands for something else, or a part of a
            batch where all of it is asked for. Nothing was added then.
    """
    _check(project, replies)

    def work(connection: Connection) -> None:
        with visit(connection, project, person) as who:
            _keep(connection, project, who, replies)

    project.store.write(work)
    return [reply.id for reply in replies]


def answer_and_next(
    project: Project, person: Person, replies: Sequence[Reply], ahead: int = 0
) -> list[Task]:
    """Keeps answers as ``answer`` does, and gives what ``next_tasks`` would, as one write.

    Repeated with the same replies it adds nothing, and gives what the person holds by now.

    Args:
        ahead: see ``next_tasks``.

    Raises:
        ValueError: see ``answer``; nothing was added or handed out then.
    """
    _check(project, replies)
    check_ahead(ahead)

    def work(connection: Connection) -> list[Task]:
        with visit(connection, project, person) as who:
            _keep(connection, project, who, replies)
            return take_next(connection, project, who, ahead)

    return project.store.write(work)


def undo(project: Project, person: Person, id: str) -> int | None:
    """Takes back the person's last answer that stands, by an entry with this ``id``.

    The item is theirs again. Its number, or None when there was nothing to take back.

    Raises:
        ValueError: an ``id`` that cannot be one.
    """
    _check_id(id)

    def work(connection: Connection) -> int | None:
        with visit(connection, project, person) as who:
            return _undo(connection, project, who, id)

    return project.store.write(work)


def _undo(connection: Connection, project: Project, who: Visit, id: str) -> int | None:
    done = connection.execute(select(t.entry).where(t.entry.c.id == id)).one_or_none()
    if done is not None:
        _check_same(done, who.id, UNDO)
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
    _add(connection, who, id=id, kind=UNDO, item=seat.item, repeat=seat.repeat, target=seat.entry)
    until: float | None = who.now + project.rules.lease_s
    if seat.open or seat.late:  # a place that others have taken is not held again
        until = None if seat.open else LAPSED
    connection.execute(update(t.seat).where(*_place(seat)).values(entry=None, until=until))
    who.touched.add(seat.item)
    _count(project, who, [seat], -1)
    return int(seat.item)


def note(project: Project, person: Person, id: str, item: int, text: str) -> None:
    """Adds a remark about an item.

    Raises:
        ValueError: an ``id`` that cannot be one, no such item, or a text that is too long.
    """
    _check_id(id)
    _check_text(text)
    _once(project, person, NOTE, id=id, item=item, note=text)


def look(project: Project, person: Person, id: str, item: int) -> None:
    """Says that the person has seen an item with its label and guess.

    They cannot answer it blind any more; what they say of it is kept out of the totals.

    Raises:
        ValueError: an ``id`` that cannot be one, or no such item.
    """
    _check_id(id)
    _once(project, person, OPEN, id=id, item=item, blind=0)


def exclude(
    project: Project, person: Person, id: str, back: bool = False, reason: str | None = None
) -> None:
    """Leaves a person's answers out of the totals from now on; with ``back`` takes them in again.

    The answers stay in the log.

    Raises:
        ValueError: an ``id`` that cannot be one.
    """
    _check_id(id)
    _check_text(reason)
    _once(project, person, INCLUDE if back else EXCLUDE, id=id, note=reason)


def _once(project: Project, person: Person, kind: str, **values: Any) -> None:
    """An entry of a kind that is no answer, and what follows from it, unless it is there."""

    def work(connection: Connection) -> None:
        with visit(connection, project, person) as who:
            _once_here(connection, who, kind, values)

    project.store.write(work)


def _once_here(connection: Connection, who: Visit, kind: str, values: Mapping[str, Any]) -> None:
    done = connection.execute(select(t.entry).where(t.entry.c.id == values["id"])).one_or_none()
    if done is not None:
        _check_same(done, who.id, kind)
        return
    item = values.get("item")
    known = select(t.item.c.id).where(t.item.c.id == item)
    if item is not None and connection.execute(known).first() is None:
        raise ValueError(f"there is no item {item}.")
    _add(connection, who, kind=kind, **values)
    if kind == OPEN:
        _open_seat(connection, who, values["item"])
    elif kind in (EXCLUDE, INCLUDE):
        _shut_out(connection, who, kind == EXCLUDE)


def _check(project: Project, replies: Sequence[Reply]) -> None:
    """Refuse what could not be right in any state of the project."""
    if not replies:
        raise ValueError("there is no reply.")
    seen: set[str | tuple[int, int]] = set()
    times: dict[int, int] = {}
    for reply in replies:
        _check_id(reply.id)
        if reply.id in seen:
            raise ValueError(f"the id {reply.id!r} stands twice.")
        if (reply.item, reply.repeat) in seen:
            raise ValueError(f"item {reply.item} is answered twice.")
        seen |= {reply.id, (reply.item, reply.repeat)}
        for text in (reply.note, reply.examples, reply.interface):
            _check_text(text)
        if reply.ms is not None and not (reply.ms >= 0 and math.isfinite(reply.ms)):
            raise ValueError(f"ms is {reply.ms}; it is a time in milliseconds.")
        for code in codes_of(reply.choice, project.rules):
            times[code] = times.get(code, 0) + 1
    most = project.rules.most_per_label
    for code, number in times.items():
        if most is not None and number > most:
            raise ValueError(
                f"{project.rules.classes[code]!r} is on {number} items of the batch; at most"
                f" {most} are allowed."
            )


def _check_id(id: str) -> None:
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise ValueError(f"the id {id!r} must be 8 to 80 letters, digits and . _ : - .")


def _check_text(text: str | None) -> None:
    if text is None:
        return
    if len(text) > LONGEST:
        raise ValueError(f"the note has {len(text)} characters; at most {LONGEST} are kept.")
    if "\0" in text:
        raise ValueError("the note holds a character with the code 0, which PostgreSQL refuses.")


def _check_same(done: Any, person: int, kind: str) -> None:
    if done.person != person or done.kind != kind:
        raise ValueError(f"the id {done.id!r} stands for another entry; make a new one.")


def _those_there(connection: Connection, who: Visit, replies: Sequence[Reply]) -> set[str]:
    """Ids that are in the log already, and say the same."""
    said = {reply.id: reply for reply in replies}
    rows = connection.execute(_THERE, {"ids": list(said)}).all()
    for row in rows:
        _check_same(row, who.id, ANSWER)
        reply = said[row.id]
        if (row.item, row.repeat, row.choice) != (reply.item, reply.repeat, reply.choice):
            raise ValueError(f"the id {row.id!r} stands for another answer; make a new one.")
    return {row.id for row in rows}


def _keep(connection: Connection, project: Project, who: Visit, replies: Sequence[Reply]) -> None:
    """Add what is not in the log yet."""
    there = _those_there(connection, who, replies)
    fresh = [reply for reply in replies if reply.id not in there]
    if not fresh:
        return
    seats = _seats_of(connection, who, fresh)
    rows = [_entry_of(project, who, reply, seats[reply.item, reply.repeat]) for reply in fresh]
    connection.execute(_ADD, rows)
    connection.execute(
        _SAID,
        [
            {"number": reply.item, "who": who.id, "again": reply.repeat, "said": reply.id}
            for reply in fresh
        ],
    )
    if project.rules.whole_batch:
        _check_whole(connection, who, {seats[r.item, r.repeat].batch for r in fresh})
    places = {(reply.item, reply.repeat) for reply in fresh}
    who.held = [seat for seat in who.held if (seat.id, seat.repeat) not in places]
    who.touched |= {reply.item for reply in fresh}
    _count(project, who, fresh, 1)


def _seats_of(
    connection: Connection, who: Visit, replies: Sequence[Reply]
) -> dict[tuple[int, int], Any]:
    """The seats that these replies are said from, by item and repetition; all can be answered."""
    seats = {(seat.id, seat.repeat): seat for seat in who.held}
    if any((reply.item, reply.repeat) not in seats for reply in replies):
        items = sorted({reply.item for reply in replies})
        rows = connection.execute(_ASKED, {"who": who.id, "items": items})
        seats |= {(seat.id, seat.repeat): seat for seat in rows}
    for reply in replies:
        seat = seats.get((reply.item, reply.repeat))
        if seat is None:
            raise ValueError(f"{who.code!r} was not asked about item {reply.item}.")
        if seat.entry is not None or (seat.until is None and not seat.open):
            raise ValueError(f"{who.code!r} has answered item {reply.item} already.")
    return seats


def _entry_of(project: Project, who: Visit, reply: Reply, seat: Any) -> dict[str, Any]:
    lapsed = seat.until == LAPSED
    full = seat.said + seat.held >= project.rules.people and not seat.gold and not seat.repeat
    return {
        **asdict(reply),
        "kind": ANSWER,
        "person": who.id,
        "at": who.now,
        "flip": seat.flip,
        "batch": seat.batch,
        "blind": int(not seat.open),
        "late": int(lapsed and full),
    }


def _check_whole(connection: Connection, who: Visit, batches: set[int]) -> None:
    left = connection.execute(
        select(t.seat.c.item).where(
            t.seat.c.person == who.id,
            t.seat.c.batch.in_(batches),
            t.seat.c.entry.is_(None),
            t.seat.c.open == 0,
        )
    ).all()
    if left:
        raise ValueError(f"{len(left)} items of the batch are not answered; all of them must be.")


def _open_seat(connection: Connection, who: Visit, item: int) -> None:
    place = (t.seat.c.item == item, t.seat.c.person == who.id, t.seat.c.repeat == 0)
    seat = connection.execute(select(t.seat).where(*place)).one_or_none()
    if seat is None:
        new = insert(t.seat).values(item=item, person=who.id, repeat=0, flip=0, open=1)
        connection.execute(new)
    elif seat.entry is None:
        connection.execute(update(t.seat).where(*place).values(open=1, until=None))
    who.touched.add(item)


def _shut_out(connection: Connection, who: Visit, out: bool) -> None:
    connection.execute(update(t.person).where(t.person.c.id == who.id).values(excluded=int(out)))
    items = select(t.seat.c.item).where(t.seat.c.person == who.id).distinct()
    who.touched |= set(connection.execute(items).scalars())


def _add(connection: Connection, who: Visit, **values: Any) -> None:
    connection.execute(_ADD, {"person": who.id, "at": who.now, **values})


def _count(project: Project, who: Visit, said: Sequence[Any], sign: int) -> None:
    """Add to what is known of the person, or take away."""
    times = [row.ms for row in said if row.ms is not None]
    skips = sum(row.choice == SKIP for row in said)
    who.answers += sign * (len(said) - skips)
    who.skips += sign * skips
    who.fast += sign * sum(ms < project.rules.fast_ms for ms in times)
    who.ms += sign * sum(times)


def _place(seat: Any) -> list[Any]:
    return [t.seat.c[name] == getattr(seat, name) for name in ("item", "person", "repeat")]
