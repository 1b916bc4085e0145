"""Which sessions are open, without asking the database at each request."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from ..review import Person, Project, end_session, end_sessions, open_until

KEPT_S = 5.0  # after which it is asked again: another process may have ended a session
MOST = 10_000  # sessions that are remembered


class Sessions:
    """Of one running app. What it ends itself, it knows at once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._one = threading.Lock()
        self._ended = 0  # how often something was
        self._known: OrderedDict[str, tuple[float, float]] = OrderedDict()  # until when, and asked

    def is_known(self, number: str) -> bool:
        """Whether it was open a moment ago; asks nobody."""
        until, asked = self._known.get(number, (0.0, 0.0))
        return self._project.clock() < until and time.monotonic() - asked < KEPT_S

    def is_open(self, number: str) -> bool:
        """Whether it is open."""
        if self.is_known(number):
            return True
        ended, asked = self._ended, time.monotonic()
        until = open_until(self._project, number)
        if until is None:
            return False
        with self._one:
            if ended == self._ended:
                self._known[number] = until, asked
                self._known.move_to_end(number)
                while len(self._known) > MOST:
                    self._known.popitem(last=False)
        return True

    def end(self, number: str) -> None:
        """End one."""
        end_session(self._project, number)
        self._forget()

    def end_all_of(self, person: Person, by: str) -> None:
        """End all of a person, and their links."""
        end_sessions(self._project, person, by)
        self._forget()

    def _forget(self) -> None:
        with self._one:
            self._ended += 1
            self._known.clear()
