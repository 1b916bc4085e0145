"""Groups of runs, pieces of records as columns, and what is kept of each run of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from .criterion import Criterion
from .records import Record, Run

NEVER = -1  # of steps


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one data set and algorithm; they differ in configuration, split, values and key.

    Attributes:
        first: of them, without records.
        start: its place among all runs; the others follow it.
        keys: the key of each, m.
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
        table: a frame with columns ``step``, ``measures``, ``test.NAME`` and, where they are
            known, ``warm_up`` and the ``error`` of the value.
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


class Keys:
    """Keys by number: a slot for each. Two runs of one content have the same key, and one slot."""

    def __init__(self, groups: Sequence[RunGroup]):
        sizes = [len(group.keys) for group in groups]
        every = list(chain.from_iterable(group.keys for group in groups))
        self.names = list(dict.fromkeys(every))
        self.count = len(self.names)
        self.slot_of = dict(zip(self.names, range(self.count)))
        self.of_runs = np.arange(len(every))
        if self.count < len(every):
            self.of_runs = np.array([self.slot_of[key] for key in every], np.int64)
        rules: dict[tuple[tuple[int, ...], int], int] = {}
        of_group = [
            rules.setdefault((group.first.record_steps, group.first.selectable_from), len(rules))
            for group in groups
        ]
        self.rule = np.zeros(self.count, np.int64)
        self.rule[self.of_runs] = np.repeat(np.array(of_group, np.int64), sizes)
        self.due = [np.array(steps, np.int64) for steps, _ in rules]
        self.first = np.array([first for _, first in rules], np.int64)
        self.planned = np.array([len(steps) for steps in self.due], np.int64)

    def part(self, piece: pl.DataFrame) -> RunsPiece | None:
        """What is planned and due of a piece, by run; None where nothing is."""
        keys = piece["key"]
        starts = np.flatnonzero((keys != keys.shift(1)).fill_null(True).to_numpy())
        slots = np.array([self.slot_of.get(key, -1) for key in keys.gather(starts)], np.int64)
        lengths = np.diff(starts, append=len(keys))
        rules = np.where(slots >= 0, self.rule[slots], -1)
        step = piece["step"].to_numpy()
        due = np.zeros(len(step), bool)
        of_records = np.repeat(rules, lengths)
        for rule in np.unique(rules[rules >= 0]):
            steps = self.due[rule]
            if not len(steps):
                continue
            at = np.searchsorted(steps, step).clip(max=len(steps) - 1)
            due |= (steps[at] == step) & (of_records == rule)
        if not due.all():
            piece, step = piece.filter(pl.Series(due)), step[due]
            lengths = np.add.reduceat(due, starts, dtype=np.int64)
            slots, rules = slots[lengths > 0], rules[lengths > 0]
            lengths = lengths[lengths > 0]
            starts = np.cumsum(lengths) - lengths
        if not piece.height:
            return None
        return RunsPiece(piece, slots, starts, lengths, step, self.first[rules])


@dataclass(frozen=True, eq=False)
class RunsPiece:
    """Due records of p runs, n in all, run by run in order of steps.

    Attributes:
        frame: n rows.
        slots, starts, lengths, first: int64 (p,): which run, where its records begin, how many
            there are, and the first step that a criterion may choose.
        step: int64 (n,).
    """

    frame: pl.DataFrame
    slots: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    step: np.ndarray
    first: np.ndarray

    @cached_property
    def owners(self) -> np.ndarray:
        """Which of the p runs each record is of."""
        return np.repeat(np.arange(len(self.slots)), self.lengths)

    @property
    def last(self) -> np.ndarray:
        """The last record of each run."""
        return self.starts + self.lengths - 1

    @cached_property
    def alive(self) -> np.ndarray:
        """Bool (n,): neither diverged nor stopped."""
        gone = self.frame["diverged_at"].is_not_null() | self.frame["pruned_at"].is_not_null()
        return ~gone.to_numpy()

    @cached_property
    def eligible(self) -> np.ndarray:
        """Bool (n,): what a criterion may choose."""
        return (self.step >= self.first[self.owners]) & self.alive

    def firsts(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first record of each run where the mask holds: rows, and which of the p runs."""
        rows = np.flatnonzero(mask)
        owners = self.owners[rows]
        new = np.diff(owners, prepend=-1) != 0
        return rows[new], owners[new]

    def values(self, name: str) -> np.ndarray:
        """Float64 (n,): a column, NaN where there is no value."""
        if name not in self.frame.columns:
            return np.full(len(self.step), np.nan)
        return self.frame[name].cast(pl.Float64).to_numpy()


