"""What a few sweeps over the probabilities leave behind, and every answer is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...data.ingest.prob_rows import ProbRows
from ...data.ingest.probabilities import Probs, open_source
from ...ground.arrays import ENTRY_SLACK, SUM_SLACK, check_distinct, door, same_rows
from ...ground.numbers import whole
from ...ground.progress import OnProgress
from ...ground.spread import held
from . import _kernels, _ranks
from ._cells import Cells, calibrated, counted
from ._doubts import COMMON, IN_SAMPLE, Gain, gain_of, of_weak_predictions
from ._exact import exact_means
from ._faults import Faults
from ._labels import ids_of, matched, read_given
from ._pairs import Pairs, index_dtype
from ._passes import ROWS_AT_ONCE, Open, Readers, decide, look, ranges, readers
from ._work import Work

EPSILON = 1e-6  # slack of every comparison with a threshold, and of a near-tie
ABSENT = 2.0  # threshold of a class that was never given: nothing reaches it
ENOUGH = 1000  # labels, for their agreement with the predictions to be suspicious

Collisions = Literal["global", "masked"]


@dataclass(frozen=True)
class Evidence:
    """Columns of n examples, and counts of classes.

    Attributes:
        given: int (n,), -1 where unlabelled.
        predicted: int (n,), the class with the largest probability, the lowest among equals.
        own, other: float (n,), the probability of the given label and the largest of the others.
        guess: int (n,), the class that the example confidently is; -1 for none.
        thresholds: float64 (m,).
        confident: examples by (given, guess), the cells that are not 0: the confident joint, not
            yet floored; ``counts`` is all of it.
        given_counts: int64 (m,).
        disagreements: examples whose guess the other collision rule would change.
        pairs: for selection by noise rate; None when not asked for.
        normalised: whether rows were divided by their sums.
        doubts: sentences of what makes the probabilities worth little, see ``_doubts``.
        readers: who reads the probabilities.
        ids: (n,) names of the rows as text, where labels are a file's that has them.
        classes: names of the classes, where they are known.
    """

    given: np.ndarray
    predicted: np.ndarray
    own: np.ndarray
    other: np.ndarray
    guess: np.ndarray
    thresholds: np.ndarray
    confident: Cells
    given_counts: np.ndarray
    disagreements: int
    pairs: Pairs | None
    normalised: bool
    readers: Readers = field(repr=False)
    doubts: tuple[str, ...] = ()
    ids: np.ndarray | None = field(default=None, repr=False)
    classes: tuple[str, ...] | None = field(default=None, repr=False)

    def called(self, k: int) -> str:
        """A class by its name, or by its number where it has none."""
        return called(self.classes, k)

    @cached_property
    def gain(self) -> Gain:
        """What the probabilities say of the labels beyond how frequent classes are."""
        return gain_of(self.given, self.own, self.given_counts)

    @property
    def number_labelled(self) -> int:
        """How many examples have a label."""
        return int(self.given_counts.sum())

    @property
    def n(self) -> int:
        return len(self.given)

    @property
    def m(self) -> int:
        return len(self.thresholds)

    @cached_property
    def labelled(self) -> np.ndarray:
        return self.given >= 0

    @property
    def counts(self) -> np.ndarray:
        """Examples by (given, guess), int64 (m, m): made when asked for."""
        return self.confident.dense()

    @cached_property
    def calibrated(self) -> Cells:
        """The calibrated confident joint, by the cells that are not 0; see ``_cells``.

        Rows sum to ``given_counts``.
        """
        return calibrated(self.confident, self.given_counts)

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

    @door
    def without_near_ties(self, mask: np.ndarray) -> np.ndarray:
        """``mask``, bool (n,), with near-ties unmarked in place."""
        epsilon = self.own.dtype.type(EPSILON)
        columns = self.given, self.predicted, self.own, self.other
        _kernels.drop_near_ties(*columns, epsilon, mask)
        return mask

    @property
    def source(self) -> ProbRows:
        """The probabilities."""
        return self.readers.source

    def each(
        self, work: Callable, handed: Callable
    ) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
        """``work`` of every range of rows, in order, with where it starts and stops.

        Args:
            work: (rows that ``read(start, stop)``, what is handed to it) -> what it found; a
                function of a module.
            handed: (start, stop) -> what ``work`` gets.
        """
        return self.readers.each(work, ranges(self.source, self.readers.size), handed)


@door(apart=["thresholds"])
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
    workers: int | None = None,
    on: str | None = None,
    work: Path | str | None = None,
    watch: OnProgress | None = None,
) -> Evidence:
    """Read the probabilities, check them, and keep what every question needs.

    Args:
        given: labels, see ``read_given``; or the path of a file, see
            ``ingest.labels.read_labels``. Where it and that of the probabilities name their rows,
            these go by their names.
        probs: probabilities, see ``open_source``, or what that gives. Entries lie in [0, 1] within
            1e-6, and rows sum to 1 within 0.001: [0.333, 0.333, 0.333] will do, [0.33, 0.33, 0.33]
            will not.
        classes: names of the m classes, for labels that are names; by default those of the columns
            of a DataFrame or a file, where a label is among them.
        normalise: divide each row by its sum first. Rows with negative numbers, such as
            log-probabilities or logits, are refused.
        unlabelled: whether ``given`` may be -1; such rows take no part.
        collisions: for several classes that an example is confidently, ``global`` takes the
            prediction, ``masked`` the largest among them.
        thresholds: float (m,), instead of the mean self-confidences.
        pairs: keep what selection by noise rate needs.
        workers: threads, or what ``on`` says; by default one thread, or one per core there.
        on: who reads the probabilities: None, threads of this process; ``processes``; ``ray``, a
            cluster of this machine's cores; or ``ray:ADDRESS``. All find the same, bit for bit.
        work: a folder in which the columns lie, so that a run can be resumed and memory stays
            free; by default they are in memory.
        watch: called with rows done and rows in all.

    Raises:
        TypeError, ValueError, FileNotFoundError: what is wrong, by row and value where there is
            one.
    """
    source = opened(probs, normalise, classes, collisions, 1 if workers is None else workers)
    same_rows(given=given, probs=probs)
    given, source, classes = matched(given, source, classes)
    labels = read_given(given, source.n, source.m, classes, unlabelled)
    reading = readers(source, workers, on)
    place = Work(work, source, labels, pairs)
    report = watch or (lambda done, total: None)
    with held(on, workers):  # one connection for both passes
        first = _first_pass(reading, labels, place, pairs, report)
        counts, means = exact_means(labels, first["own"], source.m)
        if thresholds is None:
            thresholds = np.where(counts > 0, np.maximum(means, 2 * EPSILON), ABSENT)
        else:
            thresholds = check_thresholds(thresholds, source.m)
        _warn_of_classes(counts, classes)
        agree = int(np.count_nonzero(first["predicted"] == labels))
        _warn_of_memory(agree, counts)
        own = first["own"]
        doubts = tuple(
            of_weak_predictions(
                first["predicted"], counts, agree, lambda: gain_of(labels, own, counts)
            )
        )
        for sentence in doubts:
            warnings.warn(sentence, stacklevel=3)
        guess, disagreements = _second_pass(
            reading, labels, first, thresholds, collisions == "masked", report
        )
    return Evidence(
        given=labels,
        predicted=first["predicted"],
        own=first["own"],
        other=first["other"],
        guess=guess,
        thresholds=thresholds,
        confident=counted(labels, guess, source.m),
        given_counts=counts,
        disagreements=disagreements,
        pairs=place.pairs() if pairs else None,
        normalised=normalise,
        readers=reading,
        doubts=doubts,
        ids=ids_of(given),
        classes=None if classes is None else tuple(map(str, classes)),
    )


def opened(
    probs: Probs,
    normalise: bool,
    classes: Sequence[str] | None,
    collisions: str = "global",
    workers: int = 1,
) -> ProbRows:
    """The probabilities, once what is asked of them makes sense."""
    whole(workers, "workers", low=1)
    check_distinct(classes)
    if collisions not in ("global", "masked"):
        raise ValueError(f"collisions={collisions!r}: choose global or masked.")
    source = probs if isinstance(probs, ProbRows) else open_source(probs, normalise, classes)
    if source.n == 0:
        raise ValueError(f"{source.name} holds no examples.")
    if source.m < 2:
        raise ValueError(f"{source.name} has {source.m} column; label errors need two classes.")
    if classes is not None and len(classes) != source.m:
        raise ValueError(f"`classes` has {len(classes)} names; `probs` has {source.m} columns.")
    return source


# the first pass


def _first_pass(
    readers: Readers, given: np.ndarray, work: Work, pairs: bool, watch: OnProgress
) -> dict[str, np.ndarray]:
    """Fill the columns; refuse what is no probability once all of it has been seen."""
    columns, n = work.columns, len(given)
    faults = Faults()
    left = work.left(ranges(readers.source, work.size or readers.size))
    done = n - sum(stop - start for start, stop in left)

    def of_range(start: int, stop: int) -> tuple[np.ndarray, bool, int]:
        return given[start:stop], pairs, n

    for (start, stop), seen in readers.each(look, left, of_range):
        for name in columns:
            columns[name][start:stop] = getattr(seen, name)
        for fault in seen.faults:
            faults.note(fault)
        if not any(fault.rows for fault in seen.faults):
            work.finish(start, stop, seen.pairs)
        done += stop - start
        watch(done, 2 * n)
    faults.settle(readers.source)
    return columns


# between the passes


def called(classes: Sequence[str] | None, k: int) -> str:
    """A class by its name, or by its number where it has none."""
    return str(k) if classes is None else repr(str(classes[k]))


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
        names = [called(classes, k) for k in absent[:10].tolist()]
        named = ", ".join(names) + (", ..." if len(absent) > 10 else "")
        warnings.warn(
            f"classes that nobody was given can never be proposed: {named}.", stacklevel=3
        )


def _warn_of_memory(right: int, counts: np.ndarray) -> None:
    labelled = counts.sum()
    agree = right / labelled
    if labelled >= ENOUGH and agree > IN_SAMPLE and counts.max() <= COMMON * labelled:
        warnings.warn(
            f"{agree:.2%} of the predictions are the given label: were the probabilities made by a "
            "model that had learned these labels? errors.cross_validate (candidly errors probs) "
            "makes them out of sample.",
            stacklevel=4,
        )


# the second pass


def _second_pass(
    readers: Readers,
    given: np.ndarray,
    columns: dict[str, np.ndarray],
    thresholds: np.ndarray,
    masked: bool,
    watch: OnProgress,
) -> tuple[np.ndarray, int]:
    """Guesses, most of them from the columns; the rest are read once more."""
    source, n = readers.source, len(given)
    bounds = rounded_up(thresholds - EPSILON, source.dtype)
    predicted, own = columns["predicted"], columns["own"]
    guess = np.empty_like(predicted)
    reach = 1 + 2 * SUM_SLACK + source.m * ENTRY_SLACK  # sums are rounded, too
    _kernels.resolve(predicted, own, columns["other"], bounds, reach, guess)

    def open_rows(start: int, stop: int) -> np.ndarray:
        return start + np.flatnonzero(guess[start:stop] == _kernels.UNDECIDED)

    def handed(start: int, stop: int) -> tuple[Open, np.ndarray, bool]:
        rows = open_rows(start, stop)
        return Open(rows, given[rows], own[rows], predicted[rows]), bounds, masked

    size = max(readers.size, ROWS_AT_ONCE)  # few rows of a range are open
    where = [each for each in ranges(source, size) if len(open_rows(*each))]
    disagreements = 0
    for (start, stop), (found, differ) in readers.each(decide, where, handed):
        guess[open_rows(start, stop)] = found
        disagreements += differ
        watch(n + stop, 2 * n)
    watch(2 * n, 2 * n)
    return guess, disagreements


def rounded_up(bounds: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The smallest numbers of ``dtype`` that are not below: the same ones reach both."""
    near = bounds.astype(dtype)
    return np.where(near < bounds, np.nextafter(near, dtype.type(np.inf)), near)
