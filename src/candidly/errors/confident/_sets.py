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

from ...data.ingest.label_parts import first_labels
from ...data.ingest.labels import LabelColumn, label_sets
from ...data.ingest.labels import holds_sets as file_holds_sets
from ...data.ingest.prob_rows import ProbRows
from ...data.ingest.probabilities import Probs
from ...ground.arrays import as_table, door, same_rows
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from . import _kernels, _ranks, _score_kernels
from ._evidence import (
    ABSENT,
    EPSILON,
    Collisions,
    check_thresholds,
    opened,
    rounded_up,
)
from ._faults import Faults, swept
from ._labels import class_dtype, ids_of, matched
from ._passes import block_rows, in_order

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
        doubts: see ``Evidence``; none are looked for.
        ids: see ``Evidence``.
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
    source: ProbRows = field(repr=False)
    doubts: tuple[str, ...] = ()
    ids: np.ndarray | None = field(default=None, repr=False)

    @property
    def number_labelled(self) -> int:
        """How many examples have a candidate."""
        return int(np.count_nonzero(self.labelled))

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


@door
def holds_sets(given: Any) -> bool:
    """Whether labels are candidate sets: a bool array, tensor or table of two axes, or a file's."""
    if isinstance(given, str | Path):
        given = first_labels(given)
    if isinstance(given, LabelColumn):
        return file_holds_sets(given)
    kinds = given.dtypes if hasattr(given, "columns") else [getattr(given, "dtype", "")]
    bools = all(str(kind) in ("bool", "torch.bool", "Boolean") for kind in kinds)
    return bools and len(getattr(given, "shape", ())) == 2


def read_sets(
    given: Any, n: int, m: int, unlabelled: bool = False, classes: Sequence[str] | None = None
) -> np.ndarray:
    """Candidates as bool (n, m), a map where it is a file.

    Raises:
        ValueError: another shape, or a row without candidates that may not be unlabelled.
    """
    if isinstance(given, LabelColumn):
        given = label_sets(given, classes, m)
    given = as_table(given, "given", classes)
    if given.shape != (n, m):
        raise ValueError(f"`given` has candidates of shape {given.shape}; `probs` has ({n}, {m}).")
    if not unlabelled and len(bad := np.flatnonzero(~given.any(1))):
        raise Refusal(
            f"`given` has no candidate at row {bad[0]}.",
            "if that means that there is no label, pass `unlabelled=True`",
        )
    return given


@door(apart=["thresholds"])
def examine_sets(
    given: Any,
    probs: Probs,
    *,
    classes: Sequence[str] | None = None,
    normalise: bool = False,
    unlabelled: bool = False,
    collisions: Collisions = "global",
    thresholds: np.ndarray | None = None,
    workers: int | None = None,
    watch: OnProgress | None = None,
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
    source = opened(probs, normalise, classes, collisions, 1 if workers is None else workers)
    same_rows(given=given, probs=probs)
    given, source, classes = matched(given, source, classes)
    sets = read_sets(given, source.n, source.m, unlabelled, classes)
    report = watch or (lambda done, total: None)
    n, m = source.n, source.m
    predicted = np.empty(n, class_dtype(m))
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
    for stop, fault, some, weight in in_order(
        lambda where: first(*where), todo, 1 if workers is None else workers
    ):
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
        block, here = source.read(start, stop), slice(start, stop)
        masked = collisions == "masked"
        return stop, _kernels.confident(
            block, bounds, nobody[here], predicted[here], masked, guess[here]
        )

    disagreements = 0
    for stop, differs in in_order(
        lambda where: second(*where), todo, 1 if workers is None else workers
    ):
        disagreements += differs
        report(n + stop, 2 * n)
    labelled = np.asarray(sets.any(1))
    return SetEvidence(
        sets, predicted, own, other, guess, near, labelled, thresholds, disagreements,
        normalise, source, ids=ids_of(given),
    )  # fmt: skip


def flagged(evidence: SetEvidence, by: str, count: Any) -> np.ndarray:
    """Sets that may lack the truth: bool (n,).

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
    count = whole(count, "count", 0, evidence.n)
    values = evidence.own if by == "self-confidence" else evidence.own - evidence.other
    rows, mask = np.flatnonzero(evidence.labelled), np.zeros(evidence.n, dtype=bool)
    group = np.array([0, len(rows)])  # all in one
    _ranks.take_smallest(rows, group, np.array([count]), values, mask)
    return mask
