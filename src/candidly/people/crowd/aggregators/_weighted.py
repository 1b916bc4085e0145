"""Majorities in which annotators weigh as much as they are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers, checked_known
from .._consensus import Consensus, mean_for_missing
from .._majority import majority
from ._votes import consensus_of, right_share, weighted_shares

RATE, LESS, EVERY = 1.0, 0.5, 20  # of a step; what it is multiplied by, and after how many steps


@door
def wawa(answers: Answers, known: Any = None) -> Consensus:
    """Worker agreement with the aggregate: votes weighted by agreement with the plain majority.

    With ``known`` items they are weighted by the share of right answers there instead (a
    gold-weighted majority); who answered none of them weighs as the mean of the others.

    Args:
        answers: the answers of people.
        known: int (n,), the class of items where it is known, else -1; or None.

    Raises:
        ValueError: ``known`` has another shape, or a class that is none.

    Source: Appen, *Worker Agreement With Aggregate*; crowd-kit has it as Wawa and GoldMajorityVote.

    >>> said = Answers.from_columns([0, 0, 0, 1, 1, 1], list("abc") * 2, [1, 1, 0, 0, 0, 1])
    >>> wawa(said).posterior.round(2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_answers(answers)
    labels = majority(answers).labels if known is None else checked_known(known, answers)
    skill = mean_for_missing(right_share(answers, labels), otherwise=1.0)
    return consensus_of(answers, weighted_shares(answers, skill), skill, skill)


@door
def zero_based_skill(answers: Answers, rounds: int = 100) -> Consensus:
    """Votes weighted by skills that begin at 1 / m and move to the agreement with their majority.

    The step is 1, and half of it after every 20 rounds.

    Args:
        answers: the answers of people.
        rounds: how many.

    Raises:
        ValueError: no whole number of rounds.

    Source: crowd-kit, ZeroBasedSkill.
    """
    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    skill, rate = np.full(len(answers.annotators), 1 / answers.m), RATE
    for step in range(1, rounds + 1):
        if step % EVERY == 0:
            rate *= LESS
        labels = weighted_shares(answers, skill).argmax(1)
        skill = skill + rate * (right_share(answers, labels) - skill)
    return consensus_of(answers, weighted_shares(answers, skill), skill, skill)
