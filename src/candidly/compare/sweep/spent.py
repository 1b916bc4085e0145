"""What complete runs have taken, from their last records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .many import ManyRuns, RunGroup
from .records import Results, Run


@dataclass(frozen=True)
class Spent:
    """A complete run. ``step`` is None where no record is due; the others say nothing then."""

    networks: int
    step: int | None
    seconds: float = 0.0
    memory_bytes: int = 0
    epochs: float | None = None


def spent(results: Results, dataset: str) -> dict[str, list[Spent]]:
    """The complete runs on a data set by algorithm, in the order of the plan."""
    runs = results.runs
    if isinstance(runs, ManyRuns):
        mine = (group for group in runs.groups if group.first.dataset == dataset)
        return {group.first.algorithm: list(_of_group(runs, group)) for group in mine}
    found: dict[str, list[Spent]] = {}
    for run in runs:
        if run.dataset == dataset and run.complete:
            found.setdefault(run.algorithm, []).append(_of_run(run))
    return found


def _of_run(run: Run) -> Spent:
    if not run.records:
        return Spent(run.networks, None)
    last = run.records[-1]
    return Spent(run.networks, last.step, last.seconds, last.memory_bytes, run.epochs(last.step))


def _of_group(runs: ManyRuns, group: RunGroup) -> Iterator[Spent]:
    complete, ended, places = runs.reached.complete, runs.ended, group.places
    epochs: dict[tuple[int, float | int | None], float | None] = {}
    for hyper, done, step, seconds, memory in zip(
        group.hyper,
        *(
            values[places].tolist()
            for values in (complete, ended.step, ended.seconds, ended.memory_bytes)
        ),
    ):
        if done:
            alike = step, hyper.get("batch_size")
            if alike not in epochs:
                epochs[alike] = replace(group.first, hyper=hyper).epochs(step)
            yield Spent(group.first.networks, step, seconds, memory, epochs[alike])
