"""Wrong keys: how many could turn an order, and which are contradicted by the models themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door
from ._checked import CheckedScores, make_checked
from ._scores import Scores

MOST = 1000  # suspects that are named


@dataclass(frozen=True)
class Suspect:
    """An item whose key many models contradict with one and the same answer.

    Attributes:
        item: its name. key: what counts as right. answer: what most models say instead.
        models: that say so. of: models that answered.
        turns: pairs of models, one with the key and one with that answer, whose difference would
            change by two items were that answer the right one.
    """

    item: Any
    key: str
    answer: str
    models: int
    of: int
    turns: int

    @property
    def matters(self) -> float:
        """For the order: ``turns``, by how likely the key is wrong as the share of models tells."""
        return self.turns * self.models / self.of


@door
def suspects(
    answers: Mapping[str, Any], key: Sequence[str] | np.ndarray, ids: Any = None
) -> tuple[Suspect, ...]:
    """Items that more than half of the models answer alike, and not as the key says.

    Models were made from the same texts, so they err together: that all agree is no proof. On
    MMLU-Redux experts found something wrong with 56 % of the 99 questions of which all models that
    answered contradict the key alike, and with 6 % of all.

    Args:
        answers: name -> text (n,), '' where there is none. key: text (n,).
        ids: (n,) names of the items; by default their places.

    Returns:
        The most contradicted first; of these, those that matter most for the order.

    >>> suspects({"a": ["x", "y"], "b": ["x", "z"], "c": ["x", "y"]}, ["w", "y"])
    (Suspect(item=0, key='w', answer='x', models=3, of=3, turns=0),)
    """
    said = np.array([np.asarray(one).astype(str) for one in answers.values()])
    right = np.asarray(key).astype(str)
    if said.shape[1:] != right.shape:
        raise ValueError(f"`answers` are of {said.shape[1:]} items, and `key` has {right.shape}.")
    names = np.arange(len(right)) if ids is None else np.asarray(ids)
    there = (said != "").sum(0)
    given = (said == right).sum(0)
    candidates = np.flatnonzero(2 * (there - given) > there)
    found = []
    for item in candidates.tolist():
        others, counts = np.unique(
            said[(said[:, item] != right[item]) & (said[:, item] != ""), item], return_counts=True
        )
        most = int(counts.argmax())
        if 2 * counts[most] > there[item]:
            found.append(
                Suspect(
                    names[item].item() if hasattr(names[item], "item") else names[item],
                    str(right[item]),
                    str(others[most]),
                    int(counts[most]),
                    int(there[item]),
                    int(given[item] * counts[most]),
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.models / one.of, -one.turns))[:MOST])


def were_right(
    scores: Scores, answers: Mapping[str, np.ndarray], doubted: Sequence[Suspect]
) -> CheckedScores:
    """The scores, were the answer of most models the right one on each of these items.

    Args:
        scores: by the key. answers: name -> text (n,) of its items. doubted: from ``suspects``,
            whose names of items are those of ``scores``; others are passed over.
    """
    instead = {one.item: one.answer for one in doubted}
    key = np.array([instead.get(item, "") for item in scores.ids.tolist()])
    right = {
        name: np.where(key == "", np.nan, (said == key).astype(np.float64))
        for name, said in answers.items()
    }
    return make_checked(scores, right, changed=key != "")


def keys_to_turn(differences: np.ndarray, weight: np.ndarray, most: float) -> int | None:
    """The fewest items whose scores, changed in the worst way, make a lead of one over another 0.

    Args:
        differences: (n,) of the two models, the one that leads first. weight: (n,).
        most: by how much one model can be ahead on one item.

    Returns:
        None where no number of items does; 0 where there is no lead.

    >>> keys_to_turn(np.array([1.0, 1.0, 1.0, 0.0, -1.0]), np.ones(5), 1.0)
    1
    """
    lead = float(differences @ weight)
    if lead <= 0:
        return 0
    gains = np.sort(weight * (differences + most))[::-1]
    enough = np.cumsum(gains) >= lead * (1 - 1e-12)
    return int(enough.argmax()) + 1 if enough.any() else None
