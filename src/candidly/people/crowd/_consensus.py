"""What every way to a consensus gives."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ._answers import Answers

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, kw_only=True)
class Consensus:
    """One label per item, and how far to trust it and the annotators.

    Attributes:
        answers: what it was made from.
        labels: int64 (n,), the consensus; -1 for an item of which nothing is known.
        posterior: float64 (n, m), rows sum to 1.
        annotator_quality: float64 (J,), in [0, 1]; higher is better.
        weights: float64 (J,), what an answer of each annotator weighs in ``priorities``.
        model_weight: the same of the model; 0 without one.
    """

    answers: Answers
    labels: np.ndarray
    posterior: np.ndarray
    annotator_quality: np.ndarray
    weights: np.ndarray
    model_weight: float

    @cached_property
    def quality(self) -> np.ndarray:
        """The posterior of the consensus: float64 (n,), in [0, 1]; NaN where there is none."""
        mine = self.posterior[np.arange(self.answers.n), self.labels]
        return np.where(self.labels >= 0, mine, np.nan)

    @cached_property
    def agreement(self) -> np.ndarray:
        """Share of an item's answers that are its consensus: float64 (n,); NaN without answers."""
        counts, all_of_them = self.answers.counts, self.answers.per_item
        mine = counts[np.arange(self.answers.n), self.labels]
        return np.where(all_of_them > 0, mine / np.maximum(all_of_them, 1), np.nan)

    @cached_property
    def unsaid(self) -> np.ndarray:
        """Whether an item was answered, and nobody gave its consensus: bool (n,).

        Where everyone who answered is believed to confuse two classes, the other one can be the
        more probable; and a model may know better than all of them.
        """
        answers = self.answers
        mine = answers.counts[np.arange(answers.n), self.labels]
        return (answers.per_item > 0) & (self.labels >= 0) & (mine == 0)

    def table(self) -> pl.DataFrame:
        """A row per item, the most doubtful first, items without a consensus last.

        Columns: item, consensus (null where nothing is known), quality, answers, agreement (share
        of the answers that are the consensus; 0 where nobody gave it), row (place of the item).
        """
        import polars as pl

        answers = self.answers
        rows = np.argsort(self.quality, kind="stable")  # NaN last
        names = [answers.classes[k] if k >= 0 else None for k in self.labels[rows].tolist()]
        return pl.DataFrame(
            {
                "item": pl.Series(answers.items[rows].tolist()),
                "consensus": pl.Series(names, dtype=pl.String),
                "quality": self.quality[rows],
                "answers": answers.per_item[rows],
                "agreement": self.agreement[rows],
                "row": rows,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))


def warn_of_unsaid(found: Consensus) -> None:
    """Say how many labels are ones that nobody gave, and what to do about them.

    Warns:
        UserWarning: there are some.
    """
    count = int(found.unsaid.sum())
    if count:
        row = int(found.unsaid.argmax())
        answers = found.answers
        have, their, them = ("has", "Its", "it") if count == 1 else ("have", "Their", "them")
        warnings.warn(
            f"{count:,} of {answers.n:,} items {have} a consensus that nobody gave, such as item"
            f" {answers.items[row]!s}: {answers.classes[found.labels[row]]!r}. {their} `agreement`"
            f" is 0; look at {them}, or take the majority, which chooses among the labels that"
            " were given.",
            stacklevel=3,
        )


def agreement_with(answers: Answers, labels: np.ndarray) -> np.ndarray:
    """Share of each annotator's answers that are ``labels``, on items that others answered too.

    Returns:
        float64 (J,); NaN for annotators without such items.
    """
    shared = answers.shared
    who = answers.annotator[shared]
    agrees = answers.label[shared] == labels[answers.item[shared]]
    number = np.bincount(who, minlength=len(answers.annotators))
    agreed = np.bincount(who, agrees, minlength=len(answers.annotators))
    return np.where(number > 0, agreed / np.maximum(number, 1), np.nan)


def mean_for_missing(values: np.ndarray, otherwise: float = np.nan) -> np.ndarray:
    """NaN replaced by the mean of the others, or by ``otherwise`` when there are no others."""
    there = ~np.isnan(values)
    return np.where(there, values, values[there].mean() if there.any() else otherwise)
