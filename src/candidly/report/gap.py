"""Best, last and selected record side by side: what choosing costs, and what it is worth."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .._files import inert
from .._names import lookup
from ..stats import Summary
from ..sweep.gap import Gap, gaps
from ..sweep.records import Results
from ..sweep.select import METRICS, trained_on_validation, untested
from ._forms import finite, markdown_safe, markdown_table, rich_table
from ._wording import (
    NOTHING,
    algorithm_label,
    algorithm_order,
    budget_text,
    dataset_order,
    percent,
    plus_minus,
)

SCHEMA = 1  # of the JSON form
COLUMNS = ("algorithm", "best (oracle)", "last", "selected", "best − selected", "selected − last")
CSV_COLUMNS = (
    *("dataset", "algorithm", "criterion", "runs", "updates", "epochs"),
    *("best_test", "best_test_se", "last_test", "last_test_se"),
    *("test_at_selected", "test_at_selected_se"),
    *("best_minus_selected", "best_minus_selected_se"),
    *("selected_minus_last", "selected_minus_last_se"),
)


def render_gap(
    results: Results,
    format: str = "text",
    metric: str = "top1",
    criterion: str | None = None,
    width: int = 100,
) -> str:
    """The best record (an oracle), the last, and the one selected without clean labels.

    Args:
        results: what :func:`candidly.sweep.journal.read_results` returns.
        format: ``text``, ``markdown``, ``json`` or ``csv``, whose columns ``_se`` hold the
            standard errors of the text, in percent.
        metric: ``top1``, ``balanced`` or ``top5``; the best record is the best in it.
        criterion: by which runs and records are selected; by default CR, or NVA where given labels
            are learned from.
        width: columns the text form may use.

    Raises:
        UnknownName: a format, metric or criterion that is not there; suggests the nearest.
        ValueError: the validation rows were trained on, so nothing was selected; or the data has
            no true labels.
    """
    _, form = lookup(FORMATS, format, "format")
    metric, _ = lookup(METRICS, metric, "metric")
    if trained_on_validation(results):
        raise ValueError(
            "these runs trained on their validation rows (train-oracle), so nothing was selected. "
            "Ask of a directory made with --validation tune."
        )
    if results.runs and untested(results.runs) == {run.dataset for run in results.runs}:
        raise ValueError(
            "these runs have no test accuracy, as their data has no true labels, so there is no "
            "best record to compare with. Leave out --gap, or add the true labels to the data."
        )
    return form(results, gaps(results, criterion, metric) if results.runs else [], metric, width)


def gap_rows(found: list[Gap]) -> list[tuple[str, ...]]:
    """Texts for a table with ``COLUMNS``."""
    return [
        (
            algorithm_label(one.algorithm) + ("" if one.complete else " !"),
            *(_cell(s) for s in (one.best, one.last, one.selected, one.lost, one.gained)),
        )
        for one in found
    ]


def _cell(summary: Summary) -> str:
    return "–" if summary.mean is None else plus_minus(summary)


def _of(found: list[Gap], results: Results, dataset: str) -> list[Gap]:
    order = algorithm_order(results)
    mine = [one for one in found if one.dataset == dataset]
    return sorted(mine, key=lambda one: order.index(one.algorithm))


def _title(mine: list[Gap], dataset: str) -> str:
    return f"{dataset}: best, last, and selected by {mine[0].criterion}"


def _legend(results: Results, metric: str) -> str:
    return (
        f"Mean {METRICS[metric]} in percent ± standard error over splits, of three records of the "
        "same runs, those that the criterion chose. Best: the highest test accuracy of any record, "
        "an oracle that reads the test rows. Differences are paired over splits. An exclamation "
        f"mark: not every planned run is finished.{budget_text(results)}"
    )


def _text(results: Results, found: list[Gap], metric: str, width: int) -> str:
    from rich.console import Console

    if not found:
        return "\n".join([NOTHING, *results.notes])
    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    for dataset in dataset_order(results):
        mine = _of(found, results, dataset)
        console.print(_title(mine, dataset))
        drawn = rich_table()
        for column in COLUMNS:
            drawn.add_column(column, justify="left" if column == COLUMNS[0] else "right")
        for row in gap_rows(mine):
            drawn.add_row(*row)
        console.print(drawn)
        console.print()
    console.print(_legend(results, metric))
    for note in results.notes:
        console.print(f"Note: {note}")
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).rstrip()


def _markdown(results: Results, found: list[Gap], metric: str, width: int) -> str:
    if not found:
        return "\n\n".join([NOTHING, *results.notes])
    parts = []
    for dataset in dataset_order(results):
        mine = _of(found, results, dataset)
        title = f"### {markdown_safe(_title(mine, dataset))}"
        parts += [title, markdown_table(COLUMNS, gap_rows(mine), "right")]
    notes = [f"Note: {markdown_safe(note)}" for note in results.notes]
    return "\n\n".join([*parts, _legend(results, metric), *notes])


def _json(results: Results, found: list[Gap], metric: str, width: int) -> str:
    about: dict[str, Any] = {
        "schema": SCHEMA,
        "metric": metric,
        "unit": "shares, 0 to 1",
        "ddof": results.ddof,
        "budget": results.settings.get("budget"),
        "notes": list(results.notes),
        "rows": [asdict(one) for one in found],
    }
    return json.dumps(finite(about), indent=1, ensure_ascii=False, allow_nan=False)


def _csv(results: Results, found: list[Gap], metric: str, width: int) -> str:
    page = io.StringIO()
    write = csv.writer(page, lineterminator="\n").writerow
    write(CSV_COLUMNS)
    for one in found:
        epochs = "" if one.epochs is None else f"{one.epochs:.4g}"
        numbers = [
            "" if value is None else percent(value)
            for summary in (one.best, one.last, one.selected, one.lost, one.gained)
            for value in (summary.mean, summary.standard_error)
        ]
        names = [inert(name) for name in (one.dataset, one.algorithm, one.criterion)]
        write([*names, one.runs, one.updates, epochs, *numbers])
    return page.getvalue().rstrip("\n")


FORMATS: Mapping[str, Callable[[Results, list[Gap], str, int], str]] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
    "csv": _csv,
}
