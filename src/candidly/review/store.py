"""A database of answers: SQLite in a folder, or PostgreSQL by its address. Same queries for both.

What is acknowledged has been committed. With SQLite the write-ahead log is synced to disk before a
commit returns (synchronous=FULL): a killed process loses nothing already with NORMAL, as the system
has the pages, but a power cut would then take back the last commits. Writers of one process queue
up at a lock; those of other processes wait for up to ``BUSY_S``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from .migrations import migrate

Value = TypeVar("Value")
BUSY_S = 30.0
TRIES = 8  # of a transaction that PostgreSQL broke off
RETRIED = ("40001", "40P01")  # serialisation failure, deadlock


class Store:
    """An open database, up to date. Close it, or use it in ``with``."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._one_writer = threading.Lock()

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file; otherwise it is PostgreSQL."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a transaction of its own, for reading."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def write(self, work: Callable[[Connection], Value], synced: bool = True) -> Value:
        """What ``work`` returns, committed. It may be called again where the first try broke off.

        Args:
            synced: wait for the disk. Without, a power cut may take it back, as with leases it
                may; a killed process never does.

        Raises:
            Whatever ``work`` raises; then nothing was written.
        """
        for tried in range(1, TRIES + 1):
            try:
                return self._write(work, synced)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in RETRIED or tried == TRIES:
                    raise
                time.sleep(0.005 * tried)
        raise AssertionError("the last try returned or raised")

    def _write(self, work: Callable[[Connection], Value], synced: bool) -> Value:
        if not self.is_sqlite:
            with self.engine.begin() as connection:
                if not synced:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")
                return work(connection)
        with self._one_writer, self.engine.connect() as connection:
            writer = connection.execution_options(candidly_write=True, candidly_synced=synced)
            with writer.begin():
                return work(writer)

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_store(place: Path | str, new: bool = False) -> Store:
    """The database at ``place``, brought up to date.

    Args:
        place: a SQLite file, or ``postgresql://user@host/database``.
        new: make it; otherwise it must be there.

    Raises:
        FileNotFoundError: no such file. ValueError: no such address, an address with a password,
            no database of candidly, or one made by a newer version. OSError: the server does not
            answer.
    """
    address = _address(place, new)
    store = Store(_engine(address))
    try:
        store.write(migrate)
    except OperationalError as error:
        store.close()
        raise OSError(f"{place} cannot be opened: {_first_line(error)}") from None
    except DBAPIError as error:
        store.close()
        raise ValueError(f"{place} is no database of candidly: {_first_line(error)}") from None
    except BaseException:
        store.close()
        raise
    return store


def _address(place: Path | str, new: bool) -> URL:
    text = str(place)
    if "://" not in text:
        if not new and not Path(place).is_file():
            raise FileNotFoundError(f"{place} does not exist.")
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError:
        raise ValueError(f"{text!r} is no address; write postgresql://user@host/name.") from None
    if url.get_backend_name() != "postgresql":
        raise ValueError(f"{text!r} is no address of PostgreSQL; write postgresql://user@host/name")
    if url.password is not None:
        raise ValueError(
            "the address holds a password, which would be kept in plain text; put it into"
            " ~/.pgpass or PGPASSWORD instead."
        )
    return url.set(drivername="postgresql+psycopg")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        return create_engine(url, pool_size=10, max_overflow=50, pool_pre_ping=True)
    engine = create_engine(
        url, connect_args={"timeout": BUSY_S, "check_same_thread": False}, pool_size=10
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN would come too late; see _begin
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-65536"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    """A writer takes its lock at once: upgrading a reader's would fail instead of waiting."""
    options = connection.get_execution_options()
    if not options.get("candidly_write", False):
        connection.exec_driver_sql("BEGIN")
        return
    level = "FULL" if options["candidly_synced"] else "NORMAL"
    connection.exec_driver_sql(f"PRAGMA synchronous={level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0]
