"""``candidly bench compare``: two result sets, or two variants of one, side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.spec import halves, several
from .._print import check_form, print_text, width
from .._types import number
from .table import results_of

if TYPE_CHECKING:
    from ...compare.report.changes import ResultSet
    from ...compare.sweep.results import Results


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A results directory, or a table.")],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="[B]", help="Another. (with --variants: A itself)"),
    ] = None,
    variants: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Take variant A of A and B of B, such as plench,fixed."),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help="As in bench table; repeat it. (default: the directory's usual ones)"),
    ] = None,
    metric: Annotated[str, typer.Option(help="top1, top5, balanced or adjusted.")] = "top1",
    margin: Annotated[
        float, number("In points: differences within it are of no importance.", 0, 100)
    ] = 1.0,
    format: Annotated[
        str, typer.Option(help="text, markdown, csv (one table), latex, html or json.")
    ] = "text",
    html: Annotated[
        Path | None, typer.Option(help="Write a page there, with slope charts.")
    ] = None,
) -> None:
    """What changed beyond noise between A and B: differences, intervals, verdicts, ranks.

    A table is a CSV with the columns algorithm, dataset, mean, and, where known, error (a standard
    error), splits, criterion and metric, such as `bench table --format csv` writes.

    Examples:

      candidly bench compare runs/before runs/after --html changes.html

      candidly bench compare runs/lost paper.csv --criterion CR

      candidly bench compare runs/lost --variants plench,fixed
    """
    from ...compare.report.changes import compare_sides
    from ...compare.report.changes_document import changes_document
    from ...compare.sweep.select import DEFAULT, METRICS, lookup_criterion, usual_criteria
    from ...ground.names import lookup

    check_form(format, json=True)
    metric, _ = lookup(METRICS, metric, "metric")
    asked = _variants(variants)
    if second is None and variants is None:
        raise ValueError("give two result sets, or --variants, such as --variants plench,fixed.")
    paths = (first, second or first)
    read = {path: results_of(path) for path in dict.fromkeys(paths) if path.is_dir()}
    usual = next((usual_criteria(results) for results in read.values()), DEFAULT)
    names = [lookup_criterion(name).name for name in criterion or usual]
    a, b = (_side(p, read.get(p), names, metric, v) for p, v in zip(paths, asked))
    found = compare_sides(a, b, margin / 100)
    document = changes_document(found, metric)
    print_text(document.render(format, width()))
    if html is not None:
        document.write(html)
        print(f"Page:  {html}", file=sys.stderr)


def _variants(text: str | None) -> tuple[str | None, str | None]:
    if text is None:
        return None, None
    parts = several([text], "--variants")
    if len(parts) != 2 or parts[0] == parts[1]:
        raise ValueError(f"--variants is {text!r}; give two with a comma, such as plench,fixed.")
    return parts[0], parts[1]


def _side(
    path: Path, results: Results | None, criteria: list[str], metric: str, variant: str | None
) -> ResultSet:
    from ...compare.report.changes import side_of
    from ...compare.report.paper_table import read_paper_table
    from ...compare.sweep.counts import examples

    if results is None:
        return read_paper_table(path, criteria, metric)
    name = str(path) if variant is None else f"{path}, {variant}"
    side = side_of(results, name, criteria, metric, variant)
    if variant is not None and not side.entries and results.runs:
        there = {halves(run.algorithm)[1] or "fixed" for run in examples(results)}
        raise ValueError(f"{path} has no variant {variant!r}, but {', '.join(sorted(there))}.")
    return side
