"""How far a sweep is: runs by data set and algorithm, counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .records import Run
from .results import Results


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
    reached, found = results.runs.reached, []
    for group in results.runs.groups:
        complete = reached.complete[group.places]
        found.append(
            RunCounts(
                example=group.first,
                planned=len(complete),
                complete=int(complete.sum()),
                begun=int(((reached.records[group.places] > 0) & ~complete).sum()),
                diverged=int((reached.diverged_at[group.places] >= 0).sum()),
                pruned=int((reached.pruned_at[group.places] >= 0).sum()),
                unfinished=tuple(np.unique(group.splits[~complete]).tolist()),
            )
        )
    return found


def examples(results: Results) -> Sequence[Run]:
    """A run of each data set and algorithm, in the order of the plan."""
    return [group.first for group in results.runs.groups]


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


def told(results: Results) -> Iterator[Told]:
    """Every run, in the order of the plan."""
    reached = results.runs.reached
    for group in results.runs.groups:
        complete = reached.complete[group.places].tolist()
        steps = (reached.diverged_at[group.places], reached.pruned_at[group.places])
        diverged, pruned = ([None if at < 0 else at for at in s.tolist()] for s in steps)
        for number, ends in enumerate(zip(complete, diverged, pruned)):
            yield Told(group.run(number), *ends)
