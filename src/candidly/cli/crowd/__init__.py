"""``candidly crowd``: one label per item from the answers of several annotators."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...ground.files import write_table
from ...ground.jsons import to_json
from .. import _progress, _words
from .._column_options import ANSWERS, ANY, CELLS, LABELS, reads
from .._issues import check_place
from .._print import AsJson, Form, Html, check_form, show
from .._types import how_many_workers, random_seed, share, whole
from .read import read
from .sets import sets

TABLES = (".parquet", ".csv", ".json")
MORE = "--top gives more"

app = typer.Typer(
    no_args_is_help=True,
    help="Answers of several annotators: consensus, sets, read.",
)


app.command()(sets)
app.command()(read)


@app.callback()
def _noun() -> None:
    pass


@app.command()
@reads(*LABELS, *CELLS, "id", *ANSWERS, "drop")
def consensus(
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="A table with an answer a row and the columns item, annotator, label; a folder, "
            "or an address such as s3://bucket/answers, of such tables that are parts of one; a "
            "saved .npz with votes; or a known name such as labelme.",
        ),
    ],
    probs: Annotated[
        Path | None,
        typer.Option(
            "--probs",
            metavar="FILE",
            help="A model's out-of-sample probabilities: a table with a column item (or id) and "
            "one per class, or numbers alone (also .npy) whose rows are items 0, 1, 2 and so on",
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="opinion-pool, majority, dawid-skene, one-coin, crowdlab, wawa, zero-based-skill, "
            "mace, glad, ibcc, kos or ordinal.",
        ),
    ] = "opinion-pool",
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Divide each row of probabilities by its sum first.")
    ] = False,
    seed: Annotated[int, random_seed("Of ties that are drawn.")] = 0,
    root: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder to look for known data in, first."),
    ] = None,
    top: Annotated[int, whole("Items and annotators to print.")] = 10,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every item's label: .parquet .csv .json."),
    ] = None,
    annotators: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every annotator, such as to pay: answers, agreement with its interval, and "
            "of items whose label is known how many are right: .parquet .csv .json.",
        ),
    ] = None,
    html: Html = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of the items: --out becomes this table with a column consensus, rows by "
            "its column of ids.",
        ),
    ] = None,
    roles: Roles = ANY,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Items whose label is known, such as those that an expert checked: a table of "
            "item and label. The consensus is compared with them, beside the plain majority, and "
            "they set right how many labels are said to be right. "
            "(default: the column truth of the answers, such as golden tasks, where there is one)",
        ),
    ] = None,
    reach: Annotated[
        float | None,
        share(
            "Say how many more answers make this share of the labels right, with an interval, by "
            "draws from the model that opinion-pool, dawid-skene or one-coin fits.",
            open=True,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="first|last|all",
            help="Which of several answers of one annotator about one item count: the first, the "
            "last, or all. (default: they are refused)",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that says when an answer was given: who changes over time, beyond chance?",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        how_many_workers(
            "Threads, and parts that are read at once with --on. (default: one per core)"
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Who reads parts: processes; ray, a Ray of this machine's cores; or ray:ADDRESS, "
            "a Ray cluster that runs and can open them (ray:auto, ray:10.0.0.1:6379). (default: "
            "this process, one after another) All find the same, bit for bit.",
        ),
    ] = None,
    form: Form = "text",
    as_json: AsJson = False,
) -> None:
    """One label per item, the most doubtful first; who answers well; what to ask next.

    Examples:

      candidly crowd consensus answers.csv --out labels.csv

      candidly crowd consensus answers.csv --known expert.csv --top 3

      candidly crowd consensus answers.csv --reach 0.97 --annotators pay.csv

      candidly crowd consensus answers.csv --time answered_at --html page.html

      candidly crowd consensus answers.csv --into features.csv --out labelled.csv

      candidly crowd consensus answers.parquet --by crowdlab --probs probs.csv --html page.html

      candidly crowd consensus labelme --by one-coin --annotators annotators.csv --json

      candidly crowd consensus models.csv --known checked.csv --html page.html

      candidly crowd consensus s3://bucket/answers --on processes --workers 8 --out labels.parquet
    """
    from ...ground.names import lookup
    from ...people import crowd

    check_form(form)
    by = lookup(crowd.METHODS, by, "way to a consensus")[0]
    if reach is not None:
        crowd.check_reach(by, probs is not None)
    check_place(out, "--out", TABLES if into is None else ())
    if into is not None and out is None:
        raise ValueError("--into is the table that --out becomes; say where with --out.")
    check_place(annotators, "--annotators", TABLES)
    check_place(html, "--html", (".html", ".htm"))
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    with _words.held() as notes:
        with _progress.reading("reading", "of the parts read") as watch:
            read_in = crowd.read_crowd(
                answers,
                probs=probs,
                known=known,
                into=into,
                normalise=normalise,
                keep=keep,  # type: ignore[arg-type]
                time=time,
                root=root,
                roles=roles,
                workers=workers,
                on=on,
                watch=watch,
            )
        with _progress.reading("estimating", "of the most work there may be") as watch:
            found = crowd.settle(read_in, by, reach=reach, seed=seed, workers=workers, watch=watch)
    written = {"out": out, "annotators": annotators, "html": html}
    if out is not None and into is not None:
        crowd.put_into(found.consensus, into, out, roles)
    elif out is not None:
        write_table(found.consensus.table(), out)
    if annotators is not None:
        write_table(found.people, annotators)
    if html is not None:
        read = {"answers": answers} | ({} if probs is None else {"probabilities": str(probs)})
        found.document(read, notes).write(html)
    if as_json:
        files = {name: str(path) for name, path in written.items() if path is not None}
        print(to_json({**found.as_dict(top), "written": files, "warnings": notes}))
        return
    show(*found.parts(top, MORE), form=form)
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)
