"""Columns of a table, with or without a line of names, and the names of its rows beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...ground.names import nearest
from ...ground.problem import Refusal, passed
from ._packed import COMPRESSED
from ._roles import Roles
from ._sheet import SEPARATED, TABLE_ENDINGS, read_frame
from ._text import check_names
from .table_checks import about, column_of, is_number, listed

if TYPE_CHECKING:
    import polars as pl

IDS = ("id", "item")  # usual names of the column that names the rows


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table.

    Attributes:
        path: of the file.
        frame: all columns but the ids and those dropped, as ``read_frame`` gives them.
        ids: (n,) names of the rows as text, or None.
        named: whether its columns have names.
        found: whether these are a first line of text that looks like names.
    """

    path: Path
    frame: pl.DataFrame
    ids: np.ndarray | None
    named: bool
    found: bool = False

    def what(self, name: str) -> str:
        """A column for messages: with its file."""
        return f"{self.path}, {column_of(name, self.frame.columns.index(name), self.named)},"


def read_columns(
    path: Path,
    roles: Roles | None = None,
    classes: Collection[str] = (),
    n: int | None = None,
    ids: Sequence[str] = IDS,
    usual: Sequence[str] = (),
) -> Columns:
    """The columns of a table of any format.

    The first line of text names the columns where one of its cells is a usual name, or stands
    above a number and is none; or where no cell is empty, a number or one of the classes.
    Where ``n`` is as many lines as there are, or one less, this decides; and a number names a
    column alone that has none below it.

    Args:
        roles: ``id``, ``drop`` and ``separator``; the others are not looked at.
        classes: names that stand in cells, and name no column.
        n: how many rows there should be, where that is known.
        ids, usual: usual names of the column that names the rows, and of others.

    Raises:
        FileNotFoundError, ValueError: see ``read_frame``; a column that is not there, a row
            without a name, or a name twice.
    """
    roles = roles or Roles()
    path = Path(path)
    sheet = read_frame(path, roles.separator, header=False)
    frame, named = sheet.frame, sheet.form.format not in SEPARATED
    found = not named and _is_header(frame, classes, n, {*ids, *usual} - {*classes})
    if found:
        frame, named = _with_header(path, frame), True
    for option, name in (("id", roles.id), *(("drop", name) for name in roles.drop)):
        if name is not None and name not in frame.columns:
            raise ValueError(missing_column(path, frame.columns, name, option))
    frame = frame.drop(roles.drop)
    key = roles.id
    if key is None and named:
        lower = {name.lower(): name for name in reversed(frame.columns)}
        key = next((lower[name] for name in ids if name in lower and name not in classes), None)
        key = None if frame.width == 1 else key
    if key is None:
        return Columns(path, frame, None, named, found)
    return Columns(path, frame.drop(key), row_names(path, frame[key]), named, found)


def check_kind(path: Path, arrays: Sequence[str] = (".npy",)) -> None:
    """Refuse what is neither a table nor one of these arrays, before anything is read.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, another ending, nothing in it.
    """
    plain = Path(path.stem) if path.suffix.lower() in COMPRESSED else path
    endings = (*arrays, *TABLE_ENDINGS)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file that ends in {', '.join(endings)}.")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    if plain.suffix.lower() not in endings and path.suffix.lower() != ".zip":
        raise ValueError(
            f"{path} must end in one of {', '.join(endings)}{nearest(plain.suffix, endings)}"
        )
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty.")


def missing_column(path: Path, columns: Sequence[str], name: str, option: str) -> str:
    """What to say of a column that was asked for and is not there."""
    return (
        f"{path} has no column {name!r} (`{option}`){nearest(name, columns)} The columns are"
        f" {listed(columns)}."
    )


