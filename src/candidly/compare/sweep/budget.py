"""Results at an equal budget: what each run had reached after so many updates of networks."""

from __future__ import annotations

from dataclasses import replace

from .counts import examples
from .results import Results


def common_budget(results: Results) -> int:
    """The largest budget that every run reaches: updates times networks, at its last record.

    Raises:
        ValueError: nothing is planned.
    """
    if not results.runs:
        raise ValueError("no runs are planned, so they share no budget.")
    return min(run.cost(run.record_steps[-1]) for run in examples(results))


def at_budget(results: Results, budget: int) -> Results:
    """The same runs, with those records alone whose updates times networks are within ``budget``.

    So the last record of each is the nearest below it, and early stopping chooses among the records
    up to there. Runs of which more is planned are complete once these records are there. A note
    names algorithms without any.

    Raises:
        ValueError: no run has a record within the budget.
    """
    every = examples(results)
    runs = results.runs.due(lambda run: [at for at in run.record_steps if run.cost(at) <= budget])
    late = list(dict.fromkeys(g.first.algorithm for g in runs.groups if not g.first.record_steps))
    if every and all(not group.first.record_steps for group in runs.groups):
        first = min(run.cost(run.record_steps[0]) for run in every)
        raise ValueError(
            f"the budget of {budget:,} updates of networks ends before every record; the first is"
            f" at {first:,}."
        )
    notes = [f"{name}: no record within the budget" for name in late]
    settings = {**results.settings, "budget": budget}
    return replace(results, runs=runs, settings=settings, notes=(*results.notes, *notes))
