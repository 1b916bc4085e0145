"""What a stability report costs: 50 models, 50,000 items, 10,000 bootstrap samples.

In a child process: wall and CPU seconds of `make_case` and `assess` with all pairs, and the peak of
its memory, imports included. Beside it the bootstrap alone, against drawing items and counting
right answers model by model, which is timed on a few samples and scaled.

    python bench/stability.py            two minutes; writes bench/results/stability.json
    python bench/stability.py --quick    a tenth of each number
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

from _bench import Claim, at_least, at_most, main

CLASSES = 100
NAIVE = 40  # samples that the slow way draws


def make(models: int, items: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Labels of which 3 % change and 3 % are pruned, and models from 85 % down to 60 % accuracy."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, CLASSES, items)
    original, corrected = truth.copy(), truth.copy()
    touched = rng.choice(items, 6 * items // 100, replace=False)
    wrong, pruned = touched[::2], touched[1::2]
    original[wrong] = (truth[wrong] + 1) % CLASSES
    corrected[pruned] = -1
    hard = rng.random(items)  # models find the same items hard
    predictions = {}
    for k in range(models):
        right = 0.5 * hard + 0.5 * rng.random(items) < 0.75 - 0.2 * k / models
        mine = np.where(right, truth, rng.integers(0, CLASSES, items))
        follows = rng.random(len(wrong)) < 0.6 - 0.5 * k / models  # the better, the more
        mine[wrong] = np.where(follows, original[wrong], mine[wrong])
        predictions[f"model {k}"] = mine
    return original, corrected, predictions


def child(models: int, items: int, resamples: int) -> dict[str, float]:
    from candidly.compare.stability import assess, make_case, resample

    original, corrected, predictions = make(models, items)
    wall, cpu = time.perf_counter(), time.process_time()
    case = make_case(original, corrected, predictions)
    report = assess(case, pairs="all", resamples=resamples)
    found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    found["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    found["crossings"] = len(report.crossings)
    right = case.right_corrected[:, case.benign]
    start = time.process_time()
    resample(right, resamples, 0, "bench")
    found["bootstrap"] = time.process_time() - start
    start = time.process_time()
    rng = np.random.default_rng(0)
    for _ in range(NAIVE):
        picks = rng.integers(0, right.shape[1], right.shape[1])
        right[:, picks].sum(1)
    found["naive"] = (time.process_time() - start) * resamples / NAIVE
    return found


def measure(quick: bool) -> list[Claim]:
    sizes = [10, 10_000, 1000] if quick else [50, 50_000, 10_000]
    command = [sys.executable, __file__, "child", json.dumps(sizes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    label = "{} models x {} items x {} samples".format(*sizes)
    faster = found["naive"] / found["bootstrap"]
    what = f"{label}: bootstrap, times as fast as by item"
    return [
        at_most(f"{label}: report, seconds", found["wall"], 60),
        Claim(f"{label}: report, CPU seconds", found["cpu"]),
        at_most(f"{label}: peak MB", found["MB"], 2000),
        Claim(f"{label}: crossings", found["crossings"]),
        Claim(f"{label}: bootstrap, CPU seconds", found["bootstrap"]),
        Claim(what, faster) if quick else at_least(what, faster, 5),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(child(*json.loads(sys.argv[2]))))
    else:
        main("stability", __doc__ or "", measure)