def texts_of(path: Path, column: pl.Series) -> np.ndarray:
    """A column as text (n,).

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
    return texts.str.strip_chars().to_numpy().astype(str)


def number_columns(columns: Columns, order: Sequence[int] | None = None) -> np.ndarray:
    """Numbers, float64 (n, columns), NaN where a cell is empty.

    Raises:
        ValueError: a cell that is no number; names row and column.
    """
    import polars as pl

    frame, found = columns.frame, []
    for name in frame.columns:
        column = frame[name]
        if column.dtype == pl.String:
            column = _as_floats(column)
        elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise ValueError(f"{columns.what(name)} holds no numbers, but {column.dtype}.")
        for row in (column.is_null() & frame[name].is_not_null()).arg_true()[:1].to_list():
            raise Refusal(
                f"{columns.what(name)} has {frame[name][row]!r} at row {row}, which is no number.",
                "correct it",
                f"leave the column out with {passed('drop', name)}",
            )
        found.append(column.cast(pl.Float64).to_numpy())
    chosen = found if order is None else [found[k] for k in order]
    return np.column_stack(chosen) if chosen else np.empty((len(frame), 0))


def _as_floats(column: pl.Series) -> pl.Series:
    import polars as pl

    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    return numbers


def rows_by_id(mine: np.ndarray, its: np.ndarray, whose: str) -> np.ndarray | None:
    """Where the rows called ``mine`` are among ``its``, int64 (n,); None where they are the same.

    Raises:
        ValueError: a name that is in one of them alone; the message says ``whose`` ``its`` are.
    """
    if len(mine) == len(its) and bool((mine == its).all()):
        return None
    place = {name: row for row, name in enumerate(its.tolist())}
    wanted = mine.tolist()
    if len(there := set(place)) != len(wanted) or there != set(wanted):
        for row, name in enumerate(wanted):
            if name not in place:
                raise ValueError(
                    f"{whose} has no row for the id {name!r} of row {row} of the labels; both name"
                    f" their rows, so these go by their names ({len(its):,} rows, and"
                    f" {len(wanted):,} labels)."
                )
        other = next(name for name in its.tolist() if name not in set(wanted))
        raise ValueError(
            f"{whose} has the id {other!r}, which the labels lack; both name their rows, so leave"
            f" out rows of others ({len(its):,} rows, and {len(wanted):,} labels)."
        )
    return np.fromiter(map(place.__getitem__, wanted), np.int64, len(wanted))


def _with_header(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The table below its first line, which names the columns."""
    names = [str(cell or "").strip() for cell in frame.row(0)]
    if len(names) > 1:
        with about(path):
            check_names(names)
    return frame[1:].rename(dict(zip(frame.columns, names)))


def _is_header(
    frame: pl.DataFrame, classes: Collection[str], n: int | None, usual: Collection[str]
) -> bool:
    if not len(frame):
        return False
    first = [(cell or "").strip() for cell in frame.row(0)]
    below = frame.row(1) if len(frame) > 1 else first
    numbers = [is_number(cell) for cell in first]
    over = [is_number(under) and not number for under, number in zip(below, numbers)]
    if {cell.lower() for cell in first} & set(usual) or (any(over) and len(frame) > 1):
        return True
    if n is not None and len(frame) in (n, n + 1) and not all(numbers):
        return len(frame) == n + 1
    if frame.width == 1 and all(numbers) and len(frame) > 1:
        return not any(is_number(cell) for cell in frame.to_series(0)[1:].drop_nulls().to_list())
    plain = (cell and not number and cell not in classes for cell, number in zip(first, numbers))
    return all(plain)


def row_names(path: Path, column: pl.Series) -> np.ndarray:
    """A column of ids as text (n,).

    Raises:
        ValueError: an empty cell, or a name twice; names its row.
    """
    names = texts_of(path, column)
    known, first = np.unique(names, return_index=True)
    if len(known) < len(names):
        row = int(np.setdiff1d(np.arange(len(names)), first)[0])
        raise Refusal(
            f"{path}, column {column.name!r}, has {str(names[row])!r} again at row {row}; each row"
            " needs a name of its own.",
            "take one of them out",
            "name another column with `id`",
        )
    return names
