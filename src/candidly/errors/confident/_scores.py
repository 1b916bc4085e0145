"""How good each label looks: scores in [0, 1], low is suspicious."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import numpy as np

from ...data.ingest.prob_rows import ProbRows
from ...data.ingest.probabilities import Probs
from ...ground.arrays import door, same_rows
from ...ground.names import lookup
from . import _score_kernels
from ._evidence import Evidence, opened
from ._faults import WORTH_SAYING, Faults, swept
from ._gather import gathered, gathered_either
from ._labels import matched, read_given
from ._passes import block_rows, in_order
from ._sets import SetEvidence, holds_sets

ScoreBy = Literal["margin", "self-confidence", "entropy"]
QUICK = {"classes", "normalise", "unlabelled", "workers", "watch"}  # options that scores need


def self_confidence(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """p_y: (n,), (n,) -> (n,)."""
    return own


def normalised_margin(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(p_y - max of the others + 1) / 2: (n,), (n,) -> (n,)."""
    return (own - other + 1) / 2


OF_COLUMNS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "margin": normalised_margin,
    "self-confidence": self_confidence,
}
BY: tuple[ScoreBy, ...] = ("margin", "self-confidence", "entropy")


def weighted_entropy(probs: np.ndarray, own: np.ndarray) -> np.ndarray:
    """ln(1 + u) / u, u = H(p) / (ln m p_y): (n, m), (n,) -> (n,); 1 at u = 0, 0 at p_y = 0."""
    entropy = np.empty(len(probs), probs.dtype)
    if probs.dtype == np.float32:
        _score_kernels.entropies_32(probs, probs.view(np.int32), entropy)
    else:
        _score_kernels.entropies_64(probs, probs.view(np.int64), entropy)
    entropy /= np.log(probs.shape[1])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = np.maximum(entropy, 0) / own
        score = np.log1p(u) / u
    score[u < np.finfo(probs.dtype).eps] = 1
    score[~(own > 0) | np.isinf(u)] = 0
    return score


@door
def scores(
    given: Any,
    probs: Probs = None,
    by: ScoreBy = "margin",
    *,
    adjust: bool = False,
    **options: Any,
) -> np.ndarray:
    """How good each label looks.

    ``margin`` suits labels that are taken for one another, ``self-confidence`` outliers and
    examples with several objects.

    Args:
        given: labels (n,), or candidate sets, bool (n, m), whose mass takes the place of p_y; or
            an ``Evidence``.
        by: ``self-confidence``: p_y; ``margin``: (p_y - the largest of the others + 1) / 2;
            ``entropy``: ln(1 + u) / u, where u is the entropy of p over ln m p_y.
        adjust: of ``adjusted`` probabilities; not for ``entropy``, nor for candidate sets.
        options: those of ``examine``.

    Returns:
        float (n,), like the probabilities, in [0, 1]; low is suspicious; NaN where unlabelled.

    Raises:
        ValueError, TypeError, KeyError: what is wrong, by name or row.

    Source: Kuan & Mueller, Model-agnostic label quality scoring to detect real-world label
    errors, ICML DataPerf workshop 2022.

    >>> scores(np.array([0, 1]), np.array([[0.75, 0.25], [1.0, 0.0]]))
    array([0.75, 0.  ])
    """
    by = lookup(dict.fromkeys(BY), by, "score")[0]  # type: ignore[assignment]
    if adjust and by == "entropy":
        raise ValueError("adjusted probabilities have no entropy score; choose another `by`.")
    gathered_already = isinstance(given, Evidence | SetEvidence)
    if not gathered_already and not adjust and set(options) <= QUICK and not holds_sets(given):
        return _in_one_pass(given, probs, by, **options)
    return of_evidence(gathered_either(given, probs, options), by, adjust)


def of_evidence(evidence: Evidence | SetEvidence, by: str, adjust: bool = False) -> np.ndarray:
    """Scores of all examples; those of columns at once, others by one more pass."""
    if adjust:
        if isinstance(evidence, SetEvidence):
            raise ValueError("probabilities are adjusted for labels, not for candidate sets.")
        own, other = np.empty_like(evidence.own), np.empty_like(evidence.other)
        lift = _lift(evidence)
        for start, stop, rows in blocks(evidence.source):
            here = slice(start, stop)
            _score_kernels.adjusted(rows, evidence.given[here], lift, own[here], other[here])
        score = OF_COLUMNS[by](own, other)
    elif by == "entropy":
        score = np.empty_like(evidence.own)
        for start, stop, rows in blocks(evidence.source):
            score[start:stop] = weighted_entropy(rows, evidence.own[start:stop])
    else:
        score = OF_COLUMNS[by](evidence.own, evidence.other)
    score = np.clip(score, 0, 1)
    score[~evidence.labelled] = np.nan
    return score


