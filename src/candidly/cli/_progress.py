"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..ground.progress import OnProgress

if TYPE_CHECKING:
    from ..compare.sweep.run import RunProgress

FIRST_LINE_S, LONGEST_S = 10.0, 600.0  # between lines: the wait doubles, up to the longest
QUIET_S = 2.0  # reading that is done by then is not talked about
MEASURED_S, MEASURED_SHARE = 10.0, 0.02  # from when on the time left is estimated


class Times:
    """How long something has taken, and how long it may take yet.

    Work counts from what was done when the first of it was reported: starting takes a while, in
    which nothing is done. There is no estimate before some seconds and some of the work are over.
    """

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self._first: tuple[float, float, float] | None = None
        self._last = (self.begun, 0.0, 0.0)

    def note(self, done: float, total: float) -> None:
        """``done`` and ``total`` are of this run alone, without what was there before it."""
        self._last = (time.monotonic(), done, total - done)
        if done > 0 and self._first is None:
            self._first = self._last

    def left_s(self) -> float | None:
        """Seconds; None where it is too early to say."""
        if self._first is None:
            return None
        at, done, left = self._last
        seconds, fresh = at - self._first[0], done - self._first[1]
        if seconds < MEASURED_S or fresh < MEASURED_SHARE * self._first[2]:
            return None
        return max(0.0, left * seconds / fresh - (time.monotonic() - at))

    def __str__(self) -> str:
        left = self.left_s()
        about = "" if left is None else f" · about {clock(left)} left"
        return f"{clock(time.monotonic() - self.begun)} elapsed{about}"


@contextmanager
def shown() -> Iterator[Callable[[RunProgress], None]]:
    """A function to call with every ``RunProgress``."""
    with _bar() if _is_terminal() else _lines() as watch:
        yield watch


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def _bar() -> Iterator[Callable[[RunProgress], None]]:
    times = Times()
    with _new_bar(times) as bar:
        task = bar.add_task("planning", total=None)

        def watch(progress: RunProgress) -> None:
            _note(times, progress)
            bar.update(
                task,
                total=progress.total,
                completed=progress.work,
                description=f"{progress.runs_done} of {progress.runs} runs",
            )

        yield watch


@contextmanager
def _lines() -> Iterator[Callable[[RunProgress], None]]:
    """A line at the start, at growing intervals and at the end."""
    times, over, lock = Times(), threading.Event(), threading.Lock()
    latest: RunProgress | None = None
    told: RunProgress | None = None

    def say() -> None:
        nonlocal told
        with lock:
            told = latest
            if told is not None:
                share = 100 * told.work / told.total
                _print(f"{share:.0f} % · {told.runs_done} of {told.runs} runs · {times}")

    def talk() -> None:
        wait = FIRST_LINE_S
        while not over.wait(wait):
            say()
            wait = min(2 * wait, LONGEST_S)

    def watch(progress: RunProgress) -> None:
        nonlocal latest
        _note(times, progress)
        first, latest = latest is None, progress
        if first:
            say()

    talker = threading.Thread(target=talk, daemon=True)
    talker.start()
    try:
        yield watch
        if latest is not told:
            say()
    finally:
        over.set()
        talker.join()


def _note(times: Times, progress: RunProgress) -> None:
    before = progress.work - progress.fresh
    times.note(progress.fresh, progress.total - before)


@contextmanager
def reading(doing: str = "reading", done_is: str = "read") -> Iterator[OnProgress]:
    """A function to call with what is done and what in all; it is silent for ``QUIET_S``.

    What is shown is the share, as one step of the work may count rows and the next one updates.
    """
    times, wait, due = Times(), FIRST_LINE_S, 0.0  # seconds, when the next line is due
    bar, task = None, None

    def watch(done: int, total: int) -> None:
        nonlocal wait, due, bar, task
        now, share = time.monotonic(), done / total if total else 1.0
        times.note(share, 1.0)
        if now - times.begun < QUIET_S:
            return
        if _is_terminal():
            if bar is None:
                bar = _new_bar(times, transient=True)
                task = bar.add_task(doing, total=1.0)
                bar.start()
            bar.update(task, completed=share)
        elif now >= due:
            due, wait = now + wait, min(2 * wait, LONGEST_S)
            _print(f"{100 * share:.0f} % {done_is} · {times}")

    try:
        yield watch
    finally:
        if bar is not None:
            bar.stop()


def _new_bar(times: Times, transient: bool = False) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.text import Text

    class TimesColumn(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(str(times))

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimesColumn(),
        console=Console(stderr=True),
        transient=transient,
    )


def _print(line: str) -> None:
    with suppress(OSError, ValueError):  # who read it has left; the work goes on
        print(line, file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss or m:ss."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"
