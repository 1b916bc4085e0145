"""How many labels are wrong, as far as probabilities can tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.ingest.probabilities import Probs
from ...ground.arrays import door
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ..confident import Evidence, SetEvidence, gathered_either
from ._interval import interval
from ._likelihood import Fit, Likelihood, Rows, look
from ._result import WrongLabels
from ._search import search
from ._softmax import room

FEWEST = 100  # labels, to say anything
CELLS = 2_000_000  # entries that the likelihood is fitted to
ROWS = (12_000, 200_000)  # and rows of them, at least and at most
SURE = 1 - 1e-6  # probability of a class that counts as all of it
ONE_HOT = 0.99  # share of such rows, from which on nothing says which rows are clear
ZEROS = 1e-3  # share of entries that are exactly 0, from which on these are no numbers but gaps
FLOOR = 1e-9  # what a probability is at least


@door
def estimate(
    given: Any,
    probs: Probs = None,
    *,
    weights: Any = None,
    seed: int = 0,
    **options: Any,
) -> WrongLabels:
    """How many labels are wrong, on the premise that errors strike clear and unclear rows alike.

    Contradictions of a classifier have two sources: wrong labels, and classes that overlap. Counts
    of contradictions cannot tell them apart; this can where the premise holds, as overlap leaves
    clear rows alone and errors do not. People err on unclear rows first: then what is said is a
    lower end, and only checked rows make a count.

    Args:
        given: labels (n,), or ``Evidence`` in place of these and probabilities.
        probs: out-of-sample probabilities (n, q); as in ``examine``, like further options.
        weights: float (n,), at least 0, how often each row counts; by default once.
        seed: of the rows that are drawn where there are more than it takes.

    Raises:
        ValueError, TypeError: what ``examine`` refuses; candidate sets; weights that are none.

    Source: mixture likelihood of labels given true classes, tempered probabilities, profile
    interval; docs/wrong-labels.md.
    """
    evidence = gathered_either(given, probs, options)
    seed = whole(seed, "seed", 0)
    if isinstance(evidence, SetEvidence):
        raise Refusal(
            "how many candidate sets lack the truth is not told by an estimate for single labels.",
            "look at what errors.find says of sets, or give one label a row",
        )
    weighed = _weights(weights, evidence)
    rows = np.flatnonzero(evidence.labelled & (weighed > 0))
    labelled = len(rows)
    contradicted = evidence.predicted[rows] != evidence.given[rows]
    disagreement = float(np.average(contradicted, weights=weighed[rows])) if labelled else 0.0
    why = _nothing(evidence, labelled)
    if why:
        return _silent(evidence, labelled, disagreement, why)
    most = int(np.clip(CELLS // evidence.m, *ROWS))
    if labelled > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    sample = np.asarray(evidence.source.some(rows), np.float64)
    if np.mean(sample.max(1) >= SURE) >= ONE_HOT:
        why = (
            "the probabilities are 0 or 1, and do not say which rows are clear; take a classifier "
            "that gives probabilities"
        )
        return _silent(evidence, labelled, disagreement, why)
    floor = _floor(sample)
    counted = weighed[rows] * (weighed[rows].sum() / (weighed[rows] ** 2).sum())
    likelihood = Likelihood(
        Rows(_logs(sample, floor), evidence.given[rows].astype(np.int64), counted)
    )
    found = search(likelihood)
    best = found.best
    low, high = interval(likelihood, best if best.moves else found.even, found.spread.factor)
    chance, right = _chances(evidence, best, floor)
    there, weight = evidence.labelled, weighed[evidence.labelled]
    share = float(np.average(chance[there], weights=weight))
    low, high = min(low, share) if best.moves else 0.0, max(high, share)
    return WrongLabels(
        labelled=labelled,
        share=share,
        low=low,
        high=high,
        accuracy=_accuracy(
            float(np.average(right[there], weights=weight)),
            disagreement,
            (low, share, high),
            evidence.m,
        ),
        moves=best.moves,
        chance=chance,
        disagreement=disagreement,
        fits=found.spread.p_value,
        fitted=len(rows),
        classes=evidence.classes,
        has_label=evidence.labelled,
        transition=best.transition,
    )


def _weights(weights: Any, evidence: Evidence) -> np.ndarray:
    if weights is None:
        return np.ones(evidence.n)
    found = np.asarray(weights, np.float64)
    if found.shape != (evidence.n,):
        raise ValueError(f"`weights` has shape {found.shape}; there are {evidence.n} rows.")
    if not np.isfinite(found).all() or (found < 0).any():
        at = int(np.flatnonzero(~(np.isfinite(found) & (found >= 0)))[0])
        raise ValueError(f"`weights` is {found[at]} at row {at}; give numbers of at least 0.")
    if not (found[evidence.labelled] > 0).any():
        raise ValueError("`weights` is 0 at every row with a label; then no row counts.")
    return found


def _nothing(evidence: Evidence, labelled: int) -> str:
    """Why nothing can be said of these rows; empty where something can."""
    if labelled < FEWEST:
        return f"there are {labelled} labels, and below {FEWEST} nothing can be told"
    if np.count_nonzero(evidence.given_counts) < 2:
        return "all labels are the same class"
    if evidence.doubts:
        return "the classifier agrees with the labels no better than a guess"
    return ""


def _silent(evidence: Evidence, labelled: int, disagreement: float, why: str) -> WrongLabels:
    nan, chance = float("nan"), np.full(evidence.n, np.nan)
    return WrongLabels(
        labelled=labelled,
        share=nan,
        low=nan,
        high=nan,
        accuracy=(nan, nan, nan),
        moves=(),
        chance=chance,
        disagreement=disagreement,
        fits=nan,
        fitted=0,
        why=why,
        classes=evidence.classes,
        has_label=evidence.labelled,
        transition=np.full((evidence.m, evidence.m), nan),
    )


def _floor(probs: np.ndarray) -> float:
    """What stands for an entry of 0: neighbours and trees say 0 where they mean few."""
    least = FLOOR
    if np.mean(probs <= 0) > ZEROS:
        least = float(probs[probs > 0].min()) / 2
    return min(max(least, FLOOR), 0.05)


def _logs(probs: np.ndarray, floor: float) -> np.ndarray:
    cut = np.maximum(probs, floor)
    cut /= cut.sum(1, keepdims=True)
    return np.log(cut, out=cut)


def _accuracy(
    right: float, disagreement: float, shares: tuple[float, float, float], q: int
) -> tuple[float, float, float]:
    """From, about and to: the interval's ends by what even errors do to an agreement.

    Who is right on a share r of the rows agrees with r (1 - e) + (1 - r) e / (q - 1) of the labels,
    where a share e of these is evenly wrong.
    """

    def at(e: float) -> float:
        aside = e / (q - 1)
        return (1 - disagreement - aside) / max(1 - e - aside, 1e-9)

    low, middle, high = map(at, shares)
    ends = right + min(low - middle, 0), right, right + max(high - middle, 0)
    return tuple(float(np.clip(end, 0, 1)) for end in ends)  # type: ignore[return-value]


def _chances(evidence: Evidence, fit: Fit, floor: float) -> tuple[np.ndarray, np.ndarray]:
    """Of every row that its label is wrong, and its prediction right; NaN without a label: (n,)."""
    found, right = np.full(evidence.n, np.nan), np.full(evidence.n, np.nan)
    likely = np.ascontiguousarray(fit.transition.T)
    about = likely, fit.t, fit.b, floor

    def handed(start: int, stop: int) -> tuple[np.ndarray, Any]:
        return evidence.given[start:stop], about

    for (start, stop), both in evidence.each(_look, handed):
        found[start:stop], right[start:stop] = both
    found[~evidence.labelled] = np.nan
    return found, right


def _look(piece: Any, more: tuple[np.ndarray, Any]) -> np.ndarray:
    given, (likely, t, b, floor) = more
    q = len(b)
    both, mass = np.empty((2, len(given))), np.zeros(q)
    logs = _logs(np.asarray(piece.read(piece.start, piece.stop), np.float64), floor)
    labels = np.maximum(given, 0).astype(np.int64)
    look(logs, labels, np.ones(len(given)), t, b, likely, *room(q), *both, mass)
    return both
