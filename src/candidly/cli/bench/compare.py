"""``candidly bench compare``: two result sets, or two variants of one, side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
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
    first: Annotated[
        Path,
        typer.Argument(
            metavar="A", help="A results directory, a table, or a published table by its name."
        ),
    ],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="[B]", help="Another. (with --variants: A itself)"),
    ] = None,
    variants: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Take variant A of A and B of B, such as plench,fixed; one name is for both.",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help="As in bench table; repeat it. (default: those of a published table, else the "
            "directory's usual ones)"
        ),
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
    error), splits, criterion and metric, such as `bench table --format csv` writes. Of one without
    a criterion it is said that nobody knows what chose its models. `bench published` names the
    published tables.

    Examples:

      candidly bench compare runs/before runs/after --html changes.html

      candidly bench compare runs/lost paper.csv --criterion CR

      candidly bench compare runs/lost published:plench-7 --variants plench

      candidly bench compare runs/lost --variants plench,fixed
    """
    from ...compare.report.changes import compare_sides
    from ...compare.report.changes_document import changes_document
    from ...compare.sweep.select import METRICS, lookup_criterion
    from ...ground.names import lookup

    check_form(format, json=True)
    metric, _ = lookup(METRICS, metric, "metric")
    asked = _variants(variants, second is None)
    if second is None and variants is None:
        raise ValueError("give two result sets, or --variants, such as --variants plench,fixed.")
    paths = (first, second or first)
    read = {path: results_of(path) for path in dict.fromkeys(paths) if path.is_dir()}
    if criterion:
        names = [lookup_criterion(name).name for name in criterion]
    else:
        names = _usual(paths, read)
    a, b = (_side(p, read.get(p), names, metric, v) for p, v in zip(paths, asked))
    found = compare_sides(a, b, margin / 100)
    document = changes_document(found, metric)
    print_text(document.render(format, width()))
    if html is not None:
        document.write(html)
        print(f"Page:  {html}", file=sys.stderr)


def _usual(paths: Sequence[Path], read: Mapping[Path, Results]) -> list[str]:
    """What is compared where nobody says: the criteria of a published table, else a directory's
    usual ones, else those that a table names."""
    from ...compare.published import criteria_of
    from ...compare.report.changes import NOT_STATED
    from ...compare.report.paper_table import criteria_in
    from ...compare.sweep.select import usual_criteria

    for path in paths:
        if (name := _published(path)) and (known := criteria_of(name)):
            return list(known)
    for results in read.values():
        return list(usual_criteria(results))
    tables = [path for path in paths if not _published(path)]
    named = dict.fromkeys(name for path in tables for name in criteria_in(path))
    return list(named) or [NOT_STATED]


def _published(path: Path) -> str | None:
    """The name of a published table; None of a file or a folder."""
    from ...compare.published import PREFIX

    kind, name = halves(str(path))
    return name if kind == PREFIX and name and not path.exists() else None


def _variants(text: str | None, both: bool) -> tuple[str | None, str | None]:
    """The variant of each side; ``both`` are of one directory, and must differ."""
    if text is None:
        return None, None
    parts = several([text], "--variants")
    if len(parts) > 2 or (both and len(set(parts)) != 2):
        raise ValueError(f"--variants is {text!r}; give two with a comma, such as plench,fixed.")
    return parts[0], parts[-1]


def _side(
    path: Path, results: Results | None, criteria: list[str], metric: str, variant: str | None
) -> ResultSet:
    from ...compare.published import result_set
    from ...compare.report.changes import side_of
    from ...compare.report.paper_table import read_paper_table
    from ...compare.sweep.counts import examples

    if name := _published(path):
        return result_set(name, criteria, metric)
    if results is None:
        return read_paper_table(path, criteria, metric)
    called = str(path) if variant is None else f"{path}, {variant}"
    side = side_of(results, called, criteria, metric, variant)
    if variant is not None and not side.entries and results.runs:
        there = {halves(run.algorithm)[1] or "fixed" for run in examples(results)}
        raise ValueError(f"{path} has no variant {variant!r}, but {', '.join(sorted(there))}.")
    return side
