"""The numbers of docs/studies/reproduction.md: published tables beside results directories.

Accuracies are shares, as everywhere in candidly; the published percentages become shares here.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from candidly.compare import published
from candidly.compare.stability import holm
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.records import Run
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells
from candidly.stats import Summary, paired_difference, summarise

ROOT = Path(__file__).parents[2]
EXPLANATIONS = Path(__file__).with_name("explanations.toml")
TITLES = {"lost": "Lost", "msrcv2": "MSRCv2", "birdsong": "BirdSong"}  # by results directory
ORACLE = "lost-train-oracle"
CRITERIA = ("CR", "AA", "OA", "OA & ES")  # the columns of the published tables
CHOSEN_BY = {"AA": "AA:plench"}  # the published AA column was chosen by the program's own AA
COLUMNS = {chosen: column for column, chosen in CHOSEN_BY.items()}
ALPHA = 0.05
LIMIT = 2  # combined standard errors within which two means agree
MOVED = 3  # ranks

Table = Mapping[tuple[str, str], "Published"]  # by algorithm and criterion
Accuracies = Mapping[int, float | None]  # by split: test accuracy of the model that was chosen


@dataclass(frozen=True)
class Published:
    """A number of a published table: a mean and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Row:
    """An algorithm of a results directory; ``last`` is the defaults' last record, unchosen."""

    label: str  # ``CC`` or ``CC:plench``
    finished: int
    planned: int
    diverged: int
    seconds: float
    chosen: Mapping[str, Accuracies]  # by criterion
    last: Accuracies

    @property
    def complete(self) -> bool:
        return self.finished == self.planned


@dataclass(frozen=True)
class Sweep:
    """A results directory of one data set."""

    rows: Mapping[str, Row]  # by label, in the order of the plan
    settings: Mapping[str, Any]
    versions: Mapping[str, int]
    fingerprint: str
    steps: int
    n_test: int
    notes: tuple[str, ...]

    @property
    def variant(self) -> str:
        """The one to hold against published numbers: the released program's where it was run."""
        released = any(label.endswith(":plench") for label in self.rows)
        return "plench" if released or not self.rows else "fixed"

    def label(self, algorithm: str) -> str:
        """Of the algorithm's row that is held against the published one."""
        return algorithm if self.variant == "fixed" else f"{algorithm}:{self.variant}"

    def complete(self, label: str) -> Row | None:
        """The row, if there is one and all its runs are finished."""
        row = self.rows.get(label)
        return row if row and row.complete else None


@dataclass(frozen=True)
class Comparison:
    """A published number and ours."""

    algorithm: str
    criterion: str
    published: Published
    ours: Summary  # with the benchmark's ±: the population standard deviation over √splits
    splits: int

    @property
    def difference(self) -> float:
        assert self.ours.mean is not None
        return self.ours.mean - self.published.mean

    @property
    def combined(self) -> float:
        """The combined standard error."""
        return math.hypot(self.ours.standard_error or 0.0, self.published.error)

    @property
    def away(self) -> float:
        """The difference in combined standard errors."""
        if self.combined == 0:
            return math.copysign(math.inf, self.difference) if self.difference else 0.0
        return self.difference / self.combined

    @property
    def agrees(self) -> bool:
        return abs(self.away) <= LIMIT


@dataclass(frozen=True)
class Ranking:
    """Two variants' orders of the same algorithms. Rank 1 is the best, equal means share one."""

    plench: Mapping[str, float]
    fixed: Mapping[str, float]
    tau: float  # Kendall's tau-b between the means
    swapped: tuple[tuple[str, str], ...]  # (ahead in plench, ahead in fixed)
    sure: tuple[tuple[str, str], ...]  # of those: both leads hold after Holm over all pairs

    @property
    def moved(self) -> list[str]:
        return [name for name, rank in self.plench.items() if abs(rank - self.fixed[name]) >= MOVED]


@dataclass(frozen=True)
class Sources:
    """All that the page is made from."""

    tables: Mapping[str, Table]
    sweeps: Mapping[str, Sweep]  # those that are there, by name of the directory
    explanations: Mapping[tuple[str, str, str], str]


# reading


def read_sources(results: Path) -> Sources:
    tables = read_published()
    wanted = {name: name for name in TITLES} | {ORACLE: "lost"}
    found = {name: read_sweep(results / name, dataset) for name, dataset in wanted.items()}
    sweeps = {name: sweep for name, sweep in found.items() if sweep}
    return Sources(tables, sweeps, read_explanations(tables))


def read_published() -> dict[str, Table]:
    """The published tables by data set, rows in their order."""
    tables: dict[str, Table] = {}
    for name in ("plench-7", "plench-9", "plench-11"):
        table: dict[tuple[str, str], Published] = {}
        for row in published.read(name).iter_rows(named=True):
            number = Published(float(row["mean"]) / 100, float(row["spread"]) / 100)
            table[row["algorithm"], COLUMNS.get(row["criterion"], row["criterion"])] = number
            tables[row["dataset"]] = table
    return tables


def algorithms_of(table: Table) -> list[str]:
    return list(dict.fromkeys(algorithm for algorithm, _ in table))


