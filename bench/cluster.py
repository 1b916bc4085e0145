"""Sweeps on a Ray cluster: killed workers and drivers, nodes that come and go, what Ray costs.

First a sweep on a cluster of nodes of this machine, whose workers are killed with ``kill -9``
twenty times and whose driver three times, at uniformly random moments, while a node is added and
removed: every record must be that of a run left alone. Then a sweep by a local worker and by Ray's,
side by side: what Ray costs while it trains, and its start apart.

    python bench/cluster.py            45 minutes; writes bench/results/cluster.json
    python bench/cluster.py --quick    two minutes
"""

from __future__ import annotations

import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from _bench import Claim, at_most, main

WORKER_KILLS, DRIVER_KILLS = 20, 3
ROUNDS = 2  # of both sides
SIZES = {  # configurations, updates: minutes, and for --quick seconds
    "kills": ((10, 20_000), (2, 1_000)),
    "overhead": ((20, 16_000), (2, 2_000)),
}


def command(out: Path, part: str, quick: bool, on: str | None) -> list[str]:
    configs, steps = SIZES[part][quick]
    return [
        *(sys.executable, "-m", "candidly", "bench", "run", "--dataset", "digits"),
        *("--labels", "flip:rate=0.3", "--algorithms", "PRODEN,CC", "--configs", str(configs)),
        *("--splits", "2", "--steps", str(steps), "--eval-every", str(steps // 100)),
        *("--workers", "2", "--out", str(out)),
        *(() if on is None else ("--on", on)),
    ]


def start(words: list[str]) -> subprocess.Popen:
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def numbers(out: Path) -> dict[tuple[str, int], tuple]:
    """Everything a table is made of, by trial and step."""
    from candidly.compare.sweep.journal import read_results

    return {
        (run.key, record.step): (
            *(record.validation, record.test, record.loss, record.diverged_at),
            *(record.outcomes, record.confusion, record.pruned_at),
        )
        for run in read_results(out).runs
        for record in run.records
    }


def training() -> list[int]:
    """The processes of Ray that train, by their numbers."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            words = path.read_bytes()
            if words.startswith(b"ray::") and b"train_task" in words:
                found.append(int(path.parent.name))
    return found


def kills(folder: Path, quick: bool) -> list[Claim]:
    from ray.cluster_utils import Cluster

    alone, out = folder / "alone", folder / "killed"
    begun = time.perf_counter()
    if (process := start(command(alone, "kills", quick, None))).wait():
        raise RuntimeError(process.stderr.read())
    needed = time.perf_counter() - begun
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    words = command(out, "kills", quick, f"ray:{cluster.address}")
    rng = random.Random()  # truly random moments: not seeded
    workers, drivers = (2, 1) if quick else (WORKER_KILLS, DRIVER_KILLS)
    moments = sorted(
        [(rng.uniform(0.05, 0.9) * needed, "worker") for _ in range(workers)]
        + [(rng.uniform(0.1, 0.9) * needed, "driver") for _ in range(drivers)]
        + [(0.3 * needed, "add"), (0.6 * needed, "remove")]
    )
    done = dict.fromkeys(("worker", "driver", "add", "remove"), 0)
    begun, driver, extra = time.perf_counter(), start(words), None
    for moment, what in moments:
        time.sleep(max(0.0, begun + moment - time.perf_counter()))
        if what == "add":
            extra = cluster.add_node(num_cpus=1)
        elif what == "remove":
            cluster.remove_node(extra, allow_graceful=False)
        elif what == "driver":
            driver.kill()
            if driver.wait() != -signal.SIGKILL:
                raise RuntimeError("the sweep ended before its driver was killed")
            driver = start(words)
        else:
            while not (there := training()):  # a driver has just begun again
                if driver.poll() is not None:
                    raise RuntimeError("the sweep ended before its workers were killed")
                time.sleep(0.02)
            os.kill(rng.choice(there), signal.SIGKILL)
        done[what] += 1
    if driver.wait():
        raise RuntimeError(driver.stderr.read())
    took = time.perf_counter() - begun
    cluster.shutdown()
    same = numbers(out) == numbers(alone)
    return [
        Claim("kills: seconds of the run left alone, two local workers", needed),
        Claim("kills: seconds of the killed run, two nodes, some time three", took),
        Claim("kills: workers killed at random moments", done["worker"]),
        Claim("kills: drivers killed at random moments", done["driver"]),
        Claim("kills: nodes added and removed meanwhile", done["add"] * done["remove"]),
        Claim("kills: records compared", len(numbers(alone))),
        Claim("kills: every record bit for bit", same, "1", same),
    ]


def sides(folder: Path, quick: bool) -> list[Claim]:
    """Seconds from the first record to the last, and to the first, of local and Ray's workers.

    Both train at the same time, each with all of its processes on a core of its own, so that what
    else the machine does meets both; then they change cores.
    """
    found: dict[str, list[tuple[float, float]]] = {"local": [], "ray": []}
    for number in range(1 if quick else ROUNDS):
        running = {
            side: Watched(folder / f"{side}-{number}", side, (place + number) % 2, quick)
            for place, side in enumerate(found)
        }
        for side, watched in running.items():
            watched.join()
            found[side].append(watched.times())
    training = {side: [t for _, t in each] for side, each in found.items()}
    begin = {side: statistics.median(b for b, _ in each) for side, each in found.items()}
    ratio = statistics.median(r / h for r, h in zip(training["ray"], training["local"]))
    named = [
        Claim(f"overhead: seconds of training, {side}", statistics.median(each))
        for side, each in training.items()
    ]
    name, shortest = "overhead: Ray's time of training, by that of local workers", training["local"]
    return [
        *named,
        Claim("overhead: seconds of the shortest sweep", min(shortest)),
        Claim(name, ratio) if quick else at_most(name, ratio, 1.05),
        Claim("overhead: seconds that Ray's start takes more", begin["ray"] - begin["local"]),
    ]


class Watched(threading.Thread):
    """A sweep on one core, and when its first and its last record came."""

    def __init__(self, out: Path, side: str, core: int, quick: bool):
        super().__init__()
        self.out, self.first, self.begun = out, 0.0, time.time()
        words = command(out, "overhead", quick, "ray" if side == "ray" else None)
        words[words.index("--workers") + 1] = "1"
        self.process = start(["taskset", "--cpu-list", str(core), *words])
        self.start()

    def run(self) -> None:
        journal = self.out / "journal"
        while self.process.poll() is None:
            if not self.first and any(path.stat().st_size for path in journal.glob("*.jsonl")):
                self.first = time.time()
            time.sleep(0.05)

    def times(self) -> tuple[float, float]:
        if self.process.returncode:
            raise RuntimeError(self.process.stderr.read())
        last = max(path.stat().st_mtime for path in (self.out / "journal").iterdir())
        return self.first - self.begun, last - self.first


def measure(quick: bool) -> list[Claim]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        return [*kills(Path(folder), quick), *sides(Path(folder), quick)]


if __name__ == "__main__":
    main("cluster", (__doc__ or "").splitlines()[0], measure)
