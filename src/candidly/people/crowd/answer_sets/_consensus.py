"""One label per item, and candidate sets, from answers that are labels, sets, denials or rankings.

One likelihood for all of them, with one accuracy a per annotator. An answer that is a set of s of m
classes holds the true one with probability a, and is any such set otherwise alike; so given the
true class it has the probability a / C(m - 1, s - 1) if the class is in it, and
(1 - a) / C(m - 1, s) if it is not. A label is a set of one, and with such answers alone this is the
one-coin model of Dawid and Skene. A denial is the set of all classes that it does not name. In a
ranking the true class is put first with probability a, every other one with (1 - a) / (m - 1), and
each further place goes by the same proportions among the classes that are left (Plackett, Applied
Statistics 1975).

Which wrong classes go into a set together with the true one depends on the item, not on the
annotator, and to estimate it for each class finds classes that are none: where sets are all there
is, one class may take everything. So nothing is estimated of it.

Annotators see the same ambiguity, so answers repeat each other; their product would be too sure.
The sum of what they say is divided by a temperature of at least 1: the one at which each answer is
best foretold by the others about its item.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ....data.labels.narrowing import likeliest
from ....data.labels.votes import Votes, check_votes
from ....ground.arrays import as_array, door
from ....ground.checks import check_size
from ....ground.numbers import whole
from .._compared import warn_of_single
from .._temperature import foretelling_temperature, tempered

STRENGTH = 4.0  # answers that each annotator is given beforehand, as all answered
ROUNDS, GAIN = 200, 1e-6
NEAR = 1e-6  # accuracies stay this far from 0 and 1
LEAST = 1e-300


@dataclass(frozen=True, eq=False, kw_only=True)
class SetConsensus:
    """What the answers make of each item.

    Attributes:
        labels: int64 (n,), the most probable class (the first of equally probable ones); -1
            without an answer.
        posterior: float64 (n, m), rows sum to 1.
        prior: float64 (m,), share of each class.
        annotators: names of the J annotators.
        accuracy: float64 (J,), how probable it is that an answer holds the true class, or ranks it
            first.
        compared: items with two answers or more, without which nothing tells how good annotators
            are.
        temperature: what the sum of what answers say was divided by, at least 1.
        log_likelihood: float64 (rounds,), after each round at this temperature, in nats.
        converged: whether the last round gained less than 1e-6 of it.
    """

    labels: np.ndarray
    posterior: np.ndarray
    prior: np.ndarray
    annotators: tuple[str, ...]
    accuracy: np.ndarray
    compared: int
    temperature: float
    log_likelihood: np.ndarray
    converged: bool

    def candidates(self, mass: float = 0.95) -> np.ndarray:
        """The smallest sets that hold this much of the posterior: bool (n, m).

        Items without an answer have all classes. Of equally probable classes the first come in.

        Raises:
            ValueError: ``mass`` outside (0, 1].
        """
        return likeliest(self.posterior, mass) | (self.labels < 0)[:, None]


@door
def set_consensus(
    votes: Votes,
    n: int,
    q: int,
    denied: Any = None,
    ranked: Any = None,
    rounds: int = ROUNDS,
) -> SetConsensus:
    """Classes and accuracies of annotators by expectation maximisation, from shares of the votes.

    Args:
        votes: answers about items 0..n-1 with labels 0..q-1.
        n, q: how many items and classes.
        denied: bool (answers,), the answers that say what the label is not. By default none.
        ranked: bool (answers,), the answers whose labels are in order, the likeliest first; they
            need not name all. By default none.
        rounds: at most, at each of up to five temperatures.

    Returns:
        The consensus; ``candidates`` makes candidate sets of its posterior, to learn from.

    Raises:
        ValueError: labels or items out of range, an answer that is denied and ranked or ranks a
            label twice, or no answer that says anything.

    Warns:
        UserWarning: answers that leave no class, with their number; they are left out. Hardly an
            item has two answers.

    >>> votes = Votes.from_rows([(0, "ann", [0, 1]), (0, "bob", [1, 2]), (0, "eve", [1])])
    >>> set_consensus(votes, 1, 3).labels
    array([1])
    """
    check_votes(votes, n, q)
    n, q, rounds = whole(n, "n", low=1), whole(q, "q", low=2), whole(rounds, "rounds", low=1)
    check_size("answers by classes", (len(votes), q), 1)
    said = _told(votes, q, denied, ranked)
    warn_of_single(np.bincount(said.item, minlength=n))
    return tempered(
        _fitted(said, _shares(said, n, q), 1.0, rounds),
        partial(_foretelling, said),
        lambda found, temperature: _fitted(said, found.posterior, temperature, rounds),
    )


def _fitted(
    said: _SetAnswers, posterior: np.ndarray, temperature: float, rounds: int
) -> SetConsensus:
    n, q = posterior.shape
    per_item = np.bincount(said.item, minlength=n)
    answered = per_item > 0
    accuracy = np.full(len(said.names), (1 + 1 / q) / 2)
    likelihoods: list[float] = []
    converged = False
    while len(likelihoods) < rounds and not converged:
        prior = (posterior[answered].sum(0) + LEAST) / (answered.sum() + q * LEAST)
        accuracy = _accuracies(said, posterior, accuracy)
        logs = _log(prior) + _sums(said, _likelihoods(said, accuracy), n) / temperature
        tops = logs.max(1, keepdims=True)
        posterior = np.exp(logs - tops)
        sums = posterior.sum(1, keepdims=True)
        posterior /= sums
        likelihoods.append(float((np.log(sums) + tops)[answered].sum()))
        if len(likelihoods) > 1:
            converged = abs(likelihoods[-1] - likelihoods[-2]) <= GAIN * abs(likelihoods[-2])
    return SetConsensus(
        labels=np.where(answered, posterior.argmax(1), -1),
        posterior=posterior,
        prior=prior,
        annotators=said.names,
        accuracy=accuracy,
        compared=int((per_item > 1).sum()),
        temperature=temperature,
        log_likelihood=np.array(likelihoods),
        converged=converged,
    )


def _foretelling(said: _SetAnswers, found: SetConsensus) -> float:
    """The temperature, 1 to 20, with the best mean log score of each answer from the others."""
    each = _likelihoods(said, found.accuracy)
    others = _sums(said, each, len(found.posterior))[said.item] - each
    several = np.bincount(said.item)[said.item] > 1
    if not several.any():
        return 1.0
    each, others = each[several], others[several]
    prior = _log(found.prior)

    def loss(temperature: float) -> float:
        logs = prior + others / temperature
        together = np.logaddexp.reduce(logs + each, axis=1) - np.logaddexp.reduce(logs, axis=1)
        return -float(together.mean())

    return foretelling_temperature(loss)


def _sums(said: _SetAnswers, each: np.ndarray, n: int) -> np.ndarray:
    """What all answers say of each item: float64 (n, m)."""
    return np.stack([np.bincount(said.item, column, n) for column in each.T], 1)


def _log(values: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(values, LEAST))


class _SetAnswers(NamedTuple):
    """Answers as arrays.

    Attributes:
        item, annotator: int64 (answers,).
        holds: bool (answers, m), the classes of a set; the first class of a ranking.
        ranking: the rows that are rankings, int64 (rankings,).
        order: int64 (rankings, m), their classes in order, then -1.
        names: of the annotators.
    """

    item: np.ndarray
    annotator: np.ndarray
    holds: np.ndarray
    ranking: np.ndarray
    order: np.ndarray
    names: tuple[str, ...]


def _likelihoods(said: _SetAnswers, accuracy: np.ndarray) -> np.ndarray:
    """Logarithm of how probable each answer is by true class: float64 (answers, m)."""
    from scipy.special import gammaln

    m = said.holds.shape[1]
    a, size = accuracy[said.annotator], said.holds.sum(1)

    def choose(of: int, some: np.ndarray) -> np.ndarray:
        found: np.ndarray = gammaln(of + 1) - gammaln(some + 1) - gammaln(of - some + 1)
        return found

    inside = np.log(a) - choose(m - 1, size - 1)
    outside = np.log1p(-a) - choose(m - 1, np.minimum(size, m - 1))
    found = np.where(said.holds, inside[:, None], outside[:, None])
    found[size == m] = 0.0  # all classes: nothing is said
    found[said.ranking] = _of_rankings(said, accuracy)[0]
    return found


def _of_rankings(
    said: _SetAnswers, accuracy: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of rankings by true class: their log-likelihood; and for the next accuracy over how many
    places, each over the weight of the classes left, the true class and another one were left."""
    m = said.holds.shape[1]
    a = accuracy[said.annotator[said.ranking]]
    b = (1 - a) / (m - 1)
    number = len(said.ranking)
    found, mine, others = np.zeros((3, number, m))
    here = np.ones((number, m), bool)  # classes that are left
    for place in range(m):
        named = said.order[:, place]
        rows = np.flatnonzero(named >= 0)
        if not len(rows):
            break
        left = here[rows]
        rest = left.sum(1, keepdims=True) - left  # other classes left, by true class
        weight = left * a[rows, None] + rest * b[rows, None]
        is_true = np.arange(m) == named[rows, None]
        won = np.where(is_true, a[rows, None], b[rows, None])
        found[rows] += np.log(won / weight)
        mine[rows] += left / weight
        others[rows] += rest / weight
        here[rows, named[rows]] = False
    return found, mine, others


