"""Dawid and Skene: how each annotator confuses the classes, and what the classes then are.

Paper: A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the
EM algorithm", Applied Statistics 28, 1979.

A round is two products of a sparse matrix of the answers, which costs (answers x classes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._numbers import whole
from ._answers import Answers, check_answers
from ._consensus import Consensus, warn_of_unsaid
from ._probs import checked_probs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDS, GAIN = 200, 1e-6
LARGEST_BYTES = 2**31  # of confusion matrices
TINY = np.finfo(np.float64).tiny  # in place of 0 under a logarithm: e^-708 is as good as never


@dataclass(frozen=True, eq=False, kw_only=True)
class DawidSkene(Consensus):
    """Labels, and the error rates that explain the answers.

    Attributes:
        prior: float64 (m,), share of each class.
        confusion: float64 (J, m, m), ``[j, k, l]`` the probability that annotator j says l where
            k is true; None with ``one_coin``, where ``annotator_quality`` says it all.
        model_confusion: float64 (m, m), the same of the model, or None.
        model_quality: of the model, as ``annotator_quality``, or None.
        log_likelihood: float64 (rounds,), after each round, in nats.
        converged: whether the last round gained less than 1e-6 of it.
    """

    prior: np.ndarray
    confusion: np.ndarray | None
    model_confusion: np.ndarray | None
    model_quality: float | None
    log_likelihood: np.ndarray
    converged: bool


class _Rates(NamedTuple):
    """Parameters: of annotators (J, m, m) or (J,), of the model (m, m) or () or None."""

    prior: np.ndarray
    annotators: np.ndarray
    model: np.ndarray | None


def dawid_skene(
    answers: Answers,
    one_coin: bool = False,
    alpha: float = 0.01,
    probs: Any = None,
    rounds: int = ROUNDS,
    watch: Callable[[int, int], None] | None = None,
) -> DawidSkene:
    """Classes and error rates of annotators by expectation maximisation, from vote shares.

    Args:
        answers: of people.
        one_coin: one accuracy per annotator, the same for all classes and spread evenly over the
            wrong ones; for few answers per annotator.
        alpha: answers of each label that every row of every matrix is given beforehand (with
            ``one_coin`` every annotator has one row), at least 0. With 0 the log-likelihood never
            falls.
        probs: (n, m), a model's probabilities: an annotator who answers every item, divided among
            the classes.
        rounds: at most.
        watch: called with rounds done and ``rounds``.

    Returns:
        The most probable labels (the first of equally probable ones; -1 without answer and
        model), their posterior, and per annotator the probability that an answer is right.

    Raises:
        ValueError: unsound probabilities or ``alpha``, or confusion matrices above 2 GB.

    Warns:
        UserWarning: items whose consensus nobody gave, with their number; ``unsaid`` says which.

    >>> table = [(0, "a", 0), (0, "b", 0), (0, "c", 1), (1, "a", 1), (1, "b", 1), (1, "c", 0)]
    >>> said = Answers.from_columns(*zip(*table))
    >>> dawid_skene(said).annotator_quality.round(2)
    array([0.99, 0.99, 0.01])
    """
    check_answers(answers)
    if not isinstance(alpha, Real) or not 0 <= alpha < np.inf:
        raise ValueError(f"`alpha` is {alpha!r}; it is a number of answers, at least 0.")
    rounds = whole(rounds, "rounds", low=1)
    size = len(answers.annotators) * answers.m**2 * 8
    if not one_coin and size > LARGEST_BYTES:
        raise ValueError(
            f"{len(answers.annotators)} matrices of {answers.m} x {answers.m} take"
            f" {size / 1e9:.1f} GB. Pass one_coin=True (--by one-coin)."
        )
    if probs is not None:
        probs = checked_probs(probs, answers)
    model = _OneCoin(answers, alpha, probs) if one_coin else _Matrices(answers, alpha, probs)
    known = np.ones(answers.n, bool) if probs is not None else answers.per_item > 0
    posterior = _shares(answers, probs)
    likelihoods: list[float] = []
    converged = False
    while len(likelihoods) < rounds and not converged:
        rates = model.rates(posterior, posterior[known].mean(0))
        posterior, likelihood = _posterior(model.log_joint(rates))
        likelihoods.append(likelihood)
        if len(likelihoods) > 1:
            gain = abs(likelihood - likelihoods[-2])
            converged = gain <= GAIN * abs(likelihoods[-2])
        if watch is not None:
            watch(rounds if converged else len(likelihoods), rounds)
    matrices = isinstance(model, _Matrices)
    extra = rates.model
    found = DawidSkene(
        answers=answers,
        labels=np.where(known, posterior.argmax(1), -1),
        posterior=posterior,
        annotator_quality=model.quality(rates.annotators, rates.prior),
        weights=np.ones(len(answers.annotators)),
        model_weight=0.0 if probs is None else 1.0,
        prior=rates.prior,
        confusion=rates.annotators if matrices else None,
        model_confusion=extra if matrices else None,
        model_quality=None if extra is None else float(model.quality(extra[None], rates.prior)[0]),
        log_likelihood=np.array(likelihoods),
        converged=converged,
    )
    warn_of_unsaid(found)
    return found


def _shares(answers: Answers, probs: np.ndarray | None) -> np.ndarray:
    """Shares of the answers, the model's among them; uniform where there are none."""
    counts = answers.counts.astype(np.float64)
    if probs is not None:
        counts += probs
    sums = counts.sum(1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1), 1 / answers.m)


