"""Kill a benchmark with ``kill -9`` at random moments, rerun it, and compare with one left alone.

Three times: the same command again; a smaller stack size on resuming; a longer plan on resuming.
Every kill is shown with the number of records that the journal held then: it lies between the
run's first and last. Data: ``lost`` where CANDIDLY_DATA has it, else digits with flipped labels.

    python bench/kill.py            a few minutes; writes bench/results/kill.json
    python bench/kill.py --quick    under a minute
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _bench import Claim, main

KILLS = 3  # per scenario; a quick run makes do with 1


def command(out: Path, quick: bool, configs: int, *more: str) -> list[str]:
    here = os.environ.get("CANDIDLY_DATA")
    data = (
        ["--dataset", "lost"]
        if here and not quick
        else ["--dataset", "digits", "--labels", "flip:rate=0.3"]
    )
    size = ["--splits", "2", "--steps", "600"] if quick else ["--splits", "5", "--steps", "3000"]
    return [
        *(sys.executable, "-m", "candidly", "bench", "run", *data, "--algorithms", "PRODEN,CC"),
        *("--configs", str(configs), *size, "--eval-every", "100", "--out", str(out), *more),
    ]


def finish(out: Path, quick: bool, configs: int, *more: str) -> tuple[float, float]:
    """Run to the end; seconds in all, and from the first record on, so without starting."""
    start = time.monotonic()
    first = None
    process = subprocess.Popen(
        command(out, quick, configs, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        if first is None and lines(out):
            first = time.monotonic()
        time.sleep(0.02)
    if process.returncode:
        raise RuntimeError(f"the run ended with status {process.returncode}")
    end = time.monotonic()
    return end - start, end - (first or end)


def lines(out: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (out / "journal").glob("*.jsonl"))


def records(out: Path) -> dict[tuple[str, int], object]:
    """What the journal says, without seconds and memory."""
    from candidly.compare.sweep.journal import read_results

    return {
        (run.key, record.step): (record.validation, record.test, record.loss, record.diverged_at)
        for run in read_results(out).runs
        for record in run.records
    }


def table(out: Path) -> object:
    """The table as ``bench table --format json`` prints it."""
    text = subprocess.run(
        [sys.executable, "-m", "candidly", "bench", "table", str(out), "--format", "json"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(text)


def kill_once(out: Path, quick: bool, configs: int, wait_s: float, *more: str) -> int:
    """Start, kill ``wait_s`` after the next record, and return how many records there are."""
    before = lines(out)
    process = subprocess.Popen(
        command(out, quick, configs, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while lines(out) == before:
        if process.poll() is not None:
            raise RuntimeError("the run ended before it was killed; make it longer")
        time.sleep(0.005)
    time.sleep(wait_s)
    process.kill()  # SIGKILL, to the parent alone: the workers must notice
    if process.wait() != -9:
        raise RuntimeError("the run ended before it was killed; make it longer")
    while True:
        now = lines(out)
        time.sleep(0.5)
        if lines(out) == now:
            return now


def scenario(
    name: str,
    folder: Path,
    quick: bool,
    alone: Path,
    training: float,
    first: tuple[int, *tuple[str, ...]],
    later: tuple[int, *tuple[str, ...]],
) -> list[Claim]:
    """Kill ``first`` some times, finish with ``later``, and compare with the run left alone."""
    out = folder / name.replace(" ", "-")
    rng = random.Random()  # truly random moments: not seeded
    due, claims = len(records(alone)), []
    for number in range(1, (1 if quick else KILLS) + 1):
        how = first if number == 1 else later
        found = kill_once(out, quick, how[0], rng.uniform(0, training / 6), *how[1:])
        part = f"{name}: records at kill {number}, of {due} when complete"
        claims.append(Claim(part, found, f"1..{due - 1}", 0 < found < due))
    finish(out, quick, later[0], *later[1:])
    same_table, same_records = table(out) == table(alone), records(out) == records(alone)
    claims.append(Claim(f"{name}: same table", same_table, "1", same_table))
    claims.append(Claim(f"{name}: every record bit for bit", same_records, "1", same_records))
    shutil.rmtree(out)
    return claims


def measure(quick: bool) -> list[Claim]:
    configs = 2 if quick else 4
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        alone = folder / "alone"
        seconds, training = finish(alone, quick, configs)
        same, smaller = (configs,), (configs, "--stack", "2")
        shorter = (configs // 2,)
        claims = [Claim("uninterrupted run, s", seconds)]
        for name, first, later in (
            ("same command", same, same),
            ("smaller stacks on resuming", same, smaller),
            ("longer plan on resuming", shorter, same),
        ):
            claims += scenario(name, folder, quick, alone, training, first, later)
    return claims


if __name__ == "__main__":
    main("kill", __doc__ or "", measure)
