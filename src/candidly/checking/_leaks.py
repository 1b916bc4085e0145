"""Columns that tell the label by themselves: with them, a check finds nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

NEARLY = 0.99  # agreement from which on a column is named
ENOUGH = 20  # labelled rows, to say so


@dataclass(frozen=True)
class Leak:
    """A column that tells the label.

    Attributes:
        column: its name.
        agrees: share of the labelled rows whose label is the usual one for their value, in [0, 1].
        copy: whether each class has one value of its own, without an exception.
    """

    column: str
    agrees: float
    copy: bool


def find_leaks(frame: pl.DataFrame, given: np.ndarray) -> tuple[Leak, ...]:
    """Columns that tell the label in at least 99 of 100 rows, copies first.

    A value that stands in one row only tells nothing. Numbers that seldom repeat are sorted, and
    neighbours are compared instead.

    Args:
        frame: (n, columns).
        given: int (n,), -1 for no label; such rows take no part.
    """
    rows = np.flatnonzero(given >= 0)
    labels = given[rows]
    counts = np.bincount(labels)
    if len(rows) < ENOUGH or counts.max() > NEARLY * len(rows):
        return ()  # one class is nearly all: everything tells it
    found = []
    for name in frame.columns:
        leak = _leak(name, frame[name].gather(rows), labels)
        if leak.agrees >= NEARLY:
            found.append(leak)
    return tuple(sorted(found, key=lambda leak: (not leak.copy, -leak.agrees)))


def _leak(name: str, column: pl.Series, labels: np.ndarray) -> Leak:
    codes = column.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    values, at, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    if 2 * len(values) > len(codes):
        agrees = _by_neighbours(column, labels) if column.dtype.is_numeric() else 0.0
        return Leak(name, agrees, False)
    cells = at * (int(labels.max()) + 1) + labels
    pairs, counts = np.unique(cells, return_counts=True)
    most = np.zeros(len(values), np.int64)
    np.maximum.at(most, pairs // (int(labels.max()) + 1), counts)
    agrees = float(most[sizes > 1].sum() / len(labels))
    copy = len(pairs) == len(values) == len(np.unique(labels))
    return Leak(name, agrees, copy)


def _by_neighbours(column: pl.Series, labels: np.ndarray) -> float:
    """Share of rows with the label of the row before, in order of the values."""
    there = column.is_not_null().to_numpy()
    order = column.filter(there).arg_sort().to_numpy()
    ranked = labels[there][order]
    return float((ranked[1:] == ranked[:-1]).sum() / max(len(labels) - 1, 1))
