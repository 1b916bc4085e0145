"""Columns of a table, with or without a line of names, and the names of its rows beside them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...ground.files import check_content, without_packing, wrong_ending
from ...ground.names import nearest
from ...ground.problem import Refusal, passed
from ..inputs import UNNAMED
from ._header import FirstLine
from ._roles import USUAL, Roles, several_answers
from ._sheet import TABLE_ENDINGS, read_frame
from .table_checks import column_of, listed

if TYPE_CHECKING:
    import polars as pl

KEY_CELLS = 200  # first cells of a column that may name rows
WHOLE = r"^-?\d+$"
IDS = ("id", "item")  # usual names of the column that names the rows


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table.

    Attributes:
        path: the path of the file.
        frame: all columns but the ids and those dropped, as ``read_frame`` gives them.
        ids: (n,) names of the rows as text, or None.
        named: whether its columns have names.
        keys: columns that may name rows, see ``key_columns``, dropped ones among them.
        dropped: columns that somebody left out.
    """

    path: Path
    frame: pl.DataFrame
    ids: np.ndarray | None
    named: bool
    keys: pl.DataFrame | None = None
    dropped: Collection[str] = ()

    @property
    def rows(self) -> Named:
        """How its rows are named."""
        return Named(self.ids, self.keys, self.dropped)

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
    otherwise: bool | None = True,
) -> Columns:
    """The columns of a table of any format.

    Whether the first line of text or of a workbook names the columns is said in ``_header``.

    Args:
        roles: ``id``, ``drop``, ``separator`` and ``header``; the others are not looked at.
        classes: names that stand in cells, and name no column.
        n: how many rows there should be, where that is known.
        ids, usual: usual names of the column that names the rows, and of others.
        otherwise: see ``FirstLine``.

    Raises:
        FileNotFoundError, ValueError: see ``read_frame``; a column that is not there, a row
            without a name, or a name twice.
    """
    roles = roles or Roles()
    path = Path(path)
    header = FirstLine(
        roles.header, n=n, usual=(*ids, *usual, *roles.named), cells=classes, otherwise=otherwise
    )
    sheet = read_frame(path, roles.separator, header, roles.sheet, roles.reads)
    frame, named = sheet.frame, sheet.form.named
    for option, name in (("id", roles.id), *(("drop", name) for name in roles.drop)):
        if name is not None and name not in frame.columns:
            raise ValueError(missing_column(path, frame.columns, name, option))
    keys = key_columns(frame) if named else None
    frame = frame.drop(roles.drop)
    key = roles.id
    if key is None and named:
        lower = {name.lower(): name for name in reversed(frame.columns)}
        key = next((lower[name] for name in ids if name in lower and name not in classes), None)
        key = None if frame.width == 1 else key
    if key is None and (index := row_index(frame)) is not None:
        frame = frame.drop(index.name)
        found = None if counts(index) else row_names(path, index)
        return Columns(path, frame, found, named, keys, roles.drop)
    if key is None:
        return Columns(path, frame, None, named, keys, roles.drop)
    if (
        key != roles.id
        and {*USUAL["annotator"]} & {*frame.columns}
        and frame[key].n_unique() < len(frame)
    ):
        raise ValueError(several_answers(path))
    names = row_names(path, frame[key])
    return Columns(path, frame.drop(key), names, named, keys, roles.drop)


def check_kind(path: Path, arrays: Sequence[str] = (".npy",)) -> None:
    """Refuse what is neither a table nor one of these arrays, before anything is read.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, another ending, nothing in it.
    """
    plain = without_packing(path)
    endings = (*arrays, *TABLE_ENDINGS)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file that ends in {', '.join(endings)}.")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    if plain.suffix.lower() not in endings and path.suffix.lower() != ".zip":
        raise ValueError(wrong_ending(path, endings))
    check_content(path)


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


