"""How many labels may still be wrong before an order of two models turns, in the worst case.

Only items on which the two models differ matter. Such an item's value is 1 where the leader is
right, -1 where the other one is, and 0 where neither is; the lead is their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door


def flip_budget(lead: int, for_leader: int, for_neither: int) -> int | None:
    """The largest number of wrong labels that no choice of them lets turn or tie the order.

    Args:
        lead: sum of all values, at least 0.
        for_leader: items of value 1 whose label may be wrong; each can cost 2.
        for_neither: items of value 0 whose label may be wrong; each can cost 1.

    Returns:
        At least 0; None where even all of them wrong leave the leader ahead. With nothing checked
        it is ceil(lead / 2) - 1.

    >>> flip_budget(5, 20, 3), flip_budget(5, 0, 7), flip_budget(5, 1, 2)
    (2, 4, None)
    """
    if min(lead, for_leader, for_neither) < 0:
        raise ValueError(
            f"the lead is {lead}, with {for_leader} items for the leader and {for_neither} for "
            "neither; none can be negative. Name the better model first."
        )
    if lead > 2 * for_leader + for_neither:
        return None
    if lead <= 2 * for_leader:
        return max(-(-lead // 2) - 1, 0)
    return for_leader + (lead - 2 * for_leader) - 1


@dataclass(frozen=True)
class Certificate:
    """What is certain of an order, whatever the labels that nobody checked turn out to be.

    Attributes:
        worst: the lead, a sum of values, if every unchecked item is as bad as it can be.
        best: the lead if every unchecked item speaks for the leader.
        certain: whether the leader is ahead even in the worst case.
        order: int64 (k,), positions of unchecked items in the cheapest order: those that the leader
            has right, then those that nobody has, each by quality. Items that the other one has
            right are not worth a check.
        needed: checks in this order until it is certain, if each confirms its label; None where
            that is never.
    """

    worst: float
    best: float
    certain: bool
    order: np.ndarray
    needed: int | None


@door
def certificate(
    values: np.ndarray,
    checked: np.ndarray,
    could_turn: np.ndarray | None = None,
    quality: np.ndarray | None = None,
) -> Certificate:
    """Certainty of an order from the items on which two models differ.

    Args:
        values: (s,), in [-1, 1], by the labels as they are.
        checked: bool (s,), items whose label is verified.
        could_turn: bool (s,), items on which the other model could be right; all without it.
            Elsewhere, where candidate labels rule it out, an item's worst is what it is.
        quality: float (s,), label quality; the lowest is checked first.

    >>> found = certificate(np.array([1, 1, 1, -1, 0]), np.array([True, False, False, True, False]))
    >>> found.worst, found.order, found.needed
    (-3, array([1, 2, 4]), 2)
    """
    values, checked = np.asarray(values), np.asarray(checked, dtype=bool)
    if values.shape != checked.shape or not (np.abs(values) <= 1).all():
        raise ValueError(
            "`values` lie between -1 and 1, and `checked` says of each whether it is sure."
        )
    turns = np.ones(len(values), bool) if could_turn is None else np.asarray(could_turn, bool)
    sure = np.where(checked | ~turns, values, -1)
    worst = sure.sum().item()
    best = np.where(checked, values, 1).sum().item()
    gains = values - sure
    rank = np.zeros(len(values)) if quality is None else np.asarray(quality, dtype=np.float64)
    order = np.lexsort((rank, -gains))[: int((gains > 0).sum())]
    reached = worst + np.concatenate([[0], np.cumsum(gains[order])])
    positive = np.flatnonzero(reached > 0)
    needed = int(positive[0]) if len(positive) else None
    return Certificate(worst, best, worst > 0, order, needed)
