"""MACE: annotators who know the label, or else answer by a habit of their own.

Paper: D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy, "Learning whom to trust with MACE",
NAACL 2013.
"""

from __future__ import annotations

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers
from .._consensus import Consensus
from ._votes import consensus_of, shared_out

PRIOR = np.array([0.5, 0.5])  # of guessing and of knowing
HABIT = 10.0  # of each label in the habit
LEAST = 1e-300


@door
def mace(answers: Answers, rounds: int = 50) -> Consensus:
    """Variational Bayes with the paper's priors, from a model in which all annotators are alike.

    An annotator knows an item's class with a probability of their own, and else says each label
    with another; all classes are as probable beforehand. The paper begins at random several
    times; here it begins once with equal parameters, so that there is nothing to draw.

    Args:
        answers: the answers of people.
        rounds: how many.

    Returns:
        A consensus; an annotator's quality is the probability of knowing.

    Raises:
        ValueError: no whole number of rounds.
    """
    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    everyone, m = len(answers.annotators), answers.m
    item, who, label = answers.item, answers.annotator, answers.label
    knows, habit = np.full((everyone, 2), 0.5), np.full((everyone, m), 1 / m)
    for step in range(rounds + 1):
        guess = knows[who, 0] * habit[who, label]
        right = guess + knows[who, 1]
        logs = np.tile(np.bincount(item, np.log(np.maximum(guess, LEAST)), answers.n)[:, None], m)
        cells = item.astype(np.int64) * m + label
        more = np.log(np.maximum(right, LEAST)) - np.log(np.maximum(guess, LEAST))
        logs += np.bincount(cells, more, answers.n * m).reshape(answers.n, m)
        posterior = shared_out(np.exp(logs - logs.max(1, keepdims=True)))
        if step == rounds:
            break
        mine = posterior[item, label]
        knew = mine * knows[who, 1] / np.maximum(right, LEAST)
        guessed = 1 - knew
        counts = np.stack([np.bincount(who, part, everyone) for part in (guessed, knew)], 1)
        said = np.bincount(who * np.int64(m) + label, guessed, everyone * m) + HABIT
        knows, habit = _mean_logs(counts + PRIOR), _mean_logs(said.reshape(everyone, m))
    return consensus_of(answers, posterior, np.clip(knows[:, 1], 0, 1))


def _mean_logs(counts: np.ndarray) -> np.ndarray:
    """The exponential of the mean logarithm of probabilities with Dirichlet distributions."""
    from scipy.special import digamma

    return np.exp(digamma(counts) - digamma(counts.sum(1, keepdims=True)))