def _by_a_key(mine: Named, its: Named, whose: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Names of rows of which one table says that they are, and the other holds them alike.

    Warns:
        UserWarning: by which column the rows go.
    """
    bare, named = (its, mine) if its.ids is None else (mine, its)
    ids = named.ids
    key = None if ids is None else next(_alike(bare.keys, ids), None)
    if ids is None or key is None:
        return None
    if not (key.to_numpy().astype(str) == ids).all():
        where = whose if bare is its else "the labels"
        warnings.warn(f"rows go by column {key.name!r} of {where}.", stacklevel=5)
    found = key.to_numpy().astype(str)
    return (ids, found) if bare is its else (found, ids)


def _alike(keys: pl.DataFrame | None, ids: np.ndarray) -> Iterator[pl.Series]:
    """Columns with a name of their own that hold these names of rows."""
    for column in () if keys is None else map(_as_names, keys):
        there = set(column.drop_nulls().to_list())
        if column.name not in UNNAMED and len(column) == len(ids) and there == set(ids.tolist()):
            yield column


def values_of(columns: Columns, of: Named | None) -> Columns:
    """The same without columns that name rows as the labels do; one column is left."""
    if of is None or columns.frame.width < 2:
        return columns
    mine = [] if of.ids is None else [of.ids]
    mine += [_as_names(one).to_numpy().astype(str) for one in (() if of.keys is None else of.keys)]
    names = {one.name for ids in mine for one in _alike(columns.keys, ids)}
    frame = columns.frame.drop(names, strict=False)
    return replace(columns, frame=frame) if frame.width else columns


def rows_of(mine: Named | None, its: Columns, whose: str) -> np.ndarray | None:
    """Where the rows of labels are in a table, see ``row_for_row``; None where row k is row k."""
    found = None if mine is None else row_for_row(mine, its.rows, whose)
    return None if found is None else found[1]


@dataclass(frozen=True, eq=False)
class Named:
    """How a table names its rows.

    Attributes:
        ids: (n,) names as text, or None.
        keys: columns that may name them, see ``key_columns``; or None.
        dropped: columns that somebody left out.
    """

    ids: np.ndarray | None
    keys: pl.DataFrame | None = None
    dropped: Collection[str] = ()


def row_for_row(mine: Named, its: Named, whose: str) -> tuple[np.ndarray, np.ndarray | None] | None:
    """The one rule of which row is whose: where the labels' rows are among others.

    Args:
        mine: of the labels.

    Returns:
        The labels' names of rows, and int64 (n,), None where the order is the same; or None where
        nothing names both: then row k is row k.

    Raises:
        ValueError: a name that one of them lacks; see ``by_the_same_key``.

    Warns:
        UserWarning: what was assumed of rows that one of them names.
    """
    if mine.ids is not None and its.ids is not None:
        return mine.ids, rows_by_id(mine.ids, its.ids, whose)
    found = _by_a_key(mine, its, whose)
    if found is None:
        found = by_the_same_key(mine.keys, its.keys, its.dropped, whose)
    if found is not None:
        return found[0], rows_by_id(*found, whose)
    if (mine.ids is None) != (its.ids is None):
        bare, other = ("the labels", whose) if mine.ids is None else (whose, "the labels")
        warnings.warn(
            f"{bare} do not name their rows, and {other} do; row k of the one was taken to be row"
            " k of the other.",
            stacklevel=4,
        )
    return None


def row_index(frame: pl.DataFrame) -> pl.Series | None:
    """A first column without a name whose cells all differ, as pandas writes the names of rows."""
    if frame.width < 2 or frame.columns[0] not in UNNAMED:
        return None
    first = frame.to_series(0)
    return first if not first.null_count() and first.n_unique() == len(first) else None


def key_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of different texts or whole numbers, as far as the first cells show."""
    import polars as pl

    found = []
    for column in frame:
        if column.dtype != pl.String and not column.dtype.is_integer():
            continue
        some = column.head(KEY_CELLS).cast(pl.String).str.strip_chars()
        decimals = some.cast(pl.Float64, strict=False).is_not_null() & ~some.str.contains(WHOLE)
        if not some.null_count() and some.n_unique() == len(some) > 1 and not decimals.any():
            found.append(column.name)
    return frame.select(found)


def names_of_rows(frame: pl.DataFrame, width: int) -> list[str]:
    """Columns that name rows: different texts, or whole numbers beyond 1; two others are left."""
    import polars as pl

    found = []
    for column in key_columns(frame):
        numbers = column.cast(pl.Float64, strict=False)
        beyond = numbers.null_count() or (numbers > 1).any()
        if beyond and not column.null_count() and column.n_unique() == len(column):
            found.append(column.name)
    return found if len(found) <= width - 2 else []


def by_the_same_key(
    mine: pl.DataFrame | None, its: pl.DataFrame | None, dropped: Collection[str], whose: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Names of rows that two tables hold alike, in different orders: of the one and of the other.

    None where no two columns hold the same different cells, or where these stand in one order.

    Raises:
        ValueError: they do in another order, and the columns are called otherwise, or one of them
            was dropped; it says how rows can be joined.

    Warns:
        UserWarning: rows are joined by columns that nobody named.
    """
    for one in () if mine is None or its is None else map(_as_names, mine):
        for other in () if its is None else map(_as_names, its):
            if len(one) != len(other) or (one == other).all() or not _same_cells(one, other):
                continue
            if one.name != other.name or one.name in dropped or one.name in UNNAMED:
                raise Refusal(
                    f"column {other.name!r} of {whose} names the rows that column {one.name!r} of"
                    " the labels names, in another order, so row does not belong to row.",
                    f"call both {one.name!r} and join them with {passed('id', one.name)}",
                )
            warnings.warn(
                f"rows go by column {one.name!r}, which the labels and {whose} both have, in"
                " different orders.",
                stacklevel=4,
            )
            return one.to_numpy().astype(str), other.to_numpy().astype(str)
    return None


def _as_names(column: pl.Series) -> pl.Series:
    return column.cast(str).str.strip_chars()


def _same_cells(one: pl.Series, other: pl.Series) -> bool:
    return one.n_unique() == len(one) and bool((one.sort() == other.sort()).all())


def counts(column: pl.Series) -> bool:
    """Whether it holds 0, 1, 2 and so on, and so names no row otherwise than by its place."""
    import polars as pl

    numbers = column.cast(pl.Int64, strict=False)
    return not numbers.null_count() and bool(
        (numbers == pl.int_range(len(column), eager=True)).all()
    )


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
