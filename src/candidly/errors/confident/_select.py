"""Which examples: the methods of confident learning, from an ``Evidence``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ground.arrays import ENTRY_SLACK
from . import _kernels, _ranks
from ._cells import Cells, prune_counts
from ._evidence import EPSILON, Evidence
from ._pairs import index_dtype
from ._passes import ROWS_AT_ONCE, Lacking, nearest, ranges

Select = Callable[[Evidence, Cells], np.ndarray]  # (evidence, counts to take) -> mask


def by_prediction(evidence: Evidence, take: Cells) -> np.ndarray:
    return evidence.labelled & (evidence.predicted != evidence.given)


def by_guess(evidence: Evidence, take: Cells) -> np.ndarray:
    return _kernels.confidently_other(evidence.given, evidence.guess)


def by_class(evidence: Evidence, take: Cells) -> np.ndarray:
    """The lowest self-confidences of every class, as many as are estimated to be wrong."""
    mask = np.zeros(evidence.n, dtype=bool)
    order, starts = evidence.by_given
    wrong = evidence.given_counts - take.diagonal
    _ranks.take_smallest(order, starts, wrong, evidence.own, mask)
    return mask


def by_noise_rate(evidence: Evidence, take: Cells) -> np.ndarray:
    """For every pair of classes, those of the one that look most like the other."""
    pairs = evidence.pairs
    if pairs is None:
        raise ValueError("this evidence was gathered without pairs; gather it with pairs=True.")
    mask = np.zeros(evidence.n, dtype=bool)
    wanted = take.aside
    table = _ranks.cell_table(wanted.starts, wanted.other)
    every = evidence.given, pairs.row, pairs.klass
    sizes = _ranks.count_pairs(*every, len(wanted.other), table)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = np.empty(starts[-1], index_dtype(len(pairs.row)))
    _ranks.group_pairs(*every, table, starts, order)
    _ranks.take_largest(order, starts, wanted.count, pairs.row, pairs.gap, mask)
    _fill_up(evidence, wanted, wanted.count - sizes, mask)
    return mask


def _fill_up(evidence: Evidence, wanted: Cells, missing: np.ndarray, mask: np.ndarray) -> None:
    """Pairs with fewer kept than wanted rank the rest of their class: mark those that are reached.

    Rows whose prediction is their label, or nearly, take places and drop out at the end. So only
    rows are read that could still be flagged, and those whose place could be before theirs.

    Args:
        wanted: how many of every pair, none on the diagonal.
        missing: how many more are wanted of each.
    """
    short = np.flatnonzero(missing > 0)
    if not len(short):
        return
    highest = np.full(evidence.m, -np.inf)  # of the rows that could still be flagged
    given, own, other = evidence.given, evidence.own, evidence.other
    columns = given, evidence.predicted, own, other
    if not _ranks.highest_open(*columns, own.dtype.type(EPSILON), mask, highest):
        return
    of = np.searchsorted(wanted.given[short], np.arange(evidence.m + 1))
    highest[np.diff(of) == 0] = -np.inf
    begin = np.concatenate([[0], np.cumsum(missing[short])])
    row, gap, filled = np.empty(begin[-1], np.int64), np.empty(begin[-1], own.dtype), 0 * short
    # an entry less the label's is at most `other - own`, and the open rows' at least -own
    least = -highest - 2 * ENTRY_SLACK
    heaps = begin, filled, row, gap
    wanted_more = Lacking(of, wanted.other[short], missing[short])

    def handed(start: int, stop: int) -> tuple[Lacking, np.ndarray, np.ndarray, np.ndarray]:
        here = slice(start, stop)
        rows = start + _ranks.reachable(given[here], own[here], other[here], least)
        return wanted_more, rows, given[rows], own[rows]

    where = ranges(evidence.source, ROWS_AT_ONCE)
    for _, near in evidence.readers.each(nearest, where, handed):
        _ranks.keep_again(*near, *heaps)
    for start, count in zip(begin, filled):
        mask[row[start : start + count]] = True


def by_both(evidence: Evidence, take: Cells) -> np.ndarray:
    return by_class(evidence, take) & by_noise_rate(evidence, take)


METHODS: Mapping[str, Select] = {
    "noise rate": by_noise_rate,
    "class": by_class,
    "both": by_both,
    "confident": by_guess,
    "predicted": by_prediction,
}


COUNTED = ("noise rate", "class", "both")  # take as many as the joint says


def check_for(by: str, keep: int, fraction: float, quotas: Any) -> None:
    """Refuse options that ``by`` would not look at.

    Raises:
        ValueError: names the options, and what they are for.
    """
    asked = {"keep": keep != 1, "fraction": fraction != 1, "quotas": quotas is not None}
    given = [name for name, there in asked.items() if there]
    if given and by not in COUNTED:
        raise ValueError(
            f"{', '.join(given)}: by={by!r} takes no account of it; "
            f"use it with by={', '.join(repr(name) for name in COUNTED)}."
        )


def flagged(
    evidence: Evidence,
    method: Select,
    keep: int = 1,
    fraction: float = 1.0,
    quotas: np.ndarray | None = None,
    joint: Cells | None = None,
) -> np.ndarray:
    """A method's mask, near-ties dropped: bool (n,)."""
    joint = evidence.calibrated if joint is None else joint
    take = prune_counts(joint, evidence.given_counts, keep, fraction, quotas)
    few = evidence.given_counts <= keep
    some = np.flatnonzero(few & (evidence.given_counts > 0))
    if len(some) and any(method is METHODS[name] for name in COUNTED):
        named = ", ".join(map(evidence.called, some[:10].tolist())) + (
            ", ..." if len(some) > 10 else ""
        )
        warnings.warn(
            f"of these classes all examples stay (keep={keep}), and they are left alone: {named}.",
            stacklevel=3,
        )
    take = take.left_alone(few, evidence.given_counts)
    return evidence.without_near_ties(method(evidence, take))


def lowest(evidence: Evidence, by: str, count: int) -> np.ndarray:
    """The ``count`` lowest of the labelled rows by ``margin`` or ``self-confidence``: bool (n,)."""
    mask = np.zeros(evidence.n, dtype=bool)
    other = evidence.other if by == "margin" else evidence.other[:0]
    count = min(count, int(evidence.given_counts.sum()))
    if count > 0:
        _ranks.mark_lowest(evidence.given, evidence.own, other, count, mask)
    return mask
