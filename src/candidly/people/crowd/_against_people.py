"""A model's probabilities beside what people said: not one label, but how they divide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...ground.arrays import door
from ._answers import Answers, check_answers
from ._probs import checked_probs

BINS = 15
LEAST = 1e-12  # in place of a probability of 0 under a logarithm


class AgainstPeople(NamedTuple):
    """How near probabilities are to the shares of people's answers, in the mean over items.

    Attributes:
        items: with two answers or more; the others take no part.
        cross_entropy: in nats, of the answers by the model. entropy: of the answers themselves,
            which no model can be below.
        jensen_shannon: divergence of the two, in bits, between 0 and 1.
        entropy_correlation: Spearman's, of the model's entropies and people's: whether it is unsure
            where they differ. NaN where either is the same everywhere.
        calibration: mean distance over 15 bins of the model's largest probability and the share of
            people who say that label.
        chosen: share of people who say the label that the model holds most probable.
    """

    items: int
    cross_entropy: float
    entropy: float
    jensen_shannon: float
    entropy_correlation: float
    calibration: float
    chosen: float


@door
def against_people(answers: Answers, probs: Any) -> AgainstPeople:
    """Hold probabilities against the shares of people's answers.

    Few answers an item make shares that scatter: then entropies of people are too low, and a
    perfect model has a divergence above 0 and a calibration above 0. Compare models on the same
    answers.

    Args:
        answers: the answers of people.
        probs: float (n, m), a model's probabilities.

    Raises:
        ValueError: unsound probabilities, or no item with two answers.

    Source: Peterson, Battleday, Griffiths and Russakovsky, "Human uncertainty makes classification
    more robust", ICCV 2019; Lin, "Divergence measures based on the Shannon entropy", 1991.

    >>> said = Answers.from_columns([0, 0, 1, 1], list("abab"), [0, 1, 1, 1])
    >>> round(against_people(said, [[0.5, 0.5], [0.0, 1.0]]).jensen_shannon, 6)
    0.0
    """
    from scipy.stats import spearmanr

    check_answers(answers)
    probs = checked_probs(probs, answers)
    there = np.flatnonzero(answers.per_item > 1)
    if not len(there):
        raise ValueError("no item has two answers, and one says nothing of how people divide.")
    p = probs[there]
    q = answers.counts[there] / answers.per_item[there, None]
    own, theirs, middle = _entropy(p), _entropy(q), _entropy((p + q) / 2)
    best = p.argmax(1)
    rows = np.arange(len(there))
    claim, share = p[rows, best], q[rows, best]
    bins = np.minimum((claim * BINS).astype(int), BINS - 1)
    number = np.bincount(bins, minlength=BINS)
    apart = np.abs(np.bincount(bins, claim - share, BINS))
    several = np.ptp(own) > 0 and np.ptp(theirs) > 0
    return AgainstPeople(
        items=len(there),
        cross_entropy=float(-(q * np.log(np.maximum(p, LEAST))).sum(1).mean()),
        entropy=float(theirs.mean()),
        jensen_shannon=float(np.maximum(middle - (own + theirs) / 2, 0).mean() / np.log(2)),
        entropy_correlation=float(spearmanr(own, theirs)[0]) if several else float("nan"),
        calibration=float(apart.sum() / number.sum()),
        chosen=float(share.mean()),
    )


def _entropy(shares: np.ndarray) -> np.ndarray:
    made: np.ndarray = -(shares * np.log(np.maximum(shares, LEAST))).sum(1)
    return made
