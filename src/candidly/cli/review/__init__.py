"""``candidly review``: people check labels; projects, how far they are, answers in and out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...ground.jsons import to_json
from .. import _column_options as columns
from .._issues import check_place
from .._print import AsJson, show
from .demo import demo
from .export import EXPORTS, Wanted
from .gallery import gallery
from .new import new
from .project import Folder, by, check_installed, opened
from .serve import serve

app = typer.Typer(
    no_args_is_help=True,
    help="People check labels: make a project, see how far it is, take answers in and out.",
)

app.command()(new)
app.command()(serve)
app.command()(demo)
app.command()(gallery)


@app.command()
def status(folder: Folder, as_json: AsJson = False) -> None:
    """How far a project is: items, verdicts, agreement, people. Works while people answer.

    Example:  candidly review status check
    """
    from ...people.review.status import status_of, status_parts

    with opened(folder) as project:
        about = status_of(project)
    if as_json:
        print(to_json(about))
        return
    show(*status_parts(about))


@app.command()
@columns.reads("label", *columns.CELLS)
def export(
    folder: Folder,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to write it; of a gallery, a folder.")
    ],
    what: Annotated[
        str,
        typer.Option(
            "--as",
            help="votes (a row per answer: .csv .parquet .json), all (the same with what does not "
            "count), crowd (one label a person, for candidly crowd: .csv .parquet), "
            "pay (a row per person: answers, time, known items: .csv .parquet .json), "
            "totals (the released files' layout: .json), corrected (.npz .npy .csv "
            ".parquet), label-studio (.json), argilla (.json), log (.jsonl), "
            "events (who signed in, exported, left whom out: .csv .parquet .json), "
            "gallery (a folder of "
            "pages that needs no server).",
        ),
    ] = "votes",
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For corrected: all labels of the data set."),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="For corrected: the table that the items came from; --out is the same table with "
            "the corrected labels, and where each comes from, beside the old ones. Or the folder "
            "of pictures; --out is a copy of it, each picture in the folder of its right class, "
            "with a table of moves.",
        ),
    ] = None,
    roles: Roles = columns.ANY,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="With --into: --out may be that very file.")
    ] = False,
    reading: Annotated[str, typer.Option(help="For corrected: exact or seen.")] = "exact",
    undecided: Annotated[
        str,
        typer.Option(
            help="For corrected: keep or prune labels on which people differ, so that no answer "
            "has enough."
        ),
    ] = "keep",
    codes: Annotated[
        bool, typer.Option("--codes", help="For a gallery: say who gave which answer.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answers as votes, counts, corrected labels, for other programs, or as a log to merge.

    Examples:

      candidly review export check --out votes.csv

      candidly review export check --as corrected --into pets.csv --out pets-corrected.csv

      candidly review export check --as corrected --into pets --out pets-corrected

      candidly review export check --as corrected --labels labels.npy --out corrected.npz

      candidly review export check --as gallery --out pages
    """
    from ...data.ingest.unused import RolesUsed, refuse_unused
    from ...ground.names import lookup

    check_installed()
    from ...people.review import record

    what, (endings, write) = lookup(EXPORTS, what, "kind of export")
    if endings:
        check_place(out, "--out", endings if into is None else ())
    if (what == "corrected") != ((labels is None) == (into is not None)):
        raise ValueError(
            "--as corrected needs --into, the table to correct, or --labels, labels alone; only it"
            " takes them."
        )
    if into is None and labels is None:
        refuse_unused(roles, RolesUsed(f"--as {what}", (), "give --into or --labels"))
    if overwrite and into is None:
        raise ValueError("--overwrite is for --into; other files are written over anyway.")
    if what != "corrected" and (reading, undecided) != ("exact", "keep"):
        raise ValueError("--reading and --undecided are for --as corrected.")
    if codes and what != "gallery":
        raise ValueError("--codes is for --as gallery; the other files say who answered anyway.")
    with opened(folder) as project:
        wanted = Wanted(
            out,
            labels,
            reading,
            undecided,
            codes,
            into,
            roles,
            overwrite,
        )
        record(project, by(), "exported", f"{what}: {out}")
        number = write(project, wanted)
    if as_json:
        print(json.dumps({"folder": str(folder), "as": what, "out": str(out), "rows": number}))
        return
    print(f"wrote {out}: {number:,} {'items' if what == 'gallery' else 'rows'}", file=sys.stderr)


@app.command()
def merge(
    folder: Folder,
    others: Annotated[
        list[Path],
        typer.Argument(
            metavar="OTHER...",
            help="Copies of the project, logs of such (.jsonl), or answers (.csv .parquet).",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Take in answers that were given elsewhere. Nothing comes twice, whatever the order.

    Example:  candidly review merge check laptop/check answers.jsonl
    """
    check_installed()
    from ...people.review import import_answers, merge_log, open_project, record
    from ...people.review import merge as merge_projects

    added = {}
    with opened(folder) as project:
        for other in others:
            if other.is_dir():
                with open_project(other) as copy:
                    added[str(other)] = merge_projects(project, copy)
            elif other.suffix == ".jsonl":
                added[str(other)] = merge_log(project, other)
            else:
                added[str(other)] = import_answers(project, other)
            record(project, by(), "merged", str(other), entries=added[str(other)])
    if as_json:
        print(json.dumps({"folder": str(folder), "added": added}))
        return
    for name, number in added.items():
        print(f"{name}: {number:,} new entries")
