"""What a piece of work takes: processor time, and memory over what was there before."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ...ground.process import give_back_memory

Value = TypeVar("Value")
STATUS = Path("/proc/self/status")
EVERY_S = 0.005


class Measurement(NamedTuple, Generic[Value]):
    """A value and what it took: CPU seconds of the process, and bytes (None where unknown)."""

    value: Value
    seconds: float
    extra_bytes: int | None


def private_bytes() -> int | None:
    """Memory of this process that is no file's; None where the system does not tell."""
    if not STATUS.exists():
        return None
    for line in STATUS.read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return None


def measured(work: Callable[[], Value]) -> Measurement[Value]:
    """Do it, and look at the memory meanwhile, every few milliseconds."""
    give_back_memory()  # what is free and kept would hide what is needed
    before = private_bytes()
    if before is None:
        started = time.process_time()
        return Measurement(work(), time.process_time() - started, None)
    peak, over = before, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(EVERY_S):
            peak = max(peak, private_bytes() or 0)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    started = time.process_time()
    try:
        value = work()
    finally:
        seconds = time.process_time() - started
        over.set()
        watcher.join()
    return Measurement(value, seconds, max(peak, private_bytes() or 0) - before)
