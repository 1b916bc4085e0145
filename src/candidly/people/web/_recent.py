"""A value that several people look at, made anew when it has grown old."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
FOLD = 5.0  # so that at most about a fifth of the time is spent on making it


class Recent(Generic[Value]):
    """What ``make`` gives, kept for ``FOLD`` times as long as making it took.

    One thread makes it; others that want it then wait for that one.

    Args:
        state: cheap; where it gives another value than before, what is kept is out of date. Other
            processes may have changed something.
    """

    def __init__(
        self,
        make: Callable[[], Value],
        state: Callable[[], Any] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._state = state
        self._clock = clock
        self._one = threading.Lock()
        self._kept: tuple[Value, float, Any] | None = None  # until when, and of which state

    def get(self) -> Value:
        """The value, as it is or was a moment ago."""
        with self._one:
            start, state = self._clock(), self._state()
            if self._kept is None or start >= self._kept[1] or state != self._kept[2]:
                value = self._make()
                now = self._clock()
                self._kept = value, now + FOLD * (now - start), state
            return self._kept[0]
