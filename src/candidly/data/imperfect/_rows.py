"""Which examples get a wrong label, so that the rate measured is the rate asked for."""

from __future__ import annotations

import numpy as np


def nearest_count(rate: float, n: int) -> int:
    """``rate * n`` to the nearest integer, halves up.

    >>> nearest_count(0.29, 100), nearest_count(0.5, 5)
    (29, 3)
    """
    return int(rate * n + 0.5)


def first_rows(order: np.ndarray, truth: np.ndarray, rate: float, per_class: bool) -> np.ndarray:
    """The first share ``rate`` of the rows in ``order``, or of each class's rows in it.

    With the same order, the rows of a lower rate are among those of a higher one.

    Args:
        order: int64 (m,), different rows.    truth: int64 (n,).    rate: in [0, 1].

    Returns:
        int64, ⌊rate * m⌉ rows; with ``per_class``, ⌊rate * m_y⌉ of the m_y rows of each class y.
    """
    if not per_class:
        return order[: nearest_count(rate, len(order))]
    parts = [order[truth[order] == label] for label in np.unique(truth[order])]
    return np.concatenate([order[:0], *(p[: nearest_count(rate, len(p))] for p in parts)])
