"""``candidly bench records``: every record of a directory, as one table."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.names import lookup
from ...ground.spec import several
from .table import Where, results_of

if TYPE_CHECKING:
    from ...compare.sweep.results import Results

FORMATS = {"csv": ".csv", "parquet": ".parquet"}


def records(
    folder: Where,
    format: Annotated[
        str | None,
        typer.Option(help="csv or parquet. (default: what --out ends in, else csv)"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file. (default: CSV goes to stdout)")
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Of these alone; repeat, or use commas."),
    ] = None,
) -> None:
    """Every record, a row each, for your own analysis: where it is from, settings, measures.

    Columns hyper.NAME are hyper-parameters; validation.NAME what criteria choose by; test.NAME
    shares of the test rows. `candidly.compare.sweep.journal.read_results(DIR).frame()` is the same.

    Examples:

      candidly bench records runs/lost --out records.parquet

      candidly bench records runs/lost --algorithms PRODEN,CC --format csv
    """
    from ...ground.files import replacing, write_csv

    form = _form(format, out)
    if form == "parquet" and out is None:
        raise ValueError("--format parquet is no text; say where it goes with --out FILE.")
    results = _of(results_of(folder), algorithms)
    table = results.frame()
    for note in results.notes:
        print(f"note: {note}", file=sys.stderr)
    if out is None:
        write_csv(table, sys.stdout.buffer)
        return
    with replacing(out) as file:
        if form == "csv":
            write_csv(table, file)
        else:
            table.write_parquet(file)
    told = f"{len(table):,} records of {(results.runs.reached.records > 0).sum():,} runs"
    print(f"{out}: {told}, {table.width} columns", file=sys.stderr)


def _form(asked: str | None, out: Path | None) -> str:
    """The format asked for, or the one that the file's ending says."""
    if asked is not None:
        return lookup(FORMATS, asked, "format")[0]
    if out is None:
        return "csv"
    for form, ending in FORMATS.items():
        if out.suffix.lower() == ending:
            return form
    raise ValueError(f"--out {out} ends in neither .csv nor .parquet; say which with --format.")


def _of(results: Results, algorithms: list[str] | None) -> Results:
    """The runs of some algorithms, in the order of the plan."""
    asked = several(algorithms or (), "--algorithms")
    if not asked:
        return results
    there = dict.fromkeys(group.first.algorithm for group in results.runs.groups)
    if not there:
        return results
    names = {lookup(there, name, "algorithm of this directory")[0] for name in asked}
    return replace(results, runs=results.runs.only(names))
