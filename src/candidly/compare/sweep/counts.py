"""How far a sweep is: runs by data set and algorithm, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .many import ManyRuns
from .records import Results, Run


@dataclass(frozen=True)
class RunCounts:
    """Runs of one data set and algorithm.

    Attributes:
        example: one of them, the first.
        complete: with all records; begun: with some.
        unfinished: splits with runs that are not complete.
    """

    example: Run
    planned: int
    complete: int
    begun: int
    diverged: int
    pruned: int
    unfinished: tuple[int, ...]

    @property
    def dataset(self) -> str:
        return self.example.dataset

    @property
    def algorithm(self) -> str:
        return self.example.algorithm


def counted(results: Results) -> list[RunCounts]:
    """Each data set and algorithm, in the order of the plan."""
    if isinstance(results.runs, ManyRuns):
        return list(_counts_of_many(results.runs))
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        groups.setdefault((run.dataset, run.algorithm), []).append(run)
    return [
        RunCounts(
            example=runs[0],
            planned=len(runs),
            complete=sum(run.complete for run in runs),
            begun=sum(bool(run.records) and not run.complete for run in runs),
            diverged=sum(run.diverged_at is not None for run in runs),
            pruned=sum(run.pruned_at is not None for run in runs),
            unfinished=tuple(sorted({run.split for run in runs if not run.complete})),
        )
        for runs in groups.values()
    ]


def _counts_of_many(runs: ManyRuns) -> Iterator[RunCounts]:
    reached = runs.reached
    for group in runs.groups:
        complete = reached.complete[group.places]
        yield RunCounts(
            example=group.first,
            planned=len(complete),
            complete=int(complete.sum()),
            begun=int(((reached.records[group.places] > 0) & ~complete).sum()),
            diverged=int((reached.diverged_at[group.places] >= 0).sum()),
            pruned=int((reached.pruned_at[group.places] >= 0).sum()),
            unfinished=tuple(np.unique(group.splits[~complete]).tolist()),
        )


def examples(results: Results) -> Sequence[Run]:
    """Runs that have the data sets, algorithms and modes of all, in the order of the plan."""
    runs = results.runs
    return [group.first for group in runs.groups] if isinstance(runs, ManyRuns) else runs


def labels_read(results: Results) -> dict[str, tuple[str, ...]]:
    """Which labels each algorithm learns from; what has ``truth`` among them is an oracle."""
    found: dict[str, set[str]] = {}
    for run in examples(results):
        found.setdefault(run.algorithm, set()).update(run.reads)
    return {name: tuple(sorted(read)) for name, read in found.items()}


@dataclass(frozen=True)
class Told:
    """A run without its records, and what they come to."""

    run: Run
    complete: bool
    diverged_at: int | None
    pruned_at: int | None


def told(results: Results) -> Iterable[Told]:
    """Every run, in the order of the plan."""
    runs = results.runs
    if not isinstance(runs, ManyRuns):
        return (Told(run, run.complete, run.diverged_at, run.pruned_at) for run in runs)
    return _told_of_many(runs)


def _told_of_many(runs: ManyRuns) -> Iterator[Told]:
    reached = runs.reached
    for group in runs.groups:
        complete = reached.complete[group.places].tolist()
        steps = (reached.diverged_at[group.places], reached.pruned_at[group.places])
        diverged, pruned = ([None if at < 0 else at for at in s.tolist()] for s in steps)
        for number, ends in enumerate(zip(complete, diverged, pruned)):
            yield Told(group.run(number), *ends)
