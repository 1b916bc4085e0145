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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...stats import Summary, summarise
from ...stats.criteria import best_configuration, best_record, count_best
from ...stats.metrics import METRICS
from .counts import examples
from .criterion import (
    CRITERIA,
    DEFAULT,
    UNSELECTED,
    USUAL,
    Criterion,
    lookup_criterion,
)
from .many import Chosen, ManyRuns
from .records import Record, Results, Run


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
    learned = frozenset(name for run in runs for name in run.reads if name != "truth")
    usual = USUAL.get(learned, DEFAULT)
    if usual != DEFAULT and _measured(results, "NVA") is False:  # from before it was recorded
        usual = DEFAULT
    if untested(results.runs) >= {run.dataset for run in runs}:
        usual = tuple(name for name in usual if not CRITERIA[name].reads_truth)
    return usual


def _measured(results: Results, name: str) -> bool | None:
    """Whether any record has that measure; None without records."""
    if isinstance(results.runs, ManyRuns):
        return results.runs.measures(name)
    records = [record for run in results.runs for record in run.records]
    return any(name in record.validation for record in records) if records else None


def untested(runs: Sequence[Run]) -> set[str]:
    """Data sets without true labels: no record has a test accuracy, and not by divergence."""
    if isinstance(runs, ManyRuns):
        return runs.untested
    recorded, tested = set(), set()
    for run in runs:
        if run.dataset in tested:
            continue
        there = [r for r in run.records if r.diverged_at is None and r.pruned_at is None]
        recorded |= {run.dataset} if there else set()
        if any(value is not None for record in there for value in record.test.values()):
            tested.add(run.dataset)
    return recorded - tested


def cells(results: Results, criteria: Sequence[str] | None = None) -> list[Cell]:
    """Every cell: criterion by criterion, data sets and algorithms in the order of the plan.

    Args:
        criteria: names; by default the usual ones.

    Raises:
        UnknownName: a criterion that is not in ``CRITERIA``.
    """
    criteria = usual_criteria(results) if criteria is None else criteria
    asked = [lookup_criterion(name) for name in criteria]
    if isinstance(results.runs, ManyRuns):
        return _cells_of_many(results.runs, asked, results.ddof)
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        groups.setdefault((run.dataset, run.algorithm), []).append(run)
    blind = untested(results.runs)
    return [
        _cell(dataset, algorithm, criterion, runs, results.ddof, dataset in blind)
        for criterion in asked
        for (dataset, algorithm), runs in groups.items()
    ]


def chosen_record(run: Run, criterion: Criterion) -> Record | None:
    """The record of a run that the criterion takes; None when no record has a value."""
    records = eligible(run, criterion)
    best = best_record([value_of(record, criterion) for record in records])
    return None if best is None else records[best]


def _cell(
    dataset: str,
    algorithm: str,
    criterion: Criterion,
    runs: Sequence[Run],
    ddof: int,
    blind: bool,
) -> Cell:
    splits = tuple(sorted({run.split for run in runs}))
    complete = [run for run in runs if run.complete]
    return _made_cell(
        (dataset, algorithm, criterion.name),
        splits,
        [
            _choose(split, [run for run in complete if run.split == split], criterion)
            for split in splits
        ],
        finished=len(complete),
        planned=len(runs),
        diverged=sum(run.diverged_at is not None for run in runs),
        oracle_labels=sum(_oracle_labels(run, criterion) for run in complete),
        ddof=ddof,
        blind=blind,
        reads=runs[0].reads,
    )


def _made_cell(
    name: tuple[str, str, str],
    splits: Sequence[int],
    choices: Sequence[Choice | None],
    *,
    finished: int,
    planned: int,
    diverged: int,
    oracle_labels: int,
    ddof: int,
    blind: bool,
    reads: tuple[str, ...],
) -> Cell:
    state: Literal["complete", "incomplete", "diverged"] = "complete"
    if finished < planned:
        state = "incomplete"
    elif not any(choices) and diverged == planned:
        state = "diverged"
    dataset, algorithm, criterion = name
    return Cell(
        dataset=dataset,
        algorithm=algorithm,
        criterion=criterion,
        state=state,
        splits=tuple(splits),
        choices=tuple(choices),
        finished=finished,
        planned=planned,
        diverged=diverged,
        oracle_labels=oracle_labels,
        summary={
            metric: summarise([c.test.get(metric) if c else None for c in choices], ddof)
            for metric in METRICS
        },
        own=summarise([c.value if c else None for c in choices], ddof),
        untested=blind,
        reads=reads,
    )


