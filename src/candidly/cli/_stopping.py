"""Ctrl-C: a sentence and status 130, at any moment."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

STATUS = 130  # what a shell expects of a program that SIGINT has ended


@contextmanager
def stoppable(say: Callable[[], str]) -> Iterator[None]:
    """Where Ctrl-C ends the command with what ``say`` returns. A second one changes nothing.

    Raises:
        typer.Exit: it came.
    """
    try:
        yield
    except KeyboardInterrupt:
        with _undisturbed():
            print(f"\n{say()}", file=sys.stderr)
        raise typer.Exit(STATUS) from None


@contextmanager
def _undisturbed() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only it may choose
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
