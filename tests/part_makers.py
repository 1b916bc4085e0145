"""Parts whose rows are made when they are read, by functions that other processes import."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import numpy as np

from candidly.data.ingest.prob_rows import Part, ProbRows

import slow_errors as slow


def case(n=5000, m=7, dtype=np.float32):
    given, probs = slow.make(3, n, m, sharp=1.5, wrong=0.3, skew=0.8, absent=1)
    return given, probs.astype(dtype)


def opened(start, stop, before=None):
    """Rows start..stop of the case; ``before`` is called when they are read."""
    probs = case()[1][start:stop]

    def get(a, b):
        if before is not None:
            before()
        return probs[a:b]

    stamp = f"{start}:{stop}"
    return ProbRows(*probs.shape, probs.dtype, get, f"rows {stamp}", stamp=lambda: stamp)


def parts(ends=(1000, 1001, 4000, 5000), before=None):
    """The case, cut at these rows."""
    bounds = list(zip((0, *ends), ends))
    how = [partial(opened, a, b, before) for a, b in bounds]
    kind = np.dtype(np.float32)
    return [
        Part(f"part-{k}", b - a, 7, kind, make, f"{a}:{b}")
        for k, ((a, b), make) in enumerate(zip(bounds, how))
    ]


def note(folder):
    """Leave a mark for each read."""
    Path(folder, f"{os.getpid()}-{os.urandom(8).hex()}").touch()


def die_sometimes(folder, most):
    """Kill this process with SIGKILL, ``most`` times in all."""
    for number in range(most):
        try:
            Path(folder, str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)


def refuse():
    raise ZeroDivisionError("this part divides by nothing")


def twice(number):
    return 2 * number


def of_none(number):
    raise KeyError(f"task {number}")
