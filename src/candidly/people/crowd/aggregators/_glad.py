"""GLAD: how able annotators are, and how difficult items.

Paper: J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan, "Whose vote should count more:
optimal integration of labels from labelers of unknown expertise", NIPS 2009.
"""

from __future__ import annotations

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers
from .._consensus import Consensus
from ._votes import consensus_of, shared_out

MEAN = 1.0  # of the priors of abilities and of the logarithms of easiness, whose deviation is 1
GAIN = 1e-8  # of the mean objective, below which it ends


@door
def glad(answers: Answers, rounds: int = 100) -> Consensus:
    """Expectation maximisation; in each round all parameters are fitted by L-BFGS.

    An answer is right with probability 1 / (1 + exp(-ability x easiness)), and each wrong label is
    as probable as any other; so are all classes beforehand. Abilities and logarithms of easiness
    have normal priors of mean 1 and deviation 1.

    Args:
        answers: the answers of people.
        rounds: at most.

    Returns:
        A consensus; an annotator's quality is the probability of a right answer about an item of
        easiness e, the mean of the prior.

    Raises:
        ValueError: no whole number of rounds.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    everyone, n, m = len(answers.annotators), answers.n, answers.m
    item, who, label = answers.item, answers.annotator, answers.label
    cells = item.astype(np.int64) * m + label
    at, before = np.full(everyone + n, MEAN), -np.inf
    for _ in range(rounds):
        strength = at[who] * np.exp(at[everyone + item])
        wrong = -np.logaddexp(0, strength) - np.log(m - 1)
        logs = np.tile(np.bincount(item, wrong, n)[:, None], m)
        logs += np.bincount(cells, -np.logaddexp(0, -strength) - wrong, n * m).reshape(n, m)
        posterior = shared_out(np.exp(logs - logs.max(1, keepdims=True)))
        right = posterior[item, label]

        def loss(at: np.ndarray, right: np.ndarray = right) -> tuple[float, np.ndarray]:
            easy = np.exp(np.minimum(at[everyone + item], 30))
            strength = at[who] * easy
            gain = -right * np.logaddexp(0, -strength) - (1 - right) * np.logaddexp(0, strength)
            value = gain.sum() - ((at - MEAN) ** 2).sum() / 2
            pull = right - expit(strength)
            slope = MEAN - at
            slope[:everyone] += np.bincount(who, pull * easy, everyone)
            slope[everyone:] += np.bincount(item, pull * strength, n)
            return -float(value), -slope

        found = minimize(loss, at, jac=True, method="L-BFGS-B")
        at, value = found.x, -float(found.fun) / len(answers)
        if abs(value - before) < GAIN:
            break
        before = value
    quality = expit(at[:everyone] * np.exp(MEAN))
    return consensus_of(answers, posterior, quality)
