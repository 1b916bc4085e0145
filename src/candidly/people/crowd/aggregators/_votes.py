"""What the aggregators share: votes with weights, and a consensus of a posterior."""

from __future__ import annotations

import numpy as np

from .._answers import Answers
from .._consensus import Consensus


def weighted_shares(answers: Answers, weights: np.ndarray) -> np.ndarray:
    """Shares of an item's answers, each with the weight of its annotator: float64 (n, m); even
    where there is no weight.

    Args:
        weights: float64 (J,), at least 0.
    """
    cells = answers.item.astype(np.int64) * answers.m + answers.label
    said = np.bincount(cells, weights[answers.annotator], answers.n * answers.m)
    return shared_out(said.reshape(answers.n, answers.m))


def shared_out(said: np.ndarray) -> np.ndarray:
    """Rows divided by their sums; even where the sum is 0."""
    sums = said.sum(1, keepdims=True)
    return np.where(sums > 0, said / np.where(sums > 0, sums, 1), 1 / said.shape[1])


def right_share(answers: Answers, labels: np.ndarray) -> np.ndarray:
    """Share of each annotator's answers that are the item's label: float64 (J,).

    Args:
        labels: int64 (n,), -1 where there is none; NaN for annotators without any such item.
    """
    there = labels[answers.item] >= 0
    who = answers.annotator[there]
    agrees = answers.label[there] == labels[answers.item[there]]
    number = np.bincount(who, minlength=len(answers.annotators))
    right = np.bincount(who, agrees, len(answers.annotators))
    return np.where(number > 0, right / np.maximum(number, 1), np.nan)


def consensus_of(
    answers: Answers, posterior: np.ndarray, quality: np.ndarray, weights: np.ndarray | None = None
) -> Consensus:
    """The most probable labels, the first of equally probable ones; -1 without an answer."""
    answered = answers.per_item > 0
    posterior = np.where(answered[:, None], posterior, 1 / answers.m)
    return Consensus(
        answers=answers,
        labels=np.where(answered, posterior.argmax(1), -1),
        posterior=posterior,
        annotator_quality=quality,
        weights=np.ones(len(answers.annotators)) if weights is None else weights,
        model_weight=0.0,
    )
