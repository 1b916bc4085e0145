"""Columns of answers: checked, and as the names in them and where these stand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...ground.arrays import as_array

if TYPE_CHECKING:
    import polars as pl

NUMBERS = range(sys.maxsize)  # what rows are called, by their places: these


def checked_column(name: str, values: Any, rows: Any = NUMBERS) -> np.ndarray:
    """int64, or object of ``str``; (answers,)."""
    column = as_array(values, name)
    if column.ndim != 1:
        raise ValueError(f"answers: `{name}` has shape {column.shape}; give one per answer.")
    if column.dtype.kind in "iu":
        return column.astype(np.int64)
    if column.dtype.kind == "f":
        wrong = ~(column == np.floor(column))  # NaN too
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"answers: `{name}` is {column[row]} in row {rows[row]}; it needs a whole number or"
                " a name."
            )
        return column.astype(np.int64)
    if column.dtype.kind not in "OUT":
        raise ValueError(f"answers: `{name}` holds {column.dtype}; give integers or strings.")
    listed = column.tolist()
    if all(type(value) is int for value in listed):
        return np.array(listed, np.int64)
    for row, value in enumerate(listed):
        if not isinstance(value, str) or not value:
            raise ValueError(
                f"answers: `{name}` is {value!r} in row {rows[row]}, among names. Leave out rows"
                " without an answer."
            )
    return column.astype(object)


class NamedColumn(NamedTuple):
    """A column as the names in it and where they are.

    Attributes:
        names: int64, or object of ``str``, (k,), sorted.
        codes: int (answers,), which of them stands in each row.
    """

    names: np.ndarray
    codes: np.ndarray

    def row(self, k: int) -> int:
        """The first row where a name stands."""
        return int((self.codes == k).argmax())


def coded(name: str, values: Any, rows: Any = NUMBERS) -> NamedColumn:
    """A column, checked, as names and codes."""
    if type(values).__module__.startswith("polars") and str(values.dtype) == "String":
        return _coded_text(name, values, rows)
    column = checked_column(name, values, rows)
    if column.dtype == np.int64:
        return NamedColumn(*np.unique(column, return_inverse=True))
    listed = column.tolist()
    names = sorted(set(listed))
    number = {known: code for code, known in enumerate(names)}
    codes = np.fromiter(map(number.__getitem__, listed), np.int64, len(listed))
    return NamedColumn(np.array(names, object), codes)


def _coded_text(name: str, values: pl.Series, rows: Any) -> NamedColumn:
    """The same of a Series of text, which polars does several times as fast."""
    import polars as pl

    names = values.unique().sort()  # by the numbers of the characters, as Python sorts
    if names.null_count() or "" in names:
        checked_column(name, values, rows)  # which refuses the first of them
    codes = values.cast(pl.Enum(names)).to_physical().to_numpy()
    return NamedColumn(np.array(names.to_list(), object), codes)
