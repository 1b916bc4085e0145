"""Ranks in parts of a benchmark: do they disagree beyond chance, and does one part decide?

A unit is an item, or a group of items in one slice. Scores less the mean of all models on that item
say how the models differ; the test asks whether these differences are the same in every slice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...stats import holm
from ...stats.places import competition_ranks
from ._compared import compare
from ._scores import Scores, part_of

FEW = 2  # units that a slice needs for the test


@dataclass(frozen=True)
class Slice:
    """One part.

    Attributes:
        name, items: which, and how many items it has.
        scores: of the models in the order of the report. ranks: by these.
    """

    name: str
    items: int
    scores: tuple[float, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Turned:
    """A slice in which a model is surely ahead of one that is ahead of it over all items.

    Attributes:
        slice: its name. ahead, behind: in this slice; the other way round over all.
        difference: in this slice. adjusted: its p after Holm over all pairs and slices.
    """

    slice: str
    ahead: str
    behind: str
    difference: float
    adjusted: float


@dataclass(frozen=True)
class SliceReport:
    """What slices say.

    Attributes:
        slices: each, in the order in which they come.
        p: of the test that the models differ in every slice as they do in all; None where fewer
            than two slices have two units.
        tested: slices that the test looks at.
        turned: established in a slice, against the order of all.
        average: each model's mean over slices, in the order of the report.
        average_ranks: ranks by these.
        pivotal: slices without which another model would be first.
        leave_one_out: for each model, its best and its worst rank when one slice is left out.
    """

    slices: tuple[Slice, ...]
    p: float | None
    tested: int
    turned: tuple[Turned, ...]
    average: tuple[float, ...]
    average_ranks: tuple[int, ...]
    pivotal: tuple[str, ...]
    leave_one_out: tuple[tuple[int, int], ...]


def slices_of(scores: Scores, alpha: float) -> SliceReport | None:
    """Of scores whose models are in order of rank; None without slices."""
    if scores.slice_of is None:
        return None
    weight, total = _summed(scores)
    means = total / weight  # (R, S)
    ranks = competition_ranks(means.T)  # (S, R)
    average = means.mean(1)
    left = (total.sum(1, keepdims=True) - total) / np.where(
        weight.sum() > weight, weight.sum() - weight, np.nan
    )
    without = competition_ranks(left.T if len(weight) > 1 else means.T)
    counts = np.bincount(scores.slice_of, minlength=len(weight)).tolist()
    p, tested = heterogeneity(scores)
    return SliceReport(
        slices=tuple(
            Slice(name, counts[k], tuple(means[:, k].tolist()), tuple(ranks[k].tolist()))
            for k, name in enumerate(scores.slices)
        ),
        p=p,
        tested=tested,
        turned=_turned(scores, alpha),
        average=tuple(average.tolist()),
        average_ranks=tuple(competition_ranks(average).tolist()),
        pivotal=tuple(
            name
            for name, one in zip(scores.slices, without.tolist())
            if one[0] != 1 and len(weight) > 1
        ),
        leave_one_out=tuple(
            (best, worst) for best, worst in zip(without.min(0).tolist(), without.max(0).tolist())
        ),
    )


def _summed(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Weights (S,) and weighted sums of scores (R, S) of each slice."""
    parts = len(scores.slices)
    weight = np.bincount(scores.slice_of, scores.weight, parts)  # type: ignore[arg-type]
    total = np.stack(
        [np.bincount(scores.slice_of, row * scores.weight, parts) for row in scores.values]  # type: ignore[arg-type]
    )
    return weight, total


def heterogeneity(scores: Scores) -> tuple[float | None, int]:
    """p of the test that models differ alike in every slice, and the slices that are looked at.

    The statistic is that of an analysis of variance over the slices, of all models together; its
    chi-squared limit has the degrees of freedom of Box, with variances of each slice's own.

    Source: Brunner, Dette & Munk, Journal of the American Statistical Association 92, 1997.
    """
    from scipy.special import gammaincc

    mean, covariance, weight = _moments(scores)
    if len(weight) < 2:
        return None, len(weight)
    middle = weight @ mean / weight.sum()
    statistic = float((weight[:, None] * (mean - middle) ** 2).sum())
    # of the quadratic form: weights on the diagonal, less their product over their sum
    form = np.diag(weight) - np.outer(weight, weight) / weight.sum()
    traces = np.trace(covariance, axis1=1, axis2=2)
    expected = float(form.diagonal() @ traces)
    flat = covariance.reshape(len(weight), -1)
    squares = float((form**2 * (flat @ flat.T)).sum())
    if expected <= 0 or squares <= 0:
        return None, len(weight)
    freedom = expected**2 / squares
    return float(gammaincc(freedom / 2, statistic / expected * freedom / 2)), len(weight)


def _moments(scores: Scores) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of slices with enough units: means (S, R), covariances of the means (S, R, R), weights."""
    assert scores.slice_of is not None
    means, covariances, weights = [], [], []
    order = np.argsort(scores.slice_of, kind="stable")
    ends = np.cumsum(np.bincount(scores.slice_of, minlength=len(scores.slices)))
    for items in np.split(order, ends[:-1]):
        apart = scores.values[:, items] - scores.values[:, items].mean(0)
        w = scores.weight[items]
        mean = apart @ w / w.sum()
        away = (apart - mean[:, None]) * w
        if scores.grouped:
            group = np.unique(scores.group[items], return_inverse=True)[1]
            away = np.stack([np.bincount(group, row) for row in away])
        units = away.shape[1]
        if units < FEW:
            continue
        means.append(mean)
        covariances.append(away @ away.T * (units / (units - 1) / w.sum() ** 2))
        weights.append(w.sum())
    return np.array(means), np.array(covariances), np.array(weights)


def _turned(scores: Scores, alpha: float) -> tuple[Turned, ...]:
    """Pairs whose order in a slice is established, and is not that of all items."""
    i, j = np.triu_indices(len(scores.names), 1)
    p, difference = [], []
    for k in range(len(scores.slices)):
        compared = compare(part_of(scores, np.asarray(scores.slice_of == k)))
        p.append(compared.p[i, j])
        difference.append(compared.difference[i, j])
    overall = scores.values @ scores.weight
    ahead = np.sign(overall[i] - overall[j])
    adjusted = holm(np.concatenate(p)).reshape(len(p), -1)
    apart = np.array(difference)
    found = np.argwhere((adjusted <= alpha) & (np.sign(apart) == -ahead) & (ahead != 0))
    turned = [
        Turned(
            scores.slices[k],
            scores.names[(i if apart[k, pair] > 0 else j)[pair]],
            scores.names[(j if apart[k, pair] > 0 else i)[pair]],
            abs(float(apart[k, pair])),
            float(adjusted[k, pair]),
        )
        for k, pair in found.tolist()
    ]
    return tuple(sorted(turned, key=lambda one: one.adjusted))
