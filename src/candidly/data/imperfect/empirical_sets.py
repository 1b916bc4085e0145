"""Candidate sets with the flipping matrix of sets that people gave, but apart from that at random.

What the real sets have beyond it (labels that come together, examples that are hard) is what a
method trained on both shows. Of given labels ``empirical`` is the same.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ..labels.describe import flipping
from ._checks import checked_truth

MOST = 1000  # draws of a set that comes out empty


@door(apart=["other_sets", "other_truth"])
def empirical_sets(
    truth: np.ndarray,
    q: int,
    other_sets: np.ndarray,
    other_truth: np.ndarray,
    seed: int = 0,
) -> np.ndarray:
    """Each label is a candidate with the share that its like has in other data.

    An example of class a has label b, a itself among them, with the share of the other examples of
    class a whose set has b; each label on its own. A set that comes out empty is drawn again, so
    that shares are a little above those of the other data where its sets lack the truth.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2, of both.
        other_sets: bool (m, q). other_truth: int (m,), in -1..q-1; rows with -1 are left out.
        seed: not negative; the same seed gives the same sets.

    Returns:
        bool (n, q), a True in every row.

    Raises:
        ValueError: a class in ``truth`` of which the other data has no example, or none whose set
            has anything; a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    shares = flipping(np.asarray(other_sets, bool), np.asarray(other_truth))
    unseen = np.isnan(shares[:, 0]) | ~(shares > 0).any(1)
    if unseen[truth].any():
        row = int(unseen[truth].argmax())
        raise ValueError(
            f"`truth` is {int(truth[row])} at row {row}, but the other data has no example of that"
            " class to count. Leave such examples out."
        )
    random = draw(seed, "imperfect.empirical_sets")
    sets = random.random((len(truth), q)) < shares[truth]
    for _ in range(MOST):
        empty = np.flatnonzero(~sets.any(1))
        if not len(empty):
            return sets
        sets[empty] = random.random((len(empty), q)) < shares[truth[empty]]
    likeliest = shares[truth[empty]].argmax(1)  # shares so small that nothing came out
    sets[empty, likeliest] = True
    return sets
