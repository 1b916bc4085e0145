"""The options that say which column is what: the same words at every command that reads a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..data.ingest import SKIP, Roles
from ..data.ingest.labels import read_classes
from ..data.ingest.merges import read_merges
from ..data.labels.text import BAR
from ..ground.spec import anything, pairs
from ._shared import Command, shared

COLUMN = "COLUMN"

Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar=COLUMN,
        help="Column of labels: one a cell, or several with | between them; with --label-kind also "
        "several columns of 0 and 1, such as a,b,c. (default: label, given or candidates)",
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
HeaderLine = Annotated[
    str,
    typer.Option(
        "--header",
        metavar="yes|no|auto",
        help="Whether the first line of tables names the columns; with no they are column_1 and "
        "so on.",
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
    typer.Option(
        "--id", metavar=COLUMN, help="Column that names the rows. (default: id, or by content)"
    ),
]
Text = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column of texts, which are the inputs; none: all columns are. (default: by content)",
    ),
]
Image = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column of pictures' files, in the table's folder or one in it. (default: by content)",
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
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="What a column of inputs is: number, category, date or text; repeat it, or use "
        "commas. (default: by content)",
    ),
]
Damaged = Annotated[
    str | None,
    typer.Option(
        metavar="skip|refuse",
        help="Pictures of a folder that cannot be used: leave them out, up to 10 or one in ten, "
        "and say which; or refuse the folder. (default: skip)",
    ),
]


Classes = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Names of the classes in order: a text file with a name a line, or a list such as "
        "cat,dog; or how many. (default: what the labels show)",
    ),
]
MergeLabels = Annotated[
    str | None,
    typer.Option(
        metavar="spelling or FILE",
        help="Make one class of those that differ by spelling alone, or by a table of old and new "
        "names, as candidly labels spelling writes it.",
    ),
]
LabelKind = Annotated[
    str | None,
    typer.Option(
        "--label-kind",
        metavar="one-of|all-of|single",
        help="What several labels in a cell are: one of them is right, all are, or they are one "
        "name. (default: what the column's name or the file's format says)",
    ),
]
LabelSeparator = Annotated[
    str,
    typer.Option(
        "--label-separator", metavar="TEXT", help="What stands between the labels of a cell."
    ),
]


def classes_of(text: str | None) -> Any:
    """Names of classes, or how many, as --classes says."""
    return int(text) if text and text.isdecimal() else read_classes(text)


Part = Annotated[
    str | None,
    typer.Option(
        metavar=COLUMN,
        help="Column that says which part a row is of: train, validation (or val, dev) or test. "
        "Labels of the latter two count as true.",
    ),
]
TestFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Rows to test on, of the same columns, or a folder of pictures. Their labels count as "
        "true.",
    ),
]
ValidationFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Rows to choose models on, such as when to stop; as in --test-file. Nothing learns "
        "from them.",
    ),
]
OPTIONS: dict[str, tuple[Any, Any]] = {  # by the parameter; in the order of --help
    "label": (Label, None),
    "truth": (Truth, None),
    "classes": (Classes, None),
    "merge_labels": (MergeLabels, None),
    "label_kind": (LabelKind, None),
    "label_separator": (LabelSeparator, BAR),
    "separator": (Separator, None),
    "header": (HeaderLine, "auto"),
    "sheet": (SheetName, None),
    "id": (Id, None),
    "text": (Text, None),
    "image": (Image, None),
    "annotator": (Annotator, None),
    "item": (Item, None),
    "drop": (Drop, None),
    "kinds": (Kinds, None),
    "damaged": (Damaged, None),
    "part": (Part, None),
    "test_file": (TestFile, None),
    "validation_file": (ValidationFile, None),
}
PARTS = ("part", "test_file", "validation_file")
CELLS = ("separator", "header", "sheet")  # how a table is read
LABELS = (
    "label",
    "classes",
    "merge_labels",
    "label_kind",
    "label_separator",
)  # and what its labels mean
INPUTS = ("text", "image", "drop", "kinds", "damaged")
ANSWERS = ("annotator", "item")


def reads(*names: str) -> Callable[[Command], Command]:
    """Gives a command these options, and what they say as ``roles``."""
    return shared("roles", {name: OPTIONS[name] for name in OPTIONS if name in names}, roles_of)


def roles_of(
    annotator: str | None = None,
    drop: Sequence[str] | None = None,
    classes: str | None = None,
    merge_labels: str | None = None,
    kinds: Sequence[str] | None = None,
    damaged: str | None = None,
    **as_they_are: Any,
) -> Roles:
    """What the options say.

    Raises:
        ValueError: a column with two roles, texts and pictures, or a separator that is none.
    """
    names = [name.strip() for text_ in drop or () for name in text_.split(",")]
    people = [name.strip() for name in (annotator or "").split(",") if name.strip()]
    return Roles(
        annotator=annotator if len(people) < 2 else None,
        annotators=tuple(people) if len(people) > 1 else (),
        drop=tuple(name for name in names if name),
        classes=classes_of(classes),
        merge_labels=_merges(merge_labels),
        kinds=pairs(",".join(kinds), "`kinds`", anything) if kinds else {},
        damaged=damaged or SKIP,
        **as_they_are,
    )


def _merges(text: str | None) -> Any:
    if text is None:
        return False
    return True if text == "spelling" else read_merges(text)


ANY = Roles()  # nothing was said
OF_DATA = reads(*(name for name in OPTIONS if name not in PARTS))
OF_PARTS = reads(*OPTIONS)
