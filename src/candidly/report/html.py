"""One self-contained page: findings, tables, figures, choices, cost and settings of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._files import replacing
from ..stats import summarise
from ..sweep.records import Record, Results, Run
from ..sweep.select import METRICS, trained_on_validation
from . import figures
from ._template import rendered
from ._wording import (
    NOTHING,
    algorithm_label,
    algorithm_order,
    dataset_order,
    is_oracle,
    legend,
)
from .findings import findings_by_dataset
from .tables import CHOICE_COLUMNS, Table, choice_rows, make_tables

CURVES = 7  # lines a reader can tell apart; the best ones are drawn, and an oracle


@dataclass(frozen=True)
class TrainingCost:
    """What training took, over the complete runs of an algorithm on a data set."""

    algorithm: str
    runs: int
    networks: int
    epochs: float | None  # of all networks together; of the longest run
    ms_per_update: float | None
    spread_ms: float | None  # standard deviation over runs
    peak_mib: float | None


def write_report(
    results: Results,
    path: Path | str,
    *,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
) -> None:
    """Write the page, whole or not at all. The same results give the same bytes.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    page = make_page(results, metric, criteria).encode()
    with replacing(path) as file:
        file.write(page)


def make_page(results: Results, metric: str = "top1", criteria: Sequence[str] | None = None) -> str:
    """The page as HTML text; it refers to nothing outside itself."""
    tables = make_tables(results, criteria) if results.runs else []
    algorithms = algorithm_order(results)
    sections = [_section(results, dataset, tables, metric) for dataset in dataset_order(results)]
    return rendered(
        "results.html",
        dict(_settings(results)),
        title="Which algorithm learns best from these labels?",
        nothing=None if results.runs else NOTHING,
        findings=findings_by_dataset(results, metric),
        runs=f"{sum(run.complete for run in results.runs)} of {len(results.runs)}",
        tables=[_rows(table, metric) for table in tables],
        legend=legend(results, metric),
        metric=METRICS[metric],
        sections=sections,
        several=sum(not is_oracle(name) for name in algorithms) > CURVES,
        curves=CURVES,
        choice_columns=CHOICE_COLUMNS,
        notes=results.notes,
    )


def costs(results: Results, dataset: str) -> list[TrainingCost]:
    """Time and memory per algorithm, in the order of the tables."""
    found = []
    for algorithm in algorithm_order(results):
        runs = [
            run
            for run in results.runs
            if (run.dataset, run.algorithm) == (dataset, algorithm) and run.complete
        ]
        last = [run.records[-1] for run in runs if run.records]
        pace = summarise([1000 * r.seconds / r.step for r in last if r.step], ddof=1)
        peak = max((r.memory_bytes for r in last), default=0)
        found.append(
            TrainingCost(
                algorithm=algorithm,
                runs=len(runs),
                networks=max((run.networks for run in runs), default=1),
                epochs=max(
                    (e for r in runs if r.records and (e := r.epochs(r.records[-1].step))),
                    default=None,
                ),
                ms_per_update=pace.mean,
                spread_ms=pace.standard_deviation,
                peak_mib=peak / 2**20 or None,
            )
        )
    return found


def _rows(table: Table, metric: str) -> dict[str, Any]:
    """A table as the template needs it: texts, and whether each is the best of its column."""
    best = {dataset: _best(table, dataset, metric) for dataset in table.datasets}
    rows = []
    for algorithm in table.algorithms:
        texts = [
            {
                "text": table.text(algorithm, dataset, metric),
                "best": best[dataset] == algorithm,
                "flawed": _flawed(table, algorithm, dataset),
            }
            for dataset in table.datasets
        ]
        rows.append(
            {"name": algorithm_label(algorithm), "oracle": is_oracle(algorithm), "cells": texts}
        )
    name = table.criterion.name
    return {"name": name, "caption": table.caption, "datasets": table.datasets, "rows": rows}


