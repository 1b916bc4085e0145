"""Passes over the probabilities: by threads of this process, by others, or by a cluster's nodes.

A pass is a function of a range of rows that returns what it found; ranges are worked on side by
side, and results come in order. What is computed of a range is the same wherever that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...data.ingest.prob_rows import Part, ProbRows
from ...ground.spread import Place, place_of, spread
from . import _kernels, _ranks
from ._faults import Fault, swept
from ._pairs import Pairs, index_dtype

LEAST_GAP = 1 / 64
BLOCK_BYTES = 1 << 21  # of a block of rows: it should stay in the cache between two looks at it
ROWS_AT_ONCE = 1 << 17  # of a range of which some rows are read again
CHUNK_BYTES = 1 << 25  # of what another process reads at once, or a folder's note is about

Range = tuple[int, int]
Result = TypeVar("Result")


def block_rows(source: ProbRows) -> int:
    return max(1, BLOCK_BYTES // (source.m * source.dtype.itemsize))


def ranges(source: ProbRows, size: int) -> list[Range]:
    """All rows in ranges of ``size`` at most, none of which spans two parts."""
    found, start = [], 0
    for n in [part.n for part in source.parts] or [source.n]:
        found += [(a, min(a + size, start + n)) for a in range(start, start + n, size)]
        start += n
    return found


@dataclass(frozen=True)
class Readers:
    """Who reads the probabilities.

    Attributes:
        source: all rows.
        workers: threads, processes, or a cluster's workers; None: one thread, else one per core.
        on: where they are; None: threads of this process.
    """

    source: ProbRows
    workers: int | None
    on: Place | None

    @property
    def size(self) -> int:
        """Rows of a range."""
        if self.on is None:
            return block_rows(self.source)
        return max(1, CHUNK_BYTES // (self.source.m * self.source.dtype.itemsize))

    def each(
        self,
        work: Callable[[RowRange, Any], Result],
        where: Sequence[Range],
        handed: Callable[[int, int], Any],
    ) -> Iterator[tuple[Range, Result]]:
        """``work`` of the rows of each range, in order.

        Args:
            work: (piece, what is handed to it) -> what it found; a function of a module.
            where: ranges, none of which spans two parts.
            handed: (start, stop) -> what ``work`` gets of a range, made when its turn comes.
        """
        results: Iterator[Result]
        if self.on is None:
            whole = RowRange(self.source, 0, 0, 0)

            def do(rows: Range) -> Result:
                return work(whole._replace(start=rows[0], stop=rows[1]), handed(*rows))

            results = in_order(do, where, self.workers or 1)
        else:
            results = spread(_done, where, self.workers, self.on, partial(self._task, work, handed))
        yield from zip(where, results, strict=True)  # and lets the results come to their end

    def _task(
        self, work: Callable[[RowRange, Any], Any], handed: Callable[[int, int], Any], rows: Range
    ) -> _Task:
        number = int(np.searchsorted(self._ends, rows[0], side="right"))
        part = self.source.parts[number]
        first, kind = int(self._ends[number]) - part.n, self.source.dtype
        return _Task(work, part, first, *rows, kind, self.source.normalise, handed(*rows))

    @cached_property
    def _ends(self) -> np.ndarray:
        """Where the rows of each part end, (parts,)."""
        return np.cumsum([part.n for part in self.source.parts])


def readers(source: ProbRows, workers: int | None, on: str | None) -> Readers:
    """Who reads the probabilities, as a person asks for it.

    Args:
        on: None, ``processes``, ``ray`` or ``ray:ADDRESS``.

    Raises:
        ValueError: it is something else, or the probabilities lie in this process alone.
    """
    if on is None:
        return Readers(source, workers, None)
    place = place_of(on)
    if not source.parts:
        raise ValueError(
            f"on={on!r}: {source.name} lies in the memory of this process. Give files, in the "
            "order of the labels, that other processes can open: a path, a folder or an address."
        )
    return Readers(source, workers, place)


class RowRange(NamedTuple):
    """Rows start..stop of all; ``source`` holds them, and its first row is number ``first``."""

    source: ProbRows
    start: int
    stop: int
    first: int

    def read(self, start: int, stop: int) -> np.ndarray:
        return self.source.read(start - self.first, stop - self.first)

    def some(self, rows: np.ndarray) -> np.ndarray:
        return self.source.some(rows - self.first)


@dataclass(frozen=True)
class _Task:
    """Work on a range of a part, for another process."""

    work: Callable[[RowRange, Any], Any]
    part: Part
    first: int
    start: int
    stop: int
    dtype: np.dtype
    normalise: bool
    more: Any


def _done(task: _Task) -> Any:
    rows = replace(task.part.opened(), dtype=task.dtype, normalise=task.normalise)
    return task.work(RowRange(rows, task.start, task.stop, task.first), task.more)


def in_order(do: Callable, todo: Sequence[Any], workers: int) -> Iterator[Any]:
    """``do`` of every thing, in order, by one thread or several."""
    if workers == 1:
        for each in todo:
            yield do(each)
        return
    with ThreadPoolExecutor(workers) as pool:
        ahead: list = []
        for each in todo:  # not all at once: what is done waits in memory
            ahead.append(pool.submit(do, each))
            if len(ahead) > 2 * workers:
                yield ahead.pop(0).result()
        for future in ahead:
            yield future.result()


# the first pass


class FirstLook(NamedTuple):
    """What one look at a range of rows tells: columns (r,), what is unsound, pairs if asked."""

    predicted: np.ndarray
    own: np.ndarray
    other: np.ndarray
    faults: list[Fault]
    pairs: Pairs | None


def look(piece: RowRange, more: tuple[np.ndarray, bool, int]) -> FirstLook:
    """A first look at rows.

    Args:
        more: their labels (r,), whether pairs are kept, and how many rows there are in all.
    """
    given, pairs, n = more
    source, size = piece.source, len(given)
    predicted = np.empty(size, given.dtype)
    own, other = np.empty(size, source.dtype), np.empty(size, source.dtype)
    faults, found, step = [], [], block_rows(source)
    for start in range(piece.start, piece.stop, step):
        stop = min(start + step, piece.stop)
        probs, here = piece.read(start, stop), slice(start - piece.start, stop - piece.start)
        columns = predicted[here], own[here], other[here]
        faults.append(swept(probs, start, given[here], *columns))
        if pairs:
            found.append(_above(probs, start, given[here], predicted[here], own[here], n))
    if not pairs:
        return FirstLook(predicted, own, other, faults, None)
    if len(found) != 1:
        found = [Pairs(*(np.concatenate(parts) for parts in zip(*found)))]
    return FirstLook(predicted, own, other, faults, found[0])


def _above(
    probs: np.ndarray,
    start: int,
    given: np.ndarray,
    predicted: np.ndarray,
    own: np.ndarray,
    n: int,
) -> Pairs:
    rows = np.flatnonzero((predicted != given) & (given >= 0))
    least = own.dtype.type(LEAST_GAP)
    count = _kernels.count_above(probs, rows, own, least)
    at, klass = np.empty(count, index_dtype(n)), np.empty(count, given.dtype)
    gap = np.empty(count, own.dtype)
    _kernels.above(probs, rows, start, own, least, at, klass, gap)
    return Pairs(at, klass, gap)


# the second pass


class Open(NamedTuple):
    """Rows whose guess the columns could not decide: numbers (r,), and their columns (r,)."""

    rows: np.ndarray
    given: np.ndarray
    own: np.ndarray
    predicted: np.ndarray


def decide(piece: RowRange, more: tuple[Open, np.ndarray, bool]) -> tuple[np.ndarray, int]:
    """Guesses of open rows (r,), and of how many the other rule guesses otherwise.

    Args:
        more: the rows, the bounds (m,), and which rule, see ``_kernels.confident``.
    """
    left, bounds, masked = more
    guess, differ, step = np.empty_like(left.predicted), 0, block_rows(piece.source)
    start = 0
    while start < len(left.rows):
        stop = int(np.searchsorted(left.rows, int(left.rows[start]) + step))
        some = Open(*(column[start:stop] for column in left))
        block = piece.some(some.rows)
        check_unchanged(block, some.rows, some.given, some.own)
        differ += _kernels.confident(
            block, bounds, some.given, some.predicted, masked, guess[start:stop]
        )
        start = stop
    return guess, differ


def check_unchanged(
    block: np.ndarray, rows: np.ndarray, given: np.ndarray, own: np.ndarray
) -> None:
    """Refuse rows whose label's probability is not what it was in the first pass.

    Args:
        block: (r, m), the rows with these numbers; ``given`` and ``own`` (r,) are theirs.
    """
    place = _kernels.changed(block, given, own)
    if place >= 0:
        raise ValueError(
            f"row {rows[place]} of the probabilities changed between two passes over them; "
            "start again when nobody writes to them."
        )


# the pass that selection by noise rate may need


class Lacking(NamedTuple):
    """Pairs of classes that lack rows: where each given class's start (m + 1,), the other class of
    each, and how many more rows it takes (pairs,)."""

    of: np.ndarray
    other: np.ndarray
    missing: np.ndarray


class Near(NamedTuple):
    """Rows that are near another class: the pair, the row, and its label's entry less the other's;
    each (found,), in order of rows for each pair."""

    pair: np.ndarray
    row: np.ndarray
    gap: np.ndarray


def nearest(piece: RowRange, more: tuple[Lacking, np.ndarray, np.ndarray, np.ndarray]) -> Near:
    """Of some rows those that are nearest to each wanted pair's other class.

    Args:
        more: the pairs; the rows' numbers, labels and labels' entries (r,).
    """
    wanted, rows, given, own = more
    members = np.bincount(given, minlength=len(wanted.of) - 1)
    room = np.minimum(wanted.missing, np.repeat(members, np.diff(wanted.of)))
    begin = np.concatenate([[0], np.cumsum(room)])
    row, gap, filled = np.empty(begin[-1], np.int64), np.empty(begin[-1], own.dtype), 0 * room
    heaps, known = (begin, filled, row, gap), own.dtype.type(LEAST_GAP)
    step, start = block_rows(piece.source), 0
    while start < len(rows):
        stop = int(np.searchsorted(rows, int(rows[start]) + step))
        here = slice(start, stop)
        block = piece.some(rows[here])
        check_unchanged(block, rows[here], given[here], own[here])
        columns = rows[here], given[here], own[here]
        _ranks.keep_nearest(block, *columns, known, wanted.of, wanted.other, *heaps)
        start = stop
    pair = np.repeat(np.arange(len(room)), filled)
    used = np.flatnonzero(np.arange(begin[-1]) < np.repeat(begin[:-1] + filled, room))
    order = np.lexsort((row[used], pair))
    return Near(pair, row[used][order], gap[used][order])
