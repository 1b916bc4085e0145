"""What kind of column one is, and one column as that kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import door
from ...ground.numbers import LARGEST, beyond
from ._numerals import DATES, TRIED_FIRST, dates, missing, numerals

if TYPE_CHECKING:
    import polars as pl

MOST_LEVELS = 40  # different strings of a category; a column with more is text


def parsed(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of text as numbers, truth values or dates where every cell is one or is missing.

    Numbers with a zero in front, such as 00501, stay text: they are codes. Numbers and dates are
    read as people write them, see ``_numerals``. A column that holds nothing but missing values
    stays as it is.

    Raises:
        ValueError: numbers or dates that can be read in two ways; the message names the row.
    """
    import polars as pl

    found = []
    for column in frame.get_columns():
        if column.dtype == pl.String:
            column = next((got for read in READERS if (got := read(column)) is not None), column)
        found.append(column)
    return frame.with_columns(found)


def kind_of(column: pl.Series) -> str:
    """``number``, ``date``, ``category`` (at most 40 different strings) or ``text``.

    Raises:
        ValueError: lists, structures or bytes; the message names the column.
    """
    import polars as pl

    dtype = column.dtype
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Time, pl.Duration, pl.Null):
        return "number"
    if dtype in (pl.Date, pl.Datetime):
        return "date"
    if dtype in (pl.Categorical, pl.Enum):
        return "category"
    if dtype == pl.String:
        return "category" if column.drop_nulls().n_unique() <= MOST_LEVELS else "text"
    raise ValueError(
        f"`inputs` has a column {column.name!r} of {dtype}; columns hold numbers, truth values,"
        " dates or strings. Drop it, or make such columns of it."
    )


def as_kind(column: pl.Series, kind: str) -> pl.Series:
    """The column as that kind is held: Float64, Datetime in microseconds, or String.

    Raises:
        ValueError: a cell that is none of the kind; the message names column and row.
    """
    return KINDS[kind](column)


def _number(column: pl.Series) -> pl.Series:
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:
        found = _as_numbers(column)
        _check_read(column, found, "a number")
    elif dtype in (pl.Time, pl.Duration):
        found = column.to_physical().cast(pl.Float64) / 1e9
        if isinstance(dtype, pl.Duration):
            found = column.dt.total_microseconds().cast(pl.Float64) / 1e6
    elif dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        found = column.cast(pl.Float64)
    else:
        raise _other(column, "numbers")
    found = found.fill_nan(None)
    if (found.abs() > LARGEST).any():
        row = int((found.abs() > LARGEST).arg_max() or 0)
        raise ValueError(
            f"`inputs` has {beyond(found[row])} at row {row}, column {column.name!r}. Fill in or"
            " drop such rows."
        )
    return found


