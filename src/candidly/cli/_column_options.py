"""The options that say which column is what: the same words at every command that reads a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from ..data.ingest import Roles

COLUMN = "COLUMN"
ROLES = ("label", "truth", "separator", "id", "text", "image", "annotator", "item", "drop", "sheet")

Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar=COLUMN,
        help="Column of labels: one a cell, or several with | between them. (default: label, "
        "given or candidates)",
    ),
]
Truth = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column of true labels, which training never sees; cells may be empty. "
        "(default: truth)",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What stands between two cells: a character, or comma, semicolon, tab, bar. "
        "(default: found out)",
    ),
]
SheetName = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of a workbook to read. (default: the first that is not hidden)",
    ),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar=COLUMN, help="Column that names the rows. (default: id)"),
]
Text = Annotated[
    str | None,
    typer.Option(metavar=COLUMN, help="Column of texts, which are the inputs. (default: text)"),
]
Image = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column of pictures' files, relative to the table's folder. (default: path or image)",
    ),
]
Annotator = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column that says who gave the answer, in a table with an answer a row. Or several "
        "with commas between, such as ann,bob: columns that hold one person's answers each.",
    ),
]
Item = Annotated[
    str | None,
    typer.Option(metavar=COLUMN, help="Column that says what the answer is about, beside it."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS", help="Columns to leave out; repeat it, or separate with commas."
    ),
]


def roles_of(
    label: str | None = None,
    separator: str | None = None,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    annotator: str | None = None,
    item: str | None = None,
    drop: Sequence[str] | None = None,
    truth: str | None = None,
    sheet: str | None = None,
) -> Roles:
    """What the options say.

    Raises:
        ValueError: a column with two roles, texts and pictures, or a separator that is none.
    """
    names = [name.strip() for text_ in drop or () for name in text_.split(",")]
    people = [name.strip() for name in (annotator or "").split(",") if name.strip()]
    return Roles(
        label=label,
        truth=truth,
        separator=separator,
        id=id,
        text=text,
        image=image,
        annotator=annotator if len(people) < 2 else None,
        annotators=tuple(people) if len(people) > 1 else (),
        item=item,
        drop=tuple(name for name in names if name),
        sheet=sheet,
    )
