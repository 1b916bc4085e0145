"""``candidly bench``: plan, run, look, resume."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.jsons import to_json
from .. import _progress
from .._print import AsJson, grid_of, show
from .._stopping import stoppable
from .compare import compare
from .options import On, RunOptions, asked_for, command_of
from .plan import plan
from .published import published
from .records import records
from .table import Brief, Where, print_tables, results_of, table
from .track import Track, tracked
from .track import track as send

if TYPE_CHECKING:
    from ...compare.sweep.counts import RunCounts
    from ...compare.sweep.results import Results

app = typer.Typer(
    no_args_is_help=True,
    help="Benchmarks: plan, run, status, table, records, compare, report, track, compact.",
)


app.command()(plan)
app.command()(published)


@app.command()
@asked_for
def run(
    asked: RunOptions,
    on: On = None,
    track: Track = None,
    brief: Brief = False,
    as_json: AsJson = False,
) -> None:
    """Train what the directory does not hold yet, then print the tables.

    Stop it whenever you like, with Ctrl-C or harder: the same command goes on from the last
    checkpoint and ends with the same numbers.

    Examples:

      candidly bench run --dataset digits --labels flip:rate=0.3 --algorithms PRODEN,CC --configs 2

      candidly bench run --dataset lost --data ~/pll --algorithms PRODEN,CC --configs 4 --splits 5

      candidly bench run --preset plench-tables --on ray:auto
    """
    with stoppable(lambda: "stopped before training began."):
        from ...compare.benchmarking import prepare
        from ...compare.sweep.run import run_plan

        folder = asked.folder
        with _progress.reading("preparing data", "of the data prepared") as reading:
            made, loaded = prepare(asked.settings, **asked.where, watch=reading)
    with stoppable(lambda: f"stopped; {_count(folder)}. The same command goes on."):
        with tracked(folder, track), _progress.shown() as watch:
            run_plan(
                made,
                loaded,
                folder,
                device=asked.device,
                workers=asked.workers,
                on=on,
                stack=asked.stack,
                watch=watch,
                accept_code=asked.accept_code,
            )
        results = results_of(folder)
    print_tables(results, "json" if as_json else "text", brief=brief)
    print(f"Results are in {folder}.  Page:  candidly bench report {folder}", file=sys.stderr)


@app.command()
def status(folder: Where, as_json: AsJson = False) -> None:
    """How far a directory is.

    Example:  candidly bench status runs/lost
    """
    from ...compare.sweep.counts import counted
    from ...compare.sweep.lock import is_locked

    results = results_of(folder)
    found = counted(results)
    rows = [
        {
            "dataset": one.dataset,
            "algorithm": one.algorithm,
            "complete": one.complete,
            "begun": one.begun,
            "planned": one.planned,
            "diverged": one.diverged,
            "pruned": one.pruned,
        }
        for one in found
    ]
    busy = is_locked(folder)
    if as_json:
        about = {"running": busy, "rows": rows, "notes": list(results.notes)}
        print(to_json(about))
        return
    title = f"{folder}: {_share(found)}{', running' if busy else ''}"
    show(grid_of(title, rows))
    _print_notes(results)


app.command()(table)
app.command()(records)
app.command()(compare)
app.command()(send)


@app.command()
def report(
    folder: Where,
    out: Annotated[Path | None, typer.Option(help="The page. (default: DIR/report.html)")] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write every figure there, as SVG, PDF and PNG."),
    ] = None,
) -> None:
    """One self-contained HTML page: tables, rankings, box plots, learning curves, choices, cost.

    Examples:

      candidly bench report runs/lost

      candidly bench report runs/lost --out lost.html --figures figures
    """
    from ...compare.report import results_document
    from ...compare.sweep.facts import kept_in
    from ...compare.sweep.plan import read_plan

    path = out or folder / "report.html"
    results = results_of(folder)
    plan = read_plan(folder)
    kept = [kept_in(folder, text) for _, _, text in plan.plugins if text] if plan else []
    finish = command_of(results.settings, folder, list(dict.fromkeys(kept)))
    results_document(results, finish=finish).write(path, figures_in=figures)
    print(path)
    if figures is not None:
        print(figures)


@app.command()
def compact(
    folder: Where,
    force: Annotated[
        bool,
        typer.Option("--force", help="Delete files with unreadable lines too, not only the rest."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make one small file of a directory's journal, to keep or to send. It can still be resumed.

    Example:  candidly bench compact runs/lost
    """
    from ...compare.sweep.compact import compact as make_compact

    done = make_compact(folder, force)
    for note in done.notes:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        print(to_json(asdict(done)))
    elif not done.records:
        print(f"{folder}: no record yet, so there is nothing to do")
    else:
        print(
            f"{folder}: {done.records:,} records, {done.bytes_before:,} bytes in "
            f"{done.files_before} files before, {done.bytes_after:,} bytes now "
            f"({done.bytes_after / done.records:.0f} a record)"
        )
        for name in done.kept:
            print(f"kept {name}, because of lines that cannot be read; --force deletes it")


def _count(folder: Path) -> str:
    if not (folder / "plan.json").exists():  # stopped before it was written
        return "nothing is trained yet"
    from ...compare.sweep.counts import counted

    return _share(counted(results_of(folder)))


def _share(counts: Iterable[RunCounts]) -> str:
    found = [(one.complete, one.planned) for one in counts]
    complete, planned = map(sum, zip(*found)) if found else (0, 0)
    return f"{complete} of {planned} runs complete"


def _print_notes(results: Results) -> None:
    for note in results.notes:
        print(f"note: {note}", file=sys.stderr)
