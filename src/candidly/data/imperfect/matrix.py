"""Class-dependent noise by a transition matrix: one that is given, or counted elsewhere.

Source: Patrini et al., CVPR 2017; the synthetic counterpart of human labels, Wei et al., ICLR 2022.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ..ingest.arrays import read_matrix
from ..labels.describe import transition
from ..labels.labelled import Labelled
from ._checks import checked_truth

SUM_MARGIN = 1e-6


@door(apart=["shares"])
def matrix(
    truth: np.ndarray, q: int, shares: np.ndarray, exact: bool = False, seed: int = 0
) -> np.ndarray:
    """Labels drawn from the row of a transition matrix that belongs to the true class.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2.
        shares: (q, q), row y the shares of each label among examples of class y; they are
            probabilities, and sum to 1.
        exact: for the n_y examples of class y, label j goes to ``n_y * shares[y, j]``, rounded so
            that they add up (largest remainders first); otherwise examples are drawn one by one.
        seed: not negative; the same seed gives the same labels.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: a matrix of another shape, with negative entries or rows that do not sum to 1,
            a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    shares = _checked_shares(shares, q)
    random = draw(seed, "imperfect.matrix")
    given = truth.copy()
    for label in np.unique(truth):
        rows = np.flatnonzero(truth == label)
        if exact:
            dealt = np.repeat(np.arange(q), apportioned(shares[label], len(rows)))
            given[rows] = random.permutation(dealt)
        else:
            ends = shares[label].cumsum()
            given[rows] = np.searchsorted(ends / ends[-1], random.random(len(rows)), "right")
    return given


@door(apart=["other_given", "other_truth"])
def empirical(
    truth: np.ndarray,
    q: int,
    other_given: np.ndarray,
    other_truth: np.ndarray,
    exact: bool = False,
    seed: int = 0,
) -> np.ndarray:
    """Labels with the transition matrix of other data, but apart from that at random.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2, of both.
        other_given, other_truth: int (m,), in -1..q-1; rows with -1 in either are left out.
        exact, seed: as for ``matrix``.

    Returns:
        int64 (n,), in 0..q-1.

    Raises:
        ValueError: as ``matrix``; and a class in ``truth`` of which the other data has no example.
    """
    truth = checked_truth(truth, q, seed)
    shares = transition(other_given, other_truth, q)
    unseen = np.isnan(shares[:, 0])
    if unseen[truth].any():
        row = int(unseen[truth].argmax())
        raise ValueError(
            f"`truth` is {int(truth[row])} at row {row}, but the other data has no labelled"
            " example of that class to count. Leave such examples out."
        )
    return matrix(truth, q, np.where(unseen[:, None], np.eye(q), shares), exact, seed)


def apportioned(shares: np.ndarray, n: int) -> np.ndarray:
    """``n * shares`` as integers that sum to n: largest remainders first, ties to the lowest.

    Args:
        shares: float (q,), not negative, summing to 1.

    >>> apportioned(np.array([0.5, 0.25, 0.25]), 5).tolist()
    [3, 1, 1]
    """
    wanted = np.round(shares / shares.sum() * n, 9)  # 0.29 * 100 is 29
    counts = np.floor(wanted).astype(np.int64)
    first = np.argsort(counts - wanted, kind="stable")
    counts[first[: n - counts.sum()]] += 1
    return counts


def read_shares(file: str | os.PathLike[str]) -> np.ndarray:
    """A matrix from an ``.npy`` file, or from a table of nothing but numbers.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no numbers in it, or another kind of file.
    """
    return np.asarray(read_matrix(Path(file)), np.float64)


def read_counted(file: str | os.PathLike[str], q: int, field: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels, ``given`` or ``candidates``, and the ``truth`` of data that candidly saved.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, another number of classes, or one of the two is missing.
    """
    data = Labelled.load(file)
    labels = getattr(data, field)
    if labels is None or data.truth is None:
        raise ValueError(
            f"{file} needs both `{field}` and `truth`, to count one against the other."
        )
    if data.q != q:
        raise ValueError(f"{file} has {data.q} classes, but labels are wanted for {q}.")
    return labels, data.truth


def _checked_shares(shares: np.ndarray, q: int) -> np.ndarray:
    shares = np.asarray(shares, np.float64)
    if shares.shape != (q, q):
        raise ValueError(f"the matrix has shape {shares.shape}; for {q} classes it is {q} x {q}.")
    wrong = ~((shares >= 0) & (shares <= 1 + SUM_MARGIN))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"the matrix has {shares[row, column]} at row {row}, column {column}; it must be in"
            " [0, 1]."
        )
    off = np.abs(shares.sum(1) - 1) > SUM_MARGIN
    if off.any():
        row = int(off.argmax())
        raise ValueError(
            f"row {row} of the matrix sums to {shares[row].sum():.6g}, not 1. If rows are counts,"
            " divide each by its sum; if columns are the true classes, transpose it."
        )
    return shares
