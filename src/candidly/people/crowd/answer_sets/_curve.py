"""Answers that are sets: what candidate sets of some of the annotators would be like."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....data.labels.votes import Votes, check_votes, times_named
from ....ground.arrays import as_array, door


class SetCurve(NamedTuple):
    """Candidate sets of k random answers per item, k = 1..K: mean over items with k or more.

    Attributes:
        annotators: int64 (K,), k.
        items: int64 (K,), how many have k answers or more, and a known truth.
        union_noise, vaguest_noise: float64 (K,), chance that the truth is no candidate.
        union_size, vaguest_size: float64 (K,), expected number of candidates.
    """

    annotators: np.ndarray
    items: np.ndarray
    union_noise: np.ndarray
    union_size: np.ndarray
    vaguest_noise: np.ndarray
    vaguest_size: np.ndarray


@door
def set_curve(votes: Votes, truth: np.ndarray, q: int) -> SetCurve:
    """Noise and size of unions and of vaguest answers by the number of annotators, exactly.

    Of an item's M answers, h hold the truth: the union of k of them, each choice equally likely,
    lacks it with probability C(M-h, k) / C(M, k). Of its answers by length, longest first, the one
    of rank r is the longest of k with probability C(M-1-r, k-1) / C(M, k). No sampling.

    Args:
        votes: answers about items 0..n-1; see ``votes.union`` and ``votes.vaguest``.
        truth: int (n,), -1 where unknown; such items take no part.
        q: classes.

    Raises:
        ValueError: items or labels out of range, or no item with answers and a known truth.

    >>> votes = Votes.from_rows([(0, "a", [1]), (0, "b", [0, 1]), (0, "c", [2])])
    >>> set_curve(votes, np.array([1]), q=3).union_noise.round(3)
    array([0.333, 0.   , 0.   ])
    """
    truth, number, part = _counted(votes, truth, q)
    n = len(truth)
    lengths = np.diff(votes.offsets)
    holds = _holds(votes, q)
    held = times_named(votes, n, q)
    with_truth = holds[np.arange(len(votes)), truth[votes.item]]
    sizes = holds.sum(1)

    # ranks of an item's answers, the longest first and then as stored
    order = np.lexsort((np.arange(len(votes)), -lengths, votes.item))
    rank = np.empty(len(votes), np.int64)
    rank[order] = np.arange(len(votes)) - (np.cumsum(number) - number)[votes.item[order]]
    M = number[votes.item]

    absent = np.ones((n, q))  # chance that a class is in none of the k
    longest = np.zeros(len(votes))  # chance that an answer is the longest of the k
    rows = []
    for k in range(1, int(number[part].max()) + 1):
        left = np.maximum(number - k + 1, 1)[:, None]
        absent *= np.maximum(number[:, None] - held - k + 1, 0) / left
        if k == 1:
            longest = 1 / M
        else:
            gone = (k - 1) * np.maximum(M - k + 1, 1)
            longest = longest * np.maximum(M - rank - k + 1, 0) * k / gone
        here = part & (number >= k)
        mine = here[votes.item]
        items = int(here.sum())
        rows.append(
            (
                k,
                items,
                absent[here, truth[here]].mean(),
                (1 - absent[here]).sum() / items,
                (longest * ~with_truth)[mine].sum() / items,
                (longest * sizes)[mine].sum() / items,
            )
        )
    return SetCurve(*(np.array(column) for column in zip(*rows)))


@door
def union_spread(votes: Votes, truth: np.ndarray, q: int) -> np.ndarray:
    """How far the noise of unions lies from ``set_curve``'s mean in one random order of answers.

    Each item's answers stand in an order of its own, all orders equally likely, and the first k of
    them are joined. An item of ``set_curve`` whose union lacks the truth with probability p adds
    p (1 - p) to the variance of how many do.

    Args:
        votes, truth, q: as for ``set_curve``.

    Returns:
        float64 (K,), the standard deviation of the share of items without the truth, k = 1..K.

    Raises:
        ValueError: see ``set_curve``.
    """
    truth, number, part = _counted(votes, truth, q)
    with_truth = _holds(votes, q)[np.arange(len(votes)), truth[votes.item]]
    held = np.bincount(votes.item[with_truth], minlength=len(truth))
    absent = np.ones(len(truth))
    found = []
    for k in range(1, int(number[part].max()) + 1):
        absent *= np.maximum(number - held - k + 1, 0) / np.maximum(number - k + 1, 1)
        p = absent[part & (number >= k)]
        found.append(np.sqrt((p * (1 - p)).sum()) / len(p))
    return np.array(found)


def _counted(votes: Votes, truth: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The truth; the number of answers of each item; which have answers and a known truth."""
    truth = as_array(truth, "truth")
    check_votes(votes, len(truth), q)
    if len(truth) and not -1 <= truth.min() <= truth.max() < q:
        raise ValueError(f"`truth` has {truth.min()} to {truth.max()}; there are {q} classes.")
    number = np.bincount(votes.item, minlength=len(truth))
    part = (truth >= 0) & (number > 0)
    if not part.any():
        raise ValueError("no item has both answers and a known truth.")
    return truth, number, part


def _holds(votes: Votes, q: int) -> np.ndarray:
    """Which labels each answer holds: bool (answers, q)."""
    holds = np.zeros((len(votes), q), bool)
    holds[np.repeat(np.arange(len(votes)), np.diff(votes.offsets)), votes.labels] = True
    return holds