class Reaching:
    """Adds up how far runs are."""

    def __init__(self, count: int):
        self.records = np.zeros(count, np.int64)
        self.diverged_at, self.pruned_at = np.full((2, count), NEVER)

    def add(self, part: RunsPiece) -> None:
        self.records[part.slots] = part.lengths
        for name, into in (("diverged_at", self.diverged_at), ("pruned_at", self.pruned_at)):
            column = part.frame[name]
            if column.null_count() < len(column):
                rows, owners = part.firsts(column.is_not_null().to_numpy())
                into[part.slots[owners]] = column.gather(rows).to_numpy()

    def reached(self, keys: Keys) -> Reached:
        complete = self.records == keys.planned[keys.rule]
        every = self.records, complete, self.diverged_at, self.pruned_at
        return Reached(*(values[keys.of_runs] for values in every))


class Ending:
    """Collects what the last records of runs say."""

    def __init__(self, count: int):
        self.step, self.memory_bytes = np.zeros((2, count), np.int64)
        self.seconds = np.zeros(count)

    def add(self, part: RunsPiece) -> None:
        self.step[part.slots] = part.step[part.last]
        self.seconds[part.slots] = part.frame["seconds"].gather(part.last).to_numpy()
        self.memory_bytes[part.slots] = part.frame["memory_bytes"].gather(part.last).to_numpy()

    def ended(self, keys: Keys) -> LastRecords:
        every = self.step, self.seconds, self.memory_bytes
        return LastRecords(*(values[keys.of_runs] for values in every))


class Choosing:
    """Collects what one criterion chooses; see ``select`` for the rule."""

    def __init__(self, count: int, criterion: Criterion, test: Sequence[str]):
        self.criterion = criterion
        self.values = np.full(count, np.nan)
        self.consulted = np.zeros(count, np.int64)
        self.places = np.full(count, NEVER)
        self.frames: list[pl.DataFrame] = []
        self.rows = 0
        part, measure = ("test" if criterion.on_test else "validation"), criterion.measure
        self.value = f"{part}.{measure}"
        self.error = f"validation.{measure} error"
        self.measured = () if measure is None else (self.value, self.error)
        self.kept = ["step", "measures", "warm_up", *test]

    def add(self, part: RunsPiece) -> None:
        values = part.values(self.value) if self.measured else np.zeros(len(part.step))
        there = part.eligible & ~np.isnan(values)
        if self.criterion.last_record_only:
            ends = np.zeros(len(there), bool)
            ends[part.last] = True
            there = there & ends
        self.consulted[part.slots] = np.add.reduceat(there, part.starts, dtype=np.int64)
        compared = np.where(there, values, -np.inf)
        best = np.maximum.reduceat(compared, part.starts)
        rows, owners = part.firsts(there & (compared == best[part.owners]))
        slots = part.slots[owners]
        self.values[slots] = values[rows]
        self.places[slots] = self.rows + np.arange(len(rows))
        self.rows += len(rows)
        kept = [name for name in self.kept if name in part.frame.columns]
        table = part.frame.select(kept)[rows]
        if self.error in part.frame.columns:
            table = table.with_columns(part.frame[self.error].gather(rows).alias("error"))
        self.frames.append(table)

    def chosen(self, keys: Keys) -> Chosen:
        table = pl.concat(self.frames, how="diagonal") if self.frames else pl.DataFrame()
        values, consulted = self.values[keys.of_runs], self.consulted[keys.of_runs]
        return Chosen(values, consulted, self.places[keys.of_runs], table)
