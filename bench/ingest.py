"""Reading a table: ``candidly.read`` beside polars and pandas reading the same CSV file.

The file has a million rows of 19 numbers and a column of ten labels. Each side reads it in a
process of its own, as memory is a process's; they take turns. ``candidly.read`` also finds out the
separator, checks lines and ids, and makes a float64 array and the labels, which others do not.

    python bench/ingest.py            a minute or two; writes bench/results/ingest.json
    python bench/ingest.py --quick    20,000 rows; writes nothing
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from _bench import Claim, at_most, main, median_ratio

ROWS, COLUMNS, CLASSES = 1_000_000, 20, 10
SIDES = {
    "candidly": "import candidly; candidly.read",
    "polars": "import polars; polars.read_csv",
    "pandas": "import pandas; pandas.read_csv",
}
CHILD = """
import json, sys, time
sys.argv = ["candidly"]
from candidly.ground.process import peak_memory_bytes
{load}({small!r})
before = peak_memory_bytes()
started = time.perf_counter()
read = {load}({path!r})
seconds = time.perf_counter() - started
print(json.dumps([seconds, peak_memory_bytes() - before]))
"""


def write(path: Path, rows: int) -> None:
    random = np.random.default_rng(0)
    columns = {f"c{k}": random.normal(size=rows).round(4) for k in range(COLUMNS - 1)}
    columns["label"] = np.array([f"class {k}" for k in range(CLASSES)])[
        random.integers(0, CLASSES, rows)
    ]
    pl.DataFrame(columns).write_csv(path)


def read_once(name: str, path: Path, small: Path) -> tuple[float, float]:
    """Seconds, and bytes at the most beyond what the process took before."""
    setup, _, load = SIDES[name].partition("; ")
    code = f"{setup}\n" + CHILD.format(load=load, small=str(small), path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, more = json.loads(done.stdout)
    return seconds, more


def measure(quick: bool) -> list[Claim]:
    rows, rounds = (20_000, 1) if quick else (ROWS, 5)
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder, "t.csv"), Path(folder, "small.csv")
        write(path, rows)
        write(small, 1000)
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in SIDES}
        for _ in range(rounds):
            for name, done in runs.items():
                done.append(read_once(name, path, small))
        size = path.stat().st_size
    seconds = {name: [one for one, _ in done] for name, done in runs.items()}
    more = {name: statistics.median(one for _, one in done) / 1e6 for name, done in runs.items()}
    shape = f"{rows:,} x {COLUMNS}"
    best = min(seconds["candidly"])
    return [
        Claim(f"{shape}: the file, MB", size / 1e6),
        at_most(f"{shape}: candidly.read, the fastest of {rounds}, s", best, 3),
        at_most(
            f"{shape}: candidly.read to polars.read_csv, median ratio",
            median_ratio(seconds["candidly"], seconds["polars"]),
            20 if quick else 3,
        ),
        Claim(
            f"{shape}: candidly.read to pandas.read_csv, median ratio",
            median_ratio(seconds["candidly"], seconds["pandas"]),
        ),
        *(Claim(f"{shape}: {name}, memory at the most, MB", mb) for name, mb in more.items()),
    ]


if __name__ == "__main__":
    main("ingest", __doc__ or "", measure)
