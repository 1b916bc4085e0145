"""The log of answers, appended and never overwritten.

Every entry has an id that its client made. Sending it again changes nothing, so a client that does
not know whether it was heard repeats itself until it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from . import _schema as t
from ._log import ADD, ANSWER, LONGEST_MS, check_id, check_same, check_text, count
from ._refresh import BESIDE, LAPSED, refresh
from ._visit import PersonState
from .project import Project
from .rules import Rules, codes_of

# built once: putting statements together costs more than running them
_THERE = select(
    *(t.entry.c[name] for name in ("id", "kind", "person", "item", "repeat", "choice", "named"))
).where(t.entry.c.id.in_(bindparam("ids", expanding=True)))
_ASKED = (
    select(t.seat, t.item.c.said, t.item.c.held, t.item.c.gold)
    .join(t.item, t.item.c.id == t.seat.c.item)
    .where(
        t.seat.c.person == bindparam("who"),
        t.seat.c.item.in_(bindparam("items", expanding=True)),
    )
)
_CLASSES = select(t.item.c.id, t.item.c.given, t.item.c.guessed).where(
    t.item.c.id.in_(bindparam("items", expanding=True))
)
_LEFT = select(t.seat.c.item, t.seat.c.repeat).where(
    t.seat.c.person == bindparam("who"),
    t.seat.c.batch.in_(bindparam("batches", expanding=True)),
    t.seat.c.entry.is_(None),
    t.seat.c.open == 0,
)
_STANDING = (
    select(t.seat.c.batch, t.entry.c.choice)
    .join(t.entry, t.entry.c.id == t.seat.c.entry)
    .where(
        t.seat.c.person == bindparam("who"),
        t.seat.c.turn.between(bindparam("first"), bindparam("last")),
        t.seat.c.batch.in_(bindparam("batches", expanding=True)),
        t.entry.c.batch == t.seat.c.batch,  # those that came in from elsewhere are of no batch here
    )
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


@dataclass(frozen=True)
class Reply:
    """What a person says about an item.

    Attributes:
        id: made by the client, different for every reply: 8 to 80 letters, digits and . _ : -
        item, repeat: of the task. choice: in its normal form, see ``Task.choice``; or ``skip``.
        ms: time taken, of a day at most, or None. note: free text, or None.
        examples: numbers of the examples shown, as text. interface: version of the screen.
        named: the class that fits where neither of the two does, beside ``neither``; or None.
    """

    id: str
    item: int
    choice: str
    repeat: int = 0
    ms: float | None = None
    note: str | None = None
    examples: str | None = None
    interface: str | None = None
    named: int | None = None


def check(project: Project, replies: Sequence[Reply]) -> None:
    """Refuse what could not be right in any state of the project."""
    if not replies:
        raise ValueError("there is no reply.")
    seen: set[str | tuple[int, int]] = set()
    for reply in replies:
        check_id(reply.id)
        if reply.id in seen:
            raise ValueError(f"the id {reply.id!r} stands twice.")
        if (reply.item, reply.repeat) in seen:
            raise ValueError(f"item {reply.item} is answered twice.")
        seen |= {reply.id, (reply.item, reply.repeat)}
        for text in (reply.note, reply.examples, reply.interface):
            check_text(text)
        if reply.ms is not None and not 0 <= reply.ms <= LONGEST_MS:
            raise ValueError(
                f"ms is {reply.ms:g}; it is a time in milliseconds, of a day ({LONGEST_MS:g}) at"
                " most. Leave it out where it is not known."
            )
        codes_of(reply.choice, project.rules)
        if reply.named is not None:
            check_named(reply.choice, reply.named, project.rules)


def check_named(choice: str, named: int, rules: Rules) -> None:
    """Raises ValueError for a class beside an answer that names none, or for no class."""
    beside = rules.asked.beside
    if not beside:
        raise ValueError(f"the question is {rules.question!r}; its answers name no other class.")
    if choice != beside:
        raise ValueError(f"the answer is {choice!r}; another class goes with {beside!r}.")
    last = len(rules.classes) - 1
    if not 0 <= named <= last:
        raise ValueError(f"the class named is {named}; classes are numbered 0 to {last}.")


def keep(
    connection: Connection, project: Project, said: Sequence[tuple[PersonState, Sequence[Reply]]]
) -> None:
    """Add what different people say, of each all or none; who is refused knows why.

    No two of them use the same id.
    """
    ids = [reply.id for _, replies in said for reply in replies]
    there = {row.id: row for row in connection.execute(_THERE, {"ids": ids})} if ids else {}
    entries: list[dict[str, Any]] = []
    for who, replies in said:
        try:
            entries += _entries_of(connection, project, who, replies, there)
        except ValueError as error:
            who.refused = error
    if entries:
        connection.execute(ADD, entries)
        connection.execute(_SAID, [_seat_of(entry) for entry in entries])
        refresh(connection, project.rules, sorted({entry["item"] for entry in entries}))


def _entries_of(
    connection: Connection,
    project: Project,
    who: PersonState,
    replies: Sequence[Reply],
    there: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Entries of those replies that are not in the log; the visit is as if they were."""
    for reply in replies:
        if reply.id in there:
            _check_alike(there[reply.id], who, reply)
    fresh = [reply for reply in replies if reply.id not in there]
    if not fresh:
        return []
    seats = _seats_of(connection, who, fresh)
    if project.rules.whole_batch:
        _check_whole(connection, who, seats)
    if project.rules.most_per_label is not None:
        _check_per_label(connection, project.rules, who, fresh, seats)
    _check_not_shown(connection, project, fresh)
    count(project, who, fresh, 1)
    who.held = [seat for seat in who.held if (seat.item, seat.repeat) not in seats]
    return [_entry_of(project, who, reply, seats[reply.item, reply.repeat]) for reply in fresh]


