"""Counts by (given, other class), by the cells that are not 0: n + m at most, of m x m.

All of it is in whole numbers, so that ties in rounding are ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...ground.device import free_bytes
from ...ground.numbers import whole
from . import _kernels

MOST = 3_000_000_000  # labels of a class: the square of it is an int64 still


@dataclass(frozen=True, eq=False)
class Cells:
    """A matrix of whole numbers, (given class, other class), most of it 0.

    Attributes:
        m: classes.
        given, other: int64 (c,), the places that may differ from 0, sorted, each once.
        count: int64 (c,), what is there, >= 0.
    """

    m: int
    given: np.ndarray
    other: np.ndarray
    count: np.ndarray

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each given class's cells start: int64 (m + 1,)."""
        return np.searchsorted(self.given, np.arange(self.m + 1))

    @cached_property
    def diagonal(self) -> np.ndarray:
        """int64 (m,)."""
        on = self.given == self.other
        return _summed(self.given[on], self.count[on], self.m)

    @cached_property
    def row_sums(self) -> np.ndarray:
        """int64 (m,)."""
        return _summed(self.given, self.count, self.m)

    @cached_property
    def column_sums(self) -> np.ndarray:
        """int64 (m,)."""
        return _summed(self.other, self.count, self.m)

    @property
    def aside(self) -> Cells:
        """The cells off the diagonal that are not 0."""
        off = (self.given != self.other) & (self.count > 0)
        return Cells(self.m, self.given[off], self.other[off], self.count[off])

    def left_alone(self, rows: np.ndarray, diagonal: np.ndarray) -> Cells:
        """Rows, bool (m,), that hold their number of ``diagonal``, (m,), there and 0 elsewhere."""
        count = np.where(rows[self.given], 0, self.count)
        others = Cells(self.m, self.given, self.other, count)
        return _with_diagonal(others.aside, np.where(rows, diagonal, self.diagonal))

    def dense(self, more: int = 0) -> np.ndarray:
        """All of it: int64 (m, m).

        Args:
            more: matrices of that size that will be made of it.

        Raises:
            MemoryError: the machine has not that much memory free; the message says how much.
        """
        needed, free = 8 * self.m**2 * (1 + more), free_bytes("cpu")
        if free is not None and needed > free:
            raise MemoryError(
                f"matrices of {self.m:,} x {self.m:,} classes take {needed / 1e9:.1f} GB, and "
                f"{free / 1e9:.1f} GB are free; find, counts, health and scores do without them."
            )
        result = np.zeros((self.m, self.m), np.int64)
        result[self.given, self.other] = self.count
        return result


def _summed(places: np.ndarray, counts: np.ndarray, m: int) -> np.ndarray:
    sums = np.zeros(m, np.int64)
    np.add.at(sums, places, counts)
    return sums


def cells_of(matrix: np.ndarray) -> Cells:
    """The cells of whole numbers (m, m)."""
    given, other = np.nonzero(matrix)
    return Cells(len(matrix), given, other, matrix[given, other].astype(np.int64))


