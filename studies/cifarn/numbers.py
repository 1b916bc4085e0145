"""The numbers of docs/studies/cifarn.md, from the committed results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.records import Run
from candidly.compare.sweep.select import cells
from candidly.stats import Summary, paired_difference, summarise
from candidly.stats.rank_correlation import Correlation, correlation

from .published import read_leaderboard
from .runs import LABEL_SETS, LEARNED, sweeps

CRITERION = "NVA"
BASE = "ce"  # whose processor time is 1
LEAST = 3  # algorithms, for an order of them


@dataclass(frozen=True)
class Row:
    """An algorithm on a set of labels.

    Attributes:
        best, last, selected: test accuracies, one per split, of the epoch that is best on the test
            rows, of the last and of the one that accuracy on noisy validation labels chooses; None
            where a run diverged.
        curve: test accuracy after each epoch, the mean of the splits; None likewise.
        seconds: of the processor, for a run; the mean.
        diverged: runs.
    """

    algorithm: str
    best: tuple[float | None, ...]
    last: tuple[float | None, ...]
    selected: tuple[float | None, ...]
    curve: tuple[float | None, ...]
    seconds: float
    diverged: int

    @property
    def lost(self) -> Summary:
        """What selecting loses against the best."""
        return paired_difference(self.best, self.selected)

    @property
    def gained(self) -> Summary:
        """What selecting gains on the last."""
        return paired_difference(self.selected, self.last)


def mean(values: Iterable[float | None]) -> float:
    """NaN where one is missing."""
    return float(np.mean([np.nan if value is None else value for value in values]))


Table = Mapping[str, Row]  # by algorithm


@dataclass(frozen=True)
class Study:
    """What was trained and what was detected.

    Attributes:
        tables: by part of the study, as ``Sweep.part`` names it.
        about: sizes of what was trained, validated and tested on.
        detection: by set of labels.
        rules: what the other label columns say, a line for a rule and a set.
        labels: how many labels of each set are wrong, real and synthetic.
    """

    tables: Mapping[str, Table]
    about: Mapping[str, int]
    detection: Mapping[str, Mapping[str, Any]]
    rules: Sequence[Mapping[str, Any]]
    labels: Sequence[Mapping[str, Any]]


def read_study(folder: Path) -> Study:
    """What is in the committed files; sweeps that are not there are left out."""
    tables: dict[str, dict[str, Row]] = {}
    about: dict[str, int] = {}
    for sweep in sweeps():
        if (folder / sweep.name / "plan.json").exists():
            results = read_results(folder / sweep.name)
            run = results.runs[0]
            about = {"train": run.n_train or 0, "validation": run.n_validation, "test": run.n_test}
            tables.setdefault(sweep.part, {}).update(_rows(results))
    detection = {
        path.stem.removeprefix("detection-"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("detection-*.json"))
    }
    rules, labels = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("rules", "labels")
    )
    return Study(tables, about, detection, rules, labels)


def _rows(results: Any) -> dict[str, Row]:
    chosen = {cell.algorithm: tuple(cell.values("top1")) for cell in cells(results, [CRITERION])}
    rows = {}
    for name in dict.fromkeys(run.algorithm for run in results.runs):
        runs = [run for run in results.runs if run.algorithm == name and run.complete]
        if not runs:
            continue
        curves = [_curve(run) for run in runs]
        rows[name] = Row(
            name,
            tuple(max((v for v in curve if v is not None), default=None) for curve in curves),
            tuple(curve[-1] for curve in curves),
            tuple(chosen[name][run.split] for run in runs),
            tuple(summarise(list(values)).mean for values in zip(*curves)),
            float(np.mean([run.records[-1].seconds for run in runs])),
            sum(run.diverged_at is not None for run in runs),
        )
    return rows


def _curve(run: Run) -> list[float | None]:
    return [record.test.get("top1") for record in run.records]


def spread(table: Table) -> float:
    """The standard deviation between two splits of the selected accuracy, over algorithms."""
    pairs = [row.selected for row in table.values() if len(row.selected) > 1]
    there = [pair for pair in pairs if None not in pair]
    return float(np.sqrt(np.mean([np.var(pair, ddof=1) for pair in there]))) if there else np.nan


def beside_the_board(
    table: Table, protocol: str, labels: str
) -> tuple[Correlation | None, tuple[str, ...]]:
    """Kendall's tau between ours and a leaderboard, epochs chosen alike, and whom they share.

    No tau of fewer than ``LEAST``.
    """
    board = read_leaderboard(protocol, labels)
    ours = {name: _like(table[name], protocol) for name in board if name in table}
    names = tuple(name for name, value in ours.items() if not np.isnan(value))
    return _tau([(ours[name], board[name]) for name in names]), names


def _like(row: Row, protocol: str) -> float:
    return mean(row.selected if protocol == "selected" else row.best)


def agreement(one: Table, other: Table) -> tuple[Correlation | None, int]:
    """Kendall's tau between the selected accuracies of two tables, and of how many algorithms."""
    pairs = [
        (mean(row.selected), mean(other[name].selected))
        for name, row in one.items()
        if name in other
    ]
    there = [pair for pair in pairs if not np.isnan(pair).any()]
    return _tau(there), len(there)


def _tau(pairs: Sequence[tuple[float, float]]) -> Correlation | None:
    if len(pairs) < LEAST:
        return None
    x, y = np.array(pairs).T
    return correlation(x, y, by="kendall")


def trained(study: Study) -> list[str]:
    """Label sets of which there is something to show."""
    return [name for name in LABEL_SETS if BASE in study.tables.get(name, {})]


def learned(study: Study) -> list[str]:
    """Algorithms that were trained without views on both sets of labels."""
    return [name for name in LEARNED if all(name in table for table in panels(study).values())]


def panels(study: Study) -> dict[str, Table]:
    first = LABEL_SETS[0]
    return {
        f"{first}, real": study.tables.get(f"{first}-plain", {}),
        f"{first}, synthetic": study.tables.get(f"{first}-synthetic-plain", {}),
    }


def fall(row: Row) -> float:
    return mean(row.best) - mean(row.last)
