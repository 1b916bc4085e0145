"""What is missing of a sweep, and what fills it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..grid import Column, Grid
from ..sweep.records import Results, Run
from ..sweep.settings import Settings
from ._wording import algorithm_order, dataset_order


def missing_grid(results: Results) -> Grid:
    """A row for each data set and algorithm with runs that are not finished, or diverged."""
    mine: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        mine.setdefault((run.dataset, run.algorithm), []).append(run)
    rows = []
    for dataset in dataset_order(results):
        for algorithm in algorithm_order(results):
            runs = mine.get((dataset, algorithm), [])
            left = [run for run in runs if not run.complete]
            fell = sum(run.diverged_at is not None for run in runs)
            if left or fell:
                rows.append(
                    (dataset, algorithm, len(runs), len(runs) - len(left), fell, _splits(left))
                )
    columns = (
        *(Column(name, "name") for name in ("data set", "algorithm")),
        *(Column(name, form=",") for name in ("planned", "finished", "diverged")),
        Column("splits with runs to do", "text"),
    )
    return Grid("Runs that are missing, and runs that diverged", columns, rows)


def completeness_text(results: Results) -> str:
    """In a sentence, how many runs are finished, how many diverged and how many were stopped."""
    done = sum(run.complete for run in results.runs)
    fell = sum(run.diverged_at is not None for run in results.runs)
    said = f"{done:,} of {len(results.runs):,} planned runs are finished"
    said += f"; {fell:,} diverged" if fell else "; none diverged"
    pruned = sum(run.pruned_at is not None for run in results.runs)
    return f"{said}; {pruned:,} were stopped early by the search." if pruned else f"{said}."


def command_of(settings: Mapping[str, Any], folder: Path | str) -> str:
    """The command that trains what a results directory does not hold yet.

    Args:
        settings: of its plan.
    """
    return shlex.join(["candidly", "bench", "run", *_options(settings), "--out", str(folder)])


def _options(settings: Mapping[str, Any]) -> Iterator[str]:
    named = {"datasets": "dataset"}
    for name, field in Settings.model_fields.items():
        value = settings.get(name)
        if value is None or value == field.default or value in ({}, []):
            continue
        if name == "metrics":  # without the files that they are of
            value = [text.partition("@")[0] for text in value]
        option = "--" + named.get(name, name).replace("_", "-")
        if isinstance(value, Mapping):
            for key, one in value.items():
                yield from (option, f"{key}={one}")
        else:
            yield from (option, ",".join(value) if isinstance(value, list | tuple) else str(value))


def _splits(left: Sequence[Run]) -> str:
    return ", ".join(map(str, sorted({run.split for run in left})))
