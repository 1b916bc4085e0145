"""What stopping costs: the best, the last and the selected record of the runs that were chosen.

The best record is found on the test rows. That makes it an oracle: the maximum of many noisy
accuracies, which nobody can choose by, and which hides what a network memorises later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...stats import Summary, paired_difference, summarise
from .records import Run
from .results import Results
from .select import Cell, cells, eligible, lookup_criterion, usual_criteria, value_of


@dataclass(frozen=True)
class Gap:
    """Test accuracy of three records of the same runs, one run per split.

    Attributes:
        runs: those that ``criterion`` chose, one per split where there is one.
        best: of the record with the highest test accuracy, an oracle.
        last: of the last record; without those that diverged.
        selected: of the record that the criterion chose.
        lost: best minus selected, paired over splits: what choosing costs.
        gained: selected minus last, paired: what choosing is worth.
        updates: updates of networks of the runs, the largest.
        warm_ups: of how many runs the selected record lies before the method's own stage.
        epochs: times that each training row was seen by a network, the largest; None if unknown.
    """

    dataset: str
    algorithm: str
    criterion: str
    runs: int
    splits: int
    complete: bool
    best: Summary
    last: Summary
    selected: Summary
    lost: Summary
    gained: Summary
    updates: int
    epochs: float | None
    warm_ups: int = 0


def gaps(
    results: Results,
    criterion: str | None = None,
    metric: str = "top1",
    chosen: Sequence[Cell] | None = None,
) -> list[Gap]:
    """The gap of every data set and algorithm, in the order of the plan.

    Args:
        criterion: by which a configuration, and a record of it, is chosen; by default the first of
            the usual ones: CR, or NVA where given labels are learned from.
        metric: the best record is the one that is best in it.
        chosen: the cells of the criterion, among others, where they are known.

    Raises:
        UnknownName: a criterion that is not there.
    """
    name = lookup_criterion(criterion or usual_criteria(results)[0]).name
    judged = cells(results, [name]) if chosen is None else chosen
    judged = [cell for cell in judged if cell.criterion == name]
    by_key = chosen_runs(results, judged)
    found = []
    for cell in judged:
        choices = [choice for choice in cell.choices if choice is not None]
        runs = [by_key[cell.dataset, choice.key] for choice in choices]
        best = [_best(run, metric) for run in runs]
        last = [_last(run, metric) for run in runs]
        selected = [choice.test.get(metric) for choice in choices]
        found.append(
            Gap(
                dataset=cell.dataset,
                algorithm=cell.algorithm,
                criterion=name,
                runs=len(runs),
                splits=len(cell.splits),
                complete=cell.state != "incomplete",
                best=summarise(best, results.ddof),
                last=summarise(last, results.ddof),
                selected=summarise(selected, results.ddof),
                lost=paired_difference(best, selected, results.ddof),
                gained=paired_difference(selected, last, results.ddof),
                updates=max((run.cost(run.record_steps[-1]) for run in runs), default=0),
                epochs=_most_epochs(runs),
                warm_ups=cell.warm_ups,
            )
        )
    return found


def chosen_runs(results: Results, chosen: Iterable[Cell]) -> Mapping[tuple[str, str], Run]:
    """The runs that these cells have chosen, with their records, by data set and key."""
    keys = {choice.key for cell in chosen for choice in cell.choices if choice is not None}
    return results.runs.with_keys(keys)


def _best(run: Run, metric: str) -> float | None:
    """The highest test accuracy of the records that a criterion may choose."""
    peak = lookup_criterion("peak")
    there = [record for record in eligible(run, peak) if value_of(record, peak) is not None]
    return max((v for record in there if (v := record.test.get(metric)) is not None), default=None)


def _last(run: Run, metric: str) -> float | None:
    return run.records[-1].test.get(metric) if run.records else None


def _most_epochs(runs: Sequence[Run]) -> float | None:
    epochs = [run.epochs(run.record_steps[-1]) for run in runs]
    return max((e for e in epochs if e is not None), default=None)
