"""What is to be checked: the examples, and the columns that people see of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._tables import TABLES, about, number_column, read_table, typed
from ..labelled import Labelled, from_arrays
from ..sources import load

if TYPE_CHECKING:
    import polars as pl

USUAL = ("label", "given", "candidates")


@dataclass(frozen=True)
class Columns:
    """Which column of a table is what; None: by its usual name, where there is one."""

    label: str | None = None
    separator: str | None = None
    id: str | None = None
    text: str | None = None
    image: str | None = None
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opened:
    """Examples with labels, and where they are from.

    Attributes:
        name: of the file or folder, for people.
        frame: the table's columns, a row an example; None where there is no table.
        label: the column of the labels.
    """

    name: str
    data: Labelled
    frame: pl.DataFrame | None = None
    label: str = "label"


def opened(where: Any, columns: Columns) -> Opened:
    """The examples of a table, a folder of pictures or a data set by name."""
    if isinstance(where, Labelled):
        return Opened(where.source or "data", where)
    if not isinstance(where, str | Path):
        return _of_frame("the frame", where, Path(), columns)
    path = Path(where)
    if path.suffix.lower() in TABLES:
        with about(path):
            return _of_frame(path.name, read_table(path), path.parent, columns)
    return Opened(path.name, load(str(where)))


def _of_frame(name: str, frame: Any, folder: Path, columns: Columns) -> Opened:
    import polars as pl

    frame = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    label = columns.label or next((c for c in USUAL if c in frame.columns), None)
    if label is None:
        raise ValueError("which column holds the labels? Say it with --label.")
    key = columns.id or ("id" if "id" in frame.columns else None)
    used = [c for c in frame.columns if c not in {label, key, *columns.drop}]
    inputs: Any
    if columns.text or columns.image:
        cells = frame[columns.text or columns.image].to_list()
        inputs = cells if columns.text else [folder / str(cell) for cell in cells]
    else:
        inputs = pl.DataFrame({c: number_column(frame[c]) for c in used})
    ids = None if key is None else typed(frame[key]).to_list()
    data = from_arrays(inputs, frame[label].to_list(), ids=ids, source=name)
    return Opened(name, data, frame, label)