def _choose(split: int, runs: Sequence[Run], criterion: Criterion) -> Choice | None:
    """The winner among the complete runs of one split."""
    runs = sorted(runs, key=lambda run: run.config)
    if criterion.defaults_only:
        runs = [run for run in runs if run.config == 0]
    records = [chosen_record(run, criterion) for run in runs]
    values = [None if record is None else value_of(record, criterion) for record in records]
    best = best_configuration(values)
    if best is None:
        return None
    run, record, value = runs[best], records[best], values[best]
    assert record is not None
    assert value is not None
    return Choice(
        split=split,
        config=run.config,
        step=record.step,
        value=None if criterion.measure is None else value,
        test=record.test,
        hyper=run.hyper,
        key=run.key,
        ties=count_best(values),
        error=record.validation.get(f"{criterion.measure} error"),
        cost=run.cost(record.step),
    )


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


def _oracle_labels(run: Run, criterion: Criterion) -> int:
    if run.mode == "train-oracle":
        return run.n_validation
    if not criterion.reads_truth:
        return 0
    consulted = (value_of(record, criterion) for record in eligible(run, criterion))
    rows = run.n_test if criterion.on_test else run.n_validation
    return rows * sum(value is not None for value in consulted)


# the same from columns: what each run's choice is, is known, and the best of each split is left


def _cells_of_many(runs: ManyRuns, criteria: Sequence[Criterion], ddof: int) -> list[Cell]:
    runs.choose(criteria)
    reached, blind = runs.reached, runs.untested
    made = []
    for criterion in criteria:
        chosen = runs.chosen(criterion)
        choices = _choices(runs, chosen, criterion, _winners(runs, chosen, criterion))
        for at, group in enumerate(runs.groups):
            complete = reached.complete[group.places]
            splits = np.unique(group.splits).tolist()
            consulted = int(chosen.consulted[group.places][complete].sum())
            made.append(
                _made_cell(
                    (*group.name, criterion.name),
                    splits,
                    [choices.get((at, split)) for split in splits],
                    finished=int(complete.sum()),
                    planned=len(complete),
                    diverged=int((reached.diverged_at[group.places] >= 0).sum()),
                    oracle_labels=_labels_read(group.first, criterion, consulted, complete),
                    ddof=ddof,
                    blind=group.first.dataset in blind,
                    reads=group.first.reads,
                )
            )
    return made


def _winners(
    runs: ManyRuns, chosen: Chosen, criterion: Criterion
) -> dict[tuple[int, int], tuple[int, int]]:
    """By group and split, the number of its best complete run, and how many are tied with it.

    See ``_choose``. A split is left out where no run has a value.
    """
    found = {}
    for at, group in enumerate(runs.groups):
        values = chosen.values[group.places]
        there = runs.reached.complete[group.places] & ~np.isnan(values)
        if criterion.defaults_only:
            there = there & (group.configs == 0)
        for split in np.unique(group.splits[there]).tolist():
            mine = np.flatnonzero(there & (group.splits == split))
            tied = mine[values[mine] == values[mine].max()]
            found[at, split] = int(tied[group.configs[tied].argmax()]), len(tied)
    return found


def _choices(
    runs: ManyRuns,
    chosen: Chosen,
    criterion: Criterion,
    winners: Mapping[tuple[int, int], tuple[int, int]],
) -> dict[tuple[int, int], Choice]:
    """The winners with what their records say, by group and split."""
    numbers = [runs.groups[at].start + number for (at, _), (number, _) in winners.items()]
    found = {}
    for (place, (number, ties)), row in zip(winners.items(), chosen.rows(numbers)):
        at, split = place
        group = runs.groups[at]
        run = group.run(number)
        value = float(chosen.values[group.start + number])
        found[place] = Choice(
            split=split,
            config=run.config,
            step=row["step"],
            value=None if criterion.measure is None else value,
            test={name: row[f"test.{name}"] for name in json.loads(row["measures"])[1]},
            hyper=run.hyper,
            key=run.key,
            ties=ties,
            error=row.get("error"),
            cost=run.cost(row["step"]),
        )
    return found


def _labels_read(run: Run, criterion: Criterion, consulted: int, complete: np.ndarray) -> int:
    """How many true labels were looked up, or trained on; see ``_oracle_labels``."""
    if run.mode == "train-oracle":
        return run.n_validation * int(complete.sum())
    if not criterion.reads_truth:
        return 0
    return consulted * (run.n_test if criterion.on_test else run.n_validation)
