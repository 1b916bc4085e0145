"""Facts about, and settings of, a process of candidly's own."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def peak_memory_bytes() -> int:
    """The largest resident size this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Processes started in here never get a Ctrl-C: a child inherits which signals are held back.

    The terminal sends it to them too, and before they could ask not to be told they import for
    seconds. What comes for this process meanwhile arrives behind the block.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# huge pages for large tensors: without them an update's time depends on where a stack's pages
# happen to lie. torch reads this when it first allocates, so it is set before that.
HUGE_PAGES = {"THP_MEM_ALLOC_ENABLE": "1"}


def give_back_memory() -> None:
    """Return freed memory to the system, with glibc; elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        return


def tune_memory() -> None:
    """Huge pages for large tensors, and freed memory kept for the next update.

    By default glibc makes every temporary of more than 128 kB a fresh mapping, and its first write
    a page fault per 4 kB. Only for processes that are candidly's own, before torch allocates;
    elsewhere than on Linux with glibc it does nothing.
    """
    for name, value in HUGE_PAGES.items():
        os.environ.setdefault(name, value)
    if not sys.platform.startswith("linux"):
        return
    trim_threshold, mmap_threshold = -1, -3  # malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(trim_threshold, 2**31 - 1)
    mallopt(mmap_threshold, 2**30)