def entropy_of(evidence: Evidence | SetEvidence, rows: np.ndarray) -> np.ndarray:
    """The entropy score of some rows, ascending: (r,)."""
    score = np.empty(len(rows), evidence.own.dtype)
    done = 0
    for some, block in evidence.source.take(rows, block_rows(evidence.source)):
        upto = done + len(some)
        score[done:upto] = weighted_entropy(block, evidence.own[some])
        done = upto
    score = np.clip(score, 0, 1)
    score[~evidence.labelled[rows]] = np.nan
    return score


@door
def adjusted(given: Any, probs: Probs = None, **options: Any) -> np.ndarray:
    """Probabilities for classes of which the model is unequally sure: (n, m), rows sum to 1.

    Each is lifted by how far its class's threshold lies below the highest, and rows are divided
    by their sums. A class that was never given counts as one with the highest threshold.

    Args:
        given, probs, options: see ``examine``.

    Returns:
        float (n, m), like the probabilities, non-negative.

    >>> adjusted(np.array([0, 1]), np.array([[0.9, 0.1], [0.5, 0.5]]))
    array([[0.64285714, 0.35714286],
           [0.35714286, 0.64285714]])
    """
    evidence = gathered(given, probs, options)
    result = np.empty((evidence.n, evidence.m), evidence.source.dtype)
    lift = _lift(evidence)
    for start, stop, rows in blocks(evidence.source):
        lifted = rows + lift
        result[start:stop] = lifted / lifted.sum(1, keepdims=True)
    return result


def _lift(evidence: Evidence) -> np.ndarray:
    """What adjusting adds to each class's probabilities: float64 (m,), >= 0."""
    present = evidence.given_counts > 0
    highest = evidence.thresholds[present].max(initial=0)
    return np.where(present, highest - evidence.thresholds, 0)


def blocks(source: ProbRows) -> Iterator[tuple[int, int, np.ndarray]]:
    """(start, stop, rows) of all rows, in pieces that stay in the cache."""
    size = block_rows(source)
    for start in range(0, source.n, size):
        stop = min(start + size, source.n)
        yield start, stop, source.read(start, stop)


def _in_one_pass(
    given: Any,
    probs: Probs,
    by: str,
    classes: Any = None,
    normalise: bool = False,
    unlabelled: bool = False,
    workers: int = 1,
    watch: Any = None,
) -> np.ndarray:
    """Scores that need no thresholds: one reading, checked as ``examine`` does."""
    source = opened(probs, normalise, classes, workers=workers)
    same_rows(given=given, probs=probs)
    given, source, classes = matched(given, source, classes)
    labels = read_given(given, source.n, source.m, classes, unlabelled)
    score = np.empty(source.n, source.dtype)
    faults = Faults()
    glanced = _glanced if by == "margin" else _glanced_own  # the others' largest is not needed

    def do(start: int, stop: int):
        rows, mine, fault = source.read(start, stop), labels[start:stop], None
        own, other = np.empty(len(rows), rows.dtype), np.empty(len(rows), rows.dtype)
        if not glanced(rows, mine, own, other):
            fault = swept(rows, start, mine, np.empty(len(rows), np.int32), own, other)
        found = weighted_entropy(rows, own) if by == "entropy" else OF_COLUMNS[by](own, other)
        np.clip(found, 0, 1, out=found)
        found[mine < 0] = np.nan
        score[start:stop] = found
        return stop, fault

    size = block_rows(source)
    todo = [(a, min(a + size, source.n)) for a in range(0, source.n, size)]
    for stop, fault in in_order(lambda where: do(*where), todo, workers):
        if fault is not None:
            faults.note(fault)
        if watch is not None:
            watch(stop, source.n)
    faults.settle(source)
    return score


def _glanced(rows: np.ndarray, given: np.ndarray, own: np.ndarray, other: np.ndarray) -> bool:
    """Fill ``own`` and ``other``; whether all rows are beyond doubt."""
    whole = np.dtype(np.int32 if rows.dtype == np.float32 else np.int64)
    one = np.ones(1, rows.dtype).view(whole)[0]
    bits = rows.view(whole)
    return bool(
        _score_kernels.glance(rows, bits, one, given, WORTH_SAYING, own, other, other.view(whole))
    )


def _glanced_own(rows: np.ndarray, given: np.ndarray, own: np.ndarray, other: np.ndarray) -> bool:
    """Fill ``own`` alone; whether all rows are beyond doubt."""
    whole = np.dtype(np.uint32 if rows.dtype == np.float32 else np.uint64)
    zeros, one = (rows.dtype.type(0), whole.type(0)), np.ones(1, rows.dtype).view(whole)[0]
    bits = rows.view(whole)
    return bool(_score_kernels.glance_own(rows, bits, zeros, one, given, WORTH_SAYING, own))
