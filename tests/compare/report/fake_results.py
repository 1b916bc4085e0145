"""Results that look like a sweep's, without training anything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from candidly.compare.sweep.records import Record, Run
from candidly.compare.sweep.results import Results

SKILL = {  # where test accuracy ends up on an easy data set, and how fast it gets there
    "PRODEN": (0.72, 1500),
    "CC": (0.70, 2000),
    "LWS": (0.66, 1200),
    "CAVL": (0.63, 900),
    "ABS-GCE": (0.55, 3500),
    "Forward": (0.47, 4500),
    "CE": (0.58, 700),
    "supervised-oracle": (0.81, 900),
    "cheat": (0.95, 900),
    "x-oracle-free": (0.76, 900),
}
HARDNESS = {"Lost": 1.0, "MSRCv2": 0.66, "Birdsong": 0.97, "YahooNews": 0.86}

READS = {  # what these learn from; others, from candidates
    "supervised-oracle": ("truth",),
    "forward-t:oracle": ("given", "truth"),
    "cheat": ("candidates", "truth"),
}


def make_results(
    datasets=("Lost",),
    algorithms=tuple(SKILL),
    configs=4,
    splits=5,
    steps=10_000,
    every=1000,
    ddof=1,
    seed=0,
    notes=(),
):
    due = (0, *range(every, steps + 1, every))
    runs = []
    for d, dataset in enumerate(datasets):
        for a, algorithm in enumerate(algorithms):
            for config in range(configs):
                for split in range(splits):
                    rng = np.random.default_rng([seed, d, a, config, split])
                    ease = np.random.default_rng([seed, d, split]).normal(0, 0.035)
                    runs.append(_run(rng, ease, due, dataset, algorithm, config, split))
    settings = {
        "datasets": list(datasets),
        "algorithms": list(algorithms),
        "configs": configs,
        "splits": splits,
        "steps": steps,
        "labels": None,
        "variant": "fixed" if ddof else "plench",
    }
    return Results(tuple(runs), settings, ddof, tuple(notes))


def _run(rng, ease, due, dataset, algorithm, config, split):
    top, pace = SKILL.get(algorithm, (0.6, 1500))
    top = top * HARDNESS.get(dataset, 0.8) + ease - 0.03 * config * rng.random()
    key = f"{dataset}-{algorithm}-{config}-{split}"
    records = []
    for step in due:
        true = np.clip(0.08 + (top - 0.08) * (1 - np.exp(-step / pace)), 0, 1)
        oa = np.clip(true + rng.normal(0, 0.02), 0, 1)
        cr = np.clip(oa + (1 - oa) * 0.35 + rng.normal(0, 0.008), 0, 1)
        top1 = float(np.clip(true + rng.normal(0, 0.015), 0, 1).round(4))
        validation = {"CR": cr, "AA": cr * 0.96, "AA:plench": cr * 0.97, "OA": oa}
        records.append(
            Record(
                key=key,
                step=step,
                validation={name: float(np.round(v, 2)) for name, v in validation.items()},
                test={"top1": top1, "top5": min(1.0, top1 + 0.2), "balanced": top1 * 0.9},
                loss=float(2.5 * np.exp(-step / pace)),
                seconds=step * (0.0006 + 0.0002 * (sum(map(ord, algorithm)) % 5)),
                memory_bytes=400 * 2**20 + (sum(map(ord, algorithm)) % 9) * 2**24,
            )
        )
    hyper = {
        "lr": float(10 ** rng.uniform(-4.5, -2.5)) if config else 1e-3,
        "weight_decay": float(10 ** rng.uniform(-6, -3)) if config else 1e-5,
        "batch_size": int(2 ** rng.integers(5, 8)) if config else 128,
    }
    told = (key, dataset, algorithm, config, split, hyper, due, due[1], 100, 113, tuple(records))
    return Run(*told, reads=READS.get(algorithm, ("candidates",)))


def change(results, edit):
    """Results with every run replaced by ``edit(run)``."""
    return replace(results, runs=tuple(edit(run) for run in results.runs))


def diverged(run, at=1):
    """The run as if it had diverged just before its first record at or after step ``at``."""
    gone = [
        replace(
            r,
            validation=dict.fromkeys(r.validation),
            test=dict.fromkeys(r.test),
            loss=None,
            diverged_at=at,
        )
        for r in run.records
        if r.step >= at
    ]
    return replace(run, records=tuple(r for r in run.records if r.step < at) + tuple(gone))


def unfinished(run, records=3):
    return replace(run, records=run.records[:records])
