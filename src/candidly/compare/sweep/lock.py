"""One process at a time in a results directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from ...ground.problem import refused


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Hold the directory's lock, which ends with the process however it ends."""
    lock = filelock.FileLock(out / "lock")
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        raise refused(
            BlockingIOError,
            f"another process is at work on {out}.",
            f"wait for it (`candidly bench status {out}`)",
            "use another `out`",
        ) from None
    try:
        yield
    finally:
        lock.release()


def is_locked(out: Path) -> bool:
    """Whether a process is at work on the directory."""
    lock = filelock.FileLock(out / "lock")
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        return True
    except OSError:  # a directory we may not write in: nobody of ours is at work there
        return False
    lock.release()
    return False
