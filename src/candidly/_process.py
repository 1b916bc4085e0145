"""Facts about, and settings of, a process of candidly's own."""

from __future__ import annotations

import ctypes
import resource
import sys


def peak_memory_bytes() -> int:
    """The largest resident size this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def keep_freed_memory() -> None:
    """Tell glibc to keep freed memory for the next update instead of handing it back.

    By default every temporary of more than 128 kB is a fresh mapping, and its first write a page
    fault per 4 kB: that was up to half of an update's time at 1122 x 108 x 16 (see
    ``bench/engine.py``). Only for processes that are candidly's own; elsewhere it does nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    trim_threshold, mmap_threshold = -1, -3  # malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(trim_threshold, 2**31 - 1)
    mallopt(mmap_threshold, 2**30)
