"""Noise: the truth is missing from some candidate sets.

Source: the noisy partial-label setting of Lv et al., 2023; Wang et al., ICLR 2025.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth


@door
def noise(candidates: np.ndarray, truth: np.ndarray, rate: float, seed: int = 0) -> np.ndarray:
    """Candidate sets from which the truth has been taken with probability ``rate``.

    A set left empty gets one wrong label, uniformly, so that no row is empty and ``rate`` is
    exactly the expected noise rate of sets that held their truth. Sets that did not hold it
    before stay as they are. From sets of the truth alone this is symmetric label noise.

    Args:
        candidates: bool (n, q).
        truth: int (n,), in 0..q-1.
        rate: probability in [0, 1] that a row loses its truth.
        seed: not negative; the same seed gives the same sets.

    Returns:
        bool (n, q), a new array.

    Raises:
        ValueError: a rate outside [0, 1], a truth out of range, fewer than two classes, shapes
            that disagree, a negative seed.
    """
    candidates = np.array(candidates, bool)
    if candidates.ndim != 2 or len(candidates) != len(truth):
        raise ValueError(
            f"`candidates` has shape {candidates.shape}, but `truth` has {len(truth)} rows;"
            f" it must be ({len(truth)}, q)."
        )
    q = candidates.shape[1]
    truth = checked_truth(truth, q, seed)
    check_rate(rate)
    random = draw(seed, "imperfect.noise")
    hit = np.flatnonzero(random.random(len(truth)) < rate)
    candidates[hit, truth[hit]] = False
    emptied = hit[~candidates[hit].any(1)]
    wrong = random.integers(0, q - 1, len(emptied))
    candidates[emptied, wrong + (wrong >= truth[emptied])] = True  # step over the truth
    return candidates
