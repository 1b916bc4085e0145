"""Instance-dependent noise: which wrong label an example has depends on its features.

Each example draws a rate from a normal distribution around the one asked for (standard deviation
0.1, cut off to [0, 1]), whatever its features are, and its wrong label from the softmax of its
features times a random matrix that belongs to its true class. In the published construction an
example is wrong with the probability that it drew; here that is shifted by one constant for all, so
that the number of wrong labels is exact.

Source: Xia et al., "Part-dependent label noise", NeurIPS 2020, algorithm 2.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth
from ._features import checked_table
from ._rows import first_rows

DEVIATION = 0.1


@door
def instance_label(
    features: np.ndarray,
    truth: np.ndarray,
    q: int,
    rate: float,
    per_class: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """Labels of which exactly ⌊rate * n⌉ are wrong, as the features of an example have it.

    Args:
        features: numbers (n, ...), for example a table (n, d); better with standardised columns.
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: share of labels that are wrong, in [0, 1].
        per_class: the share is that of every class, to the nearest example.
        seed: not negative; the same seed gives the same labels.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: a rate outside [0, 1], features that are not finite numbers or of another
            length, a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    check_rate(rate)
    table = checked_table(features, len(truth), "features").astype(np.float64, copy=False)
    random = draw(seed, "imperfect.instance_label")
    surplus = random.random(len(truth)) - _own_rates(rate, random.random(len(truth)))
    rows = first_rows(np.argsort(surplus, kind="stable"), truth, rate, per_class)
    given = truth.copy()
    given[rows] = _wrong_labels(table, truth, q, seed)[rows]
    return given


def _own_rates(rate: float, quantiles: np.ndarray) -> np.ndarray:
    """Rates (n,) of the examples, from a normal distribution cut off to [0, 1]."""
    from scipy.stats import truncnorm  # half a second to import

    low, high = (0 - rate) / DEVIATION, (1 - rate) / DEVIATION
    return truncnorm.ppf(quantiles, low, high, loc=rate, scale=DEVIATION)


def _wrong_labels(table: np.ndarray, truth: np.ndarray, q: int, seed: int) -> np.ndarray:
    """The label (n,) that each example has when it is wrong."""
    quantiles = draw(seed, "imperfect.instance_label.labels").random(len(truth))
    found = truth.copy()
    for label in np.unique(truth):
        rows = np.flatnonzero(truth == label)
        weights = draw(seed, "imperfect.instance_label.weights", int(label))
        logits = table[rows] @ weights.standard_normal((table.shape[1], q))
        logits[:, label] = -np.inf
        ends = np.exp(logits - logits.max(1, keepdims=True)).cumsum(1)
        found[rows] = (quantiles[rows, None] * ends[:, -1:] >= ends).sum(1)
    return found
