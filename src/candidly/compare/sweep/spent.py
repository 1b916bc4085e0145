"""What complete runs have taken, from their last records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .results import Results

if TYPE_CHECKING:
    from .parts import RunGroup
    from .runs import Runs


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
    return {
        group.first.algorithm: list(_of_group(runs, group))
        for group in runs.groups
        if group.first.dataset == dataset
    }


def _of_group(runs: Runs, group: RunGroup) -> Iterator[Spent]:
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
