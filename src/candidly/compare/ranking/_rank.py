"""From scores, or from wins, to a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.numbers import count_of
from ...stats import holm
from ...stats.places import (
    competition_ranks,
    open_ranks,
    rank_intervals,
    secure_places,
    surely_better,
)
from ...stats.rank_correlation import kendall
from ._checked import CheckedScores
from ._compared import PairedModels, compare
from ._judged import JudgedMean, JudgedScores, PairedJudged, compare_judged
from ._keys import keys_to_turn
from ._power import POWER, least_visible, units_needed
from ._report import Against, ComparedPair, PlacedModel, Ranking
from ._scores import Scores, make_scores
from ._slices import slices_of
from ._verdict import verdict
from ._wins import ComparedWins, Wins, compare_wins
from ._wrong_keys import wrong_keys

KINDS = {Scores: "scores", JudgedScores: "judged", Wins: "wins"}
Paired = PairedModels | PairedJudged | ComparedWins
FEW_UNITS = 30  # groups, below which a note says so


@door
def rank(
    scores: Scores | CheckedScores | JudgedScores | Wins | Mapping[str, Any],
    *,
    alpha: float = 0.05,
    power: float = POWER,
    against: Mapping[str, float] | None = None,
) -> Ranking:
    """How models rank, and what of it is more than chance.

    All pairs of models are tested on the items that both answered, so it matters only where they
    differ. Items of a group count as one draw. Tests are corrected over all pairs (Holm), so that
    the chance of any wrong "ahead" is at most ``alpha``; ranks that are called possible hold
    together.

    Args:
        scores: from ``make_scores``, ``make_checked``, ``make_judged`` or ``make_wins``; or name ->
            scores (n,) or (n, runs), which ``make_scores`` checks. Of checked keys the ranking is
            that by what is known now.
        alpha: one minus the level of every interval and test, in (0, 1).
        power: how often a difference is to be found, where items that it needs are told, in (0, 1).
        against: name -> score or -rank in another ranking, higher is better, to put beside it.

    Raises:
        ValueError: an option out of range, or what ``make_scores`` refuses.

    >>> found = rank({"a": [1] * 40, "b": [1, 0] * 20, "c": [0, 1] * 20})
    >>> found.verdict
    'a is first of 3 models on 40 items, ahead of every other by more than chance.'
    >>> [one.possible for one in found.models]
    [(1, 1), (2, 3), (2, 3)]
    """
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise ValueError(f"`{name}` is {value}; it lies between 0 and 1.")
    if isinstance(scores, Wins):
        return _ranking(scores.names, compare_wins(scores), scores, alpha, power, against)
    if isinstance(scores, JudgedScores):
        return _ranking(scores.names, compare_judged(scores), scores, alpha, power, against)
    if isinstance(scores, CheckedScores):
        now = rank(scores.now, alpha=alpha, power=power, against=against)
        return replace(now, wrong_keys=wrong_keys(scores, alpha))
    if not isinstance(scores, Scores):
        scores = make_scores(scores)
    order = np.argsort(-(scores.values @ scores.weight), kind="stable")
    ordered = replace(
        scores,
        names=tuple(scores.names[r] for r in order),
        values=scores.values[order],
        run_variance=None if scores.run_variance is None else scores.run_variance[order],
    )
    return _ranking(ordered.names, compare(ordered), ordered, alpha, power, against)


def _ranking(
    names: tuple[str, ...],
    compared: Paired,
    of: Scores | JudgedScores | Wins,
    alpha: float,
    power: float,
    against: Mapping[str, float] | None,
) -> Ranking:
    better = surely_better(compared.difference > 0, compared.p, alpha)
    order = np.argsort(-compared.mean, kind="stable")
    possible = rank_intervals(better)
    ranks = competition_ranks(compared.mean)
    own = compared.own_intervals(1 - alpha)
    shares = _run_shares(compared)
    models = tuple(
        PlacedModel(
            names[r],
            float(compared.mean[r]),
            float(own[r, 0]),
            float(own[r, 1]),
            int(ranks[r]),
            (int(possible[r, 0]), int(possible[r, 1])),
            shares[r],
        )
        for r in order.tolist()
    )
    in_order = better[np.ix_(order, order)]
    secure, together = secure_places(in_order), open_ranks(in_order)
    pairs = _pairs(names, compared, order, alpha, power)
    neighbours = tuple(
        _with_keys(pairs[(a, a + 1)], of, int(order[a]), int(order[a + 1]))
        for a in range(len(names) - 1)
    )
    i, j = np.triu_indices(len(names), 1)
    level = 1 - alpha / len(i)
    errors = compared.error[i, j]
    what = count_of(of.n, "comparison" if isinstance(of, Wins) else "item")
    ends = of.judge if isinstance(of, JudgedScores) else of
    first, left = verdict(models, secure, together, what)
    return Ranking(
        verdict=first,
        left_open=left,
        notes=_notes(of, compared),
        kind=KINDS[type(of)],
        items=of.n,
        units=compared.units,
        runs=of.runs if isinstance(of, Scores) else 1,
        between=(ends.lowest, ends.highest) if isinstance(ends, Scores) else None,
        alpha=alpha,
        power=power,
        models=models,
        neighbours=neighbours,
        pairs=tuple(pairs.values()),
        secure=secure,
        together=together,
        apart=int(better.sum()),
        of_pairs=len(i),
        least_visible=least_visible(errors, level, power) if errors.any() else None,
        slices=slices_of(of, alpha) if isinstance(of, Scores) else None,
        against=None if against is None else _against(models, better, order, against),
        judged=_judged(compared, order),
        wrong_keys=None,
        filled=of.filled if isinstance(of, Scores) else 0,
        dropped=of.dropped if isinstance(of, Scores) else 0,
    )


def _pairs(
    names: tuple[str, ...],
    compared: Paired,
    order: np.ndarray,
    alpha: float,
    power: float,
) -> dict[tuple[int, int], ComparedPair]:
    """By places (from 0), the better one first."""
    places = np.triu_indices(len(names), 1)
    i, j = order[places[0]], order[places[1]]
    level = 1 - alpha / len(i)
    p = compared.p[i, j]
    adjusted = holm(p)
    bounds = compared.intervals(level)[i, j]
    alone = compared.intervals(1 - alpha)[i, j]
    return {
        (a, b): ComparedPair(
            first=names[x],
            second=names[y],
            difference=float(compared.difference[x, y]),
            low=float(bounds[k, 0]),
            high=float(bounds[k, 1]),
            alone=(float(alone[k, 0]), float(alone[k, 1])),
            p=float(p[k]),
            adjusted=float(adjusted[k]),
            differing=int(compared.differing[x, y]),
            needed=units_needed(
                float(compared.difference[x, y]),
                float(compared.error[x, y]),
                compared.units,
                level,
                power,
            ),
            keys=None,
        )
        for k, (a, b, x, y) in enumerate(
            zip(places[0].tolist(), places[1].tolist(), i.tolist(), j.tolist())
        )
    }


def _judged(compared: Paired, order: np.ndarray) -> tuple[JudgedMean, ...]:
    if not isinstance(compared, PairedJudged):
        return ()
    return tuple(compared.means[r] for r in order.tolist())


def _with_keys(
    pair: ComparedPair, of: Scores | JudgedScores | Wins, a: int, b: int
) -> ComparedPair:
    """Only of neighbours: every pair would be a pass over all items each."""
    if not isinstance(of, Scores):
        return pair
    apart = of.values[a] - of.values[b]
    return replace(pair, keys=keys_to_turn(apart, of.weight, of.highest - of.lowest))


def _run_shares(compared: Paired) -> list[float | None]:
    """The part of the variance of each score that its runs give; None of a model with one run."""
    if not isinstance(compared, PairedModels) or compared.scores.run_variance is None:
        return [None] * len(compared.mean)
    weight = compared.scores.weight
    shares: list[float | None] = []
    for error, variance in zip(compared.own_errors().tolist(), compared.scores.run_variance):
        known = ~np.isnan(variance)
        if not known.any() or not error:
            shares.append(None)
            continue
        by_runs = float((variance[known] * weight[known] ** 2).mean()) * len(weight)
        shares.append(min(1.0, by_runs / weight.sum() ** 2 / error**2))
    return shares


def _notes(of: Scores | JudgedScores | Wins, compared: Paired) -> tuple[str, ...]:
    notes = []
    if isinstance(of, Scores):
        if of.filled:
            notes.append(f"Missing answers count as the lowest score: {of.filled:,}.")
        if of.dropped:
            notes.append(f"Items that some model did not answer are left out: {of.dropped:,}.")
    if compared.units < of.n and compared.units < FEW_UNITS:
        notes.append(
            f"The {of.n:,} items come from {compared.units:,} groups. With so few, tests and "
            "intervals rest on little."
        )
    level = [
        (a, b)
        for a, b in zip(*np.triu_indices(len(compared.mean), 1))
        if compared.differing[a, b] == 0 and isinstance(of, Scores)
    ]
    if level:
        names = of.names
        shown = ", ".join(f"{names[a]} and {names[b]}" for a, b in level[:3])
        more = f" and {len(level) - 3:,} more pairs" if len(level) > 3 else ""
        notes.append(f"These have the same score on every item: {shown}{more}.")
    return tuple(notes)


def _against(
    models: tuple[PlacedModel, ...],
    better: np.ndarray,
    order: np.ndarray,
    other: Mapping[str, float],
) -> Against:
    places = [k for k, one in enumerate(models) if one.model in other]
    if len(places) < 2:
        raise ValueError(
            f"`against` has {len(places)} of these models; there are "
            f"{', '.join(one.model for one in models)}."
        )
    here = np.array([models[k].score for k in places])
    there = np.array([float(other[models[k].model]) for k in places])
    tau = kendall(here, there)
    turned = [
        (a, b)
        for a in range(len(places))
        for b in range(a + 1, len(places))
        if here[a] > here[b] and there[a] < there[b]
    ]
    sure = [
        (models[places[a]].model, models[places[b]].model)
        for a, b in turned
        if better[order[places[a]], order[places[b]]]
    ]
    return Against(len(places), None if np.isnan(tau) else tau, len(turned), tuple(sure))
