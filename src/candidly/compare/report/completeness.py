"""What is missing of a sweep."""

from __future__ import annotations

from ...show.grid import Column, Grid
from ..sweep.counts import counted
from ..sweep.results import Results
from ._wording import algorithm_order, dataset_order


def missing_grid(results: Results) -> Grid:
    """A row for each data set and algorithm with runs that are not finished, or diverged."""
    mine = {(one.dataset, one.algorithm): one for one in counted(results)}
    rows = []
    for dataset in dataset_order(results):
        for algorithm in algorithm_order(results):
            one = mine.get((dataset, algorithm))
            if one and (one.complete < one.planned or one.diverged):
                left = ", ".join(map(str, one.unfinished))
                rows.append((dataset, algorithm, one.planned, one.complete, one.diverged, left))
    columns = (
        *(Column(name, "name") for name in ("data set", "algorithm")),
        *(Column(name, form=",") for name in ("planned", "finished", "diverged")),
        Column("splits with runs to do", "text"),
    )
    return Grid("Runs that are missing, and runs that diverged", columns, rows)


def completeness_text(results: Results) -> str:
    """In a sentence, how many runs are finished, how many diverged and how many were stopped."""
    found = counted(results)
    done = sum(one.complete for one in found)
    fell = sum(one.diverged for one in found)
    said = f"{done:,} of {len(results.runs):,} planned runs are finished"
    said += f"; {fell:,} diverged" if fell else "; none diverged"
    pruned = sum(one.pruned for one in found)
    return f"{said}; {pruned:,} were stopped early by the search." if pruned else f"{said}."
