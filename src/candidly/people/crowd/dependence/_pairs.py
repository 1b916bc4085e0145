"""Wrong answers that two annotators share: as many as by chance, as all share, or more.

Two questions, never mixed. *Do two share more wrong answers than their error rates bring about?*
A yes says that errors depend, and nothing of why: items that are difficult for everyone are enough.
*Do they share more than what is common to all?* There all pairs are allowed an excess of their own
annotators (the quasi-independence model of log-linear analysis: expected number times one factor
for each of the two), and the rest of the pairs says how far numbers scatter about it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....stats import holm
from .._answers import Answers
from ._fit import FittedRates

LEAST_SHARED = 5  # items that a pair must have in common to be tested
STRENGTH = 5.0  # wrong answers by which an annotator's factor is drawn to 1
ALPHA = 0.05
TWICE, THRICE = 2.0, 3.0  # see ``AnnotatorPairs.copies``
LOOKED_AT = 5  # pairs of the largest excess, of which each is judged by all others
VAGUE = 5.0  # expected numbers up to which the Poisson distribution is taken as it is


class AnnotatorPairs(NamedTuple):
    """Pairs of annotators with at least five items in common, in order of their numbers.

    Attributes:
        first, second: int64 (pairs,), numbers of the two annotators.
        items: int64 (pairs,), how many items both answered.
        found: float64 (pairs,), wrong answers that both gave, as the other answers judge.
        expected: float64 (pairs,), the same if the two err independently.
        p: float64 (pairs,), of ``found`` if they do, adjusted by Holm for all pairs.
        common: float64 (pairs,), the expected number with what is common to all pairs.
        p_common: float64 (pairs,), of ``found`` beside it, adjusted for all pairs; 1 for the pairs
            that were not among the most excessive.
        excess: found over expected wrong answers of the pairs that nothing sets apart.
    """

    first: np.ndarray
    second: np.ndarray
    items: np.ndarray
    found: np.ndarray
    expected: np.ndarray
    p: np.ndarray
    common: np.ndarray
    p_common: np.ndarray
    excess: float

    @property
    def dependent(self) -> np.ndarray:
        """Pairs that share more wrong answers than chance brings about: bool (pairs,)."""
        return self.p < ALPHA

    @property
    def copies(self) -> np.ndarray:
        """Pairs of which one seems to repeat the other: bool (pairs,).

        They share more than what is common to all, at least twice of it, and their excess over
        chance is more than three times the usual one.
        """
        beyond = self.found - self.expected > THRICE * (self.excess - 1) * self.expected
        return (self.p_common < ALPHA) & (self.found >= TWICE * self.common) & beyond


def pairs_of(fitted: FittedRates) -> AnnotatorPairs:
    """Count shared wrong answers of all pairs, and test them.

    Args:
        fitted: at temperature 1.
    """
    from ._kernels import shared_by_pair

    everyone = len(fitted.answers.annotators)
    keys = _keys(fitted.answers, fitted.others)
    sums = np.zeros((len(keys), 4))
    shared_by_pair(fitted.said, fitted.known, fitted.logs, fitted.rates, keys, sums)
    kept = sums[:, 0] >= LEAST_SHARED
    keys, (items, found, expected, square) = keys[kept], sums[kept].T
    first, second = keys // max(everyone, 1), keys % max(everyone, 1)
    p = holm(_tail(found, expected))
    scale = _scale(expected, square)
    common, p_common, excess = _beyond(first, second, found, expected, scale, everyone)
    return AnnotatorPairs(
        first, second, items.astype(np.int64), found, expected, p, common, p_common, excess
    )


def _keys(answers: Answers, others: bool) -> np.ndarray:
    """Pairs that may have enough items in common: first annotator times J, plus the second."""
    often = answers.per_annotator >= LEAST_SHARED
    if others:
        often[-1] = False
    kept = often[answers.annotator]
    item, who = answers.item[kept], answers.annotator[kept].astype(np.int64)
    number = np.bincount(item, minlength=answers.n)
    starts = np.cumsum(number) - number
    parts = [np.zeros(0, np.int64)]
    for size in np.unique(number[number > 1]).tolist():
        rows = starts[number == size][:, None] + np.arange(size)
        there = np.sort(who[rows], axis=1)
        one, other = np.triu_indices(size, 1)
        pairs, times = np.unique(
            there[:, one] * len(answers.annotators) + there[:, other], return_counts=True
        )
        parts.append(np.repeat(pairs, np.minimum(times, LEAST_SHARED)))
    keys, times = np.unique(np.concatenate(parts), return_counts=True)
    same = keys // len(answers.annotators) == keys % len(answers.annotators)
    kept_keys: np.ndarray = keys[(times >= LEAST_SHARED) & ~same]
    return kept_keys


def _tail(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """P(Poisson(expected) >= found), for numbers between the whole ones, too."""
    from scipy.special import gammainc

    tail: np.ndarray = gammainc(np.maximum(found, 1e-12), np.maximum(expected, 1e-12))
    return np.where(found > 0, tail, 1.0)


def _scale(expected: np.ndarray, square: np.ndarray) -> np.ndarray:
    """Variance over expected number: shared wrong answers count by how sure it is that they are
    wrong, so that they scatter less than whole ones. Where few are expected 1 is taken."""
    scale = np.clip(square / np.maximum(expected, 1e-12), 0.05, 1.0)
    scaled: np.ndarray = 1 - (1 - scale) * expected / (expected + VAGUE)
    return scaled


def _beyond(
    first: np.ndarray,
    second: np.ndarray,
    found: np.ndarray,
    expected: np.ndarray,
    scale: np.ndarray,
    everyone: int,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Set apart, one by one, the pair that the others foretell worst, while it is beyond chance.

    Returns:
        ``common``, ``p_common`` and ``excess`` of ``AnnotatorPairs``.
    """
    number = len(found)
    usual, p = np.ones(number, bool), np.ones(number)

    def judged(usual: np.ndarray) -> tuple[np.ndarray, float]:
        return _common(first, second, found, expected, scale, everyone, usual)

    while usual.sum() > 1:
        common, _ = judged(usual)
        far = np.where(usual, (found - common) / np.sqrt(common * scale + 1e-9), -np.inf)
        lowest, place = np.inf, -1
        for k in np.argsort(-far, kind="stable")[: min(LOOKED_AT, int(usual.sum()))].tolist():
            others = usual.copy()
            others[k] = False
            alone, spread = judged(others)
            step = scale[k] * spread
            tail = float(_tail(found[k : k + 1] / step, alone[k : k + 1] / step)[0])
            if tail < lowest:
                lowest, place = tail, k
        if lowest * number >= ALPHA:
            break
        p[place], usual[place] = lowest * number, False
    common, _ = judged(usual) if number else (expected, 1.0)
    total = expected[usual].sum()
    return common, p, float(found[usual].sum() / total) if total > 0 else 1.0


