"""What a few sweeps over the probabilities leave behind, and every answer is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..crossval import COMMON, IN_SAMPLE
from . import _kernels, _ranks
from ._faults import ENTRY_SLACK, SUM_SLACK, Faults, swept
from ._labels import read_given
from ._matrices import calibrated, rounded
from ._source import Probs, Source, open_source
from ._work import Work

EPSILON = 1e-6  # slack of every comparison with a threshold, and of a near-tie
ABSENT = 2.0  # threshold of a class that was never given: nothing reaches it
ENOUGH = 1000  # labels, for their agreement with the predictions to be suspicious
LEAST_GAP = 1 / 64
BLOCK_BYTES = 1 << 21  # of a block of rows: it should stay in the cache between two looks at it

Collisions = Literal["global", "masked"]
Watch = Callable[[int, int], None]  # (rows done, rows in all), over all passes


class Pairs(NamedTuple):
    """Rows with an entry that exceeds their label's by ``LEAST_GAP``, once for every such class.

    At most 1 / LEAST_GAP a row. Selection reads rows again where these are too few.
    """

    row: np.ndarray
    klass: np.ndarray
    gap: np.ndarray


@dataclass(frozen=True)
class Evidence:
    """Columns of n examples, and counts of classes.

    Attributes:
        given: int (n,), -1 where unlabelled.
        predicted: int (n,), the class with the largest probability, the lowest among equals.
        own, other: float (n,), the probability of the given label and the largest of the others.
        guess: int (n,), the class that the example confidently is; -1 for none.
        thresholds: float64 (m,).
        counts: int64 (m, m), examples by (given, guess): the confident joint, not yet floored.
        given_counts: int64 (m,).
        disagreements: examples whose guess the other collision rule would change.
        pairs: for selection by noise rate; None when not asked for.
        normalised: whether rows were divided by their sums.
    """

    given: np.ndarray
    predicted: np.ndarray
    own: np.ndarray
    other: np.ndarray
    guess: np.ndarray
    thresholds: np.ndarray
    counts: np.ndarray
    given_counts: np.ndarray
    disagreements: int
    pairs: Pairs | None
    normalised: bool
    source: Source = field(repr=False)

    @property
    def n(self) -> int:
        return len(self.given)

    @property
    def m(self) -> int:
        return len(self.thresholds)

    @cached_property
    def labelled(self) -> np.ndarray:
        return self.given >= 0

    @cached_property
    def calibrated(self) -> np.ndarray:
        """The calibrated confident joint, int64 (m, m): rows sum to ``given_counts``."""
        return rounded(calibrated(self.counts, self.given_counts))

    @cached_property
    def by_given(self) -> tuple[np.ndarray, np.ndarray]:
        """Labelled rows sorted by label, and where each label starts: (l,), (m + 1,)."""
        starts = np.concatenate([[0], np.cumsum(self.given_counts)])
        rows = np.empty(starts[-1], index_dtype(self.n))
        _ranks.sort_by_given(self.given, starts, rows)
        return rows, starts

    @cached_property
    def near_tie(self) -> np.ndarray:
        """Whether the given label is the prediction once EPSILON is added to its entry."""
        near = np.empty(self.n, dtype=bool)
        epsilon = self.own.dtype.type(EPSILON)
        _kernels.near_ties(self.given, self.predicted, self.own, self.other, epsilon, near)
        return near

    def take(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Blocks that hold some rows, see ``Source.take``.

        Raises:
            ValueError: they are not what they were.
        """
        for some, block, first in self.source.take(rows, block_rows(self.source)):
            _check_unchanged(block, first, some, self.given, self.own)
            yield some, block, first


def index_dtype(n: int) -> np.dtype:
    """The smaller of int32 and int64 that can number n things."""
    return np.dtype(np.int32 if n < 2**31 else np.int64)


