"""Columns of files: labels, predictions, masks, and the names of the rows beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
    import polars as pl

    from ..errors._source import load_array

    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.suffix == ".npy":
        array = load_array(path)
        return Columns(path, _numbers(array, classes, path), None, None)
    if path.suffix not in ENDINGS:
        raise ValueError(f"{path} does not end in {', '.join(ENDINGS)}.")
    table, named = _table(path, classes)
    ids = None
    if named and (column := next((c for c in table.columns if c.lower() == ID), None)):
        ids = table[column].cast(pl.String).to_numpy().astype(str)
        table = table.drop(column)
    if table.width == 0:
        raise ValueError(f"{path} has no column beside the ids.")
    if named and table.width > 1 and (label := next((c for c in LABEL if c in table.columns), "")):
        table = table.select(label)
    columns = [_numbers(column.to_numpy(), classes, path) for column in _filled(table)]
    values = columns[0] if len(columns) == 1 else np.stack(columns, 1)
    return Columns(path, values, ids, tuple(table.columns) if named else None)


def read_ids(path: Path) -> np.ndarray:
    """One column of anything, as text (n,); a first line ``id`` of a ``.csv`` file is its name."""
    import polars as pl

    from ..errors._source import load_array

    if path.suffix not in ENDINGS or not path.exists():
        raise ValueError(f"--ids is {path}; it must be a file that ends in {', '.join(ENDINGS)}.")
    if path.suffix == ".npy":
        return load_array(path).astype(str)
    csv = path.suffix == ".csv"
    read = pl.read_csv(path, has_header=False, infer_schema=False) if csv else pl.read_parquet(path)
    if read.width != 1:
        raise ValueError(f"{path} has {read.width} columns; ids are one.")
    column = read.to_series(0).cast(pl.String)
    named = csv and len(column) > 0 and (column[0] or "").lower() == ID
    return column[1 if named else 0 :].to_numpy().astype(str)


def labels_of(read: Columns) -> np.ndarray:
    """One column of labels."""
    if read.values.ndim != 1:
        raise ValueError(
            f"{read.path} has shape {read.values.shape}; labels are one column, alone or called "
            f"{' or '.join(LABEL)}."
        )
    return read.values


def probabilities_of(read: Columns, classes: Sequence[str] | None) -> np.ndarray:
    """The columns in order of the classes, where the file names them."""
    if read.header is None or classes is None or set(read.header) != set(classes):
        return read.values
    return read.values[:, [read.header.index(name) for name in classes]]


def mask_of(read: Columns) -> np.ndarray:
    """A column of truth values: bool, or 0 and 1."""
    values = labels_of(read)
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
    import polars as pl

    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path), True
        table = pl.read_csv(path, has_header=False, infer_schema=False)
        if not _is_header(table.row(0) if len(table) else (), classes):
            return pl.read_csv(path, has_header=False, infer_schema_length=None), False
        return pl.read_csv(path, infer_schema_length=None), True
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} cannot be read ({error}).") from None


def _is_header(row: Sequence[str | None], classes: Sequence[str] | None) -> bool:
    known = set(classes or ())
    return bool(row) and not any(c is None or c in known or _is_number(c) for c in row)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _filled(table: pl.DataFrame) -> list[pl.Series]:
    import polars as pl

    return [column if column.dtype == pl.String else column.fill_null(-1) for column in table]


def _numbers(array: np.ndarray, classes: Sequence[str] | None, path: Path) -> np.ndarray:
    """Names as numbers of classes, an absent one as -1; numbers as they are."""
    if array.dtype.kind not in "OUST":
        return array
    if classes is None:
        first = next((str(v) for v in array.flat if v is not None), "")
        raise ValueError(f"{path} holds names ({first!r}); say with --classes which there are.")
    number: dict[Any, int] = {name: k for k, name in enumerate(classes)} | {"": -1, None: -1}
    if len(bad := [k for k, value in enumerate(array.flat) if value not in number]):
        raise ValueError(
            f"{path} has {str(array.flat[bad[0]])!r} at row {bad[0]}, which is no class; the "
            f"classes are {', '.join(list(classes)[:10])}{', ...' if len(classes) > 10 else ''}."
        )
    return np.array([number[value] for value in array.flat], np.int64).reshape(array.shape)