def _common(
    first: np.ndarray,
    second: np.ndarray,
    found: np.ndarray,
    expected: np.ndarray,
    scale: np.ndarray,
    everyone: int,
    usual: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Expected numbers of all pairs by the factors of the usual ones, and how these scatter.

    Returns:
        (float64 (pairs,), at least what chance brings about; squared deviations of the usual pairs
        over their variance, at least 1).
    """
    who = np.concatenate([first[usual], second[usual]])
    other = np.concatenate([second[usual], first[usual]])
    weight = np.tile(expected[usual], 2)
    own = np.bincount(who, np.tile(found[usual], 2), everyone)
    level = found[usual].sum() / max(expected[usual].sum(), 1e-12)
    factors = np.ones(everyone)
    for _ in range(200):
        theirs = level * np.bincount(who, weight * factors[other], everyone)
        better = factors * np.sqrt((own + STRENGTH) / (factors * theirs + STRENGTH))
        settled = np.abs(better - factors).max(initial=0.0) < 1e-6
        factors = better
        if settled:
            break
    common = np.maximum(expected, expected * level * factors[first] * factors[second])
    reach = level * np.bincount(who, weight, everyone)
    free = max(usual.sum() - (reach / (reach + STRENGTH)).sum(), 1.0)
    squares = ((found - common)[usual] ** 2).sum()
    variance = (common * scale)[usual].sum() * free / max(usual.sum(), 1)
    return common, max(1.0, float(squares / max(variance, 1e-12)))
