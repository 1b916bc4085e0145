"""What to tell people when a database cannot do what it is asked: a sentence and a next step.

What the driver says is for the log of whoever runs the server; it stays the exception's cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from sqlalchemy.exc import DBAPIError, IntegrityError, TimeoutError

Kind = Literal["full", "busy", "read only", "damaged", "value", "away", "fault"]


class StoreError(OSError):
    """The database could not do it; nothing that had been confirmed is lost.

    Attributes:
        kind: why; see ``SENTENCES``.
    """

    def __init__(self, kind: Kind, before: str = "") -> None:
        super().__init__(before + SENTENCES[kind])
        self.kind = kind


SENTENCES: dict[Kind, str] = {
    "full": "The disk of the server is full, so nothing can be saved until somebody makes room on"
    " it. Tell whoever runs this project.",
    "busy": "The database is busy: another program has been writing to it for a while. Try again;"
    " if it goes on, stop that program.",
    "read only": "The database may only be read, so nothing can be saved. Whoever runs this project"
    " should look at who may write to its folder or database.",
    "damaged": "The database is damaged. Whoever runs this project should stop the app and put a"
    " copy of the project's folder in its place.",
    "value": "The database does not take one of the values that were sent. Load the page again; if"
    " you typed it, write something shorter or simpler.",
    "away": "The database does not answer. Try again in a minute; if it goes on, whoever runs this"
    " project should look whether its server runs and lets this user in, or its file is there.",
    "fault": "The database could not do this. Try again; if it goes on, whoever runs this project"
    " finds more in what the server printed.",
}
SQLITE: dict[str, Kind] = {  # beginnings of the names of result codes
    "SQLITE_FULL": "full",
    "SQLITE_BUSY": "busy",
    "SQLITE_LOCKED": "busy",
    "SQLITE_READONLY": "read only",
    "SQLITE_PERM": "read only",
    "SQLITE_CORRUPT": "damaged",
    "SQLITE_NOTADB": "damaged",
    "SQLITE_TOOBIG": "value",
    "SQLITE_MISMATCH": "value",
    "SQLITE_RANGE": "value",
    "SQLITE_CANTOPEN": "away",
    "SQLITE_IOERR": "away",
}
POSTGRESQL: dict[str, Kind] = {  # beginnings of SQLSTATE
    "53100": "full",
    "53": "busy",
    "55P03": "busy",
    "40": "busy",
    "25006": "read only",
    "25P03": "busy",
    "42501": "read only",
    "XX001": "damaged",
    "XX002": "damaged",
    "22": "value",
    "54": "value",
    "08": "away",
    "57P": "away",
    "28": "away",
    "3D": "away",
}


def kind_of(error: DBAPIError) -> Kind:
    """Why a database could not do something, by the code that it gave."""
    name = getattr(error.orig, "sqlite_errorname", None)
    state = getattr(error.orig, "sqlstate", None)
    for code, table in ((name, SQLITE), (state, POSTGRESQL)):
        if code is not None:
            return next((kind for start, kind in table.items() if code.startswith(start)), "fault")
    away = error.connection_invalidated or type(error.orig).__name__ == "OperationalError"
    return "away" if away else "value" if type(error.orig).__name__ == "DataError" else "fault"


@contextmanager
def in_words(before: str = "") -> Iterator[None]:
    """Turns what a database raises into a ``StoreError``; what breaks a key is the caller's."""
    try:
        yield
    except IntegrityError:
        raise
    except TimeoutError as error:  # of the pool: all connections are in use
        raise StoreError("busy", before) from error
    except DBAPIError as error:
        raise StoreError(kind_of(error), before) from error
