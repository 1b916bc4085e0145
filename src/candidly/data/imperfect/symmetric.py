"""Symmetric noise: wrong labels, each as likely as the others.

The rate is the share of labels that are wrong. Where it is the share that is drawn anew from all
q classes, r of that convention is r * (q - 1) / q here.

Source: Angluin and Laird, 1988 (two classes); Ghosh et al., AAAI 2017.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_rate, checked_truth
from ._rows import first_rows


@door
def symmetric(
    truth: np.ndarray, q: int, rate: float, per_class: bool = False, seed: int = 0
) -> np.ndarray:
    """Labels of which exactly ⌊rate * n⌉ are wrong, uniformly among the q - 1 other classes.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        rate: share of labels that are wrong, in [0, 1].
        per_class: the share is that of every class, to the nearest example.
        seed: not negative; with the same seed, what is wrong at a lower rate is wrong in the same
            way at a higher one.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: a rate outside [0, 1], a truth out of range, fewer than two classes, a negative
            seed.
    """
    truth = checked_truth(truth, q, seed)
    check_rate(rate)
    order = draw(seed, "imperfect.symmetric.rows").permutation(len(truth))
    wrong = draw(seed, "imperfect.symmetric.labels").integers(0, q - 1, len(truth))
    rows = first_rows(order, truth, rate, per_class)
    given = truth.copy()
    given[rows] = (wrong + (wrong >= truth))[rows]  # step over the truth
    return given
