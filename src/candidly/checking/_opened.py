"""What is to be checked: the examples, and the columns that people see of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._tables import typed
from ..ingest import TABLE_ENDINGS, Roles, Sheet, read, read_frame
from ..labelled import Labelled

if TYPE_CHECKING:
    import polars as pl

Watch = Callable[[int, int], None]
LABELS = ("label", "given", "candidates")  # usual names of their column


@dataclass(frozen=True, eq=False)
class Opened:
    """Examples with labels, and where they are from.

    Attributes:
        name: of the file or folder, for people.
        data: without its truth.
        frame: the table's columns, a row an example; None where there is no table.
        typed: those of them that the classifier sees, numbers as numbers.
        roles: which column is what.
        groups: what each row is from; None where that was not asked.
    """

    name: str
    data: Labelled
    frame: pl.DataFrame | None = None
    typed: pl.DataFrame | None = None
    roles: Roles = field(default_factory=Roles)
    groups: np.ndarray | None = None


def opened(where: Any, roles: Roles, group: str | None, watch: Watch) -> Opened:
    """The examples of a table, a frame, a folder of pictures, or ``Labelled``.

    Raises:
        FileNotFoundError, ValueError: see ``ingest.read``; a group's column is not there, or has
            an empty cell.
    """
    if isinstance(where, Labelled):
        return Opened(where.source or "data", _checked(where, group))
    name = Path(where).name if isinstance(where, str | Path) else "data frame"
    if group is not None:
        roles = replace(roles, drop=(*roles.drop, group))
    if isinstance(where, str | Path) and not _is_table(Path(where)):
        return Opened(name, _checked(read(where, roles, watch), group))
    sheet = read_frame(where, roles.separator) if isinstance(where, str | Path) else where
    return _of_table(name, sheet, roles, group, watch)


def _is_table(path: Path) -> bool:
    suffixes = [one.lower() for one in path.suffixes if one.lower() not in (".gz", ".zip")]
    return bool(suffixes) and suffixes[-1] in TABLE_ENDINGS and not path.is_dir()


def _checked(data: Labelled, group: str | None) -> Labelled:
    if group is not None:
        raise ValueError(f"--group {group!r} is a column of a table, and this is none.")
    return data.blind()


def _of_table(name: str, where: Any, roles: Roles, group: str | None, watch: Watch) -> Opened:
    import polars as pl

    data = read(where, roles, watch).blind()
    frame = where.frame if isinstance(where, Sheet) else where
    frame = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    roles = roles.among(frame.columns)
    label = roles.label or next((n for n in LABELS if n in frame.columns), "label")
    roles = replace(roles, label=label)
    groups = None if group is None else _groups(frame[group])
    return Opened(name, data, frame, _typed(data, frame, roles), roles, groups)


def _groups(column: pl.Series) -> np.ndarray:
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise ValueError(f"--group {column.name!r} is empty at row {row}; every row needs a group.")
    return column.cast(str).to_numpy()


def _typed(data: Labelled, frame: pl.DataFrame, roles: Roles) -> pl.DataFrame:
    """The columns that the classifier sees, each as what it is."""
    if data.kind == "columns":
        own: pl.DataFrame = getattr(data.inputs, "frame")  # noqa: B009
        return own
    out = {roles.label, roles.truth, roles.id, roles.text, roles.image, *LABELS, *roles.drop}
    if data.kind != "table":
        return frame.select([])
    return frame.select(typed(frame[name]) for name in frame.columns if name not in out)
