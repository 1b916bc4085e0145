"""Rows of probabilities, wherever they lie: read by ranges, or some rows alone."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ...ground.arrays import ENTRY_SLACK
from ...ground.problem import why
from ._columns import Named, row_for_row

if TYPE_CHECKING:
    import polars as pl

OPEN = 256  # parts that are open at the same time: systems allow a process some hundred files

NEGATIVE = (
    "Probabilities are not negative: take the exponential of log-probabilities first, and the "
    "softmax of logits."
)


@dataclass(frozen=True)
class Part:
    """Some of the rows, such as those of a file, that any process can open.

    Attributes:
        name: which no other part has.
        n, m: rows and classes.
        dtype: float32 or float64, what rows are read as.
        open: () -> the rows; a function that other processes can import, with its arguments.
        stamp: what tells it from a changed one: a size and a time, or a seed.
    """

    name: str
    n: int
    m: int
    dtype: np.dtype
    open: Callable[[], ProbRows]
    stamp: str = ""

    def opened(self) -> ProbRows:
        """The rows, if they are still those that were listed.

        Raises:
            ValueError: they are not, or this machine cannot read them.
        """
        try:
            rows = self.open()
        except (OSError, ValueError) as error:
            raise ValueError(f"{self.name} cannot be read{why(error, ': {}')}.") from None
        if (rows.n, rows.m, rows.stamp()) != (self.n, self.m, self.stamp):
            raise ValueError(
                f"{self.name} changed while it was being read; start again when nobody writes to "
                "it."
            )
        return rows


@dataclass(frozen=True)
class ProbRows:
    """Rows of probabilities that can be read in any order, by several threads.

    Attributes:
        n, m: rows and classes.
        dtype: float32 or float64, what rows are read as.
        get: (start, stop) -> rows, any float dtype and layout.
        name: for messages.
        normalise: divide each row by its sum; its entries must not be negative.
        stamp: gives what a resumed run compares: sizes and times of files, a sample of arrays.
        ids: (n,) names of the rows as text, where the file has a column of them.
        columns: names of the columns, where there are any; they may be those of the classes.
        pick: (rows, ascending) -> these rows; None where that costs as much as all between them.
        parts: which rows come from where, in order, where other processes can read them.
        keys: columns of one file that may name rows. dropped: those that were left out on demand.
    """

    n: int
    m: int
    dtype: np.dtype
    get: Callable[[int, int], np.ndarray]
    name: str
    normalise: bool = False
    stamp: Callable[[], str] = str
    ids: np.ndarray | None = field(default=None, repr=False)
    columns: tuple[str, ...] | None = None
    pick: Callable[[np.ndarray], np.ndarray] | None = None
    parts: tuple[Part, ...] = field(default=(), repr=False)
    keys: pl.DataFrame | None = field(default=None, repr=False)
    dropped: tuple[str, ...] = ()

    def read(self, start: int, stop: int) -> np.ndarray:
        """Rows start..stop: C-contiguous (r, m) of ``dtype``, a view where that is possible.

        Never to be written, so that what is compiled for them is compiled for one kind of array.
        """
        return self._settled(self.get(start, stop), np.arange(start, stop))

    def some(self, rows: np.ndarray) -> np.ndarray:
        """These rows (r,), ascending, alone: (r, m), as ``read`` gives them."""
        if self.pick is not None:
            return self._settled(self.pick(rows), rows)
        first, last = int(rows[0]), int(rows[-1])
        return self._settled(self.get(first, last + 1)[rows - first], rows)

    def _settled(self, found: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        rows = np.ascontiguousarray(found, dtype=self.dtype)
        if rows.shape != (len(numbers), self.m):
            raise ValueError(
                f"{self.name} has {rows.shape} where rows {numbers[0]} to {numbers[-1]} of "
                f"{self.m} classes should be; was it changed while being read?"
            )
        rows = self._divided(rows, numbers) if self.normalise else rows.view()
        rows.flags.writeable = False
        return rows

    def _divided(self, rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Rows, which have these numbers, by their sums.

        Raises:
            ValueError: a row of 0, or a negative entry. To divide a row of negative numbers, such
                as log-probabilities, would put the least probable class first.
        """
        sums = rows.sum(1, keepdims=True)
        if len(bad := np.argwhere(rows < -ENTRY_SLACK * np.abs(sums))):
            row, column = bad[0].tolist()
            raise ValueError(
                f"{self.name} is {rows[row, column]:g} at row {numbers[row]}, column {column}, and "
                f"a row with a negative number is not divided by its sum. {NEGATIVE}"
            )
        if len(empty := np.flatnonzero(sums == 0)):
            raise ValueError(
                f"{self.name} is 0 all over row {numbers[empty[0]]}, which cannot be divided by "
                "its sum."
            )
        with np.errstate(invalid="ignore"):  # of NaN and infinity, which the sweep finds
            return rows / sums

    def by_id(self, ids: np.ndarray | None, keys: pl.DataFrame | None = None) -> ProbRows:
        """The same rows in the order of ``ids``, where both name them; else as they stand.

        Rows of one file that come in another order are held in memory.

        Args:
            keys: the keys of the labels: columns that may name rows, where there are no ids.

        Raises:
            ValueError: a name that one of them lacks; see ``row_for_row``.

        Warns:
            UserWarning: what was assumed of rows that one of them names.
        """
        found = row_for_row(Named(ids, keys), Named(self.ids, self.keys, self.dropped), self.name)
        if found is None:
            return self
        ids, order = found
        if order is None:
            return self
        table = self.get(0, self.n)[order]
        return replace(
            self,
            get=lambda start, stop: table[start:stop],
            pick=table.__getitem__,
            stamp=lambda: f"{self.stamp()} {zlib.crc32(order.tobytes()):08x}",
            ids=ids,
            parts=(),
        )

    def places(self, rows: np.ndarray) -> tuple[list[str], np.ndarray]:
        """Of some rows (r,) the names of their parts without folders, and their numbers there."""
        ends = np.cumsum([part.n for part in self.parts])
        numbers = np.searchsorted(ends, rows, side="right")
        first = ends - [part.n for part in self.parts]
        names = [part.name.rstrip("/").rsplit("/", 1)[-1] for part in self.parts]
        return [names[k] for k in numbers.tolist()], rows - first[numbers]

    def take(self, rows: np.ndarray, at_once: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """These rows (ascending), by blocks: their numbers (r,), and themselves (r, m).

        Args:
            at_once: rows from the first to the last of a block, at most.
        """
        start = 0
        while start < len(rows):
            stop = int(np.searchsorted(rows, int(rows[start]) + at_once))
            some = rows[start:stop]
            yield some, self.some(some)
            start = stop


def working_dtype(dtype: np.dtype) -> np.dtype:
    """float16 and float32 are worked on as float32, float64 as itself."""
    return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def joined(
    parts: Sequence[Part],
    name: str,
    normalise: bool = False,
    ids: np.ndarray | None = None,
    columns: tuple[str, ...] | None = None,
    open_ones: Mapping[int, ProbRows] | None = None,
    at_once: int = OPEN,
) -> ProbRows:
    """The rows of parts, one behind the other; parts are opened when they are read.

    Args:
        open_ones: parts that are open already, by number.
        at_once: parts that stay open, at most.

    Raises:
        ValueError: two have one name, or other classes.
    """
    names: set[str] = set()
    for part in parts:
        if part.name in names:
            raise ValueError(f"{name} has {part.name} twice; list each part once.")
        names.add(part.name)
        if part.m != parts[0].m:
            raise ValueError(f"{part.name} has {part.m} classes, {parts[0].name} has {parts[0].m}.")
    ends = np.cumsum([part.n for part in parts])
    kept = dict(open_ones or {})

    def opened(number: int) -> ProbRows:
        rows = kept.get(number) or parts[number].opened()
        while len(kept) >= at_once and number not in kept:
            kept.pop(next(iter(kept)), None)  # the one opened first; another thread may be faster
        return kept.setdefault(number, rows)

    def get(start: int, stop: int) -> np.ndarray:
        pieces = []
        number = int(np.searchsorted(ends, start, side="right"))
        while start < stop:
            first = int(ends[number]) - parts[number].n
            upto = min(stop, int(ends[number]))
            if start < upto:  # a part may be empty
                pieces.append(opened(number).get(start - first, upto - first))
            start, number = max(start, upto), number + 1
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def pick(rows: np.ndarray) -> np.ndarray:
        owners = np.searchsorted(ends, rows, side="right")
        pieces = []
        for number in np.unique(owners).tolist():
            mine = rows[owners == number] - (int(ends[number]) - parts[number].n)
            pieces.append(opened(number).some(mine))
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    dtype = np.result_type(*(part.dtype for part in parts))
    n, m = int(ends[-1]), parts[0].m
    stamp = " ".join(part.stamp for part in parts)
    return ProbRows(
        n, m, dtype, get, name, normalise, lambda: stamp, ids, columns, pick, tuple(parts)
    )
