"""From the records of a sweep to the cells of a table: which model each criterion chooses.

Inside a run, a criterion takes the record with the highest value, the earliest among equals; OA
takes the last record. Across the configurations of a split the highest value wins, the largest
configuration seed among equals. ``last`` selects nothing: it takes the last record of the default
configuration. What is reported is the test accuracy of that record. ``peak`` looks at the test rows
themselves: it is no way to choose, but the oracle that bounds all of them.
Only complete runs take part; from the record at which a run diverged, it has no values, and behind
the one at which a search stopped it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...stats import Summary, summarise
from ...stats.criteria import best_record
from ...stats.metrics import METRICS
from .counts import examples
from .criterion import (
    CRITERIA,
    DEFAULT,
    UNSELECTED,
    Criterion,
    lookup_criterion,
    usual,
)
from .records import Record, Run
from .results import Results

if TYPE_CHECKING:
    from .parts import Chosen, RunGroup
    from .runs import Runs


@dataclass(frozen=True)
class Choice:
    """The model a criterion chose on one split, and what it scores on the test rows."""

    split: int
    config: int
    step: int
    value: float | None  # of the criterion; None where it compares nothing
    test: Mapping[str, float | None]
    hyper: Mapping[str, float | int]
    key: str
    ties: int  # configurations that share the value, this one included
    error: float | None = None  # standard error of the value, where one is known
    cost: int | None = None  # updates times networks, up to the record
    warm_up: bool = False  # the record lies before the method's own stage


@dataclass(frozen=True)
class Cell:
    """One number of a table, and all that stands behind it.

    ``choices`` has one entry per entry of ``splits``: None where no run is complete, or all
    diverged. ``state`` is ``complete`` when every planned run is, ``diverged`` when all of them
    diverged and left nothing to choose on any split, and ``incomplete`` otherwise. ``diverged``
    counts runs that diverged at some record; ``oracle_labels`` how many true labels were looked
    up, of validation rows or by ``peak`` of test rows, or trained on by the complete runs. ``own``
    summarises the criterion's own values of the choices; where the data is ``untested``, there is
    no other number. ``reads`` are the labels that the algorithm learns from.
    """

    dataset: str
    algorithm: str
    criterion: str
    state: Literal["complete", "incomplete", "diverged"]
    splits: tuple[int, ...]
    choices: tuple[Choice | None, ...]
    finished: int
    planned: int
    diverged: int
    oracle_labels: int
    summary: Mapping[str, Summary]  # by the names of METRICS
    own: Summary
    untested: bool = False
    reads: tuple[str, ...] = ()

    @property
    def oracle(self) -> bool:
        """Whether the algorithm is told the truth, whatever it is called."""
        return "truth" in self.reads

    @property
    def warm_ups(self) -> int:
        """Of how many choices the record lies before the method's own stage."""
        return sum(choice.warm_up for choice in self.choices if choice)

    def values(self, metric: str) -> list[float | None]:
        """The chosen models' ``metric``, one per split."""
        return [choice.test.get(metric) if choice else None for choice in self.choices]


def trained_on_validation(results: Results) -> bool:
    """Whether the true labels of the validation rows were trained on (``train-oracle``)."""
    return any(run.mode == "train-oracle" for run in examples(results))


def usual_criteria(results: Results) -> tuple[str, ...]:
    """The criteria of a table that nobody asked anything else of.

    Without true labels none that reads them. Candidate sets have CR and AA; given labels have NVA,
    unless the directory is from before that was recorded: there, without candidate sets, CR is the
    same number.
    """
    if trained_on_validation(results):
        return UNSELECTED
    runs = examples(results)
    names = usual({name for run in runs for name in run.reads})
    own = [CRITERIA[name] for name in names if name not in DEFAULT]
    if any(results.runs.measures(one.measure or "") is False for one in own):
        names = DEFAULT  # it is from before these were recorded
    if results.runs.untested >= {run.dataset for run in runs}:
        names = tuple(name for name in names if not CRITERIA[name].reads_truth)
    return names


