"""Planned runs and their records, ten or a million: records are columns, read piece by piece.

They stay in the journal's files, or are one frame in memory. A pass takes the columns that it
needs. Each piece holds all records of its runs, so what a run needs is computed there, for all runs
of a piece at once, and the piece is forgotten. As a sequence they are ``Run`` objects with all
their records; whoever goes through that sequence has all of them in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import overload

import numpy as np
import polars as pl

from .columns import (
    FrameRows,
    SortedRows,
    columns_of,
    frame_of,
    in_order,
    merged,
    names_of,
    records_of,
)
from .criterion import Criterion
from .parts import (
    Choosing,
    Chosen,
    Ending,
    Keys,
    LastRecords,
    Reached,
    Reaching,
    RunGroup,
    RunsPiece,
)
from .plan import Plan, PlannedTrials, run_of
from .records import Record, Run

NEEDED = ("key", "step", "diverged_at", "pruned_at")
PACKED = ("outcomes", "confusion", "right")


def _grouped(runs: Sequence[Run]) -> RunGroup:
    """Runs of one data set and algorithm as a group, the first of all."""
    first = replace(runs[0], records=())
    group = RunGroup(
        first,
        0,
        [run.key for run in runs],
        np.array([run.config for run in runs], np.int64),
        np.array([run.split for run in runs], np.int64),
        [run.hyper for run in runs],
    )
    for number, run in enumerate(runs):
        if group.run(number, run.records) != run:
            raise ValueError(
                f"the runs of {first.algorithm} on {first.dataset} differ in more than "
                "configuration, split, hyper-parameters and key."
            )
    return group


def _numbered(groups: Iterable[RunGroup]) -> tuple[RunGroup, ...]:
    """The groups one behind the other."""
    found: list[RunGroup] = []
    for group in groups:
        found.append(replace(group, start=found[-1].places.stop if found else 0))
    return tuple(found)


def run_groups(plan: Plan) -> tuple[RunGroup, ...]:
    """The planned runs by data set and algorithm; of a plan that asks for all of them at once."""
    groups: list[RunGroup] = []
    start = 0
    trials = plan.trials
    assert isinstance(trials, PlannedTrials)
    for one in trials.groups:
        configs, splits, hyper, _ = zip(*one.rows)
        first = run_of(plan, one.first)
        groups.append(RunGroup(first, start, one.keys, np.array(configs), np.array(splits), hyper))
        start += len(one.rows)
    return tuple(groups)


@dataclass(frozen=True, eq=False)
class Runs(Sequence[Run]):
    """Planned runs, and where their records are.

    Attributes:
        groups: the runs by data set and algorithm. Arrays have an entry per run, in this order.
        sources: the sources of records; where several have the same one, that of the first counts.
    """

    groups: tuple[RunGroup, ...]
    sources: Sequence[SortedRows] = ()
    _chosen: dict[str, Chosen] = field(default_factory=dict)
    _ended: list[LastRecords] = field(default_factory=list)  # one, once it is known

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Runs:
        """Runs that are objects, by group.

        Raises:
            ValueError: runs of one data set and algorithm differ in more than configuration, split,
                hyper-parameters and key, or runs with one key in their records.
        """
        groups: dict[tuple[str, str], list[Run]] = {}
        by_key: dict[str, Run] = {}
        for run in runs:
            groups.setdefault((run.dataset, run.algorithm), []).append(run)
            if by_key.setdefault(run.key, run).records != run.records:
                raise ValueError(f"two runs have the key {run.key!r}, and different records.")
        records = [record for run in by_key.values() for record in run.records]
        sources = [FrameRows(in_order([frame_of(records)]))] if records else []
        return cls(_numbered(map(_grouped, groups.values())), sources)

    def only(self, algorithms: Collection[str]) -> Runs:
        """The runs of these algorithms."""
        mine = (group for group in self.groups if group.first.algorithm in algorithms)
        return Runs(_numbered(mine), self.sources)

    def due(self, steps: Callable[[Run], Sequence[int]]) -> Runs:
        """The same runs, of which no other records are due than at ``steps(first of a group)``."""
        groups = (
            replace(group, first=replace(group.first, record_steps=tuple(steps(group.first))))
            for group in self.groups
        )
        return Runs(tuple(groups), self.sources)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(key for group in self.groups for key in group.keys))

    def __len__(self) -> int:
        return self.groups[-1].places.stop if self.groups else 0

    @overload
    def __getitem__(self, at: int) -> Run: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Run]: ...

    def __getitem__(self, at: int | slice) -> Run | Sequence[Run]:
        return self._all[at]

    def __iter__(self) -> Iterator[Run]:
        return iter(self._all)

    @cached_property
    def _all(self) -> tuple[Run, ...]:
        """Every run with its records: an object for each."""
        found = self._records(None, packed=True)
        return tuple(
            group.run(number, found.get(key, ()))
            for group in self.groups
            for number, key in enumerate(group.keys)
        )

    # passes

    @cached_property
    def reached(self) -> Reached:
        """How far each run is."""
        into = Reaching(self._keys.count)
        for part in self._parts(NEEDED):
            into.add(part)
        return into.reached(self._keys)

    @property
    def ended(self) -> LastRecords:
        """What each run has taken."""
        if not self._ended:
            self._pass(())
        return self._ended[0]

    def choose(self, criteria: Collection[Criterion]) -> None:
        """Look for what several criteria choose in one pass, so that ``chosen`` knows it."""
        missing = [one for one in criteria if one.name not in self._chosen]
        if missing:
            self._pass(missing)

    def chosen(self, criterion: Criterion) -> Chosen:
        """The record of each run that a criterion takes."""
        self.choose([criterion])
        return self._chosen[criterion.name]

    def _pass(self, criteria: Sequence[Criterion]) -> None:
        """One pass for what these criteria choose, and for whatever else is cheap then."""
        there = columns_of(self.sources)
        test = [name for name in there if name.startswith("test.")]
        choosing = [Choosing(self._keys.count, criterion, test) for criterion in criteria]
        reaching, ending = Reaching(self._keys.count), Ending(self._keys.count)
        wanted = [*NEEDED, "seconds", "memory_bytes", "measures", "warm_up", *test]
        wanted += [name for one in choosing for name in one.measured]
        for part in self._parts([name for name in dict.fromkeys(wanted) if name in there]):
            reaching.add(part)
            ending.add(part)
            for one in choosing:
                one.add(part)
        self.__dict__.setdefault("reached", reaching.reached(self._keys))
        self._ended[:] = [ending.ended(self._keys)]
        for one in choosing:
            self._chosen[one.criterion.name] = one.chosen(self._keys)

    @cached_property
    def untested(self) -> set[str]:
        """Data sets without true labels: no record has a test accuracy, and not by divergence."""
        names = list(dict.fromkeys(group.first.dataset for group in self.groups))
        of_group = np.array([names.index(group.first.dataset) for group in self.groups])
        of_run = np.repeat(of_group, [len(group.keys) for group in self.groups])
        lives, shown = np.zeros((2, self._keys.count), bool)
        recorded, tested = np.zeros((2, len(names)), bool)
        test = [name for name in columns_of(self.sources) if name.startswith("test.")]
        for part in self._parts([*NEEDED, *test]):
            values = part.frame.select(
                pl.any_horizontal(pl.lit(False), *(pl.col(name).is_not_null() for name in test))
            )
            with_value = part.alive & values.to_series().to_numpy()
            lives[part.slots] = np.logical_or.reduceat(part.alive, part.starts)
            shown[part.slots] = np.logical_or.reduceat(with_value, part.starts)
            recorded[of_run[lives[self._keys.of_runs]]] = True
            tested[of_run[shown[self._keys.of_runs]]] = True
            if tested.all():
                break
        return {name for name, r, t in zip(names, recorded, tested) if r and not t}

    def measures(self, name: str) -> bool | None:
        """Whether any record has a validation measure of that name; None without records."""
        there = f"validation.{name}" in columns_of(self.sources)
        found: bool | None = None
        for part in self._parts([*NEEDED, "measures"]):
            found = False
            if not there or any(name in names_of(m)[0] for m in part.frame["measures"].unique()):
                return there
        return found

    def with_keys(self, keys: Collection[str]) -> dict[tuple[str, str], Run]:
        """Runs with their records, by data set and key; packed outcomes are left out."""
        asked = set(keys)
        missing = asked - self._records_of.keys()
        if missing:
            self._records_of.update(self._records(missing, packed=False))
        return {
            (group.first.dataset, key): group.run(number, self._records_of.get(key, ()))
            for group in self.groups
            for number, key in enumerate(group.keys)
            if key in asked
        }

    @cached_property
    def _records_of(self) -> dict[str, tuple[Record, ...]]:
        """Records that were asked for, by key."""
        return {}

    def right(self, chosen: Collection[tuple[str, int]]) -> dict[tuple[str, int], bytes]:
        """Which test rows were predicted right, packed, by key and step of a record.

        Records that do not say it are left out.
        """
        if "right" not in columns_of(self.sources):
            return {}
        missing = set(chosen) - self._right_of.keys()
        if missing:
            asked = pl.Series(sorted({key for key, _ in missing}), dtype=pl.String).implode()
            self._right_of.update(dict.fromkeys(missing))
            for part in self._parts([*NEEDED, "right"], asked):
                rows = part.frame.select("key", "step", "right").iter_rows()
                self._right_of.update(
                    {(key, step): bits for key, step, bits in rows if (key, step) in missing}
                )
        return {one: bits for one in chosen if (bits := self._right_of[one]) is not None}

    @cached_property
    def _right_of(self) -> dict[tuple[str, int], bytes | None]:
        """What ``right`` has been asked for."""
        return {}

    def _records(self, keys: Collection[str] | None, packed: bool) -> dict[str, tuple[Record, ...]]:
        """The due records of these runs, or of all, by key."""
        names = [name for name in columns_of(self.sources) if packed or name not in PACKED]
        asked = None if keys is None else pl.Series(sorted(keys), dtype=pl.String).implode()
        found: dict[str, tuple[Record, ...]] = {}
        for part in self._parts(names, asked):
            records = list(records_of(part.frame))
            for start, length in zip(part.starts.tolist(), part.lengths.tolist()):
                found[records[start].key] = tuple(records[start : start + length])
        return found

    @property
    def slots(self) -> np.ndarray:
        """Int64 (R,): the ``slot`` that a run's records have in ``records()``."""
        return self._keys.of_runs

    def records(self) -> pl.DataFrame:
        """All due records by key and step, without what is packed; ``slot`` says of which run."""
        names = [name for name in columns_of(self.sources) if name not in PACKED]
        parts = [
            part.frame.with_columns(slot=pl.Series(np.repeat(part.slots, part.lengths)))
            for part in self._parts(names)
        ]
        if parts:
            return pl.concat(parts)
        kinds = columns_of(self.sources)
        return pl.DataFrame(schema={**{name: kinds[name] for name in names}, "slot": pl.Int64})

    def steps(self, keys: Collection[str]) -> dict[str, set[int]]:
        """The steps of the due records of these runs, by key; those without one are left out."""
        asked = pl.Series(sorted(keys), dtype=pl.String).implode()
        return {
            self._keys.names[slot]: set(part.step[start : start + length].tolist())
            for part in self._parts(NEEDED, asked)
            for slot, start, length in zip(part.slots, part.starts, part.lengths)
        }

    def _parts(self, names: Sequence[str], asked: pl.Series | None = None) -> Iterator[RunsPiece]:
        """Pieces with these columns, of planned runs and due records alone."""
        kinds = columns_of(self.sources)
        for piece in merged(self.sources, {name: kinds[name] for name in names}):
            if asked is not None:
                piece = piece.filter(pl.col("key").is_in(asked))
            if piece.height and (part := self._keys.part(piece)) is not None:
                yield part

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self.groups)


def runs_in(plan: Plan, sources: Callable[[], Sequence[SortedRows]]) -> Runs:
    """The planned runs with what these sources have of them; the files are looked at meanwhile."""
    with ThreadPoolExecutor(1) as beside:
        looked_at = beside.submit(sources)
        groups = run_groups(plan)
        return Runs(groups, looked_at.result())
