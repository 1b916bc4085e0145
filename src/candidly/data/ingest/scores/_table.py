"""Scores that were read, and which columns of a table are what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ScoreColumns:
    """Which column of a table of scores is what; None: there is none.

    Args:
        model: names the model of a row. Then a row is one model's score on one item; else every
            column that has no other role is a model's.
        score: of such a row, or of a file that is one model's.
        run: tells the runs of one model on one item apart. Without it they are in order of rows.
        groups: what the item was made of. slices: the part of the benchmark. weights: how much it
            counts.
        key: the right answer. Then other columns are answers, which score 1 where they are it.
    """

    model: str | None = None
    score: str | None = None
    run: str | None = None
    groups: str | None = None
    slices: str | None = None
    weights: str | None = None
    key: str | None = None

    @property
    def of_items(self) -> dict[str, str]:
        """Columns that say something of the item, by role."""
        roles = {"groups": self.groups, "slices": self.slices, "weights": self.weights}
        return {role: name for role, name in roles.items() if name is not None}


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores that were read, as ``ranking.make_scores`` takes them.

    Attributes:
        models: name -> float64 (n,), or (n, E) of E runs; NaN where there is none.
        ids: (n,) names of the items.
        groups, slices: text (n,), or None. weights: float64 (n,), or None.
        answers: name -> text (n,) where there is a key; '' where there is none.
        key: text (n,), or None.
        about: what was read, for people.
    """

    models: Mapping[str, np.ndarray]
    ids: np.ndarray
    groups: np.ndarray | None = None
    slices: np.ndarray | None = None
    weights: np.ndarray | None = None
    answers: Mapping[str, np.ndarray] | None = None
    key: np.ndarray | None = None
    about: str = ""
