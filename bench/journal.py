"""A results directory of a million runs of 60 records: seconds and memory of each command.

Run as ``python bench/journal.py``; it takes some 10 GB below TMPDIR. The directory is made first:
20 data sets, 20 algorithms, 5 or 10 splits and as many configurations as make 10^4, 10^5 and 10^6
runs, with a record each 1,000 of 60,000 updates. Its plan is a real one of real files; its records
hold made-up accuracies, and are written by what writes compact files. One data set in 20 has packed
outcomes of validation rows. Of the runs 1 % are lines beside the compact file, as if they had come
later, until they are compacted; 0.1 % are missing, and the last step of resuming is to pack these
into stacks. Each command is a process of its own; its memory is its peak.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from _bench import Claim, at_most, main
from candidly import from_arrays
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.columns import FIXED, records_of
from candidly.compare.sweep.journal import Journal
from candidly.compare.sweep.packed import write_file
from candidly.compare.sweep.plan import Plan, write_plan
from candidly.compare.sweep.settings import read_settings

ALGORITHMS = (
    *("CC", "PRODEN", "NN", "GA", "CAVL", "LWS", "MCL-GCE", "MCL-MSE", "EXP", "ABS-GCE", "POP"),
    *("PC", "L-W", "Forward", "SCL-NL", "ABS-MAE", "OP-W", "SCL-EXP", "IDGP", "VALEN"),
)
STEPS, EVERY = 60_000, 1_000
RECORDS = STEPS // EVERY
LATER, MISSING = 0.01, 0.001  # shares of the runs
AT_ONCE = 8_192  # runs that are made together
SEEN, TESTED = ("CR", "AA", "AA:plench", "OA"), ("top1", "top5", "balanced")
MEASURES = '[["CR", "AA", "AA:plench", "OA"], ["top1", "top5", "balanced"]]'
TARGETS = {  # seconds for a million runs
    "status": 10.0,
    "table": 30.0,
    "report": 120.0,
    "plan": 60.0,
    "resume": 120.0,
}
GIGABYTES = 4.0  # each command
PEAK = """
import atexit, sys
from pathlib import Path

told = Path(sys.argv.pop(1))


def tell():
    # not ru_maxrss: that of a process that was forked counts what its parent had
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    told.write_text(str(int(peak.split()[1]) * 1024 / 1e9))


atexit.register(tell)
"""
COMMAND = """
from candidly.__main__ import main

main()
"""
RESUME = """
from contextlib import contextmanager

from candidly.compare.benchmarking import prepare
from candidly.compare.sweep import run
from candidly.compare.sweep.settings import read_settings


class Begun(Exception):
    pass


@contextmanager
def nowhere(*where):
    def train(tasks):
        print(sum(len(task.trials) for task in tasks))
        raise Begun

    yield train


run.here = nowhere  # all that comes before training, and no training
plan, loaded = prepare(read_settings(sys.argv[2]))
try:
    run.run_plan(plan, loaded, Path(sys.argv[1]), workers=1)
except Begun:
    pass
