"""Which rows of a data set answers are about: by the rows' names, or by their numbers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ...data.ingest.answers import AnswerTable
from ...data.ingest.table_checks import whole_column
from ...ground.names import shortened
from ...ground.numbers import count_of
from ...ground.problem import Refusal

if TYPE_CHECKING:
    import polars as pl

NUMBERED = "item"  # a column that is called so holds row numbers, where it can
NAMED = "name"  # beside it, names of the rows, as ``candidly review export`` writes them


def rows_asked(table: AnswerTable, ids: np.ndarray | None) -> np.ndarray:
    """The row that each answer is about, int64 (answers,).

    A column ``item`` holds row numbers. Where some of it are none, and all are names of rows, or
    where the column is called otherwise and all are names of rows, it holds names.

    Args:
        ids: (n,) names of the rows, or None.

    Raises:
        ValueError: an item that is neither; names in a column ``name`` that other rows have.

    Warns:
        UserWarning: row numbers that are names of other rows as well.
    """
    column = table.frame["item"]
    if ids is None:
        return _numbered(column)
    place = {str(name): row for row, name in enumerate(ids.tolist())}
    named = np.array([place.get(text, -1) for text in column.cast(str).to_list()], np.int64)
    numbers = _numbers(column, len(ids))
    if numbers is None:
        for at in np.flatnonzero(named < 0)[:1]:
            raise Refusal(
                f"the item in row {at} is {shortened(column[int(at)])}, and no row of the labels"
                " has this name or number.",
                "give the labels with the ids of their rows",
                "count rows from 0",
            )
        return named
    if (beside := _beside(table)) is not None:
        _check_names(beside, numbers, place)
    elif (named >= 0).all() and (named != numbers).any():
        if table.names[0] != NUMBERED:
            return named
        at = int(np.flatnonzero(named != numbers)[0])
        warnings.warn(
            f"the column {NUMBERED!r} is taken for row numbers, from 0: {numbers[at]} is the row"
            f" that the labels call {ids[numbers[at]]}. Where it holds their ids, call it"
            f" {NAMED!r}.",
            stacklevel=5,
        )
    return numbers


def check_asked(given: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> None:
    """Refuse answers about labels that are not those of the data set now.

    Args:
        given: int (answers,), the label that somebody was asked about; -1 where none is said.
        labels: int (n,). rows: int (answers,), see ``rows_asked``.

    Raises:
        ValueError: they differ; says at how many rows, and one of them.
    """
    here = np.flatnonzero((given >= 0) & (rows < len(labels)))
    other = np.unique(rows[here[given[here] != labels[rows[here]]]])
    if len(other):
        asked = len(np.unique(rows[here]))
        raise Refusal(
            f"people were asked about another label than the labels have now at {len(other):,} of"
            f" {count_of(asked, 'row')}, such as row {other[0]}.",
            "give the labels that they were asked about, in the same order",
            "leave the column 'given' out, if they were asked about these",
        )


def _numbered(column: pl.Series) -> np.ndarray:
    items: np.ndarray = whole_column(column)
    if (items < 0).any():
        raise ValueError(f"item {items.min()} is negative; items are row numbers from 0.")
    return items


def _numbers(column: pl.Series, n: int) -> np.ndarray | None:
    """Row numbers of ``n`` rows; None where an item is none."""
    if not column.dtype.is_numeric():
        return None
    items = column.to_numpy()
    there = (items == np.floor(items)) & (items >= 0) & (items < n)
    return items.astype(np.int64) if there.all() else None


def _beside(table: AnswerTable) -> pl.Series | None:
    """Names of the items beside their numbers; None without."""
    there = NAMED in table.frame.columns and table.names[0] == NUMBERED
    return table.frame[NAMED] if there else None


def _check_names(names: pl.Series, rows: np.ndarray, place: dict[str, int]) -> None:
    for at, name in enumerate(names.cast(str).to_list()):
        if place.get(name, rows[at]) != rows[at]:
            raise Refusal(
                f"row {at} is about item {rows[at]}, called {shortened(name)}, and the labels have"
                f" this name at row {place[name]}: they were sorted otherwise since.",
                "give the labels in the order in which people were asked about them",
            )
