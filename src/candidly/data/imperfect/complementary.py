"""Complementary labels: of each example some classes are named that it does *not* have.

The candidate set is all others. With one complementary label drawn uniformly this is the setting of
Ishida et al., NeurIPS 2017; with several, of Feng et al., ICML 2020; with a matrix, the biased one
of Yu et al., ECCV 2018.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.numbers import whole
from ...ground.seeds import draw
from ._checks import checked_truth


@door
def complementary(
    truth: np.ndarray,
    q: int,
    count: int = 1,
    weights: np.ndarray | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Candidate sets that lack ``count`` wrong labels each.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        count: complementary labels of an example, 1 to q-1, none of them twice.
        weights: (q, q), how likely label j is to be named where the truth is y, at (y, j): one
            after the other, in proportion to the weights of those that are left. The diagonal is 0.
            None: all wrong labels alike.
        seed: not negative; the same seed gives the same sets.

    Returns:
        bool (n, q); each row holds the truth and q - ``count`` labels.

    Raises:
        ValueError: a count out of range, weights of another shape, negative or with a diagonal, a
            class with fewer wrong labels of some weight than ``count``; a truth out of range, fewer
            than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    count = whole(count, "count", 1, q - 1)
    odds = ~np.eye(q, dtype=bool) if weights is None else _checked_weights(weights, q)
    few = (odds > 0).sum(1) < count
    if few.any():
        row = int(few.argmax())
        raise ValueError(
            f"class {row} has {int((odds[row] > 0).sum())} wrong labels with a weight, and `count`"
            f" is {count}; give more of them a weight, or a smaller count."
        )
    random = draw(seed, "imperfect.complementary")
    with np.errstate(divide="ignore"):
        keys = np.log(odds.astype(np.float64))[truth] + random.gumbel(size=(len(truth), q))
    named = np.argpartition(-keys, count - 1, axis=1)[:, :count]
    candidates = np.ones((len(truth), q), bool)
    np.put_along_axis(candidates, named, False, axis=1)
    return candidates


def _checked_weights(weights: np.ndarray, q: int) -> np.ndarray:
    odds = np.asarray(weights, np.float64)
    if odds.shape != (q, q):
        raise ValueError(f"`weights` has shape {odds.shape}; for {q} classes it is {q} x {q}.")
    wrong = ~((odds >= 0) & np.isfinite(odds))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"`weights` has {odds[row, column]} at row {row}, column {column}; a weight is a number"
            " from 0 on."
        )
    if odds.diagonal().any():
        row = int((odds.diagonal() != 0).argmax())
        raise ValueError(
            f"`weights` has {odds[row, row]} at ({row}, {row}), but the truth is never named as a"
            " label that an example does not have: np.fill_diagonal(weights, 0)."
        )
    return odds