"""


@dataclass(frozen=True)
class Size:
    """Of a directory."""

    datasets: int
    algorithms: int
    configs: int
    splits: int

    @property
    def runs(self) -> int:
        return self.datasets * self.algorithms * self.configs * self.splits


SIZES = (Size(20, 20, 5, 5), Size(20, 20, 25, 10), Size(20, 20, 250, 10))
QUICK = (Size(2, 3, 4, 5),)


@dataclass(frozen=True)
class Made:
    """Records of some runs, made when they are asked for; a source of ``write_file``."""

    keys: Sequence[str]  # sorted
    packed: frozenset[str]  # keys of runs with outcomes

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        names = [*(f"test.{n}" for n in TESTED), *(f"validation.{n}" for n in SEEN)]
        return {**FIXED, **dict.fromkeys(names, pl.Float64())}

    @property
    def rows(self) -> int:
        return len(self.keys) * RECORDS

    def pieces(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        for start in range(0, len(self.keys), AT_ONCE):
            yield self._made(self.keys[start : start + AT_ONCE], start).select(names)

    def _made(self, keys: Sequence[str], seed: int) -> pl.DataFrame:
        g = np.random.default_rng(seed)
        m = len(keys)
        step = np.arange(EVERY, STEPS + 1, EVERY)
        ends = g.uniform(0.4, 0.8, (m, 1))
        now = (ends * (1 - np.exp(-step / 9_000)) + 0.02 * g.normal(size=(m, RECORDS))).ravel()
        n = len(now)

        def share(of: int, more: float) -> np.ndarray:
            return np.rint(np.clip(now + more, 0, 1) * of) / of

        has = np.repeat([key in self.packed for key in keys], RECORDS)
        bits = g.integers(0, 256, (n, 36), dtype=np.uint8)
        return pl.DataFrame(
            {
                "key": pl.Series(keys).gather(np.repeat(np.arange(m), RECORDS)),
                "step": np.tile(step, m),
                "measures": pl.Series([MEASURES]).gather(np.zeros(n, int)),
                "loss": 1.0 - now,
                "seconds": np.round(np.tile(step, m) * g.uniform(1e-4, 3e-4, n), 6),
                "memory_bytes": np.repeat(g.integers(3e8, 4e8, m), RECORDS),
                "diverged_at": pl.Series([None], dtype=pl.Int64).gather(np.zeros(n, int)),
                "pruned_at": pl.Series([None], dtype=pl.Int64).gather(np.zeros(n, int)),
                "outcomes": pl.Series(
                    [row.tobytes() if yes else None for row, yes in zip(bits, has)]
                    if has.any()
                    else [None] * n,
                    dtype=pl.Binary,
                ),
                "confusion": pl.Series([None], dtype=pl.Binary).gather(np.zeros(n, int)),
                "validation.CR": share(2_000, 0.1),
                "validation.AA": now - 0.05 + 0.001 * g.normal(size=n),
                "validation.AA:plench": now + 0.001 * g.normal(size=n),
                "validation.OA": share(2_000, 0.01),
                "test.top1": share(2_500, 0.0),
                "test.top5": share(2_500, 0.2),
                "test.balanced": now - 0.01 + 0.001 * g.normal(size=n),
            }
        )


def make(place: Path, size: Size) -> tuple[Path, Path]:
    """A directory, and the file of its settings."""
    g = np.random.default_rng(0)
    files = [place / f"set-{number}.npz" for number in range(size.datasets)]
    for file in files:
        truth = np.arange(400) % 4
        sets = np.eye(4, dtype=bool)[truth] | (g.random((400, 4)) < 0.3)
        inputs = g.normal(size=(400, 3)).astype(np.float32)
        from_arrays(inputs, candidates=sets, truth=truth).save(file)
    asked = place / "settings.toml"
    named = ", ".join(f'"{file}"' for file in files)
    algorithms = ", ".join(f'"{name}"' for name in ALGORITHMS[: size.algorithms])
    asked.write_text(
        f"[bench]\ndatasets = [{named}]\nalgorithms = [{algorithms}]\nconfigs = {size.configs}\n"
        f"splits = {size.splits}\nsteps = {STEPS}\neval_every = {EVERY}\n"
    )
    plan, _ = prepare(read_settings(asked))
    folder = place / "runs"
    folder.mkdir()
    write_plan(folder, plan)
    fill(folder / "journal", plan)
    return folder, asked


def fill(folder: Path, plan: Plan) -> None:
    """The journal: most runs in a compact file, some as lines beside it, some missing."""
    folder.mkdir()
    keys = np.sort([key for group in plan.trials.groups for key in group.keys])
    packed = frozenset(plan.trials.groups[0].keys)
    part = np.random.default_rng(1).random(len(keys))
    compacted, later = keys[part >= LATER + MISSING], keys[part < LATER]
    write_file(folder, [Made(compacted.tolist(), packed)])
    journal = Journal(folder)
    made = Made(later.tolist(), packed)
    for piece in made.pieces(list(made.columns)):
        journal.write(records_of(piece))
    journal.close()


def took(*words: str) -> tuple[float, float, float]:
    """Seconds by the clock and of processors, and gigabytes, of a process: code, its arguments."""
    with tempfile.NamedTemporaryFile() as told:
        begun, before = time.perf_counter(), processor_seconds()
        subprocess.run(
            [sys.executable, "-c", PEAK + words[0], told.name, *words[1:]],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        by_clock, busy = time.perf_counter() - begun, processor_seconds() - before
        return by_clock, busy, float(Path(told.name).read_text())


def processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_in(folder: Path, asked: Path, runs: int) -> list[Claim]:
    """Each command in turn: compacting comes first."""
    bench, where = (COMMAND, "bench"), str(folder)
    there = ("--settings", str(asked), "--out", where)
    commands = {
        "compact": (*bench, "compact", where),
        "status": (*bench, "status", where),
        "table": (*bench, "table", where),
        "report": (*bench, "report", where),
        "plan": (*bench, "plan", "--no-measure", *there),
        "resume": (RESUME, where, str(asked)),
    }
    claims = []
    for name, words in commands.items():
        seconds, busy, memory = took(*words)
        what, most = f"{runs:,} runs, {name}", TARGETS.get(name)
        claim = f"{what}: seconds"
        claims += [
            at_most(claim, seconds, most) if most else Claim(claim, seconds),
            Claim(f"{what}: processor seconds", busy),
            at_most(f"{what}: peak memory, GB", memory, GIGABYTES),
        ]
        told = f"{what}: {seconds:.1f} s, {busy:.1f} of processors, {memory:.2f} GB"
        print(told, file=sys.stderr)
    file = next((folder / "journal").glob("compact-*"))
    return [*claims, Claim(f"{runs:,} runs: journal, MB", file.stat().st_size / 1e6)]


def measure_size(size: Size) -> list[Claim]:
    with tempfile.TemporaryDirectory(prefix="journal-") as place:
        return measure_in(*make(Path(place), size), size.runs)


def measure(quick: bool) -> list[Claim]:
    return [claim for size in (QUICK if quick else SIZES) for claim in measure_size(size)]


if __name__ == "__main__":
    main("journal", __doc__ or "", measure)
