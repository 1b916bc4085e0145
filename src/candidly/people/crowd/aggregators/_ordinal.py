"""Steps of a scale, such as stars: annotators who are lenient or strict, and more or less exact.

After B. Lakshminarayanan, Y. W. Teh, "Inferring ground truth from multi-annotator ordinal data: a
probabilistic approach", 2013; here the steps are equally far apart, and an annotator's two
parameters are taken from a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers
from .._consensus import Consensus
from .._order import places
from ._votes import consensus_of, shared_out

LEANINGS = np.linspace(-1.5, 1.5, 13)  # in steps of the scale
SPREADS = 0.2 * 2 ** np.arange(0, 5.5, 0.5)  # 0.2 to 6.4 steps
LEANING, SPREAD, OFF = 0.5, 0.8, 0.75  # priors: deviation of a leaning; a spread's middle, in logs
GAIN = 1e-9  # of the mean objective, below which it ends


@dataclass(frozen=True, eq=False, kw_only=True)
class Ordinal(Consensus):
    """Labels that are steps of a scale.

    Attributes:
        leaning: float64 (J,), by how many steps each annotator answers above the item; below it
            where it is negative. In [-1.5, 1.5].
        spread: float64 (J,), in steps, 0.2 to 6.4: how inexact each annotator is.
    """

    leaning: np.ndarray
    spread: np.ndarray


@door
def ordinal(answers: Answers, order: Sequence[str] | None = None, rounds: int = 200) -> Ordinal:
    """Expectation maximisation; an answer is near what the item is, give or take the annotator.

    An annotator answers step l about an item of step k with a probability in proportion to
    exp(-(l - k - leaning)^2 / (2 spread^2)). Leanings have a normal prior of mean 0 and deviation
    0.5 steps, logarithms of spreads one of mean log 0.8 and deviation 0.75, shares of the classes a
    uniform one. In each round each annotator has the most probable pair of a grid of 143.

    Args:
        answers: the answers of people.
        order: all classes from the lowest to the highest; by default the order of their numbers.
        rounds: at most.

    Returns:
        A consensus whose labels are medians of the posterior, which are off by the fewest steps in
        the mean; an annotator's quality is the probability of the very step.

    Raises:
        ValueError: classes that are no numbers, without an order; no whole number of rounds.

    >>> said = Answers.from_columns([0, 0, 0, 1, 1, 1], list("abc") * 2, [1, 2, 5, 4, 4, 5])
    >>> [said.classes[k] for k in ordinal(said).labels]
    ['2', '4']
    """
    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    place = places(answers.classes, order)
    logs, prior = _tables(answers.m)
    everyone, n, m = len(answers.annotators), answers.n, answers.m
    step_of = np.empty(m, np.int64)
    step_of[place] = np.arange(m)
    item, who, said = answers.item, answers.annotator, step_of[answers.label]
    cells = who.astype(np.int64) * m + said
    posterior, before = shared_out(answers.counts[:, place].astype(np.float64)), -np.inf
    for _ in range(rounds):
        seen = np.stack([np.bincount(cells, posterior[item, k], everyone * m) for k in range(m)])
        seen = seen.reshape(m, everyone, m).transpose(1, 0, 2)  # (annotator, step, answer)
        likely = seen.reshape(everyone, m * m) @ logs.reshape(-1, m * m).T + prior
        mine = likely.argmax(1)
        shares = (posterior.sum(0) + 1) / (n + m)
        of_answers = logs[mine[who], :, said]  # (answer, step)
        joint = np.log(shares) + np.stack(
            [np.bincount(item, of_answers[:, k], n) for k in range(m)], 1
        )
        most = joint.max(1, keepdims=True)
        exps = np.exp(joint - most)
        posterior = exps / exps.sum(1, keepdims=True)
        value = float((most[:, 0] + np.log(exps.sum(1))).sum() + prior[mine].sum())
        value = (value + float(np.log(shares).sum())) / max(len(answers), 1)
        if value - before < GAIN:
            break
        before = value
    back = np.empty((n, m))
    back[:, place] = posterior
    exact = (shares[:, None] * np.exp(logs[mine]).diagonal(axis1=1, axis2=2).T).sum(0)
    found = consensus_of(answers, back, exact)
    middle = place[(posterior.cumsum(1) >= 0.5 - 1e-12).argmax(1)]
    return Ordinal(
        answers=answers,
        labels=np.where(found.labels >= 0, middle, -1),
        posterior=found.posterior,
        annotator_quality=found.annotator_quality,
        weights=found.weights,
        model_weight=found.model_weight,
        leaning=LEANINGS[mine // len(SPREADS)],
        spread=SPREADS[mine % len(SPREADS)],
    )


def _tables(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Log probabilities of answers by step for every pair of the grid, (G, m, m), and the pairs'
    log priors, (G,)."""
    leaning, spread = (part.ravel() for part in np.meshgrid(LEANINGS, SPREADS, indexing="ij"))
    off = np.arange(m) - np.arange(m)[:, None] - leaning[:, None, None]
    logs = -(off**2) / (2 * spread[:, None, None] ** 2)
    logs -= np.logaddexp.reduce(logs, axis=2, keepdims=True)
    prior = -(leaning**2) / (2 * LEANING**2) - np.log(spread / SPREAD) ** 2 / (2 * OFF**2)
    return logs, prior
