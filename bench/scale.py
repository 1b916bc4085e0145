"""Label errors in parts: fifty million rows, one file against many, the peer's out-of-core way.

The largest study of the sources (QuickDraw) has 50,426,266 rows of 345 classes. Its probabilities
would take 70 GB; here they are made part by part from a seed (``_scale/planted.py``), with errors
planted in the labels, so that what is found can be compared with what is there.

    python bench/scale.py            ten minutes; writes bench/results/scale.json
    python bench/scale.py --quick    a minute; writes nothing
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import errors as errors_bench
from _bench import Claim, at_most, interleaved, main, median_ratio
from candidly import errors

N, M = 50_426_266, 345
STUDY = Path(__file__).parent / "_scale" / "study.py"
SIZES = (100_000, 1_000_000, 10_000_000)
MINUTES, RATIO, WORKER_MB = 15.0, 2.0, 2048.0


def run(side: str, n: int, m: int, workers: int) -> dict[str, Any]:
    """One side of the study in a process of its own."""
    about = json.dumps({"side": side, "n": n, "m": m, "workers": workers})
    done = subprocess.run([sys.executable, STUDY, about], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def study(n: int, m: int, rounds: int) -> list[Claim]:
    both = [(run("generate", n, m, 2), run("find", n, m, 2)) for _ in range(rounds)]
    ratio = statistics.median(f["seconds"] / g["seconds"] for g, f in both)
    made = sorted((g for g, _ in both), key=lambda g: g["seconds"])[rounds // 2]
    found = sorted((f for _, f in both), key=lambda f: f["seconds"])[rounds // 2]
    label = f"{n:,} x {m}, two workers"
    between = found["estimated from"] <= found["planted"] <= found["estimated to"]
    claims = [
        Claim(f"{label}: rows made once, s", made["seconds"]),
        at_most(f"{label}: errors found, minutes", found["seconds"] / 60, MINUTES),
        at_most(f"{label}: by the time of making", ratio, RATIO),
        at_most(f"{label}: MB of a worker", found["MB of a worker"], WORKER_MB),
        Claim(f"{label}: MB of the process that asks", found["MB"]),
        Claim(f"{label}: planted errors in the estimate's interval", between, "1", between),
    ]
    names = ("first pass", "both passes", "planted", "estimated", "estimated from", "estimated to")
    names += ("off-diagonal", "flagged", "precision", "recall", "classes in their interval")
    names += ("rows read twice", "pairs")
    return claims + [Claim(f"{label}: {name}", found[name]) for name in names]


def curve(sizes: tuple[int, ...], m: int) -> list[Claim]:
    claims = []
    for n in sizes:
        for workers in (1, 2):
            made, found = run("generate", n, m, workers), run("find", n, m, workers)
            label = f"curve {n:,} x {m}, {workers} worker{'s' * (workers > 1)}"
            claims += [
                Claim(f"{label}: made, s", made["seconds"]),
                Claim(f"{label}: found, s", found["seconds"]),
                Claim(f"{label}: MB of the process that asks", found["MB"]),
            ]
    return claims


def parts(n: int, m: int, rounds: int) -> list[Claim]:
    """A file against the same rows in parts, by threads; and by processes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given, probs = errors_bench.make(n, m, "float32")
        np.save(folder / "whole.npy", probs)
        for count in (20, 200):
            (folder / str(count)).mkdir()
            for k, some in enumerate(np.array_split(probs, count)):
                np.save(folder / str(count) / f"part-{k}.npy", some)
        del probs
        found = []

        def timed(where: str, on: str | None = None) -> float:
            start = time.perf_counter()
            found.append(errors.find(given, folder / where, workers=2, on=on))
            return time.perf_counter() - start

        sides = (("whole.npy", None), ("20", None), ("200", None), ("20", "processes"))
        for side in sides:  # compiled, started, in the system's cache
            timed(*side)
        whole, some, many, apart = interleaved(rounds, *(partial(timed, *side) for side in sides))
        same = len({each.indices.tobytes() for each in found}) == 1
    label = f"{n:,} x {m} on disk"
    return [
        Claim(f"{label}: one file, threads, s", statistics.median(whole)),
        at_most(f"{label}: 20 parts by the time of one file", median_ratio(some, whole), 1.10),
        Claim(f"{label}: 200 parts by the time of one file", median_ratio(many, whole)),
        Claim(f"{label}: processes by the time of one file", median_ratio(apart, whole)),
        Claim(f"{label}: the same bytes each time", same, "1", same),
    ]


def peer(n: int, m: int) -> list[Claim]:
    """The peer's out-of-core way on the same file, a process each, on one thread."""
    with tempfile.TemporaryDirectory() as name:
        errors_bench.on_disk(n, m, "float32", Path(name))
        ours, mine = errors_bench.in_child("by noise rate", n, m, "float32", name)
        theirs, its = errors_bench.in_child("batched", n, m, "float32", name)
    label = f"{n:,} x {m} on disk, one thread"
    return [
        Claim(f"{label}: ours, CPU s", ours),
        Claim(f"{label}: the peer's batched, CPU s", theirs),
        Claim(f"{label}: times as fast as the peer", theirs / ours),
        Claim(f"{label}: private MB", mine / errors_bench.MB),
        Claim(f"{label}: the peer's private MB", its / errors_bench.MB),
    ]


def streaming(n: int) -> list[Claim]:
    """Memory beyond the input, with the columns in a folder."""
    with tempfile.TemporaryDirectory() as name:
        errors_bench.on_disk(n, 10, "float32", Path(name))
        _, extra = errors_bench.in_child("work", n, 10, "float32", name)
    return [
        at_most(f"{n:,} x 10 float32 on disk: private MB, with --work", extra / errors_bench.MB, 64)
    ]


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    if quick:
        shown = [
            *study(200_000, M),
            *parts(100_000, 100, 3),
            *peer(20_000, 100),
            *streaming(500_000),
        ]
        # started processes and compiled loops weigh more than 200,000 rows
        return [c if "by the time" not in c.name else Claim(c.name, c.value) for c in shown]
    return [
        *study(N, M, 3),
        *curve(SIZES, M),
        *parts(2_000_000, 100, 7),
        *peer(1_000_000, 100),
        *streaming(5_000_000),
    ]


if __name__ == "__main__":
    main("scale", (__doc__ or "").splitlines()[0], measure)
