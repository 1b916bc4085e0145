"""One whole small sweep on the device and on the processor."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from statistics import mean

from _bench import Claim, at_most
from _gpu.where import Where
from _sides import make_data

ALGORITHMS = ["PRODEN", "CC", "LWS", "supervised-oracle"]
APART = 2.0  # points of test accuracy, between means over a sweep's runs


def measure(where: Where) -> Iterator[Claim | str]:
    """The same keys, accuracies that are near, and how long each takes."""
    from candidly import benchmark

    data = make_data(*where.sized((3000, 64, 10), (300, 10, 4)))
    how = {"configs": 4, "splits": 5, "steps": 500, "eval_every": 250}
    algorithms = where.sized(ALGORITHMS, ALGORITHMS[:2])
    how |= where.sized({}, {"configs": 1, "splits": 2, "steps": 10, "eval_every": 5})
    cores = 1 if where.quick else len(os.sched_getaffinity(0))
    found, seconds = {}, {}
    for device, workers in (("cpu", cores), (where.device, 1)):
        start = time.perf_counter()
        found[device] = benchmark({"made": data}, algorithms, device=device, workers=workers, **how)
        seconds[device] = time.perf_counter() - start
    if not where.cuda:
        yield "both sweeps are the processor's here."
    here, there = found["cpu"].runs, found[where.device].runs
    yield Claim("runs", len(there))
    differing = len({run.key for run in here} ^ {run.key for run in there})
    yield at_most("runs whose keys differ", differing, 0)
    yield at_most("runs that are not complete", sum(not run.complete for run in there), 0)
    tops = [
        100 * mean(run.records[-1].test["top1"] or 0.0 for run in runs) for runs in (here, there)
    ]
    yield Claim("test accuracy on the device, %", tops[1])
    yield at_most("test accuracy beside the processor's, points", abs(tops[0] - tops[1]), APART)
    yield Claim("seconds on the device, one worker", seconds[where.device])
    yield Claim(f"seconds on the processor, workers: {cores}", seconds["cpu"])
    faster = seconds["cpu"] / seconds[where.device]
    yield Claim("times faster than all of the processor", faster)
