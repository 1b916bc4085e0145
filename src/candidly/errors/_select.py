"""Which examples: the methods of confident learning, from an ``Evidence``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from . import _ranks
from ._evidence import LEAST_GAP, Evidence, index_dtype
from ._faults import ENTRY_SLACK
from ._matrices import prune_counts

ROWS_AT_ONCE = 1 << 20
Select = Callable[[Evidence, np.ndarray], np.ndarray]  # (evidence, counts to take) -> mask


def by_prediction(evidence: Evidence, take: np.ndarray) -> np.ndarray:
    return evidence.labelled & (evidence.predicted != evidence.given)


def by_guess(evidence: Evidence, take: np.ndarray) -> np.ndarray:
    return evidence.labelled & (evidence.guess >= 0) & (evidence.guess != evidence.given)


def by_class(evidence: Evidence, take: np.ndarray) -> np.ndarray:
    """The lowest self-confidences of every class, as many as are estimated to be wrong."""
    mask = np.zeros(evidence.n, dtype=bool)
    order, starts = evidence.by_given
    wrong = evidence.given_counts - take.diagonal()
    _ranks.take_smallest(order, starts, wrong, evidence.own, mask)
    return mask


def by_noise_rate(evidence: Evidence, take: np.ndarray) -> np.ndarray:
    """For every pair of classes, those of the one that look most like the other."""
    pairs, m = evidence.pairs, evidence.m
    if pairs is None:
        raise ValueError("this evidence was gathered without pairs; gather it with pairs=True.")
    mask = np.zeros(evidence.n, dtype=bool)
    wanted = take.copy()
    np.fill_diagonal(wanted, 0)
    places = np.nonzero(wanted)
    group = np.full((m, m), -1, dtype=np.int32)
    group[places] = np.arange(len(places[0]), dtype=np.int32)
    sizes = _ranks.count_pairs(evidence.given, pairs.row, pairs.klass, group, len(places[0]))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = np.empty(starts[-1], index_dtype(len(pairs.row)))
    _ranks.group_pairs(evidence.given, pairs.row, pairs.klass, group, starts, order)
    _ranks.take_largest(order, starts, wanted[places], pairs.row, pairs.gap, mask)
    _fill_up(evidence, places, wanted[places] - sizes, mask)
    return mask


def _fill_up(
    evidence: Evidence, places: tuple[np.ndarray, ...], missing: np.ndarray, mask: np.ndarray
) -> None:
    """Pairs with fewer kept than wanted rank the rest of their class: mark those that are reached.

    Rows whose prediction is their label, or nearly, take places and drop out at the end. So only
    rows are read that could still be flagged, and those whose place could be before theirs.

    Args:
        places: given and other class of every wanted pair, sorted.
        missing: how many more are wanted of each.
    """
    short = np.flatnonzero(missing > 0)
    if not len(short):
        return
    highest = np.full(evidence.m, -np.inf)  # of the rows that could still be flagged
    given, own, other = evidence.given, evidence.own, evidence.other
    if not _ranks.highest_open(given, own, evidence.near_tie, mask, highest):
        return
    of = np.searchsorted(places[0][short], np.arange(evidence.m + 1))
    highest[np.diff(of) == 0] = -np.inf
    begin = np.concatenate([[0], np.cumsum(missing[short])])
    row, gap, filled = np.empty(begin[-1], np.int64), np.empty(begin[-1], own.dtype), 0 * short
    # an entry less the label's is at most `other - own`, and the open rows' at least -own
    least = -highest - 2 * ENTRY_SLACK
    known = own.dtype.type(LEAST_GAP)
    heaps = places[1][short], begin, filled, row, gap
    for start in range(0, evidence.n, ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        rows = start + _ranks.reachable(given[here], own[here], other[here], least)
        for some, block, first in evidence.take(rows):
            _ranks.keep_nearest(block, first, some, given, own, known, of, *heaps)
    for start, count in zip(begin, filled):
        mask[row[start : start + count]] = True


def by_both(evidence: Evidence, take: np.ndarray) -> np.ndarray:
    return by_class(evidence, take) & by_noise_rate(evidence, take)


METHODS: Mapping[str, Select] = {
    "noise rate": by_noise_rate,
    "class": by_class,
    "both": by_both,
    "confident": by_guess,
    "predicted": by_prediction,
}


COUNTED = (by_noise_rate, by_class, by_both)  # take as many as the joint says


def flagged(
    evidence: Evidence,
    method: Select,
    keep: int = 1,
    fraction: float = 1.0,
    quotas: np.ndarray | None = None,
    joint: np.ndarray | None = None,
) -> np.ndarray:
    """A method's mask, near-ties dropped: bool (n,)."""
    joint = evidence.calibrated if joint is None else joint
    take = prune_counts(joint, evidence.given_counts, keep, fraction, quotas)
    few = evidence.given_counts <= keep
    if method in COUNTED and len(some := np.flatnonzero(few & (evidence.given_counts > 0))):
        named = ", ".join(map(str, some[:10])) + (", ..." if len(some) > 10 else "")
        warnings.warn(
            f"of these classes all examples stay (keep={keep}), and they are left alone: {named}.",
            stacklevel=3,
        )
    take[few] = 0
    take[few, few] = evidence.given_counts[few]
    return method(evidence, take) & ~evidence.near_tie


def lowest(evidence: Evidence, values: np.ndarray, count: int) -> np.ndarray:
    """The ``count`` lowest of the labelled rows' values: bool (n,)."""
    mask = np.zeros(evidence.n, dtype=bool)
    known = values[evidence.labelled]
    count = min(count, len(known))
    if count > 0:
        known.partition(count - 1)
        _ranks.mark_lowest(evidence.given, values, known[count - 1], count, mask)
    return mask
