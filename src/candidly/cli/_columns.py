"""Columns of files: labels, predictions, masks, and the names of the rows beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import column_order
from .._tables import column_of, is_number, odd_cell, read_cells, read_parquet

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".npy", ".csv", ".parquet")
ID = "id"
LABEL = ("label", "corrected", "prediction")  # the column that counts where there are several


@dataclass(frozen=True)
class Columns:
    """What a file holds: an array (n,) or (n, columns), and ids (n,) of text or None.

    ``header`` names the columns of the array; None where the file does not.
    """

    path: Path
    values: np.ndarray
    ids: np.ndarray | None
    header: tuple[str, ...] | None


def read_columns(path: Path, classes: Sequence[str] | None) -> Columns:
    """The columns of a file; one called ``id`` names the rows. An empty cell is -1, for no label.

    Where one of several is called label, corrected or prediction, it counts and the others do not.

    Args:
        path: an ``.npy``, ``.csv`` or ``.parquet`` file. The first line of a ``.csv`` file names
            the columns if its cells are neither numbers nor classes.
        classes: names of the classes, which then may stand for their numbers.

    Raises:
        ValueError, FileNotFoundError: no such file, or it cannot be read.
    """

    _check(path)
    if path.suffix == ".npy":
        return Columns(path, _numbers(_array(path), classes, str(path)), None, None)
    table, named = _table(path, classes)
    ids = None
    if named and (column := next((c for c in table.columns if c.lower() == ID), None)):
        ids = _as_text(path, table[column]).to_numpy().astype(str)
        table = table.drop(column)
    if table.width == 0:
        raise ValueError(f"{path} has no column beside the ids.")
    if named and table.width > 1 and (label := next((c for c in LABEL if c in table.columns), "")):
        table = table.select(label)
    columns = [
        _numbers(_filled(column, path).to_numpy(), classes, _what(path, column.name, place, named))
        for place, column in enumerate(table)
    ]
    values = columns[0] if len(columns) == 1 else np.stack(columns, 1)
    return Columns(path, values, ids, tuple(table.columns) if named else None)


def read_ids(path: Path) -> np.ndarray:
    """One column of anything, as text (n,); a first line ``id`` of a ``.csv`` file is its name."""

    _check(path)
    if path.suffix == ".npy":
        return _array(path).astype(str)
    text = path.suffix == ".csv"
    read = read_cells(path, has_header=False, infer_schema=False) if text else read_parquet(path)
    if read.width != 1:
        raise ValueError(f"{path} has {read.width} columns; ids are one.")
    column = _as_text(path, read.to_series(0))
    named = text and len(column) > 0 and (column[0] or "").lower() == ID
    return column[1 if named else 0 :].to_numpy().astype(str)


def labels_of(read: Columns) -> np.ndarray:
    """One column of labels, which are whole numbers.

    Raises:
        ValueError: several columns, or another number; it names file, row, column and value.
    """
    values = _single(read)
    if values.dtype.kind == "f" and len(
        bad := np.flatnonzero(~np.isfinite(values) | (values % 1 != 0))
    ):
        named = read.header is not None
        what = _what(read.path, read.header[0] if read.header else "", 0, named)
        raise ValueError(
            f"{what} has {values[bad[0]]} at row {bad[0]}; labels are integers, or names of "
            "classes."
        )
    return values


def _what(path: Path, column: str, place: int, named: bool) -> str:
    return f"{path}, {column_of(column, place, named)},"


def _single(read: Columns) -> np.ndarray:
    if read.values.ndim != 1:
        raise ValueError(
            f"{read.path} has shape {read.values.shape}; labels are one column, alone or called "
            f"{' or '.join(LABEL)}."
        )
    return read.values


def probabilities_of(read: Columns, classes: Sequence[str] | None) -> np.ndarray:
    """The columns in order of the classes, where the file names them."""
    if read.header is None or read.values.ndim != 2:
        return read.values
    return read.values[:, column_order(read.header, classes, str(read.path))]


def mask_of(read: Columns) -> np.ndarray:
    """A column of truth values: bool, or 0 and 1."""
    values = _single(read)
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"{read.path} must hold true and false, or 1 and 0, in one column.")
    return values.astype(bool)


def check_ids(read: Columns, ids: np.ndarray | None) -> None:
    """Refuse rows in another order, where both files name them."""
    if read.ids is None or ids is None:
        return
    if len(read.ids) != len(ids):
        raise ValueError(f"{read.path} has {len(read.ids)} rows; the labels have {len(ids)}.")
    if len(bad := np.flatnonzero(read.ids != ids)):
        row = int(bad[0])
        raise ValueError(
            f"{read.path} has id {str(read.ids[row])!r} at row {row}, where the labels have "
            f"{str(ids[row])!r}; bring its rows into the order of the labels."
        )


def _table(path: Path, classes: Sequence[str] | None) -> tuple[pl.DataFrame, bool]:
    """A table, and whether its columns have names of their own."""
    if path.suffix == ".parquet":
        return read_parquet(path), True
    first = read_cells(path, has_header=False, infer_schema=False, n_rows=1)
    if not _is_header(first.row(0) if len(first) else (), classes):
        return read_cells(path, has_header=False, infer_schema_length=None), False
    return read_cells(path, infer_schema_length=None), True


def _as_text(path: Path, column: pl.Series) -> pl.Series:
    """Names of rows.

    Raises:
        ValueError: lists, or bytes that are no text; an empty cell.
    """
    import polars as pl

    try:
        texts = column.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise ValueError(
            f"{path}, column {column.name!r}, holds no texts and no numbers, as names of rows are."
        ) from None
    if texts.has_nulls():
        row = int(texts.is_null().arg_max() or 0)
        raise ValueError(f"{path} has an empty name at row {row}; each row needs one.")
    return texts


def _check(path: Path) -> None:
    """Refuse what is no file of a known ending, or an empty one."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file that ends in {', '.join(ENDINGS)}.")
    if path.suffix not in ENDINGS:
        raise ValueError(f"{path} does not end in {', '.join(ENDINGS)}.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")


