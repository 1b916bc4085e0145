"""Tables of test accuracy, one per selection criterion, and the configurations behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...ground.names import lookup
from ...show.document import Document
from ...show.grid import Column, Datum, Grid, Value
from ...show.pieces import Piece
from ...show.words import hyper_text, in_percent
from ..sweep.counts import Told, told
from ..sweep.results import Results
from ..sweep.select import (
    CRITERIA,
    METRICS,
    Cell,
    Criterion,
    cells,
    trained_on_validation,
    usual_criteria,
)
from ._wording import (
    NOTHING,
    algorithm_label,
    algorithm_order,
    cell_text,
    dataset_order,
    is_oracle,
    legend,
    warm_up_text,
)
from .design import one_test_set
from .ranking import leader_of

SCHEMA = 1  # of the JSON form
BOLDS = ("shown", "highest")
ERROR = "standard error"
CONFIGURATIONS = (
    "Per split: the configuration, how many were tied for it (the last one wins), its updates, and "
    "in percent the criterion and the {}."
)


@dataclass(frozen=True)
class Choices:
    """What one criterion chose: a cell for each algorithm (row) and data set (column).

    ``results`` are those that it chose from.
    """

    results: Results
    criterion: Criterion
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]  # by (algorithm, dataset); plans may leave holes
    oracle: bool = False  # the validation rows were trained on, with their true labels
    bold: str = "shown"  # one of BOLDS

    @property
    def names(self) -> list[Datum]:
        """The algorithms as a table has them; those that are told the truth stand back."""
        reads = {name: cell.reads for (name, _), cell in self.cells.items()}
        return [
            Datum(algorithm_label(name, reads.get(name, ())), soft=is_oracle(reads.get(name, ())))
            for name in self.algorithms
        ]

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

    def grid(self, metric: str) -> Grid:
        """Test accuracies, the best of each column in bold, see ``bold_text``."""
        values = [self.column(dataset, metric) for dataset in self.datasets]
        return _accuracy_grid(self.caption, self.names, self.datasets, values)

    def configurations(self, dataset: str, metric: str) -> Grid:
        """The chosen model of every algorithm and split of a data set.

        ``tied`` counts the configurations that share the highest value; the criterion, beside it
        its standard error where that is known, and the test accuracy are in percent.
        """
        rows: list[tuple[Value | Datum, ...]] = []
        for algorithm in self.algorithms:
            cell = self.cells.get((algorithm, dataset))
            for split, choice in zip(cell.splits, cell.choices) if cell else ():
                if choice is None:
                    rows.append((algorithm, split, *[None] * 5, "nothing to choose from", None))
                    continue
                told = (choice.config, choice.ties, choice.step)
                value = Datum(in_percent(choice.value), in_percent(choice.error))
                tested = in_percent(choice.test.get(metric))
                hyper = hyper_text(choice.hyper)
                rows.append((algorithm, split, *told, value, tested, hyper, choice.key))
        columns = (
            Column("algorithm", "name", sparse=True),
            *map(Column, ("split", "config", "tied", "step")),
            Column(self.criterion.name, form=".2f", spread=ERROR),
            Column("test", form=".2f"),
            Column("hyper-parameters", "text"),
            Column("run", "name"),
        )
        title = f"{dataset}: configurations chosen by {self.criterion.name}"
        return Grid(title, columns, rows, keys=2)

    def column(self, dataset: str, metric: str) -> list[Datum]:
        """Test accuracies on one data set, a row per algorithm."""
        best = self._best(dataset, metric)
        return [_datum(self.cells.get((name, dataset)), metric, best) for name in self.algorithms]

    def _best(self, dataset: str, metric: str) -> list[Cell]:
        there = ((name, dataset) for name in self.algorithms)
        mine = [self.cells[place] for place in there if place in self.cells]
        if self.bold == "shown":
            ahead = leader_of(mine, self.results, metric)
            return [] if ahead is None else [ahead]
        means = [(cell, cell.summary[metric].mean) for cell in mine if not cell.oracle]
        most = max((mean for _, mean in means if mean is not None), default=None)
        return [cell for cell, mean in means if mean is not None and mean == most]


def bold_text(results: Results, bold: str = "shown") -> str:
    """What stands bold in a table: by the design of the splits, or as papers have it."""
    if bold == "highest":
        return (
            "Bold: the highest mean of a column, whether or not it is beyond chance, oracles aside"
        )
    how = (
        "a paired test over splits and the test rows that they share"
        if one_test_set(results)
        else "a paired test over splits that allows for shared rows"
    )
    return (
        "Bold: the highest mean of a column where its lead over each other algorithm is beyond "
        f"chance ({how}, 5 %), oracles aside"
    )


def criteria_grid(tables: Sequence[Choices], dataset: str, metric: str) -> Grid:
    """Test accuracies on one data set, a column for each criterion; what each is, stands below."""
    names = [table.criterion.name for table in tables]
    values = [table.column(dataset, metric) for table in tables]
    title = f"{dataset}: {METRICS[metric].about}, by what chose the model"
    grid = _accuracy_grid(title, tables[0].names, names, values)
    return replace(grid, notes=tuple(f"{table.caption}." for table in tables))


def _accuracy_grid(
    title: str, names: Sequence[Datum], columns: Sequence[str], values: Sequence[Sequence[Datum]]
) -> Grid:
    rows = list(zip(names, *values))
    told = (Column(name, form=".2f", spread=ERROR) for name in columns)
    return Grid(title, (Column("algorithm", "name"), *told), rows)


def _datum(cell: Cell | None, metric: str, best: Sequence[Cell]) -> Datum:
    if cell is None:
        return Datum(None, text="")
    shown = cell.own if cell.untested and cell.own.count else cell.summary[metric]
    return Datum(
        in_percent(shown.mean),
        in_percent(shown.standard_error),
        text=cell_text(cell, metric),
        best=any(cell is one for one in best),
        soft=cell.state != "complete",
    )


def accuracy_tables(
    results: Results,
    metric: str = "top1",
    criteria: Sequence[str] | None = None,
    choices: bool = True,
    bold: str = "shown",
) -> Document:
    """The tables of a sweep, and which configuration won each split.

    Args:
        results: what :func:`candidly.compare.sweep.journal.read_results` returns.
        metric: ``top1``, ``balanced``, ``top5`` or ``adjusted``.
        criteria: one table each; by default ``select.usual_criteria``. On request there are all
            of ``select.CRITERIA``.
        choices: whether the configurations follow the tables (JSON has them, CSV does not: it is
            one table of all means, in percent).
        bold: what of a column stands in bold: ``shown``, the highest mean where its lead over each
            other is beyond chance; ``highest``, the highest mean, as papers have it.

    Raises:
        ValueError: ``bold`` is neither.
        UnknownName: a metric or criterion that is not there; suggests the nearest.
    """
    metric, _ = lookup(METRICS, metric, "metric")
    if bold not in BOLDS:
        raise ValueError(f"`bold` is {bold!r}; choose {' or '.join(BOLDS)}.")
    tables = make_tables(results, criteria) if results.runs else []
    tables = [replace(table, bold=bold) for table in tables]
    return Document(
        "",
        tuple(_pieces(results, tables, metric, choices)) if tables else (NOTHING, *results.notes),
        table=_one_table(tables, metric),
        data=lambda: _data(results, tables, metric),
    )


def make_tables(
    results: Results,
    criteria: Sequence[str] | None = None,
    chosen: Sequence[Cell] | None = None,
) -> list[Choices]:
    """What each criterion chose, by default the usual ones; ``chosen``: cells that are known."""
    criteria = usual_criteria(results) if criteria is None else criteria
    found = cells(results, criteria) if chosen is None else chosen
    algorithms, datasets = tuple(algorithm_order(results)), tuple(dataset_order(results))
    tables = []
    for name in criteria:
        _, criterion = lookup(CRITERIA, name, "criterion")
        mine = {(c.algorithm, c.dataset): c for c in found if c.criterion == criterion.name}
        oracle = trained_on_validation(results)
        tables.append(Choices(results, criterion, algorithms, datasets, mine, oracle))
    return tables


def _pieces(
    results: Results, tables: Sequence[Choices], metric: str, choices: bool
) -> Iterator[Piece]:
    *before, last = (table.grid(metric) for table in tables)
    yield from before
    yield replace(last, bold=f"{bold_text(results, tables[0].bold)}.")
    yield legend(results, metric)
    yield from filter(None, [warm_up_text(c for table in tables for c in table.cells.values())])
    yield from (f"Note: {note}" for note in results.notes)
    if choices:
        yield from (
            table.configurations(dataset, metric) for table in tables for dataset in table.datasets
        )
        yield CONFIGURATIONS.format(METRICS[metric].about)


def _one_table(tables: Sequence[Choices], metric: str) -> Grid:
    """All means in one table, a row for each criterion, data set and algorithm."""
    columns = (
        *(Column(name, "name") for name in ("dataset", "algorithm", "criterion")),
        Column("accuracy", form=".2f", spread=ERROR),
        *(Column(name) for name in ("splits", "finished", "planned")),
        Column("state", "word"),
        Column("in warm-up"),
    )
    rows = [
        (
            *(dataset, algorithm, table.criterion.name),
            replace(_datum(cell, metric, ()), text=None),
            *(cell.summary[metric].count, cell.finished, cell.planned, cell.state),
            cell.warm_ups,
        )
        for table in tables
        for dataset in table.datasets
        for algorithm in table.algorithms
        if (cell := table.cells.get((algorithm, dataset)))
    ]
    return Grid("", columns, rows)


# JSON


def _data(results: Results, tables: Sequence[Choices], metric: str) -> dict[str, Any]:
    return {
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
            for table in tables
        ],
        "trials": [_json_run(one) for one in told(results)],
    }


def _json_run(one: Told) -> dict[str, Any]:
    run = one.run
    return {
        "key": run.key,
        "dataset": run.dataset,
        "algorithm": run.algorithm,
        "config": run.config,
        "split": run.split,
        "reads": list(run.reads),
        "networks": run.networks,
        "updates_of_networks": run.cost(run.record_steps[-1]) if run.record_steps else 0,
        "epochs": run.epochs(run.record_steps[-1]) if run.record_steps else None,
        "complete": one.complete,
        "diverged_at": one.diverged_at,
        "pruned_at": one.pruned_at,
    }


def _json_cell(cell: Cell, metric: str) -> dict[str, Any]:
    """A cell with full precision. ``trials`` lists every trial the selection looked at."""
    about = asdict(cell)
    summary = about.pop("summary")
    return {**about, **summary[metric], "summary": summary}
