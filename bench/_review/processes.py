"""What other processes take of the machine's processors, from ``/proc``."""

from __future__ import annotations

import os
from pathlib import Path


def seconds_of(pid: int, ended: bool = False) -> float:
    """Processor time of a process so far; with ``ended`` that of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:  # it has just ended
        return 0.0
    own = int(fields[11]) + int(fields[12])
    theirs = int(fields[13]) + int(fields[14]) if ended else 0
    return (own + theirs) / os.sysconf("SC_CLK_TCK")


def busy() -> float:
    """Seconds that all processors together have worked so far, whoever they worked for."""
    user, nice, system, _, _, irq, softirq, steal = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Processes that this one has started and that run."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(word) for word in task.read_text().split()]
    return found