def _posterior(log_joint: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows divided by their sums, and the logarithms of the sums added up."""
    largest = log_joint.max(1, keepdims=True)
    joint = np.exp(log_joint - largest)
    sums = joint.sum(1, keepdims=True)
    return joint / sums, float((np.log(sums) + largest).sum())


def _log_prior(prior: np.ndarray) -> np.ndarray:
    """Exact, so that a class of share 0 stays at 0."""
    with np.errstate(divide="ignore"):
        return np.log(prior)


def _log(values: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(values, TINY))


class _Matrices:
    """A confusion matrix per annotator."""

    def __init__(self, answers: Answers, alpha: float, probs: np.ndarray | None):
        self.answers, self.alpha, self.probs = answers, alpha, probs
        self.said = _sparse(
            answers,
            answers.annotator.astype(np.int64) * answers.m + answers.label,
            len(answers.annotators) * answers.m,
        )

    def rates(self, posterior: np.ndarray, prior: np.ndarray) -> _Rates:
        m = self.answers.m
        said = (self.said.T @ posterior).reshape(-1, m, m).transpose(0, 2, 1)
        model = None if self.probs is None else self._divided(posterior.T @ self.probs)
        return _Rates(prior, self._divided(said), model)

    def _divided(self, said: np.ndarray) -> np.ndarray:
        """Rows of answers as probabilities, uniform where there is no answer."""
        said = said + self.alpha
        sums = said.sum(-1, keepdims=True)
        return np.where(sums > 0, said / np.where(sums > 0, sums, 1), 1 / self.answers.m)

    def log_joint(self, rates: _Rates) -> np.ndarray:
        m = self.answers.m
        table = np.ascontiguousarray(_log(rates.annotators).transpose(0, 2, 1))
        found = self.said @ table.reshape(-1, m) + _log_prior(rates.prior)
        if self.probs is not None and rates.model is not None:
            found += self.probs @ _log(rates.model).T
        return found

    def quality(self, matrices: np.ndarray, prior: np.ndarray) -> np.ndarray:
        return np.einsum("jkk,k->j", matrices, prior)


class _OneCoin:
    """An accuracy per annotator."""

    def __init__(self, answers: Answers, alpha: float, probs: np.ndarray | None):
        self.answers, self.alpha, self.probs = answers, alpha, probs
        self.cell = answers.item.astype(np.int64) * answers.m + answers.label
        self.by_whom = _sparse(answers, answers.annotator, len(answers.annotators))

    def rates(self, posterior: np.ndarray, prior: np.ndarray) -> _Rates:
        mine = posterior.ravel()[self.cell]
        right = np.bincount(self.answers.annotator, mine, len(self.answers.annotators))
        model = None
        if self.probs is not None:
            model = self._divided(np.sum(posterior * self.probs), self.answers.n)
        return _Rates(prior, self._divided(right, self.answers.per_annotator), model)

    def _divided(self, right: Any, number: Any) -> Any:
        return np.asarray((right + self.alpha) / (number + self.alpha * self.answers.m))

    def _logs(self, accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _log(accuracy), _log((1 - accuracy) / (self.answers.m - 1))

    def log_joint(self, rates: _Rates) -> np.ndarray:
        n, m = self.answers.n, self.answers.m
        right, wrong = self._logs(rates.annotators)
        better = (right - wrong)[self.answers.annotator]
        found = np.bincount(self.cell, better, n * m).reshape(n, m)
        found += (self.by_whom @ wrong)[:, None] + _log_prior(rates.prior)
        if self.probs is not None and rates.model is not None:
            right, wrong = self._logs(rates.model)
            found += self.probs * right + (1 - self.probs) * wrong
        return found

    def quality(self, accuracies: np.ndarray, prior: np.ndarray) -> np.ndarray:
        return accuracies


def _sparse(answers: Answers, column: np.ndarray, width: int) -> csr_array:
    """A row per item with a 1 in the column of each of its answers."""
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum(answers.per_item)])
    return csr_array((np.ones(len(answers)), column, starts), shape=(answers.n, width))