def read_explanations(
    tables: Mapping[str, Table], path: Path = EXPLANATIONS
) -> dict[tuple[str, str, str], str]:
    """Texts by data set, algorithm and criterion; each ends in the run it rests on.

    Raises:
        ValueError: an entry names no published number, or a run that is not there.
    """
    found = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("explanation", []):
        wanted = {"dataset", "algorithm", "criteria", "text", "run"}
        if set(entry) != wanted:
            raise ValueError(f"{path}: an entry has {sorted(entry)}; it needs {sorted(wanted)}.")
        if not (ROOT / entry["run"]).exists():
            raise ValueError(
                f"{path}: the run {entry['run']!r} is not there. Commit it, or name one."
            )
        for criterion in entry["criteria"]:
            if (entry["algorithm"], criterion) not in tables.get(entry["dataset"], {}):
                raise ValueError(
                    f"{path}: {entry['dataset']}, {entry['algorithm']}, {criterion} is no "
                    "published number. Spell it as candidly bench published does."
                )
            at = (entry["dataset"], entry["algorithm"], criterion)
            found[at] = f"{' '.join(entry['text'].split())} (`{entry['run']}`)"
    return found


def read_sweep(folder: Path, dataset: str) -> Sweep | None:
    """A results directory; None when it is not there.

    Raises:
        ValueError: it is of another data set.
    """
    plan = read_plan(folder)
    if plan is None:
        return None
    if list(plan.facts) != [dataset]:
        raise ValueError(
            f"{folder} holds {', '.join(plan.facts)}, not {dataset}, and would be compared with "
            f"numbers of {dataset}. Use another --out for it."
        )
    results, facts = read_results(folder), plan.facts[dataset]
    return Sweep(
        rows=make_rows(results),
        settings=results.settings,
        versions=plan.versions,
        fingerprint=facts.fingerprint,
        steps=facts.steps,
        n_test=facts.n_test,
        notes=results.notes,
    )


def make_rows(results: Results) -> dict[str, Row]:
    """The algorithms of a directory with one data set."""
    runs: dict[str, list[Run]] = {}
    for run in results.runs:
        runs.setdefault(run.algorithm, []).append(run)
    chosen: dict[str, dict[str, Accuracies]] = {label: {} for label in runs}
    for cell in cells(results, (*CRITERIA, *CHOSEN_BY.values())):
        chosen[cell.algorithm][cell.criterion] = dict(zip(cell.splits, cell.values("top1")))
    return {
        label: Row(
            label=label,
            finished=sum(run.complete for run in mine),
            planned=len(mine),
            diverged=sum(run.diverged_at is not None for run in mine),
            seconds=sum(run.records[-1].seconds for run in mine if run.records),
            chosen=chosen[label],
            last={
                run.split: run.records[-1].test.get("top1") if run.complete else None
                for run in mine
                if run.config == 0
            },
        )
        for label, mine in runs.items()
    }


# comparing


def compare(table: Table, sweep: Sweep | None, right_aa: bool = False) -> list[Comparison]:
    """Every published number whose row is complete, beside ours.

    Args:
        right_aa: choose the AA column by the AA as meant, not by the program's.
    """
    found = []
    for (algorithm, criterion), theirs in table.items():
        row = sweep.complete(sweep.label(algorithm)) if sweep else None
        by = criterion if right_aa else CHOSEN_BY.get(criterion, criterion)
        ours = summarise(list(row.chosen[by].values()), ddof=0) if row else None
        if ours and ours.count:
            found.append(Comparison(algorithm, criterion, theirs, ours, len(row.last)))
    return found


def paired(first: Accuracies, second: Accuracies) -> Summary:
    """Summary of ``first - second`` over their splits, with the sample standard deviation.

    Raises:
        ValueError: they are of different splits.
    """
    if set(first) != set(second):
        raise ValueError(
            f"splits {sorted(first)} cannot be paired with {sorted(second)}. Run both "
            "directories with the same --splits and --seed."
        )
    return paired_difference([first[s] for s in first], [second[s] for s in first])


def p_of(difference: Summary) -> float:
    """Two-sided p of Student's t test that a mean is 0; 1 from fewer than two values."""
    from scipy.special import stdtr

    if difference.mean is None or difference.standard_error is None:
        return 1.0
    if difference.standard_error == 0:
        return float(difference.mean == 0)
    away = abs(difference.mean) / difference.standard_error
    return 2 * float(stdtr(difference.count - 1, -away))


def mean_of(accuracies: Accuracies) -> float | None:
    return summarise(list(accuracies.values())).mean


def averaged(several: Sequence[Accuracies]) -> Accuracies:
    """By split, the mean over ``several``; None where one of them has no value."""
    means: dict[int, float | None] = {}
    for split in several[0]:
        values = [one[split] for one in several]
        means[split] = None if None in values else summarise(values).mean
    return means


def rank(plench: Mapping[str, Accuracies], fixed: Mapping[str, Accuracies]) -> Ranking:
    """Both variants' orders of at least two algorithms, by mean accuracy.

    The p of a pair is the larger one of its two paired t tests, one a variant; Holm's correction is
    over all pairs, whether they change order or not.
    """
    from scipy.stats import kendalltau, rankdata

    names = list(plench)
    # rounded, so that equal accuracies summed in another order stay equal
    means = [[round(mean_of(v[name]), 9) for name in names] for v in (plench, fixed)]
    ranks = [dict(zip(names, map(float, rankdata([-m for m in mine])))) for mine in means]
    pairs = list(itertools.combinations(names, 2))
    p = [max(p_of(paired(v[a], v[b])) for v in (plench, fixed)) for a, b in pairs]
    swapped, sure = [], []
    for pair, adjusted in zip(pairs, holm(np.array(p))):
        ahead, behind = sorted(pair, key=lambda name: ranks[0][name])
        if ranks[0][ahead] < ranks[0][behind] and ranks[1][ahead] > ranks[1][behind]:
            swapped.append((ahead, behind))
            if adjusted <= ALPHA:
                sure.append((ahead, behind))
    tau = float(kendalltau(*means).statistic)
    return Ranking(ranks[0], ranks[1], tau, tuple(swapped), tuple(sure))