def _best(table: Table, dataset: str, metric: str) -> str | None:
    means = {}
    for algorithm in table.algorithms:
        cell = table.cells.get((algorithm, dataset))
        mean = cell.summary[metric].mean if cell else None
        if mean is not None and not is_oracle(algorithm):
            means[algorithm] = mean
    return max(means, key=lambda name: means[name]) if len(means) > 1 else None


def _flawed(table: Table, algorithm: str, dataset: str) -> bool:
    cell = table.cells.get((algorithm, dataset))
    return cell is not None and cell.state != "complete"


def _section(
    results: Results, dataset: str, tables: Sequence[Table], metric: str
) -> dict[str, Any]:
    """Everything the page shows about one data set below the tables."""
    colours = figures.make_colours(algorithm_order(results))
    spent = costs(results, dataset)
    columns = [
        [t.cells[a, dataset] for a in t.algorithms if (a, dataset) in t.cells] for t in tables
    ]
    limits = _limits([v for column in columns for cell in column for v in cell.values(metric)])
    return {
        "name": dataset,
        "splits": [
            _safe(figures.split_plot(column, colours, metric, limits)) for column in columns
        ],
        "boxed": any(figures.boxed(cell.values(metric)) for column in columns for cell in column),
        "curves": [_safe(svg) for svg in _curves(results, dataset, tables, colours, metric)],
        "costs": spent,
        "bars": [
            _safe(
                figures.bars(
                    {cost.algorithm: cost.ms_per_update for cost in spent},
                    colours,
                    f"{dataset}: time per update",
                    "milliseconds per update and run",
                )
            )
        ],
        "choices": [
            {"criterion": t.criterion.name, "rows": choice_rows(t, dataset, metric)} for t in tables
        ],
    }


def _limits(values: Sequence[float | None]) -> tuple[float, float] | None:
    """One axis for all the box plots of a data set, in percent."""
    there = [100 * v for v in values if v is not None and v == v]
    if not there:
        return None
    margin = max(1.0, 0.04 * (max(there) - min(there)))
    return min(there) - margin, max(there) + margin


def _curves(
    results: Results,
    dataset: str,
    tables: Sequence[Table],
    colours: figures.Colours,
    metric: str,
) -> list[str]:
    """Learning curves of the runs that the first criterion chose, one run per split."""
    if not tables:
        return []
    table, by_key = tables[0], {run.key: run for run in results.runs}
    cells = [table.cells[a, dataset] for a in table.algorithms if (a, dataset) in table.cells]
    there = [cell for cell in cells if any(cell.choices)]
    best = sorted(
        (cell for cell in there if not is_oracle(cell.algorithm)),
        key=lambda cell: -(cell.summary[metric].mean or 0.0),
    )[:CURVES]
    shown: Mapping[str, list[Run]] = {
        cell.algorithm: [by_key[choice.key] for choice in cell.choices if choice]
        for cell in there
        if cell in best or is_oracle(cell.algorithm)
    }
    name, noisy = table.criterion.name, table.criterion.measure == "NVA"
    measure = "NVA" if noisy else "CR"
    what_is_seen = "noisy accuracy" if noisy else "covering rate"

    def tested(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.test.get(metric)

    def validated(record: Record) -> float | None:
        return None if record.diverged_at is not None else record.validation.get(measure)

    drawn = [(METRICS[metric], f"{METRICS[metric]} (%)", tested)]
    if not trained_on_validation(results):
        drawn.append(
            (f"{what_is_seen} on validation", f"{what_is_seen}, validation (%)", validated)
        )
    return [
        figures.learning_curve(
            shown, colours, what, f"{dataset}: {what} of the runs chosen by {name}", label, value
        )
        for what, label, value in drawn
    ]


def _settings(results: Results) -> list[tuple[str, str]]:
    def text(value: object) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(str(one) for one in value)
        return "default" if value is None else str(value)

    return [(str(name), text(value)) for name, value in results.settings.items()]


def _safe(svg: str) -> Any:
    """Marks a figure as HTML; the words in it were escaped when it was drawn."""
    from markupsafe import Markup

    return Markup(svg)
