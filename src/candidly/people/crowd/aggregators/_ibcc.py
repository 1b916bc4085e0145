"""IBCC: Dawid and Skene's model with priors on everything, by variational Bayes.

Paper: H.-C. Kim, Z. Ghahramani, "Bayesian classifier combination", AISTATS 2012; variational:
E. Simpson, S. Roberts, I. Psorakis, A. Smith, "Dynamic Bayesian combination of multiple imperfect
classifiers", 2013.
"""

from __future__ import annotations

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers
from .._consensus import Consensus
from ._votes import consensus_of, shared_out, weighted_shares

RIGHT, WRONG = 2.0, 1.0  # answers that each row is given beforehand, of the true label and others
CLASS = 1.0  # items of each class beforehand
CLOSE = 1e-6  # largest change of a posterior that ends it


@door
def ibcc(answers: Answers, rounds: int = 500) -> Consensus:
    """Confusion matrices and shares of classes with Dirichlet priors, from shares of the votes.

    Args:
        answers: the answers of people.
        rounds: at most.

    Returns:
        A consensus; an annotator's quality is the mean probability of a right answer.

    Raises:
        ValueError: no whole number of rounds.
    """
    from scipy.special import digamma

    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    everyone, n, m = len(answers.annotators), answers.n, answers.m
    item, said = answers.item, answers.annotator * np.int64(m) + answers.label
    posterior = weighted_shares(answers, np.ones(everyone))
    answered = answers.per_item > 0
    beforehand = np.where(np.eye(m, dtype=bool), RIGHT, WRONG)
    for _ in range(rounds):
        counts = np.stack(
            [np.bincount(said, posterior[item, k], everyone * m) for k in range(m)]
        ).reshape(m, everyone, m)  # by true class, annotator, label
        counts += beforehand[:, None]
        rates = digamma(counts) - digamma(counts.sum(2, keepdims=True))
        shares = posterior[answered].sum(0) + CLASS
        logs = np.tile(digamma(shares) - digamma(shares.sum()), (n, 1))
        for k, mine in enumerate(rates.reshape(m, -1)):
            logs[:, k] += np.bincount(item, mine[said], n)
        after = shared_out(np.exp(logs - logs.max(1, keepdims=True)))
        change = np.abs(after - posterior).max()
        posterior = after
        if change < CLOSE:
            break
    means = counts / counts.sum(2, keepdims=True)
    quality = np.einsum("kjk,k->j", means, shares / shares.sum())
    return consensus_of(answers, posterior, np.clip(quality, 0, 1))
