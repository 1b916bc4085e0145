"""Runs whose records stay in the journal's files and are read as columns, piece by piece.

A pass takes the columns that it needs. Each piece holds all records of its runs, so what a run
needs is computed there, for all runs of a piece at once, and the piece is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

import numpy as np
import polars as pl

from .columns import SortedRows, columns_of, merged, names_of, records_of
from .criterion import Criterion
from .many import Chosen, LastRecords, ManyRuns, Reached, RunGroup
from .parts import Choosing, Ending, Keys, Reaching, RunsPiece
from .plan import Plan, PlannedTrials, run_of
from .records import Record, Run

NEEDED = ("key", "step", "diverged_at", "pruned_at")
PACKED = ("outcomes", "confusion")


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
class StoredRuns(ManyRuns):
    """Planned runs, and where their records are.

    Attributes:
        sources: of records; where several have the same one, that of the first counts.
    """

    sources: Sequence[SortedRows] = ()
    _chosen: dict[str, Chosen] = field(default_factory=dict)
    _ended: list[LastRecords] = field(default_factory=list)  # one, once it is known

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
        into = Reaching(self._keys.count)
        for part in self._parts(NEEDED):
            into.add(part)
        return into.reached(self._keys)

    @property
    def ended(self) -> LastRecords:
        if not self._ended:
            self._pass(())
        return self._ended[0]

    def choose(self, criteria: Collection[Criterion]) -> None:
        missing = [one for one in criteria if one.name not in self._chosen]
        if missing:
            self._pass(missing)

    def chosen(self, criterion: Criterion) -> Chosen:
        self.choose([criterion])
        return self._chosen[criterion.name]

    def _pass(self, criteria: Sequence[Criterion]) -> None:
        """One pass for what these criteria choose, and for whatever else is cheap then."""
        there = columns_of(self.sources)
        test = [name for name in there if name.startswith("test.")]
        choosing = [Choosing(self._keys.count, criterion, test) for criterion in criteria]
        reaching, ending = Reaching(self._keys.count), Ending(self._keys.count)
        wanted = [*NEEDED, "seconds", "memory_bytes", "measures", *test]
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
        there = f"validation.{name}" in columns_of(self.sources)
        found: bool | None = None
        for part in self._parts([*NEEDED, "measures"]):
            found = False
            if not there or any(name in names_of(m)[0] for m in part.frame["measures"].unique()):
                return there
        return found

    def with_keys(self, keys: Collection[str]) -> dict[tuple[str, str], Run]:
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

    def steps(self, keys: Collection[str]) -> dict[str, set[int]]:
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


def runs_in(plan: Plan, sources: Callable[[], Sequence[SortedRows]]) -> StoredRuns:
    """The planned runs with what these sources have of them; the files are looked at meanwhile."""
    with ThreadPoolExecutor(1) as beside:
        looked_at = beside.submit(sources)
        groups = run_groups(plan)
        return StoredRuns(groups, looked_at.result())
