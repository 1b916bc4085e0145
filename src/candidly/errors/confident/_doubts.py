"""When what was found says more of the probabilities than of the labels: in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

IN_SAMPLE = 0.999  # agreement with the given labels above which memory is more likely than skill
COMMON = 0.9  # share of the largest class from which on such agreement says nothing

ENOUGH = 20  # labels, to tell predictions from guesses at all
DEVIATIONS = 2.0  # above chance, that agreement must reach
LEAST = 1e-6  # probability of a label, below which all are alike
ROWS = 1 << 16  # looked at at once
HALF = 0.5  # of the labels: who doubts more of them had better doubt the probabilities


@dataclass(frozen=True)
class Gain:
    """What probabilities say of the labels beyond how frequent classes are.

    Attributes:
        mean: over labels, of log p of the label less log of its share; above 0 they say something.
        low, high: the mean less and more 2 standard errors.
    """

    mean: float
    low: float
    high: float


def gain_of(labels: np.ndarray, own: np.ndarray, counts: np.ndarray) -> Gain:
    """See ``Gain``.

    Args:
        labels: int (n,), -1 for none. own: (n,), the probability of each label. counts: int64 (m,),
            how often each label was given.
    """
    n = int(counts.sum())
    if not n:
        return Gain(float("nan"), float("nan"), float("nan"))
    with np.errstate(divide="ignore"):
        usual = np.log(counts / n)
    total = squares = 0.0
    for start in range(0, len(labels), ROWS):
        part = labels[start : start + ROWS]
        there = part >= 0
        each = np.log(np.maximum(own[start : start + ROWS][there].astype(np.float64), LEAST))
        each -= usual[part[there]]
        total, squares = total + float(each.sum()), squares + float((each**2).sum())
    mean = total / n
    error = DEVIATIONS * sqrt(max(squares / n - mean**2, 0.0) / n)
    return Gain(mean, mean - error, mean + error)


def of_weak_predictions(
    predicted: np.ndarray, counts: np.ndarray, agree: int, gain: Callable[[], Gain]
) -> Iterator[str]:
    """A warning where predictions agree with the labels no more than guesses would.

    Not where their probabilities say more of the labels than how frequent classes are: of a class
    of one row in 200 it may be that none is predicted, and the order of rows tells much.

    Who guesses without a look at an example, as often each class as these predictions do, agrees in
    Σ_k (share of predictions k) (share of labels k) of the cases. Agreement must exceed that by 2
    standard deviations.

    Args:
        predicted: int (n,), the prediction of every example.
        counts: int64 (m,), how often each label was given.
        agree: how many predictions are the given label.
        gain: what the probabilities say of the labels; asked for where it matters.
    """
    n = int(counts.sum())
    if n < ENOUGH or np.count_nonzero(counts) < 2:
        return
    shares = np.zeros(len(counts))
    for start in range(0, len(predicted), 1 << 16):  # bincount widens what it counts
        shares += np.bincount(predicted[start : start + (1 << 16)], minlength=len(counts))
    chance = float(shares / shares.sum() @ counts / n)
    weak = agree / n <= chance + DEVIATIONS * sqrt(chance * (1 - chance) / n)
    if weak and not gain().low > 0:
        yield (
            f"{agree / n:.1%} of the predictions are the given label, and guesses would agree in "
            f"{chance:.1%}: such probabilities tell nothing of the labels. Use a better "
            "classifier, and see that rows and columns are in the order of labels and classes."
        )


def of_many(flagged: int, labelled: int) -> Iterator[str]:
    """A warning where more than half of the labels are flagged."""
    if labelled >= ENOUGH and flagged > HALF * labelled:
        yield (
            f"{flagged:,} of {labelled:,} labels are flagged. Where more than half are, the "
            "probabilities are more likely wrong than the labels: look at the classifier's "
            "accuracy, and at the order of rows and columns."
        )
