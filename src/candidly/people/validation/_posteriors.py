"""How probable each answer is to be the right one, once people's own errors are allowed for."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door, whole_numbers
from ..crowd import Answers, By, consensus
from ._answers import SKIP
from ._verdicts import Verdicts
from .rule import NON_AGREEMENT
from .tally import ANSWERS


@dataclass(frozen=True, eq=False)
class Posteriors:
    """How probable answers about k items are to be right.

    Attributes:
        item: int64 (k,), ascending; items with an answer.
        probability: float64 (k, 5), of each answer in the order of ``validation.ANSWERS`` to be
            the right one; rows sum to 1.
        quality: by person, the probability that they give the right answer.
    """

    item: np.ndarray
    probability: np.ndarray
    quality: dict[str, float]

    def of(self, verdicts: Verdicts) -> np.ndarray:
        """How probable each verdict is to be right: float64 (len(verdicts),), in [0, 1].

        NaN where people did not agree, where nothing is decided, and for items not in ``item``.
        """
        place = np.searchsorted(self.item, verdicts.tally.item)
        place = np.minimum(place, len(self.item) - 1)
        known = (self.item[place] == verdicts.tally.item) & (verdicts.category < NON_AGREEMENT)
        column = np.where(known, verdicts.category, 0)
        return np.where(known, self.probability[place, column], np.nan)


@door
def posteriors(
    item: Any,
    person: Any,
    answer: Any,
    *,
    offered: Sequence[str] = ANSWERS,
    by: By = "opinion-pool",
) -> Posteriors:
    """Probabilities of the answers about each item, people weighed by how often they err.

    That needs several items per person; with few, a majority is as good.

    Args:
        item, person, answer: a row per answer, as ``from_answers`` takes them; skips are left out.
        offered: answers that people could give; the others have probability 0.
        by: how, a way of ``crowd.consensus``. The opinion pool allows for errors that people share,
            such as of a hint that all of them saw; ``dawid-skene`` is surer, and right to be so
            where people err independently.

    Raises:
        ValueError: no answer but skips, an answer that was not offered, or one person twice about
            one item.
    """
    items, answers = whole_numbers("item", item), np.asarray(list(answer), dtype=object)
    said = answers != SKIP
    people = np.asarray([str(who) for who in person], dtype=object)
    table = Answers.from_columns(items[said], people[said], answers[said], classes=offered)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about its labels, which nobody sees here
        found = consensus(table, by)
    probability = np.zeros((table.n, len(ANSWERS)))
    probability[:, [ANSWERS.index(name) for name in table.classes]] = found.posterior
    return Posteriors(
        table.items, probability, dict(zip(table.annotators, found.annotator_quality.tolist()))
    )
