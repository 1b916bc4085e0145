"""What a directory holds already: finished runs, and the steps that the others have reached."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from .journal import journal_files, read_runs
from .plan import Plan


@dataclass(frozen=True)
class Recorded:
    """Planned runs by what the journal has of them.

    Attributes:
        finished: keys of runs with every record that is due.
        steps: by key of the others, the steps of their records; those without one are left out.
    """

    finished: set[str]
    steps: Mapping[str, Collection[int]]


def recorded(plan: Plan, out: Path) -> Recorded:
    """What a results directory holds of a plan.

    Raises:
        ValueError: the compact file is damaged; says what to do.
    """
    if not journal_files(out / "journal"):
        return Recorded(set(), {})
    runs, _ = read_runs(plan, out / "journal")
    reached = runs.reached
    finished: set[str] = set()
    begun: set[str] = set()
    for group in runs.groups:
        complete, records = reached.complete[group.places], reached.records[group.places]
        for key, done, count in zip(group.keys, complete.tolist(), records.tolist()):
            if done:
                finished.add(key)
            elif count:
                begun.add(key)
    return Recorded(finished, runs.steps(begun) if begun else {})


def recorded_among(plan: Plan, found: Mapping[str, Collection[int]]) -> Recorded:
    """The same, of the steps of all records by key."""
    finished = {
        trial.key
        for trial in plan.trials
        if set(trial.record_steps) <= set(found.get(trial.key, ()))
    }
    return Recorded(finished, {k: set(s) for k, s in found.items() if k not in finished})
