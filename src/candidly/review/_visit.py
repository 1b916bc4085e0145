"""One person while a write is about them: read once, changed here, written once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from . import _schema as t
from ._refresh import refresh
from .project import Person, Project

KEPT = ("cursor", "turns", "golds", "answers", "skips", "fast", "ms")  # what a visit changes

# what a task shows of an item
LOOK = tuple(t.item.c[k] for k in ("id", "kind", "payload", "given", "guessed", "asks"))
# built once: putting statements together costs more than running them
SEATS = select(
    *LOOK,
    *(t.item.c.said, t.item.c.held, t.item.c.gold),
    *(t.seat.c[name] for name in ("repeat", "flip", "until", "entry", "open", "turn", "batch")),
).select_from(t.seat.join(t.item, t.item.c.id == t.seat.c.item))
_HELD = SEATS.where(t.seat.c.person == bindparam("who"), t.seat.c.until > t.ZERO).order_by(
    t.seat.c.turn
)
_FIRST_END = select(t.seat.c.until).where(t.seat.c.until > t.ZERO).order_by(t.seat.c.until).limit(1)
_WHO = select(t.person, _FIRST_END.scalar_subquery().label("first_end")).where(
    t.person.c.id == bindparam("who")
)
_LEFT = (
    update(t.person)
    .where(t.person.c.id == bindparam("who"))
    .values({name: bindparam(name) for name in KEPT})
)


@dataclass
class Visit:
    """What is known of a person, and changed; no other write comes between.

    Attributes:
        id, code, excluded: who. now: seconds since 1970.
        held: seats leased to them, in the order in which to answer; rows of ``SEATS``.
        first_end: when the first of all leases ends, whosever it is; None without any.
        touched: items whose seats were changed, to be refreshed.
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
    touched: set[int] = field(default_factory=set)

    def kept(self) -> dict[str, Any]:
        """What is written of it."""
        return {name: getattr(self, name) for name in KEPT}


@contextmanager
def visit(connection: Connection, project: Project, person: Person) -> Iterator[Visit]:
    """A person's visit; at its end what follows from its changes is written.

    Raises:
        ValueError: there is no such person.
    """
    row = connection.execute(_WHO, {"who": person.id}).one_or_none()
    if row is None:
        raise ValueError(f"there is no person {person.code!r} in this project.")
    found = Visit(
        id=row.id,
        code=row.code,
        excluded=bool(row.excluded),
        now=project.clock(),
        held=list(connection.execute(_HELD, {"who": person.id})),
        first_end=row.first_end,
        **{name: getattr(row, name) for name in KEPT},
    )
    before = found.kept()
    yield found
    if found.touched:
        refresh(connection, project.rules, sorted(found.touched))
    if found.kept() != before:
        connection.execute(_LEFT, {"who": person.id, **found.kept()})
