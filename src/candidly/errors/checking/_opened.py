"""What is to be checked: the examples, and the columns that people see of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import (
    Form,
    Roles,
    Sheet,
    input_columns,
    is_table,
    label_column,
    one_column,
    read,
    read_frame,
    recognised,
)
from ...data.ingest.table_checks import about, listed, typed
from ...data.ingest.unused import RolesUsed, as_read, refuse_unused
from ...data.inputs import Table, as_polars
from ...data.labels.labelled import Labelled
from ...data.sources import is_known, load
from ...ground.arrays import collected
from ...ground.names import nearest
from ...ground.progress import OnProgress

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Opened:
    """Examples with labels, and where they are from.

    Attributes:
        name: the name of the file or folder, for people.
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


def opened(where: Any, roles: Roles, group: str | None, watch: OnProgress) -> Opened:
    """The examples of a table, a frame, a folder of pictures, a known data set, or ``Labelled``.

    Raises:
        FileNotFoundError, ValueError: see ``ingest.read`` and ``sources.load``; a group's column is
            not there, or has an empty cell.
    """
    if isinstance(where, Labelled):
        refuse_unused(roles, RolesUsed("data that is labelled", ()))
        return Opened(where.source or "data", _alone(where, group))
    if isinstance(where, str) and is_known(where):
        data = load(where, watch=watch, roles=roles, as_given=True)
        return Opened(where, _alone(data, group), roles=roles)
    if isinstance(where, str | Path):
        path = Path(where).expanduser()
        if not is_table(path):
            return Opened(path.name, _alone(read(path, roles, watch), group), roles=roles)
        refuse_unused(roles, as_read(path))
        sheet = read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
    else:
        refuse_unused(roles, as_read(where))
        sheet = Sheet(Path("data frame"), as_polars(collected(where)), Form(".parquet"))
    return _of_table(sheet, roles, group, watch)


def _alone(data: Labelled, group: str | None) -> Labelled:
    if group is not None:
        raise ValueError(f"`group` is {group!r}, a column of a table, and this is none.")
    return data.blind()


def _of_table(sheet: Sheet, roles: Roles, group: str | None, watch: OnProgress) -> Opened:
    with about(sheet.path):
        frame = one_column(sheet.frame, roles)
    sheet = replace(sheet, frame=frame)
    roles = recognised(frame, roles)
    label = label_column(sheet, roles)
    roles = replace(roles, label=label)
    groups = None
    if group is not None:
        groups = _groups(frame, group)
        roles = replace(roles, drop=(*roles.drop, group))
    if frame[label].null_count() == len(frame):
        raise ValueError(
            f"{sheet.path}: column {label!r} is empty in every row, so there is no label to check."
        )
    data = read(sheet, roles, watch).blind()
    return Opened(sheet.path.name, data, frame, _typed(data, frame, roles), roles, groups)


def _groups(frame: pl.DataFrame, name: str) -> np.ndarray:
    if name not in frame.columns:
        raise ValueError(
            f"there is no column {name!r} (`group`){nearest(name, frame.columns)} The columns are "
            f"{listed(tuple(frame.columns))}."
        )
    column = frame[name]
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise ValueError(f"`group`, {name!r}, is empty at row {row}; every row needs a group.")
    return column.cast(str).to_numpy()


def _typed(data: Labelled, frame: pl.DataFrame, roles: Roles) -> pl.DataFrame:
    """The columns that the classifier sees, each as what it is."""
    import polars as pl

    if isinstance(data.inputs, Table):
        return data.inputs.frame
    if data.kind != "table":
        return frame.select([])
    labels = [name for name in (roles.label, roles.truth) if name is not None]
    names = [n for n in input_columns(frame, roles, labels) if frame[n].null_count() < len(frame)]
    numbers = [typed(frame[name]) for name in names[-data.inputs.shape[1] :]]  # no index in front
    return pl.DataFrame(numbers)
