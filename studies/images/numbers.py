"""The numbers of docs/studies/images.md, from the results directories and measured memory."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells
from candidly.stats.rank_correlation import kendall

from .runs import LABEL_SETS, TUNED, sweeps

CRITERIA = ("CR", "AA", "OA", "OA & ES")
BASE = "CC"  # whose processor time is 1


@dataclass(frozen=True)
class Row:
    """An algorithm on a label set.

    Attributes:
        accuracy: by criterion, the chosen records' test accuracies, one per split; None where a
            run diverged before there was anything to choose.
        seconds: of the processor, for a run; the mean.
        planned, finished, diverged: runs.
    """

    algorithm: str
    accuracy: Mapping[str, tuple[float | None, ...]]
    seconds: float
    planned: int
    finished: int
    diverged: int

    def mean(self, criterion: str) -> float:
        """NaN where a split has no value."""
        values = [np.nan if one is None else one for one in self.accuracy[criterion]]
        return float(np.mean(values))


@dataclass(frozen=True)
class OnLabels:
    """All algorithms on a label set, and Figure 1's question there.

    Attributes:
        tuned: by algorithm, the test accuracies where true validation labels chose one of the
            configurations and the record; ``trained``: those of the last record of the defaults
            with these labels among the training rows; ``neither``: of the defaults, chosen by CR.
    """

    rows: Mapping[str, Row]
    about: Mapping[str, float]
    tuned: Mapping[str, tuple[float | None, ...]]
    trained: Mapping[str, tuple[float | None, ...]]
    neither: Mapping[str, tuple[float | None, ...]]

    def ranks(self, criterion: str) -> dict[str, int]:
        """1 for the highest mean; equal ones share a rank."""
        means = {name: row.mean(criterion) for name, row in self.rows.items()}
        return {
            name: 1 + sum(other > mean for other in means.values()) for name, mean in means.items()
        }

    def agreement(self, one: str, other: str) -> float:
        """Kendall's tau-b between the means under two criteria."""
        pairs = [(row.mean(one), row.mean(other)) for row in self.rows.values()]
        there = np.array([pair for pair in pairs if not np.isnan(pair).any()])
        return kendall(there[:, 0], there[:, 1])

    def cost(self, algorithm: str) -> float:
        """Processor time of a run, times that of ``BASE``."""
        return self.rows[algorithm].seconds / self.rows[BASE].seconds


def read_study(folder: Path) -> dict[str, OnLabels]:
    """By label set, what is in the committed directories."""
    read = {sweep.name: read_results(folder / sweep.name) for sweep in sweeps()}
    return {key: _on_labels(key, read) for key in LABEL_SETS}


def _on_labels(key: str, read: Mapping[str, Results]) -> OnLabels:
    rows: dict[str, Row] = {}
    for sweep in sweeps():
        compared = not sweep.name.endswith(("-tuned", "-trained"))
        if sweep.label_set == key and compared:
            rows |= _rows(read[sweep.name])
    tuned, trained = read[f"{key}-tuned"], read[f"{key}-trained"]
    return OnLabels(
        rows,
        _about(read[f"{key}-others"]),
        _chosen(tuned, "OA & ES"),
        _chosen(trained, "last"),
        {name: rows[name].accuracy["CR"] for name in TUNED},
    )


def _about(results: Results) -> dict[str, float]:
    """Sizes of what was trained and tested on."""
    run = results.runs[0]
    return {"train": run.n_train, "validation": run.n_validation, "test": run.n_test}


def _chosen(results: Results, criterion: str) -> dict[str, tuple[float | None, ...]]:
    return {cell.algorithm: tuple(cell.values("top1")) for cell in cells(results, [criterion])}


def _rows(results: Results) -> dict[str, Row]:
    chosen = {criterion: _chosen(results, criterion) for criterion in CRITERIA}
    rows = {}
    for name in dict.fromkeys(run.algorithm for run in results.runs):
        runs = [run for run in results.runs if run.algorithm == name]
        rows[name] = Row(
            name,
            {criterion: chosen[criterion][name] for criterion in CRITERIA},
            statistics.mean(run.records[-1].seconds for run in runs if run.records),
            len(runs),
            sum(run.complete for run in runs),
            sum(run.diverged_at is not None for run in runs),
        )
    return rows


def spread(study: Mapping[str, OnLabels], criterion: str = "CR") -> float:
    """The standard deviation between splits, pooled over algorithms and label sets."""
    pairs = [
        row.accuracy[criterion]
        for labels in study.values()
        for row in labels.rows.values()
        if None not in row.accuracy[criterion]
    ]
    return float(np.sqrt(np.mean([np.var(pair, ddof=1) for pair in pairs])))


def mean_ranks(study: Mapping[str, OnLabels], criterion: str = "CR") -> dict[str, float]:
    """Each algorithm's mean rank over the label sets."""
    ranks = [labels.ranks(criterion) for labels in study.values()]
    return {name: statistics.mean(each[name] for each in ranks) for name in ranks[0]}


def read_memory(file: Path, net: str) -> dict[str, float]:
    """Peak memory of a process that trains this network, in GB by algorithm."""
    claims: Sequence[Mapping] = json.loads(file.read_text(encoding="utf-8"))["claims"]
    start = f"{net}, peak GB: "
    return {
        claim["name"].removeprefix(start): claim["value"]
        for claim in claims
        if claim["name"].startswith(start)
    }
