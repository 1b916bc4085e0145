"""The label said most often, with a rule for every tie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._answers import Answers, check_answers
from ._consensus import Consensus, agreement_with, mean_for_missing
from ._probs import checked_probs

if TYPE_CHECKING:
    import polars as pl

# how an item was decided, by number
RULES = ("no answer", "untied", "model", "rarer class", "best annotator", "drawn")
NOBODY, UNTIED, MODEL, RARER, ANNOTATOR, DRAWN = range(len(RULES))


@dataclass(frozen=True, eq=False, kw_only=True)
class Majority(Consensus):
    """The most frequent labels; the posterior is the shares of the answers.

    Attributes:
        rule: int8 (n,), which of ``RULES`` decided each item.
    """

    rule: np.ndarray

    def table(self) -> pl.DataFrame:
        """See ``Consensus.table``; and a column ``decided by``, one of ``RULES``."""
        import polars as pl

        found = super().table()
        decided = [RULES[k] for k in self.rule[found["row"].to_numpy()]]
        return found.with_columns(pl.Series("decided by", decided))

    @property
    def ties(self) -> dict[str, int]:
        """How many ties each rule decided."""
        return {name: int((self.rule == k).sum()) for k, name in enumerate(RULES) if k > UNTIED}


@door
def majority(answers: Answers, probs: Any = None, seed: int = 0) -> Majority:
    """The most frequent label of each item.

    Ties go, in this order, to: the larger model probability; the class that was said less often
    over all items; the label of the annotator who agrees best with the untied majorities (those
    who share no item with them count as average); a draw. ``rule`` tells which.

    Args:
        answers: the answers of people.
        probs: (n, m), a model's probabilities, which serve ties alone.
        seed: the seed of the draws; each item has its own.

    Returns:
        Labels are -1, and posteriors uniform, for items nobody answered. An annotator's quality is
        the share of agreement with the majority on items with several answers, the mean of the
        others' where there is none.

    Raises:
        ValueError: unsound probabilities.

    >>> said = Answers.from_columns([0, 0, 1, 1, 2], list("ababa"), [1, 1, 0, 1, 1])
    >>> majority(said).labels, majority(said).ties["rarer class"]
    (array([1, 0, 1]), 1)
    """
    check_answers(answers)
    counts, per_item = answers.counts, answers.per_item
    labels = counts.argmax(1)
    labels[per_item == 0] = -1
    top = counts == counts.max(1, keepdims=True)
    tied = np.flatnonzero((top.sum(1) > 1) & (per_item > 0))
    rule = np.where(per_item > 0, UNTIED, NOBODY).astype(np.int8)
    if probs is not None:
        probs = checked_probs(probs, answers)
    if len(tied):
        left = top[tied]  # which classes are still in
        decided = np.zeros(len(tied), np.int8)
        if probs is not None:
            _narrow(left, decided, probs[tied], MODEL)
        _narrow(left, decided, np.broadcast_to(-counts.sum(0), left.shape), RARER)
        _narrow(left, decided, _best_annotators(answers, labels, tied), ANNOTATOR)
        # an item's number does not depend on which others are tied
        numbers = draw(seed, "crowd ties").random(answers.n)[tied]
        chosen = np.floor(numbers * left.sum(1)).astype(np.int64)
        _narrow(left, decided, (np.cumsum(left, 1) == chosen[:, None] + 1) & left, DRAWN)
        labels[tied], rule[tied] = left.argmax(1), decided
    shares = counts / np.maximum(per_item, 1)[:, None]
    shares[per_item == 0] = 1 / answers.m
    return Majority(
        answers=answers,
        labels=labels,
        posterior=shares,
        annotator_quality=mean_for_missing(agreement_with(answers, labels)),
        weights=np.ones(len(answers.annotators)),
        model_weight=0.0,
        rule=rule,
    )


def _narrow(left: np.ndarray, decided: np.ndarray, score: np.ndarray, rule: int) -> None:
    """Keep the classes with the best score of those still in, and note what that decides."""
    scores = np.where(left, score.astype(np.float64), -np.inf)
    left &= scores == scores.max(1, keepdims=True)
    decided[(left.sum(1) == 1) & (decided == 0)] = rule


def _best_annotators(answers: Answers, labels: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """Best agreement with untied majorities among those who said a class: (tied, m)."""
    place = np.full(answers.n, -1)
    place[tied] = np.arange(len(tied))
    at = place[answers.item]
    untied = at < 0
    who = answers.annotator[untied]
    agrees = answers.label[untied] == labels[answers.item[untied]]
    number = np.bincount(who, minlength=len(answers.annotators))
    agreed = np.bincount(who, agrees, minlength=len(answers.annotators))
    shares = np.where(number > 0, agreed / np.maximum(number, 1), np.nan)
    # an equal number for all when no item is untied, so that this rule decides nothing
    shares = mean_for_missing(shares, otherwise=0.0)
    best = np.full((len(tied), answers.m), -1.0)
    here = ~untied
    np.maximum.at(best, (at[here], answers.label[here]), shares[answers.annotator[here]])
    return best