def counted(given: np.ndarray, guess: np.ndarray, m: int) -> Cells:
    """Labelled rows that have a guess, by (given, guess); either is -1 where there is none."""
    if m * m <= len(given):  # less than the columns take, and as fast as memory
        return cells_of(_kernels.count_joint(given, guess, m))
    diagonal = np.zeros(m, np.int64)
    places = np.empty(_kernels.count_diagonal(given, guess, diagonal), np.int64)
    _kernels.off_diagonal(given, guess, m, places)
    places, count = np.unique(places, return_counts=True)
    aside = Cells(m, places // m, places % m, count.astype(np.int64))
    return _with_diagonal(aside, diagonal)


def floored(cells: Cells) -> Cells:
    """With at least 1 on the diagonal, so that every class can be divided by."""
    aside = cells.aside
    return _with_diagonal(aside, np.maximum(cells.diagonal, 1))


def _with_diagonal(aside: Cells, diagonal: np.ndarray) -> Cells:
    classes = np.arange(aside.m)
    given = np.concatenate([aside.given, classes])
    other = np.concatenate([aside.other, classes])
    order = np.lexsort((other, given))
    count = np.concatenate([aside.count, diagonal])
    return Cells(aside.m, given[order], other[order], count[order])


def calibrated(cells: Cells, given_counts: np.ndarray) -> Cells:
    """Floored rows scaled to how often each label was given, and rounded: they sum to that.

    Entry (k, j) is the floored count C_kj times n_k over the row's sum, rounded half to even. What
    rounding won or lost in a row goes to the entries that it moved most, ties to the lower column.
    No fraction is ever rounded before it is compared.

    Args:
        given_counts: int64 (m,), labels of each class.

    Raises:
        ValueError: a class with more labels than can be squared.
    """
    if given_counts.max() > MOST:
        k = int(given_counts.argmax())
        raise ValueError(
            f"class {k} was given {given_counts[k]:,} times; counts by pairs of classes are exact "
            f"up to {MOST:,}, and not made beyond."
        )
    return _apportioned(floored(cells), given_counts)


def expected_wrong(cells: Cells, given_counts: np.ndarray) -> float:
    """How many labels are wrong by the calibrated joint before it is rounded."""
    level = floored(cells)
    off = level.row_sums - level.diagonal
    return float((given_counts * (off / level.row_sums)).sum())


def _apportioned(cells: Cells, totals: np.ndarray) -> Cells:
    """Rows scaled to whole ``totals``, int64 (m,), and rounded to them; a row of 0 stays so."""
    count = np.empty_like(cells.count)
    _kernels.apportion(cells.starts, cells.count, totals, count)
    return Cells(cells.m, cells.given, cells.other, count)


def prune_counts(
    joint: Cells,
    given_counts: np.ndarray,
    keep: int = 1,
    fraction: float = 1.0,
    quotas: np.ndarray | None = None,
) -> Cells:
    """How many examples to take for every (given, true) pair; how many stay, on the diagonal.

    Args:
        joint: calibrated counts.
        keep: examples of a class that stay at least.
        fraction: of the estimated errors to take; as it is written in decimals, so that 0.29 of
            100 are 29.
        quotas: int (m,), examples to take per class instead of the estimate.

    Returns:
        counts truncated towards 0.

    Raises:
        ValueError: an option makes no sense, by name.
    """
    keep = whole(keep, "keep", low=0)
    check_fraction(fraction)
    aside, diagonal = joint.aside, joint.diagonal
    if quotas is not None:
        if fraction != 1:
            raise ValueError("quotas say how many to take; a fraction of them is another quota.")
        wanted = _quotas(quotas, given_counts)
        aside = _apportioned(aside, wanted).aside
        diagonal = given_counts - wanted
    stays = np.maximum(diagonal, keep)
    # what is kept besides comes in equal parts, 1 / parts of it, from the cells of the row
    parts = np.maximum(np.diff(aside.starts) + (diagonal > 0) - 1, 1)
    lacking = stays - diagonal
    fewer = -(-lacking // parts)  # rounded up: what is left is truncated
    if fraction == 1:
        count = np.maximum(aside.count - fewer[aside.given], 0)
        return _with_diagonal(Cells(aside.m, aside.given, aside.other, count), stays)
    share = Fraction(repr(float(fraction)))
    left = np.maximum(aside.count * parts[aside.given] - lacking[aside.given], 0).astype(object)
    count = left * share.numerator // (parts[aside.given].astype(object) * share.denominator)
    back = np.zeros(aside.m, object)
    np.add.at(back, aside.given, left)
    back = back * (share.denominator - share.numerator) // (parts * share.denominator)
    some = Cells(aside.m, aside.given, aside.other, count.astype(np.int64))
    return _with_diagonal(some, stays + back.astype(np.int64))


def check_fraction(fraction: Any) -> None:
    """Refuse what is no share of the estimated errors."""
    number = isinstance(fraction, int | float | np.number) and not isinstance(fraction, bool)
    if not number or not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction!r}; it lies between 0 and 1.")


def _quotas(quotas: Any, given_counts: np.ndarray) -> np.ndarray:
    """Quotas as int64 (m,), checked."""
    asked = np.asarray(quotas)
    if asked.shape != given_counts.shape:
        raise ValueError(f"`quotas` has shape {asked.shape}, not ({len(given_counts)},).")
    if asked.dtype.kind not in "iu":
        raise TypeError(f"`quotas` holds {asked.dtype}; it counts examples.")
    if len(bad := np.flatnonzero((asked < 0) | (asked > given_counts))):
        k = int(bad[0])
        raise ValueError(
            f"`quotas` is {asked[k]} for class {k}, which was given {given_counts[k]} times."
        )
    return asked.astype(np.int64)
