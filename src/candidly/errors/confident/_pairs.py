"""Pairs of a row and a class that the row looks more like than its label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Pairs(NamedTuple):
    """Rows with an entry that exceeds their label's by ``LEAST_GAP``, once for every such class.

    At most 1 / LEAST_GAP a row. Selection reads rows again where these are too few.
    """

    row: np.ndarray
    klass: np.ndarray
    gap: np.ndarray


def no_pairs(n: int, klass: np.dtype, gap: np.dtype) -> Pairs:
    """None yet, of n rows, with classes and gaps of these kinds."""
    return Pairs(np.empty(0, index_dtype(n)), np.empty(0, klass), np.empty(0, gap))


def index_dtype(n: int) -> np.dtype:
    """The smaller of int32 and int64 that can number n things."""
    return np.dtype(np.int32 if n < 2**31 else np.int64)


class Growing:
    """Pairs in order of rows, as they come; memory moves as a whole and is never held twice."""

    def __init__(self, like: Pairs):
        self.columns = Pairs(*(np.empty(0, column.dtype) for column in like))
        self.count = 0

    def add(self, more: Pairs) -> None:
        stop = self.count + len(more.row)
        if stop > len(self.columns.row):
            self._resize(stop + stop // 4)
        for column, values in zip(self.columns, more):
            column[self.count : stop] = values
        self.count = stop

    def whole(self) -> Pairs:
        """All of them; nothing is added afterwards."""
        self._resize(self.count)
        return self.columns

    def _resize(self, size: int) -> None:
        for column in self.columns:  # nobody else refers to it
            column.resize(size, refcheck=False)
