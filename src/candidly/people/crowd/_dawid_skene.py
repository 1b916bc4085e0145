"""Dawid and Skene: how each annotator confuses the classes, and what the classes then are.

Paper: A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the
EM algorithm", Applied Statistics 28, 1979.

A round is one pass over the answers, which costs (answers x classes). What it sums over items is
exact (``_sums``), so that no order of items and no number of workers changes a bit of the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ...ground.arrays import door
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._answers import Answers, check_answers
from ._consensus import Consensus, warn_of_unsaid
from ._probs import answer_shares, checked_probs
from ._rounds import BLOCK, Each, ItemSums, Logs, Loop, Rounds, mapping, together
from ._sums import as_floats

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
        model_quality: the quality of the model, as ``annotator_quality``, or None.
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
    """Parameters: of annotators (J, m, m) or (J,), of the model (m, m), () or None; their logs."""

    prior: np.ndarray
    annotators: np.ndarray
    model: np.ndarray | None
    logs: Logs


@door
def dawid_skene(
    answers: Answers,
    one_coin: bool = False,
    alpha: float = 0.01,
    probs: Any = None,
    rounds: int = ROUNDS,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> DawidSkene:
    """Classes and error rates of annotators by expectation maximisation, from vote shares.

    Args:
        answers: the answers of people.
        one_coin: one accuracy per annotator, the same for all classes and spread evenly over the
            wrong ones; for few answers per annotator.
        alpha: answers of each label that every row of every matrix is given beforehand (with
            ``one_coin`` every annotator has one row), at least 0. With 0 the log-likelihood never
            falls.
        probs: (n, m), a model's probabilities: an annotator who answers every item, divided among
            the classes.
        rounds: at most.
        watch: called with rounds done and ``rounds``.
        workers: threads. Their number changes no bit of what is found, as sums are exact.

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
    workers = whole(workers, "workers", low=1)
    size = len(answers.annotators) * answers.m**2 * 8
    if not one_coin and size > LARGEST_BYTES:
        raise Refusal(
            f"{len(answers.annotators)} matrices of {answers.m} x {answers.m} take"
            f" {size / 1e9:.1f} GB.",
            "take the one-coin model: `by='one-coin'`, or `one_coin=True` of dawid_skene",
        )
    if probs is not None:
        probs = checked_probs(probs, answers)
    model = (_OneCoin if one_coin else _Matrices)(answers, alpha, probs is not None)
    known = (answers.per_item > 0) | (probs is not None)
    ranges = workers if one_coin else max(1, min(workers, LARGEST_BYTES // size))
    first = answer_shares(answers, probs)
    passes = Rounds(answers, probs, known, first, model.loops, model.shapes, ranges)
    likelihoods: list[float] = []
    converged = False
    with mapping(workers) as each:
        sums = passes.run(None, each)
        while len(likelihoods) < rounds and not converged:
            rates = model.fit(sums, sums.prior / known.sum(), each)
            sums = passes.run(rates.logs, each)
            likelihoods.append(sums.log_likelihood)
            if len(likelihoods) > 1:
                gain = abs(likelihoods[-1] - likelihoods[-2])
                converged = gain <= GAIN * abs(likelihoods[-2])
            if watch is not None:
                watch(rounds if converged else len(likelihoods), rounds)
    posterior = passes.posterior
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
        confusion=np.ascontiguousarray(rates.annotators) if matrices else None,
        model_confusion=extra if matrices else None,
        model_quality=None if extra is None else float(model.quality(extra[None], rates.prior)[0]),
        log_likelihood=np.array(likelihoods),
        converged=converged,
    )
    warn_of_unsaid(found)
    return found


def _log_prior(prior: np.ndarray) -> np.ndarray:
    """Exact, so that a class of share 0 stays at 0."""
    with np.errstate(divide="ignore"):
        return np.log(prior)


def _log(values: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(values, TINY))


class _Matrices:
    """A confusion matrix per annotator."""

    def __init__(self, answers: Answers, alpha: float, with_model: bool):
        self.alpha, self.with_model = alpha, with_model
        self.number, self.m = len(answers.annotators), answers.m
        rows = self.number * self.m
        self.shapes = (rows, 2 * self.m), (self.m, 2 * self.m)
        # by annotator and label in a row, by true class in a column
        self.said, self.logs = np.empty((rows, self.m)), np.empty((rows, self.m))

    @property
    def loops(self) -> tuple[Loop, Loop]:
        from ._kernels import add_to_matrices, weigh_by_matrices

        return weigh_by_matrices, add_to_matrices

    def fit(self, sums: ItemSums, prior: np.ndarray, each: Each) -> _Rates:
        from ._kernels import to_matrices

        step = max(1, BLOCK // self.m**2) * self.m

        def some(first: int) -> None:
            rows = slice(first, first + step)
            said, logs = self.said[rows], self.logs[rows]
            to_matrices(together(sums.said, rows), self.alpha, said)
            np.log(np.maximum(said, TINY, out=logs), out=logs)

        for _ in each(some, range(0, len(self.said), step)):
            pass
        model = self._divided(sums.model.T) if self.with_model else None
        log_model = np.zeros((1, 1)) if model is None else np.ascontiguousarray(_log(model).T)
        people = self.said.reshape(self.number, self.m, self.m).transpose(0, 2, 1)
        return _Rates(prior, people, model, (_log_prior(prior), self.logs, log_model))

    def _divided(self, said: np.ndarray) -> np.ndarray:
        """Rows of answers as probabilities, uniform where there is no answer."""
        said = said + self.alpha
        sums = said.sum(-1, keepdims=True)
        return np.where(sums > 0, said / np.where(sums > 0, sums, 1), 1 / self.m)

    def quality(self, matrices: np.ndarray, prior: np.ndarray) -> np.ndarray:
        return np.einsum("jkk,k->j", matrices, prior)


class _OneCoin:
    """An accuracy per annotator."""

    def __init__(self, answers: Answers, alpha: float, with_model: bool):
        self.answers, self.alpha, self.with_model = answers, alpha, with_model
        self.shapes = (len(answers.annotators), 2), (1, 2)

    @property
    def loops(self) -> tuple[Loop, Loop]:
        from ._kernels import add_to_coins, weigh_by_coins

        return weigh_by_coins, add_to_coins

    def fit(self, sums: ItemSums, prior: np.ndarray, each: Each) -> _Rates:
        right = as_floats(*together(sums.said, slice(None)).T)
        people, model = self._divided(right, self.answers.per_annotator), None
        log_model = np.zeros((1, 2))
        if self.with_model:
            model = self._divided(sums.model[0, 0], self.answers.n)
            log_model = self._logs(model[None])
        return _Rates(prior, people, model, (_log_prior(prior), self._logs(people), log_model))

    def _divided(self, right: Any, number: Any) -> Any:
        return np.asarray((right + self.alpha) / (number + self.alpha * self.answers.m))

    def _logs(self, accuracy: np.ndarray) -> np.ndarray:
        wrong = (1 - accuracy) / (self.answers.m - 1)
        return np.stack([_log(accuracy), _log(wrong)], 1)

    def quality(self, accuracies: np.ndarray, prior: np.ndarray) -> np.ndarray:
        return accuracies
