"""Columns of a table as inputs: text as numbers and dates where it is such, and no copied label."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...ground.names import nearest
from ...ground.numbers import LARGEST, beyond, count_of
from ...ground.problem import Refusal, passed
from ..inputs import (
    MISSING,
    UNNAMED,
    Table,
    as_kind,
    check_thousands,
    looks_like_number,
    numerals,
    parsed,
)
from .table_checks import listed

if TYPE_CHECKING:
    import polars as pl

MOSTLY = 0.9  # of the cells are numbers: the others are probably wrong
ROWS_A_CLASS = 10  # fewer agree by chance
TRIED_FIRST = 1000  # rows


def features(frame: pl.DataFrame, kinds: Mapping[str, str]) -> pl.DataFrame | Table:
    """Columns as what they are, by what somebody said of them, else by their cells.

    Args:
        kinds: number, category, date or text, by column, where somebody said so.

    Raises:
        ValueError: see ``_by_content``; a column that is no input; a cell that is none of its kind.

    Warns:
        UserWarning: an empty column, left out.
    """
    import polars as pl

    asked = [name for name in frame.columns if name in kinds]
    if strange := [name for name in kinds if name not in frame.columns]:
        raise ValueError(
            f"`kinds` says what column {strange[0]!r} is, which is no input"
            f"{nearest(strange[0], frame.columns)} Inputs are {listed(frame.columns)}."
        )
    if not asked:
        return _by_content(frame)
    rest = frame.drop(asked)
    read = [*_by_content(rest)] if rest.width else []
    read += [as_kind(frame[name], kinds[name]) for name in asked]
    by_name = {column.name: column for column in read}
    found = pl.DataFrame([by_name[name] for name in frame.columns if name in by_name])
    return found if set(kinds.values()) == {"number"} else Table.of(found, dict(kinds))


def _by_content(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of text as numbers, truth values or dates where they are such (``inputs.parsed``).

    Raises:
        ValueError: no column with a value, infinity, numbers or dates that may be read in two
            ways, or a few cells that are no numbers among such.
    """
    import polars as pl

    first = frame.columns[0]
    if first in (*UNNAMED, "index"):  # whole numbers stay such, as those of the rows are
        whole = frame[first].cast(pl.Int64, strict=False)
        frame = frame if whole.null_count() else frame.with_columns(whole)
    frame = _with_numbers(frame)
    for column in frame.get_columns():
        if column.null_count() == len(column):
            frame = frame.drop(column.name)
            warnings.warn(f"column {column.name!r} is empty in every row; left out.", stacklevel=6)
    if not frame.width:
        raise ValueError("it has no column of inputs with a value.")
    found = parsed(frame)
    for name, kind in found.schema.items():
        if kind == pl.String:
            _check_mixed(frame[name])
        elif kind.is_float() and (found[name].abs() > LARGEST).any():
            row = int((found[name].abs() > LARGEST).arg_max() or 0)
            raise ValueError(
                f"column {name!r} has {beyond(found[name][row])} at row {row}. Correct or empty"
                " such cells."
            )
    return found


def _with_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of nothing but plain numbers as such; ``parsed`` looks for more, and is slower.

    Numbers with a zero in front, such as 00501, stay text here as there.
    """
    import polars as pl

    first = frame.head(TRIED_FIRST)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    some = first.select(pl.col(texts).cast(pl.Float64, strict=False))
    likely = [name for name in texts if some[name].null_count() == first[name].null_count()]
    numbers = frame.select(pl.col(likely).cast(pl.Float64, strict=False))
    codes = frame.select(
        (pl.col(name).str.starts_with("0") & (numbers[name] >= 1)).any()
        | (pl.col(name).str.starts_with("-0") & (numbers[name] <= -1)).any()
        | pl.col(name).str.starts_with("00").any()
        for name in likely
    )
    for name in likely:
        check_thousands(frame[name])
    return frame.with_columns(
        numbers[name].fill_nan(None)
        for name in likely
        if numbers[name].null_count() == frame[name].null_count() < len(frame)
        and not codes[name].item()
    )


def _check_mixed(column: pl.Series) -> None:
    """Refuse a column of text most of whose cells are numbers.

    Raises:
        ValueError: the message names the column and the first row that holds no number.
    """
    import polars as pl

    some = column.drop_nulls().head(TRIED_FIRST)
    written = looks_like_number(some)
    numbers = some.cast(pl.Float64, strict=False)
    wrong = None
    if (1 - MOSTLY) * len(some) >= (~written).sum() and some.str.contains("[,']|\\d *[%€$]").any():
        wrong = ~looks_like_number(column)
    elif numbers.null_count() <= (1 - MOSTLY) * len(numbers):
        wrong = column.str.strip_chars().cast(pl.Float64, strict=False).is_null()
    if wrong is None:
        return
    wrong &= column.is_not_null() & ~column.str.to_lowercase().is_in(list(MISSING))
    if not 0 < int(wrong.sum()) <= (1 - MOSTLY) * len(column):
        return
    row = int(wrong.arg_max() or 0)
    cells = count_of(int(wrong.sum()), "cell")
    raise Refusal(
        f"column {column.name!r} holds numbers but for {cells}, such as {column[row]!r} at row"
        f" {row}.",
        "empty or correct these cells",
        f"take all as words with {passed('kinds', {column.name: 'category'})}",
        f"leave the column out with {passed('drop', column.name)}",
    )


def check_no_copy(frame: pl.DataFrame, labels: Any, name: str) -> None:
    """Refuse a column that says the label: each of its values goes with one label, and back.

    Args:
        labels: n labels, None or -1 where there is none.
        name: the name of their column.

    Raises:
        ValueError: the message names the column.
    """
    import polars as pl

    label = pl.Series("label", labels, strict=False)
    known = label.is_not_null() & (label != -1 if label.dtype.is_integer() else True)
    label = label.filter(known)
    classes = label.n_unique()
    if classes < 2 or len(label) < ROWS_A_CLASS * classes:
        return
    for column in frame.filter(known).get_columns():
        pairs = pl.DataFrame([column.alias("cell"), label])
        if all(_one_to_one(part, classes) for part in (pairs.head(TRIED_FIRST), pairs)):
            raise Refusal(
                f"column {column.name!r} copies the label: each of its {classes} values goes with"
                f" one label of {name!r} in all {len(label):,} rows.",
                f"leave it out with {passed('drop', column.name)}",
                "take it out of the file",
            )


def _one_to_one(pairs: pl.DataFrame, classes: int) -> bool:
    values = pairs["cell"].n_unique()
    return values <= classes and values == pairs["label"].n_unique() == pairs.n_unique()


def decimal_points(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of numbers as people write them, by the rule of ``features``, as plain numbers.

    Raises:
        ValueError: marks that may be read in two ways.
    """
    import polars as pl

    texts = [column for column in _with_numbers(frame) if column.dtype == pl.String]
    return frame.with_columns(found for one in texts if (found := numerals(one)) is not None)
