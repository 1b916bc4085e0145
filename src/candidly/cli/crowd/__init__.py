"""``candidly crowd``: one label per item from the answers of several annotators."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.ingest import Roles
from ...ground.files import write_table
from ...ground.jsons import to_json
from ...people.crowd.consensus_summary import consensus_grids, consensus_lines
from ...people.crowd.drift_document import drift_grid, drift_line
from .. import _progress, _words
from .._column_options import ANSWERS, ANY, CELLS, LABELS, reads
from .._issues import check_place
from .._print import AsJson, Form, Html, check_form, show
from .._types import how_many_workers, random_seed, share, whole
from .read import read
from .sets import sets

if TYPE_CHECKING:
    from ...people.crowd import Consensus, MoreAnswers, OpinionPool
    from ...people.crowd.known import KnownItems

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
    from ...people.crowd.known import known_items, known_parts

    check_form(form)
    by = lookup(crowd.METHODS, by, "way to a consensus")[0]
    if reach is not None:
        crowd.check_reach(by, probs is not None)
    check_place(out, "--out", TABLES if into is None else ())
    if into is not None and out is None:
        raise ValueError("--into is the table that --out becomes; say where with --out.")
    check_place(annotators, "--annotators", TABLES)
    check_place(html, "--html", (".html", ".htm"))
    workers = workers or len(os.sched_getaffinity(0))
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
        with _progress.reading("estimating", "of the most rounds there may be") as watch:
            found = crowd.consensus(
                read_in.answers,
                by,  # type: ignore[arg-type]
                read_in.probs,
                seed,
                watch,
                workers,
                read_in.known,
            )
            pool = crowd.pool_beside(found, read_in.probs, read_in.known, seed, watch, workers)
    held = None if read_in.known is None else known_items(found, read_in.known, by)
    more = None
    if reach is not None:
        with _progress.reading("drawing", "of the draws") as watch:
            more = crowd.more_answers(found, reach, seed=seed, watch=watch)  # type: ignore[arg-type]
    people = crowd.annotators(found, read_in.known)
    changes = None if read_in.when is None else crowd.drift(read_in.answers, read_in.when)
    written = {"out": out, "annotators": annotators, "html": html}
    if out is not None and into is not None:
        crowd.put_into(found, into, out, roles)
    elif out is not None:
        write_table(found.table(), out)
    if annotators is not None:
        write_table(people, annotators)
    if html is not None:
        from ...people.crowd.consensus_document import crowd_document

        read = {"answers": answers} | ({} if probs is None else {"probabilities": str(probs)})
        crowd_document(
            found, by=by, read=read, notes=notes, known=held, more=more, pool=pool, changes=changes
        ).write(html)
    if as_json:
        _print_json(found, pool, by, people, top, written, notes, held, more, changes)
        return
    parts = [*consensus_lines(found, by, pool), *(known_parts(held) if held else ())]
    parts += [] if more is None else [str(more)]
    parts += [] if changes is None else [drift_line(changes)]
    grids = [*consensus_grids(found, pool, people, top, MORE)] if top else []
    grids += [drift_grid(changes, top)] if top and changes is not None else []
    show(*parts, *grids, form=form)
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)


def _print_json(
    found: Consensus,
    pool: OpinionPool | None,
    by: str,
    people: Any,
    top: int,
    written: dict[str, Path | None],
    notes: list[str],
    held: KnownItems | None,
    more: MoreAnswers | None,
    changes: Any,
) -> None:
    from ...people import crowd
    from ...people.crowd import Majority, next_items

    answers = found.answers
    about = {
        "by": by,
        "answers": len(answers),
        "items": answers.n,
        "classes": list(answers.classes),
        "unsaid": int(found.unsaid.sum()),
        "alpha": crowd.krippendorff(answers).as_dict(),
        "claim": pool and pool.claim._asdict(),
        "calibration": pool and pool.calibration and pool.calibration._asdict(),
        "shared_errors": pool and pool.shared.as_dict(top),
        "ties": found.ties if isinstance(found, Majority) else None,
        "known": None if held is None else held.as_dict(),
        "reach": None if more is None else asdict(more),
        "changes": None if changes is None else changes.head(top).rows(named=True),
        "consensus": found.table().head(top).rows(named=True),
        "annotators": people.head(top).rows(named=True),
        "next": next_items(found, top).rows(named=True),
        "written": {name: str(path) for name, path in written.items() if path is not None},
        "warnings": notes,
    }
    print(to_json(about))
