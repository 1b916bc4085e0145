"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..sweep.run import Progress

LINE_EVERY_S = 10.0
QUIET_S = 2.0  # reading that is done by then is not talked about


@contextmanager
def shown() -> Iterator[Callable[[Progress], None]]:
    """A function to call with every ``Progress``."""
    if sys.stderr.isatty():
        with _bar() as watch:
            yield watch
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("planning", total=None)

        def watch(progress: Progress) -> None:
            bar.update(
                task,
                total=progress.total,
                completed=progress.work,
                description=f"{progress.runs_done} of {progress.runs} runs",
            )

        yield watch


def _lines() -> Callable[[Progress], None]:
    started, first, told = time.monotonic(), None, 0.0

    def watch(progress: Progress) -> None:
        nonlocal first, told
        now = time.monotonic()
        first = progress.work if first is None else first
        fresh = progress.work - first
        if fresh <= 0 or (now - told < LINE_EVERY_S and progress.runs_done < progress.runs):
            return
        told = now
        left = (now - started) * (progress.total - progress.work) / fresh
        share = 100 * progress.work / progress.total
        print(
            f"{share:.0f} % · {progress.runs_done} of {progress.runs} runs · {clock(left)} left",
            file=sys.stderr,
        )

    return watch


@contextmanager
def reading(doing: str = "reading", word: str = "read") -> Iterator[Callable[[int, int], None]]:
    """A function to call with rows (or other pieces) done and in all; silent for ``QUIET_S``."""
    begun = time.monotonic()
    first: tuple[float, int] | None = None
    told, bar, task = float("-inf"), None, None

    def watch(done: int, total: int) -> None:
        nonlocal first, told, bar, task
        now = time.monotonic()
        first = first or (now, done)
        if now - begun < QUIET_S:
            return
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            if bar is None:
                bar = _reading_bar()
                task = bar.add_task(doing, total=total)
                bar.start()
            bar.update(task, completed=done)
        elif done > first[1] and now - told >= LINE_EVERY_S:
            told = now
            left = (now - first[0]) * (total - done) / (done - first[1])
            print(f"{100 * done / total:.0f} % {word} · {clock(left)} left", file=sys.stderr)

    try:
        yield watch
    finally:
        if bar is not None:
            bar.stop()


def _reading_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss or m:ss."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"
