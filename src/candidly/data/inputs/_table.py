"""``Table``: columns of different kinds, a row for each example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import door
from ._columns import KINDS, as_kind, as_polars, kind_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers, categories, dates and texts; ``Table.of`` makes one of a frame.

    Attributes:
        frame: polars data frame; numbers as Float64, dates as Datetime in microseconds without a
            time zone, categories and texts as String; null where a value is missing.
        kinds: by column, ``number``, ``category``, ``date`` or ``text``.
    """

    frame: pl.DataFrame
    kinds: Mapping[str, str]

    @classmethod
    @door
    def of(cls, frame: Any, kinds: Mapping[str, str] | None = None) -> Table:
        """The table in a polars or pandas data frame.

        Args:
            frame: columns of numbers, truth values (as 0 and 1), dates, times of day and durations
                (as seconds), and strings. NaN is a missing number. See ``parsed`` for columns of
                text that hold numbers or dates.
            kinds: the kind of each column, where it is known; others are found out: strings are a
                ``category`` up to 40 different ones, and ``text`` beyond.

        Raises:
            ValueError: no column, two of one name, lists or structures, infinity, or a cell that is
                none of its kind; the message names the column and the row.
        """
        frame = as_polars(frame)
        if not frame.width:
            raise ValueError("`inputs` has no columns.")
        kinds = dict(kinds or {})
        for name in frame.columns:
            if name not in kinds:
                kinds[name] = kind_of(frame[name])
            elif kinds[name] not in KINDS:
                raise ValueError(
                    f"the kind of column {name!r} is {kinds[name]!r}; use one of"
                    f" {', '.join(KINDS)}."
                )
        columns = [as_kind(frame[name], kinds[name]) for name in frame.columns]
        return cls(frame.select(columns), {name: kinds[name] for name in frame.columns})

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns, in order."""
        return tuple(self.frame.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Examples and columns."""
        return self.frame.shape

    def __len__(self) -> int:
        return self.frame.height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same = self.names == other.names and dict(self.kinds) == dict(other.kinds)
        return same and self.frame.equals(other.frame)

    __hash__ = None  # type: ignore[assignment]  # two of equal content are equal, and none is small

    def __repr__(self) -> str:
        there = list(self.kinds.values())
        counts = [f"{there.count(kind)} {kind}" for kind in KINDS if kind in there]
        return f"Table({len(self)} rows, {', '.join(counts)})"

    @door
    def take(self, rows: Any) -> Table:
        """The examples at ``rows``: integer indices, a bool mask (n,) or a slice, in that order.

        The kinds stay, whatever is left.
        """
        places = np.arange(len(self))[rows]
        return Table(self.frame[places], self.kinds)

    __getitem__ = take

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError(
            "`inputs` are columns of different kinds, and no array of numbers:"
            " candidly.inputs.fit_encoding(table, rows) learns how to make one of them."
        )
