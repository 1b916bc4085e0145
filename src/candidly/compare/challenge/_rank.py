"""Ranks and points, and how far a difference between two submissions may be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...ground.seeds import draw

FIRST_POINTS = 11  # minus the rank
DIGITS = 12  # of scores that count as equal
RESAMPLES = 1000
AT_ONCE = 100


@dataclass(frozen=True)
class Placing:
    """Where a submission stands among those of its task, track and data set.

    Attributes:
        name: the name of the submission.
        scores: by label set; None where it is absent.
        ranks: by label set; an absent one has the last rank, the number of participants.
        points: the sum over label sets of max(11 - rank, 0), absent ones with the last rank.
        points_absent_0: the same, with nothing for a label set where it is absent.
        place: by ``points``; of equals the better.
    """

    name: str
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int]
    points: int
    points_absent_0: int
    place: int


def standings(
    scores: Mapping[str, Mapping[str, float | None]], sets: Sequence[str]
) -> list[Placing]:
    """Ranks of submissions, best first; equal scores share the better rank (1, 2, 2, 4).

    Args:
        scores: by submission, then by label set; what is missing counts as absent.

    >>> found = standings({"a": {"x": 0.9}, "b": {"x": 0.8}, "c": {"x": 0.8}, "d": {}}, ["x"])
    >>> [(one.name, one.ranks["x"], one.points, one.points_absent_0) for one in found]
    [('a', 1, 10, 10), ('b', 2, 9, 9), ('c', 2, 9, 9), ('d', 4, 7, 0)]
    """
    names = list(scores)
    ranks: dict[str, dict[str, int]] = {name: {} for name in names}
    for one in sets:
        there = {name: scores[name].get(one) for name in names}
        for name, score in there.items():
            better = sum(
                other is not None and score is not None and _more(other, score)
                for other in there.values()
            )
            ranks[name][one] = len(names) if score is None else 1 + better
    points = {name: sum(_points(rank) for rank in ranks[name].values()) for name in names}
    strict = {
        name: sum(_points(ranks[name][one]) for one in sets if scores[name].get(one) is not None)
        for name in names
    }
    made = [
        Placing(
            name,
            {one: scores[name].get(one) for one in sets},
            ranks[name],
            points[name],
            strict[name],
            1 + sum(other > points[name] for other in points.values()),
        )
        for name in names
    ]
    return sorted(made, key=lambda one: (one.place, -one.points_absent_0, one.name))


def _points(rank: int) -> int:
    return max(FIRST_POINTS - rank, 0)


def _more(one: float, other: float) -> bool:
    return round(one, DIGITS) > round(other, DIGITS)


@dataclass(frozen=True)
class Difference:
    """Two submissions on common resamples of the rows.

    Attributes:
        first, second: names.
        difference: of the mean scores over runs, on the rows as they are.
        low, high: the middle 95 % of it over resamples.
        ahead: share of the resamples in which the first is ahead; equal ones count half.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    ahead: float


def differences(
    hits: Mapping[str, np.ndarray], wrong: np.ndarray | None, resamples: int = RESAMPLES
) -> list[Difference]:
    """The paired bootstrap over rows, of every two submissions.

    Rows are drawn with replacement, the same for all; a submission's score is the mean over its
    runs. It says how much the choice of rows matters, for the models that were trained; how much
    the seed matters, the spread over runs says.

    Args:
        hits: by submission, bool (runs, rows): predicted right, or flagged.
        wrong: bool (rows,) for flags, which are scored by F1; None for accuracy.
    """
    names = list(hits)
    if not names:
        return []
    rows = next(iter(hits.values())).shape[1]
    columns = _columns(hits, wrong)
    whole = _scores(np.ones((1, rows), np.float32), columns, hits, wrong)[0]
    rng, drawn = draw(0, "paired bootstrap"), []
    for start in range(0, resamples, AT_ONCE):
        weights = np.stack(
            [
                np.bincount(rng.integers(0, rows, rows), minlength=rows).astype(np.float32)
                for _ in range(min(AT_ONCE, resamples - start))
            ]
        )
        drawn.append(_scores(weights, columns, hits, wrong))
    table = np.concatenate(drawn)
    found = []
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            apart = table[:, i] - table[:, j]
            low, high = np.quantile(apart, [0.025, 0.975])
            ahead = float((apart > 0).mean() + (apart == 0).mean() / 2)
            difference = float(whole[i] - whole[j])
            found.append(Difference(first, names[j], difference, float(low), float(high), ahead))
    return found


def _columns(hits: Mapping[str, np.ndarray], wrong: np.ndarray | None) -> np.ndarray:
    """float32 (rows, columns): hits of every run; or flags, right flags and wrong labels."""
    each = np.concatenate(list(hits.values())).T
    if wrong is None:
        return each.astype(np.float32)
    return np.hstack([each, each & wrong[:, None], wrong[:, None]]).astype(np.float32)


def _scores(
    weights: np.ndarray, columns: np.ndarray, hits: Mapping[str, np.ndarray], wrong
) -> np.ndarray:
    """float64 (resamples, submissions): the mean score over runs."""
    sums = (weights @ columns).astype(np.float64)
    if wrong is None:
        each = sums / weights.sum(1, keepdims=True)
    else:
        runs = (sums.shape[1] - 1) // 2
        both = sums[:, :runs] + sums[:, -1:]
        each = np.where(both > 0, 2 * sums[:, runs:-1] / np.maximum(both, 1), 1.0)
    ends = np.cumsum([len(one) for one in hits.values()])
    parts = np.split(each, ends[:-1], 1)
    return np.stack([part.mean(1) for part in parts], 1)
