"""What people who judge a row may see of it: its own columns, and nothing that tells its label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...ground.problem import Refusal
from ..inputs import UNNAMED
from ._examples import label_columns
from ._recognised import other_labels, recognised
from ._roles import CORRECTED, CORRECTED_BY, Roles
from ._saved import is_saved
from ._sheet import TABLE_ENDINGS, Sheet

if TYPE_CHECKING:
    import polars as pl


def is_table(path: Path) -> bool:
    """Whether this is the file of a table, plain or packed, or a folder that ``datasets`` saved."""
    if path.is_dir():
        return is_saved(path)
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    packed = endings[-1:] in ([".gz"], [".zip"])
    return bool(endings) and (packed or endings[-1] in TABLE_ENDINGS)


def shown_columns(sheet: Sheet, roles: Roles) -> list[str]:
    """Columns that may be shown beside a question about the label.

    Not shown are labels, old and corrected, truth and ids, what was dropped, and columns that
    number the rows.

    Raises:
        ValueError: the roles name a column that is not there, or nothing is left to be shown.
    """
    frame = sheet.frame
    roles = recognised(frame, roles)
    labels = set(label_columns(frame, roles).values())
    hidden = labels | {*other_labels(frame, roles, labels), *roles.drop}
    hidden |= {name for name in (roles.truth, roles.id, roles.annotator) if name is not None}
    ours = (CORRECTED, CORRECTED_BY)
    shown = [
        name
        for name in frame.columns
        if name not in hidden and not name.endswith(ours) and not _numbers_rows(frame[name])
    ]
    if not shown:
        raise Refusal(
            f"{sheet.path} has no column that people could look at beside its labels.",
            "say with `media` what the rows look like",
            "add one",
        )
    return shown


def _numbers_rows(column: pl.Series) -> bool:
    """Whether it counts the rows, from any number on."""
    import polars as pl

    numbers = column.cast(pl.Int64, strict=False)
    if column.name in (*UNNAMED, "index") and numbers.n_unique() == len(column):
        return True
    return len(column) > 1 and numbers.null_count() == 0 and bool((numbers.diff() == 1)[1:].all())
