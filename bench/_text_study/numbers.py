"""The numbers of docs/text.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from candidly.stats import Summary, interval, paired_difference
from candidly.sweep.journal import read_results

from .runs import sweeps

BASE = "ce"


@dataclass(frozen=True)
class Row:
    """An algorithm under one noise: test accuracies, one per split, NaN where a run diverged.

    Attributes:
        best, selected, last: of the epoch that is best on the test rows, of the one that accuracy
            on noisy validation rows chooses, and of the last.
        five: top-5, of the selected epoch.
        curve: after each epoch, the mean of the splits.
    """

    best: tuple[float, ...]
    selected: tuple[float, ...]
    last: tuple[float, ...]
    five: tuple[float, ...]
    curve: tuple[float, ...]


Study = Mapping[tuple[str, int], Mapping[str, Row]]  # by noise and percent, by algorithm


def read_study(folder: Path) -> Study:
    """What is in the committed files; sweeps that are not there are left out."""
    study: dict[tuple[str, int], dict[str, Row]] = {}
    for sweep in sweeps():
        if (folder / sweep.name / "plan.json").exists():
            runs = read_results(folder / sweep.name).runs
            rows = study.setdefault((sweep.kind, sweep.percent), {})
            for name in dict.fromkeys(run.algorithm for run in runs):
                rows[name] = _row([run for run in runs if run.algorithm == name])
    return study


def _row(runs: list) -> Row:
    tests, fives, noisy = (
        np.array([[_number(read(record)) for record in run.records] for run in runs])
        for read in (
            lambda record: record.test.get("top1"),
            lambda record: record.test.get("top5"),
            lambda record: record.validation.get("NVA"),
        )
    )
    chosen = np.where(np.isnan(noisy), -1, noisy).argmax(1)
    each = np.arange(len(runs))
    return Row(
        tuple(tests.max(1)),
        tuple(tests[each, chosen]),
        tuple(tests[:, -1]),
        tuple(fives[each, chosen]),
        tuple(tests.mean(0)),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def gain(rows: Mapping[str, Row], name: str) -> tuple[Summary, tuple[float, float] | None]:
    """Selected accuracy against cross-entropy's, split by split, and its 95 % interval."""
    found = paired_difference(rows[name].selected, rows[BASE].selected)
    return found, interval(found)
