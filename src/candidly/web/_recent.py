"""A value that several people look at, made anew when it has grown old."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")
FOLD = 5.0  # so that at most about a fifth of the time is spent on making it


class Recent(Generic[Value]):
    """What ``make`` gives, kept for ``FOLD`` times as long as making it took.

    One thread makes it; others that want it then wait for that one.
    """

    def __init__(
        self, make: Callable[[], Value], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._make = make
        self._clock = clock
        self._one = threading.Lock()
        self._kept: tuple[Value, float] | None = None  # and until when

    def get(self) -> Value:
        """The value, as it is or was a moment ago."""
        with self._one:
            start = self._clock()
            if self._kept is None or start >= self._kept[1]:
                value = self._make()
                now = self._clock()
                self._kept = value, now + FOLD * (now - start)
            return self._kept[0]

    def forget(self) -> None:
        """Make it anew when it is next wanted: something was changed."""
        with self._one:
            self._kept = None
