"""``candidly validate``: from people's answers to verdicts, totals and corrected labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...ground.jsons import to_json
from ...people.validation.verdicts_summary import verdicts_parts
from .. import _progress
from .._column_options import ANSWERS, ANY, CELLS, LABELS, reads
from .._issues import check_place
from .._print import AsJson, Form, Html, check_form, show
from .._types import whole

OUT = (".npz", ".npy", ".parquet", ".csv")


@reads(*LABELS, *CELLS, "id", *ANSWERS, "drop")
def validate(
    votes: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The answers: a released .json file, or a table with a row per answer and the "
            "columns item (a row number) or name (an id of the labels), person, answer; given and "
            "guessed where --labels says less.",
        ),
    ],
    votes_format: Annotated[
        str | None,
        typer.Option(help="Of the answers: released or long. (default: by the file's ending)"),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="All labels of the data set: a table, an .npy, or a .json list of names of files "
            "whose folders are their classes. Corrected labels are made of them.",
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The table with these labels, in place of --labels; --out is the same table with "
            "the corrected labels, and where each comes from, beside the old ones. Or a folder of "
            "pictures; --out is a copy of it, each picture in the folder of its right class.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="With --into: --out may be that very file.")
    ] = False,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A JSON list of file names in order of the data set, for answers whose ids are "
            "file names (ImageNet, IMDB).",
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        whole("People that make a verdict. (default: more than half)", least=1),
    ] = None,
    reading: Annotated[
        str,
        typer.Option(
            help="For corrected labels: exact, or seen, which keeps what people saw at all."
        ),
    ] = "exact",
    undecided: Annotated[
        str,
        typer.Option(
            help="For corrected labels: keep or prune those on which people differ, so that no "
            "answer has enough."
        ),
    ] = "keep",
    size: Annotated[
        int | None, whole("Examples of the data set. (default: the labels)", least=1)
    ] = None,
    flagged: Annotated[
        int | None,
        whole("Examples that were flagged, if those checked are a random sample.", least=1),
    ] = None,
    audited: Annotated[int, whole("Unflagged examples drawn at random and checked.")] = 0,
    audit_errors: Annotated[int, whole("Errors among these.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write corrected labels: .npz (can be applied and undone), .npy (labels alone, "
            "-1: pruned), or a table with where each label comes from, .parquet .csv.",
        ),
    ] = None,
    html: Html = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """What people's answers say about labels: errors, how sure that is, and what to put instead.

    Examples:

      candidly validate --votes cifar10_mturk.json --size 10000

      candidly validate --votes quickdraw_mturk.json --size 50426266 --flagged 6825383

      candidly validate --votes answers.csv --labels labels.npy --out corrected.npz --html page.html

      candidly validate --votes answers.csv --into pets.csv --label kind --out pets-corrected.csv
    """
    from ...people.validation import read_validation
    from ...people.validation.verdicts_document import summarise, verdicts_document

    if form in ("released", "long"):
        raise ValueError(f"--format is of what is printed; give --votes-format {form}.")
    check_form(form)
    check_place(out, "--out", OUT if into is None else ())
    check_place(html, "--html", (".html", ".htm"))
    if out is not None and labels is None and into is None:
        raise ValueError("--out writes corrected labels; say with --labels what to correct.")
    if into is not None and (labels is not None or out is None):
        why = (
            "has the labels itself, so leave --labels out" if labels else "needs --out, a new file"
        )
        raise ValueError(f"--into {into} {why}.")
    if labels is None and into is None and (reading, undecided) != ("exact", "keep"):
        raise ValueError(
            "--reading and --undecided are about corrected labels; say with --labels or --into "
            "what to correct."
        )
    if overwrite and into is None:
        raise ValueError("--overwrite is for --into; other files are written over anyway.")
    found = read_validation(
        votes,
        labels,
        into,
        votes_format=votes_format,
        index=index,
        threshold=threshold,
        reading=reading,
        undecided=undecided,
        size=size,
        flagged=flagged,
        audited=audited,
        audit_errors=audit_errors,
        roles=roles,
    )
    made = found.corrected if found.correctable or out is not None else None
    about = summarise(
        found.verdicts, size=found.size, flagged=flagged, missed=found.missed, corrected=made
    )
    source = labels or into
    if html is not None:
        read = {"answers": str(votes)} | ({} if source is None else {"labels": str(source)})
        verdicts_document(found.verdicts, about=about, read=read).write(html)
    if out is not None:
        with _progress.reading("copying", "copied") as watch:
            found.write(out, overwrite, watch)
    written = {"out": out, "html": html}
    if as_json:
        about["read"] = {"votes": str(votes), "labels": None if source is None else str(source)}
        about["written"] = {name: str(path) for name, path in written.items() if path is not None}
        print(to_json(about))
        return
    show(*verdicts_parts(about, getattr(found.tally, "offered", None)), form=form)
    most = int(found.tally.answers.max(initial=0))
    if most and not about["decided"] and threshold is None:
        print(
            f"no item has the answers that a verdict needs, and none has more than {most};"
            f" --threshold {most // 2 + 1} decides by these",
            file=sys.stderr,
        )
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)
