"""What people who judge a row may see of it: its own columns, and nothing that tells its label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ._examples import label_columns
from ._roles import CORRECTED, GIVEN, USUAL, Roles
from ._sheet import TABLE_ENDINGS, Sheet

if TYPE_CHECKING:
    import polars as pl

UNNAMED = ("", "index", "Unnamed: 0", "__index_level_0__")  # columns that pandas writes unasked


def is_table(path: Path) -> bool:
    """Whether this is the file of a table, plain or packed, and not one of arrays or a folder."""
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    packed = endings[-1:] in ([".gz"], [".zip"])
    return bool(endings) and (packed or endings[-1] in TABLE_ENDINGS) and not path.is_dir()


def shown_columns(sheet: Sheet, roles: Roles) -> tuple[list[str], list[str]]:
    """Columns that may be shown beside a question about the label, and those that copy it.

    Not shown are labels, old and corrected, truth and ids, what was dropped, columns that number
    the rows, and copies: a value for each label, and a label for each value.

    Raises:
        ValueError: the roles name a column that is not there, or nothing is left to be shown.
    """
    frame = sheet.frame
    roles = roles.among(frame.columns)
    labels = set(label_columns(frame, roles).values())
    hidden = labels | {*GIVEN, *USUAL["truth"], *roles.drop, roles.truth, roles.id, roles.annotator}
    names = [
        name
        for name in frame.columns
        if name not in hidden and not name.endswith(CORRECTED) and not _numbers_rows(frame[name])
    ]
    copies = [name for name in names if any(_copies(frame, name, label) for label in labels)]
    shown = [name for name in names if name not in copies]
    if not shown:
        raise ValueError(
            f"{sheet.path} has no column that people could look at beside its labels; say with"
            " --media what the rows look like."
        )
    return shown, copies


def _numbers_rows(column: pl.Series) -> bool:
    """Whether it counts the rows, from any number on."""
    import polars as pl

    numbers = column.cast(pl.Int64, strict=False)
    if column.name in UNNAMED and numbers.n_unique() == len(column):
        return True
    return len(column) > 1 and numbers.null_count() == 0 and bool((numbers.diff() == 1)[1:].all())


def _copies(frame: pl.DataFrame, name: str, label: str) -> bool:
    import polars as pl

    pair = frame.select(pl.col(name).alias("a"), pl.col(label).alias("b")).drop_nulls()
    if not len(pair) or pair["a"].dtype.is_nested() or pair["b"].dtype.is_nested():
        return False
    values, classes = pair["a"].n_unique(), pair["b"].n_unique()
    return 1 < values == classes == pair.n_unique() < len(pair)
