"""Who is signed in, kept on the server, so that a session can be ended and stays ended.

A session is a row with a number that cannot be guessed; that the browser who says it may use it, a
signature tells (``people/web/links.py``). Links hold how often a person's were ended when they
were made.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, delete, insert, select, update

from . import _schema as t
from ._events import PROGRAM, add_event, session_mark
from .project import Person, Project

MOST = 100  # sessions of one person; the one that ends first makes room


def begin_session(
    project: Project, role: str, person: Person | None = None, *, seconds: float
) -> str:
    """The number of a new session of a person, or of somebody else in this role.

    Args:
        seconds: after which it ends, if nobody ends it before.
    """
    number, now = secrets.token_urlsafe(18), project.clock()
    by = role if person is None else f"{role} {person.code}"
    who = None if person is None else person.id

    def work(connection: Connection) -> None:
        mine = (t.session.c.role == role, t.session.c.person.is_not_distinct_from(who))
        connection.execute(delete(t.session).where(*mine, t.session.c.until <= now))
        newest = select(t.session.c.id).where(*mine).order_by(t.session.c.until.desc())
        surplus = connection.execute(newest.offset(MOST - 1)).scalars().all()
        if surplus:
            connection.execute(delete(t.session).where(t.session.c.id.in_(surplus)))
        row = {"id": number, "role": role, "person": who, "until": now + seconds}
        connection.execute(insert(t.session), row)
        add_event(connection, project.clock(), by, "signed in", session=session_mark(number))

    project.store.write(work)
    return number


def open_until(project: Project, number: str) -> float | None:
    """When this session ends, in seconds since 1970; None for one that has, or never began.

    A clock that went back ends none.
    """
    known = select(t.session.c.until).where(t.session.c.id == number)
    with project.store.read() as connection:
        until = connection.execute(known).scalar()
    return None if until is None or project.clock() >= until else float(until)


def end_session(project: Project, number: str) -> None:
    """Ends one session; one that has ended stays so."""
    whose = (
        select(t.session.c.role, t.person.c.code)
        .outerjoin(t.person, t.person.c.id == t.session.c.person)
        .where(t.session.c.id == number)
    )

    def work(connection: Connection) -> None:
        row = connection.execute(whose).one_or_none()
        if row is None:
            return
        connection.execute(delete(t.session).where(t.session.c.id == number))
        by = row.role if row.code is None else f"{row.role} {row.code}"
        add_event(connection, project.clock(), by, "signed out", session=session_mark(number))

    project.store.write(work)


def end_sessions(project: Project, person: Person, by: str = PROGRAM) -> None:
    """Ends every session of a person, and every link that signs them in; new links do again.

    Args:
        by: who wants that, for ``events``.
    """

    def work(connection: Connection) -> None:
        connection.execute(delete(t.session).where(t.session.c.person == person.id))
        again = t.person.c.revoked + 1
        connection.execute(update(t.person).where(t.person.c.id == person.id).values(revoked=again))
        add_event(connection, project.clock(), by, "signed out everywhere", person.code)

    project.store.write(work)
