"""Reliabilities and labels that send each other messages, without a model of errors."""

from __future__ import annotations

import numpy as np

from ....ground.arrays import door
from ....ground.numbers import whole
from .._answers import Answers, check_answers
from .._consensus import Consensus
from ._votes import consensus_of, right_share, shared_out, weighted_shares


@door
def kos(answers: Answers, rounds: int = 100) -> Consensus:
    """Karger, Oh and Shah's message passing: an answer is worth what its giver's others are.

    Each answer carries two messages: what all other answers to the item say of it, and what all
    other answers of the annotator say of him. A negative reliability turns a vote round. Of more
    than two classes an answer counts 1 for its class and -1 / (m - 1) for every other, so that who
    guesses adds nothing; with two classes that is the paper's. An item of which no annotator has
    another answer has its plain shares.

    Args:
        answers: the answers of people.
        rounds: how many; messages begin at 1, and are scaled to a length of 1 in each round.

    Raises:
        ValueError: no whole number of rounds.

    Source: Karger, Oh & Shah, NIPS 2011, and Operations Research 62, 2014; their way
    for more classes (SIGMETRICS 2013) is by pairs of sets of classes and depends on their order.

    >>> said = Answers.from_columns([0, 0, 0, 1, 1, 1], list("abc") * 2, [1, 1, 0, 0, 0, 1])
    >>> kos(said).labels.tolist()
    [1, 0]
    """
    check_answers(answers)
    rounds = whole(rounds, "rounds", low=1)
    m, people = answers.m, len(answers.annotators)
    cell = answers.item.astype(np.int64) * m + answers.label
    trust = np.ones(len(cell))  # of each answer's giver, by the others of his answers
    for _ in range(rounds):
        votes = np.bincount(cell, trust, answers.n * m)
        total = np.bincount(answers.item, trust, answers.n)
        # what the others say for the class of this answer, against the mean of the other classes
        backed = (votes[cell] - trust) - (total[answers.item] - votes[cell]) / max(m - 1, 1)
        trust = np.bincount(answers.annotator, backed, people)[answers.annotator] - backed
        length = np.sqrt(trust @ trust)
        if not length > 0:
            break
        trust = trust / length
    for_it = np.bincount(cell, np.maximum(trust, 0), answers.n * m).reshape(answers.n, m)
    against = np.bincount(cell, np.maximum(-trust, 0), answers.n * m).reshape(answers.n, m)
    said = for_it + (against.sum(1, keepdims=True) - against)
    plain = weighted_shares(answers, np.ones(people))
    posterior = np.where(said.sum(1, keepdims=True) > 0, shared_out(said), plain)
    found = consensus_of(answers, posterior, np.ones(people))
    quality = right_share(answers, found.labels)
    weights = np.bincount(answers.annotator, trust, people) / np.maximum(
        np.bincount(answers.annotator, minlength=people), 1
    )
    most = np.abs(weights).max(initial=0)
    return consensus_of(answers, posterior, quality, weights / most if most > 0 else weights)