def _array(path: Path) -> np.ndarray:
    from ..ingest.probabilities import load_array

    try:
        return load_array(path)
    except ValueError:
        raise ValueError(
            f"{path} cannot be read as an array of numbers or names; write it with numpy.save."
        ) from None


def _is_header(row: Sequence[str | None], classes: Sequence[str] | None) -> bool:
    known = set(classes or ())
    return bool(row) and not any(c is None or c in known or is_number(c) for c in row)


def _filled(column: pl.Series, path: Path) -> pl.Series:
    """Numbers, truth values or texts; empty cells of the first two are -1."""
    import polars as pl

    if column.dtype in (pl.String, pl.Categorical):
        return column.cast(pl.String)
    if column.dtype == pl.Boolean and column.has_nulls():
        column = column.cast(pl.Int8)
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return column.fill_null(-1)
    raise ValueError(f"{path}, column {column.name!r}, holds no numbers and no names of classes.")


def _numbers(array: np.ndarray, classes: Sequence[str] | None, what: str) -> np.ndarray:
    """Names as numbers of classes, an absent one as -1; numbers as they are."""
    if array.dtype.kind not in "OUST":
        return array
    if array.size == 0:
        raise ValueError(f"{what} has no rows.")
    cells = array.ravel()
    width = cells.size // len(array)
    if classes is None:
        there = np.flatnonzero([cell is not None for cell in cells])
        if not len(there):
            return np.full(array.shape, -1)
        at = int(there[odd_cell(cells[there])])
        raise ValueError(
            f"{what} holds names ({str(cells[at])!r} at row {at // width}); say with --classes "
            "which there are, or correct the cell."
        )
    number: dict[Any, int] = {name: k for k, name in enumerate(classes)} | {"": -1, None: -1}
    if len(bad := np.flatnonzero([cell not in number for cell in cells])):
        at = int(bad[odd_cell(cells[bad])])
        raise ValueError(
            f"{what} has {str(cells[at])!r} at row {at // width}, which is no class; the "
            f"classes are {', '.join(list(classes)[:10])}{', ...' if len(classes) > 10 else ''}."
        )
    return np.array([number[cell] for cell in cells], np.int64).reshape(array.shape)