def block_rows(source: Source) -> int:
    return max(1, BLOCK_BYTES // (source.m * source.dtype.itemsize))


def examine(
    given: Any,
    probs: Probs,
    *,
    classes: Sequence[str] | None = None,
    normalise: bool = False,
    unlabelled: bool = False,
    collisions: Collisions = "global",
    thresholds: np.ndarray | None = None,
    pairs: bool = True,
    workers: int = 1,
    work: Path | str | None = None,
    watch: Watch | None = None,
) -> Evidence:
    """Read the probabilities, check them, and keep what every question needs.

    Args:
        given: labels, see ``read_given``.
        probs: probabilities, see ``open_source``.
        classes: names of the m classes, for labels that are names.
        normalise: divide each row by its sum first.
        unlabelled: whether ``given`` may be -1; such rows take no part.
        collisions: of several classes that an example is confidently, ``global`` takes the
            prediction, ``masked`` the largest among them.
        thresholds: float (m,), instead of the mean self-confidences.
        pairs: keep what selection by noise rate needs.
        workers: threads.
        work: a folder in which the columns lie, so that a run can be resumed and memory stays
            free; by default they are in memory.
        watch: called with rows done and rows in all.

    Raises:
        TypeError, ValueError, FileNotFoundError: what is wrong, by row and value where there is
            one.
    """
    source = opened(probs, normalise, classes, collisions, workers)
    labels = read_given(given, source.n, source.m, classes, unlabelled)
    place = Work(work, source, labels, pairs)
    report = watch or (lambda done, total: None)
    first = _first_pass(source, labels, place, pairs, workers, report)
    counts, sums = _kernels.tally(labels, first["own"], source.m)
    if thresholds is None:
        means = np.divide(sums, counts, out=np.full(source.m, ABSENT), where=counts > 0)
        thresholds = np.maximum(means, 2 * EPSILON)
    else:
        thresholds = check_thresholds(thresholds, source.m)
    _warn_of_classes(counts, classes)
    _warn_of_memory(first["predicted"], labels, counts)
    guess, disagreements = _second_pass(
        source, labels, first, thresholds, collisions == "masked", workers, report
    )
    return Evidence(
        given=labels,
        predicted=first["predicted"],
        own=first["own"],
        other=first["other"],
        guess=guess,
        thresholds=thresholds,
        counts=_kernels.count_joint(labels, guess, source.m),
        given_counts=counts,
        disagreements=disagreements,
        pairs=place.pairs() if pairs else None,
        normalised=normalise,
        source=source,
    )


def opened(
    probs: Probs,
    normalise: bool,
    classes: Sequence[str] | None,
    collisions: str = "global",
    workers: int = 1,
) -> Source:
    """The probabilities, once what is asked of them makes sense."""
    if workers < 1:
        raise ValueError(f"workers is {workers}; at least one thread works.")
    if collisions not in ("global", "masked"):
        raise ValueError(f"collisions={collisions!r}: choose global or masked.")
    source = open_source(probs, normalise)
    if source.n == 0:
        raise ValueError(f"{source.name} holds no examples.")
    if source.m < 2:
        raise ValueError(f"{source.name} has {source.m} column; label errors need two classes.")
    if classes is not None and len(classes) != source.m:
        raise ValueError(f"`classes` has {len(classes)} names; `probs` has {source.m} columns.")
    return source


# the first pass


def _first_pass(
    source: Source, given: np.ndarray, work: Work, pairs: bool, workers: int, watch: Watch
) -> dict[str, np.ndarray]:
    """Fill the columns; refuse what is no probability once all of it has been seen."""
    columns = work.columns
    faults = Faults()

    def do(start: int, stop: int):
        probs = source.read(start, stop)
        here = slice(start, stop)
        fault = swept(
            probs,
            start,
            given[here],
            columns["predicted"][here],
            columns["own"][here],
            columns["other"][here],
        )
        return start, stop, fault, _above(probs, start, given, columns) if pairs else None

    size = work.size or block_rows(source)
    todo = [(a, min(a + size, source.n)) for a in range(0, source.n, size)]
    done = work.done_rows(todo)
    for start, stop, fault, found in _in_order(do, work.left(todo), workers):
        faults.note(fault)
        if found is not None:
            work.add(start, found)
        if not fault.rows:
            work.finish(start)
        done += stop - start
        watch(done, 2 * source.n)
    faults.settle(source)
    return columns


def _above(
    probs: np.ndarray, start: int, given: np.ndarray, columns: dict[str, np.ndarray]
) -> Pairs:
    here = slice(start, start + len(probs))
    own, labels = columns["own"][here], given[here]
    rows = np.flatnonzero((columns["predicted"][here] != labels) & (labels >= 0))
    least = own.dtype.type(LEAST_GAP)
    count = _kernels.count_above(probs, rows, own, least)
    at, klass = np.empty(count, index_dtype(len(given))), np.empty(count, given.dtype)
    gap = np.empty(count, own.dtype)
    _kernels.above(probs, rows, start, own, least, at, klass, gap)
    return Pairs(at, klass, gap)


def _in_order(do: Callable, todo: Sequence[tuple[int, int]], workers: int) -> Iterator[Any]:
    """``do`` of every range, in order, by one thread or several."""
    if workers == 1:
        for start, stop in todo:
            yield do(start, stop)
        return
    with ThreadPoolExecutor(workers) as pool:
        ahead: list = []
        for start, stop in todo:  # not all at once: what is done waits in memory
            ahead.append(pool.submit(do, start, stop))
            if len(ahead) > 2 * workers:
                yield ahead.pop(0).result()
        for future in ahead:
            yield future.result()


# between the passes


def check_thresholds(thresholds: Any, m: int) -> np.ndarray:
    result = np.asarray(thresholds, dtype=np.float64)
    if result.shape != (m,):
        raise ValueError(f"`thresholds` has shape {result.shape}, not ({m},).")
    if len(bad := np.flatnonzero(~np.isfinite(result))):
        raise ValueError(f"`thresholds` is {result[bad[0]]} for class {bad[0]}; give a number.")
    return result


def _warn_of_classes(counts: np.ndarray, classes: Sequence[str] | None) -> None:
    absent = np.flatnonzero(counts == 0)
    if len(absent) == len(counts):
        raise ValueError("`given` has no label: all examples are unlabelled.")
    if np.count_nonzero(counts) == 1:
        warnings.warn("all labels are the same class: no label error can be told.", stacklevel=3)
    elif len(absent):
        names = [str(classes[k]) if classes is not None else str(k) for k in absent[:10]]
        named = ", ".join(names) + (", ..." if len(absent) > 10 else "")
        warnings.warn(
            f"classes that nobody was given can never be proposed: {named}.", stacklevel=3
        )


def _warn_of_memory(predicted: np.ndarray, given: np.ndarray, counts: np.ndarray) -> None:
    labelled = counts.sum()
    agree = np.count_nonzero(predicted == given) / labelled
    if labelled >= ENOUGH and agree > IN_SAMPLE and counts.max() <= COMMON * labelled:
        warnings.warn(
            f"{agree:.2%} of the predictions are the given label: were the probabilities made by a "
            "model that had learned these labels? errors.cross_validate (candidly errors probs) "
            "makes them out of sample.",
            stacklevel=3,
        )


# the second pass


def _second_pass(
    source: Source,
    given: np.ndarray,
    columns: dict[str, np.ndarray],
    thresholds: np.ndarray,
    masked: bool,
    workers: int,
    watch: Watch,
) -> tuple[np.ndarray, int]:
    """Guesses, most of them from the columns; the rest are read once more."""
    bounds = rounded_up(thresholds - EPSILON, source.dtype)
    predicted = columns["predicted"]
    guess = np.empty_like(predicted)
    size = block_rows(source)
    reach = 1 + 2 * SUM_SLACK + source.m * ENTRY_SLACK  # sums are rounded, too
    _kernels.resolve(predicted, columns["own"], columns["other"], bounds, reach, guess)

    def do(start: int, stop: int) -> tuple[int, int]:
        some = start + np.flatnonzero(guess[start:stop] == _kernels.UNDECIDED)
        if not len(some):
            return stop, 0
        first = int(some[0])
        block = source.read(first, int(some[-1]) + 1)
        _check_unchanged(block, first, some, given, columns["own"])
        return stop, _kernels.confident(block, first, some, bounds, given, predicted, masked, guess)

    disagreements = 0
    todo = [(a, min(a + size, source.n)) for a in range(0, source.n, size)]
    for stop, differ in _in_order(do, todo, workers):
        disagreements += differ
        watch(source.n + stop, 2 * source.n)
    return guess, disagreements


def rounded_up(bounds: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The smallest numbers of ``dtype`` that are not below: the same ones reach both."""
    near = bounds.astype(dtype)
    return np.where(near < bounds, np.nextafter(near, dtype.type(np.inf)), near)


def _check_unchanged(
    block: np.ndarray, first: int, rows: np.ndarray, given: np.ndarray, own: np.ndarray
) -> None:
    """Refuse rows whose label's probability is not what it was in the first pass."""
    row = _kernels.changed(block, first, rows, given, own)
    if row >= 0:
        raise ValueError(
            f"row {row} of the probabilities changed between two passes over them; "
            "start again when nobody writes to them."
        )
