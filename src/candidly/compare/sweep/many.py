"""Runs of which there are too many for an object each: what tables and reports ask of them.

``stored.StoredRuns`` answers from a journal's columns. As a sequence they are runs like any others,
with all their records; whoever goes through that sequence has all of them in memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .criterion import Criterion
from .records import Record, Run


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one data set and algorithm; they differ in configuration, split, values and key.

    Attributes:
        first: of them, without records.
        start: its place among all runs; the others follow it.
        keys: of each, m.
        configs, splits: int64 (m,).
        hyper: of each, m.
    """

    first: Run
    start: int
    keys: Sequence[str]
    configs: np.ndarray
    splits: np.ndarray
    hyper: Sequence[Mapping[str, float | int]]

    @property
    def name(self) -> tuple[str, str]:
        """Data set and algorithm."""
        return self.first.dataset, self.first.algorithm

    @property
    def places(self) -> slice:
        """Of its runs among all."""
        return slice(self.start, self.start + len(self.keys))

    def run(self, number: int, records: tuple[Record, ...] = ()) -> Run:
        """One of them, with these records."""
        return replace(
            self.first,
            key=self.keys[number],
            config=int(self.configs[number]),
            split=int(self.splits[number]),
            hyper=self.hyper[number],
            records=records,
        )


@dataclass(frozen=True, eq=False)
class Reached:
    """How far each of R runs is.

    Attributes:
        records: int64 (R,), those that are due.
        complete: bool (R,), whether all are there.
        diverged_at, pruned_at: int64 (R,), -1 for a run that did not diverge, or was not stopped.
    """

    records: np.ndarray
    complete: np.ndarray
    diverged_at: np.ndarray
    pruned_at: np.ndarray


@dataclass(frozen=True, eq=False)
class Chosen:
    """The record of each of R runs that a criterion takes.

    Attributes:
        values: float64 (R,), what the criterion says of it; NaN where no record has a value.
        consulted: int64 (R,), records of which a value was looked at.
        places: int64 (R,), rows of ``table``; -1 where there is none.
        table: a frame with columns ``step``, ``measures``, ``test.NAME`` and, where it is known,
            ``error`` of the value.
    """

    values: np.ndarray
    consulted: np.ndarray
    places: np.ndarray
    table: Any

    def rows(self, runs: Sequence[int]) -> list[dict[str, Any]]:
        """The records of some runs that have one."""
        return self.table[self.places[list(runs)]].to_dicts()

    def metric(self, name: str) -> np.ndarray:
        """Float64 (R,): a number of the test rows; NaN where there is none."""
        found = np.full(len(self.places), np.nan)
        column = f"test.{name}"
        if column in self.table.columns:
            there = self.places >= 0
            found[there] = self.table[column].to_numpy()[self.places[there]]
        return found


@dataclass(frozen=True, eq=False)
class LastRecords:
    """The last due record of each of R runs: all 0 for a run without one."""

    step: np.ndarray
    seconds: np.ndarray
    memory_bytes: np.ndarray


@dataclass(frozen=True, eq=False)
class ManyRuns(Sequence[Run]):
    """See above. Arrays have an entry per run, in the order of the plan."""

    groups: tuple[RunGroup, ...]

    def __len__(self) -> int:
        return self.groups[-1].places.stop if self.groups else 0

    @property
    @abstractmethod
    def reached(self) -> Reached:
        """How far each run is."""

    @property
    @abstractmethod
    def ended(self) -> LastRecords:
        """What each run has taken."""

    @property
    @abstractmethod
    def untested(self) -> set[str]:
        """See ``select.untested``."""

    @abstractmethod
    def measures(self, name: str) -> bool | None:
        """Whether any record has a validation measure of that name; None without records."""

    @abstractmethod
    def choose(self, criteria: Collection[Criterion]) -> None:
        """Look for what several criteria choose in one pass, so that ``chosen`` knows it."""

    @abstractmethod
    def chosen(self, criterion: Criterion) -> Chosen:
        """The record of each run that a criterion takes."""

    @abstractmethod
    def steps(self, keys: Collection[str]) -> dict[str, set[int]]:
        """The steps of the due records of these runs, by key; those without one are left out."""

    @abstractmethod
    def with_keys(self, keys: Collection[str]) -> dict[tuple[str, str], Run]:
        """Runs with their records, by data set and key; packed outcomes are left out."""
