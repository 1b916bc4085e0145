"""A database of answers: SQLite in a folder, or PostgreSQL by its address. Same queries for both.

What is acknowledged has been committed. With SQLite the write-ahead log is synced to disk before a
commit returns (synchronous=FULL): a killed process loses nothing already with NORMAL, as the system
has the pages, but a power cut would then take back the last commits.

There is one writer at a time. Writers of one process share its transaction (``_group``); other
processes wait for its end, with SQLite for up to ``BUSY_S``. Readers see what was committed when
they began; they neither wait nor are waited for.

The log (``entry``) is what counts. Everything else follows from it: a ``seat`` says who was asked
about what and which answer stands, an ``item`` what its seats come to, a ``person`` how many
answers they gave. Whoever changes a seat calls ``refresh`` on its item, which reads its few seats
afresh, in the same transaction; nothing is added up step by step, so nothing drifts, and
``recount`` must find the same (``test_what_is_kept_follows_from_the_log``). Times beyond a day
count as unknown (``_log.time_of``), so no sum leaves the finite. Counts of an item are text, ``0:3
1:2``: the organiser's sums group by it, and few patterns come back, however many items there are.

* One writer at a time: SQLite takes its lock at the start of a transaction (``BEGIN IMMEDIATE``),
  as a reader that becomes a writer may fail instead of waiting; PostgreSQL takes an advisory lock.
  So no query of a write locks rows, and no two writes wait for each other in a circle. Readers see
  the last commit and neither wait nor are waited for. PostgreSQL ends a writer that says nothing
  for a minute (``store.FROZEN_S``): its machine may be gone.
* Writers of one process share a transaction (``_group.py``): who comes while another writes queues
  up, and the first of these then writes for all. Each work is undone alone when it raises (a
  savepoint); what the database breaks off is tried again, one by one.
* What reviewers ask for at the same time (``turn.py``) goes through the same statements together:
  read the people, their seats and ids; add entries; refresh; read the head of the queue; lease;
  refresh. Sixteen statements for fifty people. Who stands elsewhere in the queue than most is
  looked up alone, after the leases so far are written.
* A value bound where a partial index has its bound (``until > :x``) makes SQLite prepare the
  statement again at each call, which costs ten times the query; it stands there outright
  (``_schema.ZERO``).
* Answers are synced (``synchronous=FULL``). With ``NORMAL`` a killed process loses nothing, but a
  power cut would. Leases are not synced: one that is lost is handed out again. A lease is renewed
  when a tenth of it has passed, not at each request.
* Items stand in a queue, and a person has a ``cursor`` in it; what opens again goes to the end. So
  the next item is a look into an index.
* Migrations are statements that both databases take, in a list that only grows.
* The organiser's sums are one query over an index that holds all of them (``item_sums``), grouped
  by pattern of answers; what is computed from them has a weight per pattern instead of a row per
  item. ``Recent`` keeps them for a few times as long as they took.
* A view of the gallery is an ``ItemFilter``; the address says it, and the page of a folder says it
  behind the ``#``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from ._folder import close_to_others, make_file
from ._group import Group, QueuedWrite
from ._trouble import StoreError, in_words
from .migrations import migrate

Value = TypeVar("Value")
Asked = TypeVar("Asked")
BUSY_S = 30.0
CONNECTIONS = 60  # of one process to PostgreSQL, whose usual limit is 100 in all
KEPT = 10  # of these, while nobody needs them
TRIES = 8  # of a transaction that PostgreSQL broke off
RETRIED = ("40001", "40P01")  # serialisation failure, deadlock
ONE_WRITER = (  # until its transaction ends; projects are told apart by their schema
    "SELECT pg_advisory_xact_lock(1667329636, hashtext(coalesce(current_schema(), ''))),"
    " set_config('idle_in_transaction_session_timeout', '{}s', true)"
)
FROZEN_S = 60  # of a writer that says nothing: its machine is gone, and others are waiting


class Store:
    """An open database, up to date. Close it, or use it in ``with``."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._group = Group(self._run)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file; otherwise it is PostgreSQL."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a transaction of its own, for reading.

        Raises:
            StoreError: the database could not be read.
        """
        with in_words(), self.engine.connect() as connection, connection.begin():
            yield connection

    def write(self, work: Callable[[Connection], Value], synced: bool = True) -> Value:
        """What ``work`` returns, committed; what other threads write may share its transaction.

        ``work`` may be called again where a try broke off, and by another thread than this one.

        Args:
            synced: wait for the disk. Without, a power cut may take it back, as with leases it
                may; a killed process never does.

        Raises:
            StoreError: the database could not do it.
            Exception: whatever ``work`` raises; then nothing of it was written.
        """
        with in_words():
            return self._group.write(
                QueuedWrite(lambda connection, _: [work(connection)], None, synced)
            )

    def write_one_of(
        self,
        work: Callable[[Connection, list[Asked]], Sequence[Value | Exception]],
        asked: Asked,
        synced: bool = True,
    ) -> Value:
        """The same for a ``work`` that does what many threads ask for in one call.

        Args:
            work: takes all that is asked for, and gives as many values; or, where one is refused
                and nothing of it was written, the exception to raise there.
            asked: what this thread asks for.
        """
        with in_words():
            return self._group.write(QueuedWrite(work, asked, synced))

    def _run(self, jobs: Sequence[QueuedWrite]) -> None:
        if len(jobs) == 1 or not self._together(jobs):
            for job in jobs:
                self._alone(job)

    def _together(self, jobs: Sequence[QueuedWrite]) -> bool:
        """All in one transaction; False where it was broken off, and nothing was written."""
        try:
            with self._writer(any(job.synced for job in jobs)) as connection:
                for work in dict.fromkeys(job.work for job in jobs):
                    _try(connection, [job for job in jobs if job.work is work])
        except Exception as error:
            broken = _broken_off(error)
            for job in jobs:  # after a failed commit nobody knows what was kept
                job.error = None if broken else error
            return not broken
        return True

    def _alone(self, job: QueuedWrite) -> None:
        for tried in range(1, TRIES + 1):
            try:
                with self._writer(job.synced) as connection:
                    _do(connection, [job])
                return
            except Exception as error:
                if not _broken_off(error) or tried == TRIES:
                    job.error = error
                    return
                time.sleep(0.005 * tried)

    @contextmanager
    def _writer(self, synced: bool) -> Iterator[Connection]:
        """A connection in a transaction, while nobody else writes."""
        if self.is_sqlite:
            with self.engine.connect() as connection:
                writer = connection.execution_options(candidly_write=True, candidly_synced=synced)
                with writer.begin():
                    yield writer
            return
        with self.engine.begin() as connection:
            if not synced:
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")
            connection.exec_driver_sql(ONE_WRITER.format(FROZEN_S))
            yield connection

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_store(place: Path | str, new: bool = False, connections: int = CONNECTIONS) -> Store:
    """The database at ``place``, brought up to date.

    Args:
        place: a SQLite file, or ``postgresql://user@host/database``.
        new: make it; otherwise it must be there. A file that is made is its owner's alone, and one
            that is there is closed to those who are neither its owner nor of its group.
        connections: to PostgreSQL, at most so many at once; who needs one more waits for it.

    Raises:
        FileNotFoundError: no such file. ValueError: no such address, an address with a password,
            no database of candidly, or one made by a newer version. OSError: the server does not
            answer.
    """
    address = _address(place, new)
    if address.get_backend_name() == "sqlite":
        # before SQLite makes the files beside it, to which it gives the same permissions
        (make_file if new else close_to_others)(Path(place))
    store = Store(_engine(address, connections))
    try:
        store.write(migrate)
    except StoreError as error:
        store.close()
        if error.kind in ("damaged", "fault"):
            raise ValueError(
                f"{place} is no database of candidly, or a damaged one. Look whether it is the"
                " right file or address; candidly review new makes a project."
            ) from error
        raise StoreError(error.kind, f"{place} cannot be opened. ") from error
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


def _engine(url: URL, connections: int) -> Engine:
    if url.get_backend_name() == "postgresql":
        # who waited for the lock is to see what the one before has written
        level = "READ COMMITTED"
        kept = min(KEPT, connections)
        return create_engine(
            url,
            pool_size=kept,
            max_overflow=connections - kept,
            pool_pre_ping=True,
            isolation_level=level,
        )
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


def _do(connection: Connection, jobs: Sequence[QueuedWrite]) -> None:
    """Do jobs of one work by one call."""
    for job, value in zip(jobs, jobs[0].work(connection, [job.asked for job in jobs])):
        job.value, job.error = value, value if isinstance(value, Exception) else None


def _try(connection: Connection, jobs: Sequence[QueuedWrite]) -> None:
    """The same, so that what it raises leaves everything before as it is; then one by one.

    Where the connection is gone there is nothing to go back to: what it raised is for all.
    """
    connection.exec_driver_sql("SAVEPOINT work")
    try:
        _do(connection, jobs)
    except Exception as error:
        if _broken_off(error) or connection.invalidated:
            raise
        connection.exec_driver_sql("ROLLBACK TO SAVEPOINT work")
        if len(jobs) == 1:
            jobs[0].error = error
        else:
            for job in jobs:
                _try(connection, [job])
    connection.exec_driver_sql("RELEASE SAVEPOINT work")


def _broken_off(error: Exception) -> bool:
    """Whether PostgreSQL says that trying again may help."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in RETRIED
