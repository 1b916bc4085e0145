"""Flipping (FPS): each wrong label enters the candidate set on its own.

Source: Feng et al., NeurIPS 2020; Wang et al., ICLR 2025. Older programs add a wrong label to
sets in which none was drawn; that is ``force``, off by default, as the formula has none of it.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth


@door(apart=["rate"])
def flip(
    truth: np.ndarray,
    q: int,
    rate: float | np.ndarray,
    force: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """Candidate sets with the truth and, independently, each wrong label with its probability.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: one probability for every wrong label; or a matrix (q, q) whose entry (y, j) is the
            probability of label j when the truth is y, with ones on the diagonal.
        force: where no wrong label was drawn, add one, uniformly. With one rate r, a wrong label
            is then a candidate with probability r + (1 - r)^(q-1) / (q-1).
        seed: not negative; the same seed gives the same sets.

    Returns:
        bool (n, q).

    Raises:
        ValueError: a rate outside [0, 1], a matrix of another shape or diagonal, a truth out of
            range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    rates = _check_rates(rate, q)
    random = draw(seed, "imperfect.flip")
    rows = np.arange(len(truth))
    candidates = random.random((len(truth), q)) < (rates if rates.ndim == 0 else rates[truth])
    candidates[rows, truth] = True
    if force:
        alone = np.flatnonzero(candidates.sum(1) == 1)
        wrong = random.integers(0, q - 1, len(alone))
        candidates[alone, wrong + (wrong >= truth[alone])] = True  # step over the truth
    return candidates


def _check_rates(rate: float | np.ndarray, q: int) -> np.ndarray:
    rates = np.asarray(rate, np.float64)
    if rates.ndim == 0:
        check_rate(float(rates))
        return rates
    if rates.shape != (q, q):
        raise ValueError(f"`rate` has shape {rates.shape}; give one number or a {q} x {q} matrix.")
    wrong = ~((rates >= 0) & (rates <= 1))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"`rate` has {rates[row, column]} at row {row}, column {column}; it must be in [0, 1]."
        )
    if (rates.diagonal() != 1).any():
        row = int((rates.diagonal() != 1).argmax())
        raise ValueError(
            f"`rate` has {rates[row, row]} at ({row}, {row}), but the truth is always a candidate"
            " here: np.fill_diagonal(rate, 1). To leave it out, apply `noise` afterwards."
        )
    return rates
