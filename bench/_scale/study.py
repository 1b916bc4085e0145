"""One run of the study, in a process of its own: prints what it measured as a line of JSON.

python bench/_scale/study.py '{"side": "find", "n": 1000000, "m": 345, "workers": 2}'
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from _scale import planted
from candidly import errors
from candidly.ground.spread import spread
from candidly.stats import wilson

SEED, PART_ROWS = 0, 98_304
MB = 2**20


class Memory(threading.Thread):
    """Watches the resident memory of this process and of its children, four times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.own = self.worker = 0.0  # MB, the most
        self.over = threading.Event()

    def run(self) -> None:
        mine = os.getpid()
        while not self.over.wait(0.25):
            for path in Path("/proc").glob("[0-9]*/status"):
                with suppress(OSError, KeyError):  # it has ended, or is the system's
                    lines = dict(line.split(":", 1) for line in path.read_text().splitlines())
                    size = int(lines["VmRSS"].split()[0]) / 1024
                    if int(lines["Pid"]) == mine:
                        self.own = max(self.own, size)
                    elif int(lines["PPid"]) == mine:
                        self.worker = max(self.worker, size)


def made(bounds: tuple[int, int], m: int) -> float:
    """Make rows, as a pass over them would read them, and look at one number of them."""
    rows = planted.opened(SEED, m, *bounds)
    step = max(1, 2 * MB // (4 * m))
    return sum(float(rows.read(a, min(a + step, rows.n))[0, 0]) for a in range(0, rows.n, step))


def generate(n: int, m: int, workers: int) -> dict[str, Any]:
    """Make all rows once, and do nothing with them."""
    size = max(1, (1 << 25) // (4 * m))
    bounds = [(a, min(a + size, n)) for a in range(0, n, size)]
    begun = time.perf_counter()
    for _ in spread(partial(made, m=m), bounds, workers, "processes"):
        pass
    return {"seconds": time.perf_counter() - begun}


def find(n: int, m: int, workers: int, on: str | None = "processes") -> dict[str, Any]:
    """Find the planted errors, and compare with what was planted."""
    world = planted.world(SEED, m)
    given, truth = planted.labels(world, 0, n)
    parts = planted.parts(SEED, n, m, PART_ROWS)
    marks, begun = {}, time.perf_counter()

    def watch(done: int, total: int) -> None:
        if done == total // 2 and "first pass" not in marks:
            marks["first pass"] = time.perf_counter() - begun

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evidence = errors.examine(given, parts, workers=workers, on=on, watch=watch)
        marks["both passes"] = time.perf_counter() - begun
        found = errors.find(evidence)
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, **marks} | compared(evidence, found, truth)


def compared(evidence: errors.Evidence, found: errors.Issues, truth: np.ndarray) -> dict[str, Any]:
    wrong = evidence.given != truth
    planted_of = np.bincount(evidence.given[wrong], minlength=evidence.m)
    matrix = evidence.calibrated
    right, rows = matrix.diagonal, evidence.given_counts
    low, high = wilson(right, rows).T
    share = 1 - planted_of / rows
    counts = errors.counts(evidence)
    flagged = int(found.mask.sum())
    hit = int((found.mask & wrong).sum())
    total = int(wrong.sum())
    n = evidence.n
    least, most = wilson(np.array([counts.calibrated]), np.array([n]))[0] * n
    return {
        "planted": total,
        "estimated": counts.calibrated,
        "estimated from": float(least),
        "estimated to": float(most),
        "off-diagonal": counts.off_diagonal,
        "flagged": flagged,
        "precision": hit / flagged,
        "recall": hit / total,
        "classes in their interval": int(((low <= share) & (share <= high)).sum()),
        "classes": evidence.m,
        "rows read twice": int(np.count_nonzero(_undecided(evidence))),
        "pairs": len(evidence.pairs.row) if evidence.pairs else 0,
    }


def _undecided(evidence: errors.Evidence) -> np.ndarray:
    """Rows that the columns alone do not decide, as the second pass counts them."""
    from candidly.errors.confident import _evidence, _kernels

    bounds = _evidence.rounded_up(evidence.thresholds - errors.EPSILON, evidence.source.dtype)
    guess = np.empty_like(evidence.guess)
    reach = 1 + 2 * _evidence.SUM_SLACK + evidence.m * _evidence.ENTRY_SLACK
    columns = evidence.predicted, evidence.own, evidence.other
    _kernels.resolve(*columns, bounds, reach, guess)
    return guess == _kernels.UNDECIDED


SIDES = {"generate": generate, "find": find}


def main() -> None:
    asked = json.loads(sys.argv[1])
    memory = Memory()
    memory.start()
    result = SIDES[asked.pop("side")](**asked)
    memory.over.set()
    memory.join()
    print(json.dumps(result | {"MB": memory.own, "MB of a worker": memory.worker}))


if __name__ == "__main__":
    main()
