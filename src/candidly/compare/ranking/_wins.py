"""Wins of one model over another: Bradley and Terry's strengths, with ties, groups and a sandwich.

The chance that a is preferred to b is 1 / (1 + exp(b - a)). A tie is half a win of each. Answers to
one question, or of one judge, may depend on each other, so the covariance is summed over groups.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.problem import Refusal
from ._scores import names_in

ROUNDS = 100
SMALL = 1e-10  # of a step of Newton's method


@dataclass(frozen=True, eq=False)
class Wins:
    """m comparisons of two of R models.

    Attributes:
        names: the names of the models, (R,).
        first, second: int64 (m,), which models.
        won: float64 (m,), 1 where the first is preferred, 0 where the second is, 0.5 for a tie.
        group: int64 (m,), what comparisons have in common, such as a question.
    """

    names: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    won: np.ndarray
    group: np.ndarray

    @property
    def n(self) -> int:
        return len(self.won)


@door
def make_wins(
    first: Sequence[Any] | np.ndarray,
    second: Sequence[Any] | np.ndarray,
    won: Sequence[float] | np.ndarray,
    groups: Sequence[Any] | np.ndarray | None = None,
) -> Wins:
    """Checked comparisons.

    Args:
        first, second: (m,) names of the two models.
        won: (m,) 1 where the first is preferred, 0 where the second is, 0.5 for a tie.
        groups: (m,) what comparisons have in common, such as the question; by default each is its
            own.

    Raises:
        ValueError: shapes, a model against itself, other numbers; a model, or some models together,
            that never lost to the rest or never won, of which strengths would be without bounds.

    >>> make_wins(["a", "b", "a"], ["b", "a", "b"], [1, 1, 0.5]).names
    ('a', 'b')
    """
    one, other = names_in(first, "first"), names_in(second, "second")
    outcome = as_array(won, "won").astype(np.float64)
    if not (one.shape == other.shape == outcome.shape and outcome.ndim == 1):
        raise ValueError(
            f"`first` has shape {one.shape}, `second` {other.shape} and `won` {outcome.shape}; all "
            "are (comparisons,)."
        )
    if len(outcome) == 0:
        raise ValueError("there are no comparisons.")
    bad = ~np.isin(outcome, (0.0, 0.5, 1.0))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"`won` is {outcome[place]:g} in comparison {place}; it is 1 where the first is "
            "preferred, 0 where the second is, and 0.5 for a tie."
        )
    if (one == other).any():
        place = int(np.flatnonzero(one == other)[0])
        raise ValueError(f"comparison {place} is of {str(one[place])!r} with itself.")
    names, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    i, j = codes[: len(one)], codes[len(one) :]
    group = np.arange(len(one))
    if groups is not None:
        group = np.unique(names_in(groups, "groups"), return_inverse=True)[1]
        if group.shape != outcome.shape:
            raise ValueError(
                f"`groups` has shape {group.shape}; there are {len(outcome):,} comparisons."
            )
    wins = Wins(tuple(names.tolist()), i, j, outcome, group)
    _bounded(wins)
    return wins


def _bounded(wins: Wins) -> None:
    """Strengths are finite exactly where every model can be reached from every other by wins."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    models = len(wins.names)
    winner = np.concatenate([wins.first[wins.won > 0], wins.second[wins.won < 1]])
    loser = np.concatenate([wins.second[wins.won > 0], wins.first[wins.won < 1]])
    beats = coo_array((np.ones(len(winner)), (winner, loser)), (models, models))
    parts, part = connected_components(beats, directed=True, connection="strong")
    if parts == 1:
        return
    sizes = np.bincount(part)
    inside = [name for name, k in zip(wins.names, part) if k == int(sizes.argmin())]
    raise Refusal(
        f"Against the other models {', '.join(inside)} only won, only lost or was never compared, "
        "so no strength fits: it would be without bounds.",
        "leave out its comparisons",
        "count a tie more for each pair",
    )


@dataclass(frozen=True, eq=False)
class ComparedWins:
    """As ``PairedModels``; strengths are log-odds with mean 0."""

    mean: np.ndarray
    difference: np.ndarray
    p: np.ndarray
    error: np.ndarray
    differing: np.ndarray
    units: int
    _own: np.ndarray

    def intervals(self, level: float) -> np.ndarray:
        z = statistics.NormalDist().inv_cdf((1 + level) / 2)
        return np.stack([self.difference - z * self.error, self.difference + z * self.error], -1)

    def own_intervals(self, level: float) -> np.ndarray:
        z = statistics.NormalDist().inv_cdf((1 + level) / 2)
        return np.stack([self.mean - z * self._own, self.mean + z * self._own], -1)


def compare_wins(wins: Wins) -> ComparedWins:
    """Strengths by maximum likelihood, with a covariance that is summed over groups.

    Source: Bradley & Terry, Biometrika 39, 1952; Hunter, Annals of Statistics 32, 2004.
    """
    from scipy.special import expit, ndtr

    models, i, j = len(wins.names), wins.first, wins.second
    strength = np.zeros(models)
    for _ in range(ROUNDS):
        chance = expit(strength[i] - strength[j])
        rest = wins.won - chance
        slope = np.bincount(i, rest, models) - np.bincount(j, rest, models)
        inverse = np.linalg.inv(_curvature(wins, chance))
        step = inverse @ slope
        strength = strength + step * min(1.0, 2.0 / max(np.abs(step).max(), SMALL))
        if np.abs(step).max() < SMALL:
            break
    chance = expit(strength[i] - strength[j])
    inverse = np.linalg.inv(_curvature(wins, chance))
    units = int(wins.group.max()) + 1
    rest = wins.won - chance
    scores = np.stack(
        [
            np.bincount(wins.group, rest * (i == r), units)
            - np.bincount(wins.group, rest * (j == r), units)
            for r in range(models)
        ]
    )
    middle = np.eye(models) - 1 / models
    spread = middle @ inverse @ (scores @ scores.T) @ inverse @ middle
    spread *= units / max(units - 1, 1)
    variance = spread.diagonal()
    strength = strength - strength.mean()
    difference = np.subtract.outer(strength, strength)
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * spread, 0))
    together = np.zeros((models, models), np.int64)
    np.add.at(together, (i, j), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(error > 0, 2 * ndtr(-np.abs(difference) / error), 1.0)
    p = np.maximum(p, min(1.0, 2.0 ** (1 - min(units, 1000))))
    own = np.sqrt(np.maximum(variance, 0))
    return ComparedWins(strength, difference, p, error, together + together.T, units, own)


def _curvature(wins: Wins, chance: np.ndarray) -> np.ndarray:
    """Minus the second derivative, and 1 / R everywhere, so that strengths have mean 0."""
    models = len(wins.names)
    found = np.full((models, models), 1 / models)
    weight = chance * (1 - chance)
    for a, b, sign in (
        (wins.first, wins.first, 1), (wins.second, wins.second, 1),
        (wins.first, wins.second, -1), (wins.second, wins.first, -1),
    ):  # fmt: skip
        found += sign * np.bincount(a * models + b, weight, models**2).reshape(models, models)
    return found
