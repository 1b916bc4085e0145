"""Tables of test accuracy, one per selection criterion, and the configurations behind them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .._names import lookup
from ..sweep.records import Results
from ..sweep.select import (
    CRITERIA,
    METRICS,
    Cell,
    Criterion,
    cells,
    trained_on_validation,
    usual_criteria,
)
from ._forms import finite, markdown_safe, markdown_table, rich_table
from ._wording import (
    NOTHING,
    algorithm_label,
    algorithm_order,
    cell_text,
    dataset_order,
    hyper_text,
    legend,
    percent,
)

SCHEMA = 1  # of the JSON form
CHOICE_COLUMNS = (
    "algorithm",
    "split",
    "config",
    "tied",
    "step",
    "criterion",
    "test",
    "hyper-parameters",
)


@dataclass(frozen=True)
class Table:
    """What one criterion chose: a cell for each algorithm (row) and data set (column)."""

    criterion: Criterion
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]  # by (algorithm, dataset); plans may leave holes
    oracle: bool = False  # the validation rows were trained on, with their true labels

    @property
    def caption(self) -> str:
        labels = sum(cell.oracle_labels for cell in self.cells.values())
        if self.oracle:
            return (
                f"Oracle, trained on {labels:,} clean labels of validation rows besides: "
                f"{self.criterion.about}"
            )
        where = " of test rows" if self.criterion.on_test else ""
        read = f"{labels:,} reads of clean labels{where}" if labels else "no clean label read"
        return f"Chosen by {self.criterion.name}: {self.criterion.about}; {read}"

    def text(self, algorithm: str, dataset: str, metric: str) -> str:
        cell = self.cells.get((algorithm, dataset))
        return cell_text(cell, metric) if cell else ""


def render(
    results: Results,
    format: str = "text",
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
    *,
    width: int = 100,
    choices: bool = True,
) -> str:
    """The tables of a sweep, and which configuration won each split.

    Args:
        results: what :func:`candidly.sweep.journal.read_results` returns.
        format: ``text``, ``markdown`` or ``json``.
        metric: ``top1``, ``balanced`` or ``top5``.
        criteria: one table each; by default ``select.usual_criteria``. On request there are all
            of ``select.CRITERIA``.
        width: columns the text form may use.
        choices: whether the configurations follow the tables (JSON always has them).

    Raises:
        UnknownName: a format, metric or criterion that is not there; suggests the nearest.
    """
    _, form = lookup(FORMATS, format, "format")
    metric, _ = lookup(METRICS, metric, "metric")
    return form(
        results, metric, usual_criteria(results) if criteria is None else criteria, width, choices
    )


def make_tables(results: Results, criteria: Sequence[str] | None = None) -> list[Table]:
    """One table per criterion, by default the usual ones."""
    criteria = usual_criteria(results) if criteria is None else criteria
    found = cells(results, criteria)
    algorithms, datasets = tuple(algorithm_order(results)), tuple(dataset_order(results))
    tables = []
    for name in criteria:
        _, criterion = lookup(CRITERIA, name, "criterion")
        mine = {(c.algorithm, c.dataset): c for c in found if c.criterion == criterion.name}
        oracle = trained_on_validation(results)
        tables.append(Table(criterion, algorithms, datasets, mine, oracle))
    return tables


def choice_rows(table: Table, dataset: str, metric: str) -> list[tuple[str, ...]]:
    """The chosen model of every algorithm and split of a data set, as texts for a table.

    Columns are ``CHOICE_COLUMNS``: ``tied`` counts the configurations that share the highest
    value; criterion and test are in percent.
    """
    rows = []
    for algorithm in table.algorithms:
        cell = table.cells.get((algorithm, dataset))
        for split, choice in zip(cell.splits, cell.choices) if cell else ():
            if choice is None:
                rows.append((algorithm, str(split), *["–"] * 5, "nothing to choose from"))
                continue
            rows.append(
                (
                    algorithm,
                    str(split),
                    str(choice.config),
                    str(choice.ties),
                    str(choice.step),
                    percent(choice.value) + _error_text(choice.error),
                    percent(choice.test.get(metric)),
                    hyper_text(choice.hyper),
                )
            )
    return rows


def _error_text(error: float | None) -> str:
    return "" if error is None else f" ± {percent(error)}"


# text


def _text(results: Results, metric: str, criteria: Sequence[str], width: int, choices: bool) -> str:
    from rich.console import Console

    if not results.runs:
        return "\n".join([NOTHING, *results.notes])
    tables = make_tables(results, criteria)
    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    for table in tables:
        console.print(table.caption)
        for datasets in _blocks(table, metric, width):
            console.print(_text_table(table, datasets, metric))
            console.print()
    console.print(legend(results, metric))
    for note in results.notes:
        console.print(f"Note: {note}")
    if choices:
        for table in tables:
            for dataset in table.datasets:
                console.print(f"\n{dataset}: configurations chosen by {table.criterion.name}")
                console.print(_text_choices(table, dataset, metric))
        console.print(
            f"\nPer split: the configuration, how many were tied for it (the last one wins), its "
            f"updates, and in percent the criterion and the {METRICS[metric]}."
        )
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).rstrip()


def _blocks(table: Table, metric: str, width: int) -> list[list[str]]:
    """Data sets in groups that fit side by side, so that no cell is broken over lines."""
    rows = table.algorithms
    room = width - max(len(algorithm_label(a)) for a in rows) - 4
    blocks: list[list[str]] = []
    left = 0
    for dataset in table.datasets:
        need = 3 + max(len(dataset), *(len(table.text(a, dataset, metric)) for a in rows))
        if not blocks or need > left:
            blocks.append([])
            left = room
        blocks[-1].append(dataset)
        left -= need
    return blocks


def _text_table(table: Table, datasets: Sequence[str], metric: str) -> Any:
    drawn = rich_table()
    drawn.add_column("")
    for dataset in datasets:
        drawn.add_column(dataset, justify="right", overflow="fold")
    for algorithm in table.algorithms:
        texts = (table.text(algorithm, dataset, metric) for dataset in datasets)
        drawn.add_row(algorithm_label(algorithm), *texts)
    return drawn


def _text_choices(table: Table, dataset: str, metric: str) -> Any:
    drawn = rich_table()
    for name in CHOICE_COLUMNS:
        words = name in ("algorithm", "hyper-parameters")
        drawn.add_column(
            table.criterion.name if name == "criterion" else name,
            justify="left" if words else "right",
            no_wrap=not words,
            overflow="fold",
            min_width=24 if name == "hyper-parameters" else None,
        )
    before = None
    for algorithm, *rest in choice_rows(table, dataset, metric):
        drawn.add_row("" if algorithm == before else algorithm, *rest)
        before = algorithm
    return drawn


# Markdown


def _markdown(
    results: Results, metric: str, criteria: Sequence[str], width: int, choices: bool
) -> str:
    if not results.runs:
        return "\n\n".join([NOTHING, *results.notes])
    tables = make_tables(results, criteria)
    parts = []
    for table in tables:
        rows = [
            [algorithm_label(a), *(table.text(a, d, metric) for d in table.datasets)]
            for a in table.algorithms
        ]
        parts += [f"### {table.caption}", markdown_table(["", *table.datasets], rows, "right")]
    parts.append(legend(results, metric))
    parts += [f"Note: {markdown_safe(note)}" for note in results.notes]
    for table in tables if choices else ():
        header = [table.criterion.name if c == "criterion" else c for c in CHOICE_COLUMNS]
        for dataset in table.datasets:
            title = f"### {markdown_safe(dataset)}: configurations chosen by "
            rows = [list(row) for row in choice_rows(table, dataset, metric)]
            parts += [title + table.criterion.name, markdown_table(header, rows)]
    return "\n\n".join(parts)


# JSON


def _json(results: Results, metric: str, criteria: Sequence[str], width: int, choices: bool) -> str:
    about = {
        "schema": SCHEMA,
        "metric": metric,
        "unit": "share of test examples, 0 to 1",
        "ddof": results.ddof,
        "settings": dict(results.settings),
        "notes": list(results.notes),
        "tables": [
            {
                "criterion": table.criterion.name,
                "about": table.criterion.about,
                "reads_truth": table.criterion.reads_truth,
                "trained_on_validation_truth": table.oracle,
                "cells": [
                    _json_cell(table.cells[at], metric)
                    for at in ((a, d) for d in table.datasets for a in table.algorithms)
                    if at in table.cells
                ],
            }
            for table in make_tables(results, criteria)
        ],
        "trials": [
            {
                "key": run.key,
                "dataset": run.dataset,
                "algorithm": run.algorithm,
                "config": run.config,
                "split": run.split,
                "reads": list(run.reads),
                "networks": run.networks,
                "updates_of_networks": run.cost(run.record_steps[-1]) if run.record_steps else 0,
                "epochs": run.epochs(run.record_steps[-1]) if run.record_steps else None,
                "complete": run.complete,
                "diverged_at": run.diverged_at,
            }
            for run in results.runs
        ],
    }
    return json.dumps(finite(about), indent=1, ensure_ascii=False, allow_nan=False)


def _json_cell(cell: Cell, metric: str) -> dict[str, Any]:
    """A cell with full precision. ``trials`` lists every trial the selection looked at."""
    about = asdict(cell)
    summary = about.pop("summary")
    return {**about, **summary[metric], "summary": summary}


FORMATS: Mapping[str, Callable[[Results, str, Sequence[str], int, bool], str]] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
}
