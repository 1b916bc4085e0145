"""Best, last and selected record side by side: what choosing costs, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...ground.jsons import to_json
from ...ground.names import lookup
from ...show.grid import FORMS, Column, Datum, Grid, Value
from ...show.grid import render as render_grids
from ...show.words import in_percent, plus_minus
from ...stats import Summary
from ..sweep.counts import examples, labels_read
from ..sweep.gap import Gap, gaps
from ..sweep.results import Results
from ..sweep.select import METRICS, trained_on_validation
from ._wording import NOTHING, algorithm_label, algorithm_order, budget_text, dataset_order

SCHEMA = 1  # of the JSON form
RECORDS = {  # heading and, in CSV, name of each column
    "best (oracle)": "best_test",
    "last": "last_test",
    "selected": "test_at_selected",
    "best − selected": "best_minus_selected",
    "selected − last": "selected_minus_last",
}


def render_gap(
    results: Results,
    format: str = "text",
    metric: str = "top1",
    criterion: str | None = None,
    width: int = 100,
) -> str:
    """The best record (an oracle), the last, and the one selected without clean labels.

    Args:
        results: what :func:`candidly.compare.sweep.journal.read_results` returns.
        format: ``text``, ``markdown``, ``latex``, ``html``, ``json`` or ``csv``, whose columns
            ``_se`` hold the standard errors of the text, in percent.
        metric: ``top1``, ``balanced``, ``top5`` or ``adjusted``; the best record is the best in it.
        criterion: by which runs and records are selected; by default CR, or NVA where given labels
            are learned from.
        width: columns the text form may use.

    Raises:
        UnknownName: a format, metric or criterion that is not there; suggests the nearest.
        ValueError: the validation rows were trained on, so nothing was selected; or the data has
            no true labels.
    """
    form, _ = lookup({**FORMS, "json": None}, format, "format")
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
    if form == "json":
        return _json(results, found, metric)
    if form == "csv":
        return _one_table(found).csv()
    parts = _parts(results, found, metric) if found else (NOTHING, *results.notes)
    return render_grids(parts, form, width)


def _parts(results: Results, found: Sequence[Gap], metric: str) -> Iterator[str | Grid]:
    order = algorithm_order(results)
    for dataset in dataset_order(results):
        mine = [one for one in found if one.dataset == dataset]
        ordered = sorted(mine, key=lambda one: order.index(one.algorithm))
        yield gap_grid(ordered, dataset, labels_read(results))
    yield (
        f"Mean {METRICS[metric].about} in percent ± standard error over splits, of three records "
        "of the same runs, those that the criterion chose. Best: the highest test accuracy of any "
        "record, an oracle that reads the test rows. Differences are paired over splits. An "
        f"exclamation mark: not every planned run is finished.{budget_text(results)}"
    )
    yield from (f"Note: {note}" for note in results.notes)


def gap_grid(
    mine: Sequence[Gap], dataset: str, reads: Mapping[str, Sequence[str]] | None = None
) -> Grid:
    """The records of one data set side by side, in percent; ``reads``: as ``labels_read`` says."""
    read = reads or {}
    rows: list[tuple[Value | Datum, ...]] = [
        (
            algorithm_label(one.algorithm, read.get(one.algorithm, ())) + " !" * (not one.complete),
            *(
                Datum(in_percent(s.mean), text=None if s.mean is None else plus_minus(s))
                for s in _summaries(one)
            ),
        )
        for one in mine
    ]
    title = f"{dataset}: best, last, and selected by {mine[0].criterion}"
    return Grid(title, (Column("algorithm", "name"), *map(Column, RECORDS)), rows)


def _one_table(found: Sequence[Gap]) -> Grid:
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


def _json(results: Results, found: Sequence[Gap], metric: str) -> str:
    about: dict[str, Any] = {
        "schema": SCHEMA,
        "metric": metric,
        "unit": "shares, 0 to 1",
        "ddof": results.ddof,
        "budget": results.settings.get("budget"),
        "notes": list(results.notes),
        "rows": [asdict(one) for one in found],
    }
    return to_json(about, ensure_ascii=False)
