"""``candidly check``: how many labels of a file are wrong, and which rows to look at."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.ingest import SKIP, Roles
from ..data.labels.kinds import ALL_OF, ONE_OF
from ..data.labels.text import BAR
from ..ground.files import write_table
from ..ground.jsons import to_json
from ..ground.spec import several
from . import _column_options as columns
from . import _progress
from ._issues import check_place
from ._network_options import Encoder, Net, Training
from ._print import AsJson
from ._shared import typed
from ._stopping import stoppable
from ._types import random_seed, whole
from ._words import said

if TYPE_CHECKING:
    import polars as pl

    from ..errors.amount import CheckedRows
    from ..errors.checking import Checked

SHOWN = 10  # flagged rows that are printed
TO_COUNT = 100  # rows that people are asked about for a count
COLUMNS = 12  # columns of which it is said what they were read as


@columns.reads(*columns.LABELS, *columns.CELLS, "id", *columns.INPUTS)
def check(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table, a folder of pictures with a subfolder a class, or a known name.",
        ),
    ],
    roles: Roles = columns.ANY,
    group: Annotated[
        str | None,
        typer.Option(
            metavar=columns.COLUMN,
            help="Column that says whom or what a row is from; a group stays in one fold.",
        ),
    ] = None,
    classifier: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="logistic, forest, boosting, knn, blend, or an algorithm such as ce; of several "
            "the most accurate on a fold's training rows judges it. (default: what suits the "
            "kind of input)",
        ),
    ] = None,
    encoder: Encoder = None,
    net: Net = None,
    recipe: Training = None,
    folds: Annotated[int, whole("Models, each judging what it left out.", least=2)] = 5,
    by: Annotated[
        str | None,
        typer.Option(
            help="List what confident learning flags: noise rate, class, both, confident, "
            "predicted, margin or self-confidence. (default: rows by their chance of being wrong; "
            "of tags, noise rate; of candidate sets, confident)"
        ),
    ] = None,
    top: Annotated[int, whole("Listed rows to print.")] = SHOWN,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every listed row with its own columns: .csv .parquet .json. (default: "
            "NAME-check.csv in this folder)",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="One self-contained page. (default: NAME-check.html here)"
        ),
    ] = None,
    probs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the probabilities, too: .npz .npy .parquet."),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write rows drawn for people to check, so that they count the wrong labels: .csv "
            ".parquet .json. (default: NAME-sample.csv beside --out)",
        ),
    ] = None,
    checked: Annotated[
        Path | None,
        typer.Option(
            metavar="PROJECT|FILE",
            help="What people said of such rows: a project of candidly review, its votes, or "
            "NAME-sample.csv with a column wrong of yes and no. The headline is then a count.",
        ),
    ] = None,
    seed: Annotated[int, random_seed("Of folds and models.")] = 0,
    as_json: AsJson = False,
) -> None:
    """How many labels of a file are wrong, and which rows to look at?

    A classifier judges each row without having seen it.

    Examples:

      candidly check reviews.csv --label sentiment

      candidly check reviews.csv --label sentiment --text review --out issues.csv

      candidly check dishes.csv --label tags --label-kind all-of

      candidly check photos

      candidly check reviews.csv --label sentiment --checked reviews-count
    """
    from ..errors.checking import check as run

    name = Path(what.rstrip("/")).name.split(".")[0] or "data"
    places = {
        "table": out or Path(f"{name}-check.csv"),
        "page": html or Path(f"{name}-check.html"),
    }
    check_place(places["table"], "--out", (".csv", ".parquet", ".json"))
    check_place(places["page"], "--html", (".html", ".htm"))
    check_place(probs, "--probs", (".npz", ".npy", ".parquet"))
    sample = draw or places["table"].with_name(f"{name}-sample.csv")
    check_place(sample, "--draw", (".csv", ".parquet", ".json"))
    answers = None if checked is None else _answers(checked, what, roles)
    places |= {} if probs is None else {"probabilities": probs}
    names = None if classifier is None else several([classifier], "--classifier")
    with (
        stoppable(lambda: "stopped; nothing was written."),
        warnings.catch_warnings(),
        _progress.reading("checking", "done") as watch,
    ):
        warnings.simplefilter("ignore", UserWarning)  # the summary says them
        found = run(
            what,
            roles.label,
            separator=roles.separator,
            header=roles.header,
            classes=roles.classes,
            merge_labels=roles.merge_labels,
            kinds=dict(roles.kinds),
            label_kind=roles.label_kind,
            label_separator=roles.label_separator,
            sheet=roles.sheet,
            id=roles.id,
            text=roles.text,
            image=roles.image,
            drop=roles.drop,
            damaged=roles.damaged,
            group=group,
            classifier=names,
            encoder=encoder,
            net=net,
            recipe=recipe,
            folds=folds,
            by=by,  # type: ignore[arg-type]
            checked=answers,
            seed=seed,
            watch=watch,
        )
        table = found.table()
        rows = found.to_check() if checked is None else None
    write_table(table, places["table"])
    following, counting = _next(what, found, places["table"], name), []
    if rows is not None:
        write_table(rows, sample)
        places["sample"] = sample
        counting = _counting(what, found, sample, name, min(TO_COUNT, len(rows)))
    if found.data.label_kind == ONE_OF:  # the page is about labels that hold
        del places["page"]
    else:
        found.document(following, counting, said).write(places["page"])
    if probs is not None:
        found.judged.save(probs, found.ids())
    if as_json:
        about = found.as_dict(top)
        about |= {
            "headline": said(about["headline"]),
            "warnings": [*map(said, found.notes)],
            "written": {what: str(path) for what, path in places.items()},
            "next": following,
            "to count": counting,
        }
        print(to_json(about))
        return
    _print(found, table, top, following, counting)
    for path in places.values():
        print(f"wrote {path}", file=sys.stderr)


def _next(what: str, found: Checked, issues: Path, name: str) -> list[str]:
    """Commands for people to look at what was flagged, and to get the file back."""
    from ..data.ingest import is_by_folders

    if not found.flagged or found.useless or found.data.label_kind == ONE_OF:
        return []
    project = f"{name}-review"
    told, first = _told(found.roles), _first_line(found.roles)
    new = ["candidly", "review", "new", project, what, *told]
    new += ["--preset", "tags"] * (found.data.label_kind == ALL_OF)
    new += ["--issues", str(issues), "--people", "1"]
    export = ["candidly", "review", "export", project]
    if found.frame is not None:
        ending = Path(what).name.partition(".")[2]
        export += ["--as", "corrected", "--into", what, "--out", f"{name}-corrected.{ending}"]
        export += first
    elif is_by_folders(found.data):
        export += ["--as", "corrected", "--into", what, "--out", f"{name}-corrected"]
    else:
        export += ["--out", f"{name}-answers.csv"]
    return [shlex.join(words) for words in (new, [*new[:2], "serve", project], export)]


def _counting(what: str, found: Checked, sample: Path, name: str, count: int) -> list[str]:
    """Commands for people to count the wrong labels by rows that were drawn."""
    project = f"{name}-count"
    new = ["candidly", "review", "new", project, what, *_told(found.roles)]
    new += ["--issues", str(sample), "--sample", f"{count}", "--people", "1"]
    commands = new, [*new[:2], "serve", project], [*new[:2], "status", project]
    return [shlex.join(words) for words in commands]


def _answers(checked: Path, what: str, roles: Roles) -> CheckedRows:
    """What people said of rows that were drawn, from a project or a file.

    Raises:
        FileNotFoundError: there is neither. ValueError: what is checked is not what the project's
            rows are from, or has changed since.
    """
    if not checked.exists():
        raise FileNotFoundError(f"{checked} does not exist; candidly review new makes a project.")
    if not checked.is_dir():
        from ..people.validation import read_checked

        return read_checked(checked)
    from ..data.ingest import check_origin, read_frame
    from ..people.review import checked_rows
    from .review.project import opened

    with opened(checked) as project:
        if project.origin is not None:
            sheet = read_frame(Path(what), roles.separator, roles.table(), sheet=roles.sheet)
            check_origin(sheet, project.origin)
        return checked_rows(project)


def _told(roles: Roles) -> list[str]:
    """Options that say which column of the file is what."""
    named = {"--label": roles.label, "--id": roles.id}
    named |= {
        "--sheet": roles.sheet,
        "--separator": roles.separator,
        "--text": roles.text,
        "--image": roles.image,
        "--label-kind": roles.label_kind,
        "--label-separator": None if roles.label_separator == BAR else roles.label_separator,
    }
    told = [word for option, value in named.items() if value for word in (option, value)]
    told += ["--damaged", roles.damaged] * (roles.damaged != SKIP)
    told += [word for column in roles.drop for word in ("--drop", column)]
    return [*told, *typed("classes", "merge_labels", "kinds"), *_first_line(roles)]


def _first_line(roles: Roles) -> list[str]:
    """The option that says whether the first line names the columns."""
    return [] if roles.header == "auto" else ["--header", roles.header]


def _print(
    found: Checked, table: pl.DataFrame, top: int, following: list[str], counting: list[str]
) -> None:
    from ..show.grid import Column, Grid
    from ._print import show

    columns = found.read_as()
    facts = [(k, v) for k, v in found.read().items() if not columns or k in ("rows", "labels")]
    read = Grid(found.name, (Column("", "word"), Column("", "text")), facts)
    shown = [read, *([_read_as(columns)] if columns else [])]
    told = (" ".join(found.findings()), *(f"note: {note}" for note in found.notes))
    show(*shown, *map(said, told))
    print(said(found.headline()))
    show(*map(said, found.about_the_number()), *found.grids())
    if top and found.flagged:
        show(_flagged(found, table.head(top)))
    if following:
        print("Have people look at them, and take your file back with their labels:")
        for command in following:
            print(f"  {command}")
    if counting:
        print("Or have people count the wrong labels among all, by rows drawn for that:")
        for command in counting:
            print(f"  {command}")


def _read_as(columns: list[tuple[str, str, str]]) -> Any:
    from ..show.grid import Column, Grid

    order = sorted(columns, key=lambda row: row[1] in ("number", "category"))  # the others first
    notes = ["Otherwise: --label, --id, --text COLUMN or none, --image, --drop, --kind, --header."]
    if rest := Counter(what for _, what, _ in order[COLUMNS:]):
        notes.insert(0, "and " + ", ".join(f"{n:,} more as {what}" for what, n in rest.items()))
    form = (Column("column", "name"), Column("read as", "word"), Column("example", "text"))
    return Grid("Read as", form, order[:COLUMNS], tuple(notes))


def _flagged(found: Checked, table: pl.DataFrame) -> Any:
    from ..ground.files import joined
    from ..show.grid import Column, Grid

    ids = [] if found.ids() is None else [Column("id", "name")]
    shown = ["index", *(["id"] if ids else []), *found.shown]
    form = [Column("row"), *ids]
    for name in found.shown:
        number = table[name].dtype.is_float()
        what = {"given": "label"}.get(name, name)
        form.append(Column(what, form=".3f") if number else Column(what, "name"))
    rest = found.flagged - len(table)
    notes = (f"and {rest:,} more; the table has them all",) if rest else ()
    return Grid("Rows to look at first", tuple(form), joined(table.select(shown)).rows(), notes)
