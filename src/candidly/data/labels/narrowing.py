"""Candidate sets by probabilities: the smallest that hold a share of them."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ...ground.arrays import door

SLACK = 1e-12


@door
def narrowed(sets: np.ndarray, probs: np.ndarray, mass: float = 0.95) -> np.ndarray:
    """Candidate sets without the candidates that probabilities hold to be unlikely.

    Of each set those candidates stay, the likeliest first, that together have ``mass`` of what the
    probabilities give to the set; one at least. A set to which they give nothing stays as it is.
    The probabilities must know something that the sets do not say: those of a model that saw true
    labels, or the names of the classes (zero-shot). Those of a model that learned from the same
    sets and rows make its errors sure.

    Args:
        sets: bool (n, q).
        probs: float (n, q), not negative.
        mass: in (0, 1].

    Returns:
        bool (n, q), within ``sets``, a True wherever there was one.

    Raises:
        ValueError: ``mass`` outside (0, 1], shapes that disagree, a negative probability or NaN.

    >>> sets, probs = [[True, True, False]], [[0.1, 0.2, 0.7]]
    >>> narrowed(sets, probs, 0.6)
    array([[False,  True, False]])
    """
    sets, probs = np.asarray(sets, bool), np.asarray(probs, np.float64)
    if probs.shape != sets.shape or sets.ndim != 2:
        raise ValueError(
            f"`probs` has shape {probs.shape} and `sets` {sets.shape}; they must be alike, (n, q)."
        )
    if not (probs >= 0).all():
        row, column = (int(i) for i in np.argwhere(~(probs >= 0))[0])
        raise ValueError(f"`probs` is {probs[row, column]:g} at row {row}, column {column}.")
    own = np.where(sets, probs, 0)
    return np.where(own.sum(1, keepdims=True) > 0, sets & likeliest(own, mass), sets)


def likeliest(shares: np.ndarray, mass: float) -> np.ndarray:
    """The fewest columns of each row that have ``mass`` of its sum, the first of equal ones.

    Args:
        shares: float (n, q), not negative.

    Returns:
        bool (n, q).

    Raises:
        ValueError: ``mass`` outside (0, 1].
    """
    if not isinstance(mass, Real) or not 0 < mass <= 1:
        raise ValueError(f"`mass` is {mass!r}; it is a share, such as 0.95.")
    order = np.argsort(-shares, axis=1, kind="stable")
    heights = np.take_along_axis(shares, order, 1).cumsum(1)
    last = (heights < (float(mass) - SLACK) * heights[:, -1:]).sum(1, keepdims=True)
    within = np.zeros(shares.shape, bool)
    np.put_along_axis(within, order, np.arange(shares.shape[1]) <= last, 1)
    return within