def _check_alike(row: Any, who: PersonState, reply: Reply) -> None:
    check_same(row, who.id, ANSWER)
    said = (reply.item, reply.repeat, reply.choice, reply.named)
    if (row.item, row.repeat, row.choice, row.named) != said:
        raise ValueError(f"the id {row.id!r} stands for another answer; make a new one.")


def _seats_of(
    connection: Connection, who: PersonState, replies: Sequence[Reply]
) -> dict[tuple[int, int], Any]:
    """The seats from which these replies are said, by item and repetition."""
    # of those without a place it is asked below how many others have answered
    seats = {(seat.item, seat.repeat): seat for seat in who.held if seat.until != BESIDE}
    places = [(reply.item, reply.repeat) for reply in replies]
    if any(place not in seats for place in places):
        items = sorted({reply.item for reply in replies})
        rows = connection.execute(_ASKED, {"who": who.id, "items": items})
        seats |= {(seat.item, seat.repeat): seat for seat in rows}
    for place in places:
        seat = seats.get(place)
        if seat is None:
            raise ValueError(f"{who.code!r} was not asked about item {place[0]}.")
        if seat.entry is not None or (seat.until is None and not seat.open):
            raise ValueError(f"{who.code!r} has answered item {place[0]} already.")
    return {place: seats[place] for place in places}


def _check_whole(
    connection: Connection, who: PersonState, seats: Mapping[tuple[int, int], Any]
) -> None:
    batches = sorted({seat.batch for seat in seats.values()})
    rows = connection.execute(_LEFT, {"who": who.id, "batches": batches})
    left = {(row.item, row.repeat) for row in rows} - set(seats)
    if left:
        raise ValueError(f"{len(left)} items of the batch are not answered; all of them must be.")


def _check_per_label(
    connection: Connection,
    rules: Rules,
    who: PersonState,
    replies: Sequence[Reply],
    seats: Mapping[tuple[int, int], Any],
) -> None:
    """Refuse a label on too many items of a batch, of those that were answered before, too."""
    turns = [seat.turn for seat in seats.values()]
    near = {"first": min(turns) - rules.batch, "last": max(turns) + rules.batch}
    batches = sorted({seat.batch for seat in seats.values()})
    standing = connection.execute(_STANDING, {"who": who.id, "batches": batches, **near})
    said = [(row.batch, row.choice) for row in standing]
    said += [(seats[reply.item, reply.repeat].batch, reply.choice) for reply in replies]
    times = Counter((batch, code) for batch, choice in said for code in codes_of(choice, rules))
    for (_, code), number in times.items():
        if rules.most_per_label is not None and number > rules.most_per_label:
            raise ValueError(
                f"{rules.classes[code]!r} is on {number} items of the batch, those answered before"
                f" included; at most {rules.most_per_label} are allowed."
            )


def _check_not_shown(connection: Connection, project: Project, replies: Sequence[Reply]) -> None:
    """Refuse one of the two classes as the other one."""
    named = {reply.item: reply.named for reply in replies if reply.named is not None}
    if not named:
        return
    for row in connection.execute(_CLASSES, {"items": sorted(named)}):
        if named[row.id] in (row.given, row.guessed):
            name = project.rules.classes[named[row.id]]
            raise ValueError(f"{name!r} is one of the two classes shown; choose it there.")


def _entry_of(project: Project, who: PersonState, reply: Reply, seat: Any) -> dict[str, Any]:
    return {
        **vars(reply),
        "kind": ANSWER,
        "person": who.id,
        "at": who.now,
        "flip": seat.flip,
        "batch": seat.batch,
        "blind": int(not seat.open),
        "late": int(seat.until in (LAPSED, BESIDE) and _is_full(project, seat)),
    }


def _is_full(project: Project, seat: Any) -> bool:
    """Whether others have all the places of the item, which a lapsed lease has lost."""
    return seat.said + seat.held >= project.rules.people and not seat.gold and not seat.repeat


def _seat_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "number": entry["item"],
        "who": entry["person"],
        "again": entry["repeat"],
        "said": entry["id"],
    }