def _date(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype == pl.String:
        if missing(column).all():
            return column.set(column.is_not_null(), None).cast(pl.Datetime("us"))
        if (found := dates(column)) is None:
            some = min((_dates(column, form) for form in DATES), key=lambda one: one.null_count())
            some = some.set(~column.str.contains(r"\d{4}").fill_null(True), None)
            _check_read(column, some, "a date such as 2024-05-31")
            found = some
        return found
    if column.dtype == pl.Null:
        return column.cast(pl.Datetime("us"))
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif column.dtype not in (pl.Date, pl.Datetime):
        raise _other(column, "dates")
    return column.cast(pl.Datetime("us"))


def _strings(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_float():  # 3.0 and 3 are one level, as files write either
        whole = column.cast(pl.Int64, strict=False)
        same = (whole.cast(pl.Float64) == column).fill_null(False)
        return (
            pl.select(pl.when(same).then(whole.cast(pl.String)).otherwise(column.cast(pl.String)))
            .to_series()
            .rename(column.name)
        )
    return column.cast(pl.String)


KINDS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "number": _number,
    "category": _strings,
    "date": _date,
    "text": _strings,
}


def _other(column: pl.Series, wanted: str) -> ValueError:
    return ValueError(
        f"`inputs` has a column {column.name!r} of {column.dtype}, where {wanted} are needed."
    )


def _check_read(column: pl.Series, found: pl.Series, what: str) -> None:
    wrong = found.is_null() & ~missing(column)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise ValueError(
            f"`inputs` has {column[row]!r} at row {row}, column {column.name!r}, which is not"
            f" {what}. Correct it, or leave the cell empty."
        )


# text that is something else


def _read_all(column: pl.Series, read: Callable[[pl.Series], pl.Series]) -> pl.Series | None:
    """What ``read`` makes of a column, if it leaves no cell null that is not missing."""
    there = column.filter(~missing(column))
    if not len(there) or read(there.head(TRIED_FIRST)).null_count():
        return None
    found = read(column)
    return None if (found.is_null() & ~missing(column)).any() else found


def _as_numbers(column: pl.Series) -> pl.Series:
    import polars as pl

    found = column.str.strip_chars().cast(pl.Float64, strict=False)
    return found.fill_nan(None)


def _as_number_column(column: pl.Series) -> pl.Series | None:
    found = _read_all(column, _as_numbers)
    if found is None or column.str.contains(r"^\s*[+-]?0\d").any():
        return None
    return found


def _as_truth(column: pl.Series) -> pl.Series | None:
    import polars as pl

    words = {"true": True, "false": False}

    def read(cells: pl.Series) -> pl.Series:
        lower = cells.str.strip_chars().str.to_lowercase()
        return lower.replace_strict(words, default=None, return_dtype=pl.Boolean)

    return _read_all(column, read)


def _dates(cells: pl.Series, form: str) -> pl.Series:
    return cells.str.strip_chars().str.to_datetime(form, strict=False, time_unit="us")


READERS = (_as_number_column, _as_truth, dates, numerals)


# frames of others


@door
def as_polars(frame: Any) -> pl.DataFrame:
    """A polars frame of a polars or pandas one, with its columns' names as strings.

    Raises:
        ValueError: no frame; two columns of one name, or a column that cannot be held.
    """
    import polars as pl

    if isinstance(frame, pl.DataFrame):
        return frame
    if not hasattr(frame, "iloc") or not hasattr(frame, "columns"):
        raise ValueError(
            f"a table is of the type {type(frame).__name__}; give a polars or pandas data frame, "
            "such as polars.DataFrame({'size': [1, 2], 'label': ['cat', 'dog']})."
        )
    names = [str(name) for name in frame.columns]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(
                f"`inputs` has two columns {name!r}, number {names.index(name) + 1} and number"
                f" {place + 1}. Rename or drop one of them."
            )
    columns = [_from_pandas(name, frame.iloc[:, place]) for place, name in enumerate(names)]
    return pl.DataFrame(columns)


def _from_pandas(name: str, column: Any) -> pl.Series:
    import polars as pl

    gone = column.isna().to_numpy()
    kind = getattr(column.dtype, "kind", "O")
    if kind == "M":
        if getattr(column.dtype, "tz", None) is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        return pl.Series(name, column.to_numpy().astype("datetime64[us]"))
    if kind in "biuf" and isinstance(column.dtype, np.dtype):
        return pl.Series(name, column.to_numpy())
    if kind == "m":
        return pl.Series(name, column.to_numpy().astype("timedelta64[us]"))
    values = [None if out else value for value, out in zip(column.to_list(), gone)]
    if hasattr(column, "cat") and all(isinstance(one, str) for one in column.cat.categories):
        return pl.Series(name, values, dtype=pl.Enum(column.cat.categories.tolist()))
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        pass  # kinds mixed: numbers among strings are read as strings
    for row, value in enumerate(values):
        if not isinstance(value, (str, int, float, bool, np.generic, type(None))):
            raise ValueError(
                f"`inputs` has {value!r} at row {row}, column {name!r}; columns hold numbers, truth"
                " values, dates or strings. Drop it, or make such columns of it."
            )
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)
