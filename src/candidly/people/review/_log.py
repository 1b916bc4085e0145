"""Entries of the log: their kinds, what every one of them must hold, how one is added."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert

from ...ground.names import shortened
from . import _schema as t
from ._visit import PersonState
from .project import Project
from .questions import SKIP

ID = re.compile(r"[A-Za-z0-9._:-]{8,80}")
LONGEST = 2000  # characters
LATEST = 1e13  # seconds since 1970, which calendars still know
LONGEST_MS = 24 * 3600 * 1000.0  # a page that was left open for longer tells no time
UNDO, NOTE, OPEN, EXCLUDE, INCLUDE = "undo", "note", "open", "exclude", "include"
ANSWER = "answer"

ADD = insert(t.entry)


def check_id(id: str) -> None:
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise ValueError(f"the id {shortened(id)} must be 8 to 80 letters, digits and . _ : - .")


def check_text(text: str | None) -> None:
    if text is None:
        return
    if len(text) > LONGEST:
        raise ValueError(f"the note has {len(text)} characters; at most {LONGEST} are kept.")
    if "\0" in text:
        raise ValueError("the note holds a character with the code 0, which PostgreSQL refuses.")


def check_at(at: Any) -> None:
    """Raises ValueError for what is no time since 1970 that a page can show."""
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0 <= at <= LATEST:
        raise ValueError(
            f"its time is {shortened(at)}; it is seconds since 1970, at most {LATEST:g}"
        )


def time_of(ms: Any) -> float | None:
    """A time as sums may hold it: None where it is not known, or could not be one.

    >>> time_of(900), time_of(1e308), time_of(-1)
    (900.0, None, None)
    """
    usable = isinstance(ms, int | float) and 0 <= ms <= LONGEST_MS
    return float(ms) if usable else None


def check_same(done: Any, person: int, kind: str) -> None:
    if done.person != person or done.kind != kind:
        raise ValueError(f"the id {done.id!r} stands for another entry; make a new one.")


def add(connection: Connection, who: PersonState, **values: Any) -> None:
    """Append an entry of this person, as of now."""
    connection.execute(ADD, {"person": who.id, "at": who.now, **values})


def count(project: Project, who: PersonState, said: Sequence[Any], sign: int) -> None:
    """Add to what is known of the person, or take away."""
    times = [ms for row in said if (ms := time_of(row.ms)) is not None]
    skips = sum(row.choice == SKIP for row in said)
    who.answers += sign * (len(said) - skips)
    who.skips += sign * skips
    who.fast += sign * sum(ms < project.rules.fast_ms for ms in times)
    who.ms += sign * sum(times)
    who.timed += sign * len(times)
