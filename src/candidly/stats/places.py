"""Places in a ranking: ranks with ties, ranks that tests allow, places that are settled or open."""

from __future__ import annotations

import numpy as np

from ..ground.arrays import door
from .paired import holm


@door
def competition_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks "1, 2, 2, 4": one more than the number of better ones.

    Args:
        scores: (..., R); higher is better.

    Returns:
        int64 (..., R).

    >>> competition_ranks(np.array([0.5, 0.9, 0.5, 0.1]))
    array([2, 1, 2, 4])
    """
    scores = np.asarray(scores)
    return 1 + (scores[..., None, :] > scores[..., :, None]).sum(-1)


@door
def tie_groups(scores: np.ndarray) -> list[list[int]]:
    """Indices that share a rank, the best first; within a group in order of index.

    >>> tie_groups(np.array([0.5, 0.9, 0.5]))
    [[1], [0, 2]]
    """
    ranks = competition_ranks(scores)
    return [np.flatnonzero(ranks == rank).tolist() for rank in np.unique(ranks)]


@door
def rank_intervals(better: np.ndarray) -> np.ndarray:
    """Which ranks are possible: from 1 + #{surely better} to R - #{surely worse}.

    Args:
        better: bool (R, R); [a, b] says that a is surely better than b. If the tests behind it
            hold their level for all pairs together, so do these intervals.

    Returns:
        int64 (R, 2).

    >>> rank_intervals(np.array([[False, False, True], [False, False, False], [False] * 3]))
    array([[1, 2],
           [1, 3],
           [2, 3]])
    """
    models = len(better)
    return np.stack([1 + better.sum(0), models - better.sum(1)], 1)


@door
def surely_better(ahead: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """Which model is surely better than which, over all pairs together: bool (R, R).

    The p of all pairs are corrected by Holm's method, so the chance that any is said wrongly is at
    most alpha.

    Args:
        ahead: bool (R, R), [a, b]: a has the higher score. p: (R, R), of each pair's test that
            both are equally good; what lies above the diagonal is read.

    >>> ahead = np.array([[False, True], [False, False]])
    >>> surely_better(ahead, np.array([[1, 0.01], [0.01, 1]]), 0.05)
    array([[False,  True],
           [False, False]])
    """
    i, j = np.triu_indices(len(ahead), 1)
    sure = holm(p[i, j]) <= alpha
    better = np.zeros(ahead.shape, bool)
    better[i[sure], j[sure]] = ahead[i[sure], j[sure]]
    better[j[sure], i[sure]] = ahead[j[sure], i[sure]]
    return better


def secure_places(better: np.ndarray) -> int:
    """How many first places are settled: whoever has one is surely better than all behind it.

    Args:
        better: bool (R, R), models in order of rank; [a, b]: a is surely better than b, by tests
            that hold their level for all pairs together.
    """
    behind = np.triu(np.ones(better.shape, bool), 1)
    settled = np.all(better | ~behind, axis=1)
    return len(settled) if settled.all() else int(np.argmin(settled))


def open_ranks(better: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Runs of places (first, last) within which some pair is not told apart; as above."""
    last = np.arange(len(better))
    for a, b in np.argwhere(np.triu(~better, 1)).tolist():
        last[a] = max(last[a], b)
    runs, begin, end = [], 0, int(last[0])
    for place in range(1, len(better) + 1):
        if place < len(better) and place <= end:
            end = max(end, int(last[place]))
            continue
        if end > begin:
            runs.append((begin + 1, end + 1))
        if place < len(better):
            begin, end = place, int(last[place])
    return tuple(runs)