def cells(results: Results, criteria: Sequence[str] | None = None) -> list[Cell]:
    """Every cell: criterion by criterion, data sets and algorithms in the order of the plan.

    Args:
        criteria: names; by default the usual ones.

    Raises:
        UnknownName: a criterion that is not in ``CRITERIA``.
    """
    criteria = usual_criteria(results) if criteria is None else criteria
    asked = [lookup_criterion(name) for name in criteria]
    results.runs.choose(asked)
    return [cell for criterion in asked for cell in _cells(results.runs, criterion, results.ddof)]


def chosen_record(run: Run, criterion: Criterion) -> Record | None:
    """The record of a run that the criterion takes; None when no record has a value."""
    records = eligible(run, criterion)
    best = best_record([value_of(record, criterion) for record in records])
    return None if best is None else records[best]


def eligible(run: Run, criterion: Criterion) -> list[Record]:
    """The records of a run that the criterion compares."""
    records = run.records[-1:] if criterion.last_record_only else run.records
    return [record for record in records if record.step >= run.selectable_from]


def value_of(record: Record, criterion: Criterion) -> float | None:
    """What the criterion says of a record; None where its run had diverged or was stopped."""
    if record.diverged_at is not None or record.pruned_at is not None:
        return None
    if criterion.measure is None:
        return 0.0  # all the same
    return (record.test if criterion.on_test else record.validation).get(criterion.measure)


def _cells(runs: Runs, criterion: Criterion, ddof: int) -> Iterator[Cell]:
    """The criterion's cell of every group: the best of each split among complete runs."""
    chosen, reached = runs.chosen(criterion), runs.reached
    for group in runs.groups:
        complete = reached.complete[group.places]
        diverged = int((reached.diverged_at[group.places] >= 0).sum())
        splits = tuple(np.unique(group.splits).tolist())
        found = _choices(group, chosen, complete, criterion)
        choices = tuple(found.get(split) for split in splits)
        state: Literal["complete", "incomplete", "diverged"] = "complete"
        if not complete.all():
            state = "incomplete"
        elif not found and diverged == len(complete):
            state = "diverged"
        yield Cell(
            dataset=group.first.dataset,
            algorithm=group.first.algorithm,
            criterion=criterion.name,
            state=state,
            splits=splits,
            choices=choices,
            finished=int(complete.sum()),
            planned=len(complete),
            diverged=diverged,
            oracle_labels=_oracle_labels(group, chosen, complete, criterion),
            summary={
                metric: summarise([c.test.get(metric) if c else None for c in choices], ddof)
                for metric in METRICS
            },
            own=summarise([c.value if c else None for c in choices], ddof),
            untested=group.first.dataset in runs.untested,
            reads=group.first.reads,
        )


def _choices(
    group: RunGroup, chosen: Chosen, complete: np.ndarray, criterion: Criterion
) -> dict[int, Choice]:
    """What the criterion chooses by split, where a complete run has a value."""
    values = chosen.values[group.places]
    there = complete & ~np.isnan(values)
    if criterion.defaults_only:
        there = there & (group.configs == 0)
    best: dict[int, tuple[int, int]] = {}  # which run, and how many are tied with it
    for split in np.unique(group.splits[there]).tolist():
        mine = np.flatnonzero(there & (group.splits == split))
        tied = mine[values[mine] == values[mine].max()]
        best[split] = int(tied[group.configs[tied].argmax()]), len(tied)
    records = chosen.rows([group.start + number for number, _ in best.values()])
    found = {}
    for (split, (number, ties)), record in zip(best.items(), records):
        run = group.run(number)
        found[split] = Choice(
            split=split,
            config=run.config,
            step=record["step"],
            value=None if criterion.measure is None else float(values[number]),
            test={name: record[f"test.{name}"] for name in json.loads(record["measures"])[1]},
            hyper=run.hyper,
            key=run.key,
            ties=ties,
            error=record.get("error"),
            cost=run.cost(record["step"]),
            warm_up=bool(record.get("warm_up")),
        )
    return found


def _oracle_labels(
    group: RunGroup, chosen: Chosen, complete: np.ndarray, criterion: Criterion
) -> int:
    """How many true labels the complete runs were chosen by, or trained on."""
    run = group.first
    if run.mode == "train-oracle":
        return run.n_validation * int(complete.sum())
    if not criterion.reads_truth:
        return 0
    looked_at = int(chosen.consulted[group.places][complete].sum())
    return looked_at * (run.n_test if criterion.on_test else run.n_validation)