def _accuracies(said: _SetAnswers, posterior: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The next accuracies: of sets the share that holds the true class; of rankings a step that
    does not lower the likelihood (Hunter, Annals of Statistics 2004)."""
    m, everyone = said.holds.shape[1], len(said.names)
    likely = posterior[said.item]
    tells = said.holds.sum(1) < m
    tells[said.ranking] = False
    right = np.where(tells, (likely * said.holds).sum(1), 0.0)
    wins = np.bincount(said.annotator, right, everyone)
    losses = np.bincount(said.annotator, np.where(tells, 1 - right, 0.0), everyone)
    tries = wins + losses
    other_tries = tries.copy()  # of a set the same for both, as for a label
    if len(said.ranking):
        who = said.annotator[said.ranking]
        _, mine, others = _of_rankings(said, before)
        weight = likely[said.ranking]
        named = np.zeros((len(who), m), bool)
        rows, places = np.nonzero(said.order >= 0)
        named[rows, said.order[rows, places]] = True
        first = (weight * named).sum(1)  # the true class is named at some place
        wins += np.bincount(who, first, everyone)
        losses += np.bincount(who, named.sum(1) - first, everyone)
        tries += np.bincount(who, (weight * mine).sum(1), everyone)
        other_tries += np.bincount(who, (weight * others).sum(1) / (m - 1), everyone)
    right_rate = (wins + STRENGTH * _rate(wins.sum(), tries.sum())) / (tries + STRENGTH)
    wrong_rate = (losses + STRENGTH * _rate(losses.sum(), other_tries.sum())) / (
        other_tries + STRENGTH
    )
    made: np.ndarray = right_rate / (right_rate + wrong_rate)
    return np.clip(made, NEAR, 1 - NEAR)


def _rate(number: float, of: float) -> float:
    return float(number / of) if of > 0 else 0.5


def _told(votes: Votes, q: int, denied: Any, ranked: Any) -> _SetAnswers:
    """The answers that leave a class; denials as what is left."""
    deny = _flags(denied, "denied", len(votes))
    rank = _flags(ranked, "ranked", len(votes))
    if (deny & rank).any():
        both = int((deny & rank).argmax())
        raise ValueError(f"answer {both} is both `denied` and `ranked`; it is one of them.")
    lengths = np.diff(votes.offsets)
    answer = np.repeat(np.arange(len(votes)), lengths)
    holds = np.zeros((len(votes), q), bool)
    holds[answer, votes.labels] = True
    twice = rank & (holds.sum(1) < lengths)
    if twice.any():
        raise ValueError(f"answer {int(twice.argmax())} ranks a label twice.")
    order = np.full((len(votes), q), -1)
    mine = rank[answer]
    order[answer[mine], (np.arange(len(answer)) - votes.offsets[answer])[mine]] = votes.labels[mine]
    holds ^= deny[:, None]
    holds[rank] = (np.arange(q) == order[rank, :1]) & (order[rank, :1] >= 0)
    empty = ~holds.any(1)
    if empty.all():
        raise ValueError("no answer says anything: each leaves no class.")
    if empty.any():
        first = int(empty.argmax())
        warnings.warn(
            f"{int(empty.sum()):,} of {len(votes):,} answers leave no class and are left out, such"
            f" as that of {votes.annotator[first]} about item {votes.item[first]}.",
            stacklevel=4,
        )
    kept = ~empty
    names, annotator = np.unique(votes.annotator[kept].astype(str), return_inverse=True)
    ranking = np.flatnonzero(rank[kept])
    return _SetAnswers(
        votes.item[kept],
        annotator,
        holds[kept],
        ranking,
        order[kept][ranking],
        tuple(names.tolist()),
    )


def _flags(value: Any, name: str, number: int) -> np.ndarray:
    if value is None:
        return np.zeros(number, bool)
    flags = as_array(value, name)
    if flags.dtype.kind != "b" or flags.shape != (number,):
        raise ValueError(
            f"`{name}` is {flags.dtype} of shape {flags.shape}; give True or False for each of the"
            f" {number} answers."
        )
    return flags


def _shares(said: _SetAnswers, n: int, q: int) -> np.ndarray:
    """Each answer shared out over its labels, a ranking's first label; uniform without answers."""
    part = said.holds / said.holds.sum(1, keepdims=True)
    shares = np.stack([np.bincount(said.item, part[:, k], n) for k in range(q)], 1)
    totals = shares.sum(1, keepdims=True)
    return np.where(totals > 0, shares / np.where(totals > 0, totals, 1), 1 / q)
