"""The rule of a verdict: which answers are one, how many people make a verdict, and which."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import door

CATEGORIES = (
    "non-error",
    "correctable",
    "multi-label",
    "neither",
    "non-agreement",
    "pending",
    "different set",
)
NON_ERROR, CORRECTABLE, MULTI_LABEL, NEITHER, NON_AGREEMENT, PENDING, DIFFERENT_SET = range(7)
FEWEST = 3  # answers, below which nothing is decided


@door
def merged(counts: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Counts where both names of one class count as given: int (k, 5), bool (k,) -> int (k, 5)."""
    counts = counts.copy()
    counts[same, 0] += counts[same, 1]
    counts[same, 1] = 0
    return counts


def majority(people: Any) -> Any:
    """More than half of so many: int or int (k,), likewise."""
    return people // 2 + 1


def needed(answers: np.ndarray, threshold: int | None = None) -> np.ndarray:
    """People that make a verdict, by number of answers: int (k,) -> int (k,).

    More than half of them, and at least the ``threshold``; so two answers never reach it.
    """
    more = majority(answers)
    return more if threshold is None else np.maximum(more, threshold)


def fewest(most: int | None = None) -> int:
    """Answers about an item, below which nothing is decided: three, or all that can be wanted."""
    return FEWEST if most is None else max(1, min(FEWEST, most))


@door(apart=["threshold"])
def categories(counts: np.ndarray, threshold: np.ndarray, least: int = FEWEST) -> np.ndarray:
    """Places in ``CATEGORIES``: int (k, 5) counts, int (k,) people that make one -> int8 (k,).

    Below ``least`` answers an item is pending.
    """
    reached = counts[:, :4] >= threshold[:, None]
    category = np.where(reached.any(1), reached.argmax(1), NON_AGREEMENT).astype(np.int8)
    category[counts.sum(1) < least] = PENDING
    return category


@door
def settled(counts: np.ndarray, left: int, threshold: int, least: int = FEWEST) -> np.ndarray:
    """Whether ``left`` more answers cannot change the category: int (k, 5) -> bool (k,).

    Either one answer has reached the threshold, or none can; and ``least`` have answered.
    """
    most = counts[:, :4].max(1)
    return (counts.sum(1) >= least) & ((most >= threshold) | (most + left < threshold))
