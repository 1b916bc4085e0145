"""bench report: the page of 250,000 records, from the journal, in a process of its own.

Run as ``python bench/report_page.py``. The results directory is made first: ten data sets, 21
algorithms, 20 configurations, 5 splits and 12 records of made-up accuracies: 252,000 records.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from _bench import Claim, at_most, main
from candidly import from_arrays
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.journal import Journal
from candidly.compare.sweep.plan import planned_runs, write_plan
from candidly.compare.sweep.records import Record
from candidly.compare.sweep.settings import make_settings

ALGORITHMS = (
    *("CC", "PRODEN", "NN", "GA", "CAVL", "LWS", "MCL-GCE", "MCL-MSE", "EXP", "ABS-GCE", "POP"),
    *("PC", "L-W", "Forward", "SCL-NL", "ABS-MAE", "OP-W", "SCL-EXP", "IDGP", "VALEN", "PiCO"),
)
DATASETS, CONFIGS, SPLITS, STEPS, EVERY = 10, 20, 5, 12_000, 1_000
SECONDS, GIGABYTES, MEGABYTES = 20.0, 1.0, 5.0
REPORT = """
import sys, time
from candidly.ground.process import peak_memory_bytes
from candidly.compare.report import results_document
from candidly.compare.sweep.journal import read_results

begun = time.perf_counter()
results = read_results(sys.argv[1])
results_document(results).write(sys.argv[2])
records = sum(len(run.records) for run in results.runs)
print(time.perf_counter() - begun, peak_memory_bytes() / 1e9, records)
"""


def make(folder: Path, datasets: int) -> None:
    """A results directory that is complete, of made-up accuracies."""
    g = np.random.default_rng(0)
    truth = np.arange(400) % 4
    sets = np.eye(4, dtype=bool)[truth] | (g.random((400, 4)) < 0.3)
    data = from_arrays(g.normal(size=(400, 3)).astype(np.float32), candidates=sets, truth=truth)
    own = {f"set-{k}": data for k in range(datasets)}
    settings = make_settings(
        datasets=tuple(own),
        algorithms=ALGORITHMS,
        configs=CONFIGS,
        splits=SPLITS,
        steps=STEPS,
        eval_every=EVERY,
    )
    plan, _ = prepare(settings, own=own)
    write_plan(folder, plan)
    skill = dict(zip(ALGORITHMS, g.uniform(0.4, 0.8, len(ALGORITHMS))))
    journal = Journal(folder / "journal")
    for run in planned_runs(plan):
        ends = skill[run.algorithm] + 0.03 * g.normal()
        journal.write([record(run.key, step, ends, g) for step in run.record_steps])
    journal.close()


def record(key: str, step: int, ends: float, g: np.random.Generator) -> Record:
    now = float(ends * (1 - np.exp(-step / 2_000)) + 0.02 * g.normal())
    test = {"top1": now, "top5": min(1.0, now + 0.2), "balanced": now - 0.01}
    seen = {"CR": now + 0.1, "AA": now - 0.05, "AA:plench": now, "OA": now + 0.01}
    return Record(key, step, seen, test, 1.0 - now, step * 1e-4, 300 * 2**20)


def measure(quick: bool) -> list[Claim]:
    with tempfile.TemporaryDirectory() as place:
        folder, page = Path(place) / "runs", Path(place) / "report.html"
        folder.mkdir()
        make(folder, 1 if quick else DATASETS)
        done = subprocess.run(
            [sys.executable, "-c", REPORT, str(folder), str(page)],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, memory, records = map(float, done.stdout.split())
        size = page.stat().st_size / 1e6
    what = f"report of {records:,.0f} records"
    return [
        at_most(f"{what}: seconds", seconds, SECONDS),
        at_most(f"{what}: peak memory, GB", memory, GIGABYTES),
        at_most(f"{what}: page, MB", size, MEGABYTES),
    ]


if __name__ == "__main__":
    main("report_page", __doc__ or "", measure)
