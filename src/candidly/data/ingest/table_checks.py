"""Tables in files: read one way, and refused in words that name the file, the row and the column.

A row's number counts from 0 and leaves out the header, as everywhere in candidly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.files import check_content, wrong_ending
from ...ground.problem import Refusal, problem_of

if TYPE_CHECKING:
    import polars as pl

MOST = 2**53  # whole numbers beyond it are not exact where a column holds floats
BARE = (".npz", ".npy", ".mat", ".parquet", ".arrow", ".jsonl", ".ndjson")  # without a header
SAMPLE = 100  # cells that a column is tried on first


@contextmanager
def about(path: Path | str) -> Iterator[None]:
    """Errors in the block name the file, and say how rows are counted where they name one."""
    try:
        yield
    except ValueError as error:
        problem = problem_of(error)
        if str(path) not in problem.told():
            problem = problem.within(str(path))
        if re.search(r"\brows? \d", problem.what) and "count from 0" not in problem.what:
            file = Path(path)
            bare = file.suffix.lower() in BARE
            header = "" if bare or file.is_dir() else ", the header left out"
            problem = replace(problem, what=f"{problem.what} (Rows count from 0{header}.)")
        raise Refusal(problem) from error


def check_columns(there: Sequence[str], needed: Sequence[str]) -> None:
    """Refuse a table that lacks a column.

    Raises:
        ValueError: names the first that is missing, and those that there are.
    """
    for name in needed:
        if name not in there:
            raise ValueError(
                f"it has no column {name!r}, but {listed(there)}; it needs {', '.join(needed)}."
            )


def check_file(path: Path, endings: Sequence[str]) -> None:
    """Refuse what cannot be read, before anything is.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, or none of the endings.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file that ends in {' or '.join(endings)}.")
    if path.suffix.lower() not in endings:
        raise ValueError(wrong_ending(path, endings))
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    check_content(path)


def typed(column: pl.Series) -> pl.Series:
    """A column of text as whole numbers, or else as numbers, where every cell is one."""
    import polars as pl

    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    first = column.drop_nulls().head(SAMPLE)
    for kind in (pl.Int64, pl.Float64):
        if not first.str.strip_chars().cast(kind, strict=False).null_count():
            found = column.cast(kind, strict=False)
            if found.null_count() > column.null_count():
                found = column.str.strip_chars().cast(kind, strict=False)
            if found.null_count() == column.null_count():
                return found
    return column


def check_filled(column: pl.Series, otherwise: str) -> None:
    """Refuse empty cells, and say what to do ``otherwise``.

    Raises:
        ValueError: the message names the column and the first row.
    """
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise ValueError(f"column {column.name!r} is empty at row {row}. {otherwise}")


def check_flat(column: pl.Series) -> None:
    """Refuse lists of lists: a cell holds a label, or a list of labels.

    Raises:
        ValueError: the message names the column and the first row.
    """
    import polars as pl

    if isinstance(column.dtype, pl.List) and column.dtype.inner.is_nested():
        row = int(column.is_not_null().arg_max() or 0)
        raise ValueError(
            f"column {column.name!r} has {column[row].to_list()} at row {row}, a list of lists;"
            " labels are one a cell, or one list a cell."
        )


def whole_column(column: pl.Series) -> Any:
    """Whole numbers, int64 (n,).

    Raises:
        ValueError: an empty cell, or one that is no whole number; it names row and column.
    """
    import numpy as np

    values = number_column(column)
    for row in np.flatnonzero((values != np.floor(values)) | (np.abs(values) > MOST))[:1]:
        raise ValueError(
            f"column {column.name!r} has {values[row]} at row {row}, which is no whole number, or a"
            " far too large one."
        )
    return values.astype(np.int64)


def number_column(column: pl.Series) -> Any:
    """Finite numbers (n,), truth values as bool.

    Raises:
        ValueError: an empty cell, or one that is no finite number; it names row and column.
    """
    import numpy as np
    import polars as pl

    if not len(column):
        return np.zeros(0)
    if column.dtype.is_nested():
        raise ValueError(f"column {column.name!r} holds lists or structures, and no numbers.")

    found = typed(column)
    if found.dtype == pl.String:
        found = _truth(found)
    if not (found.dtype.is_numeric() or found.dtype == pl.Boolean) and column.drop_nulls().len():
        wrong = column.is_not_null()
        if column.dtype == pl.String:
            wrong &= column.str.strip_chars().cast(pl.Float64, strict=False).is_null()
        row = int(wrong.arg_max() or 0)
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}, which is no number. Correct"
            " it, encode the column as numbers, or leave it out."
        )
    if found.null_count():
        row = int(found.is_null().arg_max() or 0)
        raise ValueError(
            f"column {column.name!r} is empty at row {row}, and in {found.null_count():,} of"
            f" {len(found):,} rows. Fill in or drop such rows."
        )
    values = found.to_numpy()
    for row in np.flatnonzero(~np.isfinite(values))[:1]:
        raise ValueError(
            f"column {column.name!r} has {values[row]} at row {row}. Fill in or drop such rows."
        )
    return values


def _truth(column: pl.Series) -> pl.Series:
    """Where every cell is true or false, truth values."""
    import polars as pl

    words = {"true": True, "false": False}
    lower = column.str.strip_chars().str.to_lowercase()
    found = lower.replace_strict(words, default=None, return_dtype=pl.Boolean)
    there = len(column) > column.null_count() == found.null_count()
    return found if there else column


def column_of(name: str, place: int, named: bool) -> str:
    """A column for a message: by its name, or by its place, from 0, where there is no header."""
    return f"column {name!r}" if named else f"column {place}"


def odd_cell(cells: Iterable[Any]) -> int:
    """The place of the first cell that is no number, where some are and others not; else 0."""
    numbers = [is_number(cell) for cell in cells]
    return numbers.index(False) if any(numbers) and not all(numbers) else 0


def is_number(cell: Any) -> bool:
    """Whether a cell of text can be read as a number."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """At most twenty names for a message."""
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "") or "none"
