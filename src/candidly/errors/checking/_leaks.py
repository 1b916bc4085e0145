"""Columns that tell the label by themselves: with them, a check finds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...ground.arrays import door
from ...ground.problem import passed

if TYPE_CHECKING:
    import polars as pl

NEARLY = 0.99  # agreement from which on a column is named
AHEAD = 0.1  # and beyond the largest class, where a column holds names of the classes
ENOUGH = 20  # labelled rows, to say so
MANY = 5  # values of a class, from which on a column may say whom or what a row is from


@dataclass(frozen=True)
class Leak:
    """A column that tells the label.

    Attributes:
        column: its name.
        agrees: share of the labelled rows whose label is the usual one for their value, in [0, 1].
        names: whether its values are names of the classes.
        repeats: whether it has so many values, each in several rows, that it may say whom or what
            a row is from.
    """

    column: str
    agrees: float
    names: bool = False
    repeats: bool = False

    def __str__(self) -> str:
        if self.repeats:
            return (
                f"column {self.column!r} tells {self.agrees:.1%} of the labels by itself, with "
                "many values that each stand in several rows. If it says whom or what a row is "
                f"from, keep such rows in one fold with {passed('group', self.column)}: else a "
                "model knows them from the others. If it was made from the labels, leave it out "
                f"with {passed('drop', self.column)}."
            )
        what = "holds names of the classes and tells" if self.names else "tells"
        return (
            f"column {self.column!r} {what} {self.agrees:.1%} of the labels by itself. If it was "
            f"made from them, that is a leak: leave it out with {passed('drop', self.column)}."
        )


@door
def find_leaks(frame: pl.DataFrame, given: np.ndarray, classes: Sequence[str]) -> tuple[Leak, ...]:
    """Columns that tell the label in at least 99 of 100 rows, those that tell most first.

    Where the values are names of the classes, 10 in 100 more than the largest class has are enough:
    such a column is an earlier or another label. A value that stands in one row only tells nothing.
    Numbers that seldom repeat are sorted, and neighbours are compared instead.

    Args:
        frame: (n, columns), numbers as numbers.
        given: int (n,), -1 for no label; such rows take no part.
    """
    rows = np.flatnonzero(given >= 0)
    labels = given[rows]
    if len(rows) < ENOUGH:
        return ()
    largest = np.bincount(labels).max() / len(rows)
    if largest > NEARLY:
        return ()  # everything tells it
    words = {name for name in classes if not name.lstrip("-").isdigit()}
    found = []
    for name in frame.columns:
        leak = _leak(frame[name].gather(rows), labels, words)
        if leak.agrees >= NEARLY or (leak.names and leak.agrees >= largest + AHEAD):
            found.append(leak)
    return tuple(sorted(found, key=lambda leak: -leak.agrees))


def _leak(column: pl.Series, labels: np.ndarray, words: set[str]) -> Leak:
    codes = column.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    values, at, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    if 2 * len(values) > len(codes):
        agrees = _by_neighbours(column, labels) if column.dtype.is_numeric() else 0.0
        return Leak(column.name, agrees)
    q = int(labels.max()) + 1
    pairs, counts = np.unique(at * q + labels, return_counts=True)
    most = np.zeros(len(values), np.int64)
    np.maximum.at(most, pairs // q, counts)
    agrees = float(most[sizes > 1].sum() / len(labels))
    names = (
        not column.dtype.is_numeric()
        and len(values) <= len(words) + 1
        and set(column.drop_nulls().cast(str).unique().to_list()) <= words
        and column.null_count() < len(column)
    )
    repeats = not names and len(values) > max(MANY * q, ENOUGH)
    return Leak(column.name, agrees, names, repeats)


def _by_neighbours(column: pl.Series, labels: np.ndarray) -> float:
    """Share of rows with the label of the row before, in order of the values.

    Each class but the last has one row that cannot: it does not count.
    """
    there = column.is_not_null().to_numpy()
    order = column.filter(there).arg_sort().to_numpy()
    ranked = labels[there][order]
    changes = int((ranked[1:] != ranked[:-1]).sum()) - (len(np.unique(ranked)) - 1)
    return float((len(ranked) - changes) / len(labels))
