"""Best, last and selected record side by side: what choosing costs, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...ground.names import lookup
from ...show.document import Document
from ...show.grid import Column, Datum, Grid, Value
from ...show.pieces import Piece
from ...show.words import in_percent, plus_minus
from ...stats import Summary
from ..sweep.counts import examples, labels_read
from ..sweep.gap import Gap, gaps
from ..sweep.results import Results
from ..sweep.select import METRICS, trained_on_validation
from ._wording import (
    NOTHING,
    algorithm_label,
    algorithm_order,
    budget_text,
    dataset_order,
    rows_text,
)

SCHEMA = 1  # of the JSON form
RECORDS = {  # heading and, in CSV, name of each column
    "best (oracle)": "best_test",
    "last": "last_test",
    "selected": "test_at_selected",
    "best − selected": "best_minus_selected",
    "selected − last": "selected_minus_last",
}


def gap_tables(results: Results, metric: str = "top1", criterion: str | None = None) -> Document:
    """The best record (an oracle), the last, and the one selected without clean labels.

    Args:
        results: what :func:`candidly.compare.sweep.journal.read_results` returns.
        metric: ``top1``, ``balanced``, ``top5`` or ``adjusted``; the best record is the best in it.
        criterion: by which runs and records are selected; by default CR, or NVA where given labels
            are learned from.

    Returns:
        tables. Columns ``_se`` of its CSV hold the standard errors of the text, in percent.

    Raises:
        UnknownName: a metric or criterion that is not there; suggests the nearest.
        ValueError: the validation rows were trained on, so nothing was selected; or the data has
            no true labels.
    """
    metric, _ = lookup(METRICS, metric, "metric")
    if trained_on_validation(results):
        raise ValueError(
            "these runs trained on their validation rows (train-oracle), so nothing was selected. "
            "Ask of a directory whose validation was tune."
        )
    if results.runs and results.runs.untested == {run.dataset for run in examples(results)}:
        raise ValueError(
            "these runs have no test accuracy, as their data has no true labels, so there is no "
            "best record to compare with. Add the true labels to the data, or ask for no gap."
        )
    found = gaps(results, criterion, metric) if results.runs else []
    return Document(
        "",
        tuple(_pieces(results, found, metric)) if found else (NOTHING, *results.notes),
        table=gap_table(found),
        data=lambda: _data(results, found, metric),
    )


def _pieces(results: Results, found: Sequence[Gap], metric: str) -> Iterator[Piece]:
    order = algorithm_order(results)
    for dataset in dataset_order(results):
        mine = [one for one in found if one.dataset == dataset]
        ordered = sorted(mine, key=lambda one: order.index(one.algorithm))
        yield gap_grid(ordered, dataset, labels_read(results))
    yield (
        f"Mean {METRICS[metric].about} in percent ± standard error over splits, of three records "
        "of the same runs, those that the criterion chose. Best: the highest test accuracy of any "
        "record, an oracle that reads the test rows. Differences are paired over splits. An "
        "exclamation mark: not every planned run is finished."
        f"{rows_text(results)}{budget_text(results)}"
    )
    yield from (f"Note: {note}" for note in results.notes)


def gap_grid(
    mine: Sequence[Gap], dataset: str, reads: Mapping[str, Sequence[str]] | None = None
) -> Grid:
    """The records of one data set side by side, in percent; ``reads``: as ``labels_read`` says."""
    read = reads or {}
    rows: list[tuple[Value | Datum, ...]] = [
        (
            algorithm_label(one.algorithm, read.get(one.algorithm, ()))
            + f" ({one.warm_ups} in warm-up)" * (one.warm_ups > 0)
            + " !" * (not one.complete),
            *(
                Datum(in_percent(s.mean), text=None if s.mean is None else plus_minus(s))
                for s in _summaries(one)
            ),
        )
        for one in mine
    ]
    title = f"{dataset}: best, last, and selected by {mine[0].criterion}"
    return Grid(title, (Column("algorithm", "name"), *map(Column, RECORDS)), rows)


def gap_table(found: Sequence[Gap]) -> Grid:
    """All of them in one table, in the order they were found."""
    columns = (
        *(Column(name, "name") for name in ("dataset", "algorithm", "criterion")),
        *(Column("runs"), Column("updates"), Column("epochs", form=".4g")),
        *(Column(f"{name}{end}", form=".2f") for name in RECORDS.values() for end in ("", "_se")),
    )
    rows: list[tuple[Value, ...]] = [
        (
            *(one.dataset, one.algorithm, one.criterion, one.runs, one.updates, one.epochs),
            *(in_percent(x) for s in _summaries(one) for x in (s.mean, s.standard_error)),
        )
        for one in found
    ]
    return Grid("", columns, rows)


def _summaries(one: Gap) -> tuple[Summary, ...]:
    return one.best, one.last, one.selected, one.lost, one.gained


def _data(results: Results, found: Sequence[Gap], metric: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "metric": metric,
        "unit": "shares, 0 to 1",
        "ddof": results.ddof,
        "budget": results.settings.get("budget"),
        "notes": list(results.notes),
        "rows": [asdict(one) for one in found],
    }
