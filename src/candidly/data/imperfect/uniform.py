"""Uniform sampling (USS): every candidate set with the truth, except the full one, alike.

P(S | y) = 1 / (2^(q-1) - 1) for each S that contains y and is not the set of all labels, so a
wrong label is a candidate with probability c = (2^(q-2) - 1) / (2^(q-1) - 1).

Source: Feng et al., NeurIPS 2020; Wang et al., ICLR 2025.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import checked_truth


@door
def uniform(truth: np.ndarray, q: int, seed: int = 0) -> np.ndarray:
    """Candidate sets drawn uniformly among those that hold the truth and are not full.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        seed: not negative; the same seed gives the same sets.

    Returns:
        bool (n, q).

    Raises:
        ValueError: a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    random = draw(seed, "imperfect.uniform")
    candidates = random.integers(0, 2, (len(truth), q), dtype=bool)
    candidates[np.arange(len(truth)), truth] = True
    rows = np.flatnonzero(candidates.all(1))
    while len(rows):
        again = random.integers(0, 2, (len(rows), q), dtype=bool)
        again[np.arange(len(rows)), truth[rows]] = True
        candidates[rows] = again
        rows = rows[again.all(1)]
    return candidates
