"""Writers that come together share a transaction, and so one sync of the disk.

A sync takes longer than what it keeps: one writer after the other would wait for the disk most of
the time. The first who comes leads: it writes what is queued by then, and hands the lead to the
first of those who came meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

MOST = 64  # in one transaction; PostgreSQL keeps so many savepoints at hand


@dataclass(eq=False)
class QueuedWrite:
    """What one writer asks for, and what came of it.

    Attributes:
        work: takes what several writers ask for, and gives each one's value, or the exception to
            raise there. Writes of one ``work`` can be done by one call.
        asked: what this one asks for. synced: whether to wait for the disk.
    """

    work: Callable[[Connection, list[Any]], Sequence[Any]]
    asked: Any
    synced: bool
    value: Any = None
    error: BaseException | None = None
    done: bool = False
    turn: threading.Event = field(default_factory=threading.Event)


class Group:
    """Runs jobs of many threads in turn, as many at once as are waiting.

    Args:
        run: writes some jobs and settles each one's ``value`` or ``error``.
    """

    def __init__(self, run: Callable[[Sequence[QueuedWrite]], None]) -> None:
        self._run = run
        self._waiting: deque[QueuedWrite] = deque()
        self._leader: QueuedWrite | None = None
        self._guard = threading.Lock()  # of the two above

    def write(self, job: QueuedWrite) -> Any:
        """The job's value, or what it raises, once this thread or another has written it."""
        with self._guard:
            self._waiting.append(job)
            self._leader = self._leader or job
        if self._leader is not job:
            self._wait(job)
        if not job.done:
            self._lead()
        if job.error is not None:
            raise job.error
        return job.value

    def _wait(self, job: QueuedWrite) -> None:
        """Until it is written, or leads."""
        try:
            job.turn.wait()
        except BaseException:  # Ctrl-C: do not leave the others without a leader
            with self._guard:
                if job in self._waiting and self._leader is not job:
                    self._waiting.remove(job)
            if self._leader is job:
                self._lead()
            raise

    def _lead(self) -> None:
        """Write what is queued, with this thread's own job first; then wake everybody."""
        with self._guard:
            jobs = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
        try:
            self._run(jobs)
        except BaseException:
            for job in jobs:
                job.error = RuntimeError(
                    "the thread that wrote for this one too was stopped; look, and write it again."
                )
            raise
        finally:
            with self._guard:
                self._leader = heir = self._waiting[0] if self._waiting else None
            for job in jobs:
                job.done = True
            for job in [heir, *jobs] if heir else jobs:
                job.turn.set()
