"""What was done beside answering, and by whom: sign-ins, exports, people left out, settings.

A line is appended for each, in the transaction of what it tells of, and none is ever changed. It
says roles, codes and times, as the log of answers does; no addresses, and nothing that signs in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from . import _schema as t
from ._events import PROGRAM, add_event, session_mark
from .project import Project

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PROGRAM", "events", "last_events", "record", "session_mark"]

PART = 5000  # events read at once
COLUMNS = ("at", "by", "what", "about", "more")


def record(project: Project, by: str, what: str, about: str = "", **more: Any) -> None:
    """Append what was done, as of now; see ``add_event``."""
    project.store.write(lambda c: add_event(c, project.clock(), by, what, about, **more))


def events(project: Project) -> pl.DataFrame:
    """A row for each, the first first: ``at`` (seconds since 1970), ``by``, ``what``, ``about``,
    and ``more`` as JSON.
    """
    import polars as pl

    schema = {name: pl.Float64 if name == "at" else pl.String for name in COLUMNS}
    return pl.DataFrame(list(_all(project)), schema=schema, orient="row")


def last_events(project: Project, number: int) -> list[Any]:
    """The newest, the last first."""
    chosen = select(t.event).order_by(t.event.c.seq.desc()).limit(number)
    with project.store.read() as connection:
        return list(connection.execute(chosen).all())


def _all(project: Project) -> Iterator[tuple[Any, ...]]:
    last = -1
    while True:
        chosen = select(t.event).where(t.event.c.seq > last).order_by(t.event.c.seq).limit(PART)
        with project.store.read() as connection:
            rows = connection.execute(chosen).all()
        yield from (tuple(getattr(row, name) for name in COLUMNS) for row in rows)
        if len(rows) < PART:
            return
        last = rows[-1].seq
