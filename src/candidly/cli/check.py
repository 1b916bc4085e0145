"""``candidly check``: from a file to labels that look wrong, in one command."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._files import write_table
from . import _progress
from ._help import whole
from ._issues import check_place
from ._stopping import stoppable

if TYPE_CHECKING:
    from ..checking import Checked

COLUMN = "COLUMN"
SHOWN = 10  # flagged rows that are printed


def check(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table, a folder of pictures with a folder a class, or a known data set.",
        ),
    ],
    label: Annotated[
        str | None, typer.Option(metavar=COLUMN, help="Column of the labels to check.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="What stands between cells.")
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar=COLUMN, help="Column that names the rows.")
    ] = None,
    text: Annotated[str | None, typer.Option(metavar=COLUMN, help="Column of texts.")] = None,
    image: Annotated[
        str | None, typer.Option(metavar=COLUMN, help="Column of pictures' files.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Columns to leave out.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar=COLUMN,
            help="Column that says whom or what a row is from: a group stays in one fold.",
        ),
    ] = None,
    classifier: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="logistic, forest, boosting, knn, or an algorithm such as ce; of several, with "
            "commas, the most accurate is kept. (default: by the kind of input)",
        ),
    ] = None,
    folds: Annotated[int, whole("Models, each judging what it left out.", least=2)] = 5,
    by: Annotated[
        str,
        typer.Option(help="noise rate, class, both, confident, predicted or margin."),
    ] = "noise rate",
    top: Annotated[int, whole("Flagged rows to print.")] = SHOWN,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Every flagged row: .csv .parquet .json. (default: NAME-check.csv, here)",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The page. (default: NAME-check.html, here)"),
    ] = None,
    probs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The probabilities, too: .npz .npy .parquet."),
    ] = None,
    seed: Annotated[int, whole("Of folds and models.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Which labels of a file look wrong? A classifier judges each row without having seen it.

    Examples:

      candidly check reviews.csv --label sentiment

      candidly check pictures

      candidly check reviews.csv --label sentiment --text review --out issues.csv
    """
    from ..checking import check as run

    name = Path(what).name.split(".")[0] or "data"
    out = out or Path(f"{name}-check.csv")
    html = html or Path(f"{name}-check.html")
    check_place(out, "--out", (".csv", ".parquet", ".json"))
    check_place(html, "--html", (".html", ".htm"))
    check_place(probs, "--probs", (".npz", ".npy", ".parquet"))
    written = {"table": out, "page": html, "probabilities": probs}
    for path in written.values():
        if path is not None and path.resolve() == Path(what).resolve():
            raise ValueError(f"{path} is the file that is read; write to another one.")
    dropped = [column for names in drop or () for column in names.split(",") if column]
    with (
        stoppable(lambda: "stopped; nothing was written."),
        warnings.catch_warnings(),
        _progress.reading("checking", "done") as watch,
    ):
        warnings.simplefilter("ignore", UserWarning)  # the summary says them
        found = run(
            what,
            label,
            separator=separator,
            id=id,
            text=text,
            image=image,
            drop=dropped,
            classifier=classifier,
            folds=folds,
            by=by,  # type: ignore[arg-type]
            seed=seed,
            watch=watch,
        )
        table = found.table()
        write_table(table, out)
        found.write_page(html)
        if probs is not None:
            found.judged.save(probs)
    places = {name: str(path) for name, path in written.items() if path is not None}
    if as_json:
        print(json.dumps(_about(found, table, top, places), indent=1, allow_nan=False))
        return
    _print(found, table, top)
    for place in places.values():
        print(f"wrote {place}", file=sys.stderr)


def _about(found: Checked, table: Any, top: int, places: dict[str, str]) -> dict[str, Any]:
    return {
        "checked": found.name,
        "accuracy": found.accuracy,
        "flagged": len(table),
        "notes": list(found.notes),
        "issues": table.head(top).rows(named=True),
        "written": places,
    }


def _print(found: Checked, table: Any, top: int) -> None:
    from ._issues import print_issues

    for sentence in found.findings():
        print(sentence)
    for note in found.notes:
        print(f"note: {note}")
    print_issues(table.head(top), len(table))
