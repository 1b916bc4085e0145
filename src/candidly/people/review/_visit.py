"""People while a write is about them: read once, changed here, written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from . import _schema as t
from .project import Person, Project

KEPT = (
    "cursor",
    "turns",
    "golds",
    "answers",
    "skips",
    "fast",
    "ms",
    "timed",
)  # what a visit changes

# what a task shows of an item
LOOK = tuple(t.item.c[k] for k in ("id", "kind", "payload", "given", "guessed", "asks"))
# built once: putting statements together costs more than running them
# apart from items: PostgreSQL, which cannot know how few these are, would read all items to join
_HELD = select(t.seat).where(
    t.seat.c.person.in_(bindparam("people", expanding=True)), t.seat.c.until > t.ZERO
)
_FIRST_END = select(t.seat.c.until).where(t.seat.c.until > t.ZERO).order_by(t.seat.c.until).limit(1)
_WHO = select(t.person, _FIRST_END.scalar_subquery().label("first_end")).where(
    t.person.c.id.in_(bindparam("people", expanding=True))
)
_LEFT = (
    update(t.person)
    .where(t.person.c.id == bindparam("who"))
    .values({name: bindparam(name) for name in KEPT})
)


@dataclass
class PersonState:
    """What is known of a person, and changed; no other write comes between.

    Attributes:
        id, code, excluded: the person's. now: seconds since 1970.
        held: seats leased to them, in the order in which to answer; rows of the table.
        first_end: when the first of all leases ends, whosever it is; None without any.
        refused: why nothing of what they say is kept. tasks: what they are to answer now.
    """

    id: int
    code: str
    excluded: bool
    now: float
    held: list[Any]
    first_end: float | None
    cursor: int
    turns: int
    golds: int
    answers: int
    skips: int
    fast: int
    ms: float
    timed: int
    refused: ValueError | None = None
    tasks: list[Any] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)

    def kept(self) -> dict[str, Any]:
        """What is written of it."""
        return {name: getattr(self, name) for name in KEPT}


def arrive(
    connection: Connection, project: Project, people: Sequence[Person]
) -> dict[int, PersonState]:
    """``PersonState`` of these people by number; without those whom the project does not know."""
    numbers, now = [person.id for person in people], project.clock()
    found = {}
    for row in connection.execute(_WHO, {"people": numbers}):
        kept = {name: getattr(row, name) for name in KEPT}
        found[row.id] = PersonState(
            id=row.id,
            code=row.code,
            excluded=bool(row.excluded),
            now=now,
            held=[],
            first_end=row.first_end,
            before=kept,
            **kept,
        )
    held = connection.execute(_HELD, {"people": numbers}).all()
    for seat in sorted(held, key=lambda seat: seat.turn):
        found[seat.person].held.append(seat)
    return found


def leave(connection: Connection, visits: Sequence[PersonState]) -> None:
    """Write what changed."""
    changed = [{"who": who.id, **who.kept()} for who in visits if who.kept() != who.before]
    if changed:
        connection.execute(_LEFT, changed)


def unknown_person(person: Person) -> ValueError:
    """The error, to be raised or handed on, that the project does not know this person."""
    return ValueError(f"there is no person {person.code!r} in this project.")


@contextmanager
def visit(connection: Connection, project: Project, person: Person) -> Iterator[PersonState]:
    """One person's visit, written at its end.

    Raises:
        ValueError: there is no such person.
    """
    who = arrive(connection, project, [person]).get(person.id)
    if who is None:
        raise unknown_person(person)
    yield who
    leave(connection, [who])
