"""Candidate sets in place of a given label: is the truth among them?

With one candidate each, everything is what it is for given labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import _kernels, _ranks, _score_kernels
from ._evidence import (
    ABSENT,
    EPSILON,
    Collisions,
    Watch,
    _in_order,
    block_rows,
    check_thresholds,
    opened,
    rounded_up,
)
from ._faults import Faults, swept
from ._source import Probs, Source

METHODS = ("margin", "self-confidence", "predicted", "confident")


@dataclass(frozen=True)
class SetEvidence:
    """Columns of n examples that have candidate sets.

    Attributes:
        given: bool (n, m), the candidates.
        predicted: int (n,), the class with the largest probability, the lowest among equals.
        own, other: float (n,), the mass of the candidates and the largest probability of the
            other classes.
        guess: int (n,), the class that the example confidently is; -1 for none.
        near_tie: bool (n,), whether the prediction is a candidate once EPSILON is added to them.
        labelled: bool (n,), whether there is a candidate.
        thresholds: float64 (m,), mean probability where a class is a candidate, weighted by its
            share of the mass inside; 2 for a class that is never one, or never has such a share.
        disagreements: examples whose guess the other collision rule would change.
        normalised: whether rows were divided by their sums.
    """

    given: np.ndarray
    predicted: np.ndarray
    own: np.ndarray
    other: np.ndarray
    guess: np.ndarray
    near_tie: np.ndarray
    labelled: np.ndarray
    thresholds: np.ndarray
    disagreements: int
    normalised: bool
    source: Source = field(repr=False)

    @property
    def n(self) -> int:
        return len(self.given)

    @property
    def m(self) -> int:
        return len(self.thresholds)

    @cached_property
    def predicted_outside(self) -> np.ndarray:
        """Whether the prediction is no candidate, near-ties aside: bool (n,)."""
        return self.labelled & ~self._inside(self.predicted) & ~self.near_tie

    @cached_property
    def guessed_outside(self) -> np.ndarray:
        """Whether the example is confidently no candidate, near-ties aside: bool (n,)."""
        return self.labelled & (self.guess >= 0) & ~self._inside(self.guess) & ~self.near_tie

    def _inside(self, classes: np.ndarray) -> np.ndarray:
        return np.asarray(self.given[np.arange(self.n), np.maximum(classes, 0)])


def holds_sets(given: Any) -> bool:
    """Whether labels are candidate sets: a bool array, tensor or ``.npy`` file of two axes."""
    if isinstance(given, str | Path) and Path(given).suffix == ".npy" and Path(given).exists():
        try:
            given = np.load(given, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError):
            return False  # read_given says what is wrong
    shape, kind = getattr(given, "shape", ()), str(getattr(given, "dtype", ""))
    return len(shape) == 2 and kind in ("bool", "torch.bool")


def read_sets(given: Any, n: int, m: int, unlabelled: bool = False) -> np.ndarray:
    """Candidates as bool (n, m), a map where it is a file.

    Raises:
        ValueError: another shape, or a row without candidates that may not be unlabelled.
    """
    if hasattr(given, "detach"):
        given = given.detach().cpu().numpy()
    if isinstance(given, str | Path):
        given = np.load(given, mmap_mode="r", allow_pickle=False)
    if given.shape != (n, m):
        raise ValueError(f"`given` has candidates of shape {given.shape}; `probs` has ({n}, {m}).")
    if not unlabelled and len(bad := np.flatnonzero(~given.any(1))):
        raise ValueError(
            f"`given` has no candidate at row {bad[0]}. Pass unlabelled=True (--unlabelled) if "
            "that means that there is no label."
        )
    return given


def examine_sets(
    given: Any,
    probs: Probs,
    *,
    classes: Sequence[str] | None = None,
    normalise: bool = False,
    unlabelled: bool = False,
    collisions: Collisions = "global",
    thresholds: np.ndarray | None = None,
    workers: int = 1,
    watch: Watch | None = None,
) -> SetEvidence:
    """Read the probabilities twice, check them, and keep what questions about sets need.

    Args:
        given: bool (n, m), the candidates.
        unlabelled: whether a row may be without candidates; such rows take no part.

    The other arguments are those of ``examine``.

    Raises:
        TypeError, ValueError, FileNotFoundError: what is wrong, by row and value where there is
            one.
    """
    source = opened(probs, normalise, classes, collisions, workers)
    sets = read_sets(given, source.n, source.m, unlabelled)
    report = watch or (lambda done, total: None)
    n, m = source.n, source.m
    predicted = np.empty(n, np.int16 if m < 2**15 else np.int32)
    own, other, near = np.empty(n, source.dtype), np.empty(n, source.dtype), np.empty(n, bool)
    faults = Faults()

    def first(start: int, stop: int):
        rows, size = source.read(start, stop), stop - start
        here, mine = slice(start, stop), np.asarray(sets[start:stop])
        nobody = np.full(size, -1, predicted.dtype)
        scratch = np.empty((2, size), rows.dtype)
        fault = swept(rows, start, nobody, predicted[here], *scratch)
        epsilon = source.dtype.type(EPSILON)
        _score_kernels.set_columns(rows, mine, epsilon, own[here], other[here], near[here])
        sums, weights = np.zeros(m), np.zeros(m)
        _score_kernels.set_sums(rows, mine, own[here], sums, weights)
        return stop, fault, sums, weights

    step = block_rows(source)
    todo = [(a, min(a + step, n)) for a in range(0, n, step)]
    sums, weights = np.zeros(m), np.zeros(m)
    for stop, fault, some, weight in _in_order(first, todo, workers):
        faults.note(fault)
        sums, weights = sums + some, weights + weight
        report(stop, 2 * n)
    faults.settle(source)
    if thresholds is None:
        means = np.divide(sums, weights, out=np.full(m, ABSENT), where=weights > 0)
        thresholds = np.maximum(means, 2 * EPSILON)
    else:
        thresholds = check_thresholds(thresholds, m)
    guess, bounds = np.empty_like(predicted), rounded_up(thresholds - EPSILON, source.dtype)
    nobody = np.zeros(n, np.int8)  # every row's disagreement counts

    def second(start: int, stop: int) -> tuple[int, int]:
        block, rows = source.read(start, stop), np.arange(start, stop)
        masked = collisions == "masked"
        return stop, _kernels.confident(
            block, start, rows, bounds, nobody, predicted, masked, guess
        )

    disagreements = 0
    for stop, differs in _in_order(second, todo, workers):
        disagreements += differs
        report(n + stop, 2 * n)
    labelled = np.asarray(sets.any(1))
    return SetEvidence(
        sets, predicted, own, other, guess, near, labelled, thresholds, disagreements,
        normalise, source,
    )  # fmt: skip


def flagged(evidence: SetEvidence, by: str, count: Any) -> np.ndarray:
    """Sets that probably lack the truth: bool (n,).

    Args:
        by: one of ``METHODS``.
        count: for ``margin`` and ``self-confidence``: ``off-diagonal``, as many as ``confident``
            finds, or a number.

    Raises:
        ValueError: another method, or a count that takes the calibrated joint.
    """
    if by == "predicted":
        return evidence.predicted_outside
    if by == "confident":
        return evidence.guessed_outside
    if by not in METHODS:
        raise ValueError(
            f"{by!r} counts pairs of a given and a true label, and candidate sets give none; "
            f"choose {', '.join(METHODS)}."
        )
    if count == "off-diagonal":
        count = np.count_nonzero(evidence.guessed_outside)
    elif isinstance(count, str):
        raise ValueError(
            f"count={count!r}: candidate sets have no calibrated joint; choose off-diagonal or a "
            "number."
        )
    elif not 0 <= count <= evidence.n:
        raise ValueError(f"count is {count}; there are {evidence.n} examples.")
    values = evidence.own if by == "self-confidence" else evidence.own - evidence.other
    rows, mask = np.flatnonzero(evidence.labelled), np.zeros(evidence.n, dtype=bool)
    whole = np.array([0, len(rows)])  # one group
    _ranks.take_smallest(rows, whole, np.array([int(count)]), values, mask)
    return mask
